"""`armwise run`: compute the missing cells of a sweep, and see how far it is."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from armwise.cli.guard import INTERRUPTED, end
from armwise.cli.options import Device
from armwise.cli.output import console
from armwise.errors import InputError, unknown, whole_number

if TYPE_CHECKING:
    from armwise.sweeps.runner import Progress
    from armwise.sweeps.sweep import Sweep

LOG_EVERY = 10.0  # seconds between lines where there is no terminal


def run(
    sweep: Annotated[
        str, typer.Argument(help="A TOML file, or the name of an experiment, such as figure-4.")
    ],
    store: Annotated[Path, typer.Option(help="The folder that keeps the results.")],
    profile: Annotated[
        str | None, typer.Option(help="The sizes of a profile that the sweep names, such as quick.")
    ] = None,
    threads: Annotated[
        int | None, typer.Option(help="Threads to use; all processors unless given.")
    ] = None,
    dask: Annotated[
        str | None, typer.Option(help="A Dask cluster: its address, a scheduler file, or local.")
    ] = None,
    device: Device = "cpu",
) -> None:
    """Compute the cells of a sweep that the store does not have yet.

    Every result is kept as soon as it is there. Stopped in any way, the same command goes on where
    it ended, and ends with the same data.

    Example:

    `armwise run figure-4 --profile quick --store results`
    """
    from armwise.sweeps import runner
    from armwise.sweeps.store import Store

    name, chosen = named_sweep(sweep, profile)
    threads = None if threads is None else whole_number("threads", threads, 1, 4096)
    cells, place = chosen.cells(), Store(store)
    place.remember(name, chosen.definition())
    screen = Screen(len(cells))
    options: Any = {"threads": threads, "dask": dask, "device": device}
    try:
        with screen:
            summary = runner.run(cells, place, report=screen.show, **options)
    except KeyboardInterrupt:
        end(f"Interrupted. {screen.kept(store)}", INTERRUPTED)
    except InputError as problem:
        raise InputError(f"{problem} {screen.kept(store)}" if screen.begun else problem) from None
    line = f"{name}: {len(cells)} cells in {store}; {summary}."
    console().print(line, markup=False, soft_wrap=True)


def named_sweep(text: str, profile: str | None) -> "tuple[str, Sweep]":
    """A sweep in the sizes of a profile, with the name under which a store knows it."""
    from armwise.paper.experiments import bundled, bundled_names
    from armwise.sweeps.sweep import Sweep

    if text.endswith(".toml") or "/" in text or Path(text).is_file():
        name, found = Path(text).stem, Sweep.read(text)
    elif text in bundled_names():
        name, found = text, bundled(text)
    else:
        raise unknown("experiment or TOML file", text, bundled_names())
    if profile is None:
        return name, found
    if not found.profile:
        raise InputError(f"{text} names no profiles, so there is no '{profile}'.")
    if profile not in found.profile:
        raise unknown(f"profile in {text}", profile, found.profile)
    return f"{name}-{profile}", found.at(profile)


class Screen:
    """Shows how far a run is: a bar on a terminal, now and then a line elsewhere."""

    def __init__(self, total: int) -> None:
        from rich.progress import BarColumn, Progress, TextColumn

        self.total, self.begun, self.last = total, False, (0, 0)
        self._console = console(stderr=True)
        self._started = self._logged = time.perf_counter()
        columns = (BarColumn(), TextColumn("{task.description}"))
        live = self._console.is_terminal
        self._bar = Progress(*columns, console=self._console, transient=True, disable=not live)
        self._task: Any = None

    def __enter__(self) -> "Screen":
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def show(self, progress: "Progress") -> None:
        """Take in a report of the runner."""
        now = time.perf_counter()
        if progress.message:
            self._console.print(progress.message, markup=False, soft_wrap=True)
        if not progress.cells:
            return
        if not self.begun:
            self.begun, self._started, self._logged = True, now, now
            self._task = self._bar.add_task("", total=progress.work)
        self.last = (progress.done, progress.cells)
        line = told(progress, now - self._started)
        self._bar.update(self._task, completed=progress.worked, description=line)
        if self._bar.disable and now - self._logged >= LOG_EVERY:
            self._logged = now
            self._console.print(line, markup=False)

    def kept(self, store: Path) -> str:
        """What a run that ended early leaves, and how to go on."""
        done, cells = self.last
        have = self.total - cells + done if self.begun else 0
        what = f"{have} of {self.total} cells are" if self.begun else "What was done is"
        return f"{what} kept in {store}; the same command goes on from there."


def told(progress: "Progress", seconds: float) -> str:
    """Progress as one line.

    >>> from armwise.sweeps.runner import Progress
    >>> told(Progress(3, 12, 3_000_000, 12_000_000, 95.0), 2.0)
    '3 of 12 cells, 1.5 M agent-trials/s, 1 min 35 s left'
    """
    parts = [f"{progress.done} of {progress.cells} cells"]
    if progress.worked and seconds > 0.0:
        parts.append(f"{short(progress.worked / seconds)} agent-trials/s")
    if progress.left is not None:
        parts.append(f"{duration(progress.left)} left")
    return ", ".join(parts)


def short(number: float) -> str:
    """A count with about two digits.

    >>> short(950), short(12_345), short(1.5e6), short(2.25e9)
    ('950', '12 k', '1.5 M', '2.2 G')
    """
    for unit, name in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= unit:
            digits = 1 if number < 10 * unit else 0
            return f"{number / unit:.{digits}f} {name}"
    return f"{number:.0f}"


def duration(seconds: float) -> str:
    """A time in words, in its two largest units.

    >>> duration(4.2), duration(95), duration(3 * 3600 + 120), duration(200_000)
    ('4 s', '1 min 35 s', '3 h 2 min', '2 d 7 h')
    """
    whole = round(seconds)
    for unit, name, smaller, below in (
        (86400, "d", 3600, "h"),
        (3600, "h", 60, "min"),
        (60, "min", 1, "s"),
    ):
        if whole >= unit:
            rest = whole % unit // smaller
            return f"{whole // unit} {name}" + (f" {rest} {below}" if rest else "")
    return f"{whole} s"
