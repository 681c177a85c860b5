"""Let an agent decide inside a program: choose, observe later, save, continue after a restart.

A player interprets the same functions that simulations compile, and after some decisions calls
machine code made from them: with the same seed and the same outcomes it makes the choices of the
simulated agent 0. Its state is a function of the seed and of the calls that were accepted, with
their times. Threads may share a player.
"""

import contextlib
import math
import numbers
import os
import secrets
import threading
import time
from array import array
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, overload

from armwise.engine.solo import PATIENCE, Solo
from armwise.errors import InputError, brief, listed, outcome_of, unknown, whole_number
from armwise.model.agent import Agent, refuse_unless_agent
from armwise.model.draws import ARMS_MAX, TRIALS_MAX
from armwise.model.roles import Actor
from armwise.play import state
from armwise.play.summary import Seen, Summary, summary
from armwise.play.tickets import Arm, Expiry, OpenTickets, Ticket, expiry_of

RECENT = 100  # choices that are remembered for `explain`

_new = tuple.__new__
_NOTHING = contextlib.nullcontext()


class Player:
    """An agent (an `Agent` or an `Actor`) that chooses between named arms.

    Outcomes are learned when they arrive, in any order; a habit follows a choice then, too. A
    refused call changes nothing.

    `expires` says when tickets without an outcome expire, and what that means; by default the last
    million stay open. `clock` returns the time in seconds. With `compile` True the agent is
    compiled before it begins, with False never, and by default in the background, once that pays.

    >>> from armwise import UCB, Agent
    >>> player = Player(Agent(UCB()), ["red", "green"], seed=7)
    >>> player.choose()
    Ticket(number=1, arm='red')
    """

    def __init__(
        self,
        agent: Agent | Actor,
        arms: Iterable[Arm],
        seed: int = 0,
        *,
        expires: Expiry | Any = None,
        clock: Callable[[], float] = time.time,
        compile: bool | None = None,
    ) -> None:
        refuse_unless_agent(agent)
        self.seed = whole_number("seed", seed, 0, 1 << 64)
        self.agent: Any = agent
        self._whole = isinstance(agent, Actor)
        self._label = agent.parts[0].label
        self._version = 0  # changes with every outcome
        self._name = secrets.token_hex(8)
        self._trial = 0
        self._tickets = OpenTickets(expiry_of(expires), clock)
        self._open = self._tickets.arms
        self._lock = threading.RLock()
        self._recent: deque[Arm] = deque(maxlen=RECENT)
        self._patience = math.inf if compile is False else PATIENCE
        self._seat(_arms(arms))
        if compile:
            self._solo.compile()

    @property
    def arms(self) -> list[Arm]:
        """The arms that can be chosen now."""
        return list(self._arms)

    @property
    def open(self) -> list[int]:
        """The numbers of the tickets that wait for an outcome."""
        with self._lock:
            return list(self._open)

    @property
    def compiled(self) -> bool:
        """Whether decisions are made by machine code already."""
        return self._solo.compiled

    def beliefs(self) -> dict[Arm, tuple[float, float]]:
        """The belief Be(alpha, beta) about every arm, as (alpha, beta)."""
        if self._whole:
            raise InputError(f"{self._label} keeps no Beta beliefs.")
        with self._lock:
            alpha, beta = self._solo.state.alpha, self._solo.state.beta
            return {arm: (alpha[place], beta[place]) for arm, place in self._places.items()}

    def explain(self) -> dict[Arm, dict[str, float]]:
        """What is believed about every arm, and why it would be chosen next, by name.

        An `Agent` has the mean, the central 95 % interval, the probability of being the `best`,
        the score and its terms in the next trial, the `probability` of being chosen then (if it
        is known), and its share of the `recent` choices. An actor has what it can say.

        >>> from armwise import Agent, ExactActiveInference
        >>> player = Player(Agent(ExactActiveInference()), ["red", "green"], seed=7)
        >>> player.observe(player.choose(among=["red"]), 1)
        >>> red = player.explain()["red"]
        >>> round(red["best"], 3), round(red["extrinsic"] + red["intrinsic"] - red["score"], 9)
        (0.667, 0.0)
        """
        return self.summary().arms

    def summary(self) -> Summary:
        """The same as a table, with what concerns the whole player below it."""
        with self._lock:
            solo = self._solo
            numbers = solo.memory.tobytes() if self._whole else solo.snapshot()
            count = len(self._open)
            general = self.agent, self.arms, self.seed, self._trial, count, solo.compiled
            seen = Seen(*general, list(self._recent), numbers)
        return summary(seen)  # takes a while

    @overload
    def choose(self, *, among: Iterable[Arm] | None = None, now: float | None = None) -> Ticket: ...

    @overload
    def choose(
        self,
        n: int,
        *,
        among: Iterable[Arm] | None = None,
        distinct: bool = False,
        now: float | None = None,
    ) -> list[Ticket]: ...

    def choose(
        self,
        n: int | None = None,
        *,
        among: Iterable[Arm] | None = None,
        distinct: bool = False,
        now: float | None = None,
    ) -> Any:
        """Choose one of all arms, or of those in `among`.

        With `n`, choose for n users at once and return a list of tickets; no outcome is learned in
        between. If they are to be `distinct`, every arm is chosen once at most: a slate.
        """
        with self._lock:
            allowed = None if among is None else self._allowed(among)
            if n is None and not distinct:
                return self._issue(allowed, now)
            return self._issue_many(n, allowed, distinct, now)

    def repeat(self, arm: Arm, *, now: float | None = None) -> None:
        """Take over a choice that this agent made elsewhere, in the same state."""
        with self._lock:
            trial = self._trial + 1
            place = self._place(arm)
            with self._after_expiry(now, trial=trial):
                self._note(trial, self._arms[place])

    def observe(self, ticket: Ticket | int, outcome: int, *, now: float | None = None) -> None:
        """Learn the outcome (0 or 1) of a ticket, given as a `Ticket` or by its number.

        If its arm was removed meanwhile, the outcome is dropped, even if a new arm has that name.
        """
        kind = type(outcome)
        plain = (kind is int or kind is bool) and 0 <= outcome <= 1
        result = outcome if plain else outcome_of(outcome)
        with self._lock:
            if self._tickets.timed or now is not None:
                with self._after_expiry(now, ticket) as number:
                    self._learn(number, result)
                return
            number = ticket[0] if isinstance(ticket, Ticket) and ticket[2] == self._name else 0
            if number not in self._open:
                number = self._tickets.number_of(ticket, self._name, self._trial)
            self._learn(number, result)
            del self._open[number]

    def forget(self, ticket: Ticket | int, *, now: float | None = None) -> None:
        """Close a ticket whose outcome will never come, which frees a little memory."""
        with self._lock, self._after_expiry(now, ticket):
            pass

    def expire(self, now: float | None = None) -> list[int]:
        """Close the tickets that have expired; return their numbers.

        All other calls do this, too, before anything else.
        """
        with self._lock:
            due = self._tickets.due(self._trial, self._tickets.at(now))
            with self._after_expiry(now):
                return due

    def add_arm(self, arm: Arm, *, now: float | None = None) -> None:
        """Add an arm; the belief about it is the learner's prior."""
        arm = _arm(arm)
        with self._lock:
            if arm in self._places:
                raise InputError(f"There already is an arm {brief(arm)}.")
            self._refuse_to_rearrange(len(self._arms) + 1)
            with self._after_expiry(now):
                self._rearrange([*self._arms, arm])

    def remove_arm(self, arm: Arm, *, now: float | None = None) -> None:
        """Remove an arm and the belief about it; outcomes of its open tickets are dropped."""
        with self._lock:
            gone = self._arms[self._place(arm)]
            if len(self._arms) == 1:
                raise InputError(f"The arm {brief(gone)} is the last; at least one must remain.")
            self._refuse_to_rearrange(len(self._arms) - 1)
            with self._after_expiry(now):
                self._rearrange([other for other in self._arms if other != gone])
                self._open |= {number: None for number, of in self._open.items() if of == gone}

    def save(self, path: str | os.PathLike) -> None:
        """Write the state to a JSON file: the old file stays until the new one is complete."""
        state.write(path, self.saved())

    def saved(self) -> dict[str, Any]:
        """The state as plain data, as `save` writes it and `restore` adopts it."""
        with self._lock:
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
        with self._lock:
            self.seed, self._name, self._trial = body["seed"], body["name"], body["choices"]
            self._seat([_arm(arm) for arm in body["arms"]])
            for name, part in self._solo.lasting().items():
                part[:] = array("d", map(float, body["memory"][name]))
            self._tickets = OpenTickets(Expiry(**body["expires"]), self._tickets.clock)
            self._tickets.restore(body["open"], float(body["time"]))
            self._open = self._tickets.arms
            self._recent = deque(body["recent"], RECENT)

    def __reduce__(self) -> Any:
        never = False if self._patience == math.inf else None
        settings: dict[str, Any] = {"clock": self._tickets.clock, "compile": never}
        return _revived, (self.agent, self.saved(), settings)

    def __repr__(self) -> str:
        return f"<Player {self.agent}, {len(self._arms)} arms, {self._trial} choices>"

    def _seat(self, arms: list[Arm]) -> None:
        self._solo = Solo(self.agent, len(arms), self.seed, self._patience)
        self._version += 1
        self._arms, self._places = arms, {arm: place for place, arm in enumerate(arms)}

    def _issue(self, allowed: frozenset[int] | None, now: float | None) -> Ticket:
        trial, tickets = self._trial + 1, self._tickets
        if trial >= TRIALS_MAX:
            whole_number("The number of choices", trial, 1, TRIALS_MAX)
        if trial > tickets.limit or tickets.timed or now is not None:
            at = tickets.at(now)
            due = tickets.due(trial, at)
            with self._solo.unharmed() if due else _NOTHING:
                self._learn_expired(due)
                place = self._decide(trial, allowed)
            tickets.close(due, at)
        else:
            place = self._decide(trial, allowed)
        arm = self._arms[place]
        self._note(trial, arm)
        about: Any = self, self._version, place
        if not self._whole:
            about = self.agent, len(self._arms), allowed, self._solo.snapshot(), place
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
        self._recent.append(arm)

    def _decide(self, trial: int, allowed: frozenset[int] | None) -> int:
        if allowed is None:
            place = self._solo.turn(trial, -1, 0)
            valid = 0 <= place < len(self._arms)
        else:
            place = self._solo.act_among(trial, allowed)
            valid = place in allowed
        if not valid:
            raise InputError(f"{self._label} made no valid choice in trial {trial}.")
        return place

    def _learn(self, number: int, outcome: int) -> None:
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
        tickets.close([*due, number] if number else due, at)

    def _learn_expired(self, due: Iterable[int]) -> None:
        outcome = self._tickets.expiry.outcome
        if outcome is not None:
            for number in due:
                self._learn(number, outcome)

    def _refuse_to_rearrange(self, arms: int) -> None:
        if self._whole:
            raise InputError(f"{self._label} cannot add or remove arms while it runs.")
        if self.agent.memory_size(arms) or len(self._solo.memory):
            label = self.agent.learner.label
            raise InputError(f"{label} has a memory besides its beliefs: its arms cannot change.")

    def _rearrange(self, arms: list[Arm]) -> None:
        before, places = self._solo.lasting(), self._places
        self._seat(arms)
        for name, row in self._solo.lasting().items():
            for place, arm in enumerate(arms):
                if arm in places and name != "memory":
                    row[place] = before[name][places[arm]]

    def _refuse_unless_among(self) -> None:
        if self._whole:
            raise InputError(f"{self._label} chooses among all its arms: among must be left out.")

    def _allowed(self, among: Iterable[Arm]) -> frozenset[int]:
        self._refuse_unless_among()
        allowed = frozenset(self._place(arm) for arm in listed("among", among, "['a', 'b']"))
        if not allowed:
            raise InputError("among must name at least one arm, not none.")
        return allowed

    def _place(self, arm: Arm) -> int:
        found = self._places.get(_arm(arm))
        if found is None:
            raise unknown("arm", arm, map(str, self._arms))
        return found


def load_player(
    path: str | os.PathLike,
    agent: Agent | Actor | None = None,
    *,
    clock: Callable[[], float] = time.time,
    compile: bool | None = None,
) -> Player:
    """Load the player saved at `path`; it continues as if it had never been stopped.

    A file never makes armwise import code, so you must pass an agent with your own components.

    >>> load_player("nowhere.json")
    Traceback (most recent call last):
    armwise.errors.InputError: There is no file nowhere.json.
    """
    body = state.read(path)
    try:
        if agent is None:
            agent = state.agent_of(body["agent"], path)
        elif state.description(agent) != body["agent"]:
            raise InputError(
                f"{path} was saved by {state.in_words(body['agent'])}, not by {agent}."
            )
        return _revived(agent, state.checked(body), {"clock": clock, "compile": compile})
    except InputError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        raise InputError(f"{path} does not hold the whole state of a player.") from problem


def _revived(agent: Any, body: dict[str, Any], settings: dict[str, Any]) -> Player:
    player = Player(agent, (0, 1), **settings)
    player.restore(body)
    return player


def _saved(part: memoryview) -> list[float | str]:
    # JSON has no infinities; a finite float is read back exactly as it was.
    return [value if math.isfinite(value) else str(value) for value in part]


def _arm(value: Any) -> Arm:
    if isinstance(value, str):
        return str(value)
    if isinstance(value, numbers.Integral) and not isinstance(value, bool):
        return int(value)
    raise InputError(f"An arm must be a string or a whole number, not {brief(value)}.")


def _arms(values: Any) -> list[Arm]:
    arms = [_arm(value) for value in listed("arms", values, "['a', 'b']")]
    if not 2 <= len(arms) < ARMS_MAX or len(set(arms)) < len(arms):
        raise InputError(f"arms must be at least 2 different ones, not {arms}.")
    return arms
