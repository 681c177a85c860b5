"""Let an agent decide inside a program: choose, observe later, save, go on after a restart.

A player runs the functions that simulations run, bound by `armwise.engine.binding` and interpreted:
with the same seed and the same outcomes it makes the choices of simulated agent 0. One thread at a
time: hold a lock around a player that threads share.
"""

import dataclasses
import hashlib
import json
import math
import numbers
import os
import secrets
from array import array
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from armwise import registry
from armwise.engine import definition as mind
from armwise.engine import loop
from armwise.engine.binding import rebind, slots_of
from armwise.engine.plan import memory_of
from armwise.engine.shortcuts import kept as swift
from armwise.errors import InputError, unknown, whole_number
from armwise.model.agent import Agent, refuse_unless_agent
from armwise.model.draws import ARMS_MAX, EVERY_ARM, MIND, NOT_DRAWN, TRIALS_MAX, Stream
from armwise.model.roles import Actor
from armwise.play.explain import probabilities

FORMAT, VERSION = "armwise player", 1
Arm = str | int


@dataclasses.dataclass(frozen=True, slots=True)
class Ticket:
    """A choice whose outcome may come later; its number is enough to report the outcome."""

    number: int
    arm: Arm
    probability: float | None  # of this choice, where the choice rule has one
    player: str = dataclasses.field(repr=False, compare=False)  # tells players' tickets apart

    @property
    def trial(self) -> int:
        """The trial of the choice: tickets are numbered by trial, from 1."""
        return self.number


class Player:
    """An agent (or a whole `Actor`) at work on named arms.

    An outcome is learned when it arrives, in any order. A call that is refused changes nothing.

    >>> from armwise import UCB, Agent
    >>> player = Player(Agent(UCB()), ["red", "green"], seed=7)
    >>> player.choose()
    Ticket(number=1, arm='red', probability=None)
    """

    def __init__(self, agent: Agent | Actor, arms: Iterable[Arm], seed: int = 0) -> None:
        refuse_unless_agent(agent)
        self.seed = whole_number("seed", seed, 0, 1 << 64)
        self.agent: Any = agent
        self._whole = isinstance(agent, Actor)
        self._label = agent.parts[0].label
        self._name = secrets.token_hex(8)
        self._trial = 0
        self._open: dict[int, Arm | None] = {}  # None: the arm was removed
        slots = slots_of(None, agent)  # bound once: a decision only calls
        self._begin, self._view = rebind(Actor.begin, slots), rebind(loop.view, slots)
        self._act, self._learn = rebind(Actor.act, slots), rebind(Actor.learn, slots)
        if not self._whole:
            self._appraise, self._pick = rebind(mind.appraise, slots), rebind(mind.pick, slots)
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
        if self._whole:
            raise InputError(f"{self._label} keeps no Beta beliefs.")
        alpha, beta = self._mind.alpha, self._mind.beta
        return {arm: (alpha[place], beta[place]) for arm, place in self._places.items()}

    def choose(self, among: Iterable[Arm] | None = None) -> Ticket:
        """Choose an arm, of all or of those in `among`."""
        trial = self._trial + 1
        whole_number("The number of choices", trial, 1, TRIALS_MAX)
        allowed = None if among is None else self._allowed(among)
        place, probability = self._decide(trial, allowed)
        if place not in (range(len(self._arms)) if allowed is None else allowed):
            raise InputError(f"{self._label} makes no usable choice in trial {trial}.")
        self._trial = trial
        self._open[trial] = self._arms[place]
        return Ticket(trial, self._arms[place], probability, self._name)

    def observe(self, ticket: Ticket | int, outcome: int) -> None:
        """Learn the outcome (0 or 1) of a ticket, which is given itself or by its number.

        If its arm was removed meanwhile, the outcome is dropped, even if the name came back.
        """
        number, result = self._number(ticket), _outcome(outcome)
        arm = self._open[number]
        if arm is not None:
            place = self._places[arm]
            self._unharmed(self._learn, number, place, result, self._stream(number))
        del self._open[number]

    def forget(self, ticket: Ticket | int) -> None:
        """Close a ticket whose outcome will not come: an open one takes a little memory."""
        del self._open[self._number(ticket)]

    def add_arm(self, arm: Arm) -> None:
        """A new arm, about which the agent believes what the learner's prior says."""
        arm = _arm(arm)
        if arm in self._places:
            raise InputError(f"There is an arm {arm!r} already.")
        self._rearrange([*self._arms, arm])

    def remove_arm(self, arm: Arm) -> None:
        """Take an arm and the beliefs about it away; outcomes of its open tickets are dropped."""
        gone = self._arms[self._place(arm)]
        if len(self._arms) == 1:
            raise InputError(f"The arm {gone!r} is the last, and at least one must remain.")
        self._rearrange([other for other in self._arms if other != gone])
        self._open |= {number: None for number, of in self._open.items() if of == gone}

    def save(self, path: str | os.PathLike) -> None:
        """Write the state to a JSON file: the old file stays until the new one is complete."""
        body = {
            "agent": description(self.agent),
            "seed": self.seed,
            "name": self._name,
            "arms": self._arms,
            "choices": self._trial,
            "open": list(self._open.items()),
            "memory": {name: _saved(part) for name, part in self._parts().items()},
        }
        state = {"format": FORMAT, "version": VERSION, "checksum": checksum(body), "body": body}
        _replace(Path(os.path.realpath(path)), json.dumps(state, indent=1, allow_nan=False) + "\n")

    def restore(self, body: dict[str, Any]) -> None:
        """Take over a saved state; `armwise.load_player` reads one from a file and checks it."""
        self._seat([_arm(arm) for arm in body["arms"]])
        for name, part in self._parts().items():
            part[:] = array("d", map(float, body["memory"][name]))
        self.seed, self._name, self._trial = body["seed"], body["name"], body["choices"]
        self._open = dict(body["open"])

    def _stream(self, trial: int) -> Stream:
        return Stream(self.seed & 0xFFFFFFFF, self.seed >> 32, 0, MIND, trial, EVERY_ARM, NOT_DRAWN)

    def _seat(self, arms: list[Arm]) -> None:
        tables, memory = memory_of(self.agent, len(arms), 1)
        parts = self._view([memoryview(row) for row in tables[0]], memoryview(memory[0]))
        self._begin(self.agent, parts, len(arms))
        self._arms, self._places = arms, {arm: place for place, arm in enumerate(arms)}
        self._memory, self._mind = (tables, memory), parts

    def _rearrange(self, arms: list[Arm]) -> None:
        if self._whole:
            raise InputError(f"{self._label} is a whole with its arms: they cannot change.")
        if self.agent.learner.memory_size(len(arms)) or len(self._mind.memory):
            label = self.agent.learner.label
            raise InputError(f"{label} keeps memory besides its beliefs: its arms cannot change.")
        beliefs = self.beliefs()
        self._seat(arms)
        for place, arm in enumerate(arms):
            if arm in beliefs:
                self._mind.alpha[place], self._mind.beta[place] = beliefs[arm]

    def _parts(self) -> dict[str, memoryview]:
        """What lasts from trial to trial (scores do not)."""
        if self._whole:
            return {"memory": self._mind}
        arms = len(self._arms)
        return {
            "alpha": self._mind.alpha[:arms],
            "beta": self._mind.beta[:arms],
            "memory": self._mind.memory,
        }

    def _unharmed(self, call: Any, *given: Any) -> Any:
        """Call a function of the agent; if it fails half-way, the memory is as before."""
        before = [part.copy() for part in self._memory]
        try:
            return call(self.agent, self._mind, len(self._arms), *given)
        except BaseException:
            for part, saved in zip(self._memory, before, strict=True):
                part[:] = saved
            raise

    def _decide(self, trial: int, allowed: set[int] | None) -> tuple[int, float | None]:
        rng = self._stream(trial)
        if allowed is None:
            place = self._unharmed(self._act, trial, rng)
        else:
            place = self._decide_among(trial, rng, allowed)
        # Of a policy that draws its scores, only the probability given the draw is known.
        if self._whole or not self.agent.choice.probabilistic or self.agent.policy.stochastic:
            return place, None
        places = range(len(self._arms)) if allowed is None else sorted(allowed)
        if place not in places:
            return place, None
        scores = [self._mind.score[place] for place in places]
        return place, probabilities(self.agent.choice, scores)[places.index(place)]

    def _decide_among(self, trial: int, rng: Stream, allowed: set[int]) -> int:
        self._unharmed(self._appraise, trial, rng)
        arms, scores = len(self._arms), self._mind.score
        for place in set(range(arms)) - allowed:
            scores[place] = -math.inf  # `pick` passes over these
        self._mind.state[swift.STALE] = swift.ALL
        return self._pick(self.agent.choice, scores, self._mind.key, arms, mind.choice_stream(rng))

    def _allowed(self, among: Iterable[Arm]) -> set[int]:
        if self._whole:
            raise InputError(f"{self._label} chooses among all its arms: among must be left out.")
        allowed = {self._place(arm) for arm in _listed("among", among)}
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
            raise InputError(f"A ticket must be a Ticket or its number, not {ticket!r}.")
        if number in self._open:
            return int(number)
        if 1 <= number <= self._trial:
            raise InputError(f"Ticket {number} is closed: it was observed or forgotten.")
        raise InputError(f"There is no ticket {number}: {self._trial} were issued so far.")


def description(agent: Agent | Actor) -> list[dict[str, Any]]:
    """The parts of an agent as plain data, and whether each is armwise's own."""
    found = []
    for part in agent.parts:
        role, name = part.role, part.label.lower()
        named = registry.known(role).get(name)
        own = named is not None and type(part).__module__ == named.__module__
        values = json.loads(json.dumps(part.telling()))  # lists for tuples, as a file has them
        found.append({"role": role, "name": name, "own": own, "parameters": values})
    return found


def checksum(body: Any) -> str:
    """The SHA-256 of the canonical JSON of a state."""
    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _replace(path: Path, text: str) -> None:
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        with open(draft, "x", encoding="ascii") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    except OSError as problem:
        draft.unlink(missing_ok=True)
        raise InputError(f"{path} cannot be written: {problem.strerror or problem}.") from problem


def _saved(part: memoryview) -> list[float | str]:
    # JSON has no infinities; a finite float is read back exactly as it was.
    return [value if math.isfinite(value) else str(value) for value in part]


def _listed(name: str, values: Any) -> list[Any]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InputError(f"{name} must be a list such as ['a', 'b'], not {values!r}.")
    return list(values)


def _arm(value: Any) -> Arm:
    if isinstance(value, str):
        return str(value)
    if isinstance(value, numbers.Integral) and not isinstance(value, bool):
        return int(value)
    raise InputError(f"An arm must be a string or a whole number, not {value!r}.")


def _arms(values: Any) -> list[Arm]:
    arms = [_arm(value) for value in _listed("arms", values)]
    if not 2 <= len(arms) < ARMS_MAX or len(set(arms)) < len(arms):
        raise InputError(f"arms must be at least 2 different ones, not {arms}.")
    return arms


def _outcome(value: Any) -> int:
    if isinstance(value, (numbers.Real, np.bool_)) and value in (0, 1):
        return 1 if value else 0
    raise InputError(f"An outcome must be 0 or 1, not {value!r}.")
