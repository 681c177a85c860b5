"""What people read is true: code in the documents runs and prints what they say, names exist."""

import contextlib
import doctest
import io
import os
import pkgutil
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
PAGES = {
    str(path.relative_to(ROOT)): path
    for folder in ("", "docs", "benchmarks")
    for path in sorted((ROOT / folder).glob("**/*.md" if folder == "docs" else "*.md"))
}
WIDTH = 100
SAME = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE  # so that long output may be wrapped


class Block(NamedTuple):
    """A fenced block: its language, the file that it is, if any, its first line and its text."""

    language: str
    file: str
    line: int
    text: str


def blocks_of(path):
    """The fenced blocks of a page, in order. A word after the language is the name of a file."""
    found, block = [], None
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        if not line.startswith("```"):
            if block is not None:
                found[-1] = block = block._replace(text=block.text + line + "\n")
        elif block is not None:
            block = None
        else:
            language, _, file = line.strip("`").partition(" ")
            block = Block(language, file, number + 1, "")
            found.append(block)
    assert block is None, f"a block of {path.name} has no end"
    return found


BLOCKS = {name: blocks_of(path) for name, path in PAGES.items()}
WITH_PYTHON = [name for name in PAGES if any(each.language == "python" for each in BLOCKS[name])]
COMMANDS = [
    pytest.param(shlex.split(line, comments=True)[1:], id=f"{name}: {line.split('#')[0].strip()}")
    for name, blocks in BLOCKS.items()
    for block in blocks
    for line in block.text.replace("\\\n", " ").splitlines()
    if line.startswith("armwise ")
]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_and_is_short(example, tmp_path):
    assert len(example.read_text().splitlines()) < 60
    environment = os.environ | {"MPLBACKEND": "agg"}
    done = subprocess.run(
        [sys.executable, str(example)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


@pytest.mark.parametrize("name", WITH_PYTHON)
def test_the_python_of_a_page_runs(name, tmp_path, monkeypatch):
    """In order and in one namespace; a block of output is what the block before it prints."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    monkeypatch.syspath_prepend(tmp_path)  # as for any script
    source = tmp_path / f"{PAGES[name].stem}.md.py"  # the page, with nothing but its Python
    source.write_text(python_of(PAGES[name]))
    space, printed = {"__name__": "page"}, ""
    for block in BLOCKS[name]:
        if block.file:
            (tmp_path / block.file).write_text(block.text)
        elif block.language == "python":
            printed = output_of(block, source, space)
        elif block.language == "output" and not same(block.text, printed):
            pytest.fail(f"The code before line {block.line} of {name} prints\n{printed}")


def same(written, printed):
    return doctest.OutputChecker().check_output(written, printed, SAME)


def python_of(path):
    """The Python of a page in its own lines, so that an error names the line of the page."""
    lines = [""] * len(path.read_text().splitlines())
    for block in blocks_of(path):
        if block.language == "python" and not block.file:
            text = block.text.splitlines()
            lines[block.line - 1 : block.line - 1 + len(text)] = text
    return "\n".join(lines) + "\n"


def output_of(block, source, space):
    """What a block prints."""
    text = "\n" * (block.line - 1) + block.text
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(text, str(source), "exec"), space)
    return printed.getvalue()


@pytest.mark.parametrize("arguments", COMMANDS)
def test_a_command_of_a_page_is_one_that_armwise_takes(arguments):
    import typer

    from armwise.cli.commands import app

    commands = typer.main.get_command(app).commands
    if arguments[0] != "--help":
        commands[arguments[0]].make_context(arguments[0], arguments[1:])


def test_the_parser_finds_what_is_to_be_tested():
    """Tests over blocks that were not found would pass forever."""
    assert len(COMMANDS) > 20
    assert {"README.md", "docs/own-components.md", "docs/sweeps.md"} <= set(WITH_PYTHON)
    assert any(block.language == "output" for block in BLOCKS["README.md"])


@pytest.mark.parametrize("name", PAGES)
def test_the_lines_of_a_page_are_not_longer_than_100_characters(name):
    """Links and tables may be."""
    lines = PAGES[name].read_text().splitlines()
    long = [line for line in lines if len(line) > WIDTH and not (line[0] == "|" or "](" in line)]
    assert long == []


@pytest.mark.parametrize("name", PAGES)
def test_the_links_of_a_page_lead_somewhere(name):
    page = PAGES[name]
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
        assert (page.parent / target).exists(), f"{name} links to {target}"


def test_no_file_leads_to_a_place_that_a_clone_does_not_have():
    outside = re.compile(r"\bissue #?\d|\.\./shared/|/(work|root|Users)/\w")
    paths = [path for ending in ("py", "md", "toml", "html") for path in ROOT.rglob(f"*.{ending}")]
    folders = {"src", "tests", "docs", "examples", "benchmarks"}
    read = [path for path in paths if {path.relative_to(ROOT).parts[0]} <= folders]
    assert len(read) > 300
    found = [path for path in read if path != Path(__file__) and outside.search(path.read_text())]
    assert not found


def test_the_version_to_cite_is_that_of_the_package():
    import armwise

    assert f"\nversion: {armwise.__version__}\n" in (ROOT / "CITATION.cff").read_text()


def test_functions_named_in_the_equations_exist():
    """Those in the table's last column: public, or after their module."""
    text = (ROOT / "docs" / "equations.md").read_text()
    table = text[: text.index("## What the paper misprints")]
    rows = [line.split("|")[3] for line in table.splitlines() if line.startswith("| ")]
    names = [name for row in rows for name in re.findall(r"`([^`]+)`", row)]
    assert len(names) > 25
    for name in names:
        assert pkgutil.resolve_name(f"armwise.{name}"), name
