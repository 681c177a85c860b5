"""Kernels that are compiled in a background thread, while the same code is interpreted.

A request returns at once. One thread serves all requests of a process, and ends when none is left.
What it makes is kept on disk, so it is compiled once per machine and afterwards only loaded.
"""

import atexit
import contextlib
import os
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from armwise.engine.binding import slots_of_agent
from armwise.engine.fingerprint import stamp
from armwise.engine.memory import record_type
from armwise.engine.mishaps import compiler_in_words
from armwise.engine.records import Slots, builders_of_agent
from armwise.engine.turn import turn, turn_among
from armwise.engine.ways import Way, defining_way
from armwise.errors import InputError
from armwise.model.forms import REAL
from armwise.model.roles import AbstractAgent

Entry = Callable[..., Any]

_made: dict[Any, Entry | None] = {}  # None: it cannot be compiled
_alive: list[Any] = []  # what the machine code needs
_waiting: list[tuple[Any, Callable[[], Entry]]] = []
_lock = threading.Lock()
_making = threading.RLock()
_worker: threading.Thread | None = None
_closing = False
_orphaned = False  # forked while the parent compiled: the compiler may be locked for ever


def kind_of_kernel(agent: AbstractAgent, way: Way) -> Any:
    """What a kernel depends on: the types of the parts, their code, and the way."""
    return way.name, *((type(part), stamp(part)) for part in agent.parts)


def ready(kind: Any) -> Entry | None:
    """The machine code, if it is there already."""
    return _made.get(kind)


def request(kind: Any, compile: Callable[[], Entry]) -> None:
    """Have a kernel made in the background, unless that was done or tried before."""
    global _worker
    if kind in _made or _orphaned:
        return
    with _lock:
        if _closing or kind in _made or any(kind == each for each, _ in _waiting):
            return
        _waiting.append((kind, compile))
        if _worker is None:
            _worker = threading.Thread(target=_serve, name="armwise compiles", daemon=True)
            _worker.start()


def make(kind: Any, compile: Callable[[], Entry]) -> Entry:
    """The machine code: made before, on disk, or compiled now; raise InputError if it cannot be."""
    with _making:
        found = _made.get(kind)
        if found is None and _orphaned:
            raise InputError(
                "This process was forked while its parent compiled, so it cannot compile: fork "
                "before, or leave out compile=True."
            )
        if found is None:
            found = _made[kind] = compile()
        return found


def _serve() -> None:
    global _worker
    while True:
        with _lock:
            if _closing or not _waiting:
                _worker = None
                return
            kind, compile = _waiting[0]
        try:
            make(kind, compile)
        except Exception:  # it stays interpreted, which says what is wrong with it, if anything
            _made[kind] = None
        with _lock:
            _waiting.pop(0)


def turn_of(agent: AbstractAgent, way: Way) -> Entry:
    """Machine code of `turn` for an agent."""
    slots = slots_of_agent(agent, way) | builders_of_agent(agent)
    arrays = np.zeros(1), np.zeros((1, 1)), np.zeros(1), np.zeros(1, record_type(agent, way))
    outcome = 0.0 if agent.outcomes == REAL else 0
    with compiler_in_words(agent.parts):
        return entry_of(turn, slots, (*arrays, *([0] * 5), outcome))


def among_of(agent: AbstractAgent) -> Entry:
    """Machine code of `turn_among` for an agent."""
    way = defining_way(agent)
    slots = slots_of_agent(agent, way) | builders_of_agent(agent)
    row, kept = np.zeros(1), np.zeros(1, record_type(agent, way))
    example = (row, np.zeros((1, 1)), row, kept, row, *([0] * 4))
    with compiler_in_words(agent.parts):
        return entry_of(turn_among, slots, example)


def entry_of(function: Any, slots: Slots, example: tuple[Any, ...]) -> Entry:
    """Machine code of a function for arguments of the types of an example."""
    from numba import typeof  # slow to import, hence in the background

    from armwise.engine.compile import compiled

    kernel = compiled(function, slots, hold=True)
    signature = tuple(typeof(value) for value in example)
    kernel.compile(signature)
    _alive.append(kernel)
    # Numba's own call looks at every argument to find the kernel of its type: here it is known.
    return kernel.get_overload(signature)


@atexit.register
def _close() -> None:
    """Let the thread finish what it compiles: an interpreter must not end under a compiler."""
    global _closing
    with _lock:
        _closing = True
        worker = _worker
    if worker is not None:
        worker.join()


def _forget_the_parent() -> None:
    """A forked process has no such thread; what was in the making there is not made here."""
    global _worker, _lock, _making, _orphaned
    _lock, _making = threading.Lock(), threading.RLock()
    _orphaned = _orphaned or _worker is not None
    _worker = None
    _waiting.clear()


with contextlib.suppress(AttributeError):  # not on Windows
    os.register_at_fork(after_in_child=_forget_the_parent)
