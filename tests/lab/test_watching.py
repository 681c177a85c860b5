"""Watch and Results: what others wrote, read and never changed."""

import hashlib
import sqlite3

import numpy as np
import pytest

import armwise as aw
from armwise.lab.following import following
from armwise.lab.parts import Shelf
from armwise.lab.rooms import Given
from armwise.lab.stored import StorePage, named
from armwise.lab.watching import Watcher
from armwise.model.draws import AGENT as AGENT_DRAWS
from armwise.model.draws import stream
from armwise.sweeps.cell import Cell

from .conftest import Page, client_of, page_of

AGENT = aw.Agent(aw.ThompsonSampling(), aw.Smile(rho=0.01))
SWEEP = """
horizon = 20
agents = 5
[[bandit]]
name = "stationary"
arms = 3
[[agent]]
policy = { name = "rc" }
[[agent]]
policy = { name = "ucb" }
"""


@pytest.fixture
def lived(tmp_path):
    """The file of a player who chose 20 times, of which 15 were answered."""
    path = tmp_path / "player.db"
    with AGENT.open(path, ["red", "green", "blue"], seed=5) as player:
        for number in range(20):
            ticket = player.choose()
            if number % 4:
                player.observe(ticket, number % 3 == 0)
        beliefs = player.beliefs()
    return path, beliefs


def test_the_page_shows_the_beliefs_of_the_player(lived):
    path, beliefs = lived
    with client_of(Given(watch=path)) as client, page_of(client) as socket:
        page = Page(socket)
        assert client.get("/api/catalogue").json()["rooms"]["watch"]
        told, _ = page.ask("watch")
        audited, _ = page.next()
    assert {row["arm"]: tuple(row["belief"]) for row in told["arms"]} == beliefs
    for row in told["arms"]:
        assert row["believed"] == row["belief"][0] / sum(row["belief"])
        assert row["low"] < row["belief"][0] / sum(row["belief"]) < row["high"]
    assert (told["choices"], told["outcomes"], told["open"]) == (20, 15, [1, 5, 9, 13, 17])
    assert told["audit"] is None
    assert audited["audit"] == {"events": 35, "choices": 20, "problems": []}


def test_the_picture_is_the_player_choice_by_choice(lived):
    """Another player, asked in between, believes the same before every choice."""
    path, _ = lived
    told = Watcher(path).told()
    arrays, player = told["arrays"], AGENT.start(["red", "green", "blue"], seed=5)
    for number in range(20):
        for place, (alpha, beta) in enumerate(player.beliefs().values()):
            assert arrays["mean"][number, place] == alpha / (alpha + beta)
        ticket = player.choose()
        assert arrays["chosen"][number] == player.arms.index(ticket.arm)
        if number % 4:
            player.observe(ticket, number % 3 == 0)
            assert arrays["outcome"][number] == (number % 3 == 0)
        else:
            assert arrays["outcome"][number] == -1
    assert (told["first"], told["suspected"], told["suspicion_name"]) == (1, [], "")


def changing(path, agent, trials=160):
    """A player whose best arm becomes the worst half way."""
    with agent.open(path, ["red", "green"], seed=5) as player:
        for trial in range(trials):
            ticket = player.choose()
            good = (ticket.arm == "red") == (trial < trials // 2)
            player.observe(ticket, int(good and trial % 10 > 0))
    return path


@pytest.mark.parametrize(
    "agent", [aw.BOCPD(rho=0.01), pytest.param(aw.Universal(), marks=pytest.mark.slow)]
)
def test_a_change_is_suspected_soon_after_it_and_not_before(tmp_path, agent):
    told = Watcher(changing(tmp_path / "a.db", agent)).told()
    assert [ticket for ticket in told["suspected"] if ticket <= 80] == []
    assert 80 < min(told["suspected"]) < 110
    assert told["why"] is None
    for row in told["arms"]:
        if row["low"] is None:  # which of two arms is the good one has no interval
            assert "best arm moves" in str(told)
        else:
            assert row["low"] < row["believed"] < row["high"]


@pytest.mark.parametrize(
    "actor",
    [
        aw.GLRUCB(horizon=200, every=1, step=1),
        aw.CusumUCB(horizon=200, first=20),
        aw.MonitoredUCB(horizon=200, window=30),
    ],
    ids=lambda actor: actor.label,
)
def test_alarms_are_marked_at_the_next_choice(tmp_path, actor):
    """The actor's own `learn`, after the same choices and outcomes, returns 1 on an alarm."""
    told = Watcher(changing(tmp_path / "a.db", actor, 200)).told()
    chosen, outcome = told["arrays"]["chosen"].tolist(), told["arrays"]["outcome"].tolist()
    memory, alarms = [0.0] * actor.memory_size(2), []
    actor.begin(memory, 2)
    for trial, (arm, paid) in enumerate(zip(chosen, outcome, strict=True), 1):
        actor.act(memory, 2, trial, stream(5, 0, AGENT_DRAWS, trial))
        if actor.learn(memory, 2, trial, arm, paid, stream(5, 0, AGENT_DRAWS, trial)) == 1.0:
            alarms.append(trial + 1)
    assert told["alarms"]
    assert told["suspected"] == alarms
    assert min(alarms) > 100
    assert told["arms"][0]["believed"] is not None


def test_what_is_written_meanwhile_is_taken_in_as_if_read_at_once(tmp_path):
    path = changing(tmp_path / "a.db", aw.BOCPD(rho=0.01), 40)
    watcher = Watcher(path)
    watcher.told()
    with aw.BOCPD(rho=0.01).open(path, ["red", "green"], seed=5) as player:
        for trial in range(30):
            player.observe(player.choose(), trial % 2)
    told, fresh = watcher.told(), Watcher(path).told()
    assert told["choices"] == 70
    for name, values in fresh["arrays"].items():
        np.testing.assert_array_equal(told["arrays"][name], values)


def test_arms_that_come_and_go_have_beliefs_while_they_are_there(tmp_path):
    path = tmp_path / "a.db"
    with AGENT.open(path, ["red", "green"], seed=5) as player:
        for trial in range(30):
            if trial == 10:
                player.add_arm("blue")
            if trial == 20:
                player.remove_arm("red")
            player.observe(player.choose(), trial % 2)
    told = Watcher(path).told()
    names, mean = [row["arm"] for row in told["arms"]], told["arrays"]["mean"]
    there = ~np.isnan(mean)
    assert there[:, names.index("red")].tolist() == [True] * 20 + [False] * 10
    assert there[:, names.index("blue")].tolist() == [False] * 10 + [True] * 20
    assert there[:, names.index("green")].all()


def test_only_the_last_choices_are_shown(tmp_path, monkeypatch):
    """However many there were; the beliefs are those of the whole life."""
    path = changing(tmp_path / "a.db", AGENT, 60)
    whole = Watcher(path).told()
    monkeypatch.setattr("armwise.lab.watching.SHOWN", 25)
    told = Watcher(path).told()
    assert (told["first"], len(told["arrays"]["chosen"])) == (36, 25)
    for name in ("chosen", "outcome", "mean"):
        np.testing.assert_array_equal(told["arrays"][name], whole["arrays"][name][-25:])


def test_a_tampered_line_is_flagged(lived):
    path, _ = lived
    connection = sqlite3.connect(path)
    connection.execute("UPDATE event SET outcome = 1 - outcome WHERE kind = 'observe'")
    connection.commit()
    connection.close()
    [problem] = Watcher(path).audited()["audit"]["problems"]
    assert "edited or damaged" in problem


def test_watching_writes_nothing(lived):
    path, _ = lived
    before = hashlib.sha256(path.read_bytes()).hexdigest()
    Watcher(path).audited()
    assert hashlib.sha256(path.read_bytes()).hexdigest() == before


def test_what_is_no_player_is_refused_at_the_start(tmp_path):
    (tmp_path / "no.db").write_text("nothing")
    for path in (tmp_path / "no.db", tmp_path / "nowhere.db"):
        with pytest.raises(aw.InputError):
            Watcher(path)


@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_there_is_news_only_after_a_change(anyio_backend):
    states = iter([1, 1, 1, 2, 2, 3])
    told = []

    def stamp():
        return next(states, 3)

    changes = following(stamp, (lambda: {"n": len(told)},), every=0.0)
    async for news in changes:
        told.append(news)
        if len(told) == 3:
            break
    assert told == [{"n": 0}, {"n": 1}, {"n": 2}]
    assert next(states, None) is None


@pytest.fixture
def store(tmp_path):
    (tmp_path / "sweep.toml").write_text(SWEEP)
    sweep = aw.Sweep.read(tmp_path / "sweep.toml")
    found = aw.Store(tmp_path / "store")
    cells = sweep.cells()
    found.remember("small", sweep.definition(), None)
    aw.run(cells, found, device="python")
    return tmp_path / "store"


def test_every_cell_of_a_store_is_a_row_that_opens_in_explore(store):
    with client_of(Given(store=store)) as client, page_of(client) as socket:
        page = Page(socket)
        told, _ = page.ask("results")
        assert told["sweeps"][0]["done"] == 2
        assert [row["agent"].split(":")[0].split()[0] for row in told["table"]] == ["rc", "ucb"]
        for row in told["table"]:
            assert row["low"] <= row["mean"] <= row["high"]
            header, arrays = page.ask("trace", **row["explore"])
            assert header["agent"] == row["agent"]
            assert len(arrays["regret"]) == row["trial"] == 20


def test_a_figure_of_a_store_has_its_regrets(store):
    found = aw.Store(store)
    with client_of(Given(store=store)) as client, page_of(client) as socket:
        page = Page(socket)
        rows = page.ask("results")[0]["table"]
        asked = {"sweep": "small", "bandit": rows[0]["bandit"], "trial": 20}
        header, arrays = page.ask("curves", **asked)
        assert "There is no bandit" in page.ask("curves", **asked | {"bandit": "x"})[0]["problem"]
    assert sorted(header["labels"]) == ["RC", "UCB"]
    for cell in aw.Sweep.read(store.parent / "sweep.toml").cells():
        regret, place = found.regret(cell), header["labels"].index(cell.agent.label)
        np.testing.assert_array_equal(arrays["trial"], regret.trial)
        np.testing.assert_allclose(arrays["mean"][place], regret.mean("agent"), rtol=1e-6)
    assert arrays["mean"][0, -1] <= arrays["mean"][1, -1]


def test_agents_are_named_as_briefly_as_can_be():
    """What is given in each bandit makes no other agent; what differs in a bandit does."""
    made = []
    for rho in (0.01, 0.02):
        bandit = aw.SwitchingBandit(rho=rho)
        for policy, learner in (
            (aw.UCB(), aw.Smile(rho=rho)),
            (aw.ApproximateActiveInference(lam=0.5), aw.Smile(rho=rho)),
            (aw.ApproximateActiveInference(lam=0.25), aw.Smile(rho=rho)),
            (aw.ThompsonSampling(), aw.Smile(rho=rho)),
            (aw.ThompsonSampling(), aw.SlidingWindow()),
        ):
            made.append(Cell(bandit, aw.Agent(policy, learner), 10, 2, 1, (10,)))
    names = list(named(made).values())
    expected = ["UCB", "a-ai:lam=0.5 SMiLe argmax", "a-ai:lam=0.25 SMiLe argmax"]
    expected += ["TS SMiLe argmax", "TS window argmax"]
    assert sorted(names) == sorted(2 * expected)


def test_a_store_is_only_read(store):
    before = sorted((path, path.stat().st_mtime_ns) for path in store.rglob("*"))
    StorePage(store, Shelf()).told()
    after = sorted((path, path.stat().st_mtime_ns) for path in store.rglob("*"))
    assert [path for path, _ in before] == [path for path, _ in after]


def test_without_a_file_there_is_a_sentence(client):
    with page_of(client) as socket:
        for room, option in (("watch", "--watch FILE"), ("results", "--store FOLDER")):
            assert option in Page(socket).ask(room)[0]["problem"]
