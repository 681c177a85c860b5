"""Results of many cells, by condition: what figures, claims and exports read."""

from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from armwise.errors import InputError
from armwise.sweeps.cell import Cell
from armwise.sweeps.store import Store
from armwise.sweeps.stored import stored_cells
from armwise.sweeps.table import MEASURES, condition, measured

if TYPE_CHECKING:
    import pandas
    import xarray

__all__ = ["Results", "condition", "stored_cells"]


class Results:
    """The cells of a sweep with their results in a store.

    `results.regret(arms=10, policy="A-AI", lam=0.5)` is the one cell's `regret[agent, trial]`.
    """

    def __init__(self, cells: Iterable[Cell], store: Store) -> None:
        self.cells = list(cells)
        self.store = store
        self.conditions = [condition(cell) for cell in self.cells]
        self._read = lru_cache(maxsize=512)(store.regret)

    @classmethod
    def stored(
        cls, store: Store, sweep: str | None = None, components: Iterable[str] = ()
    ) -> "Results":
        """What a store holds so far of one of its sweeps, or of all of them.

        `components` are the files of your own that the sweeps may use: a store does not run code.
        """
        cells = stored_cells(store, sweep, components)
        present = store.names()
        return cls([cell for name, cell in cells.items() if name in present], store)

    def select(self, **wanted: Any) -> list[Cell]:
        """The cells that meet all conditions (numbers to a relative 1e-9)."""
        return [
            cell
            for cell, known in zip(self.cells, self.conditions, strict=True)
            if all(_same(known.get(name), value) for name, value in wanted.items())
        ]

    def values(self, name: str, **wanted: Any) -> list[Any]:
        """The values that a condition takes among the cells, in order of appearance."""
        chosen = set(self.select(**wanted))
        taken = [
            known.get(name)
            for cell, known in zip(self.cells, self.conditions, strict=True)
            if cell in chosen
        ]
        return list(dict.fromkeys(value for value in taken if value is not None))

    def regret(self, **wanted: Any) -> "xarray.DataArray":
        """Cumulative regret[agent, trial] of the only cell that meets the conditions."""
        cells = self.select(**wanted)
        if len(cells) != 1:
            raise InputError(f"{len(cells)} cells have {wanted}, where one was asked for.")
        return self._read(cells[0])

    def table(self) -> "pandas.DataFrame":
        """One row per cell and checkpoint: conditions, mean regret, rate, 95 % bounds, stuck."""
        import pandas

        frames = []
        for cell, known in zip(self.cells, self.conditions, strict=True):
            regret = self._read(cell)
            epsilon = known.get("epsilon", np.nan)
            columns = measured(regret.values, regret.trial.values, epsilon)
            plain = {k: str(v) if isinstance(v, tuple) else v for k, v in known.items()}
            frames.append(pandas.DataFrame({**plain, **columns}))
        table = pandas.concat(frames, ignore_index=True)
        if not any("epsilon" in known for known in self.conditions):
            del table["stuck"]
        names = [name for name in table.columns if name not in MEASURES]
        return table[[*names, *(name for name in MEASURES if name in table)]]


def _same(value: Any, wanted: Any) -> bool:
    if isinstance(value, float) and isinstance(wanted, (int, float)):
        return bool(np.isclose(value, wanted, rtol=1e-9, atol=1e-12))
    return bool(value == wanted)
