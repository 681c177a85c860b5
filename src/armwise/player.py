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

from armwise import loop, mind, registry
from armwise.engine.binding import parts_of, rebind, slots_of
from armwise.engine.plan import memory_size
from armwise.errors import InputError, unknown, whole_number
from armwise.explain import probabilities
from armwise.grammar import Actor, Composed
from armwise.random import ARMS_MAX, EVERY_ARM, MIND, TRIALS_MAX, Stream

FORMAT, VERSION = "armwise player", 1
SEEDS_MAX = 1 << 64


@dataclasses.dataclass(frozen=True, slots=True)
class Ticket:
    """A choice whose outcome may come later; its number is enough to report the outcome."""

    number: int
    arm: str | int
    probability: float | None  # of the choice, where the choice rule has one
    player: str = dataclasses.field(repr=False, compare=False)  # tells players' tickets apart

    @property
    def trial(self) -> int:
        """The trial in which the arm was chosen: tickets are numbered by trial, from 1."""
        return self.number


class Player:
    """An agent at work on named arms; `Agent.start` or `start` makes one.

    An outcome is learned when it arrives, in whatever order. A refused call changes nothing.

    >>> from armwise import Agent, ApproximateActiveInference
    >>> player = Agent(ApproximateActiveInference()).start(["red", "green", "blue"], seed=7)
    >>> first, second = player.choose(), player.choose()
    >>> player.observe(second, 1)
    >>> player.observe(first.number, 0)
    >>> player.observe(first, 0)
    Traceback (most recent call last):
    armwise.errors.InputError: Ticket 1 is closed: its outcome has come, or it was forgotten.
    """

    def __init__(self, agent: Composed | Actor, arms: Iterable[str | int], seed: int = 0) -> None:
        if not isinstance(agent, Actor) and not hasattr(agent, "policy"):
            raise InputError(f"A player needs an Agent(policy, learner), not {agent!r}.")
        self.agent: Any = agent
        self.seed = whole_number("seed", seed, 0, SEEDS_MAX)
        self._name = secrets.token_hex(8)
        self._trial = 0
        self._open: dict[int, str | int | None] = {}  # None: the arm is gone
        slots = slots_of(None, agent)  # bound once: a decision only calls
        self._begin, self._view = rebind(Actor.begin, slots), rebind(loop.view, slots)
        self._act, self._learn = rebind(Actor.act, slots), rebind(Actor.learn, slots)
        self._whole = isinstance(agent, Actor)
        if not self._whole:
            self._appraise, self._pick = rebind(mind.appraise, slots), rebind(mind.pick, slots)
        self._seat(_arms(arms))

    @property
    def arms(self) -> list[str | int]:
        """The arms that can be chosen now."""
        return list(self._arms)

    @property
    def open(self) -> list[int]:
        """The numbers of the tickets that wait for an outcome."""
        return list(self._open)

    @property
    def trial(self) -> int:
        """How many choices were made."""
        return self._trial

    def beliefs(self) -> dict[str | int, tuple[float, float]]:
        """The belief Be(alpha, beta) about every arm.

        >>> from armwise import Agent, UCB
        >>> Agent(UCB()).start([1, 2]).beliefs()
        {1: (1.0, 1.0), 2: (1.0, 1.0)}
        """
        if self._whole:
            raise InputError(f"{self._label} keeps no Beta beliefs.")
        return dict(zip(self._arms, zip(self._mind.alpha, self._mind.beta, strict=True), strict=True))

    def choose(self, among: Iterable[str | int] | None = None) -> Ticket:
        """Choose an arm, of all or of those in `among`."""
        trial = self._trial + 1
        if trial >= TRIALS_MAX:
            raise InputError(f"A player makes at most {TRIALS_MAX - 1} choices.")
        allowed = None if among is None else self._allowed(among)
        rng = self._stream(trial)
        if self._whole:
            place, probability = self._unharmed(self._act, trial, rng), None
        else:
            place, probability = self._decide(trial, rng, allowed)
        if not 0 <= place < len(self._arms) or not (allowed is None or place in allowed):
            raise InputError(f"{self._label} gave no usable choice in trial {trial}.")
        arm = self._arms[place]
        ticket = Ticket(trial, arm, probability, self._name)
        self._trial = trial
        self._open[trial] = arm
        return ticket

    def observe(self, ticket: Ticket | int, outcome: int) -> None:
        """Learn the outcome (0 or 1) of a ticket, given itself or by number.

        If its arm was removed meanwhile, the outcome is dropped, even if the name came back.
        """
        number = self._number(ticket)
        result = _outcome(outcome)
        arm = self._open[number]
        if arm is not None:
            place = self._places[arm]
            self._unharmed(self._learn, number, place, result, self._stream(number))
        del self._open[number]

    def forget(self, ticket: Ticket | int) -> None:
        """Close a ticket whose outcome will not come: an open one takes a little memory."""
        del self._open[self._number(ticket)]

    def add_arm(self, arm: str | int) -> None:
        """A new arm, about which the agent believes what the learner's prior says."""
        arm = _arm(arm)
        self._refuse_if_fixed()
        if arm in self._places:
            raise InputError(f"There is an arm {arm!r} already.")
        self._rearrange([*self._arms, arm])

    def remove_arm(self, arm: str | int) -> None:
        """Take an arm and the beliefs about it away; outcomes of its open tickets are dropped."""
        arm = self._arms[self._place(arm)]
        self._refuse_if_fixed()
        if len(self._arms) == 1:
            raise InputError(f"The arm {arm!r} is the last, and at least one must remain.")
        self._rearrange([other for other in self._arms if other != arm])
        lost = [number for number, of in self._open.items() if of == arm]
        self._open.update(dict.fromkeys(lost))

    def save(self, path: str | os.PathLike) -> None:
        """Write the state to a JSON file: the old file stays until the new one is complete."""
        body = {
            "agent": description(self.agent),
            "seed": self.seed,
            "name": self._name,
            "arms": self._arms,
            "choices": self._trial,
            "open": [[number, arm] for number, arm in self._open.items()],
            "memory": {name: _saved(part) for name, part in self._parts().items()},
        }
        state = {"format": FORMAT, "version": VERSION, "checksum": checksum(body), "body": body}
        _replace(Path(os.path.realpath(path)), json.dumps(state, indent=1, allow_nan=False) + "\n")

    def _restore(self, body: dict[str, Any]) -> None:
        for name, part in self._parts().items():
            part[:] = array("d", map(float, body["memory"][name]))
        self._name = str(body["name"])
        self._trial = whole_number("choices", body["choices"], 0, TRIALS_MAX)
        for number, arm in body["open"]:
            whole_number("ticket", number, 1, self._trial + 1)
            self._open[number] = arm if arm is None else self._arms[self._place(arm)]

    @property
    def _label(self) -> str:
        return parts_of(self.agent)[0].label

    def _stream(self, trial: int) -> Stream:
        return Stream(self.seed & 0xFFFFFFFF, self.seed >> 32, 0, MIND, trial, EVERY_ARM)

    def _seat(self, arms: list[str | int]) -> None:
        """An empty memory for these arms, begun by the agent."""
        memory = memoryview(array("d", bytes(8 * memory_size(self.agent, len(arms)))))
        parts = self._view(self.agent, memory, len(arms))
        self._begin(self.agent, parts, len(arms))
        self._arms, self._places = arms, {arm: place for place, arm in enumerate(arms)}
        self._memory, self._mind = memory, parts

    def _rearrange(self, arms: list[str | int]) -> None:
        beliefs = self.beliefs()
        self._seat(arms)
        for place, arm in enumerate(arms):
            if arm in beliefs:
                self._mind.alpha[place], self._mind.beta[place] = beliefs[arm]

    def _refuse_if_fixed(self) -> None:
        if self._whole:
            raise InputError(f"{self._label} has a memory of its own: its arms cannot change.")
        learner = self.agent.learner
        if learner.memory(len(self._arms)):
            raise InputError(f"{learner.label} keeps notes about the arms: they cannot change.")

    def _parts(self) -> dict[str, memoryview]:
        """What lasts from trial to trial: scores do not."""
        if self._whole:
            return {"memory": self._memory}
        return {name: getattr(self._mind, name) for name in ("alpha", "beta", "notes")}

    def _unharmed(self, call: Any, *given: Any) -> Any:
        """Call a function of the agent; if it fails half-way, the memory is as before."""
        before = self._memory.tobytes()
        try:
            return call(self.agent, self._mind, len(self._arms), *given)
        except BaseException:
            self._memory.cast("B")[:] = before
            raise

    def _decide(
        self, trial: int, rng: Stream, allowed: set[int] | None
    ) -> tuple[int, float | None]:
        self._unharmed(self._appraise, trial, rng)
        choice, scores = self.agent.choice, self._mind.score
        places = list(range(len(scores))) if allowed is None else sorted(allowed)
        if allowed is not None:
            for place in set(range(len(scores))) - allowed:
                scores[place] = -math.inf  # `pick` passes over these
        chances: dict[int, float] = {}
        # Of a policy that draws its scores, only the probability given the draw would be known.
        if choice.probabilistic and not self.agent.policy.stochastic:
            values = probabilities(choice, [scores[place] for place in places])
            chances = dict(zip(places, values, strict=True))
        place = self._pick(choice, scores, len(scores), mind.choice_stream(rng))
        return place, chances.get(place)

    def _allowed(self, among: Iterable[str | int]) -> set[int]:
        if self._whole:
            raise InputError(f"{self._label} chooses among all its arms: among must be left out.")
        allowed = {self._place(arm) for arm in _listed("among", among)}
        if not allowed:
            raise InputError("among must name at least one arm, not none.")
        return allowed

    def _place(self, arm: str | int) -> int:
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
            raise InputError(f"Ticket {number} is closed: its outcome has come, or it was forgotten.")
        raise InputError(f"There is no ticket {number}: tickets 1 to {self._trial} were issued.")


def start(agent: Composed | Actor, arms: Iterable[str | int], seed: int = 0) -> Player:
    """A player for an agent, composed or whole (an `Actor`)."""
    return Player(agent, arms, seed)


def description(agent: Composed | Actor) -> list[dict[str, Any]]:
    """The parts of an agent as plain data, and whether each is armwise's own.

    >>> from armwise import Agent, UCB
    >>> description(Agent(UCB()))[0]
    {'role': 'policy', 'name': 'ucb', 'own': True, 'parameters': {}}
    """
    return [
        {
            "role": part.role,
            "name": part.label.lower(),
            "own": own_class(part.role, part.label.lower()) is type(part),
            "parameters": {
                name: list(value) if isinstance(value, tuple) else value
                for name, value in part.parameters().items()
            },
        }
        for part in parts_of(agent)
    ]


def own_class(role: str, name: str) -> type | None:
    """The class of armwise's own that has this role and name, if there is one."""
    try:
        return registry.known(role).get(name)
    except KeyError:  # a role of which armwise has no component
        return None


def checksum(body: Any) -> str:
    """The SHA-256 of the canonical JSON of a state."""
    return hashlib.sha256(json.dumps(body, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def restored(agent: Composed | Actor, body: dict[str, Any]) -> Player:
    """The player whose state was saved as `body`."""
    player = Player(agent, body["arms"], body["seed"], least=1)
    player._restore(body)
    return player


def _replace(path: Path, text: str) -> None:
    """Write a file as a whole or not at all."""
    draft = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}.tmp")
    try:
        with open(draft, "x", encoding="ascii") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    except OSError as problem:
        raise InputError(f"{path} cannot be written: {problem.strerror or problem}.") from problem
    finally:
        draft.unlink(missing_ok=True)


def _saved(part: memoryview) -> list[float | str]:
    # JSON has no infinities; a finite float is read back exactly as it was written.
    return [value if math.isfinite(value) else str(value) for value in part]


def _listed(name: str, values: Any) -> list[Any]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InputError(f"{name} must be a list such as ['a', 'b'], not {values!r}.")
    return list(values)


def _arm(value: Any) -> str | int:
    if isinstance(value, str):
        return str(value)
    if isinstance(value, numbers.Integral) and not isinstance(value, bool):
        return int(value)
    raise InputError(f"An arm must be a string or a whole number, not {value!r}.")


def _arms(values: Any, least: int) -> list[str | int]:
    arms = [_arm(value) for value in _listed("arms", values)]
    if not least <= len(arms) < ARMS_MAX:
        raise InputError(f"There must be at least {least} arms, not {arms}.")
    for place, arm in enumerate(arms):
        if arm in arms[:place]:
            raise InputError(f"Arms must differ, and {arm!r} is there twice.")
    return arms


def _outcome(value: Any) -> int:
    if isinstance(value, (numbers.Real, np.bool_)) and value in (0, 1):
        return int(value)
    raise InputError(f"An outcome must be 0 or 1, not {value!r}.")
