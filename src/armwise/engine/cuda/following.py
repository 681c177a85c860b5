"""The kernel that follows recorded choices: one thread per person and vector of parameters.

The threads of a person read the same trials at the same time; what a thread keeps lies beside what
its neighbours keep. A launch follows a stretch of everybody's trials, and all state stays on the
card, so a launch may end anywhere without changing a bit of what is found.
"""

from typing import Any

from numba import cuda

from armwise.engine.binding import Slots, slots_of_agent
from armwise.engine.cuda.compile import compiled
from armwise.engine.cuda.ways import REWRITTEN
from armwise.engine.fingerprint import stamp
from armwise.engine.follow import follow_rows, forget
from armwise.engine.loop import begin, make_agent, view
from armwise.engine.records import builders_of_agent
from armwise.engine.ways import Way

WHOLE, BLOCK = 0, 1  # places of the log-likelihoods of earlier blocks, and of the one under way


def follow_kernel(
    task: Any,
    numbers: Any,
    vectors: Any,
    owners: Any,
    choices: Any,
    outcomes: Any,
    scored: Any,
    available: Any,
    shown: Any,
    begins: Any,
    blocks: Any,
    tables: Any,
    memories: Any,
    kept: Any,
    sums: Any,
    each: Any,
) -> None:
    """One thread follows the person `owners[place]` with the parameters `numbers[place]`.

    `task` holds the number of arms, the number of threads with work, and the first and the last
    (excluded) of the trials to follow, counted from 0 in everybody's own.
    """
    place = cuda.grid(1)
    if place < task[1]:
        person = owners[place]
        agent = make_agent((numbers[place], vectors))
        memory = memories[place]
        state = view(tables[place], memory, kept[place : place + 1])
        start = begins[blocks[person]]
        for block in range(blocks[person], blocks[person + 1]):
            first = max(begins[block], start + task[2])
            last = min(begins[block + 1], start + task[3])
            if first < last:
                if first == begins[block]:
                    sums[place, WHOLE] += sums[place, BLOCK]
                    sums[place, BLOCK] = 0.0
                    forget(memory)
                    begin(agent, state, task[0])
                sums[place, BLOCK] = follow_rows(
                    agent,
                    state,
                    task[0],
                    choices,
                    outcomes,
                    scored,
                    available,
                    shown,
                    begins[block],
                    first,
                    last,
                    sums[place, BLOCK],
                    each,
                )


_kernels: dict[Any, Any] = {}


def kernel(agent: Any, way: Way, more: Slots) -> Any:
    """The compiled kernel for the type of an agent, the way to follow it, and `more` slots."""
    parts = [(type(part), stamp(part)) for part in agent.parts]
    kind = way.name, *more.items(), *parts
    if kind not in _kernels:
        _kernels[kind] = compiled(*bound(agent, way, more))
    return _kernels[kind]


def bound(agent: Any, way: Way, more: Slots) -> tuple[Any, Slots]:
    """The uncompiled kernel, and the functions that replace the names in it."""
    slots = slots_of_agent(agent, way) | builders_of_agent(agent, apart=True)
    return follow_kernel, slots | REWRITTEN | more
