"""The methods of a user's component, with a check of every result.

Interpreted code runs through these, so a mistake is named with its method and its line.
"""

import math
import numbers
import traceback
from collections.abc import Callable
from typing import Any

from armwise.engine.binding import rebind
from armwise.engine.records import BUILT
from armwise.engine.shortcuts.spared import MARGIN
from armwise.engine.shortcuts.thompson import SHARED
from armwise.engine.source import OWN, is_own
from armwise.errors import InputError, brief
from armwise.model.component import Component
from armwise.model.quantile_policy import QuantilePolicy
from armwise.model.roles import Actor, Assumed, Bandit, Choice, Learner, Policy


def watched(component: Component, slots: dict[Any, Any]) -> dict[Any, Any]:
    """The methods of a user's component, wrapped so that their results are checked."""
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
        # What a user compiled runs interpreted here, too: Numba looks for no end of an array.
        self.method, self.words, self.is_right = rebind(method, {}), words, is_right

    def __call__(self, *given: Any) -> Any:
        """Return the method's result if it is valid."""
        try:
            value = self.method(*given)
        except InputError:
            raise
        except Exception as problem:
            raise InputError(f"{self.where} failed: {_cause(problem)}.") from problem
        if not self.is_right(value):
            raise InputError(f"{self.where} must return {self.words}, not {brief(value)}.")
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
    steps = traceback.extract_tb(problem.__traceback__)
    last = [steps[-1], *(step for step in steps if not step.filename.startswith((OWN, BUILT)))][-1]
    text = str(problem).rstrip(".") or "no message"
    return f"{type(problem).__name__}: {text} ({last.filename}, line {last.lineno})"


def _number(value: Any) -> bool:
    try:  # the loop says in which trial it is NaN
        return isinstance(value, numbers.Real) and isinstance(float(value), float)
    except OverflowError:  # a whole number beyond all floats
        return False


def _whole(value: Any) -> bool:
    return isinstance(value, numbers.Integral)


def _two_numbers(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and all(map(_number, value))


def _numbers(value: Any) -> bool:
    return isinstance(value, tuple) and all(map(_number, value))


def _belief(value: Any) -> bool:
    return _two_numbers(value) and not any(math.isnan(each) for each in value)


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
    Bandit.luck: _A_NUMBER,
    Learner.assume: ("an Assumed(rho, alpha0, beta0)", lambda value: isinstance(value, Assumed)),
    Learner.touches_all_arms: ("True or False", lambda value: value in (True, False)),
    Learner.change: _A_NUMBER,
    Learner.update: ("the new (alpha, beta), and neither may be NaN", _belief),
    Policy.prepare: _SHARED,
    Policy.gather: _SHARED,
    Policy.conclude: _SHARED,
    Policy.score: _A_NUMBER,
    Policy.normal_draw: ("a mean and a standard deviation", _two_numbers),
    Policy.terms: ("a tuple with a number for each of its term_names", _numbers),
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
