"""The whole paper: run what is missing, draw, judge, compare, and write one page."""

import dataclasses
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from armwise.errors import InputError, unknown
from armwise.paper import claims, published
from armwise.paper.differences import explained
from armwise.paper.experiments import bundled, bundled_cells, bundled_names
from armwise.paper.figures import FIGURES, drawer, file_of, name_of
from armwise.paper.report import Page, write_page
from armwise.paper.timing import timed
from armwise.plotting import style
from armwise.sweeps import runner
from armwise.sweeps.cell import Cell
from armwise.sweeps.results import Results
from armwise.sweeps.store import Store

if TYPE_CHECKING:
    import pandas

PROFILES = ("quick", "paper")

Say = Callable[[str], None]


def sweeps(profile: str) -> dict[str, list[Cell]]:
    """Every sweep of the reproduction at a profile, by name."""
    if profile not in PROFILES:
        raise unknown("profile", profile, PROFILES)
    return {name: list(bundled_cells(name, profile)) for name in bundled_names()}


def compute(
    profile: str,
    store: Store,
    *,
    threads: int | None = None,
    dask: str | None = None,
    report: runner.Report | None = None,
    device: str = "cpu",
) -> runner.Summary:
    """Compute the cells that the store does not have."""
    for name in bundled_names():
        store.remember(f"{name}-{profile}", bundled(name).at(profile).definition())
    cells = [cell for group in sweeps(profile).values() for cell in group]
    return runner.run(cells, store, threads=threads, dask=dask, report=report, device=device)


def write(
    profile: str,
    store: Store,
    folder: str | Path,
    *,
    timing: str | None = None,
    seconds: float | None = None,
    threads: int | None = None,
    say: Say | None = None,
) -> Page:
    """Draw, judge and compare what the store holds; write the page and its data to `folder`.

    `timing` is the profile whose sizes table 1 is measured with, `profile` itself unless given;
    `seconds` is what the computing took, to be added to the time of the rest.
    """
    say = say or (lambda _: None)
    folder = Path(folder)
    try:
        (folder / "figures").mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise InputError(f"{folder} cannot be written: {problem.strerror}.") from None
    started = time.perf_counter()
    groups = sweeps(profile)
    held = {name: [cell for cell in cells if store.has(cell)] for name, cells in groups.items()}
    say("timing the policies for table 1")
    times = timed(timing or profile, threads)
    tables = _tables(held, store)
    for figure, entry in FIGURES.items():
        say(f"drawing {name_of(figure)}")
        _draw(figure, entry.sweep, held, store, times, folder, note_of(profile, held, entry.sweep))
    say("judging the claims")
    measured = times.rename(columns={"milliseconds": "ms"})
    verdicts = claims.run_claims(claims.Evidence(store, profile, measured))
    comparison = compared(tables)
    (folder / "claims.json").write_text(claims.to_json(verdicts) + "\n")
    (folder / "comparison.json").write_text(_records(comparison) + "\n")
    (folder / "timing.json").write_text(_records(times) + "\n")
    computing = seconds if seconds is not None else 0.0
    page = Page(
        profile=profile,
        verdicts=[dataclasses.asdict(verdict) for verdict in verdicts],
        comparison=comparison,
        timing=times,
        missing={
            name: (len(held[name]), len(cells))
            for name, cells in groups.items()
            if len(held[name]) < len(cells)
        },
        drawn=[name for name in FIGURES if (folder / "figures" / file_of(name)).is_file()],
        sizes={name: note_of(profile, held, entry.sweep) for name, entry in FIGURES.items()},
        seconds=computing + time.perf_counter() - started,
    )
    say("writing the page")
    write_page(page, folder)
    return page


def compared(tables: dict[str, "pandas.DataFrame"]) -> "pandas.DataFrame":
    """Published values beside ours, figure by figure, worst first."""
    import pandas

    frames = []
    for figure, entry in FIGURES.items():
        if entry.sweep in tables and figure in published.FIGURES:
            table = tables[entry.sweep]
            frames.append(explained(published.compare(figure, table), table))
    found = pandas.concat(frames, ignore_index=True) if frames else pandas.DataFrame(columns=["z"])
    return found.sort_values("z", key=abs, ascending=False, ignore_index=True)


def note_of(profile: str, held: dict[str, list[Cell]], sweep: str | None) -> str:
    """What stands in a figure's corner: the profile and its sizes."""
    cells = held.get(sweep or "", [])
    if profile == "paper" or not cells:
        return ""
    horizon, agents = max(c.horizon for c in cells), max(c.agents for c in cells)
    return f"{profile} profile: {agents} agents, {horizon} trials"


def _tables(held: dict[str, list[Cell]], store: Store) -> dict[str, "pandas.DataFrame"]:
    drawn = {entry.sweep for entry in FIGURES.values()}
    return {
        name: Results(cells, store).table()
        for name, cells in held.items()
        if cells and name in drawn
    }


def _draw(
    figure: str,
    sweep: str | None,
    held: dict[str, list[Cell]],
    store: Store,
    timing: "pandas.DataFrame",
    folder: Path,
    note: str,
) -> None:
    source: Any = timing if figure == "table1" else None
    if sweep is not None:
        if not held[sweep]:
            return
        source = Results(held[sweep], store)
    draw = drawer(figure)
    drawn = draw(note=note) if source is None else draw(source, note=note)
    for ending in (".png", ".svg"):
        style.save(drawn, folder / "figures" / Path(file_of(figure)).with_suffix(ending))


def _records(frame: "pandas.DataFrame") -> str:
    records = json.loads(frame.to_json(orient="records", double_precision=12))
    return json.dumps(records, indent=1)
