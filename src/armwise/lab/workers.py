"""Processes beside the server: one interprets, one compiles, one fits.

So the server always answers. An agent of a kind whose kernels are not there yet is traced by the
interpreter, whose numbers are equal. Meanwhile another process compiles, and writes the kernels to
disk, where the server finds them.
"""

import asyncio
import multiprocessing
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

from armwise.errors import InputError
from armwise.lab.copies import compile_copies
from armwise.lab.fitting import fitted_row
from armwise.lab.parts import Shelf, kind_of, kind_of_agent
from armwise.lab.reveal import rows_of
from armwise.lab.saving import trace_file
from armwise.lab.tracing import trace_of

Kind = tuple[str, str]  # what is asked for, and the names of all components

_shelf: Shelf  # of a worker


def _begin(files: list[Path]) -> None:
    global _shelf
    os.environ["ARMWISE_QUIET"] = "1"
    _shelf = Shelf(files)


def _traced(asked: dict[str, Any], device: str) -> bytes:
    return trace_of(_shelf, asked, device)


def _fitted(label: str, played: Any, arms: int) -> dict[str, Any]:
    return fitted_row(label, played.choices, played.outcomes, arms)


def _filed(asked: dict[str, Any]) -> bytes:
    return trace_file(_shelf, asked, "python")


def _compile(what: str, asked: dict[str, Any]) -> None:
    if what == "trace":
        trace_of(_shelf, asked | {"horizon": 1}, "cpu")
    else:
        compile_copies(_shelf, asked)


def _rows(asked: dict[str, Any], played: Any) -> list[Any]:
    return rows_of(_shelf, asked, played)


class Workers:
    """The processes, and what is compiled by now."""

    def __init__(self, files: Iterable[str | Path] = ()) -> None:
        self.shelf = Shelf(files)
        self.ready: set[Kind] = set()
        self._refused: dict[Kind, InputError] = {}  # what cannot be compiled
        self._coming: dict[Kind, asyncio.Task] = {}
        self._slow, self._compiler, self._fitter = (Process(self.shelf.files) for _ in range(3))

    def warm_up(self) -> None:
        """Start the process that the first picture waits for; the others start when asked."""
        self._slow.submit(os.getpid)

    def close(self) -> None:
        """End all processes, whatever they do."""
        for process in (self._slow, self._compiler, self._fitter):
            process.close()

    async def interpreted(self, asked: dict[str, Any]) -> bytes:
        """The answer to a question about a trace, from the interpreter."""
        return await self._slow.call(_traced, asked, "python")

    async def file(self, asked: dict[str, Any]) -> bytes:
        """A trace as a netCDF file."""
        return await self._slow.call(_filed, asked)

    async def revealed(self, asked: dict[str, Any], played: Any) -> list[Any]:
        """What each agent would have done in the bandit of a run."""
        return await self._slow.call(_rows, asked, played)

    async def fitted(self, label: str, played: Any, arms: int) -> dict[str, Any]:
        """A candidate fitted to the choices of a run."""
        return await self._fitter.call(_fitted, label, played, arms)

    def is_ready(self, what: str, asked: dict[str, Any]) -> bool:
        """Whether the kernels are there for what is asked."""
        return _kind(what, asked) in self.ready

    async def compile(self, what: str, asked: dict[str, Any]) -> None:
        """Compile for what is asked ("trace" or "copies"), and load it; once for everybody.

        Whoever stops to wait does not stop the compiler.
        """
        kind = _kind(what, asked)
        if kind in self._refused:
            raise self._refused[kind]
        if kind not in self._coming:
            self._coming[kind] = asyncio.create_task(self._compiled(kind, what, asked))
        await asyncio.shield(self._coming[kind])

    async def _compiled(self, kind: Kind, what: str, asked: dict[str, Any]) -> None:
        try:
            await self._compiler.call(_compile, what, asked)
            load = trace_of if what == "trace" else compile_copies
            given = (asked | {"horizon": 1}, "cpu") if what == "trace" else (asked,)
            await asyncio.to_thread(load, self.shelf, *given)  # from the disk
            self.ready.add(kind)
        except InputError as problem:
            self._refused[kind] = problem
            raise
        finally:
            self._coming.pop(kind, None)


class Process:
    """One process that does one thing after the other, and is replaced if it dies."""

    def __init__(self, files: list[Path]) -> None:
        self.files = files
        self._pool = self._started()

    def _started(self) -> ProcessPoolExecutor:
        context = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(1, context, _begin, (self.files,))

    def submit(self, function: Callable[..., Any], *given: Any) -> Any:
        """The future of a call."""
        return self._pool.submit(function, *given)

    async def call(self, function: Callable[..., Any], *given: Any) -> Any:
        """The result of a call."""
        try:
            return await asyncio.wrap_future(self.submit(function, *given))
        except BrokenProcessPool:
            self._pool = self._started()
            raise InputError(
                "That was too much: a process of the lab died. Ask for less."
            ) from None

    def close(self) -> None:
        """End the process, whatever it does."""
        running = list((self._pool._processes or {}).values())
        self._pool.shutdown(wait=False, cancel_futures=True)
        for process in running:
            process.terminate()


def _kind(what: str, asked: dict[str, Any]) -> Kind:
    agents = asked.get("agents") or [asked.get("agent")]
    names = sorted({kind_of_agent(agent) for agent in agents})
    return what, " + ".join([kind_of(asked.get("bandit")), *names])
