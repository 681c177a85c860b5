"""`armwise export`: the results of a store as one table or one netCDF file."""

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from armwise.cli import files
from armwise.cli.output import console
from armwise.errors import InputError

if TYPE_CHECKING:
    import xarray

    from armwise.sweeps.results import Results

ENDINGS = (".csv", ".parquet", ".nc")
ROOM = 4 << 30  # bytes that one netCDF file may take in memory


def export(
    store: Annotated[Path, typer.Argument(help="The folder that keeps the results.")],
    out: Annotated[Path, typer.Argument(help="A .csv, .parquet or .nc file to write.")],
    sweep: Annotated[str | None, typer.Option(help="One of the store's sweeps only.")] = None,
) -> None:
    """Write the results of a store to one file.

    A table (CSV, Parquet) has a row per cell and checkpoint, with means over agents and 95 %
    bounds; netCDF keeps the regret of every agent, along `cell`.

    Example:

    `armwise export results regret.csv --sweep figure-4`
    """
    files.writable("OUT", out, ENDINGS)
    results = held(store, sweep)
    with files.replacing(out) as draft:
        if out.suffix.lower() == ".nc":
            together(results).to_netcdf(draft, engine="h5netcdf")
        elif out.suffix.lower() == ".csv":
            results.table().to_csv(draft, index=False)
        else:
            _parquet(results, draft)
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


def together(results: "Results") -> "xarray.Dataset":
    """All cells in one Dataset, regret[cell, agent, trial]: NaN where a cell has no such trial."""
    import numpy as np
    import xarray

    cells = results.cells
    trials = np.array(sorted({mark for cell in cells for mark in cell.checkpoints}))
    agents = max(cell.agents for cell in cells)
    if 8 * len(cells) * agents * len(trials) > ROOM:
        raise InputError("That is more than 4 GiB in one file: export one --sweep, or a table.")
    regret = np.full((len(cells), agents, len(trials)), np.nan)
    for place, cell in zip(regret, cells, strict=True):
        columns = np.searchsorted(trials, cell.checkpoints)
        place[: cell.agents, columns] = results.store.regret(cell).values
    names = dict.fromkeys(name for found in results.conditions for name in found)
    coords: dict[str, Any] = {"cell": [cell.name for cell in cells]}
    coords |= {"agent": np.arange(agents), "trial": trials}
    for name in names:
        label = name if name not in ("agent", "trial", "cell") else f"{name}_"
        coords[label] = ("cell", _column([found.get(name) for found in results.conditions]))
    data = {"regret": (("cell", "agent", "trial"), regret, {"long_name": "cumulative regret"})}
    return xarray.Dataset(data, coords)


def _column(values: list[Any]) -> list[Any]:
    """Values of a condition; where a cell has none, NaN or no text."""
    if any(isinstance(value, (str, tuple)) for value in values):
        return ["" if value is None else str(value) for value in values]
    if None in values:
        return [float("nan") if value is None else float(value) for value in values]
    return values


def _parquet(results: "Results", draft: Path) -> None:
    if importlib.util.find_spec("pyarrow") is None:
        raise InputError("Parquet needs pyarrow: pip install 'armwise[parquet]'.")
    results.table().to_parquet(draft, index=False, engine="pyarrow")
