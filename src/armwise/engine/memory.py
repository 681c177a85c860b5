"""The state of agents: a table with numbers per arm, their memory, and what a way keeps."""

from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from armwise.engine import loop
from armwise.engine.binding import binder, slots_of_agent
from armwise.engine.ways import Way, defining_way
from armwise.errors import InputError, whole_number
from armwise.model.roles import Actor

MEMORY_MAX = (1 << 28) + 1  # numbers: 2 GiB per agent
NOTHING = {"nothing": float}  # a record cannot be empty


class Memory(NamedTuple):
    """The whole state, all zeros at first; arrays for many agents, or views for one."""

    table: Any
    memory: Any
    kept: Any


def memory_size_of(agent: Any, arms: int) -> int:
    """The length of an agent's memory, checked: a user's component says it."""
    try:
        size = agent.memory_size(arms)
    except Exception as problem:
        reason = f"{type(problem).__name__}: {str(problem).rstrip('.')}"
        raise InputError(f"{agent.label}.memory_size failed: {reason}.") from problem
    return whole_number(f"What {agent.label}.memory_size returns", size, 0, MEMORY_MAX)


def rows_of(agent: Any, way: Way) -> int:
    """The rows of the table; none for an actor, which keeps everything in its memory."""
    return 0 if isinstance(agent, Actor) else way.rows


def kept_of(agent: Any, way: Way) -> dict[str, Any]:
    """Names and types of the other numbers that are kept."""
    return NOTHING if isinstance(agent, Actor) else way.kept or NOTHING


def record_type(agent: Any, way: Way) -> np.dtype:
    """The NumPy type of the record of the other numbers."""
    return np.dtype(
        [
            (name, np.float64, (kind,)) if isinstance(kind, int) else (name, np.dtype(kind))
            for name, kind in kept_of(agent, way).items()
        ]
    )


def compiled_memory(agent: Any, way: Way, arms: int, agents: int) -> Memory:
    """Arrays with a row per agent, for compiled code."""
    return Memory(
        np.zeros((agents, rows_of(agent, way), arms)),
        np.zeros((agents, memory_size_of(agent, arms))),
        np.zeros(agents, dtype=record_type(agent, way)),
    )


def begun_memory(agent: Any, way: Way, arms: int) -> Memory:
    """Like `compiled_memory`, for one agent that has begun; all begin in the same state."""
    one = interpreted_memory(agent, arms, way)
    bound = binder(slots_of_agent(agent, way))
    bound(loop.begin)(agent, bound(loop.view)(*one), arms)
    begun = compiled_memory(agent, way, arms, 1)
    for row, values in enumerate(one.table):
        begun.table[:, row] = values
    begun.memory[:] = one.memory
    for name, value in vars(one.kept[0]).items():
        begun.kept[name] = value
    return begun


def interpreted_memory(agent: Any, arms: int, way: Way | None = None) -> Memory:
    """The memory of one agent for the interpreter: items are Python numbers, slices are views."""
    way = way or defining_way(agent)
    kept = {
        name: [0.0] * kind if isinstance(kind, int) else kind()
        for name, kind in kept_of(agent, way).items()
    }
    return Memory(
        views(np.zeros((rows_of(agent, way), arms))),
        views(np.zeros((1, memory_size_of(agent, arms))))[0],
        [SimpleNamespace(**kept)],
    )


def views(array: Any) -> list[memoryview]:
    """The rows of an array as memoryviews."""
    return [memoryview(row) for row in array]
