"""Every program has a process of its own that stays alive, so no thread pool meets another."""

import contextlib
import importlib
import importlib.util
import multiprocessing
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from rivals import c_program

MODULES = {
    "armwise": "armwise_program",
    "armwise, one thread": "armwise1_program",
    "JAX": "jax_program",
    "JAX 64": "jax64_program",
    "NumPy": "numpy_program",
    "C": "c_program",
    "pymab": "pymab_program",
}
NEEDS = {"JAX": "jax", "JAX 64": "jax", "NumPy": "scipy", "pymab": "pymab"}


def absent(program: str) -> str | None:
    """Why a program is left out, in one sentence."""
    if program == "C" and c_program.compiler() is None:
        return "C is left out: there is no C compiler `cc` here."
    if program in NEEDS and importlib.util.find_spec(NEEDS[program]) is None:
        return f"{program} is left out: the package {NEEDS[program]} is not installed."
    return None


class Workers:
    """The programs by name; `ask` calls a function of one and waits for what it returns."""

    def __init__(self, programs: list[str]) -> None:
        self.notes = [why for name in programs if (why := absent(name))]
        self.programs = [name for name in programs if not absent(name)]
        fresh = multiprocessing.get_context("spawn")
        self._pools = {name: ProcessPoolExecutor(1, fresh) for name in self.programs}

    def ask(self, program: str, function: str, *given: Any) -> Any:
        return self._pools[program].submit(_call, MODULES[program], function, given).result()

    def close(self) -> None:
        for pool in self._pools.values():
            pool.shutdown()


def _call(module: str, function: str, given: tuple[Any, ...]) -> Any:
    return getattr(importlib.import_module(f"rivals.{module}"), function)(*given)


@contextlib.contextmanager
def workers(*programs: str) -> Iterator[Workers]:
    found = Workers(list(programs))
    try:
        yield found
    finally:
        found.close()
