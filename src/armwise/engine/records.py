"""Parameters as a vector of numbers, and the records that compiled code builds from it.

A change of a number never compiles anything, because numbers and tables of a component are passed
in the vector. This file defines the order of packing and unpacking.
"""

import collections
import functools
from array import array
from collections.abc import Iterable
from types import FunctionType
from typing import Any

from armwise.engine import loop
from armwise.model.component import Component, kind_of, parameters_of
from armwise.model.roles import Actor, Bandit

Slots = dict[Any, Any]
BUILT = "<armwise>"  # the file name of functions that are built here


def packed(*components: Component) -> list[float]:
    """The parameters as one list of numbers, in the order in which a builder reads them."""
    numbers: list[float] = []
    for component in components:
        tables = [getattr(component, name) for name in type(component).tables]
        for value in [*component.parameters().values(), *tables]:
            if isinstance(value, tuple | array):
                numbers += [float(len(value)), *value]
            else:
                numbers.append(float(value))
    return numbers


def kinds_of(component: type[Component]) -> dict[str, str]:
    """The kind of every parameter and table in the vector, by name."""
    kinds = {field.name: kind_of(field) for field in parameters_of(component)}
    return kinds | dict.fromkeys(component.tables, "vector") or {"nothing": "none"}


@functools.cache
def record_type(component: Any) -> Any:
    """The record that stands for a component in compiled code: a named tuple of its parameters."""
    return collections.namedtuple(component.__name__, list(kinds_of(component)))


@functools.cache
def agent_type(parts: tuple[type[Component], ...]) -> Any:
    """The record that stands for an agent in compiled code: a named tuple of its parts."""
    return collections.namedtuple("Agent", [part.role for part in parts])


def builders_of_bandit(bandit: Bandit, fixed: Iterable[str] = ()) -> Slots:
    """The function that builds the record of a bandit, as a slot of the loop."""
    return {loop.make_bandit: builder([bandit], fixed=fixed)}


def builders_of_agent(agent: Any, apart: bool = False) -> Slots:
    """The function that builds the record of an agent, as a slot of the loop."""
    kinds: Any = tuple(type(part) for part in agent.parts)
    whole = None if isinstance(agent, Actor) else agent_type(kinds)
    return {loop.make_agent: builder(list(agent.parts), whole, apart=apart)}


def builder(
    parts: list[Any], whole: Any = None, fixed: Iterable[str] = (), apart: bool = False
) -> FunctionType:
    """Return a function that builds records of components from their packed parameters.

    The values of the `fixed` parameters become constants: each value needs a kernel of its own.
    If `apart`, single numbers and vectors come as a pair of arrays, so that many agents with
    numbers of their own can share long vectors.
    """
    scope: dict[str, Any] = {"Whole": whole}
    lines, made = ["def make(packed):", "    at = 0"], []
    if apart:
        lines += ["    numbers, vectors = packed", "    begin = 0"]
    source = ("numbers", "vectors", "begin") if apart else ("packed", "packed", "at")
    for number, component in enumerate(parts):
        kind: Any = type(component)
        kinds = kinds_of(kind)
        scope[f"Part{number}"] = record_type(kind)
        for name, sort in kinds.items():
            lines += _unpack(f"part{number}_{name}", sort, *source)
            if name in fixed:
                lines.append(f"    part{number}_{name} = {getattr(component, name)!r}")
        values = ", ".join(f"part{number}_{name}" for name in kinds)
        made.append(f"Part{number}({values})")
    result = f"Whole({', '.join(made)})" if whole else made[0]
    text = "\n".join([*lines, f"    return {result}"])
    exec(compile(text, BUILT, "exec"), scope)
    return scope["make"]


def _unpack(target: str, kind: str, numbers: str, vectors: str, begin: str) -> list[str]:
    """Lines that read a number at `at`, or a vector at `begin`."""
    if kind == "none":
        return [f"    {target} = 0.0"]
    if kind == "vector":
        return [
            f"    size = int({vectors}[{begin}])",
            f"    {target} = {vectors}[{begin} + 1 : {begin} + 1 + size]",
            f"    {begin} += 1 + size",
        ]
    value = f"{numbers}[at]"
    read = {"float": value, "int": f"int({value})", "bool": f"{value} != 0.0"}[kind]
    return [f"    {target} = {read}", "    at += 1"]
