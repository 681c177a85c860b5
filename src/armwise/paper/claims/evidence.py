"""The evidence for claims: results of sweeps and measured times."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from armwise.paper.experiments import bundled_cells
from armwise.sweeps.cell import Cell
from armwise.sweeps.results import Results
from armwise.sweeps.store import Damaged, Store

if TYPE_CHECKING:
    import pandas


class Missing(Exception):  # noqa: N818 - as `Damaged`
    """The run lacks something that a claim needs; the message says what."""


class Evidence:
    """A store, read at the sizes of a profile. `timing` has columns policy, arms, ms.

    `simulates` is whether a claim may run small simulations of its own.
    """

    def __init__(
        self,
        store: Store | str | Path,
        profile: str = "quick",
        timing: "pandas.DataFrame | None" = None,
        simulates: bool = True,
    ) -> None:
        self.store = store if isinstance(store, Store) else Store(store)
        self.profile = profile
        self.timing = timing
        self.simulates = simulates
        self._data: dict[str, Data] = {}

    def cells(self, name: str) -> Iterable[Cell]:
        """The cells of a sweep."""
        return bundled_cells(name, self.profile)

    def results(self, name: str) -> Results | None:
        """The results of a sweep as far as they were computed, or None if none were."""
        found = [cell for cell in self.cells(name) if self.store.has(cell)]
        return Results(found, self.store) if found else None

    def data(self, name: str) -> "Data":
        """The results of a sweep for claims; raise Missing if none were computed."""
        if name not in self._data:
            results = self.results(name)
            if results is None:
                raise Missing(f"the sweep {name} was not run.")
            self._data[name] = Data(name, results)
        return self._data[name]


class Data:
    """The regret of agents by condition and trial; every cell is read only once."""

    def __init__(self, name: str, results: Any) -> None:
        self.name = name
        self.results = results
        self.horizon = int(min(results.values("horizon")))
        self._read: dict[tuple, tuple[np.ndarray, np.ndarray]] = {}

    def curves(self, **wanted: Any) -> tuple[np.ndarray, np.ndarray]:
        """Checkpoints and regret[agent, checkpoint] of the only cell that meets the conditions."""
        key = tuple(sorted(wanted.items()))
        if key not in self._read:
            # Strings and whole numbers first: they are cheap to compare.
            ordered = dict(sorted(wanted.items(), key=lambda item: isinstance(item[1], float)))
            if len(self.results.select(**ordered)) != 1:
                words = ", ".join(f"{name} = {value}" for name, value in ordered.items())
                raise Missing(f"{self.name} has no cell with {words}.")
            try:
                found = self.results.regret(**ordered)
            except Damaged as problem:
                raise Missing(str(problem)) from None
            self._read[key] = found.trial.values, found.transpose("agent", "trial").values
        return self._read[key]

    def regret(self, trial: int, **wanted: Any) -> np.ndarray:
        """The cumulative regret of every agent at a trial."""
        trials, regret = self.curves(**wanted)
        place = np.flatnonzero(trials == trial)
        if not len(place):
            raise Missing(
                f"{self.name} has no checkpoint at trial {trial}; it ends at {self.horizon}."
            )
        return regret[:, place[0]]

    def rate(self, trial: int, **wanted: Any) -> np.ndarray:
        """The regret rate of every agent at a trial."""
        return self.regret(trial, **wanted) / trial

    def lams(
        self, policy: str, low: float = 0.0, high: float = np.inf, least: int = 1
    ) -> list[float]:
        """The grid of lam of a policy from `low` to `high`, which must hold `least` values."""
        grid = sorted(self.results.values("lam", policy=policy))
        found = [lam for lam in grid if low - 1e-9 <= lam <= high + 1e-9]
        if len(found) < least:
            few = f"only {len(found)} lam of {policy}" if found else "no lam"
            raise Missing(f"{self.name} has {few} in the range that the claim is about.")
        return found

    def rates(self, trial: int, lams: Iterable[float], **wanted: Any) -> np.ndarray:
        """The regret rate[agent, lam] over a grid."""
        return np.stack([self.rate(trial, lam=lam, **wanted) for lam in lams], axis=1)

    def short_of(self, trial: int) -> str:
        """A text on what is missing if the run is shorter than this, else ''."""
        if self.horizon >= trial:
            return ""
        return f"the claim is about {trial} trials and this run has {self.horizon}"

    def need(self, trial: int) -> None:
        """Raise Missing if the run is shorter than this."""
        if self.horizon < trial:
            raise Missing(f"the claim needs {trial} trials and this run has {self.horizon}.")

    def coarser_than(self, step: float) -> str:
        """A text on what is missing if the grid of lam is coarser than this, else ''."""
        steps = [
            float(np.min(np.diff(self.lams(policy, least=2))))
            for policy in self.results.values("policy")
        ]
        found = max(steps)
        return f"the grid of lam has step {found:g}, not {step:g}" if found > step + 1e-9 else ""
