"""The player of a file: one player, whoever asks it, whatever happens to whom."""

import collections
import contextlib
import copy
import json
import os
import pickle
import random
import sqlite3
import subprocess
import sys
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
from armwise.play import copies, eventfile, eventlog, shared
from armwise.play.audit import audit
from armwise.play.events import Event, chained
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


@pytest.mark.parametrize("outcome", [0, None])
def test_tickets_expire_by_the_times_in_the_file(path, outcome, monkeypatch):
    now = [1e9]
    monkeypatch.setattr(eventfile.time, "time", lambda: now[0])
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


# What may go wrong with a file.


def test_a_full_disk_is_a_sentence_and_nothing_acknowledged_is_lost(path):
    with AGENT.open(path, ARMS) as player:
        player.choose()
        [[pages]] = player._log.rows("PRAGMA page_count")
        player._log.rows(f"PRAGMA max_page_count = {pages + 2}")
        count = 1
        with pytest.raises(InputError, match="cannot be written: the disk is full"):  # noqa: PT012
            while True:
                player.observe(player.choose(), 1) if count % 9 else player.choose()
                count += 1
        player._log.rows("PRAGMA max_page_count = 100000")
        events = audit(path, AGENT).events
        assert player.choose().number == audit(path, AGENT).choices
    found = audit(path, AGENT)
    assert (found.events, found.problems) == (events + 1, [])


@pytest.mark.parametrize("durable", ["commit", "batch"])
def test_a_disk_that_fails_at_the_commit_is_a_sentence(path, durable, monkeypatch):
    with AGENT.open(path, ARMS, durable=durable) as player:
        player.observe(player.choose(), 1)
        player.flush()
        leave = eventlog.EventLog._leave

        def failing(self, how):
            if how == "COMMIT":
                raise OSError(28, "No space left on device")
            leave(self, how)

        monkeypatch.setattr(eventlog.EventLog, "_leave", failing)
        with pytest.raises(InputError, match="No space left on device"):  # noqa: PT012
            player.choose()
            player.flush()
        monkeypatch.setattr(eventlog.EventLog, "_leave", leave)
        player.observe(player.choose(), 1)
    found = audit(path, AGENT)
    assert (found.choices, found.problems) == (2 if durable == "commit" else 3, [])


def test_a_damaged_database_is_a_sentence(path):
    with AGENT.open(path, ARMS) as player:
        for _ in range(100):
            player.observe(player.choose(), 1)
    content = bytearray(path.read_bytes())
    for page in range(1, len(content) // 4096):
        content[4096 * page : 4096 * page + 200] = os.urandom(200)
    path.write_bytes(content)
    with (
        pytest.raises(InputError, match=r"is damaged|was edited or damaged"),
        AGENT.open(path, ARMS) as player,
    ):
        player.choose()
    path.write_bytes(os.urandom(5000))
    with pytest.raises(InputError, match="is no file of a shared player"):
        aw.open_player(path)


def test_an_edited_event_is_found_by_its_checksum_and_a_forged_one_by_the_agent(path):
    with AGENT.open(path, ARMS) as player:
        for outcome in (1, 0, 1):
            player.observe(player.choose(), outcome)
    connection = sqlite3.connect(path)
    connection.execute("UPDATE event SET outcome = 1 - outcome WHERE number = 2")
    connection.commit()
    [problem] = audit(path, AGENT).problems
    assert "was edited or damaged: event 2 is not as it was written" in problem
    with pytest.raises(InputError, match="event 2 is not as it was written"):
        AGENT.open(path, ARMS).choose()
    before = 0  # whoever can write events can write checksums
    for *values, _ in connection.execute("SELECT * FROM event ORDER BY number").fetchall():
        before = chained(Event(*values), before)
        connection.execute("UPDATE event SET checksum = ? WHERE number = ?", (before, values[0]))
    connection.commit()
    connection.close()
    [problem] = audit(path, AGENT).problems
    assert "the agent, asked again, chose" in problem


def test_a_damaged_snapshot_is_passed_over_and_reported(path, monkeypatch):
    monkeypatch.setattr(shared, "SNAPSHOT_EVERY", 10)
    with AGENT.open(path, ARMS) as player:
        lived(player, player, 20, random.Random(5))
        before = saved(player)
        [[newest]] = player._log.rows("SELECT max(event) FROM snapshot")
        player._log.write("UPDATE snapshot SET state = '{}' WHERE event = ?", newest)
    with aw.open_player(path) as player:
        assert saved(player) == before
    assert audit(path, AGENT).problems == [
        f"{path} was edited or damaged: the snapshot of event {newest} is."
    ]


def test_other_files_are_refused_and_left_alone(path, tmp_path):
    path.write_text('{"format": "armwise player"}')
    with pytest.raises(InputError, match="is no file of a shared player"):
        AGENT.open(path, ARMS)
    path.write_text("")
    with pytest.raises(InputError, match="is empty, and no file of a player"):
        AGENT.open(path, ARMS)
    other = tmp_path / "other.db"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE event (number)")
    content = other.read_bytes()
    with pytest.raises(InputError, match="is a database of another program"):
        AGENT.open(other, ARMS)
    assert other.read_bytes() == content
    with pytest.raises(InputError, match=r"cannot be used|There is no file"):
        AGENT.open(tmp_path, ARMS)
    with pytest.raises(InputError, match="cannot be used"):
        AGENT.open(tmp_path / "no" / "folder.db", ARMS)


def test_an_older_and_a_newer_schema_are_refused_by_number(path):
    AGENT.open(path, ARMS).close()
    for version in (0, 2):
        with sqlite3.connect(path) as connection:
            connection.execute(f"PRAGMA user_version = {version}")
        with pytest.raises(
            InputError, match=f"has version {version}; this armwise reads version 1"
        ):
            AGENT.open(path, ARMS)


def test_a_file_that_says_nothing_of_its_agent_is_refused(path):
    AGENT.open(path, ARMS).close()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE about SET value = '[1]' WHERE key = 'agent'")
    with pytest.raises(InputError, match="was edited or damaged"):
        aw.open_player(path)


def test_a_clock_that_jumps_never_runs_backwards_in_the_file(path, monkeypatch):
    clock = iter([1e9, 2e9, 1e9, 5e8, 3e9])
    with AGENT.open(path, ARMS) as player:
        monkeypatch.setattr(eventfile.time, "time", lambda: next(clock))
        for _ in range(5):
            player.choose()
        monkeypatch.undo()
        assert player._log.rows("SELECT time FROM event") == [
            (t,) for t in (1e9, 2e9, 2e9, 2e9, 3e9)
        ]


def test_a_deleted_file_is_a_sentence_and_not_a_file_nobody_sees(path):
    player = AGENT.open(path, ARMS)
    player.choose()
    path.unlink()
    with pytest.raises(InputError, match="was deleted or replaced while it was in use"):
        player.choose()
    with pytest.raises(InputError, match=r"headlines.db-wal belongs to a file that is gone"):
        AGENT.open(path, ARMS)
    player.close()


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anything")
def test_a_file_that_cannot_be_written_is_a_sentence(path):
    AGENT.open(path, ARMS).close()
    path.chmod(0o400)
    with pytest.raises(InputError, match=r"is read-only|cannot be used"):
        AGENT.open(path, ARMS).choose()


def test_a_network_folder_is_a_warning(path, monkeypatch):
    table = f"/dev/vda / ext4 rw\nserver:/home {path.parent} nfs4 rw\n"
    monkeypatch.setattr(eventfile.Path, "read_text", lambda self, *_: table)
    with pytest.warns(UserWarning, match=r"network folder \(nfs4\)"):
        AGENT.open(path, ARMS).close()


def test_nobody_is_shown_half_a_file(tmp_path, monkeypatch):
    def failing(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(eventfile.os, "link", failing)
    monkeypatch.setattr(eventfile.os, "replace", failing)
    with pytest.raises(InputError, match="No space left on device"):
        AGENT.open("x.db", ARMS)
    assert list(tmp_path.glob("x.db*")) == []
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    made = [eventfile.create(tmp_path / "y.db", {}, (0, 0.0, "", "")) for _ in range(2)]
    assert made == [True, False]


# Processes.

WORKER = """
import sys, random
import armwise as aw
path, name, count, durable = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
agent = aw.Agent(aw.HorizonActiveInference())
player = agent.open(path, ["red", "green", "blue"], seed=7, durable=durable)
luck = random.Random(name)
with open(path + "." + name, "a", buffering=1) as told:
    waiting = []
    for _ in range(count):
        ticket = player.choose()
        told.write(f"c {ticket.number} {ticket.arm}\\n")
        waiting.append(ticket.number)
        if len(waiting) > 3:
            number = waiting.pop(luck.randrange(4))
            outcome = luck.random() < 0.3
            player.observe(number, outcome)
            told.write(f"o {number} {int(outcome)}\\n")
player.close()
"""


def workers(path, count, decisions, durable="commit", first=0):
    code = [sys.executable, "-c", WORKER, str(path)]
    return [
        subprocess.Popen([*code, f"worker{first + each}", str(decisions), durable])
        for each in range(count)
    ]


def acknowledged(path):
    """What the workers were told: arms by ticket, outcomes by ticket; and nothing twice."""
    lines = [
        line.split()
        for each in path.parent.glob(f"{path.name}.worker*")
        for line in each.read_text().splitlines(keepends=True)
        if line.endswith("\n")
    ]
    choices = collections.Counter(number for kind, number, _ in lines if kind == "c")
    outcomes = collections.Counter(number for kind, number, _ in lines if kind == "o")
    assert max(choices.values()) == 1, "a ticket was issued twice"
    assert max(outcomes.values(), default=1) == 1, "an outcome was learned twice"
    return [{int(n): what for kind, n, what in lines if kind == which} for which in "co"]


def in_file(path):
    with sqlite3.connect(path) as connection:
        select = "SELECT ticket, {} FROM event WHERE kind = ?"
        choices = connection.execute(select.format("arm"), ("choose",)).fetchall()
        outcomes = connection.execute(select.format("outcome"), ("observe",)).fetchall()
    return dict(choices), {ticket: str(outcome) for ticket, outcome in outcomes}


def share(path, processes, decisions):
    """Processes share a file; nothing is lost and nothing doubled."""
    for each in workers(path, processes, decisions):
        assert each.wait() == 0
    choices, outcomes = acknowledged(path)
    assert sorted(choices) == list(range(1, processes * decisions + 1))
    assert len(outcomes) == processes * (decisions - 3)
    assert in_file(path) == (choices, outcomes)
    found = audit(path, AGENT)
    assert (found.choices, found.problems) == (processes * decisions, [])
    assert found.events == len(choices) + len(outcomes)


def test_processes_share_a_player(path):
    share(path, processes=3, decisions=150)


@pytest.mark.slow
def test_eight_processes_share_a_player_for_long(path):
    share(path, processes=8, decisions=10_000)


def told(path):
    """How many bytes the workers wrote so far about what they were told."""
    return sum(each.stat().st_size for each in path.parent.glob(f"{path.name}.worker*"))


def killed(path, rounds, durable="commit"):
    """Kill one of several processes again and again; all that was acknowledged is in the file."""
    luck = random.Random(11)
    running = workers(path, 3, 10**9, durable)
    try:
        for turn in range(rounds + 1):
            enough, deadline = told(path) + 4_000, time.monotonic() + 100
            while told(path) < enough and time.monotonic() < deadline:
                time.sleep(luck.uniform(0.005, 0.05))
            if turn < rounds:
                victim = running.pop(luck.randrange(len(running)))
                victim.kill()
                victim.wait()
                running += workers(path, 1, 10**9, durable, first=3 + turn)
    finally:
        for each in running:
            each.kill()
            each.wait()
    found = audit(path, AGENT)
    assert found.problems == []
    return found.choices


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("rounds", [1, pytest.param(40, marks=pytest.mark.slow)])
def test_processes_that_are_killed_lose_nothing_that_was_acknowledged(path, rounds):
    decided = killed(path, rounds)
    choices, outcomes = acknowledged(path)
    kept = in_file(path)
    assert len(choices) > 100
    assert choices.items() <= kept[0].items()
    assert outcomes.items() <= kept[1].items()
    assert sorted(kept[0]) == list(range(1, decided + 1))
    # Of every process that died, at most one choice and one outcome were not acknowledged.
    assert len(kept[0]) - len(choices) <= rounds + 3
    assert len(kept[1]) - len(outcomes) <= rounds + 3


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_batch_that_is_killed_leaves_a_sound_file(path):
    assert killed(path, 10, "batch") > 100


def test_a_reader_sees_whole_events_while_writers_write(path):
    AGENT.open(path, ARMS, seed=7).close()
    running = workers(path, 2, 200)
    seen = []
    with aw.open_player(path) as reader:
        while any(each.poll() is None for each in running):
            total = sum(map(sum, reader.beliefs().values()))
            found = audit(path, AGENT)
            assert found.problems == []
            seen.append((found.choices, total))
        assert sum(map(sum, reader.beliefs().values())) == 6 + 2 * 197
    assert [each.returncode for each in running] == [0, 0]
    assert seen == sorted(seen)
