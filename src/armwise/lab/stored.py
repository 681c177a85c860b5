"""Look at a store of results while sweeps run: it is only read, and no file that it names is."""

from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from armwise.errors import InputError, unknown
from armwise.lab.following import following, stamp_of
from armwise.lab.parts import ARMS, TRACE, Shelf
from armwise.model.component import Component
from armwise.sweeps.cell import Cell
from armwise.sweeps.results import Results
from armwise.sweeps.state import state
from armwise.sweeps.store import Store
from armwise.sweeps.table import measured

ROWS = 2_000  # cells that are shown
TRIALS = 500  # of the trace that a cell opens, at most
CURVES = 6  # agents in a figure: as many as there are line styles

# An agent is called by the first of these that no other agent in the same bandit has.
NAMES: tuple[Callable[[Any], str], ...] = (
    lambda agent: agent.label,
    lambda agent: " ".join([agent.label, *(part.label for part in agent.parts[1:])]),
    lambda agent: " ".join([str(agent.parts[0]), *(part.label for part in agent.parts[1:])]),
    str,
)


class StorePage:
    """A store, as a page sees it."""

    def __init__(self, path: Path, shelf: Shelf) -> None:
        self.path, self.shelf = path, shelf
        self.components = [str(file) for file in shelf.files]
        self._kept: dict[str, dict[str, Any]] = {}  # what was read of a file, which never changes
        Store(path)

    def changes(self) -> AsyncIterator[dict[str, Any]]:
        """What there is to tell, now and whenever a cell is stored."""
        store = Store(self.path)
        return following(lambda: stamp_of(store.cells, self.path), (self.told,))

    def told(self) -> dict[str, Any]:
        """What is done, and a row per cell with the regret after its last trial."""
        data = state(self.path, self.components)
        rows: list[dict[str, Any]] = []
        for sweep in data["sweeps"]:
            if "problem" not in sweep and not sweep["needs"]:
                rows += self._rows(sweep["name"], ROWS - len(rows))
        return {"kind": "results", **data, "table": rows}

    def curves(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Regret over trials of the best agents of a sweep in one of its bandits."""
        sweep, bandit = asked.get("sweep"), asked.get("bandit")
        if not isinstance(sweep, str) or not isinstance(bandit, str):
            raise InputError("A figure needs the names of a sweep and of a bandit.")
        every = self._cells(sweep)
        names, cells = named(every), [cell for cell in every if str(cell.bandit) == bandit]
        if not cells:
            raise unknown("bandit", bandit, sorted({str(cell.bandit) for cell in every}))
        cells.sort(key=lambda cell: self._about(cell)["mean"])
        long = [cell for cell in cells if self._about(cell)["trial"] == asked.get("trial")] or cells
        trial = self._about(long[0])["trials"]
        cells = [cell for cell in long if np.array_equal(self._about(cell)["trials"], trial)]
        shown = cells[:CURVES]
        arrays = {
            name: np.stack([self._about(cell)["curves"][column] for cell in shown])
            for name, column in (("mean", "regret"), ("low", "low"), ("high", "high"))
        }
        labels = [names[cell.name] for cell in shown]
        left = len(cells) - len(shown)
        header = {"kind": "curves", "sweep": sweep, "bandit": bandit, "labels": labels}
        return {**header, "left": left, "arrays": {"trial": trial, **arrays}}

    def _cells(self, sweep: str) -> list[Cell]:
        return Results.stored(Store(self.path), sweep, self.components).cells

    def _rows(self, sweep: str, most: int) -> list[dict[str, Any]]:
        cells = self._cells(sweep)
        names = named(cells)
        return [self._row(sweep, cell, names[cell.name]) for cell in cells[:most]]

    def _row(self, sweep: str, cell: Cell, label: str) -> dict[str, Any]:
        about = self._about(cell)
        known = {name: about[name] for name in ("trial", "mean", "low", "high")}
        return {
            "sweep": sweep,
            "label": label,
            "agent": str(cell.agent),
            "bandit": str(cell.bandit),
            "agents": cell.agents,
            **known,
            "explore": self._explore(cell),
        }

    def _about(self, cell: Cell) -> dict[str, Any]:
        """The regrets of a cell over its trials, and after the last."""
        if cell.name not in self._kept:
            regret = Store(self.path).regret(cell)
            found = measured(regret.values, regret.trial.values, float("nan"))
            last = {name: float(found[name][-1]) for name in ("low", "high")}
            self._kept[cell.name] = {
                "trial": int(found["trial"][-1]),
                "mean": float(found["regret"][-1]),
                **last,
                "trials": found["trial"],
                "curves": {name: found[name] for name in ("regret", "low", "high")},
            }
        return self._kept[cell.name]

    def _explore(self, cell: Cell) -> dict[str, Any] | None:
        """What a page asks to see the first agent of a cell; None if it cannot be asked."""
        if not self._known(cell.bandit, *cell.agent.parts) or cell.bandit.arms > ARMS:
            return None
        parts = {"policy" if p.role == "actor" else p.role: _plain(p) for p in cell.agent.parts}
        return {
            "bandit": _plain(cell.bandit),
            "agent": parts,
            "horizon": min(cell.horizon, TRIALS, TRACE // cell.bandit.arms),
            "seed": cell.seed,
            "number": 0,
        }

    def _known(self, *parts: Component) -> bool:
        return all(
            self.shelf.known(part.role).get(part.label.lower()) is type(part) for part in parts
        )


def named(cells: Iterable[Cell]) -> dict[str, str]:
    """A short name for the agent of every cell, by the name of the cell.

    Agents that differ in the parameters of learners alone, such as the rate that they are given in
    each bandit, share a name: they are one row of a table whose columns are bandits.
    """
    left, found = list(cells), dict[str, str]()
    for name in NAMES:
        groups = defaultdict[str, list[Cell]](list)
        for cell in left:
            groups[name(cell.agent)].append(cell)
        left = []
        for label, group in groups.items():
            bandits = [str(cell.bandit) for cell in group]
            if len(set(bandits)) < len(bandits) and name is not str:
                left += group
            else:
                found |= dict.fromkeys((cell.name for cell in group), label)
    return found


def _plain(part: Component) -> dict[str, Any]:
    values = {k: list(v) if isinstance(v, tuple) else v for k, v in part.parameters().items()}
    return {"name": part.label.lower(), **values}
