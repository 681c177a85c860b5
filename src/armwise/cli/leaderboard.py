"""`armwise leaderboard`: every agent in every family, and which is best in each."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from armwise.cli.options import Device, OnlyReport, OutFolder, StoreOption, Threads
from armwise.cli.output import console
from armwise.cli.screen import Screen

if TYPE_CHECKING:
    from armwise.leaderboard import Standing


def leaderboard(
    profile: Annotated[
        str,
        typer.Option(help="quick (minutes), medium (an hour) or full (days; 1000 copies)."),
    ] = "quick",
    out: OutFolder = Path("leaderboard"),
    store: StoreOption = None,
    agent: Annotated[
        list[str] | None,
        typer.Option(help="An agent to add, by name or file, such as mine.py:strength=2. Repeat."),
    ] = None,
    family: Annotated[
        list[str] | None,
        typer.Option(help="A family of bandits, by name or TOML file; all unless given. Repeat."),
    ] = None,
    threads: Threads = None,
    device: Device = "cpu",
    only_report: OnlyReport = False,
) -> None:
    """Compare the agents: run what is missing, then write OUT/index.html.

    Results are kept as they come. Stopped in any way, the same command goes on where it ended.

    Example:

    `armwise leaderboard --agent mine.py`
    """
    from armwise import leaderboard as board
    from armwise.sweeps.store import Store

    playing = board.playing(profile, family or (), agent or ())
    board.prepare(out)
    results = Store(store or out / "store")
    with Screen(len(board.cells_of(playing)), results.folder) as screen:
        if not only_report:
            summary = board.compute(
                playing, results, profile, threads=threads, report=screen.show, device=device
            )
            screen.close(summary)
        standings = [board.standing(one, results) for one in playing]
        page = board.write(standings, profile, out, say=screen.say)
    for standing in standings:
        console().print(verdict_of(standing), markup=False, soft_wrap=True)
    console().print(f"The leaderboard is {page}.", markup=False, soft_wrap=True)


def verdict_of(standing: "Standing") -> str:
    """The result of a family in one line."""
    if standing.best is None:
        return f"{standing.family.name}: nothing is computed yet."
    others = ", ".join(row.agent for row in standing.as_good)
    tail = f"; not distinguishably worse: {others}" if others else ""
    return f"{standing.family.name}: {standing.best.agent}{tail}."
