"""Events that processes append to one file, in turns, and that all of them read.

The events of a turn become visible with its commit, and the call that appended them returns when
they have reached the disk. That wait is outside the turn, so one flush of the disk serves all who
wait; SQLite itself flushes before it moves events from its log to the file.
"""

import atexit
import contextlib
import os
import sqlite3
import threading
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from armwise.errors import InputError
from armwise.play import forks
from armwise.play.clock import Steady
from armwise.play.eventfile import BY_SQLITE, connect, end_turn, refusing, take_turn
from armwise.play.events import BEGINNING, EVENTS, INSERT, Event, chained, verified

GROUP_EVENTS, GROUP_SECONDS = 2_000, 0.05  # the most that durable="batch" gathers
_flush = getattr(os, "fdatasync", os.fsync)


class EventLog:
    """The open file of a player, for all threads of a process; after a fork it is opened anew."""

    def __init__(self, path: Path, grouped: bool) -> None:
        self.path, self._grouped, self._clock = path, grouped, Steady()
        self.lock = threading.RLock()
        self.last, self._checksum = BEGINNING, 0  # the last event that was read or appended
        self.losses = 0  # how often appended events were lost: whoever applied them begins anew
        self._held = 0  # events that were appended and are not committed
        self._mark: tuple[Event, int, int] | None = None  # where this turn began to append
        self._timer: threading.Timer | None = None
        self.problem: InputError | None = None  # of a commit that nobody waited for
        self._syncing, self._synced, self._committed = threading.Lock(), 0, 0
        self._tip = 0  # the number of the last event that was appended here
        self._connection: sqlite3.Connection | None = None
        self._wal: int | None = None
        self._closed = False
        self._wal_path = Path(f"{path}-wal")
        self._identity, self._wal_identity = _identity(path), _identity(self._wal_path)
        self._link()
        forks.survive(self, forks.logs)

    @contextlib.contextmanager
    def turn(self, wait: bool = True) -> Iterator[None]:
        """Nobody else appends meanwhile. What the body appended is kept, unless it raises.

        With `wait` False, raise InputError if it is another's turn.
        """
        with self.lock:
            self._mark = None
            try:
                self._enter(wait)
                yield
                self._end()
            except BaseException:
                self._retract()
                raise
            number = self._committed
        self._sync(number)

    def append(self, kind: str, time: float, **given: Any) -> None:
        """Append an event, within a turn and after all before it were read."""
        event = Event(self.last.number + 1, time, kind, **given)
        checksum = chained(event, self._checksum)
        if self._mark is None:
            self._mark = self.last, self._checksum, self._held
        self.write(INSERT, *event, checksum)
        self.last, self._checksum, self._held = event, checksum, self._held + 1
        self._tip = event.number

    def now(self) -> float:
        """The time of the next event."""
        return self._clock(self.last.time)

    def unread(self) -> Iterator[Event]:
        """The events behind the last one that was read or appended here."""
        if self._held and self.last.number == self._tip:
            return
        for *values, checksum in self.rows(EVENTS, self.last.number):
            event = Event(*values)
            self._checksum = verified(self.path, event, checksum, self.last, self._checksum)
            self.last = event
            yield event

    def seek(self, number: int) -> None:
        """Stand behind the event of a number, as if it were the last one read."""
        found = self.rows(f"{EVENTS} LIMIT 1", number - 1) if number else []
        self.last, self._checksum = BEGINNING, 0
        if number and not found:
            raise InputError(f"{self.path} was edited or damaged: it has no event {number}.")
        for *values, checksum in found:
            self.last, self._checksum = Event(*values), checksum

    def rows(self, query: str, *values: Any) -> list[Any]:
        """The rows that a query finds."""
        with refusing(self.path):
            return self._link().execute(query, values).fetchall()

    def write(self, query: str, *values: Any) -> None:
        """Change something, within a turn."""
        with refusing(self.path):
            self._link().execute(query, values)

    def flush(self) -> None:
        """Commit what was gathered, and wait until it is on the disk."""
        with self.lock:
            if self._held:
                self._commit()
            number = self._committed
        self._sync(number)

    def close(self) -> None:
        """Commit what was gathered, and close the file."""
        with self.lock:
            try:
                if not self._closed:
                    self.flush()
            finally:
                self._closed = True
                self.part()

    def part(self) -> None:
        """Let go of the file; the next call opens it again."""
        with self._syncing:
            if self._connection is not None:
                self._connection.close()
            if self._wal is not None:
                os.close(self._wal)
            self._connection = self._wal = None

    def hold(self) -> None:
        """Before a fork: nobody is in a call, and no connection crosses: SQLite's locks do not."""
        self.lock.acquire()
        with contextlib.suppress(InputError):
            self.flush()
        self.part()
        self._syncing.acquire()

    def let_go(self) -> None:
        """After a fork, in both processes."""
        self._syncing.release()
        self.lock.release()

    def _link(self) -> sqlite3.Connection:
        if self._closed:
            raise InputError(f"{self.path} was closed by this program.")
        if self._connection is None:
            self._connection = connect(self.path)
            with refusing(self.path):
                self._wal = None if BY_SQLITE else os.open(self._wal_path, os.O_RDWR)
                self._wal_identity = _identity(self._wal_path)
        return self._connection

    def _enter(self, wait: bool) -> None:
        if self.problem is not None:
            problem, self.problem = self.problem, None
            raise problem
        connection = self._link()
        if self._held and connection.in_transaction:
            return
        if self._held or connection.in_transaction:  # SQLite gave up, or two interrupts came
            self._drop()
        for path, opened in ((self.path, self._identity), (self._wal_path, self._wal_identity)):
            if _identity(path) != opened:
                raise InputError(f"{path} was deleted or replaced while it was in use.")
        with refusing(self.path):
            take_turn(self._wal, wait)
            connection.execute("BEGIN IMMEDIATE")

    def _end(self) -> None:
        if not self._grouped or not self._held or self._held >= GROUP_EVENTS:
            self._commit()
        elif self._timer is None:
            timer = threading.Timer(GROUP_SECONDS, _commit_late, (weakref.ref(self),))
            timer.daemon = True
            timer.start()
            self._timer = timer

    def _commit(self) -> None:
        with refusing(self.path):
            self._leave("COMMIT")
        self._committed = self.last.number

    def _retract(self) -> None:
        """Take back what this turn appended; what earlier turns gathered stays if it can.

        What was committed before an interrupt came is in the file, and stays there.
        """
        if self._mark is not None:
            self.last, self._checksum, self._held = self._mark
            self._mark, self._tip = None, self.last.number
            self.losses += 1
            if self._in_transaction():
                with contextlib.suppress(InputError):
                    self.write("DELETE FROM event WHERE number > ?", self.last.number)
                    self.write("DELETE FROM snapshot WHERE event > ?", self.last.number)
        if not (self._held and self._in_transaction()):
            self._drop()

    def _in_transaction(self) -> bool:
        return self._connection is not None and self._connection.in_transaction

    def _drop(self) -> None:
        """Give up the transaction, if there is one, and the turn."""
        self.losses += self._held > 0
        if self._in_transaction():
            with contextlib.suppress(sqlite3.Error):
                self._leave("ROLLBACK")
        self._held = 0
        end_turn(self._wal)

    def _leave(self, how: str) -> None:
        """End the transaction and the turn."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._link().execute(how)
        self._held, self._mark = 0, None
        end_turn(self._wal)

    def _sync(self, number: int) -> None:
        """Return when the events up to a number are on the disk."""
        if self._synced >= number:
            return
        with self._syncing:
            if self._synced >= number or self._wal is None:
                return
            reached = self._committed
            with refusing(self.path):
                _flush(self._wal)
            self._synced = reached

    def __del__(self) -> None:
        with contextlib.suppress(Exception):
            self.close()


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _commit_late(reference: "weakref.ref[EventLog]") -> None:
    log = reference()
    if log is not None:
        try:
            log.flush()
        except InputError as problem:
            log.problem = problem


def _at_exit() -> None:
    for log in list(forks.logs):
        with contextlib.suppress(InputError):
            log.flush()


atexit.register(_at_exit)
