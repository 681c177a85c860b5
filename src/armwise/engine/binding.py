"""Bind components into the loop: the one place where plain functions meet their twins.

`armwise.engine.loop` and `armwise.engine.definition` call names that stand for methods of components. `rebind` makes a
copy of a function whose global names point to the methods at hand, and so on through everything it
calls; given a compiler, every copy is compiled. Python runs the same copies without one.
"""

import ast
import collections
import dis
import hashlib
import inspect
import textwrap
import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from armwise.engine import definition as mind
from armwise.engine import loop
from armwise.engine.shortcuts import (
    kept as swift,
)
from armwise.engine.shortcuts import (
    lookahead as pledges,
)
from armwise.engine.shortcuts import (
    monotone as boxes,
)
from armwise.engine.shortcuts import (
    thompson as chances,
)
from armwise.errors import InputError
from armwise.model.agent import Agent
from armwise.model.component import Component, kind_of, parameters_of
from armwise.model.roles import Actor, Bandit, Choice, Learner, Policy

Slots = dict[Any, Any]

_ROLES = {
    Bandit: ("start", "move", "theta"),
    Learner: ("begin", "assume", "spreads", "change", "update"),
    Policy: (
        "prepare",
        "gather",
        "conclude",
        "score",
        "floor",
        "ceiling",
        "pledge",
        "odds",
        "steady",
        "below",
    ),
    Choice: ("key", "log_weight"),
    Actor: ("begin", "act", "learn"),
}
_OPTIONAL = {
    Learner.begin,
    Learner.spreads,
    Policy.prepare,
    Policy.gather,
    Policy.conclude,
    Policy.floor,
    Policy.ceiling,
    Policy.pledge,
    Policy.odds,
    Policy.steady,
    Policy.below,
    Choice.log_weight,
    Actor.begin,
}


def slots_of(bandit: Bandit | None, agent: Agent | Actor, plain: bool = False) -> Slots:
    """Which function takes the place of which name of the loop.

    A composed agent takes the shortcuts that its parts allow, unless it is to be `plain`.
    """
    slots: Slots = {}
    if bandit is not None:
        slots.update(_methods(bandit, Bandit))
    if isinstance(agent, Actor):
        return slots | _methods(agent, Actor)
    slots |= _plain_way() if plain else _swift_way(agent)
    if type(agent.policy).gather is not Policy.gather:
        slots[mind.overview] = mind.gathered
    for part, role in ((agent.policy, Policy), (agent.learner, Learner), (agent.choice, Choice)):
        slots |= _methods(part, role)
    return slots


def _plain_way() -> Slots:
    return {
        Actor.begin: mind.composed_begin,
        Actor.act: mind.composed_act,
        Actor.learn: mind.composed_learn,
        loop.view: mind.composed_view,
    }


def _swift_way(agent: Agent) -> Slots:
    slots = {
        Actor.begin: swift.swift_begin,
        Actor.act: swift.search,
        Actor.learn: swift.swift_learn,
        loop.view: swift.swift_view,
    }
    policy, choice = type(agent.policy), type(agent.choice)
    if not choice.greedy:
        return slots | {Actor.act: mind.composed_act}
    if policy.gather is not Policy.gather:  # a score depends on all beliefs
        if policy.pledge is not Policy.pledge:
            slots[Actor.act] = pledges.pledged_act
        elif policy.ceiling is not Policy.ceiling:
            slots[Actor.act] = swift.screened
        return slots
    if policy.lasts:
        slots |= {Actor.act: swift.settled_act, Actor.learn: swift.settled_learn}
    if policy.ceiling is not Policy.ceiling:
        slots |= {swift.search: swift.screened, Actor.learn: swift.swift_learn}
        slots |= {} if policy.lasts else {Actor.act: swift.screened}
    if policy.odds is not Policy.odds:
        slots |= {Actor.act: chances.chancy_act, loop.view: chances.chancy_view}
    if policy.monotone:
        slots |= {
            Actor.begin: boxes.boxed_begin,
            Actor.act: boxes.boxed_act,
            loop.view: boxes.boxed_view,
        }
    return slots


def table_rows(agent: Agent | Actor, plain: bool = False) -> int:
    """How many numbers per arm an agent remembers; an actor keeps all it knows in its memory."""
    if isinstance(agent, Actor):
        return 0
    if plain:
        return mind.ROWS
    rows = {boxes.boxed_view: boxes.ROWS, chances.chancy_view: chances.ROWS}
    return rows.get(_swift_way(agent)[loop.view], swift.ROWS)


def _methods(component: Component, role: type) -> Slots:
    found = {}
    for name in _ROLES[role]:
        expected, given = getattr(role, name), getattr(type(component), name)
        if given is expected and expected not in _OPTIONAL:
            raise InputError(f"{component.label} defines no {name}{inspect.signature(expected)}.")
        if given is not expected:
            _check_method(component, name, expected, given)
        found[expected] = given
    return found


def _check_method(component: Component, name: str, expected: Any, given: Any) -> None:
    wanted = list(inspect.signature(expected).parameters)
    if not inspect.isfunction(given) or given.__code__.co_argcount != len(wanted):
        raise InputError(f"{component.label}.{name} must take ({', '.join(wanted)}).")
    previous = ""
    for step in dis.get_instructions(given):
        called = getattr(type(component), str(step.argval), None)
        if previous == given.__code__.co_varnames[0] and inspect.isfunction(called):
            raise InputError(
                f"{component.label}.{name} calls self.{step.argval}: write it as a function of the "
                "module, since compiled code knows the parameters of self only."
            )
        previous = str(step.argval)


def rebind(function: Any, slots: Slots, compiler: Callable | None = None) -> Any:
    """A copy of `function` with its names, and those of all it calls, bound by `slots`."""
    memo: dict[Any, Any] = {}

    def bound(value: Any) -> Any:
        value = slots.get(value, value) if isinstance(value, types.FunctionType) else value
        if not isinstance(value, types.FunctionType):
            return value
        if value not in memo:
            memo[value] = copy(value)
        return memo[value]

    def copy(plain: types.FunctionType) -> Any:
        # A cached kernel imports the module of every function in it: one that always exists.
        names = {"__name__": loop.__name__}
        names |= {name: bound(value) for name, value in globals_of(plain)}
        cells = tuple(types.CellType(bound(c.cell_contents)) for c in plain.__closure__ or ())
        twin = types.FunctionType(
            plain.__code__, names, plain.__name__, plain.__defaults__, cells or None
        )
        return compiler(twin) if compiler else twin

    return bound(function)


def globals_of(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    """The global names a function uses, with their values."""
    codes = [function.__code__]
    seen = set()
    while codes:
        code = codes.pop()
        codes += [item for item in code.co_consts if isinstance(item, types.CodeType)]
        for name in code.co_names:
            if name in function.__globals__ and name not in seen:
                seen.add(name)
                yield name, function.__globals__[name]


def builder(
    parts: list[tuple[str, Component]], whole: str | None = None, fixed: Iterable[str] = ()
) -> types.FunctionType:
    """A function that makes records of components from their packed parameters.

    It is compiled with the loop: a change of a number never compiles anything anew, unless its name
    is among the `fixed`, whose numbers the compiler is to know.
    """
    scope: dict[str, Any] = {}
    lines, made = ["def make(packed):", "    at = 0"], []
    for slot, component in parts:
        kinds = {field.name: kind_of(field) for field in parameters_of(type(component))}
        kinds |= dict.fromkeys(type(component).tables, "vector")
        kinds = kinds or {"nothing": "none"}
        scope[slot] = collections.namedtuple(type(component).__name__, list(kinds))
        for name, kind in kinds.items():
            lines += _unpack(f"{slot}_{name}", kind)
            if name in fixed:
                lines.append(f"    {slot}_{name} = {getattr(component, name)!r}")
        made.append(f"{slot}({', '.join(f'{slot}_{name}' for name in kinds)})")
    if whole:
        scope[whole] = collections.namedtuple(whole, [slot.lower() for slot, _ in parts])
        made = [f"{whole}({', '.join(made)})"]
    exec("\n".join([*lines, f"    return {made[0]}"]), scope)
    return scope["make"]


def _unpack(target: str, kind: str) -> list[str]:
    if kind == "none":
        return [f"    {target} = 0.0"]
    if kind == "vector":
        return [
            "    size = int(packed[at])",
            f"    {target} = packed[at + 1 : at + 1 + size]",
            "    at += 1 + size",
        ]
    read = {"float": "packed[at]", "int": "int(packed[at])", "bool": "packed[at] != 0.0"}[kind]
    return [f"    {target} = {read}", "    at += 1"]


def builders(bandit: Bandit | None, agent: Agent | Actor) -> Slots:
    """The builders of the world and the agent, for an engine that packs parameters."""
    slots: Slots = {}
    if bandit is not None:
        slots[loop.make_bandit] = builder([("Bandit", bandit)])
    if isinstance(agent, Actor):
        slots[loop.make_agent] = builder([("Actor", agent)])
    else:
        parts = [("Policy", agent.policy), ("Learner", agent.learner), ("Choice", agent.choice)]
        slots[loop.make_agent] = builder(parts, whole="Agent")
    return slots


def packed(*components: Component) -> list[float]:
    """The parameters as one list of numbers, in the order in which a builder reads them."""
    numbers: list[float] = []
    for component in components:
        tables = [getattr(component, name) for name in type(component).tables]
        for value in [*component.parameters().values(), *tables]:
            if isinstance(value, tuple):
                numbers += [float(len(value)), *value]
            else:
                numbers.append(float(value))
    return numbers


def fingerprint(function: Any, slots: Slots) -> str:
    """A hash of all code that `function` can reach: it changes when, and only when, that does."""
    digest = hashlib.sha256()
    seen = set()
    waiting = [function]
    while waiting:
        current = waiting.pop()
        current = slots.get(current, current)
        if current in seen:
            continue
        seen.add(current)
        digest.update(_text(current).encode())
        values = [(name, value) for name, value in globals_of(current)]
        cells = current.__closure__ or ()
        values += zip(current.__code__.co_freevars, (c.cell_contents for c in cells), strict=True)
        for name, value in values:
            if isinstance(value, types.FunctionType):
                waiting.append(value)
            elif isinstance(value, (int, float, str, tuple)):
                digest.update(f"{name}={value!r}".encode())
            elif isinstance(value, type) and hasattr(value, "_fields"):
                digest.update(f"{name}={value.__name__}{value._fields}".encode())
    return digest.hexdigest()


def _text(function: types.FunctionType) -> str:
    # Comments, annotations and docstrings do not count; where there is no source, the code does.
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):
        return _code_text(function.__code__)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.returns = None
            for argument in node.args.args:
                argument.annotation = None
            if ast.get_docstring(node) is not None:
                node.body = node.body[1:] or [ast.Pass()]
    return ast.unparse(tree)


def _code_text(code: types.CodeType) -> str:
    constants = [
        _code_text(item) if isinstance(item, types.CodeType) else repr(item)
        for item in code.co_consts
    ]
    return f"{code.co_code.hex()}{constants}{code.co_names}{code.co_varnames}"
