"""The leaderboard: families as data, ranks and verdicts, the page, and going on after a stop."""

import json
import re

import numpy as np
import pytest
from typer.testing import CliRunner

from armwise import PROBLEMS, InputError, SwitchingBandit, registry
from armwise import leaderboard as board
from armwise.cli import app
from armwise.leaderboard.family import in_words, own_entry, spec_of, title_of
from armwise.leaderboard.score import AS_GOOD, BEST, BOUND, WORSE, mean_ranks, rows_of
from armwise.leaderboard.tuning import TUNINGS, changes_of, tuned
from armwise.paper.experiments import bundled
from armwise.sweeps.store import Store

TINY = """
title = "A tiny family"
text = "For tests."
measure = "rate"
horizon = 60
agents = 6
seed = 5

[[bandit]]
name = "switching"
arms = 3
epsilon = 0.3
rho = [0.05, 0.1]

[[agent]]
label = "A-AI, SMiLe"
policy = { name = "a-ai", lam = 0.5 }
given = "rho"

[[agent]]
label = "TS, discounted"
policy = { name = "ts" }
learner = { name = "discounted", discount = "discount" }
given = "horizon and number of changes"

[[agent]]
policy = { name = "rc" }
learner = { name = "smile", rho = 0 }
given = "nothing"

[[agent]]
policy = { name = "hmm" }
given = "everything"
bound = true

[[agent]]
policy = { name = "exp3.s", switches = "changes" }
given = "horizon and number of changes"
only = ["full"]

[profile.quick]
horizon = 40
"""
OWN = """
from armwise import Policy


class Stubborn(Policy):
    label = "STUB"
    weight: float = 1.0

    def score(self, shared, arm, alpha, beta, rng):
        return self.weight * alpha
"""


def tiny(**changed):
    import tomllib

    return board.Family.of(tomllib.loads(TINY) | {"name": "tiny"} | changed, "tiny.toml")


def with_agent(**entry):
    return tiny(agent=[entry])


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The command, run on a tiny family with an agent of one's own."""
    folder = tmp_path_factory.mktemp("board")
    (folder / "tiny.toml").write_text(TINY)
    (folder / "mine.py").write_text(OWN)
    arguments = ["leaderboard", "--family", str(folder / "tiny.toml"), "--device", "python"]
    arguments += ["--agent", f"{folder}/mine.py:weight=2", "--store", str(folder / "store")]
    arguments += ["--out", str(folder / "out")]
    first = CliRunner().invoke(app, arguments)
    assert first.exit_code == 0, first.output
    return folder, arguments, first


def test_the_page_is_one_file_that_names_every_agent_and_what_it_is_given(made):
    text = (made[0] / "out" / "index.html").read_text()
    assert not re.findall(r'(?:src|href)="(?!data:|#)', text)
    assert "http" not in text
    for label, given in (
        ("A-AI, SMiLe", "rho"),
        ("TS, discounted", "horizon and number of changes"),
        ("RC", "nothing"),
        ("HMM", "everything"),
        ("STUB weight=2 (added)", "rho"),
    ):
        assert f'<td class="agent">{label}</td><td class="given">{given}</td>' in text
    for piece in ("Quick profile", "A tiny family", "K = 3, ε = 0.3, ρ = 0.05", "table.sorts"):
        assert piece in text
    assert "EXP3.S" not in text
    assert (made[0] / "out" / "figures" / "tiny.png").read_bytes().startswith(b"\x89PNG")


def test_the_numbers_are_those_of_the_store(made):
    [found] = json.loads((made[0] / "out" / "leaderboard.json").read_text())["families"]
    assert (found["horizon"], found["copies"], found["waiting"]) == (40, 6, [])
    assert found["cells"] == {"held": 10, "wanted": 10}
    rows = {row["agent"]: row for row in found["rows"]}
    [family] = board.playing("quick", [str(made[0] / "tiny.toml")])
    store = Store(made[0] / "store")
    for one in family.contenders():
        means = {w: float(store.regret(c)[:, -1].mean()) / 40 for w, c in one.cells.items()}
        assert rows[one.label]["bandits"] == pytest.approx(means)
        assert rows[one.label]["mean"] == pytest.approx(np.mean(list(means.values())))
        assert rows[one.label]["nanoseconds"] > 0
    assert rows["HMM"]["verdict"] == BOUND
    assert rows["HMM"]["rank"] is None
    ranked = [row for row in found["rows"] if row["agent"] != "HMM"]
    assert found["best"] == min(ranked, key=lambda row: row["mean"])["agent"]
    assert sum(row["rank"] for row in ranked) == pytest.approx(1 + 2 + 3 + 4)
    assert found["best_given_nothing"] == "RC"


def test_the_person_is_told_who_is_best_and_nothing_is_computed_twice(made, monkeypatch):
    folder, arguments, first = made
    assert "10 cells: 10 computed, 0 already there" in first.stderr
    assert "tiny: " in first.stdout
    assert "The leaderboard is" in first.stdout

    def refuse(*_):
        raise AssertionError("work began")

    monkeypatch.setattr("armwise.engine.python.run", refuse)
    before = (folder / "out" / "leaderboard.json").read_text()
    again = CliRunner().invoke(app, arguments)
    assert again.exit_code == 0, again.output
    assert "0 computed, 10 already there" in again.stderr
    assert (folder / "out" / "leaderboard.json").read_text() == before


def test_a_part_of_the_cells_makes_a_part_of_the_table(made, tmp_path):
    [family] = board.playing("quick", [str(made[0] / "tiny.toml")])
    full, part = Store(made[0] / "store"), Store(tmp_path)
    first, second, *_ = family.contenders()
    cells = [*first.cells.values(), next(iter(second.cells.values()))]
    for cell in cells:
        part.write(cell, full.read(cell))
    found = board.standing(family, part)
    assert [row.agent for row in found.rows] == ["A-AI, SMiLe"]
    assert found.waiting == ["TS, discounted", "RC", "HMM"]
    assert (found.held, found.wanted) == (3, 8)
    text = board.write([found], "quick", tmp_path / "out").read_text()
    assert "3 of 8 cells are computed" in text
    empty = board.standing(family, Store(tmp_path / "none"))
    assert empty.best is None
    board.write([empty], "quick", tmp_path / "out")


def test_the_families_have_the_bandits_of_the_paper_and_of_the_literature():
    found = {family.name: family for family in board.families()}
    sizes = {name: len(family.bandits()) for name, family in found.items()}
    assert sizes == {
        "stationary": 12,
        "robustness": 6,
        "switching": 24,
        "varying": 16,
        "problems": 3,
        "anything": 28,
    }
    named = [
        name for each in ("robustness", "problems", "anything") for name in found[each].bandits()
    ]
    assert named == [name for name, each in PROBLEMS.items() if each.outcomes == "binary"]
    paper = {"stationary": ["figure-3"], "varying": ["figure-6"]}
    for name, figures in (paper | {"switching": ["figure-4", "figure-5"]}).items():
        cells = [cell for figure in figures for cell in bundled(figure).cells()]
        assert set(found[name].bandits().values()) == {cell.bandit for cell in cells}
        # Whoever ran the paper has these cells already.
        ours = {cell.name for cell in board.cells_of([found[name].at("full")])}
        assert len(ours & {cell.name for cell in cells}) >= 2 * sizes[name]


@pytest.mark.parametrize("profile", board.PROFILES)
def test_every_family_says_what_its_agents_are_given(profile):
    for family in board.playing(profile):
        contenders = family.contenders()
        assert len(contenders) > 1
        for one in contenders:
            assert one.given
            assert list(one.cells) == list(family.bandits())
            assert {cell.agents for cell in one.cells.values()} == {family.agents}
        if profile == "full":
            assert family.agents == 1_000


def test_definitions_cover_every_cell():
    from armwise.sweeps.sweep import Sweep

    family = tiny()
    names = {cell.name for d in family.definitions() for cell in Sweep.of(d).cells()}
    assert names == {cell.name for cell in board.cells_of([family])}


def test_an_agent_that_is_said_to_be_given_nothing_is_given_nothing():
    policy = {"name": "a-ai"}
    with pytest.raises(
        InputError, match="A-AI is declared to be given nothing, but it is also given rho"
    ):
        with_agent(policy=policy, given="nothing").contenders()
    learner = {"name": "window", "window": "window"}
    with pytest.raises(InputError, match="is also given horizon and number of changes"):
        with_agent(policy=policy, learner=learner, given="nothing").contenders()
    with pytest.raises(
        InputError, match="HMM is declared to be given rho, but it is also given epsilon and p"
    ):
        with_agent(policy={"name": "hmm"}, given="rho").contenders()
    smile = {"name": "smile", "rho": 0.01}
    assert with_agent(policy=policy, learner=smile, given="nothing").contenders()


def test_what_is_given_is_worked_out_where_it_is_not_stated():
    [one] = with_agent(policy={"name": "exp3.s"}).contenders()
    assert one.given == "horizon"
    [one] = with_agent(policy={"name": "ts"}).contenders()
    assert one.given == "rho"
    still = [{"name": "stationary"}, {"name": "near-tie"}]
    [one] = tiny(bandit=still, agent=[{"policy": {"name": "ts"}}]).contenders()
    assert one.given == "that nothing changes"
    assert in_words(["epsilon", "rho", "p"]) == "epsilon, rho and p"


def test_words_become_the_usual_tunings():
    family = tiny()
    cells = family.contenders()[1].cells
    found = [cell.agent.learner.discount for cell in cells.values()]
    np.testing.assert_allclose(found, [1 - 0.25 * np.sqrt(0.05), 1 - 0.25 * np.sqrt(0.1)])
    assert TUNINGS["window"](5_000, 4) == round(2 * np.sqrt(5_000 * np.log(5_000) / 4))
    assert changes_of(PROBLEMS["problem-3"], 5_000) == 3
    assert changes_of(PROBLEMS["problem-3"], 2_000) == 1
    exp3 = family.agent[4]
    assert tuned(exp3, SwitchingBandit(rho=0.01), 1_000).policy.values == {"switches": 10}
    with pytest.raises(InputError, match="There is no tuning 'chnges'; did you mean 'changes'"):
        with_agent(policy={"name": "exp3.s", "switches": "chnges"}, given="all").contenders()


@pytest.mark.parametrize("name", [*PROBLEMS, "switching:arms=3,p=0.2", "drifting", "fixed"])
def test_a_bandit_and_its_spec_are_the_same(name):
    bandit = registry.component("bandit", name)
    family = tiny(bandit=[spec_of(bandit).model_dump()])
    assert list(family.bandits().values()) == [bandit]
    assert title_of(bandit)


def test_an_agent_of_ones_own_has_its_parameters():
    assert own_entry("ts").label == "TS (added)"
    entry = own_entry("a-ai:lam=1")
    assert entry.policy.values == {"lam": 1}
    with pytest.raises(InputError, match="lam"):
        own_entry("a-ai:lam=-1")


def rows(means, spread=1.0, copies=50, bandits=3, **options):
    rng = np.random.default_rng(1)
    shared = rng.normal(0.0, 5.0, (copies, bandits))  # what a bandit does to every agent
    noise = {label: rng.normal(0.0, spread, (copies, bandits)) for label in means}
    regrets = {label: mean + shared + noise[label] for label, mean in means.items()}
    names = [f"bandit {number}" for number in range(bandits)]
    return rows_of(regrets, names, dict.fromkeys(means, "nothing"), **options)


def test_verdicts_rest_on_paired_differences():
    found = {row.agent: row for row in rows({"a": 10.0, "b": 12.0, "c": 10.0, "d": 30.0})}
    best = next(row.agent for row in found.values() if row.verdict == BEST)
    assert best in ("a", "c")
    assert {found["a"].verdict, found["c"].verdict} == {BEST, AS_GOOD}
    # The bandits differ by 5 and the agents by 2: only a paired comparison sees it.
    assert found["b"].verdict == found["d"].verdict == WORSE
    assert found["b"].difference == pytest.approx(found["b"].mean - found[best].mean)
    assert found["b"].difference_low < found["b"].difference < found["b"].difference_high
    assert [row.mean for row in found.values()] == sorted(row.mean for row in found.values())
    assert found["d"].rank == found["d"].rank_low == found["d"].rank_high == 4.0
    assert found["a"].rank_low < found["a"].rank_high <= 2.0


def test_a_bound_takes_no_rank_and_is_nobodys_measure():
    found = {row.agent: row for row in rows({"a": 10.0, "b": 12.0, "o": 1.0}, bounds=["o"])}
    assert found["a"].verdict == BEST
    assert found["o"].verdict == BOUND
    assert found["o"].rank is None
    assert found["o"].difference < -8.0
    assert {found["a"].rank, found["b"].rank} == {1.0, 2.0}


def test_ranks_are_the_same_every_time():
    assert str(rows({"a": 10.0, "b": 10.1})) == str(rows({"a": 10.0, "b": 10.1}))


def test_equal_agents_share_a_rank():
    np.testing.assert_array_equal(mean_ranks([[1.0], [1.0], [0.0]]), [2.5, 2.5, 1.0])
    same = np.arange(10.0)[:, None]
    found = rows_of({"a": same, "b": same}, ["w"], {"a": "", "b": ""})
    assert [row.verdict for row in found] == [BEST, AS_GOOD]
    assert [row.rank for row in found] == [1.5, 1.5]


def test_one_agent_alone_is_the_best():
    [row] = rows({"a": 1.0})
    assert (row.verdict, row.rank, row.p_holm) == (BEST, 1.0, None)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--profile", "quik"], "There is no profile 'quik'; did you mean 'quick'"),
        (["--agent", "a-ia"], "did you mean 'a-ai'"),
        (["--agent", "nowhere.py"], "There is no file"),
        (["--agent", "a-ai:lam"], "must read name=value"),
        (["--agent", "a-ai:lam=much"], "A-AI: lam must be at least 0, not 'much'"),
        (["--family", "stationery"], "did you mean 'stationary'"),
        (["--family", "nowhere.toml"], "nowhere.toml cannot be read"),
        (["--threads", "0"], "threads must be"),
        (["--out", "/proc/board"], "/proc/board cannot be written"),
    ],
)
def test_bad_input_is_one_sentence(arguments, reason, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    refused = CliRunner().invoke(app, ["leaderboard", *arguments])
    assert refused.exit_code == 2
    assert reason in refused.stderr
    assert len(refused.stderr.strip().splitlines()) == 1


def test_a_family_that_is_wrong_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"tiny.toml: measure is 'regrets': "):
        tiny(measure="regrets")
    with pytest.raises(InputError, match="must be one agent, not 2"):
        with_agent(policy={"name": "a-ai", "lam": [0.1, 0.5]}).contenders()
    with pytest.raises(InputError, match="A-AI occurs twice"):
        tiny(agent=[{"policy": {"name": "a-ai"}}] * 2).contenders()
    (tmp_path / "bad.toml").write_text("title = ")
    with pytest.raises(InputError, match="is not TOML"):
        board.families([str(tmp_path / "bad.toml")])
