"""`armwise reproduce`: the figures, the table and the claims of the paper, on one page."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from armwise.cli.options import Dask, Device, OnlyReport, OutFolder, StoreOption, Threads
from armwise.cli.output import console
from armwise.cli.screen import Screen
from armwise.errors import unknown

if TYPE_CHECKING:
    from armwise.paper.report import Page

What = Annotated[
    list[str] | None,
    typer.Argument(
        help="Figures, tables and claims, such as figure-4, table-1 or claim-27. A figure comes "
        "with its claims. The whole paper unless given.",
        show_default=False,
    ),
]
Profile = Annotated[str, typer.Option(help="quick (minutes) or paper (the sizes of the paper).")]
Timing = Annotated[
    str | None,
    typer.Option(
        help="Sizes of table 1's timing: quick or paper (half an hour); PROFILE unless given."
    ),
]


def reproduce(
    what: What = None,
    profile: Profile = "quick",
    out: OutFolder = Path("reproduction"),
    store: StoreOption = None,
    threads: Threads = None,
    dask: Dask = None,
    device: Device = "cpu",
    timing: Timing = None,
    only_report: OnlyReport = False,
) -> None:
    """Regenerate the paper, or parts of it: run what is missing, then write a page to OUT.

    The page of the whole paper is OUT/index.html, that of a part has its name, such as
    OUT/figure-4.html. Results are kept as they come. Stopped in any way, the same command goes on
    where it ended.

    Examples:

    `armwise reproduce`

    `armwise reproduce figure-4 claim-44`
    """
    from armwise.paper import reproduce as paper
    from armwise.sweeps.store import Store

    scope = paper.scope_of(what or ())
    _check(profile, timing)
    paper.folder_of(out)
    place = Store(store or out / "store")
    doing = f"reporting on what {place.folder} holds of" if only_report else "planning"
    _say(f"{doing} the {profile} profile of {', '.join(scope.names) or 'the whole paper'}")
    groups = paper.sweeps(profile, scope).values()
    total, seconds = len({cell.name for cells in groups for cell in cells}), 0.0
    asked: Any = {"scope": scope, "threads": threads, "say": _say}
    with Screen(total, place.folder) as screen:
        if total and not only_report:
            summary = paper.compute(
                profile, place, dask=dask, device=device, report=screen.show, **asked
            )
            seconds = summary.seconds
            screen.close(summary)
        asked |= {"simulates": not only_report, "timing": timing, "seconds": seconds}
        page = paper.write(profile, place, out, **asked)
    _conclude(page, out)


def _check(profile: str, timing: str | None) -> None:
    from armwise.paper.reproduce import PROFILES
    from armwise.paper.timing import SIZES

    if profile not in PROFILES:
        raise unknown("profile", profile, PROFILES)
    if timing is not None and timing not in SIZES:
        raise unknown("timing", timing, SIZES)


def _say(text: str) -> None:
    console(stderr=True).print(text, markup=False)


def _conclude(page: "Page", out: Path) -> None:
    """Say what was found: of the whole paper how often, of parts every verdict."""
    from armwise.paper.report import badges, page_name

    screen = console()
    if page.scope.names:
        for found in page.verdicts:
            said = "; ".join(
                f"{badge.text} ({badge.number})" for badge in badges(found, page.profile)
            )
            screen.print(f"{found['number']}. {found['title']}: {said}.", markup=False)
    else:
        counts = ", ".join(f"{count} {verdict}" for verdict, count in page.counts().items())
        screen.print(f"Claims: {counts}.", markup=False)
    screen.print(f"The report is {out / page_name(page.scope)}.", markup=False, soft_wrap=True)
