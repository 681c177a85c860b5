"""Let an agent decide inside a program: choose, observe later, save, continue after a restart.

A player interprets the same functions that simulations compile, and after some decisions calls
machine code made from them: with the same seed and the same outcomes it makes the choices of the
simulated agent 0. Its state is a function of the seed and of the calls that were accepted, with
their times. Threads may share a player.
"""

import math
import os
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any, overload

from armwise.errors import InputError, brief, outcome_of
from armwise.model.forms import finite
from armwise.model.roles import AbstractAgent
from armwise.play import forks, state
from armwise.play.arms import Arm, arm_of
from armwise.play.deciding import Deciding
from armwise.play.summary import Seen, Summary, summary
from armwise.play.tickets import Expiry, Ticket, expiry_of


class Player(Deciding):
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
        agent: AbstractAgent,
        arms: Iterable[Arm],
        seed: int = 0,
        *,
        expires: Expiry | Any = None,
        clock: Callable[[], float] = time.time,
        compile: bool | None = None,
    ) -> None:
        self._lock = threading.RLock()
        super().__init__(agent, arms, seed, expiry_of(expires), clock, compile)
        if compile:
            self._solo.compile()
        forks.survive(self, forks.players)

    def hold(self) -> None:
        """Before a fork: no other thread is in a call."""
        self._lock.acquire()

    def let_go(self) -> None:
        """After a fork, in both processes."""
        self._lock.release()

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
    def expires(self) -> Expiry:
        """When tickets without an outcome expire, and what that means."""
        return self._tickets.expiry

    @property
    def timed(self) -> bool:
        """Whether tickets expire in time, so that it matters when a call is made."""
        return self._tickets.timed

    @property
    def compiled(self) -> bool:
        """Whether decisions are made by machine code already."""
        return self._solo.compiled

    def beliefs(self) -> dict[Arm, tuple[float, float]]:
        """The belief Be(alpha, beta) about every arm, as (alpha, beta).

        A normal belief is (mean, variance).
        """
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
        return summary(self.seen())  # takes a while

    def seen(self) -> Seen:
        """What a summary is made of, copied while nobody changes it."""
        with self._lock:
            solo = self._solo
            failures, count = self._failures(), len(self._open)
            numbers = solo.memory.tobytes() if self._whole else solo.snapshot_with(failures)
            general = self.agent, self.arms, self.seed, self._trial, count, solo.compiled
            return Seen(*general, list(self._recent), numbers, failures is not None)

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
                pass
            self._note(trial, self._arms[place])

    def observe(self, ticket: Ticket | int, outcome: float, *, now: float | None = None) -> None:
        """Learn the outcome of a ticket, given as a `Ticket` or by its number.

        It is 0 or 1, or a finite number for an agent with normal beliefs.
        If its arm was removed meanwhile, the outcome is dropped, even if a new arm has that name.
        """
        kind = type(outcome)
        plain = not self._real and (kind is int or kind is bool) and 0 <= outcome <= 1
        result = outcome if plain else finite(outcome) if self._real else outcome_of(outcome)
        with self._lock:
            if self._tickets.timed or now is not None:
                with self._after_expiry(now, ticket) as number:
                    self._learn(number, result)
                return
            number = ticket[0] if isinstance(ticket, Ticket) and ticket[2] == self._name else 0
            if number not in self._open:
                number = self._tickets.number_of(ticket, self._name, self._trial)
            self._learn(number, result)
            if self._waiting is None:
                del self._open[number]
            else:
                self._close([number], self._tickets.time)

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
        arm = arm_of(arm)
        with self._lock:
            if arm in self._places:
                raise InputError(f"There already is an arm {brief(arm)}.")
            arms = [*self._arms, arm]
            self._refuse_to_rearrange(arms)
            with self._after_expiry(now):
                self._rearrange(arms)

    def remove_arm(self, arm: Arm, *, now: float | None = None) -> None:
        """Remove an arm and the belief about it; outcomes of its open tickets are dropped."""
        with self._lock:
            gone = self._arms[self._place(arm)]
            if len(self._arms) == 1:
                raise InputError(f"The arm {brief(gone)} is the last; at least one must remain.")
            arms = [other for other in self._arms if other != gone]
            self._refuse_to_rearrange(arms)
            with self._after_expiry(now):
                self._rearrange(arms)
                self._open |= {number: None for number, of in self._open.items() if of == gone}

    def save(self, path: str | os.PathLike) -> None:
        """Write the state to a JSON file: the old file stays until the new one is complete."""
        state.write(path, self.saved())

    def saved(self) -> dict[str, Any]:
        """The state as plain data, as `save` writes it and `restore` adopts it."""
        with self._lock:
            return super().saved()

    def restore(self, body: dict[str, Any]) -> None:
        """Adopt a saved state; `armwise.load_player` reads one from a file and checks it."""
        with self._lock:
            super().restore(body)

    def __reduce__(self) -> Any:
        never = False if self._patience == math.inf else None
        settings: dict[str, Any] = {"clock": self._tickets.clock, "compile": never}
        return _revived, (self.agent, self.saved(), settings)

    def __repr__(self) -> str:
        return f"<Player {self.agent}, {len(self._arms)} arms, {self._trial} choices>"


def load_player(
    path: str | os.PathLike,
    agent: AbstractAgent | None = None,
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
