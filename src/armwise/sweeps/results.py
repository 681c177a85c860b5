"""Results of many cells, by condition: what figures, claims and exports read."""

from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from armwise.analysis.regret import Interval, mean_interval, stuck
from armwise.errors import InputError, unknown
from armwise.model.roles import Actor
from armwise.sweeps.cell import Cell
from armwise.sweeps.store import Store

if TYPE_CHECKING:
    import pandas
    import xarray


def condition(cell: Cell) -> dict[str, Any]:
    """What distinguishes a cell, flat: bandit, arms, epsilon, rho, policy, lam, ...

    Parameters of the bandit and the policy go by their own names; those of the learner and the
    choice carry their role (`learner_rho`, `choice_precision`).
    """
    agent = cell.agent
    actor = isinstance(agent, Actor)
    names: dict[str, Any] = {"bandit": cell.bandit.label, **cell.bandit.parameters()}
    names |= {"policy": agent.label, **(agent if actor else agent.policy).parameters()}
    if not actor:
        for part in (agent.learner, agent.choice):
            names[part.role] = part.label
            names |= {f"{part.role}_{name}": v for name, v in part.parameters().items()}
    return names | {"horizon": cell.horizon, "agents": cell.agents, "seed": cell.seed}


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
    def stored(cls, store: Store, sweep: str | None = None) -> "Results":
        """What a store holds so far of one of its sweeps, or of all of them."""
        cells = stored_cells(store, sweep)
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
            interval = _interval(regret.values)
            trial = regret.trial.values
            columns = {"trial": trial, "regret": interval.mean, "sem": interval.sem}
            columns |= {"low": interval.low, "high": interval.high, "rate": interval.mean / trial}
            columns |= {"rate_low": interval.low / trial, "rate_high": interval.high / trial}
            if "epsilon" in known:
                columns["stuck"] = stuck(regret.values, known["epsilon"], trial).mean(axis=0)
            plain = {k: str(v) if isinstance(v, tuple) else v for k, v in known.items()}
            frames.append(pandas.DataFrame({**plain, **columns}))
        return pandas.concat(frames, ignore_index=True)


def stored_cells(store: Store, sweep: str | None = None) -> dict[str, Cell]:
    """The cells, by name, of one of the sweeps that were run on a store, or of all of them."""
    from armwise.sweeps.sweep import Sweep

    definitions = store.definitions()
    if sweep is not None and sweep not in definitions:
        raise unknown("sweep", sweep, definitions)
    chosen = [sweep] if sweep is not None else list(definitions)
    cells: dict[str, Cell] = {}
    for name in chosen:
        sweep_cells = Sweep.of(definitions[name], f"The sweep {name}").cells()
        cells |= {cell.name: cell for cell in sweep_cells}
    return cells


def _interval(values: np.ndarray) -> Interval:
    if len(values) > 1:
        return mean_interval(values)
    nothing = np.full(values.shape[1], np.nan)  # one agent has no spread
    return Interval(values[0], nothing, nothing, nothing)


def _same(value: Any, wanted: Any) -> bool:
    if isinstance(value, float) and isinstance(wanted, (int, float)):
        return bool(np.isclose(value, wanted, rtol=1e-9, atol=1e-12))
    return bool(value == wanted)
