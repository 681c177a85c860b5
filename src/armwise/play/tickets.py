"""Tickets: choices whose outcome may come later, or never."""

import contextlib
import datetime
import math
import numbers
import time
from collections import deque
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from armwise.errors import InputError, brief, real_number, whole_number
from armwise.play.arms import Arm
from armwise.play.clock import Steady

MOST = 1 << 20  # open tickets of a player that says nothing about their end


class _Fields(NamedTuple):
    number: int
    arm: Arm
    player: str  # the player that issued the ticket
    about: Any  # what the probability of the choice is computed from


class Ticket(_Fields):
    """A choice whose outcome may come later; its number is enough to report the outcome."""

    __slots__ = ()

    @property
    def probability(self) -> float | None:
        """The probability of this choice, its propensity, computed when asked for.

        It is 1 for agents that do not draw (1 / ties if several arms are equally good). It is
        None where it is not known: for actors and policies that draw and do not say how.
        An actor must be asked before it learns the next outcome.
        """
        from armwise.play.propensity import propensity

        return propensity(self.number, self.about)

    @property
    def trial(self) -> int:
        """The trial of the choice: tickets are numbered by trial, from 1."""
        return self.number

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ticket) and self[:2] == other[:2]

    def __hash__(self) -> int:
        return hash(self[:2])

    def __reduce__(self) -> Any:
        known = None
        with contextlib.suppress(InputError):  # an actor that was not asked in time
            known = self.probability
        return Ticket, (self.number, self.arm, self.player, known)

    def __repr__(self) -> str:
        return f"Ticket(number={self.number}, arm={self.arm!r})"


@dataclass(frozen=True)
class Expiry:
    """When an open ticket expires, and what that means.

    It expires `seconds` after its choice, or once `tickets` more were issued, whichever comes
    first. `outcome` 0 counts it as a failure, as clicks want it; None forgets it. With `meanwhile`
    0 the agent chooses as if open tickets had failed, until it hears of them: otherwise the arms
    whose clicks are quicker than the end of their tickets look too good.

    >>> from armwise import UCB, Agent
    >>> player = Agent(UCB()).start(["red", "green"], expires=Expiry(seconds=1800, outcome=0))
    >>> ticket = player.choose(now=0.0)  # shown, and never clicked
    >>> player.expire(now=1800.0)
    [1]
    >>> player.beliefs()["red"]
    (1.0, 2.0)
    """

    seconds: float | None = None
    tickets: int | None = None
    outcome: int | None = None
    meanwhile: int | None = None

    def __post_init__(self) -> None:
        if self.seconds is None and self.tickets is None:
            raise InputError("Expiry needs seconds or tickets, such as Expiry(seconds=1800).")
        if self.seconds is not None:
            object.__setattr__(
                self, "seconds", real_number("seconds", self.seconds, 0.0, 1e18, "()")
            )
        if self.tickets is not None:
            object.__setattr__(self, "tickets", whole_number("tickets", self.tickets, 1, 1 << 32))
        if self.outcome is not None and (self.outcome != 0 or isinstance(self.outcome, bool)):
            raise InputError(
                f"An expired ticket counts as outcome 0 or is forgotten (None), not "
                f"{brief(self.outcome)}."
            )
        if self.outcome is not None:
            object.__setattr__(self, "outcome", 0)  # one of NumPy can be no JSON
        if self.meanwhile is not None and (self.meanwhile != 0 or isinstance(self.meanwhile, bool)):
            raise InputError(
                f"meanwhile must be 0, or None for tickets that count when their outcome is known, "
                f"not {brief(self.meanwhile)}."
            )
        if self.meanwhile is not None:
            object.__setattr__(self, "meanwhile", 0)

    def __repr__(self) -> str:
        given = [f"{name}={value!r}" for name, value in vars(self).items() if value is not None]
        return f"Expiry({', '.join(given)})"


FORGOTTEN = Expiry(tickets=MOST)


def expiry_of(value: Any) -> Expiry:
    """The expiry that a user gave: an `Expiry`, a span of time, or None.

    >>> expiry_of(datetime.timedelta(minutes=30))
    Expiry(seconds=1800.0)
    """
    if value is None:
        return FORGOTTEN
    if isinstance(value, datetime.timedelta):
        return Expiry(seconds=value.total_seconds())
    if isinstance(value, Expiry):
        return value
    raise InputError(
        f"expires must be such as Expiry(seconds=1800, outcome=0) or Expiry(tickets=1000), not "
        f"{brief(value)}."
    )


class OpenTickets:
    """The tickets that wait for an outcome, with the times at which they expire.

    Time never runs backwards: where a clock was set back, the latest time seen holds, or time goes
    on from it if the clock is the system's.
    """

    def __init__(self, expiry: Expiry, clock: Callable[[], float]) -> None:
        self.expiry, self.clock, self._steady = expiry, clock, Steady()
        self.timed = expiry.seconds is not None
        self.limit = MOST if expiry.tickets is None else expiry.tickets
        self.arms: dict[int, Arm | None] = {}  # None: the arm was removed
        self.issued: deque[tuple[int, float]] = deque()  # if timed: all that may still be open
        self.time = 0.0  # the latest seen

    def at(self, now: Any) -> float:
        """The time of an event: that given, or the clock's, but never earlier than the latest."""
        if now is None:
            now = self._now() if self.timed else self.time
        if type(now) is not float or not 0.0 <= now < math.inf:
            now = real_number("now", now, 0.0)
        return now if now > self.time else self.time

    def _now(self) -> float:
        return self._steady(self.time) if self.clock is time.time else self.clock()

    def due(self, trial: int, now: float) -> list[int]:
        """The open tickets that have expired at this time, if `trial` is the last that was issued.

        They are in the order of their numbers.
        """
        found = []
        if self.timed:
            assert self.expiry.seconds is not None
            last = now - self.expiry.seconds
            for number, at in self.issued:
                if at > last:
                    break
                if number in self.arms:
                    found.append(number)
        old = trial - self.limit  # all that are older were due before
        if old in self.arms and (not found or found[-1] < old):
            found.append(old)
        return found

    def add(self, number: int, arm: Arm) -> None:
        """Note a ticket that was issued now, if tickets expire in time."""
        self.arms[number] = arm
        self.issued.append((number, self.time))
        if len(self.issued) > 2 * len(self.arms) + 64:
            self.issued = deque(each for each in self.issued if each[0] in self.arms)

    def close(self, gone: Iterable[int], now: float) -> None:
        """Close tickets at a time."""
        for number in gone:
            del self.arms[number]
        self.time = now
        while self.issued and self.issued[0][0] not in self.arms:
            self.issued.popleft()

    def number_of(self, ticket: Any, name: str, issued: int, due: Container[int] = ()) -> int:
        """The number of an open ticket of the player of this name, or InputError."""
        number = ticket
        if isinstance(ticket, Ticket):
            number = ticket.number
            if ticket.player != name:
                raise InputError(f"{ticket} was issued by another player.")
        if isinstance(number, bool) or not isinstance(number, numbers.Integral):
            raise InputError(f"A ticket must be a Ticket or its number, not {brief(ticket)}.")
        number = int(number)
        if number in self.arms and number not in due:
            return number
        if 1 <= number <= issued:
            raise InputError(f"Ticket {number} is closed: it was observed, forgotten, or expired.")
        raise InputError(f"There is no ticket {number}: {issued} were issued so far.")

    def saved(self) -> list[list[Any]]:
        """Number, arm and time of every open ticket."""
        times = dict(self.issued)
        return [[number, arm, times.get(number)] for number, arm in self.arms.items()]

    def restore(self, rows: Iterable[Any], time: float) -> None:
        """Adopt what was saved."""
        self.arms = {number: arm for number, arm, _ in rows}
        self.issued = deque((number, at) for number, _, at in rows if at is not None)
        self.time = time
