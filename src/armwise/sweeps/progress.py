"""How far a run is, and how long it will take."""

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from armwise.sweeps.cell import Cell

REPORT_EVERY = 0.1  # seconds


class Progress(NamedTuple):
    """How far a run is. Work is in agent-trials; what was there before the run does not count."""

    done: int  # cells computed and kept by this run
    cells: int  # cells this run has to compute
    worked: int
    work: int
    left: float | None  # seconds, as soon as they can be estimated
    message: str = ""  # a sentence, where there is something to say


Report = Callable[[Progress], None]


class Tracker:
    """Counts what is done and estimates the time left; engines report from several threads."""

    def __init__(self, report: Report) -> None:
        self.sentences: list[str] = []
        self.done = self.worked = self.cells = self.work = 0
        self.workers = 1  # cells that are computed side by side
        self._report = report
        self._lock = threading.Lock()
        self._reported = 0.0
        self._left: dict[Any, float] = {}  # sizes yet to compute, by kind of cell
        self._costs: dict[Any, tuple[float, float]] = {}  # seconds and sizes
        self._current: Cell | None = None  # the cell under way, since when, and its size so far
        self._since = self._part = 0.0

    def begin(self, cells: list[Cell]) -> None:
        """Register the cells to compute."""
        self.cells, self.work = len(cells), sum(cell.work for cell in cells)
        for cell in cells:
            self._left[cell.kind] = self._left.get(cell.kind, 0.0) + cell.size
        self._inform(now=True)

    def advance(self, cell: Cell, trials: int) -> None:
        """Some agent-trials of a cell were computed."""
        with self._lock:
            self.worked += trials
            self._left[cell.kind] -= trials * cell.bandit.arms
            if self._current is cell:
                self._part += trials * cell.bandit.arms
            else:
                self._current, self._since, self._part = cell, time.perf_counter(), 0.0
        self._inform()

    def skip(self, cell: Cell) -> None:
        """Another process computed a cell meanwhile."""
        with self._lock:
            self.cells -= 1
            self.work -= cell.work
            self._left[cell.kind] -= cell.size

    def kept(self, cell: Cell, seconds: float) -> None:
        """A cell was computed and written."""
        with self._lock:
            self.done += 1
            before = self._costs.get(cell.kind, (0.0, 0.0))
            self._costs[cell.kind] = before[0] + seconds, before[1] + cell.size
            if self._current is cell:
                self._current = None
        self._inform(now=self.done in (1, self.cells))

    def aside(self, problem: str, path: Path | None) -> None:
        """A file was set aside, to `path` unless it was gone already."""
        if path is not None:
            self.sentences.append(f"{problem} It is now {path}.")
            self._inform(now=True, message=self.sentences[-1])

    def left(self) -> float | None:
        """Seconds left, by the costs so far; a kind not yet seen counts as the mean."""
        costs = dict(self._costs)
        if self._current is not None and self._part:
            seconds, sizes = costs.get(self._current.kind, (0.0, 0.0))
            seconds += time.perf_counter() - self._since
            costs[self._current.kind] = seconds, sizes + self._part
        means = {kind: seconds / sizes for kind, (seconds, sizes) in costs.items()}
        if not means:
            return None
        mean = sum(means.values()) / len(means)
        total = sum(units * means.get(kind, mean) for kind, units in self._left.items())
        return max(0.0, total) / self.workers

    def _inform(self, now: bool = False, message: str = "") -> None:
        with self._lock:
            if not now and time.perf_counter() - self._reported < REPORT_EVERY:
                return
            self._reported = time.perf_counter()
            left = self.left()
            self._report(Progress(self.done, self.cells, self.worked, self.work, left, message))
