"""Kernels of `turn`, compiled in a background thread while players are interpreted.

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
from armwise.engine.records import builders_of_agent
from armwise.engine.turn import turn
from armwise.engine.ways import Way
from armwise.model.agent import Agent
from armwise.model.roles import Actor

Entry = Callable[..., int]

_made: dict[Any, Entry | None] = {}  # None: it cannot be compiled
_alive: list[Any] = []  # what the machine code needs
_waiting: list[tuple[Any, Agent | Actor, Way]] = []
_lock = threading.Lock()
_making = threading.RLock()
_worker: threading.Thread | None = None
_closing = False


def kind_of_kernel(agent: Agent | Actor, way: Way) -> Any:
    """What a kernel depends on: the types of the parts, their code, and the way."""
    return way.name, *((type(part), stamp(part)) for part in agent.parts)


def ready(kind: Any) -> Entry | None:
    """The machine code, if it is there already."""
    return _made.get(kind)


def request(kind: Any, agent: Agent | Actor, way: Way) -> None:
    """Have a kernel made in the background, unless that was done or tried before."""
    global _worker
    with _lock:
        if _closing or kind in _made or any(kind == waiting[0] for waiting in _waiting):
            return
        _waiting.append((kind, agent, way))
        if _worker is None:
            _worker = threading.Thread(target=_serve, name="armwise compiles", daemon=True)
            _worker.start()


def make(kind: Any, agent: Agent | Actor, way: Way) -> Entry:
    """The machine code: made before, on disk, or compiled now; raise InputError if it cannot be."""
    with _making:
        found = _made.get(kind)
        if found is None:
            found = _made[kind] = _compiled(agent, way)
        return found


def _serve() -> None:
    global _worker
    while True:
        with _lock:
            if _closing or not _waiting:
                _worker = None
                return
            kind, agent, way = _waiting[0]
        try:
            make(kind, agent, way)
        except Exception:  # it stays interpreted, which says what is wrong with it, if anything
            _made[kind] = None
        with _lock:
            _waiting.pop(0)


def _compiled(agent: Agent | Actor, way: Way) -> Entry:
    from numba import typeof, types  # slow to import, hence in the background

    from armwise.engine.compile import compiled

    kernel = compiled(turn, slots_of_agent(agent, way) | builders_of_agent(agent), hold=True)
    record = typeof(np.zeros(1, record_type(agent, way)))
    plain = types.Array(types.float64, 1, "C")
    table = types.Array(types.float64, 2, "C")
    signature = (plain, table, plain, record, *([types.int64] * 6))
    with compiler_in_words(agent.parts):
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
    global _worker, _lock, _making
    _lock, _making, _worker = threading.Lock(), threading.RLock(), None
    for kind, _, _ in _waiting:  # the compiler may be locked for ever
        _made.setdefault(kind, None)
    _waiting.clear()


with contextlib.suppress(AttributeError):  # not on Windows
    os.register_at_fork(after_in_child=_forget_the_parent)
