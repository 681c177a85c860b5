"""The reproduction: what is run, what is written, and that a page says what it lacks."""

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from armwise.cli import app
from armwise.errors import InputError
from armwise.paper import paper_size, reproduce, timing
from armwise.paper.claims import CLAIMS
from armwise.paper.experiments import bundled_names
from armwise.paper.figures import FIGURES
from armwise.paper.report import Badge, badges, page_name
from armwise.paper.scope import scope_of
from armwise.paper.texts import CAPTIONS
from armwise.sweeps.store import Store

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A store that holds three small cells of figure 4."""
    store = Store(tmp_path_factory.mktemp("reproduction") / "store")
    cells = reproduce.sweeps("quick")["figure-4"]
    for cell in [c for c in cells if c.bandit.arms == 10 and c.agent.label == "A-AI"][:3]:
        store.write(cell, cell.run())
    return store


@pytest.fixture(scope="module")
def page(store, tmp_path_factory):
    """The page of the whole paper from that store, its folder, and what was said meanwhile."""
    out, said = tmp_path_factory.mktemp("page") / "out", []
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(timing.SIZES, "quick", {"trials": 2, "repeats": 1})
        made = reproduce.write("quick", store, out, say=said.append)
    return made, out, said


def nothing_computes(patch):
    """Every simulation, and every timing, is an error from now on."""

    def refuse(*_, **__):
        raise AssertionError("something was computed")

    for target in ("armwise.sweeps.cell.simulate", "armwise.sweeps.cell.simulate_plans"):
        patch.setattr(target, refuse)
    patch.setattr("armwise.paper.timing.simulate", refuse)


# --- the page ------------------------------------------------------------------------------------


def test_the_page_is_one_file_that_needs_no_other(page):
    text = (page[1] / "index.html").read_text()
    assert not re.findall(r'(?:src|href)="(?!data:|#)', text)
    assert text.count("data:image/png;base64,") == len(page[0].images) == 3
    for words in ("Quick profile", "Not all of it has been run", "Lai–Robbins", "viewport"):
        assert words in text


def test_every_claim_has_a_verdict_and_nothing_is_forced(page):
    verdicts = json.loads((page[1] / "claims.json").read_text())
    assert [verdict["number"] for verdict in verdicts] == list(range(1, 46))
    undecided = [v["number"] for v in verdicts if v["verdict"] == "undecided"]
    assert set(range(16, 25)) <= set(undecided)
    assert page[0].counts()["undecided"] == len(undecided)


def test_figures_come_first_each_before_its_claims_and_every_claim_once(page):
    text = (page[1] / "index.html").read_text()
    marks = re.findall(r'id="((?:figure|table|figures|text|claim|published)\b[-\w]*)"', text)
    assert marks[0] == "figure-1"
    assert marks[-1] == "published"
    assert sorted(mark for mark in marks if mark.startswith("claim-")) == sorted(
        f"claim-{claim.number}" for claim in CLAIMS
    )
    section, here = {}, ""
    for mark in marks:
        if mark.startswith("claim-"):
            section[int(mark.removeprefix("claim-"))] = here
        else:
            here = mark
    assert (section[1], section[27], section[25], section[19], section[12]) == (
        "figure-2",
        "figure-4",
        "table-1",
        "figure-s1",
        "text",
    )
    assert {section[40], section[42], section[43]} == {"figures-4-5-6"}


def test_a_claim_is_one_line_that_opens(page):
    text = (page[1] / "index.html").read_text()
    [line] = re.findall(
        r'<details class="claim" id="claim-27">\s*<summary>.*?</summary>', text, re.S
    )
    assert CLAIMS[26].statement in line
    assert "holds at paper size</span>" in line
    assert "32 of 32 cases agree" in line
    assert "undecided here</span>" in line
    assert "figure-4 has no cell with" in line


def test_what_is_there_is_compared_and_drawn(page):
    compared = json.loads((page[1] / "comparison.json").read_text())
    assert compared
    assert {row["figure"] for row in compared} <= {"4", "5"}
    for name in ("figure-1", "figure-4", "table-1"):
        assert (page[1] / "figures" / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert "<svg" in (page[1] / "figures" / f"{name}.svg").read_text()


def test_the_person_is_told_what_happens(page):
    assert page[2][0].startswith("timing")
    assert page[2][-1] == "writing the page"


def test_every_figure_has_a_caption_and_its_sweep_exists():
    assert set(CAPTIONS) == set(FIGURES)
    for profile in reproduce.PROFILES:
        groups = reproduce.sweeps(profile)
        assert {entry.sweep for entry in FIGURES.values() if entry.sweep} <= set(groups)


def test_a_figure_of_an_earlier_run_is_not_shown(store, tmp_path):
    (tmp_path / "figures").mkdir()
    (tmp_path / "figures" / "figure-3.png").write_bytes(b"old")
    made = reproduce.write("quick", store, tmp_path, scope_of(["figure-3"]), simulates=False)
    assert not made.images
    assert "nothing of its sweep has been run" in (tmp_path / "figure-3.html").read_text()


# --- the verdicts at the sizes of the paper ------------------------------------------------------


def test_the_kept_verdicts_are_those_of_the_reproduction_in_the_docs():
    judged = json.loads((ROOT / "docs" / "reproduction" / "claims.json").read_text())
    assert list(paper_size.paper_verdicts().values()) == paper_size.shortened(judged)


def test_the_command_that_keeps_them_writes_that_file(tmp_path, monkeypatch):
    monkeypatch.setattr(paper_size, "FILE", tmp_path / "kept.json")
    paper_size.main(str(ROOT / "docs" / "reproduction" / "claims.json"))
    shipped = Path(paper_size.__file__).with_name("paper_size.json")
    assert (tmp_path / "kept.json").read_text() == shipped.read_text()


def test_a_smaller_run_shows_the_verdict_at_paper_size_before_its_own():
    lacking = {"number": 27, "verdict": "undecided", "numbers": {}, "summary": "Undecided: no run."}
    assert badges(lacking, "quick") == [
        Badge("holds", "holds at paper size", "32 of 32 cases agree"),
        Badge("undecided", "undecided here", "no run"),
    ]
    assert badges(lacking, "paper") == [Badge("undecided", "undecided", "no run")]
    assert [badge.text for badge in badges(lacking | {"verdict": "holds"}, "quick")] == [
        "holds here and at paper size"
    ]


# --- parts of the paper --------------------------------------------------------------------------


def test_the_whole_paper_needs_every_sweep():
    whole = scope_of()
    assert whole.sweeps == tuple(bundled_names())
    assert whole.figures == tuple(FIGURES)
    assert len(whole.claims) == 45
    assert whole.timed


@pytest.mark.parametrize(
    ("names", "figures", "claims", "sweeps"),
    [
        (["figure-4"], ("4",), {27, 28, 30}, ("figure-4",)),
        (["Figure S1"], ("S1",), {19, 20}, ("figure-3",)),
        (["figure-1"], ("1",), set(), ()),
        (["table-1"], ("table1",), {25, 26}, ()),
        (["claim-27"], ("4",), {27}, ("figure-4",)),
        (["claim-44"], (), {44}, ("claim-44",)),
        (["claim-13"], (), {13}, ()),
        (["claim-26"], ("table1",), {26}, ()),
        (["claim-40"], ("4", "5", "6"), {40}, ("figure-4", "figure-5", "figure-6")),
    ],
)
def test_a_part_is_its_figures_its_claims_and_what_they_need(names, figures, claims, sweeps):
    scope = scope_of(names)
    assert scope.figures == figures
    assert {claim.number for claim in scope.claims} == claims
    assert scope.sweeps == sweeps


def test_claims_about_several_figures_come_with_all_of_them():
    three = scope_of(["figure-4", "figure-5", "figure-6"])
    assert {40, 42, 43} <= {claim.number for claim in three.claims}


def test_one_figure_is_made_with_its_claims_alone(store, tmp_path):
    out = tmp_path / "out"
    options = ["--store", str(store.folder), "--out", str(out), "--only-report"]
    done = CliRunner().invoke(app, ["reproduce", "figure-4", *options])
    assert done.exit_code == 0, done.stderr
    assert [path.name for path in out.glob("*.html")] == ["figure-4.html"]
    assert {path.name for path in (out / "figures").iterdir()} == {"figure-4.png", "figure-4.svg"}
    judged = json.loads((out / "figure-4-claims.json").read_text())
    assert [one["number"] for one in judged] == [27, 28, 30]
    assert "27. A-AI wins in every switching bandit: holds at paper size" in done.stdout
    text = (out / "figure-4.html").read_text()
    assert text.count('<details class="claim"') == 3
    assert "Misprints" not in text


def test_a_part_computes_its_own_sweeps_and_tells_what_comes_before(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(reproduce.runner, "run", lambda cells, *_, **__: asked.extend(cells))
    said, store = [], Store(tmp_path)
    reproduce.compute("quick", store, scope_of(["claim-41"]), say=said.append)
    assert {cell.seed for cell in asked} == {41}
    assert len(asked) == 8
    assert said == [
        f"reading the store {tmp_path}: it has 0 of 8 cells",
        "computing 8 cells of 4 kinds; every kind is compiled first",
    ]
    assert set(store.definitions()) == {"claim-41-quick"}


# --- a report alone ------------------------------------------------------------------------------


def test_a_report_alone_computes_nothing(page, store, tmp_path, monkeypatch):
    nothing_computes(monkeypatch)
    options = ["--store", str(store.folder), "--out", str(tmp_path), "--only-report"]
    done = CliRunner().invoke(app, ["reproduce", *options], catch_exceptions=False)
    assert done.exit_code == 0, done.stderr
    assert "timing" not in done.stderr
    assert not (tmp_path / "timing.json").exists()
    verdicts = {v["number"]: v for v in json.loads((tmp_path / "claims.json").read_text())}
    for number in (25, 26, 45):
        assert verdicts[number]["verdict"] == "undecided"
    here, there = page[0].counts(), json.loads((page[1] / "claims.json").read_text())
    assert sum(here.values()) == 45
    assert [v for v in there if v["number"] not in (25, 26, 45)] == [
        v for number, v in verdicts.items() if number not in (25, 26, 45)
    ]


def test_a_report_alone_takes_the_times_of_an_earlier_one(page, store, tmp_path, monkeypatch):
    nothing_computes(monkeypatch)
    (tmp_path / "timing.json").write_text((page[1] / "timing.json").read_text())
    made = reproduce.write("quick", store, tmp_path, scope_of(["table-1"]), simulates=False)
    assert made.timing.policy.tolist() == page[0].timing.policy.tolist()
    assert list(made.images) == ["table1"]
    assert {found["number"]: found["numbers"] != {} for found in made.verdicts} == {
        25: True,
        26: True,
    }
    (tmp_path / "timing.json").write_text("{")
    with pytest.raises(InputError, match=r"timing\.json is damaged"):
        reproduce.write("quick", store, tmp_path, scope_of(["table-1"]), simulates=False)


# --- sizes and bad input -------------------------------------------------------------------------


def test_the_paper_profile_has_the_sizes_of_the_paper():
    groups = reproduce.sweeps("paper")
    for name, cells in groups.items():
        if name.startswith("figure-"):
            assert {cell.agents for cell in cells} == {1_000}
    assert {cell.horizon for cell in groups["figure-3"]} == {10**6}
    lams = {cell.agent.policy.lam for cell in groups["figure-2"]}
    assert len(lams) == 41
    assert 0.15 in lams


def test_bad_input_is_refused(tmp_path):
    with pytest.raises(InputError, match="There is no profile 'quik'; did you mean 'quick'"):
        reproduce.sweeps("quik")
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        reproduce.write("quick", Store(tmp_path / "store"), tmp_path / "file" / "out")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--profile", "slow"], "There is no profile 'slow'. Known: paper, quick."),
        (["--timing", "papr"], "There is no timing 'papr'; did you mean 'paper'?"),
        (["--threads", "0"], "threads must be a whole number from 1 to 4095, not 0."),
        (["figure-7"], "There is no figure, table or claim 'figure-7'; did you mean 'figure-6'?"),
        (["claim-46"], "Known: figure-1 to figure-6, figure-s1 to figure-s3, table-1, and claim-1"),
        (["claim-4", "nonsense"], "There is no figure, table or claim 'nonsense'. Known: "),
        (["--device", "tpu"], "tpu"),
    ],
)
def test_the_command_line_refuses_with_one_sentence(tmp_path, arguments, sentence):
    out = ["--out", str(tmp_path / "out"), "--store", str(tmp_path / "store")]
    refused = CliRunner().invoke(app, ["reproduce", *arguments, *out])
    assert refused.exit_code == 2
    assert sentence in refused.stderr
    assert "Traceback" not in refused.stderr


def test_the_command_line_refuses_a_folder_that_cannot_be_written_before_the_work(tmp_path):
    (tmp_path / "file").write_text("")
    refused = CliRunner().invoke(app, ["reproduce", "--out", str(tmp_path / "file")])
    assert refused.exit_code == 2
    assert "cannot be written" in refused.stderr
    assert "planning" not in refused.stderr


def test_a_page_has_the_name_of_its_parts():
    assert page_name(scope_of(["claim-27", "figure-4"])) == "claim-27-figure-4.html"
