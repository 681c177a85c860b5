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
from typing import Any, overload

from armwise.errors import InputError, brief, listed
from armwise.model.roles import AbstractAgent
from armwise.play import state
from armwise.play.arms import Arm
from armwise.play.copies import CODE, code_of, digest, repeat, restored, snapshot
from armwise.play.eventlog import EventLog
from armwise.play.player import Player
from armwise.play.summary import Summary, summary
from armwise.play.tickets import Expiry, Ticket
from armwise.version import VERSION

SNAPSHOT_EVERY = 500  # events; whoever opens the file repeats those since the last
_LONG = 25_000  # characters: a state that is longer is written less often
_SNAPSHOT = "INSERT OR REPLACE INTO snapshot VALUES (?, ?, ?, ?)"
_KEEP = 2  # snapshots, besides the first


class SharedPlayer:
    """A player in a file: `agent.open(path, arms, seed)` makes it or opens it.

    It has the methods of a `Player`. What a call returned is in the file: with durable="commit" on
    the disk, with durable="batch" within a twentieth of a second.
    """

    def __init__(
        self,
        path: Path,
        agent: AbstractAgent,
        grouped: bool = False,
        compile: bool | None = None,
    ) -> None:
        self.agent, self.path = agent, path
        self._log, self._compile = EventLog(path, grouped), compile
        self._player: Player | None = None
        self._losses = self._snapshots = 0

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
    def expires(self) -> Expiry:
        """When tickets without an outcome expire, and what that means."""
        with self._reading() as player:
            return player.expires

    @property
    def seed(self) -> int:
        """The seed of all draws."""
        with self._reading() as player:
            return player.seed

    def beliefs(self) -> dict[Arm, tuple[float, float]]:
        """The belief Be(alpha, beta) about every arm, as (alpha, beta)."""
        with self._reading() as player:
            return player.beliefs()

    def explain(self) -> dict[Arm, dict[str, float]]:
        """What is believed about every arm, and why it would be chosen next, by name."""
        return self.summary().arms

    def summary(self) -> Summary:
        """The same as a table, with what concerns the whole player below it."""
        with self._reading() as player:
            seen = player.seen()
        return summary(seen)  # takes a while

    @overload
    def choose(self, *, among: Iterable[Arm] | None = None) -> Ticket: ...

    @overload
    def choose(
        self, n: int, *, among: Iterable[Arm] | None = None, distinct: bool = False
    ) -> list[Ticket]: ...

    def choose(
        self, n: int | None = None, *, among: Iterable[Arm] | None = None, distinct: bool = False
    ) -> Any:
        """Choose one of all arms, or of those in `among`.

        With `n`, choose for n users at once and return a list of tickets, kept or lost together; if
        they are to be `distinct`, every arm is chosen once at most: a slate.
        """
        some = None if among is None else listed("among", among, "['a', 'b']")
        with self._writing() as (player, log, at, now):
            if n is None and not distinct:
                ticket = player.choose(among=some, now=now)
                note = None if some is None else _note(player.arms, some)
                log.append("choose", at, ticket=ticket.number, arm=ticket.arm, note=note)
                return ticket
            tickets = player.choose(n, among=some, distinct=distinct, now=now)  # type: ignore[arg-type]
            left = player.arms if some is None else [arm for arm in player.arms if arm in some]
            for each in tickets:
                note = _note(left, left) if distinct or some is not None else None
                log.append("choose", at, ticket=each.number, arm=each.arm, note=note)
                if distinct:
                    left.remove(each.arm)
            return tickets

    def observe(self, ticket: Ticket | int, outcome: int) -> None:
        """Learn the outcome (0 or 1) of a ticket, given as a `Ticket` or by its number."""
        with self._writing() as (player, log, at, now):
            player.observe(ticket, outcome, now=now)
            log.append("observe", at, ticket=_number(ticket), outcome=int(outcome))

    def forget(self, ticket: Ticket | int) -> None:
        """Close a ticket whose outcome will never come."""
        with self._writing() as (player, log, at, now):
            player.forget(ticket, now=now)
            log.append("forget", at, ticket=_number(ticket))

    def expire(self) -> list[int]:
        """Close the tickets that have expired; return their numbers. All other calls do so, too."""
        with self._writing() as (player, log, at, now):
            gone = player.expire(now=now)
            if gone:
                log.append("expire", at)
        return gone

    def add_arm(self, arm: Arm) -> None:
        """Add an arm; the belief about it is the learner's prior."""
        refuse_unwritable([arm])
        with self._writing() as (player, log, at, now):
            player.add_arm(arm, now=now)
            log.append("add", at, arm=player.arms[-1])

    def remove_arm(self, arm: Arm) -> None:
        """Remove an arm and the belief about it; outcomes of its open tickets are dropped."""
        with self._writing() as (player, log, at, now):
            before = player.arms
            player.remove_arm(arm, now=now)
            [gone] = set(before) - set(player.arms)
            log.append("remove", at, arm=gone)

    def save(self, path: str | os.PathLike) -> None:
        """Write the state of now to a JSON file, which `armwise.load_player` reads."""
        with self._reading() as player:
            body = player.saved()
        state.write(path, body)

    def flush(self) -> None:
        """Return when all that was acknowledged is on the disk."""
        self._log.flush()

    def close(self) -> None:
        """Flush and close the file, in a state from which the next who opens it goes on at once."""
        with contextlib.suppress(InputError):
            if self._player is not None and self._behind() >= SNAPSHOT_EVERY // 10:
                with self._log.turn(wait=False):
                    self._snapshot(self._current())
        self._log.close()

    def __enter__(self) -> "SharedPlayer":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<SharedPlayer {self.path}: {self.agent}>"

    def __reduce__(self) -> Any:
        raise InputError(
            "The player of a file cannot be copied or pickled: open the file in every process."
        )

    @contextlib.contextmanager
    def _writing(self) -> Iterator[tuple[Player, EventLog, float, float | None]]:
        """The player, its log, the time of the next event, and the same where it matters."""
        log = self._log
        with log.turn():
            player = self._current()
            at = log.now()
            try:
                yield player, log, at, at if player.timed else None
            except InputError:  # refused: nothing changed
                raise
            except BaseException:
                self._player = None
                raise
            if log.last.number // SNAPSHOT_EVERY > self._snapshots:
                self._snapshots = log.last.number // SNAPSHOT_EVERY
                if self._behind() >= SNAPSHOT_EVERY // 2:
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
            self._snapshots = event.number // SNAPSHOT_EVERY  # whoever appended it wrote one
        self._player = player
        return player

    def _refuse_other_code(self) -> None:
        [[now]] = self._log.rows("SELECT value FROM about WHERE key = 'code'")
        if now != code_of(self.agent):
            raise InputError(
                f"{self.path} was taken over by a program with other code of its agent: start "
                "this one again, with that code."
            )

    def take_over(self, player: Player, number: int, about: dict[str, str]) -> None:
        """Go on with this code of the agent, whose `player` repeated the events to a number."""
        log = self._log
        with log.turn():
            log.seek(number)
            for event in log.unread():
                repeat(player, event, log.path)
            self._player, self._losses = player, log.losses
            note = json.dumps({"code": about["code"], "armwise": VERSION})
            log.append(CODE, log.now(), note=note)
            for key, value in about.items():
                log.write("INSERT OR REPLACE INTO about VALUES (?, ?)", key, value)
            log.write("DELETE FROM snapshot WHERE event > 0")
            log.write(_SNAPSHOT, *snapshot(player, log.last.number, log.now()))

    def _from_snapshot(self) -> Player:
        query = "SELECT event, state, checksum FROM snapshot ORDER BY event DESC"
        for number, text, checksum in self._log.rows(query):
            if checksum == digest(text):
                self._log.seek(number)
                self._snapshots = number // SNAPSHOT_EVERY
                return restored(self.agent, text, self.path, self._compile)
        raise InputError(f"{self.path} was edited or damaged: its snapshots are.")

    def _behind(self) -> float:
        """How many events came since the last snapshot; each counts for less after a long one."""
        query = "SELECT event, length(state) FROM snapshot ORDER BY event DESC LIMIT 1"
        [[number, length]] = self._log.rows(query)
        return (self._log.last.number - number) / (1 + length // _LONG)

    def _snapshot(self, player: Player) -> None:
        log = self._log
        log.write(_SNAPSHOT, *snapshot(player, log.last.number, log.now()))
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


def _note(arms: list[Arm], among: list[Arm]) -> str:
    return json.dumps({"among": [arm for arm in arms if arm in among]})
