"""Run the missing cells of a sweep, here or on a Dask cluster; the next run goes on from there."""

import time
from collections.abc import Callable, Iterable, Iterator, Set
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from armwise.engine.plan import FILLS_CARD
from armwise.engine.records import packed
from armwise.errors import Gone, require
from armwise.sweeps.cell import Cell, run_batch
from armwise.sweeps.progress import Report, Tracker
from armwise.sweeps.store import Store

if TYPE_CHECKING:
    import xarray

WRITERS = 4  # results that are written at once: most of that time is waiting for the disk
PENDING = 8  # results that may wait to be written
AGENTS_AT_ONCE = 200_000  # on a card


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
    for "local", the worker processes. `report` is called with how far the run is, a few times a
    second.
    """
    from armwise.engine import resolved

    device = resolved(device)
    if dask is not None:
        require("distributed")
    started = time.perf_counter()
    wanted = {cell.name: cell for cell in cells}
    tracker = Tracker(report or (lambda _: None))
    present = _sound(store, wanted.keys(), tracker)
    missing = order([cell for name, cell in wanted.items() if name not in present])
    if missing:
        # What cannot be held in memory is refused before the work.
        max(missing, key=lambda cell: cell.agents * len(cell.checkpoints)).plan()
        store.prepare()
        tracker.begin(missing)
        with _kept_sound(store, present) as written, _writer(store, tracker, written) as write:
            if dask is None and device == "cuda":
                _on_card(missing, store, tracker, write)
            elif dask is None:
                _here(missing, store, tracker, write, threads, device)
            else:
                from armwise.sweeps.cluster import on_cluster

                on_cluster(missing, tracker, write, dask, threads, device)
        _refuse_lost(store, written)
    there = len(wanted) - tracker.done
    seconds = time.perf_counter() - started
    return Summary(tracker.done, there, tuple(tracker.sentences), seconds, tracker.worked)


def _sound(store: Store, wanted: Set[str], tracker: Tracker) -> Set[str]:
    """The names that the store has, of those wanted; what is damaged or foreign is set aside."""
    for path in store.foreign():
        tracker.aside(f"{path} is not a result of armwise.", store.set_aside(path))
    present, known = store.names() & wanted, store.unchanged()
    unread = present - known
    for name, problem in store.problems(unread).items():
        tracker.aside(problem, store.set_aside(store.cells / f"{name}.nc"))
    present = store.names() & wanted
    if unread:
        store.note(present | known)
    return present


@contextmanager
def _kept_sound(store: Store, present: Set[str]) -> Iterator[set[str]]:
    """The names of what is written; however the run ends, the next need not read it again."""
    written: set[str] = set()
    try:
        yield written
    finally:
        if written:
            store.note(written | present | store.unchanged())


def _refuse_lost(store: Store, written: Set[str]) -> None:
    """A store may be deleted or moved under way: then what was done is not there."""
    lost = len(written - store.names())
    if lost:
        raise Gone(
            f"{lost} of {len(written)} results that were written are no longer in {store.folder}: "
            "it was deleted or moved under way. The same command computes them again."
        )


def order(cells: Iterable[Cell]) -> list[Cell]:
    """First the smallest cell of every kind, then kind by kind.

    Every kernel is compiled early, so a component that does not work shows at once, and the costs
    from which the time left is estimated are known soon.
    """
    groups: dict[Any, list[Cell]] = {}
    for cell in cells:
        groups.setdefault(cell.kind, []).append(cell)
    first = [min(group, key=lambda cell: cell.size) for group in groups.values()]
    names = {cell.name for cell in first}
    rest = [cell for group in groups.values() for cell in group if cell.name not in names]
    return first + rest


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

            for cell, result in zip(wanted, run_batch(wanted, advance), strict=True):
                write(cell, result)


def batches(cells: Iterable[Cell]) -> list[list[Cell]]:
    """Cells that a card can compute at once: they differ in numbers, and are not too many.

    A batch that fills the card has one number of arms, too.
    """
    groups: dict[Any, list[Cell]] = {}
    for cell in cells:
        numbers = len(packed(cell.bandit)), len(packed(*cell.agent.parts))
        groups.setdefault((cell.kind, cell.horizon, cell.checkpoints, numbers), []).append(cell)
    return [
        batch
        for group in groups.values()
        for even in _even(group)
        for batch in _cut(even, AGENTS_AT_ONCE // max(cell.agents for cell in even))
    ]


def _even(group: list[Cell]) -> list[list[Cell]]:
    """The group, or one group per number of arms if it fills a card."""
    if sum(cell.agents for cell in group) <= FILLS_CARD:
        return [group]
    counts = sorted({cell.bandit.arms for cell in group})
    return [[cell for cell in group if cell.bandit.arms == count] for count in counts]


def _cut(group: list[Cell], most: int) -> list[list[Cell]]:
    most = max(1, most)
    return [group[first : first + most] for first in range(0, len(group), most)]


@contextmanager
def _writer(store: Store, tracker: Tracker, written: set[str]) -> Iterator[Write]:
    """Writes in the background while the next cell is computed; what waits is always written."""
    waiting: list[Future] = []

    def keep(cell: Cell, result: "xarray.Dataset") -> None:
        store.write(cell, result)
        written.add(cell.name)
        tracker.kept(cell, float(result.attrs["seconds"]))

    def write(cell: Cell, result: "xarray.Dataset") -> None:
        while waiting and (waiting[0].done() or len(waiting) >= PENDING):
            waiting.pop(0).result()
        waiting.append(pool.submit(keep, cell, result))

    with ThreadPoolExecutor(WRITERS) as pool:
        yield write
    for future in waiting:
        future.result()
    store.flush()
