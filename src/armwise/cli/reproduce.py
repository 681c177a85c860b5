"""`armwise reproduce`: every figure, the table and the claims of the paper, on one page."""

from pathlib import Path
from typing import Annotated

import typer

from armwise.cli.options import Dask, Device, OnlyReport, OutFolder, StoreOption, Threads
from armwise.cli.output import console
from armwise.cli.screen import Screen
from armwise.errors import unknown


def reproduce(
    profile: Annotated[
        str, typer.Option(help="quick (minutes) or paper (the sizes of the paper).")
    ] = "quick",
    out: OutFolder = Path("reproduction"),
    store: StoreOption = None,
    threads: Threads = None,
    dask: Dask = None,
    device: Device = "cpu",
    timing: Annotated[
        str | None,
        typer.Option(
            help="Sizes of table 1's timing: quick or paper (half an hour); PROFILE unless given."
        ),
    ] = None,
    only_report: OnlyReport = False,
) -> None:
    """Regenerate the paper: run what is missing, then write OUT/index.html.

    Results are kept as they come. Stopped in any way, the same command goes on where it ended.

    Example:

    `armwise reproduce --profile quick`
    """
    from armwise.paper import reproduce as paper
    from armwise.sweeps.store import Store

    if profile not in paper.PROFILES:
        raise unknown("profile", profile, paper.PROFILES)
    if timing is not None and timing not in paper.TIMING:
        raise unknown("profile", timing, paper.TIMING)
    results, seconds = Store(store or out / "store"), 0.0
    cells = sum(len(group) for group in paper.sweeps(profile).values())
    with Screen(cells, results.folder) as screen:
        if not only_report:
            summary = paper.compute(
                profile, results, threads=threads, dask=dask, report=screen.show, device=device
            )
            seconds = summary.seconds
            screen.close(summary)
        page = paper.write(
            profile,
            results,
            out,
            timing=timing,
            seconds=seconds,
            threads=threads,
            say=screen.say,
        )
    counts = ", ".join(f"{count} {verdict}" for verdict, count in page.counts().items())
    console().print(f"Claims: {counts}.", markup=False)
    console().print(f"The report is {out / 'index.html'}.", markup=False)
