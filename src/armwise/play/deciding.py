"""How a player decides and learns, without locks: an agent, its named arms, its open tickets."""

import contextlib
import math
import numbers
import secrets
from array import array
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from armwise.engine.solo import PATIENCE, Solo
from armwise.errors import InputError, brief, listed, unknown, whole_number
from armwise.model.agent import Agent, refuse_unless_agent
from armwise.model.draws import TRIALS_MAX
from armwise.model.forms import REAL
from armwise.model.roles import AbstractAgent, Actor
from armwise.play import state
from armwise.play.arms import Arm, arm_of, arms_of
from armwise.play.tickets import Expiry, OpenTickets, Ticket

RECENT = 100  # choices that are remembered for `explain`

_new = tuple.__new__
_NOTHING = contextlib.nullcontext()


class Deciding:
    """The inside of a `Player`, which calls these methods while it holds its lock."""

    def __init__(
        self,
        agent: AbstractAgent,
        arms: Iterable[Arm],
        seed: int,
        expiry: Expiry,
        clock: Callable[[], float],
        compile: bool | None,
    ) -> None:
        refuse_unless_agent(agent)
        self.seed = whole_number("seed", seed, 0, 1 << 64)
        self.agent: Any = agent
        self._whole = not isinstance(agent, Agent)
        self._label = agent.parts[0].label
        self._real = agent.outcomes == REAL
        self._version = 0  # changes with every outcome
        self._name = secrets.token_hex(8)
        self._trial = 0
        self._tickets = OpenTickets(expiry, clock)
        self._open = self._tickets.arms
        self._recent: deque[Arm] = deque(maxlen=RECENT)
        self._patience = math.inf if compile is False else PATIENCE
        if expiry.meanwhile is not None and (self._whole or self._real):
            raise InputError(
                f"{self._label} keeps no Beta beliefs in which open tickets could count as 0: "
                "leave out meanwhile."
            )
        self._seat(arms_of(arms))

    def saved(self) -> dict[str, Any]:
        """The state as plain data, as `save` writes it and `restore` adopts it."""
        return {
            "agent": state.description(self.agent),
            "seed": self.seed,
            "name": self._name,
            "arms": list(self._arms),
            "choices": self._trial,
            "open": self._tickets.saved(),
            "expires": state.expiry_as_data(self._tickets.expiry),
            "time": self._tickets.time,
            "recent": list(self._recent),
            "memory": {name: _saved(part) for name, part in self._solo.lasting().items()},
        }

    def restore(self, body: dict[str, Any]) -> None:
        """Adopt a saved state; `armwise.load_player` reads one from a file and checks it."""
        self.seed, self._name, self._trial = body["seed"], body["name"], body["choices"]
        self._seat([arm_of(arm) for arm in body["arms"]])
        for name, part in self._solo.lasting().items():
            part[:] = array("d", map(float, body["memory"][name]))
        self._tickets = OpenTickets(Expiry(**body["expires"]), self._tickets.clock)
        self._tickets.restore(body["open"], float(body["time"]))
        self._open = self._tickets.arms
        self._count_open()
        self._recent = deque(map(arm_of, body["recent"]), RECENT)

    def _seat(self, arms: list[Arm]) -> None:
        self._solo = Solo(self.agent, len(arms), self.seed, self._patience)
        self._version += 1
        self._arms, self._places = arms, {arm: place for place, arm in enumerate(arms)}
        self._count_open()

    def _count_open(self) -> None:
        """Count the open tickets of every arm, if they count as failures meanwhile."""
        self._waiting: list[float] | None = None
        if self._tickets.expiry.meanwhile is not None:
            found = Counter(self._open.values())
            self._waiting = [float(found[arm]) for arm in self._arms]

    def _failures(self, due: Iterable[int] = ()) -> list[float] | None:
        """How many open tickets of every arm count as failures, but for those that are due."""
        if self._waiting is None:
            return None
        found = list(self._waiting)
        for place in self._places_of(due):
            found[place] -= 1.0
        return found

    def _places_of(self, tickets: Iterable[int]) -> Iterator[int]:
        """The places of the arms of open tickets, of those that were not removed."""
        for number in tickets:
            arm = self._open[number]
            if arm is not None:
                yield self._places[arm]

    def _close(self, gone: Iterable[int], at: float) -> None:
        """Close tickets at a time."""
        if self._waiting is not None:
            for place in self._places_of(gone):
                self._waiting[place] -= 1.0
        self._tickets.close(gone, at)

    def _issue(self, allowed: frozenset[int] | None, now: float | None) -> Ticket:
        trial, tickets = self._trial + 1, self._tickets
        if trial >= TRIALS_MAX:
            whole_number("The number of choices", trial, 1, TRIALS_MAX)
        if trial > tickets.limit or tickets.timed or now is not None:
            at = tickets.at(now)
            due = tickets.due(trial, at)
            failures = self._failures(due)
            with self._solo.unharmed() if due else _NOTHING:
                self._learn_expired(due)
                place = self._decide(trial, allowed, failures)
            self._close(due, at)
        else:
            failures = self._failures()
            place = self._decide(trial, allowed, failures)
        arm = self._arms[place]
        self._note(trial, arm)
        about: Any = self, self._version, allowed, place
        if not self._whole:
            numbers = self._solo.snapshot_with(failures)
            about = self.agent, len(self._arms), allowed, numbers, place
        return _new(Ticket, (trial, arm, self._name, about))

    def _issue_many(
        self, n: Any, allowed: frozenset[int] | None, distinct: bool, now: float | None
    ) -> list[Ticket]:
        n = whole_number("n", n, 1, TRIALS_MAX)
        whole_number("The number of choices", self._trial + n, 1, TRIALS_MAX)
        left = allowed or frozenset(range(len(self._arms)))
        if distinct:
            self._refuse_unless_among()
            if n > len(left):
                raise InputError(f"n must be at most {len(left)}, the number of arms, not {n}.")
        before = None if self._solo.trusted else self.saved()
        found: list[Ticket] = []
        try:
            for _ in range(n):
                found.append(self._issue(left if distinct else allowed, now))
                left -= {self._places[found[-1].arm]}
        except BaseException:
            if before is not None:
                self.restore(before)
            raise
        return found

    def _note(self, trial: int, arm: Arm) -> None:
        """Note a ticket that was issued."""
        self._trial = trial
        if self._tickets.timed:
            self._tickets.add(trial, arm)
        else:
            self._open[trial] = arm
        if self._waiting is not None:
            self._waiting[self._places[arm]] += 1.0
        self._recent.append(arm)

    def _decide(
        self, trial: int, allowed: frozenset[int] | None, failures: list[float] | None
    ) -> int:
        if allowed is None and failures is None:
            place = self._solo.turn(trial, -1, 0)
        else:
            place = self._solo.act_among(trial, allowed, failures)
        valid = 0 <= place < len(self._arms) if allowed is None else place in allowed
        if not valid or not (self._solo.trusted or isinstance(place, numbers.Integral)):
            raise self._refuse(place, trial)
        return place

    def _refuse(self, place: Any, trial: int) -> InputError:
        """The error that explains why what an agent chose is no arm."""
        if isinstance(self.agent, Actor) or not -len(self._arms) <= place < 0:
            last = len(self._arms) - 1
            return InputError(
                f"{self._label}.act returned {brief(place)} in trial {trial}; it must return an "
                f"arm from 0 to {last}."
            )
        arm = brief(self._arms[-1 - place])
        return InputError(f"{self._label}: the score of arm {arm} is NaN in trial {trial}.")

    def _learn(self, number: int, outcome: float) -> None:
        arm = self._open[number]
        if arm is not None:
            self._version += 1
            self._solo.turn(number, self._places[arm], outcome)

    @contextlib.contextmanager
    def _after_expiry(
        self, now: float | None, ticket: Any = None, trial: int | None = None
    ) -> Iterator[int]:
        """Close what has expired, then do something, and close `ticket`; or change nothing."""
        tickets = self._tickets
        at = tickets.at(now)
        due = tickets.due(self._trial if trial is None else trial, at)
        number = 0
        if ticket is not None:
            number = tickets.number_of(ticket, self._name, self._trial, due)
        with self._solo.unharmed() if due else _NOTHING:
            self._learn_expired(due)
            yield number
        self._close([*due, number] if number else due, at)

    def _learn_expired(self, due: Iterable[int]) -> None:
        outcome = self._tickets.expiry.outcome
        if outcome is not None:
            for number in due:
                self._learn(number, outcome)

    @property
    def _owner(self) -> Any:
        """The part that owns the memory."""
        return self.agent.parts[0] if self._whole else self.agent.learner

    def _rearranged(self, arms: list[Arm]) -> list[float]:
        """The memory for other arms, or InputError if the agent cannot do with other arms."""
        owner = self._owner
        places = [self._places.get(arm, -1) for arm in arms]
        memory = owner.rearranged(self._solo.memory.tolist(), len(self._arms), places)
        if len(memory) != owner.memory_size(len(arms)):
            raise InputError(f"{owner.label}.rearranged must return as many numbers as it needs.")
        return memory

    def _refuse_to_rearrange(self, arms: list[Arm]) -> None:
        try:
            self._rearranged(arms)
        except NotImplementedError:
            raise InputError(
                f"{self._owner.label} cannot add or remove arms while it runs."
            ) from None

    def _rearrange(self, arms: list[Arm]) -> None:
        before, places, memory = self._solo.lasting(), self._places, self._rearranged(arms)
        self._seat(arms)
        for name, row in self._solo.lasting().items():
            if name == "memory":
                row[:] = array("d", memory)
                continue
            for place, arm in enumerate(arms):
                if arm in places:
                    row[place] = before[name][places[arm]]

    def _refuse_unless_among(self) -> None:
        if isinstance(self.agent, Actor):
            raise InputError(f"{self._label} chooses among all its arms: among must be left out.")

    def _allowed(self, among: Iterable[Arm]) -> frozenset[int]:
        self._refuse_unless_among()
        allowed = frozenset(self._place(arm) for arm in listed("among", among, "['a', 'b']"))
        if not allowed:
            raise InputError("among must name at least one arm, not none.")
        return allowed

    def _place(self, arm: Arm) -> int:
        found = self._places.get(arm_of(arm))
        if found is None:
            raise unknown("arm", arm, map(str, self._arms))
        return found


def _saved(part: memoryview) -> list[float | str]:
    # JSON has no infinities; a finite float is read back exactly as it was.
    return [value if math.isfinite(value) else str(value) for value in part]
