"""`armwise leaderboard`: every agent in every family of worlds, and which is best in each."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from armwise.cli.guard import INTERRUPTED, end
from armwise.cli.options import Device
from armwise.cli.output import console
from armwise.errors import InputError, whole_number

if TYPE_CHECKING:
    from armwise.leaderboard import Standing


def leaderboard(
    profile: Annotated[
        str,
        typer.Option(help="quick (minutes), medium (an hour) or full (days; 1000 copies)."),
    ] = "quick",
    out: Annotated[Path, typer.Option(help="The folder of the page and its data.")] = Path(
        "leaderboard"
    ),
    store: Annotated[
        Path | None, typer.Option(help="The folder that keeps the results; OUT/store unless given.")
    ] = None,
    agent: Annotated[
        list[str] | None,
        typer.Option(help="An agent to add, by name or file, such as mine.py:strength=2. Repeat."),
    ] = None,
    family: Annotated[
        list[str] | None,
        typer.Option(help="A family of worlds, by name or TOML file; all unless given. Repeat."),
    ] = None,
    threads: Annotated[
        int | None, typer.Option(help="Threads to use; all processors unless given.")
    ] = None,
    device: Device = "cpu",
    only_report: Annotated[
        bool, typer.Option("--only-report", help="Compute nothing; report on what the store holds.")
    ] = False,
) -> None:
    """Compare the agents: run what is missing, then write OUT/index.html.

    Results are kept as they come. Stopped in any way, the same command goes on where it ended.

    Example:

    `armwise leaderboard --agent mine.py`
    """
    from armwise import leaderboard as board
    from armwise.cli.run import Screen
    from armwise.sweeps.store import Store

    threads = None if threads is None else whole_number("threads", threads, 1, 4096)
    playing = board.playing(profile, family or (), agent or ())
    board.prepare(out)
    place, log = Store(store or out / "store"), console(stderr=True)
    screen = Screen(len(board.cells_of(playing)))
    try:
        if not only_report:
            with screen:
                summary = board.compute(
                    playing, place, profile, threads=threads, report=screen.show, device=device
                )
            log.print(f"{screen.total} cells: {summary}.", markup=False)
        standings = [board.standing(one, place) for one in playing]
        page = board.write(standings, profile, out, say=lambda text: log.print(text, markup=False))
    except KeyboardInterrupt:
        end(f"Interrupted. {screen.kept(place.folder)}", INTERRUPTED)
    except InputError as problem:
        raise InputError(
            f"{problem} {screen.kept(place.folder)}" if screen.begun else problem
        ) from None
    for standing in standings:
        console().print(told(standing), markup=False, soft_wrap=True)
    console().print(f"The leaderboard is {page}.", markup=False, soft_wrap=True)


def told(standing: "Standing") -> str:
    """The result of a family in one line."""
    if standing.best is None:
        return f"{standing.family.name}: nothing is computed yet."
    others = ", ".join(row.agent for row in standing.as_good)
    tail = f"; not distinguishably worse: {others}" if others else ""
    return f"{standing.family.name}: {standing.best.agent}{tail}."
