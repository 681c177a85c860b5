"""A leaderboard: compute every agent in every family, unless stored, and score it."""

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from armwise.errors import unknown
from armwise.leaderboard.family import NOTHING, PROFILES, Contender, Family, families, own_entry
from armwise.leaderboard.score import AS_GOOD, BEST, Row, rows_of
from armwise.sweeps import runner
from armwise.sweeps.cell import Cell
from armwise.sweeps.progress import Report
from armwise.sweeps.store import Store


@dataclasses.dataclass(frozen=True)
class Standing:
    """A family with its table, best first; `waiting` agents have cells not yet computed."""

    family: Family
    bandits: list[str]
    rows: list[Row]
    waiting: list[str]
    held: int  # number of cells in the store
    wanted: int  # number of all cells

    @property
    def best(self) -> Row | None:
        """The best agent that is not a bound."""
        return next((row for row in self.rows if row.verdict == BEST), None)

    @property
    def as_good(self) -> list[Row]:
        """The agents that cannot be distinguished from the best."""
        return [row for row in self.rows if row.verdict == AS_GOOD]

    @property
    def best_given_nothing(self) -> Row | None:
        """The best agent that is given no knowledge of its bandits."""
        return next((row for row in self.rows if row.given.split(";")[0] == NOTHING), None)


def playing(
    profile: str, names: Sequence[str] = (), own: Sequence[str] = (), among: Sequence[Family] = ()
) -> list[Family]:
    """The families in the sizes of a profile, each with the user's own agents added."""
    if profile not in PROFILES:
        raise unknown("profile", profile, PROFILES)
    added = [own_entry(text) for text in own]
    sized = [family.at(profile) for family in among or families(names)]
    return [family.model_copy(update={"agent": [*family.agent, *added]}) for family in sized]


def cells_of(playing: Sequence[Family]) -> list[Cell]:
    """All cells of the families, without repetition."""
    cells = {
        cell.name: cell
        for family in playing
        for contender in family.contenders()
        for cell in contender.cells.values()
    }
    return list(cells.values())


def compute(
    playing: Sequence[Family],
    store: Store,
    profile: str,
    *,
    threads: int | None = None,
    report: Report | None = None,
    device: str = "cpu",
) -> runner.Summary:
    """Compute the cells that are not in the store."""
    cells = cells_of(playing)
    for family in playing:
        for number, definition in enumerate(family.definitions()):
            name = f"leaderboard-{family.name}-{profile}"
            store.remember(f"{name}-{number}" if number else name, definition)
    return runner.run(cells, store, threads=threads, report=report, device=device)


def standing(family: Family, store: Store) -> Standing:
    """Score the results of a family that are in the store."""
    contenders, present = family.contenders(), store.names()
    cells = [cell.name for one in contenders for cell in one.cells.values()]
    done = [one for one in contenders if {c.name for c in one.cells.values()} <= present]
    bandits = list(contenders[0].cells)
    regrets, costs = {}, {}
    for one in done:
        regrets[one.label], costs[one.label] = _read(one, store, family.measure)
    rows = rows_of(
        regrets,
        bandits,
        {one.label: one.given for one in done},
        [one.label for one in done if one.bound],
        costs,
    )
    labels = {row.agent for row in rows}
    waiting = [one.label for one in contenders if one.label not in labels]
    return Standing(family, bandits, rows, waiting, len(present & set(cells)), len(set(cells)))


def _read(one: Contender, store: Store, measure: str) -> tuple[np.ndarray, float]:
    """The final regret or rate `[copy, bandit]`, and the nanoseconds per decision on one core."""
    columns, seconds, work = [], 0.0, 0
    for cell in one.cells.values():
        result = store.read(cell)
        regret = result.regret.transpose("agent", "trial").values[:, -1]
        columns.append(regret / cell.horizon if measure == "rate" else regret)
        seconds += _core_seconds(result.attrs)
        work += cell.work
    return np.stack(columns, axis=1), 1e9 * seconds / work


def _core_seconds(attrs: dict[str, Any]) -> float:
    """The time of a result summed over its cores; a card counts as one core."""
    cores = int(attrs["threads"]) if attrs["device"] == "cpu" else 1
    return float(attrs["seconds"]) * cores
