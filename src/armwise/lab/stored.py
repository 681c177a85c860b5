"""Look at a store of results while sweeps run: it is only read, and no file that it names is."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

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


class StorePage:
    """A store, as a page sees it."""

    def __init__(self, path: Path, shelf: Shelf) -> None:
        self.path, self.shelf = path, shelf
        self.components = [str(file) for file in shelf.files]
        Store(path)

    def changes(self) -> AsyncIterator[dict[str, Any]]:
        """What there is to tell, now and whenever a cell is stored."""
        store = Store(self.path)
        return following(lambda: stamp_of(store.cells, self.path), (self.told,))

    def told(self) -> dict[str, Any]:
        """What is done, and a row per cell with the regret after its last trial."""
        store = Store(self.path)
        data = state(self.path, self.components)
        rows: list[dict[str, Any]] = []
        for sweep in data["sweeps"]:
            if "problem" not in sweep and not sweep["needs"]:
                rows += self._rows(store, sweep["name"], ROWS - len(rows))
        return {"kind": "results", **data, "table": rows}

    def _rows(self, store: Store, sweep: str, most: int) -> list[dict[str, Any]]:
        found = Results.stored(store, sweep, self.components)
        return [self._row(store, sweep, cell) for cell in found.cells[:most]]

    def _row(self, store: Store, sweep: str, cell: Cell) -> dict[str, Any]:
        regret = store.regret(cell)
        last = measured(regret.values[:, -1:], regret.trial.values[-1:], float("nan"))
        return {
            "sweep": sweep,
            "agent": str(cell.agent),
            "bandit": str(cell.bandit),
            "trial": int(last["trial"][-1]),
            "agents": cell.agents,
            "mean": float(last["regret"][-1]),
            "low": float(last["low"][-1]),
            "high": float(last["high"][-1]),
            "explore": self._explore(cell),
        }

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


def _plain(part: Component) -> dict[str, Any]:
    values = {k: list(v) if isinstance(v, tuple) else v for k, v in part.parameters().items()}
    return {"name": part.label.lower(), **values}
