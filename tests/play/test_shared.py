"""The player of a file: one player, whoever asks it."""

import contextlib
import copy
import json
import os
import pickle
import random
import signal
import sqlite3
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import armwise as aw
from armwise.errors import InputError
from armwise.model.component import parameter
from armwise.model.draws import uniform
from armwise.model.roles import Actor, Policy
from armwise.play import copies, eventlog, opening, shared
from armwise.play.audit import audit
from armwise.play.tickets import Expiry

ARMS = ["red", "green", "blue"]

AGENTS = {
    "h-efe": aw.Agent(aw.HorizonActiveInference()),
    "softmax": aw.Agent(
        aw.ApproximateActiveInference(), aw.Smile(rho=0.05), aw.Softmax(precision=3)
    ),
    "ts": aw.Agent(aw.ThompsonSampling(), aw.Smile(rho=0.05)),
    "actor": aw.DiscountedUCB(),
}

AGENT = AGENTS["h-efe"]


class Forgetful(Actor):
    """Its memory changes when it chooses, so a choice cannot be taken over."""

    def memory_size(self, arms: int) -> int:
        return 1

    def act(self, memory: Any, arms: int, trial: int, rng: Any) -> int:
        memory[0] += uniform(rng, 0)
        return int(memory[0] * 7) % arms

    def learn(self, memory: Any, arms: int, trial: int, arm: int, outcome: int, rng: Any) -> float:
        memory[0] += outcome
        return 0.0


class Mine(Policy):
    """A policy of a user."""

    strength: float = parameter(default=1.0, meaning="any")

    def score(self, shared: Any, arm: int, alpha: float, beta: float, rng: Any) -> float:
        return self.strength * alpha / (alpha + beta) + 1e-9 * arm


@pytest.fixture
def path(tmp_path):
    return tmp_path / "headlines.db"


def saved(player):
    """The whole state of a player, but its name."""
    file = Path(str(random.random()))
    try:
        player.save(file)
        return {**json.loads(file.read_text())["body"], "name": ""}
    finally:
        file.unlink()


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def lived(player, other, trials, luck):
    """Let two handles of one player take turns; outcomes late, out of order, or never."""
    waiting = []
    for trial in range(trials):
        one, two = (player, other) if luck.random() < 0.5 else (other, player)
        among = luck.sample(one.arms, 2) if luck.random() < 0.2 and not actor(one) else None
        waiting.append(one.choose(among=among).number)
        if len(waiting) > 5:
            number = waiting.pop(luck.randrange(6))
            two.observe(number, luck.random() < 0.4) if luck.random() < 0.8 else two.forget(number)
        if trial == 20 and not actor(one):
            two.add_arm("black")
        if trial == 30 and not actor(one):
            one.remove_arm("green")


def actor(player):
    return isinstance(player.agent, Actor)


@pytest.mark.parametrize("agent", [*AGENTS.values(), Forgetful()], ids=str)
def test_two_handles_are_one_player_and_it_chooses_like_one_that_is_in_memory(agent, path):
    first, second = agent.open(path, ARMS, seed=7), agent.open(path, ARMS, seed=7)
    alone = agent.start(ARMS, seed=7)
    lived(first, second, 60, random.Random(1))
    lived(alone, alone, 60, random.Random(1))
    assert saved(first) == saved(second) == saved(alone)
    assert audit(path, agent)[1:4] == (60, 1, [])


def test_a_file_is_opened_by_name_alone_and_goes_on(path):
    with AGENT.open(path, ARMS, seed=7) as player:
        ticket = player.choose()
    with aw.open_player(path) as player:
        assert player.agent == AGENT
        assert repr(player) == f"<SharedPlayer {path}: {AGENT}>"
        assert player.expires == AGENT.start(ARMS).expires
        assert player.seed == 7
        assert player.open == [ticket.number]
        player.observe(ticket, 1)
        assert player.choose().number == 2
        belief = player.beliefs()[ticket.arm]
    assert belief == (2.0, 1.0)


@pytest.mark.parametrize("closed", [False, True])
def test_a_snapshot_spares_the_events_before_it(path, monkeypatch, closed):
    monkeypatch.setattr(shared, "SNAPSHOT_EVERY", 10)
    player = AGENT.open(path, ARMS)
    lived(player, player, 60, random.Random(2))
    before = saved(player)
    player.close() if closed else player._log.part()  # which is what a process does that dies
    repeated = []

    def repeat(player, event, path):
        repeated.append(event)
        copies.repeat(player, event, path)

    monkeypatch.setattr(shared, "repeat", repeat)
    with aw.open_player(path) as player:
        assert saved(player) == before
    assert len(repeated) == 0 if closed else 0 < len(repeated) < 10
    found = audit(path, AGENT)
    assert (found.snapshots, found.problems) == (3, [])


@pytest.mark.parametrize(("long", "least", "most"), [(10**6, 10, 20), (100, 2, 4)])
def test_a_long_state_is_written_less_often(path, monkeypatch, long, least, most):
    for name, value in {"SNAPSHOT_EVERY": 10, "_LONG": long, "_KEEP": 100}.items():
        monkeypatch.setattr(shared, name, value)
    with AGENT.open(path, ARMS) as player:
        lived(player, player, 60, random.Random(2))
        [[written]] = player._log.rows("SELECT count(*) FROM snapshot")
    assert least <= written <= most


def test_a_state_is_exported_and_begins_another_file(path, tmp_path):
    with AGENT.open(path, ARMS, seed=3) as player:
        lived(player, player, 25, random.Random(3))
        player.save("state.json")
        again = aw.load_player("state.json")
        with aw.open_player(tmp_path / "other.db", state_from="state.json") as other:
            for each in (player, again, other):
                lived(each, each, 15, random.Random(4))
            assert saved(player) == saved(again) == saved(other)
            with pytest.raises(InputError, match="begins a new file"):
                aw.open_player(path, state_from="state.json")
    assert audit(tmp_path / "other.db", AGENT).problems == []


def test_a_refused_call_leaves_the_file_and_the_player_as_they_were(path):
    with AGENT.open(path, ARMS) as player:
        player.observe(player.choose(), 1)
        player.choose()
        before = saved(player), audit(path, AGENT).events
        for call in (
            lambda: player.observe(1, 1),
            lambda: player.observe(2, 2),
            lambda: player.forget(9),
            lambda: player.choose(among=["pink"]),
            lambda: player.choose(among=7),
            lambda: player.choose(0),
            lambda: player.choose(4, distinct=True),
            lambda: player.add_arm("red"),
            lambda: player.add_arm(1 << 63),
            lambda: player.add_arm("\ud800"),
            lambda: player.remove_arm("pink"),
        ):
            with pytest.raises(InputError):
                call()
        assert (saved(player), audit(path, AGENT).events) == before


def test_arms_are_text_and_whole_numbers_and_stay_what_they_are(path):
    arms = [1, "1", "é", "a\0b", -(1 << 63), "", "[bold]"]
    with AGENT.open(path, arms) as player:
        shown = [player.choose(among=[arm]).arm for arm in arms]
    with aw.open_player(path) as player:
        assert player.arms == shown == arms
        assert [type(arm) for arm in player.arms] == [type(arm) for arm in arms]
    for odd in (1 << 63, "\ud800"):
        with pytest.raises(InputError, match="An arm in a file must"):
            AGENT.open("odd.db", ["a", odd])
    assert not Path("odd.db").exists()


def test_a_file_is_of_one_agent_one_list_of_arms_and_one_seed(path):
    AGENT.open(path, ARMS, seed=7).close()
    with pytest.raises(InputError, match=r"is the player of h-efe.*, not of ts"):
        AGENTS["ts"].open(path, ARMS, seed=7)
    with pytest.raises(InputError, match=r"began with the arms .*, not \['red'\, 'green'\]"):
        AGENT.open(path, ARMS[:2], seed=7)
    with pytest.raises(InputError, match="began with the seed 7, not 8"):
        AGENT.open(path, ARMS, seed=8)
    with pytest.raises(InputError, match="durable must be 'commit' or 'batch', not 'now'"):
        AGENT.open(path, ARMS, seed=7, durable="now")
    with pytest.raises(InputError, match="for an agent only"):
        aw.open_player("new.db", arms=ARMS)


def test_components_of_a_users_own_must_be_given(path):
    mine = aw.Agent(Mine())
    with mine.open(path, ARMS) as player:
        player.observe(player.choose(), 1)
    with pytest.raises(InputError, match=r"not armwise's own: give the agent, as in open_player"):
        aw.open_player(path)
    with aw.open_player(path, mine) as player:
        assert player.choose().arm == "blue"


class Other(Mine):
    """Other code: the first of equal arms instead of the last."""

    def score(self, shared: Any, arm: int, alpha: float, beta: float, rng: Any) -> float:
        return self.strength * alpha / (alpha + beta) - 1e-9 * arm


class Same(Mine):
    """Other code for the same numbers."""

    def score(self, shared: Any, arm: int, alpha: float, beta: float, rng: Any) -> float:
        return alpha * self.strength / (alpha + beta) + 1e-9 * arm


def test_other_code_is_refused_if_it_chooses_otherwise_and_takes_over_if_not(path, monkeypatch):
    mine = aw.Agent(Mine())
    old = mine.open(path, ARMS)
    old.observe(old.choose(), 0)
    old.observe(old.choose(), 0)
    monkeypatch.setattr(Mine, "score", Other.score)
    with pytest.raises(InputError, match=r"other code of mine.*ticket 1 is arm 'blue'.*'red'"):
        aw.open_player(path, mine)
    monkeypatch.setattr(Mine, "score", Same.score)
    with aw.open_player(path, mine) as new:
        new.observe(new.choose(), 1)
        monkeypatch.undo()
        monkeypatch.chdir(path.parent)
        with pytest.raises(InputError, match="taken over by a program with other code"):
            old.choose()
    with aw.open_player(path, mine) as back:  # which is a change of code, too
        assert back.choose().number == 4
    assert audit(path, mine).problems == []
    old.close()


def test_the_same_build_need_not_be_compared_and_another_is(path, monkeypatch):
    AGENT.open(path, ARMS).close()
    asked = []
    code_of = copies.code_of
    monkeypatch.setattr(opening, "code_of", lambda agent: asked.append(1) or code_of(agent))
    AGENT.open(path, ARMS).close()
    assert asked == []
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE about SET value = 'another' WHERE key = 'build'")
    AGENT.open(path, ARMS).close()
    assert asked == [1]


def test_a_build_is_all_code_of_armwises_own_agents(tmp_path, monkeypatch):
    assert copies.build_of(aw.Agent(Mine())) == ""
    monkeypatch.setattr(copies, "_HOME", tmp_path)
    assert copies.build_of(AGENT) == ""  # no source, no knowledge
    (tmp_path / "policies").mkdir()
    found = set()
    for name, text in (("a.py", "1"), ("a.py", "2"), ("b.py", "2")):
        (tmp_path / "policies" / name).write_text(text)
        found.add(copies.build_of(AGENT))
    assert len(found) == 3


@pytest.mark.parametrize("outcome", [0, None])
def test_tickets_expire_by_the_times_in_the_file(path, outcome, monkeypatch):
    now = [1e9]
    monkeypatch.setattr(time, "time", lambda: now[0])
    monkeypatch.setattr(time, "monotonic", lambda: 0.0)
    expires = Expiry(seconds=60, tickets=5, outcome=outcome)
    with AGENT.open(path, ARMS, expires=expires) as first, aw.open_player(path) as second:
        alone = AGENT.start(ARMS, expires=expires, clock=lambda: now[0])
        luck = random.Random(6)
        for trial in range(80):
            one, two = (first, second) if trial % 2 else (second, first)
            number = one.choose().number
            assert alone.choose().number == number
            now[0] += luck.choice([1, 10, 50, -100])
            if luck.random() < 0.3 and number in two.open:
                with contextlib.suppress(InputError):  # expired by now
                    alone.observe(number, 1)
                    two.observe(number, 1)
            if trial % 20 == 19:
                now[0] += 100
                assert two.expire() == alone.expire()
        assert saved(first)["memory"] == saved(second)["memory"] == saved(alone)["memory"]
        assert first.open == second.open == alone.open
    assert audit(path, AGENT).problems == []
    with pytest.raises(InputError, match=r"began with expires = .*: say what it began with"):
        AGENT.open(path, ARMS)


def test_a_slate_and_a_batch_of_users_are_kept_together(path):
    with AGENTS["ts"].open(path, ARMS, seed=3) as player:
        alone = AGENTS["ts"].start(ARMS, seed=3)
        for call in (
            {"n": 3, "distinct": True},
            {"n": 2, "distinct": True, "among": ["red", "blue"]},
            {"n": 5},
            {"n": 4, "among": ["green", "blue"]},
        ):
            assert player.choose(**call) == alone.choose(**call)
            player.observe(player._current()._trial, 1)
            alone.observe(alone._trial, 1)
        assert player.open == alone.open
    with aw.open_player(path) as player:
        assert player.choose() == alone.choose()
    assert audit(path, AGENTS["ts"])[1:4] == (15, 1, [])


def test_threads_share_one_handle(path):
    numbers, failures = [], []

    def work():
        try:
            for _ in range(60):
                ticket = player.choose()
                numbers.append(ticket.number)
                player.observe(ticket, ticket.number % 2)
        except BaseException as problem:
            failures.append(problem)

    with AGENT.open(path, ARMS) as player:
        threads = [threading.Thread(target=work) for _ in range(8)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        assert failures == []
        assert sorted(numbers) == list(range(1, 481))
        assert sum(map(sum, player.beliefs().values())) == 2 * 3 + 480
    assert audit(path, AGENT)[:2] == (960, 480)


def test_a_batch_is_committed_soon_and_when_the_player_is_closed(path):
    player = AGENT.open(path, ARMS, durable="batch")
    other = aw.open_player(path)
    for _ in range(50):
        player.observe(player.choose(), 1)
    player.flush()
    assert sum(map(sum, other.beliefs().values())) == 2 * 3 + 50
    player.choose()
    deadline = time.monotonic() + 20
    while other.open != [51] and time.monotonic() < deadline:
        time.sleep(0.01)
    assert other.open == [51]
    player.observe(51, 0)
    assert other.choose().number == 52  # waits for the batch
    player.forget(52)
    player.close()
    assert other.open == []
    assert audit(path, AGENT)[:4] == (104, 52, 2, [])


def test_an_interrupted_call_of_a_batch_takes_nothing_else_along(path, monkeypatch):
    player = AGENT.open(path, ARMS, durable="batch")
    for _ in range(5):
        player.observe(player.choose(), 1)
    append = eventlog.EventLog.append

    def interrupted(self, *given, **named):
        append(self, *given, **named)
        raise KeyboardInterrupt

    monkeypatch.setattr(eventlog.EventLog, "append", interrupted)
    with pytest.raises(KeyboardInterrupt):
        player.choose()
    monkeypatch.setattr(eventlog.EventLog, "append", append)
    assert player.choose().number == 6
    player.close()
    assert audit(path, AGENT)[:4] == (11, 6, 1, [])


def test_a_player_of_a_file_cannot_be_copied(path):
    with AGENT.open(path, ARMS) as player:
        for call in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(InputError, match="open the file in every process"):
                call(player)
    with pytest.raises(InputError, match="was closed by this program"):
        player.choose()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks here")
@pytest.mark.parametrize("where", ["memory", "file"])
def test_a_fork_meets_no_lock_that_another_thread_holds(path, where):
    """Threads call all the time; a child that met a held lock would wait for ever."""
    agent, stop = AGENTS["ts"], threading.Event()
    player = agent.start(ARMS, compile=False) if where == "memory" else agent.open(path, ARMS)

    def work():
        while not stop.is_set():
            player.observe(player.choose(), 1)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for each in threads:
        each.start()
    try:
        for _ in range(8):
            time.sleep(0.01)
            child = os.fork()
            if child == 0:
                signal.alarm(30)
                player.observe(player.choose(), 0)
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0
    finally:
        stop.set()
        for each in threads:
            each.join()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks here")
def test_a_fork_opens_the_file_anew(path):
    player = AGENT.open(path, ARMS)
    player.choose()
    child = os.fork()
    if child == 0:
        player.choose()
        os._exit(0 if player.open == [1, 2] else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert player.choose().number == 3
    assert audit(path, AGENT)[:2] == (3, 3)
