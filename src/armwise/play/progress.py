"""Progress of a simulation: a bar, or a line without rich."""

import importlib.util
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from armwise.engine.announce import silent

Report = Callable[[int], None]


@contextmanager
def shown(progress: Report | bool | None, label: str, total: int) -> Iterator[Report]:
    """Yield the function to which a simulation reports agent-trials: the caller's, a bar, or none.

    >>> with shown(None, "A-AI", 100) as report:
    ...     report(100)
    """
    if callable(progress):
        yield progress
    elif not progress or silent():
        yield lambda _: None
    elif importlib.util.find_spec("rich") is None:
        with _line(label, total) as report:
            yield report
    else:
        with _bar(label, total) as report:
            yield report


@contextmanager
def _bar(label: str, total: int) -> Iterator[Report]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(label, total=total)
        yield lambda done: bar.advance(task, done)


@contextmanager
def _line(label: str, total: int) -> Iterator[Report]:
    """Without rich: print a line on stderr once a second."""
    done, said = 0, time.monotonic()

    def report(more: int) -> None:
        nonlocal done, said
        done += more
        if time.monotonic() - said >= 1.0:
            said = time.monotonic()
            print(f"{label}: {done / total:.0%}", file=sys.stderr, flush=True)

    yield report
