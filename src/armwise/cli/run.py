"""`armwise run`: compute the missing cells of a sweep."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from armwise.cli.options import Dask, Device, Threads
from armwise.cli.output import console
from armwise.cli.screen import Screen
from armwise.errors import InputError, unknown

if TYPE_CHECKING:
    from armwise.sweeps.sweep import Sweep


MANY = 5_000  # cells whose planning is worth a word


def run(
    sweep: Annotated[
        str, typer.Argument(help="A TOML file, or the name of an experiment, such as figure-4.")
    ],
    store: Annotated[Path, typer.Option(help="The folder that keeps the results.")],
    profile: Annotated[
        str | None, typer.Option(help="The sizes of a profile that the sweep names, such as quick.")
    ] = None,
    threads: Threads = None,
    dask: Dask = None,
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

    results = Store(store)
    with Screen(0, store) as screen:
        name, chosen = named_sweep(sweep, profile)
        if (count := chosen.count()) > MANY:
            screen.say(f"planning {count:,} cells")
        cells = chosen.cells()
        screen.total = len(cells)
        # A reader of the store cannot run a user's file to see which cells the sweep has.
        listed = {cell.name: cell.work for cell in cells} if chosen.files else None
        kept = results.remember(name, chosen.definition(), listed)
        if kept != name:
            screen.say(f"{store} has another sweep {name}: this one is {kept} there.")
        summary = runner.run(
            cells, results, threads=threads, dask=dask, report=screen.show, device=device
        )
    line = f"{kept}: {len(cells)} cells in {store}; {summary}."
    console().print(line, markup=False, soft_wrap=True)


def named_sweep(text: str, profile: str | None) -> "tuple[str, Sweep]":
    """A sweep in the sizes of a profile, with the name under which a store knows it."""
    from armwise.paper.experiments import bundled, bundled_names
    from armwise.sweeps.sweep import Sweep

    if text.endswith(".toml") or "/" in text or Path(text).is_file():
        name, sweep = Path(text).stem, Sweep.read(text)
    elif text in bundled_names():
        name, sweep = text, bundled(text)
    else:
        raise unknown("experiment or TOML file", text, bundled_names())
    if profile is None:
        return name, sweep
    if not sweep.profile:
        raise InputError(f"{text} has no profiles, so there is no '{profile}'.")
    if profile not in sweep.profile:
        raise unknown("profile", profile, sweep.profile, where=f" in {text}")
    return f"{name}-{profile}", sweep.at(profile)
