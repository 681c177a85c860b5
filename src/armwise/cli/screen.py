"""How far a run is: a bar on a terminal, now and then a line elsewhere; and how it ends."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from armwise.cli.guard import INTERRUPTED, end
from armwise.cli.output import console, duration, scaled
from armwise.errors import Gone, InputError

if TYPE_CHECKING:
    from armwise.sweeps.progress import Progress

FIRST_AFTER = 0.5  # seconds after which a run says its first word where there is no terminal
LOG_EVERY = 10.0  # seconds between lines there


class Screen:
    """Shows how far a run is; one that ends early says what is kept, and how to go on."""

    def __init__(self, total: int, folder: Path) -> None:
        from rich.progress import BarColumn, Progress, TextColumn

        self.total, self.folder = total, folder  # cells, and the store that keeps them
        self.begun, self.done, self.cells = False, 0, 0
        self._console = console(stderr=True)
        self._started = time.perf_counter()
        self._next = self._started + FIRST_AFTER
        columns = (BarColumn(), TextColumn("{task.description}", markup=False))
        live = self._console.is_terminal
        self._bar = Progress(*columns, console=self._console, transient=True, disable=not live)
        self._task: Any = None

    def __enter__(self) -> "Screen":
        if not self._bar.disable:
            self._bar.start()
        return self

    def __exit__(self, kind: Any, problem: BaseException | None, _: Any) -> None:
        self._stop()
        if isinstance(problem, KeyboardInterrupt):
            end(f"Interrupted. {self.kept()}", INTERRUPTED)
        if isinstance(problem, InputError) and self.begun and not isinstance(problem, Gone):
            raise InputError(f"{problem} {self.kept()}") from None

    def show(self, progress: "Progress") -> None:
        """Take in a report of the runner."""
        now = time.perf_counter()
        if progress.message:
            self.say(progress.message)
        if not progress.cells:
            return
        if not self.begun:
            self.begun, self._started = True, now
            self._task = self._bar.add_task("", total=progress.work)
        self.done, self.cells = progress.done, progress.cells
        line = line_of(progress, now - self._started)
        self._bar.update(self._task, completed=progress.worked, description=line)
        if self._bar.disable and now >= self._next:
            self._next = now + LOG_EVERY
            self.say(line)

    def close(self, summary: Any) -> None:
        """Remove the bar and say what the run did; what follows is still guarded."""
        self._stop()
        self.say(f"{self.total} cells: {summary}.")

    def _stop(self) -> None:
        if not self._bar.disable:  # older versions of rich would print an empty line
            self._bar.stop()

    def say(self, text: str) -> None:
        """A line on stderr, above the bar."""
        self._console.print(text, markup=False, soft_wrap=True)

    def kept(self) -> str:
        """What a run that ended early leaves, and how to go on."""
        have = self.total - self.cells + self.done
        what = f"{have} of {self.total} cells are" if self.begun else "What was done is"
        return f"{what} kept in {self.folder}; the same command goes on from there."


def line_of(progress: "Progress", seconds: float) -> str:
    """Progress as one line.

    >>> from armwise.sweeps.progress import Progress
    >>> line_of(Progress(3, 12, 3_000_000, 12_000_000, 95.0), 2.0)
    '3 of 12 cells, 1.5 M agent-trials/s, 1 min 35 s left'
    """
    parts = [f"{progress.done} of {progress.cells} cells"]
    if progress.worked and seconds > 0.0:
        parts.append(f"{scaled(progress.worked / seconds)} agent-trials/s")
    if progress.left is not None:
        parts.append(f"{duration(progress.left)} left")
    return ", ".join(parts)
