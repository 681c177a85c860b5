"""`armwise reproduce`: every figure, the table and the claims of the paper, on one page."""

from pathlib import Path
from typing import Annotated

import typer

from armwise.cli.guard import INTERRUPTED, end
from armwise.cli.options import Device
from armwise.cli.output import console
from armwise.errors import InputError, unknown, whole_number


def reproduce(
    profile: Annotated[
        str, typer.Option(help="quick (minutes) or paper (the sizes of the paper).")
    ] = "quick",
    out: Annotated[Path, typer.Option(help="The folder of the page and its data.")] = Path(
        "reproduction"
    ),
    store: Annotated[
        Path | None, typer.Option(help="The folder that keeps the results; OUT/store unless given.")
    ] = None,
    threads: Annotated[
        int | None, typer.Option(help="Threads to use; all processors unless given.")
    ] = None,
    dask: Annotated[
        str | None, typer.Option(help="A Dask cluster: its address, a scheduler file, or local.")
    ] = None,
    device: Device = "cpu",
    timing: Annotated[
        str | None,
        typer.Option(
            help="Sizes of table 1's timing: quick or paper (half an hour); PROFILE unless given."
        ),
    ] = None,
    only_report: Annotated[
        bool, typer.Option("--only-report", help="Compute nothing; report on what the store holds.")
    ] = False,
) -> None:
    """Regenerate the paper: run what is missing, then write OUT/index.html.

    Results are kept as they come. Stopped in any way, the same command goes on where it ended.

    Example:

    `armwise reproduce --profile quick`
    """
    from armwise.cli.run import Screen
    from armwise.paper import reproduce as paper
    from armwise.paper.timing import SIZES
    from armwise.sweeps.store import Store

    if profile not in paper.PROFILES:
        raise unknown("profile", profile, paper.PROFILES)
    if timing is not None and timing not in SIZES:
        raise unknown("profile", timing, SIZES)
    threads = None if threads is None else whole_number("threads", threads, 1, 4096)
    place = Store(store or out / "store")
    cells = sum(len(group) for group in paper.sweeps(profile).values())
    screen, seconds = Screen(cells), 0.0
    try:
        if not only_report:
            with screen:
                summary = paper.compute(
                    profile, place, threads=threads, dask=dask, report=screen.show, device=device
                )
            seconds = summary.seconds
            console(stderr=True).print(f"{cells} cells: {summary}.", markup=False)
        log = console(stderr=True)
        page = paper.write(
            profile,
            place,
            out,
            timing=timing,
            seconds=seconds,
            threads=threads,
            say=lambda text: log.print(text, markup=False),
        )
    except KeyboardInterrupt:
        end(f"Interrupted. {screen.kept(place.folder)}", INTERRUPTED)
    except InputError as problem:
        raise InputError(
            f"{problem} {screen.kept(place.folder)}" if screen.begun else problem
        ) from None
    counts = ", ".join(f"{count} {verdict}" for verdict, count in page.counts().items())
    console().print(f"Claims: {counts}.", markup=False)
    console().print(f"The report is {out / 'index.html'}.", markup=False)
