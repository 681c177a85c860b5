"""Bind components into the loop.

The loop, the definition and the shortcuts call names that stand for methods of components.
`slots_of_bandit` and `slots_of_agent` say which function replaces which name. `rebind` copies a
function so that its global names point to these replacements, and likewise everything it calls.
Given a compiler, every copy is compiled; without one, Python runs the copies.
"""

import builtins
import inspect
import types
from collections.abc import Callable
from typing import Any

from armwise.engine import choosing, definition, loop
from armwise.engine.checks import check_method
from armwise.engine.code import globals_of, values_of
from armwise.engine.reach import holds_code, uncompiled
from armwise.engine.shortcuts import quantiles, spared
from armwise.engine.ways import Way, folds_over_arms
from armwise.errors import InputError
from armwise.model.agent import Chooser
from armwise.model.component import Component
from armwise.model.forms import REAL
from armwise.model.quantile_policy import QuantilePolicy
from armwise.model.roles import Actor, Bandit, Choice, Learner, Policy
from armwise.numerics.hook import HOOKS

Slots = dict[Any, Any]

_ROLES: dict[type, tuple[str, ...]] = {
    Bandit: ("start", "move", "theta", "luck"),
    Learner: (
        "begin",
        "assume",
        "touches_all_arms",
        "change",
        "update",
        "change_shown",
        "update_shown",
    ),
    Policy: (
        "prepare",
        "gather",
        "conclude",
        "score",
        "normal_draw",
        "terms",
        "bounds",
        "lookahead_floor",
    ),
    QuantilePolicy: ("probability", "belief", "floor", "change_rate", "settled"),
    Choice: ("key", "log_weight", "lean", "habit_pace", "lapse_rate"),
    Actor: ("begin", "act", "learn", "score_arms"),
}
_OPTIONAL = {
    Bandit.luck,
    Learner.begin,
    Learner.touches_all_arms,
    Learner.change_shown,
    Learner.update_shown,
    Policy.prepare,
    Policy.gather,
    Policy.conclude,
    Policy.normal_draw,
    Policy.terms,
    Policy.bounds,
    Policy.lookahead_floor,
    QuantilePolicy.belief,
    QuantilePolicy.floor,
    QuantilePolicy.change_rate,
    QuantilePolicy.settled,
    Choice.log_weight,
    Choice.lean,
    Choice.habit_pace,
    Choice.lapse_rate,
    Actor.begin,
    Actor.score_arms,
}


def slots_of_bandit(bandit: Bandit) -> Slots:
    """Map the names that the loop calls to the methods of a bandit."""
    slots = _methods(bandit, Bandit)
    return slots | {loop.proper: loop.proper_real} if bandit.outcomes == REAL else slots


def slots_of_agent(agent: Any, way: Way) -> Slots:
    """Map the names that the loop calls to the functions of an agent that is played in a way.

    An actor brings its own functions; the way matters only for an agent made of parts.
    """
    if isinstance(agent, Actor):
        return _methods(agent, Actor)
    if isinstance(agent, Chooser):
        return _slots_of_way(way) | _inner_slots(agent.actor) | _methods(agent.choice, Choice)
    slots = _slots_of_way(way)
    if agent.outcomes == REAL:
        slots |= {loop.pay: loop.pay_real}
    if folds_over_arms(type(agent.policy)):
        slots[definition.shared_by_arms] = definition.shared_folded
    if isinstance(agent.policy, QuantilePolicy):
        slots |= _quantile_slots(agent.policy)
    else:
        slots |= _methods(agent.policy, Policy)
    return slots | _methods(agent.learner, Learner) | _methods(agent.choice, Choice)


def _slots_of_way(way: Way) -> Slots:
    """The functions with which a way plays."""
    return {
        loop.view: way.view,
        loop.begin: way.begin,
        loop.act: way.act,
        loop.learn: way.learn,
        spared.search: way.search,
        definition.score_all: way.score,
        definition.probability_of_choice: way.probability,
        definition.chances_of_choice: way.chances,
        definition.pick_scored: way.pick,
    } | way.more


def _inner_slots(actor: Actor) -> Slots:
    """The methods of an actor under the names by which `choosing` calls them."""
    inner = {Actor.begin: choosing.begin_actor, Actor.learn: choosing.learn_actor}
    methods = _methods(actor, Actor)
    return {inner.get(name, name): method for name, method in methods.items() if name != Actor.act}


def _quantile_slots(policy: QuantilePolicy) -> Slots:
    """The engine's function that scores a quantile, and the methods that define the quantile."""
    slots = _methods(policy, Policy) | _methods(policy, QuantilePolicy)
    if policy.stochastic:
        return slots | {Policy.score: definition.drawn_score}
    if policy.upper:
        return slots | {
            Policy.score: definition.upper_quantile_score,
            quantiles.upper_tail: quantiles.upper_tail_stated,
        }
    return slots | {Policy.score: definition.lower_quantile_score}


def methods_of(component: Component) -> list[types.FunctionType]:
    """The methods of a component that an engine calls."""
    names = ["memory_size"]
    for role, more in _ROLES.items():
        names += more if isinstance(component, role) else ()
    found = [getattr(type(component), name, None) for name in names]
    return [each for each in found if isinstance(each, types.FunctionType)]  # others are refused


def _methods(component: Component, role: type) -> Slots:
    optional = _OPTIONAL
    if isinstance(component, QuantilePolicy):
        optional = optional | {QuantilePolicy.probability} if component.stochastic else optional
    found = {}
    for name in _ROLES[role]:
        expected, given = getattr(role, name), getattr(type(component), name)
        if given is expected and expected not in optional:
            arguments = ", ".join(inspect.signature(expected).parameters)
            raise InputError(f"{component.label} defines no {name}({arguments}).")
        if given is not expected:
            check_method(component, name, expected, given)
        found[expected] = given
    return found


def rebind(function: Any, slots: Slots, compiler: Callable | None = None) -> Any:
    """Copy `function` with its names, and those of everything it calls, replaced by `slots`."""
    return binder(slots, compiler)(function)


def binder(slots: Slots, compiler: Callable | None = None) -> Callable[[Any], Any]:
    """Return a `rebind` for several functions, which share the copies of what they call."""
    for replaced in slots:
        assert replaced in HOOKS, f"{replaced.__qualname__} is not marked as a hook"
    memo: dict[Any, Any] = {}

    def bound(value: Any) -> Any:
        if holds_code(value) and type(value) is tuple:
            return tuple(map(bound, value))
        value = uncompiled(value)
        value = slots.get(value, value) if isinstance(value, types.FunctionType) else value
        if not isinstance(value, types.FunctionType):
            return value
        if value not in memo:
            copy(value)
        return memo[value]

    def copy(plain: types.FunctionType) -> None:
        # A kernel from disk imports the module of every function in it, so that must always exist.
        names: dict[str, Any] = {"__name__": loop.__name__, "__builtins__": builtins}
        cells = tuple(types.CellType(bound(c.cell_contents)) for c in plain.__closure__ or ())
        twin = types.FunctionType(
            plain.__code__, names, plain.__name__, plain.__defaults__, cells or None
        )
        memo[plain] = twin  # a function may call itself
        names |= {name: bound(value) for name, value in globals_of(plain)}
        for path, value in values_of(plain):
            if len(path) > 1 and holds_code(value):
                names[path[0]] = _grafted(names[path[0]], path[1:], bound(value))
        if compiler:
            memo[plain] = compiler(twin)
            names |= {name: memo[plain] for name, value in names.items() if value is twin}

    return bound


def _grafted(module: types.ModuleType, path: tuple[str, ...], value: Any) -> types.ModuleType:
    """Copy a module so that a path of names in it leads to another value."""
    twin = types.ModuleType(module.__name__)
    twin.__dict__.update(vars(module))
    name, *rest = path
    setattr(twin, name, _grafted(getattr(module, name), tuple(rest), value) if rest else value)
    return twin
