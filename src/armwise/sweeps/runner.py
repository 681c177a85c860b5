"""Run the missing cells of a sweep, here or on a Dask cluster; the next run goes on from there."""

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from armwise.engine.plan import FILLS_CARD
from armwise.engine.records import packed
from armwise.errors import InputError
from armwise.sweeps.cell import Cell, run_together
from armwise.sweeps.store import Damaged, Store

if TYPE_CHECKING:
    import xarray

PENDING = 4  # results that may wait to be written
REPORT_EVERY = 0.1  # seconds
AGENTS_AT_ONCE = 200_000  # on a card
READERS = 4  # files that are checked at once


class Progress(NamedTuple):
    """How far a run is. Work is in agent-trials; what was there before the run does not count."""

    done: int  # cells computed and kept by this run
    cells: int  # cells this run has to compute
    worked: int
    work: int
    left: float | None  # seconds, as far as they can be told
    message: str = ""  # a sentence, where there is something to say


class Summary(NamedTuple):
    """What a run did."""

    done: int
    present: int
    aside: tuple[str, ...]  # a sentence for every file that was set aside
    seconds: float
    work: int  # agent-trials computed

    def __str__(self) -> str:
        parts = [f"{self.done} computed", f"{self.present} already there"]
        if self.aside:
            files = "file" if len(self.aside) == 1 else "files"
            parts.append(f"{len(self.aside)} {files} set aside")
        return f"{', '.join(parts)}, in {self.seconds:.1f} s"


Report = Callable[[Progress], None]


def run(
    cells: Iterable[Cell],
    store: Store,
    *,
    threads: int | None = None,
    dask: str | None = None,
    report: Report | None = None,
    device: str = "cpu",
) -> Summary:
    """Compute the cells that the store does not have, and keep each as it comes.

    `dask` is the address of a scheduler, a scheduler file, or "local"; `threads` counts here or,
    for "local", the worker processes. `report` is told how far the run is, a few times a second.
    """
    from armwise.engine import resolved

    device = resolved(device)
    started = time.perf_counter()
    wanted = {cell.name: cell for cell in cells}
    tracker = Tracker(report or (lambda _: None))
    present = store.names() & wanted.keys()
    for path in store.foreign():
        tracker.aside(f"{path} is no result of armwise.", store.set_aside(path))
    with ThreadPoolExecutor(READERS) as pool:
        for name, problem in zip(present, pool.map(_problem(store), present), strict=True):
            if problem is not None:
                tracker.aside(problem, store.set_aside(store.path(wanted[name])))
    present = store.names() & wanted.keys()
    missing = order([cell for name, cell in wanted.items() if name not in present])
    if missing:
        store.prepare()
        tracker.begin(missing)
        with _writer(store, tracker) as write:
            if dask is None and device == "cuda":
                _on_card(missing, store, tracker, write)
            elif dask is None:
                _here(missing, store, tracker, write, threads, device)
            else:
                from armwise.sweeps.cluster import on_cluster

                on_cluster(missing, tracker, write, dask, threads, device)
    there = len(wanted) - tracker.done
    return Summary(
        tracker.done, there, tuple(tracker.sentences), time.perf_counter() - started, tracker.worked
    )


def order(cells: Iterable[Cell]) -> list[Cell]:
    """First the smallest cell of every combination of components, then combination by combination.

    Every kernel is compiled early, so a component that does not work shows at once, and the costs
    that tell the time left are known soon.
    """
    groups: dict[Any, list[Cell]] = {}
    for cell in cells:
        groups.setdefault(combination(cell), []).append(cell)
    first = [min(group, key=size) for group in groups.values()]
    names = {cell.name for cell in first}
    rest = [cell for group in groups.values() for cell in group if cell.name not in names]
    return first + rest


def combination(cell: Cell) -> tuple[type, ...]:
    """The components of a cell without their numbers: what a kernel is compiled for."""
    return (type(cell.bandit), *(type(part) for part in cell.agent.parts))


def size(cell: Cell) -> int:
    """What the time of a cell is about proportional to."""
    return cell.work * cell.bandit.arms


class Tracker:
    """Counts what is done and estimates the time left; engines report from several threads."""

    def __init__(self, report: Report) -> None:
        self.sentences: list[str] = []
        self.done = self.worked = self.cells = self.work = 0
        self.lanes = 1  # cells that are computed side by side
        self._report = report
        self._lock = threading.Lock()
        self._told = 0.0
        self._left: dict[Any, float] = {}  # sizes yet to compute, by combination
        self._costs: dict[Any, tuple[float, float]] = {}  # seconds and sizes, by combination
        self._current: Cell | None = None  # the cell under way, since when, and its size so far
        self._since = self._part = 0.0

    def begin(self, cells: list[Cell]) -> None:
        """Know what is to be computed."""
        self.cells, self.work = len(cells), sum(cell.work for cell in cells)
        for cell in cells:
            self._left[combination(cell)] = self._left.get(combination(cell), 0.0) + size(cell)
        self._tell(now=True)

    def advance(self, cell: Cell, trials: int) -> None:
        """Some agent-trials of a cell were computed."""
        with self._lock:
            self.worked += trials
            self._left[combination(cell)] -= trials * cell.bandit.arms
            if self._current is cell:
                self._part += trials * cell.bandit.arms
            else:
                self._current, self._since, self._part = cell, time.perf_counter(), 0.0
        self._tell()

    def skip(self, cell: Cell) -> None:
        """Another process computed a cell meanwhile."""
        with self._lock:
            self.cells -= 1
            self.work -= cell.work
            self._left[combination(cell)] -= size(cell)

    def kept(self, cell: Cell, seconds: float) -> None:
        """A cell was computed and written."""
        with self._lock:
            self.done += 1
            before = self._costs.get(combination(cell), (0.0, 0.0))
            self._costs[combination(cell)] = before[0] + seconds, before[1] + size(cell)
            if self._current is cell:
                self._current = None
        self._tell(now=True)

    def aside(self, problem: str, place: Any) -> None:
        """A file was set aside."""
        if place is not None:
            self.sentences.append(f"{problem} It is now {place}.")
            self._tell(now=True, message=self.sentences[-1])

    def left(self) -> float | None:
        """Seconds left, by the costs so far; a combination not yet seen counts as the mean."""
        costs = dict(self._costs)
        if self._current is not None and self._part:
            seconds, sizes = costs.get(combination(self._current), (0.0, 0.0))
            seconds += time.perf_counter() - self._since
            costs[combination(self._current)] = seconds, sizes + self._part
        means = {kind: seconds / sizes for kind, (seconds, sizes) in costs.items()}
        if not means:
            return None
        mean = sum(means.values()) / len(means)
        total = sum(units * means.get(kind, mean) for kind, units in self._left.items())
        return max(0.0, total) / self.lanes

    def _tell(self, now: bool = False, message: str = "") -> None:
        with self._lock:
            if not now and time.perf_counter() - self._told < REPORT_EVERY:
                return
            self._told = time.perf_counter()
            told = Progress(self.done, self.cells, self.worked, self.work, self.left(), message)
            self._report(told)


Write = Callable[[Cell, "xarray.Dataset"], None]


def _here(
    cells: list[Cell], store: Store, tracker: Tracker, write: Write, threads: Any, device: str
) -> None:
    for cell in cells:
        if store.has(cell):  # by another process, since this one looked
            tracker.skip(cell)
            continue

        def advance(trials: int, cell: Cell = cell) -> None:
            tracker.advance(cell, trials)

        write(cell, cell.run(threads, advance, device))


def _on_card(cells: list[Cell], store: Store, tracker: Tracker, write: Write) -> None:
    for batch in batches(cells):
        wanted = []
        for cell in batch:
            if store.has(cell):  # by another process, since this one looked
                tracker.skip(cell)
            else:
                wanted.append(cell)
        if wanted:

            def advance(trials: int, cell: Cell = wanted[0]) -> None:
                tracker.advance(cell, trials)

            for cell, result in zip(wanted, run_together(wanted, advance), strict=True):
                write(cell, result)


def batches(cells: Iterable[Cell]) -> list[list[Cell]]:
    """Cells that a card can compute at once: they differ in numbers, and are not too many.

    A crowd of them has as many arms, too.
    """
    groups: dict[Any, list[Cell]] = {}
    for cell in cells:
        numbers = len(packed(cell.bandit)), len(packed(*cell.agent.parts))
        alike = (combination(cell), cell.horizon, cell.checkpoints, numbers)
        groups.setdefault(alike, []).append(cell)
    even: list[list[Cell]] = []
    for group in groups.values():
        if sum(cell.agents for cell in group) <= FILLS_CARD:
            even.append(group)
        else:
            arms = sorted({cell.bandit.arms for cell in group})
            even += [[cell for cell in group if cell.bandit.arms == count] for count in arms]
    found: list[list[Cell]] = []
    for group in even:
        most = max(1, AGENTS_AT_ONCE // max(cell.agents for cell in group))
        found += [group[first : first + most] for first in range(0, len(group), most)]
    return found


@contextmanager
def _writer(store: Store, tracker: Tracker) -> Iterator[Write]:
    """Writes in the background while the next cell is computed; what waits is always written."""
    waiting: list[Future] = []

    def keep(cell: Cell, result: "xarray.Dataset") -> None:
        store.write(cell, result)
        tracker.kept(cell, float(result.attrs["seconds"]))

    def write(cell: Cell, result: "xarray.Dataset") -> None:
        while waiting and (waiting[0].done() or len(waiting) >= PENDING):
            waiting.pop(0).result()
        waiting.append(pool.submit(keep, cell, result))

    with ThreadPoolExecutor(1) as pool:
        yield write
    for future in waiting:
        future.result()
    store.flush()


def _problem(store: Store) -> Callable[[str], str | None]:
    def look(name: str) -> str | None:
        try:
            store.check(name)
        except Damaged as problem:
            return str(problem)
        except InputError:  # set aside by another process meanwhile
            return None
        return None

    return look
