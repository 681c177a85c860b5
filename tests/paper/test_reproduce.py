"""The reproduction: what is run, what is written, and that a page says what it lacks."""

import json
import re

import pytest
from typer.testing import CliRunner

from armwise.cli import app
from armwise.errors import InputError
from armwise.paper import reproduce, timing
from armwise.paper.figures import FIGURES
from armwise.sweeps.store import Store


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """A page from a store that holds three small cells of figure 4."""
    folder = tmp_path_factory.mktemp("reproduction")
    store = Store(folder / "store")
    cells = reproduce.sweeps("quick")["figure-4"]
    for cell in [c for c in cells if c.bandit.arms == 10 and c.agent.label == "A-AI"][:3]:
        store.write(cell, cell.run())
    said = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(timing.SIZES, "quick", {"trials": 2, "repeats": 1})
        made = reproduce.write("quick", store, folder / "out", say=said.append)
    return made, folder / "out", said


def test_the_page_is_one_file_that_needs_no_other(page):
    text = (page[1] / "index.html").read_text()
    assert not re.findall(r'(?:src|href)="(?!data:|#)', text)
    assert text.count("data:image/png;base64,") == len(page[0].drawn) == 3
    for words in ("Quick profile", "Not all of it has been run", "Lai–Robbins", "viewport"):
        assert words in text


def test_every_claim_has_a_verdict_and_nothing_is_forced(page):
    verdicts = json.loads((page[1] / "claims.json").read_text())
    assert [verdict["number"] for verdict in verdicts] == list(range(1, 46))
    undecided = [v["number"] for v in verdicts if v["verdict"] == "undecided"]
    assert set(range(16, 25)) <= set(undecided)
    assert page[0].counts()["undecided"] == len(undecided)


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
    from armwise.paper.report import CAPTIONS

    assert set(CAPTIONS) == set(FIGURES)
    for profile in reproduce.PROFILES:
        groups = reproduce.sweeps(profile)
        assert {entry.sweep for entry in FIGURES.values() if entry.sweep} <= set(groups)


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
    refused = CliRunner().invoke(app, ["reproduce", "--profile", "slow"])
    assert refused.exit_code == 2
    assert "There is no profile 'slow'" in refused.stderr
