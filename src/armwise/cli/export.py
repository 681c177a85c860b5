"""`armwise export`: the results of a store as one table or one netCDF file."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from armwise.cli import files
from armwise.cli.datasets import stacked
from armwise.cli.options import StoreFolder, SweepName
from armwise.cli.output import console
from armwise.errors import InputError, require

if TYPE_CHECKING:
    import xarray

    from armwise.sweeps.results import Results

NEEDED = {".csv": ("pandas",), ".parquet": ("pandas", "pyarrow"), ".nc": ("h5netcdf",)}
ROOM = 4 << 30  # bytes that one netCDF file may take in memory


def export(
    store: StoreFolder,
    out: Annotated[Path, typer.Argument(help="A .csv, .parquet or .nc file to write.")],
    sweep: SweepName = None,
) -> None:
    """Write the results of a store to one file.

    A table (CSV, Parquet) has a row per cell and checkpoint, with means over agents and 95 %
    bounds; netCDF keeps the regret of every agent, along `cell`.

    Example:

    `armwise export results regret.csv --sweep figure-4`
    """
    files.writable("OUT", out, list(NEEDED))
    ending = out.suffix.lower()
    require(*NEEDED[ending])
    results = held(store, sweep)
    with files.replacing(out) as draft:
        if ending == ".nc":
            by_cell(results).to_netcdf(draft, engine="h5netcdf")
        elif ending == ".csv":
            results.table().to_csv(draft, index=False)
        else:
            results.table().to_parquet(draft, index=False, engine="pyarrow")
    console().print(f"Wrote {len(results.cells)} cells to {out}", markup=False, soft_wrap=True)


def held(folder: Path, sweep: str | None) -> "Results":
    """What a store holds of its sweeps; says so where that is not all."""
    from armwise.sweeps.results import Results, stored_cells
    from armwise.sweeps.store import Store

    store = Store(folder)
    results = Results.stored(store, sweep)
    wanted = len(stored_cells(store, sweep))
    if not results.cells:
        raise InputError(f"{folder} holds no results of {sweep or 'a sweep'} yet.")
    if len(results.cells) < wanted:
        missing = f"{wanted - len(results.cells)} of {wanted} cells are missing"
        console(stderr=True).print(f"{missing}: armwise status {folder}", markup=False)
    return results


def by_cell(results: "Results") -> "xarray.Dataset":
    """All cells in one dataset, regret[cell, agent, trial]: NaN where a cell has no such trial."""
    cells = results.cells
    trials = {mark for cell in cells for mark in cell.checkpoints}
    if 8 * len(cells) * max(cell.agents for cell in cells) * len(trials) > ROOM:
        raise InputError("That is more than 4 GiB in one file: export one --sweep, or a table.")
    regrets = {cell.name: results.store.regret(cell) for cell in cells}
    return stacked("cell", regrets, results.conditions)
