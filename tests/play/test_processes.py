"""Processes that share a player: nothing is lost and nothing happens twice, whoever is killed."""

import collections
import itertools
import os
import random
import sqlite3
import subprocess
import sys
import time

import pytest

import armwise as aw
from armwise.play.audit import audit

ARMS = ["red", "green", "blue"]

AGENT = aw.Agent(aw.HorizonActiveInference())


@pytest.fixture
def path(tmp_path):
    return tmp_path / "headlines.db"


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


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


def worked(path, processes, decisions, kills):
    """Every process makes so many decisions; whoever is killed has a successor for the rest."""
    luck, names = random.Random(5), itertools.count(processes)
    running = dict(enumerate(workers(path, processes, decisions)))
    left = dict.fromkeys(running, decisions)
    while running:
        time.sleep(luck.uniform(0.1, 1.0))
        running = {name: each for name, each in running.items() if each.poll() is None}
        if kills and running:
            name = luck.choice(sorted(running))
            victim = running.pop(name)
            victim.kill()
            victim.wait()
            kills -= 1
            told = path.parent / f"{path.name}.worker{name}"
            lines = told.read_text().splitlines() if told.exists() else []
            rest = left[name] - sum(line[0] == "c" for line in lines)
            if rest > 0:
                after = next(names)
                [running[after]] = workers(path, 1, rest, first=after)
                left[after] = rest
    return kills


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_eight_processes_of_ten_thousand_decisions_are_killed_at_random(path):
    """Nothing is lost and nothing doubled: counted, and each choice is decided again."""
    AGENT.open(path, ARMS, seed=7).close()
    assert worked(path, processes=8, decisions=10_000, kills=40) == 0
    choices, outcomes = acknowledged(path)
    kept = in_file(path)
    assert choices.items() <= kept[0].items()
    assert outcomes.items() <= kept[1].items()
    found = audit(path, AGENT)
    assert (found.choices, found.problems) == (len(kept[0]), [])
    assert sorted(kept[0]) == list(range(1, found.choices + 1))
    assert 80_000 - 40 <= len(choices) <= len(kept[0]) <= 80_000 + 80


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
