"""Results of several cells or agents in one dataset."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

    import xarray

    from armwise.sweeps.extract import Extract

BLOCK = 1 << 20  # numbers that are written at a time
Conditions = Sequence[Mapping[str, Any]]


def stacked(
    axis: str, regrets: "Mapping[str, xarray.DataArray]", conditions: Conditions
) -> "xarray.Dataset":
    """Regrets as regret[axis, agent, trial], with the conditions of each along the axis.

    Where one has no such agent or trial, its regret is NaN.
    """
    import xarray

    trials = np.unique(np.concatenate([regret["trial"].values for regret in regrets.values()]))
    agents = max(regret.sizes["agent"] for regret in regrets.values())
    values = np.full((len(regrets), agents, len(trials)), np.nan)
    for block, regret in zip(values, regrets.values(), strict=True):
        columns = np.searchsorted(trials, regret["trial"].values)
        block[: regret.sizes["agent"], columns] = regret.values
    axes = {axis: list(regrets), "agent": np.arange(agents), "trial": trials}
    names = dict.fromkeys(name for known in conditions for name in known)
    along = {
        f"{name}_" if name in axes else name: (
            axis,
            column([known.get(name) for known in conditions]),
        )
        for name in names
    }
    data = {"regret": ((axis, "agent", "trial"), values, {"long_name": "cumulative regret"})}
    return xarray.Dataset(data, {**axes, **along})


def write_by_cell(results: "Extract", out: "Path") -> None:
    """All cells in one file, regret[cell, agent, trial]: NaN where a cell has no such trial.

    The conditions are held in memory, the regrets are written cell by cell.
    """
    import h5netcdf
    import xarray

    trials = np.array(sorted(results.trials))
    axes = {"cell": results.names, "agent": np.arange(results.agents), "trial": trials}
    known = list(zip(*(conditions for _, conditions in results.held()), strict=True))
    along = {
        f"{name}_" if name in axes else name: ("cell", ["" if v is None else v for v in values])
        for name, values in zip(results.kinds, known, strict=True)
    }
    xarray.Dataset(None, {**axes, **along}).to_netcdf(out, engine="h5netcdf")
    with h5netcdf.File(out, "a") as file:
        file.attrs.pop("coordinates", None)
        regret = file.create_variable("regret", tuple(axes), "f8", fillvalue=np.nan)
        regret.attrs["long_name"] = "cumulative regret"
        regret.attrs["coordinates"] = " ".join(along)
        for place, block in _blocks(results, trials):
            regret[place : place + len(block)] = block


def _blocks(results: "Extract", trials: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """The regrets of many cells at a time, and the number of the first."""
    most = max(1, BLOCK // (results.agents * len(trials)))
    place, block = 0, np.full((most, results.agents, len(trials)), np.nan)
    for number, (held, _) in enumerate(results.held()):
        if number == place + most:
            yield place, block
            place, block = number, np.full_like(block, np.nan)
        columns = np.searchsorted(trials, held.trials)
        block[number - place, : len(held.agents), columns] = held.regret.T
    yield place, block[: len(results.names) - place]


def labelled(results: "Mapping[str, xarray.Dataset]") -> "xarray.Dataset":
    """Results on the same bandits in one dataset: what differs between them lies along `label`.

    A single result only gains its label. Attributes that differ become lists.
    """
    parts = list(results.values())
    if len(parts) == 1:
        return parts[0].assign_coords(label=next(iter(results)))
    scalars = [{str(n): c.item() for n, c in part.coords.items() if not c.dims} for part in parts]
    shared, varying = _parted(scalars)
    regrets = {label: part["regret"] for label, part in results.items()}
    attributes = [part.attrs for part in parts]
    same, different = _parted(attributes)
    lists = {
        name: [known.get(name) for known in different]
        for name in parts[0].attrs
        if name not in same
    }
    return stacked("label", regrets, varying).assign_coords(shared).assign_attrs({**same, **lists})


def column(values: Sequence[Any]) -> list[Any]:
    """The values of a condition; where one has none, NaN or no text.

    >>> column([0.5, None]), column(["a", None]), column([(1.0, 2.0)])
    ([0.5, nan], ['a', ''], ['(1.0, 2.0)'])
    """
    if any(isinstance(value, (str, tuple)) for value in values):
        return ["" if value is None else str(value) for value in values]
    if None in values:
        return [float("nan") if value is None else float(value) for value in values]
    return list(values)


def _parted(tables: Conditions) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """What all tables have in common, and what remains of each."""
    first, *others = tables
    same = {k: v for k, v in first.items() if all(k in t and t[k] == v for t in others)}
    return same, [{k: v for k, v in table.items() if k not in same} for table in tables]
