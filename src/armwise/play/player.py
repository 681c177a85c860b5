"""Let an agent decide inside a program: choose, observe later, save, continue after a restart.

A player interprets the same functions that simulations compile: with the same seed and the same
outcomes it makes the choices of the simulated agent 0. It is not thread-safe: hold a lock around a
player that threads share.
"""

import dataclasses
import math
import numbers
import os
import secrets
from array import array
from collections.abc import Iterable
from typing import Any

from armwise.engine.solo import Solo
from armwise.errors import InputError, brief, listed, outcome_of, unknown, whole_number
from armwise.model.agent import Agent, refuse_unless_agent
from armwise.model.draws import AGENT, ARMS_MAX, EVERY_ARM, NOT_DRAWN, TRIALS_MAX, Stream
from armwise.model.roles import AbstractAgent, Actor, Policy
from armwise.play import state
from armwise.play.explain import leans, probabilities

Arm = str | int


@dataclasses.dataclass(frozen=True, slots=True)
class Ticket:
    """A choice whose outcome may come later; its number is enough to report the outcome."""

    number: int
    arm: Arm
    probability: float | None  # of this choice, if the choice rule defines it
    player: str = dataclasses.field(repr=False, compare=False)  # the player that issued the ticket

    @property
    def trial(self) -> int:
        """The trial of the choice: tickets are numbered by trial, from 1."""
        return self.number


class Player:
    """An agent (an `Agent` or an `Actor`) that chooses between named arms.

    Outcomes are learned when they arrive, in any order; a habit follows a choice then, too. A
    refused call changes nothing.

    >>> from armwise import UCB, Agent
    >>> player = Player(Agent(UCB()), ["red", "green"], seed=7)
    >>> player.choose()
    Ticket(number=1, arm='red', probability=None)
    """

    def __init__(self, agent: AbstractAgent, arms: Iterable[Arm], seed: int = 0) -> None:
        refuse_unless_agent(agent)
        self.seed = whole_number("seed", seed, 0, 1 << 64)
        self.agent: Any = agent
        self._label = agent.parts[0].label
        self._name = secrets.token_hex(8)
        self._trial = 0
        self._open: dict[int, Arm | None] = {}  # None: the arm was removed
        self._seat(_arms(arms))

    @property
    def arms(self) -> list[Arm]:
        """The arms that can be chosen now."""
        return list(self._arms)

    @property
    def open(self) -> list[int]:
        """The numbers of the tickets that wait for an outcome."""
        return list(self._open)

    def beliefs(self) -> dict[Arm, tuple[float, float]]:
        """The belief Be(alpha, beta) about every arm, as (alpha, beta)."""
        if not isinstance(self.agent, Agent):
            raise InputError(f"{self._label} keeps no Beta beliefs.")
        alpha, beta = self._solo.state.alpha, self._solo.state.beta
        return {arm: (alpha[place], beta[place]) for arm, place in self._places.items()}

    def choose(self, among: Iterable[Arm] | None = None) -> Ticket:
        """Choose one of all arms, or of those in `among`."""
        trial = self._trial + 1
        whole_number("The number of choices", trial, 1, TRIALS_MAX)
        allowed = None if among is None else self._allowed(among)
        place, probability = self._decide(trial, allowed)
        if place not in (range(len(self._arms)) if allowed is None else allowed):
            raise InputError(f"{self._label} made no valid choice in trial {trial}.")
        self._trial = trial
        self._open[trial] = self._arms[place]
        return Ticket(trial, self._arms[place], probability, self._name)

    def observe(self, ticket: Ticket | int, outcome: int) -> None:
        """Learn the outcome (0 or 1) of a ticket, given as a `Ticket` or by its number.

        If its arm was removed meanwhile, the outcome is dropped, even if a new arm has that name.
        """
        number, result = self._number(ticket), outcome_of(outcome)
        arm = self._open[number]
        if arm is not None:
            place = self._places[arm]
            self._solo.learn(number, place, result, self._stream(number))
        del self._open[number]

    def forget(self, ticket: Ticket | int) -> None:
        """Close a ticket whose outcome will never come, which frees a little memory."""
        del self._open[self._number(ticket)]

    def add_arm(self, arm: Arm) -> None:
        """Add an arm; the belief about it is the learner's prior."""
        arm = _arm(arm)
        if arm in self._places:
            raise InputError(f"There already is an arm {brief(arm)}.")
        self._rearrange([*self._arms, arm])

    def remove_arm(self, arm: Arm) -> None:
        """Remove an arm and the belief about it; outcomes of its open tickets are dropped."""
        gone = self._arms[self._place(arm)]
        if len(self._arms) == 1:
            raise InputError(f"The arm {brief(gone)} is the last, and at least one must remain.")
        self._rearrange([other for other in self._arms if other != gone])
        self._open |= {number: None for number, of in self._open.items() if of == gone}

    def save(self, path: str | os.PathLike) -> None:
        """Write the state to a JSON file: the old file stays until the new one is complete."""
        body = {
            "agent": state.description(self.agent),
            "seed": self.seed,
            "name": self._name,
            "arms": self._arms,
            "choices": self._trial,
            "open": list(self._open.items()),
            "memory": {name: _saved(part) for name, part in self._solo.lasting().items()},
        }
        state.write(path, body)

    def restore(self, body: dict[str, Any]) -> None:
        """Adopt a saved state; `armwise.load_player` reads one from a file and checks it."""
        self._seat([_arm(arm) for arm in body["arms"]])
        for name, part in self._solo.lasting().items():
            part[:] = array("d", map(float, body["memory"][name]))
        self.seed, self._name, self._trial = body["seed"], body["name"], body["choices"]
        self._open = dict(body["open"])

    def _stream(self, trial: int) -> Stream:
        return Stream(
            self.seed & 0xFFFFFFFF, self.seed >> 32, 0, AGENT, trial, EVERY_ARM, NOT_DRAWN
        )

    def _seat(self, arms: list[Arm]) -> None:
        self._solo = Solo(self.agent, len(arms))
        self._arms, self._places = arms, {arm: place for place, arm in enumerate(arms)}

    def _rearrange(self, arms: list[Arm]) -> None:
        if not isinstance(self.agent, Agent):
            raise InputError(f"{self._label} cannot add or remove arms while it runs.")
        if self.agent.memory_size(len(arms)) or len(self._solo.parts.memory):
            label = self.agent.learner.label
            raise InputError(f"{label} has a memory besides its beliefs: its arms cannot change.")
        before, places = self._solo.lasting(), self._places
        self._seat(arms)
        for name, row in self._solo.lasting().items():
            for place, arm in enumerate(arms):
                if arm in places and name != "memory":
                    row[place] = before[name][places[arm]]

    def _decide(self, trial: int, allowed: set[int] | None) -> tuple[int, float | None]:
        rng = self._stream(trial)
        if allowed is None:
            place = self._solo.act(trial, rng)
        else:
            place, scores = self._solo.act_among(trial, rng, allowed)
        # If a policy draws its scores, only the probability given the draw is known.
        if isinstance(self.agent, Actor) or getattr(self.agent, "policy", Policy).stochastic:
            return place, None
        places = range(len(self._arms)) if allowed is None else sorted(allowed)
        if place not in places or not self.agent.choice.probabilistic:
            return place, None
        if allowed is None:
            scores = self._solo.state.score
        choice = self.agent.choice
        added = leans(choice, places, self._solo.habits())
        known = probabilities(choice, [scores[each] for each in places], added)
        return place, known[places.index(place)]

    def _allowed(self, among: Iterable[Arm]) -> set[int]:
        if isinstance(self.agent, Actor):
            raise InputError(f"{self._label} chooses among all its arms: among must be left out.")
        allowed = {self._place(arm) for arm in listed("among", among, "['a', 'b']")}
        if not allowed:
            raise InputError("among must name at least one arm, not none.")
        return allowed

    def _place(self, arm: Arm) -> int:
        found = self._places.get(_arm(arm))
        if found is None:
            raise unknown("arm", arm, map(str, self._arms))
        return found

    def _number(self, ticket: Ticket | int) -> int:
        if isinstance(ticket, Ticket) and ticket.player != self._name:
            raise InputError(f"{ticket} was issued by another player.")
        number = ticket.number if isinstance(ticket, Ticket) else ticket
        if isinstance(number, bool) or not isinstance(number, numbers.Integral):
            raise InputError(f"A ticket must be a Ticket or its number, not {brief(ticket)}.")
        if number in self._open:
            return int(number)
        if 1 <= number <= self._trial:
            raise InputError(f"Ticket {number} is closed: it was observed or forgotten.")
        raise InputError(f"There is no ticket {number}: {self._trial} were issued so far.")


def load_player(path: str | os.PathLike, agent: AbstractAgent | None = None) -> Player:
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
        player = Player(agent, (0, 1))
        player.restore(state.checked(body))
    except InputError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        raise InputError(f"{path} does not hold the whole state of a player.") from problem
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
