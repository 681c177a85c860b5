"""Two processes beside the server: one interprets, one compiles. So the server always answers.

An agent of a kind whose kernels are not there yet is traced by the interpreter, whose numbers are
equal. Meanwhile the other process compiles, and writes the kernels to disk, where this one finds
them.
"""

import asyncio
import multiprocessing
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from armwise.lab.copies import compile_copies
from armwise.lab.parts import Shelf, kind_of, kind_of_agent
from armwise.lab.reveal import rows_of
from armwise.lab.tracing import trace_of

_shelf: Shelf  # of a worker


def _begin(files: list[Path]) -> None:
    global _shelf
    os.environ["ARMWISE_QUIET"] = "1"
    _shelf = Shelf(files)


def _traced(asked: dict[str, Any], device: str) -> bytes:
    return trace_of(_shelf, asked, device)


def _compile(what: str, asked: dict[str, Any]) -> None:
    if what == "trace":
        trace_of(_shelf, asked | {"horizon": 1}, "cpu")
    else:
        compile_copies(_shelf, asked)


def _rows(asked: dict[str, Any], played: Any) -> list[Any]:
    return rows_of(_shelf, asked, played)


class Workers:
    """The two processes, and what is compiled by now."""

    def __init__(self, files: Iterable[str | Path] = ()) -> None:
        self.shelf = Shelf(files)
        self.ready: set[tuple[str, str]] = set()
        self._coming: dict[tuple[str, str], asyncio.Task] = {}
        self._slow, self._compiler = (self._pool() for _ in range(2))

    def _pool(self) -> ProcessPoolExecutor:
        context = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(1, context, _begin, (self.shelf.files,))

    def warm_up(self) -> None:
        """Start both processes."""
        for pool in (self._slow, self._compiler):
            pool.submit(os.getpid)

    def close(self) -> None:
        """End both processes, whatever they do."""
        for pool in (self._slow, self._compiler):
            running = list((pool._processes or {}).values())
            pool.shutdown(wait=False, cancel_futures=True)
            for process in running:
                process.terminate()

    async def interpreted(self, asked: dict[str, Any]) -> bytes:
        """The answer to a question about a trace, from the interpreter."""
        return await _in(self._slow, _traced, asked, "python")

    async def revealed(self, asked: dict[str, Any], played: Any) -> list[Any]:
        """What each agent would have done in the bandit of a run."""
        return await _in(self._slow, _rows, asked, played)

    def is_ready(self, what: str, asked: dict[str, Any]) -> bool:
        """Whether the kernels are there for what is asked."""
        return _kind(what, asked) in self.ready

    def compile(self, what: str, asked: dict[str, Any]) -> asyncio.Task:
        """Compile for what is asked ("trace" or "copies"), once; the task ends when it is done."""
        kind = _kind(what, asked)
        if kind not in self._coming:
            self._coming[kind] = asyncio.create_task(self._compiled(kind, what, asked))
        return self._coming[kind]

    async def _compiled(self, kind: tuple[str, str], what: str, asked: dict[str, Any]) -> None:
        try:
            await _in(self._compiler, _compile, what, asked)
            load = trace_of if what == "trace" else compile_copies
            given = (asked | {"horizon": 1}, "cpu") if what == "trace" else (asked,)
            await asyncio.to_thread(load, self.shelf, *given)  # from the disk
            self.ready.add(kind)
        finally:
            self._coming.pop(kind, None)


def _kind(what: str, asked: dict[str, Any]) -> tuple[str, str]:
    agents = asked.get("agents") or [asked.get("agent")]
    names = sorted({kind_of_agent(agent) for agent in agents})
    return what, " + ".join([kind_of(asked.get("bandit")), *names])


async def _in(pool: ProcessPoolExecutor, function: Callable[..., Any], *given: Any) -> Any:
    return await asyncio.get_running_loop().run_in_executor(pool, function, *given)
