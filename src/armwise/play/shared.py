"""A player that lives in a file, shared by the threads of a process and by processes.

A player is a function of its seed and of what happened to it. So every process keeps a copy, and
before a call it repeats what others appended to the file meanwhile. A call decides and appends
while no other process does, so there is one order of events, and one player.
"""

import contextlib
import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from armwise.errors import InputError, brief, listed
from armwise.model.agent import Agent
from armwise.model.roles import Actor
from armwise.play import state
from armwise.play.copies import CODE, code_of, digest, repeat, restored, snapshot
from armwise.play.eventlog import EventLog
from armwise.play.player import Arm, Player, Ticket
from armwise.version import VERSION

SNAPSHOT_EVERY = 5_000  # events
_SNAPSHOT = "INSERT INTO snapshot VALUES (?, ?, ?, ?)"
_KEEP = 2  # snapshots, besides the first


class SharedPlayer:
    """A player in a file: `agent.open(path, arms, seed)` makes it or opens it.

    It has the methods of a `Player`. What a call returned is in the file: with durable="commit" on
    the disk, with durable="batch" within a twentieth of a second.
    """

    def __init__(self, path: Path, agent: Agent | Actor, grouped: bool = False) -> None:
        self.agent, self.path = agent, path
        self._log = EventLog(path, grouped)
        self._player: Player | None = None
        self._losses = 0

    @property
    def arms(self) -> list[Arm]:
        """The arms that can be chosen now."""
        with self._reading() as player:
            return player.arms

    @property
    def open(self) -> list[int]:
        """The numbers of the tickets that wait for an outcome."""
        with self._reading() as player:
            return player.open

    @property
    def seed(self) -> int:
        """The seed of all draws."""
        with self._reading() as player:
            return player.seed

    def beliefs(self) -> dict[Arm, tuple[float, float]]:
        """The belief Be(alpha, beta) about every arm, as (alpha, beta)."""
        with self._reading() as player:
            return player.beliefs()

    def choose(self, among: Iterable[Arm] | None = None) -> Ticket:
        """Choose one of all arms, or of those in `among`."""
        some = None if among is None else listed("among", among, "['a', 'b']")
        with self._writing() as (player, log, now):
            ticket = player.choose(some)
            note = None
            if some is not None:
                note = json.dumps({"among": [arm for arm in player.arms if arm in some]})
            found = {"arm": ticket.arm, "probability": ticket.probability, "note": note}
            log.append("choose", now, ticket=ticket.number, **found)
        return ticket

    def observe(self, ticket: Ticket | int, outcome: int) -> None:
        """Learn the outcome (0 or 1) of a ticket, given as a `Ticket` or by its number."""
        with self._writing() as (player, log, now):
            player.observe(ticket, outcome)
            log.append("observe", now, ticket=_number(ticket), outcome=int(outcome))

    def forget(self, ticket: Ticket | int) -> None:
        """Close a ticket whose outcome will never come."""
        with self._writing() as (player, log, now):
            player.forget(ticket)
            log.append("forget", now, ticket=_number(ticket))

    def add_arm(self, arm: Arm) -> None:
        """Add an arm; the belief about it is the learner's prior."""
        refuse_unwritable([arm])
        with self._writing() as (player, log, now):
            player.add_arm(arm)
            log.append("add", now, arm=player.arms[-1])

    def remove_arm(self, arm: Arm) -> None:
        """Remove an arm and the belief about it; outcomes of its open tickets are dropped."""
        with self._writing() as (player, log, now):
            before = player.arms
            player.remove_arm(arm)
            [gone] = set(before) - set(player.arms)
            log.append("remove", now, arm=gone)

    def save(self, path: str | os.PathLike) -> None:
        """Write the state of now to a JSON file, which `armwise.load_player` reads."""
        with self._reading() as player:
            body = player.saved()
        state.write(path, body)

    def flush(self) -> None:
        """Return when all that was acknowledged is on the disk."""
        self._log.flush()

    def close(self) -> None:
        """Flush and close the file."""
        self._log.close()

    def __enter__(self) -> "SharedPlayer":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __reduce__(self) -> Any:
        raise InputError(
            "The player of a file cannot be copied or pickled: open the file in every process."
        )

    @contextlib.contextmanager
    def _writing(self) -> Iterator[tuple[Player, EventLog, float]]:
        log = self._log
        with log.turn():
            player = self._current()
            now = log.now()
            try:
                yield player, log, now
            except InputError:  # refused: nothing changed
                raise
            except BaseException:
                self._player = None
                raise
            if log.last.number % SNAPSHOT_EVERY == 0:
                self._snapshot(player)

    @contextlib.contextmanager
    def _reading(self) -> Iterator[Player]:
        with self._log.lock:
            yield self._current()

    def _current(self) -> Player:
        """The player as it is after the last event of the file."""
        player, log = self._player, self._log
        if player is None or self._losses != log.losses:
            self._player, self._losses = None, log.losses
            player = self._from_snapshot()
        self._player = None  # unless all goes well
        for event in log.unread():
            repeat(player, event, log.path)
            if event.kind == CODE:
                self._refuse_other_code()
        self._player = player
        return player

    def _refuse_other_code(self) -> None:
        [[now]] = self._log.rows("SELECT value FROM about WHERE key = 'code'")
        if now != code_of(self.agent):
            raise InputError(
                f"{self.path} was taken over by a program with other code of its agent: start "
                "this one again, with that code."
            )

    def take_over(self, player: Player, number: int, code: str) -> None:
        """Go on with this code of the agent, whose `player` repeated the events to a number."""
        log = self._log
        with log.turn():
            log.seek(number)
            for event in log.unread():
                repeat(player, event, log.path)
            self._player, self._losses = player, log.losses
            note = json.dumps({"code": code, "armwise": VERSION})
            log.append(CODE, log.now(), note=note)
            log.write("UPDATE about SET value = ? WHERE key = 'code'", code)
            log.write("DELETE FROM snapshot WHERE event > 0")
            log.write(_SNAPSHOT, *snapshot(player, log.last.number, log.now()))

    def _from_snapshot(self) -> Player:
        query = "SELECT event, state, checksum FROM snapshot ORDER BY event DESC"
        for number, text, checksum in self._log.rows(query):
            if checksum == digest(text):
                self._log.seek(number)
                return restored(self.agent, text, self.path)
        raise InputError(f"{self.path} was edited or damaged: its snapshots are.")

    def _snapshot(self, player: Player) -> None:
        number, log = self._log.last.number, self._log
        if number // SNAPSHOT_EVERY % (1 + len(player.open) // SNAPSHOT_EVERY):
            return  # a long state, with many open tickets, is written less often
        log.write(_SNAPSHOT, *snapshot(player, number, log.now()))
        kept = "SELECT event FROM snapshot ORDER BY event DESC LIMIT ?"
        log.write(f"DELETE FROM snapshot WHERE event > 0 AND event NOT IN ({kept})", _KEEP)


def refuse_unwritable(arms: Iterable[Any]) -> None:
    """Raise InputError for names of arms that SQLite cannot hold."""
    for arm in arms:
        if isinstance(arm, int) and not -(1 << 63) <= arm < 1 << 63:
            raise InputError(f"An arm in a file must have 64 bits, unlike {brief(arm)}.")
        if isinstance(arm, str) and not arm.isascii():
            try:
                arm.encode()
            except UnicodeEncodeError:
                raise InputError(f"An arm in a file must be UTF-8, unlike {arm!a}.") from None


def _number(ticket: Ticket | int) -> int:
    return ticket.number if isinstance(ticket, Ticket) else int(ticket)
