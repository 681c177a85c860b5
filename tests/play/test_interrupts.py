"""Ctrl-C at any moment: the player of a file goes on, and nothing that was acknowledged is lost."""

import os
import random
import signal
import sqlite3
import time
from typing import Any

import pytest

import armwise as aw
from armwise.play import eventlog, shared
from armwise.play.audit import audit
from armwise.play.eventlog import EventLog
from armwise.play.shared import SharedPlayer

AGENT = aw.Agent(aw.HorizonActiveInference())
ARMS = ["red", "green", "blue"]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "headlines.db"


def interrupting(method: Any, before: bool) -> Any:
    """The method, but a KeyboardInterrupt comes just before or just after it, once."""
    left = [True]

    def called(*given: Any, **named: Any) -> Any:
        first, left[:] = left[:], []
        if first and before:
            raise KeyboardInterrupt
        found = method(*given, **named)
        if first:
            raise KeyboardInterrupt
        return found

    return called


@pytest.mark.parametrize("durable", ["commit", "batch"])
@pytest.mark.parametrize("before", [True, False], ids=["before", "after"])
@pytest.mark.parametrize("name", ["_enter", "append", "_end", "_commit", "_leave", "_sync"])
def test_an_interrupted_call_is_there_or_not_and_the_next_goes_on(
    path, monkeypatch, name, before, durable
):
    player, other = (AGENT.open(path, ARMS, durable=each) for each in (durable, "commit"))
    for _ in range(5):
        player.observe(player.choose(), 1)
    known = [1, 2, 3, 4, 5]
    with monkeypatch.context() as patch:
        patch.setattr(EventLog, name, interrupting(getattr(EventLog, name), before))
        with pytest.raises(KeyboardInterrupt):  # noqa: PT012
            known.append(player.choose().number)
            player.flush()
    known += [player.choose().number, player.choose().number]
    player.flush()
    known.append(other.choose().number)  # nobody is held up
    player.close()
    other.close()
    assert len(set(known)) == len(known)
    found = audit(path, AGENT)
    assert (found.problems, found.choices) == ([], known[-1])


@pytest.mark.parametrize("durable", ["commit", "batch"])
def test_an_interrupt_after_a_snapshot_leaves_none_of_what_is_taken_back(
    path, monkeypatch, durable
):
    monkeypatch.setattr(shared, "SNAPSHOT_EVERY", 10)
    player = AGENT.open(path, ARMS, durable=durable)
    known = [player.choose().number for _ in range(9)]
    with monkeypatch.context() as patch:
        cut = interrupting(SharedPlayer._snapshot, before=False)
        patch.setattr(SharedPlayer, "_snapshot", cut)
        with pytest.raises(KeyboardInterrupt):
            player.choose()
    known += [player.choose().number for _ in range(15)]
    player.close()
    assert known == list(range(1, 25))
    assert audit(path, AGENT).problems == []


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no such timers here")
@pytest.mark.parametrize("durable", ["commit", "batch"])
def test_interrupts_at_random_moments(path, durable):
    luck, told, hits = random.Random(5), {}, 0
    armed = False

    def hit(*_: Any) -> None:
        nonlocal armed
        if armed:
            armed = False
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, hit)
    player = AGENT.open(path, ARMS, durable=durable)
    until = time.monotonic() + 1.0
    try:
        while time.monotonic() < until or len(told) < 20:
            try:
                armed = True
                signal.setitimer(signal.ITIMER_REAL, luck.uniform(1e-4, 6e-3))
                while armed:  # Python drops an interrupt that comes inside of a destructor
                    ticket = player.choose()
                    assert ticket.number not in told
                    told[ticket.number] = ticket.arm
            except KeyboardInterrupt:
                hits += 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    player.close()
    with sqlite3.connect(path) as connection:
        kept = dict(connection.execute("SELECT ticket, arm FROM event WHERE kind = 'choose'"))
    assert told.items() <= kept.items()
    assert hits > 3
    assert audit(path, AGENT).problems == []


@pytest.mark.skipif(eventlog.BY_SQLITE or os.name != "posix", reason="SQLite's own locks there")
def test_closing_does_not_wait_for_another_turn(path):
    player, other = AGENT.open(path, ARMS), AGENT.open(path, ARMS)
    for _ in range(60):
        player.choose()
    with other._log.turn():
        player.close()  # without a snapshot
    other.close()
    assert audit(path, AGENT)[1:4] == (60, 1, [])
