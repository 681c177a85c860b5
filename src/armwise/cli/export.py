"""`armwise export`: the results of a store as one table or one netCDF file."""

import csv
import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from armwise.cli import files
from armwise.cli.guard import FAILED
from armwise.cli.options import Components, StoreFolder, SweepName
from armwise.cli.output import console
from armwise.errors import InputError, require

if TYPE_CHECKING:
    from armwise.sweeps.extract import Extract

NEEDED = {".csv": (), ".parquet": ("pyarrow",), ".nc": ("h5netcdf", "h5py")}
_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet takes for a formula


def export(
    store: StoreFolder,
    out: Annotated[Path, typer.Argument(help="A .csv, .parquet or .nc file to write.")],
    sweep: SweepName = None,
    components: Components = None,
) -> None:
    """Write the results of a store to one file.

    A table (CSV, Parquet) has a row per cell and checkpoint, with means over agents and 95 %
    bounds; netCDF keeps the regret of every agent, along `cell`. A damaged file is left out and
    named, and the exit code is then 1.

    Example:

    `armwise export results regret.csv --sweep figure-4`
    """
    files.writable("OUT", out, list(NEEDED))
    ending = out.suffix.lower()
    require(*NEEDED[ending])
    results = held(store, sweep, components)
    with files.replacing(out) as draft:
        _WRITERS[ending](results, draft)
    console().print(f"Wrote {len(results.names)} cells to {out}", markup=False, soft_wrap=True)
    end_if_damaged(results)


def held(folder: Path, sweep: str | None, components: list[str] | None) -> "Extract":
    """What a store holds of its sweeps; says so where that is not all."""
    from armwise.sweeps.extract import Extract
    from armwise.sweeps.store import Store
    from armwise.sweeps.stored import planned

    store, wanted = Store(folder), dict[str, int]()
    for one in planned(store, sweep, components or ()):
        if one.problem or (one.cells is None and not one.works):
            raise one.refused()
        wanted |= one.works
    present = store.names()
    results = Extract(store, [name for name in wanted if name in present])
    lost = len(wanted) - len(wanted.keys() & present)
    if not results.names and not results.damaged:
        raise InputError(f"{folder} holds no results of {sweep or 'a sweep'} yet.")
    if not results.names:
        raise InputError(f"Every result in {folder} is damaged: armwise verify {folder}")
    if lost:
        missing = f"{lost} of {len(wanted)} cells are missing"
        console(stderr=True).print(f"{missing}: armwise status {folder}", markup=False)
    return results


def end_if_damaged(results: "Extract") -> None:
    """Name the files that were left out, and end with 1, where there are any."""
    for sentence in results.damaged.values():
        console(stderr=True).print(sentence, markup=False, soft_wrap=True)
    if results.damaged:
        count = len(results.damaged)
        console(stderr=True).print(
            f"{count} damaged {'file was' if count == 1 else 'files were'} left out: run the sweep "
            "again to compute them anew.",
            markup=False,
            soft_wrap=True,
        )
        raise typer.Exit(FAILED)


def _to_csv(results: "Extract", out: Path) -> None:
    with open(out, "w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow([_safe(name) for name in (*results.kinds, *results.measures)])
        for chunk in results.chunks():
            measures = [map(_present, chunk.measures[n].tolist()) for n in results.measures]
            rows = zip(*measures, strict=True)
            for known in chunk.conditions:
                cells = [_safe(_present(value)) for value in known]
                table.writerows([*cells, *next(rows)] for _ in range(chunk.rows))


def _present(value: Any) -> Any:
    """Nothing where a number is NaN, as tables have it."""
    return None if isinstance(value, float) and math.isnan(value) else value


def _safe(value: Any) -> Any:
    """Text that a spreadsheet does not execute.

    >>> _safe("=1+1"), _safe("A-AI"), _safe(-0.5)
    ("'=1+1", 'A-AI', -0.5)
    """
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def _to_parquet(results: "Extract", out: Path) -> None:
    import pyarrow
    from pyarrow import parquet

    from armwise.sweeps.extract import NUMBER, TEXT, TRUTH, WHOLE

    types = {
        TEXT: pyarrow.string(),
        TRUTH: pyarrow.bool_(),
        WHOLE: pyarrow.int64(),
        NUMBER: pyarrow.float64(),
    }
    fields = [(name, types[kind]) for name, kind in results.kinds.items()]
    whole = {"trial": WHOLE}
    fields += [(name, types[whole.get(name, NUMBER)]) for name in results.measures]
    schema = pyarrow.schema(fields)
    with parquet.ParquetWriter(out, schema) as writer:
        for chunk in results.chunks():
            writer.write_table(pyarrow.table(results.columns(chunk), schema))


def _to_netcdf(results: "Extract", out: Path) -> None:
    from armwise.cli.datasets import write_by_cell

    write_by_cell(results, out)


_WRITERS: dict[str, Callable[["Extract", Path], None]] = {
    ".csv": _to_csv,
    ".parquet": _to_parquet,
    ".nc": _to_netcdf,
}
