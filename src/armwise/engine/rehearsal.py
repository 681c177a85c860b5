"""A rehearsal: the first use of a component that does not come with armwise, interpreted.

Before anything is compiled, a few agents play a few trials, and the result of every method is
checked. A mistake then gives a message that names the method, not a compiler error. The choices of
the way that the engine will take are compared with those of the plain definition, which finds wrong
hints.
"""

import numbers
import time
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np

from armwise.engine import loop
from armwise.engine.binding import binder, slots_of_agent, slots_of_bandit
from armwise.engine.fingerprint import stamp
from armwise.engine.memory import interpreted_memory
from armwise.engine.plan import Plan
from armwise.engine.recording import ARM, slots_of_recording, width_of
from armwise.engine.shortcuts.spared import MARGIN
from armwise.engine.shortcuts.thompson import SHARED
from armwise.engine.source import is_own
from armwise.engine.stretch import End
from armwise.engine.ways import Way, defining_way, way_of
from armwise.errors import InputError
from armwise.model.component import Component
from armwise.model.roles import Actor, Assumed, Bandit, Choice, Learner, Policy, QuantilePolicy

TRIALS, AGENTS = 30, 2
LONG = 0.5  # seconds after which the rehearsal ends

_rehearsed: set[Any] = set()


def rehearse(plan: Plan) -> None:
    """Raise InputError if a user's component breaks the rules of its role."""
    own = [part for part in plan.parts if not is_own(part)]
    key = (plan.bandit, plan.agent, *((type(part), stamp(part)) for part in own))
    if not own or key in _rehearsed:
        return
    started = time.perf_counter()
    for row in range(min(AGENTS, plan.agents)):
        for trials in (1, 5, TRIALS):
            if trials <= plan.horizon and time.perf_counter() - started < LONG:
                _compare_ways(plan._replace(horizon=trials), row, own)
    _rehearsed.add(key)


def _compare_ways(plan: Plan, row: int, own: list[Component]) -> None:
    defining = defining_way(plan.agent)
    plain = _played(plan, row, defining, own)
    if isinstance(plan.agent, Actor) or way_of(plan.agent) == defining:
        return
    short = _played(plan, row, way_of(plan.agent), own)
    for trial, (expected, found) in enumerate(zip(plain, short, strict=True), start=1):
        if expected != found:
            raise InputError(
                f"{plan.agent.label}: a hint is wrong. Arm {expected} has the best score in trial "
                f"{trial} of agent {plan.first + row}, and arm {found} was chosen by the bounds."
            )


def _played(plan: Plan, row: int, way: Way, own: list[Component]) -> list[int]:
    """The arms that an agent chooses when interpreted."""
    slots = slots_of_bandit(plan.bandit) | slots_of_agent(plan.agent, way)
    for component in own:
        slots |= _watched(component, slots)
    slots |= {loop.make_bandit: lambda _: plan.bandit, loop.make_agent: lambda _: plan.agent}
    width, arms = width_of(["arm"], plan.bandit.arms), plan.bandit.arms
    play = binder(slots | slots_of_recording(width))(loop.play)
    records = [[0.0] * width for _ in range(plan.horizon)]
    end: End = play(
        None,
        None,
        plan._replace(checkpoints=np.arange(1, plan.horizon + 1)).stretch(row, 1, 1, plan.horizon),
        list(range(1, plan.horizon + 1)),
        [0.0] * loop.BANDIT_SIZE,
        [0.0] * arms,
        *interpreted_memory(plan.agent, arms, way),
        [0.0] * plan.horizon,
        records,
    )
    if end.wrong:
        raise plan.refuse(row, end)
    return [int(line[ARM]) for line in records]


def _watched(component: Component, slots: dict[Any, Any]) -> dict[Any, Any]:
    """The methods of a component, wrapped so that their results are checked."""
    wanted = dict(_RETURNS)
    if isinstance(component, QuantilePolicy) and component.stochastic:
        wanted[Policy.prepare] = (f"a tuple of at most {SHARED} floats", _floats)
    found: dict[Any, Any] = {
        hook: Watched(component.label, method, *wanted[hook])
        for hook, method in slots.items()
        if hook in wanted and not is_own(method) and _belongs(method, component)
    }
    if Policy.bounds in found and Policy.score in found:
        found[Policy.score] = Bounded(found[Policy.score], found[Policy.bounds])
    return found


def _belongs(method: Any, component: Component) -> bool:
    return method is getattr(type(component), method.__name__, None)


class Watched:
    """A method whose results are checked. Not a function, so the binder leaves it alone."""

    def __init__(
        self, label: str, method: Any, words: str, is_right: Callable[[Any], bool]
    ) -> None:
        self.where = f"{label}.{method.__name__}"
        self.method, self.words, self.is_right = method, words, is_right

    def __call__(self, *given: Any) -> Any:
        """Return the method's result if it is valid."""
        try:
            value = self.method(*given)
        except InputError:
            raise
        except Exception as problem:
            raise InputError(f"{self.where} failed: {_cause(problem)}.") from problem
        if not self.is_right(value):
            raise InputError(f"{self.where} must return {self.words}, not {value!r}.")
        return value


class Bounded:
    """A `score` method that is checked against the `bounds` method."""

    def __init__(self, score: Watched, bounds: Watched) -> None:
        self.score, self.bounds = score, bounds

    def __call__(
        self, policy: Any, shared: Any, arm: int, alpha: float, beta: float, rng: Any
    ) -> Any:
        """Return the score if it lies between its bounds."""
        value = self.score(policy, shared, arm, alpha, beta, rng)
        low, high = self.bounds(policy, shared, arm, alpha, beta)
        slack = MARGIN * (1.0 + abs(value))
        if value < low - slack or value > high + slack:
            raise InputError(
                f"{self.bounds.where} returned {low:g} and {high:g}, and the score of the arm with "
                f"belief Be({alpha:g}, {beta:g}) is {value:g}: it must lie between them."
            )
        return value


def _cause(problem: Exception) -> str:
    """An exception in words, with the line of the user's file."""
    last = traceback.extract_tb(problem.__traceback__)[-1]
    text = str(problem).rstrip(".") or "no message"
    return f"{type(problem).__name__}: {text} ({last.filename}, line {last.lineno})"


def _number(value: Any) -> bool:
    return isinstance(value, numbers.Real)  # the loop says in which trial it is NaN


def _whole(value: Any) -> bool:
    return isinstance(value, numbers.Integral)


def _two_numbers(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and all(map(_number, value))


def _floats(value: Any) -> bool:
    floats = isinstance(value, tuple) and all(isinstance(each, float) for each in value)
    return floats and len(value) <= SHARED


def _shared(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(map(_shared, value))
    return isinstance(value, numbers.Real)


_A_NUMBER = ("a number", _number)
_TWO = ("two numbers, as in `return low, high`", _two_numbers)
_SHARED = ("a number or a tuple of numbers", _shared)
_RETURNS: dict[Any, tuple[str, Callable[[Any], bool]]] = {
    Bandit.start: _A_NUMBER,
    Bandit.move: _A_NUMBER,
    Bandit.theta: _A_NUMBER,
    Learner.assume: ("an Assumed(rho, alpha0, beta0)", lambda value: isinstance(value, Assumed)),
    Learner.touches_all_arms: ("True or False", lambda value: value in (True, False)),
    Learner.change: _A_NUMBER,
    Learner.update: ("the new (alpha, beta)", _two_numbers),
    Policy.prepare: _SHARED,
    Policy.gather: _SHARED,
    Policy.conclude: _SHARED,
    Policy.score: _A_NUMBER,
    Policy.bounds: _TWO,
    Policy.lookahead_floor: _A_NUMBER,
    QuantilePolicy.probability: ("a probability", lambda value: _number(value) and 0 <= value <= 1),
    QuantilePolicy.belief: ("the (alpha, beta) of a Beta distribution", _two_numbers),
    QuantilePolicy.floor: _A_NUMBER,
    Choice.key: _A_NUMBER,
    Choice.lean: _A_NUMBER,
    Choice.habit_pace: _A_NUMBER,
    Choice.lapse_rate: _A_NUMBER,
    Actor.act: ("a whole number, the arm", _whole),
    Actor.learn: _A_NUMBER,
}
