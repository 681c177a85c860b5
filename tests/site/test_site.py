"""The documentation site: it builds, nothing is missing, nothing is broken, nothing is fetched."""

import hashlib
import html
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import armwise

ROOT = Path(__file__).parents[2]
OWN = ROOT / "docs" / "site"
VENDOR = OWN / "vendor"
sys.path.insert(0, str(OWN))
NAMES = {"http://www.w3.org/2000/svg", "https://github.com/leeoniya/uPlot"}  # never asked


class Loader(yaml.SafeLoader):
    """Reads mkdocs.yml without calling what it names."""


Loader.add_multi_constructor("tag:yaml.org,2002:python/", lambda *_: None)
CONFIGURATION = yaml.load((ROOT / "mkdocs.yml").read_text(), Loader)


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """The site, built from a copy of what it is made of, so that no build of a user is touched."""
    import build

    folder = tmp_path_factory.mktemp("site")
    build.stage(folder / build.STAGE)
    assert build.build(folder) == 0
    return folder


def html_of(site):
    return {
        path.relative_to(site / "build/site").as_posix(): path.read_text()
        for path in sorted((site / "build/site").rglob("*.html"))
    }


@pytest.fixture(scope="session")
def pages(site):
    return html_of(site)


def listed(nav):
    for entry in nav:
        for value in entry.values() if isinstance(entry, dict) else [entry]:
            yield from [value] if isinstance(value, str) else listed(value)


def test_every_page_has_one_place_in_the_navigation(site):
    places = list(listed(CONFIGURATION["nav"]))
    assert len(places) == len(set(places))
    stage = site / "build/docs"
    staged = {path.relative_to(stage).as_posix() for path in stage.rglob("*.md")}
    copies = {name for name in staged if name.startswith("repository/")}  # reached by links
    assert staged - copies == {name for name in places if not name.startswith("repository/")}
    assert set(places) <= staged


def test_every_exported_name_stands_on_one_page_of_the_reference(pages):
    anchors = {}
    for name, text in pages.items():
        if name.startswith("reference/"):
            for anchor in re.findall(r'<h2 id="([^"]+)"', text):
                anchors.setdefault(anchor, []).append(name)
    for name in armwise.__all__:
        assert len(anchors.get(name, [])) == 1, name


def test_every_component_and_command_is_in_the_reference(pages):
    import typer

    from armwise.cli.commands import app

    for kind, entries in armwise.catalogue().items():
        if kind != "problems":
            for each in entries:
                assert f'id="{each["class"]}"' in pages[f"reference/{kind}.html"]
    for name in typer.main.get_command(app).commands:
        assert f'id="armwise-{name}' in pages["reference/command-line.html"]


def test_no_link_or_picture_leads_nowhere(site, pages):
    """Anchors included, in the HTML itself."""
    root = site / "build/site"
    anchors = {name: set(re.findall(r'\bid="([^"]+)"', text)) for name, text in pages.items()}
    broken = []
    for name, text in pages.items():
        for target in re.findall(r'\b(?:href|src)="([^"]+)"', text):
            if re.match(r"https?:|data:|mailto:", target) or name == "404.html":
                continue
            path, _, anchor = html.unescape(target).partition("#")
            leads = (root / name).parent / path.partition("?")[0] if path else root / name
            leads = leads.resolve()
            key = leads.relative_to(root.resolve()).as_posix() if leads.is_file() else None
            if key is None or (anchor and key in anchors and anchor not in anchors[key]):
                broken.append((name, target))
    assert broken == []


def test_a_reader_asks_no_other_host(site):
    """Neither scripts, styles, fonts nor pictures; links to other sites are for the reader."""
    asking = re.compile(r"""(?:src=|url\(|@import |<link[^>]*href=)["']?(https?:[^"')\s]+)""")
    for path in (site / "build/site").rglob("*"):
        if path.suffix in (".html", ".css"):
            assert asking.findall(path.read_text()) == [], path.name
        if path.name in ("math.js", "trace.js", "view.js"):
            found = set(re.findall(r"https?://[^\s\"'`)]+", path.read_text()))
            assert found <= NAMES


def test_formulas_are_marked_as_such(pages):
    """What the browser test then sees drawn; here, that no dollar is left beside them."""
    drawn = pages["theory.html"]
    assert drawn.count('class="arithmatex"') > 300
    for name in ("theory.html", "explain/expected-free-energy.html", "explain/stuck.html"):
        text = re.sub(r"<(pre|code|script)\b.*?</\1>", "", pages[name], flags=re.DOTALL)
        text = re.sub(r'<(span|div) class="arithmatex">.*?</\1>', "", text, flags=re.DOTALL)
        assert "$" not in text, name


def test_no_markdown_is_left_in_the_pages(pages):
    """Of blocks, links, tables, headings and emphasis that Markdown did not see as such."""
    left = re.compile(r"```|\]\([^)]{0,60}\)|^\|.*\|$|^#{1,4} |(?<!\w)\*\*\w", re.MULTILINE)
    for name, text in pages.items():
        article = text.partition("<article")[2].partition("</article>")[0]
        plain = re.sub(r"<(pre|code|script)\b.*?</\1>", "", article, flags=re.DOTALL)
        plain = re.sub(r'<(span|div) class="arithmatex">.*?</\1>', "", plain, flags=re.DOTALL)
        assert left.findall(re.sub(r"<[^>]+>", "", plain)) == [], name


def looked_at(site, names):
    """What a browser sees wrong with pages, opened as files."""
    pytest.importorskip("playwright")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("There is no chromium.")
    command = [sys.executable, str(Path(__file__).with_name("looking.py")), chromium]
    command += [str(site / "build/site"), *names]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_formulas_and_live_traces_are_drawn_and_search_finds(site):
    """In light and dark, wide and narrow; and the pages ask no other host for anything."""
    names = ["theory.html", "explain/expected-free-energy.html", "explain/stuck.html"]
    assert looked_at(site, names) == {}


@pytest.mark.slow
def test_no_page_is_wider_than_a_phone_or_complains(site, pages):
    assert looked_at(site, [name for name in pages if name != "404.html"]) == {}


def test_live_traces_hold_what_the_pages_define(site):
    for name in ("thinking", "stuck", "forgetting"):
        assert f'armwise.traces.{name} = "' in (site / f"build/site/traces/{name}.js").read_text()
    script = (site / "build/site/traces/view.js").read_text()
    assert "import " not in re.sub(r"//.*", "", script)


def test_vendored_files_have_their_stated_hashes():
    stated = json.loads((VENDOR / "vendor.json").read_text())
    files = {name: digest for each in stated.values() for name, digest in each["files"].items()}
    assert files == {
        path.relative_to(VENDOR).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in VENDOR.rglob("*")
        if path.is_file() and path.name != "vendor.json"
    }
    assert all(each["licence"] and each["source"] for each in stated.values())


def test_pictures_that_a_page_makes_are_those_that_it_shows():
    """`docs/site/figures.py` makes them; none stands in the folders without code."""
    gallery = (ROOT / "docs/gallery.md").read_text()
    made = set(re.findall(r'savefig\("([\w-]+\.png)"', gallery))
    made |= set(re.findall(r'beliefs_of\(.*"([\w-]+\.png)"\)', gallery))
    shown = {Path(name).name for name in re.findall(r"\]\((figures/[^)]+)\)", gallery)}
    folders = (ROOT / "docs/figures/gallery", ROOT / "docs/figures/explain")
    kept = {path.name for folder in folders for path in folder.iterdir()}
    assert made == shown == kept


def test_code_that_names_armwise_leads_to_the_reference():
    import pages as site_pages

    links = {"Smile": "reference/learners.md#Smile", "run": "reference/sweeps.md#run"}
    text = (
        "`aw.Smile(rho=0.1)`, `Smile`, `run`, `aw.run(cells)`\n\n# `Smile`\n\n```\n`Smile`\n```\n"
    )
    found = site_pages.converted(text, ROOT / "docs/explain/smile.md", links, set())
    smile, run = "../reference/learners.md#Smile", "../reference/sweeps.md#run"
    first = f"[`aw.Smile(rho=0.1)`]({smile}), [`Smile`]({smile}), `run`, [`aw.run(cells)`]({run})"
    assert found == text.replace(text.splitlines()[0], first, 1)
