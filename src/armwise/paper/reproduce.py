"""Reproduce the paper or parts of it: compute, draw, judge, compare, write one page."""

import dataclasses
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from armwise.errors import InputError
from armwise.paper import claims
from armwise.paper.experiments import bundled
from armwise.paper.figures import file_of, name_of
from armwise.paper.material import PROFILES, Groups, Material, records, sweeps_of
from armwise.paper.report import Page, write_page
from armwise.paper.scope import Scope, scope_of
from armwise.paper.timing import timed
from armwise.sweeps import runner
from armwise.sweeps.store import Store

if TYPE_CHECKING:
    import pandas

__all__ = ["PROFILES", "compute", "counted", "folder_of", "scope_of", "sweeps", "write"]

Say = Callable[[str], None]
WHOLE = scope_of()


def sweeps(profile: str, scope: Scope = WHOLE) -> Groups:
    """The cells of every sweep of the reproduction, or of parts of it, by name of the sweep."""
    return sweeps_of(profile, scope)


def folder_of(folder: str | Path) -> Path:
    """Create and return the folder of a report; raise InputError early if it cannot be written."""
    try:
        (Path(folder) / "figures").mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise InputError(f"{folder} cannot be written: {problem.strerror}.") from None
    return Path(folder)


def compute(
    profile: str,
    store: Store,
    scope: Scope = WHOLE,
    *,
    threads: int | None = None,
    dask: str | None = None,
    report: runner.Report | None = None,
    device: str = "cpu",
    say: Say | None = None,
) -> runner.Summary:
    """Compute the cells that are not in the store; `say` gets messages about the preparation."""
    say = say or (lambda _: None)
    groups = sweeps(profile, scope)
    for name in groups:
        store.remember(f"{name}-{profile}", bundled(name).at(profile).definition())
    cells = {cell.name: cell for group in groups.values() for cell in group}
    present = store.names() & cells.keys()
    say(f"reading the store {store.folder}: it has {len(present)} of {len(cells)} cells")
    missing = [cell for name, cell in cells.items() if name not in present]
    if missing:
        kinds = counted(len({cell.kind for cell in missing}), "kind")
        say(f"computing {counted(len(missing), 'cell')} of {kinds}; every kind is compiled first")
    return runner.run(
        cells.values(), store, threads=threads, dask=dask, report=report, device=device
    )


def write(
    profile: str,
    store: Store,
    folder: str | Path,
    scope: Scope = WHOLE,
    *,
    simulates: bool = True,
    timing: str | None = None,
    seconds: float = 0.0,
    threads: int | None = None,
    say: Say | None = None,
) -> Page:
    """Draw, judge and compare the stored results; write the page and its data to `folder`.

    `timing` is the profile with the sizes of the measurement for table 1, by default `profile`. If
    the report `simulates` nothing, the times in `folder` are used. `seconds` is the time that
    computing took, which is added to the time of the report.
    """
    say = say or (lambda _: None)
    folder = folder_of(folder)
    started = time.perf_counter()
    material = Material.gathered(profile, scope, store)
    if scope.timed and simulates:
        say("timing the policies for table 1")
        material = dataclasses.replace(material, times=_times(folder, timing or profile, threads))
    elif scope.timed:
        material = dataclasses.replace(material, times=_kept_times(folder))
    drawn = _drawn(material, folder / "figures", say)
    say(f"judging {counted(len(scope.claims), 'claim')}")
    verdicts, comparison = material.judge(simulates), material.compare()
    # Data files of parts have the names of the parts as a prefix.
    (folder / f"{scope.prefix}claims.json").write_text(
        claims.to_json(verdicts) + "\n", encoding="utf-8"
    )
    (folder / f"{scope.prefix}comparison.json").write_text(records(comparison), encoding="utf-8")
    page = Page(
        profile=profile,
        scope=scope,
        verdicts=[dataclasses.asdict(verdict) for verdict in verdicts],
        comparison=comparison,
        timing=material.times,
        missing=material.missing,
        images={figure: folder / "figures" / file_of(figure) for figure in drawn},
        notes={figure: material.note(figure) for figure in drawn},
        seconds=seconds + time.perf_counter() - started,
    )
    say("writing the page")
    write_page(page, folder)
    return page


def counted(number: int, what: str) -> str:
    """A number with a noun in singular or plural.

    >>> counted(1, "claim"), counted(3, "cell")
    ('1 claim', '3 cells')
    """
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _drawn(material: Material, folder: Path, say: Say) -> list[str]:
    """Draw the figures of the scope; return those for which there is data."""
    drawn = []
    for figure in material.scope.figures:
        say(f"drawing {name_of(figure)}")
        if material.draw(figure, folder):
            drawn.append(figure)
    return drawn


def _times(folder: Path, profile: str, threads: int | None) -> "pandas.DataFrame":
    found = timed(profile, threads)
    (folder / "timing.json").write_text(records(found), encoding="utf-8")
    return found


def _kept_times(folder: Path) -> "pandas.DataFrame | None":
    """The times that an earlier report measured, if any."""
    import pandas

    path = folder / "timing.json"
    if not path.is_file():
        return None
    try:
        return pandas.DataFrame(json.loads(path.read_text(encoding="utf-8")))
    except ValueError:
        raise InputError(f"{path} is damaged: remove it, or measure the times again.") from None
