"""Read the file of a shared player from its beginning, and ask the agent for every choice again."""

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from armwise.errors import InputError
from armwise.model.roles import AbstractAgent
from armwise.play.copies import decide, digest, repeat, restored
from armwise.play.eventfile import connect, refusing
from armwise.play.events import BEGINNING, EVENTS, Event, verified
from armwise.play.player import Player


class Audit(NamedTuple):
    """What a file was found to hold."""

    events: int  # that were repeated
    choices: int  # of these, each decided again
    snapshots: int  # compared with the state at their events
    problems: list[str]
    player: Player  # after the last event that was repeated


def audit(path: Path, agent: AbstractAgent) -> Audit:
    """Check the database, the checksums, every choice and every snapshot of a file.

    >>> from armwise import UCB, Agent
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.db"
    >>> with Agent(UCB()).open(path, ["red", "green"]) as player:
    ...     player.observe(player.choose(), 1)
    >>> audit(path, Agent(UCB()))[:4]
    (2, 1, 1, [])
    """
    with contextlib.closing(connect(path, writing=False)) as connection, refusing(path):
        connection.execute("BEGIN")  # one view of the file, whoever writes meanwhile
        return _audited(connection, path, agent)


def _audited(connection: Any, path: Path, agent: AbstractAgent) -> Audit:
    [[sound]] = connection.execute("PRAGMA integrity_check(1)").fetchall()
    problems = [] if sound == "ok" else [f"{path} is damaged: {' '.join(sound.split())}."]
    marks = dict[int, str]()
    for number, text, checksum in connection.execute("SELECT event, state, checksum FROM snapshot"):
        if digest(text) == checksum:
            marks[number] = text
        else:
            problems.append(f"{path} was edited or damaged: the snapshot of event {number} is.")
    if 0 not in marks:
        raise InputError(" ".join(problems) or f"{path} does not say how its player began.")
    player = restored(agent, marks[0], path)
    events = choices = 0
    compared = 1
    try:
        for event in events_of(connection, path):
            if event.kind == "choose":
                decide(player, event, path)
                choices += 1
            else:
                repeat(player, event, path)
            events = event.number
            if events in marks:
                compared += 1
                if json.loads(marks[events]) != json.loads(json.dumps(player.saved())):
                    problems.append(f"{path}: the snapshot of event {events} is another state.")
        if max(marks) > events:
            problems.append(
                f"{path} was edited or damaged: it ends with event {events}, and has a snapshot of "
                f"event {max(marks)}."
            )
    except InputError as problem:
        problems.append(str(problem))
    return Audit(events, choices, compared, problems, player)


def events_of(connection: Any, path: Path, behind: int = 0) -> Iterator[Event]:
    """The events of a file in order, from the one behind a number on, each checked."""
    last, checksum = BEGINNING, 0
    for *values, written in connection.execute(EVENTS, (max(behind - 1, 0),)):
        event = Event(*values)
        if event.number == behind:  # the checksum to go on from
            last, checksum = event, written
            continue
        checksum = verified(path, event, written, last, checksum)
        last = event
        yield event


def latest(path: Path, agent: AbstractAgent) -> Player:
    """The player as it is after the last event, without writing to the file."""
    with contextlib.closing(connect(path, writing=False)) as connection, refusing(path):
        connection.execute("BEGIN")
        query = "SELECT event, state, checksum FROM snapshot ORDER BY event DESC"
        marks = [row for row in connection.execute(query) if digest(row[1]) == row[2]]
        if not marks:
            raise InputError(f"{path} was edited or damaged: its snapshots are.")
        number, text, _ = marks[0]
        player = restored(agent, text, path)
        for event in events_of(connection, path, number):
            repeat(player, event, path)
    return player
