"""The material of a report: the sweeps of a scope, their stored results, and measured times."""

import dataclasses
import json
from pathlib import Path
from typing import TYPE_CHECKING, Self

from armwise.errors import unknown
from armwise.paper import published
from armwise.paper.claims import Evidence, Verdict
from armwise.paper.differences import explained
from armwise.paper.experiments import bundled_cells
from armwise.paper.figures import FIGURES, drawer, file_of
from armwise.paper.scope import Scope
from armwise.plotting import style
from armwise.sweeps.cell import Cell
from armwise.sweeps.results import Results
from armwise.sweeps.store import Store

if TYPE_CHECKING:
    import pandas

PROFILES = ("quick", "paper")
Groups = dict[str, list[Cell]]


def sweeps_of(profile: str, scope: Scope) -> Groups:
    """The cells of every sweep of a scope, by name of the sweep."""
    if profile not in PROFILES:
        raise unknown("profile", profile, PROFILES)
    return {name: list(bundled_cells(name, profile)) for name in scope.sweeps}


@dataclasses.dataclass(frozen=True)
class Material:
    """Everything that a report needs.

    `wanted` are the cells of each sweep, `held` those that are in the store; `times` are those of
    table 1, if any.
    """

    profile: str
    scope: Scope
    store: Store
    wanted: Groups
    held: Groups
    times: "pandas.DataFrame | None" = None

    @classmethod
    def gathered(cls, profile: str, scope: Scope, store: Store) -> Self:
        """The material that is in the store now, without times."""
        wanted, present = sweeps_of(profile, scope), store.names()
        held = {name: [c for c in cells if c.name in present] for name, cells in wanted.items()}
        return cls(profile, scope, store, wanted, held)

    @property
    def missing(self) -> dict[str, tuple[int, int]]:
        """The incomplete sweeps, with the numbers of stored and of all cells."""
        counts = {name: (len(self.held[name]), len(cells)) for name, cells in self.wanted.items()}
        return {name: pair for name, pair in counts.items() if pair[0] < pair[1]}

    def note(self, figure: str) -> str:
        """The note in a figure's corner: the profile and its sizes; none at paper size."""
        cells = self.held.get(FIGURES[figure].sweep or "", [])
        if self.profile == "paper" or not cells:
            return ""
        horizon, agents = max(c.horizon for c in cells), max(c.agents for c in cells)
        return f"{self.profile} profile: {agents} agents, {horizon} trials"

    def draw(self, figure: str, folder: Path) -> bool:
        """Draw a figure to files; return False if there is no data for it."""
        draw, note = drawer(figure), self.note(figure)
        if figure == "table1":
            if self.times is None:
                return False
            drawn = draw(self.times, note=note)
        elif (sweep := FIGURES[figure].sweep) is None:
            drawn = draw(note=note)
        elif not self.held[sweep]:
            return False
        else:
            drawn = draw(Results(self.held[sweep], self.store), note=note)
        for ending in (".png", ".svg"):
            style.save(drawn, folder / Path(file_of(figure)).with_suffix(ending))
        return True

    def judge(self, simulates: bool = True) -> list[Verdict]:
        """The verdicts on the claims of the scope."""
        measured = None if self.times is None else self.times.rename(columns={"milliseconds": "ms"})
        evidence = Evidence(self.store, self.profile, measured, simulates)
        return [claim.check(evidence) for claim in self.scope.claims]

    def compare(self) -> "pandas.DataFrame":
        """Published values beside ours, figure by figure, worst first."""
        import pandas

        compared = {
            figure: sweep
            for figure in self.scope.figures
            if figure in published.FIGURES and (sweep := FIGURES[figure].sweep)
        }
        tables = {
            sweep: Results(self.held[sweep], self.store).table()
            for sweep in set(compared.values())
            if self.held[sweep]
        }
        frames = [
            explained(published.compare(figure, tables[sweep]), tables[sweep])
            for figure, sweep in compared.items()
            if sweep in tables
        ]
        if not frames:
            return pandas.DataFrame(columns=["z"])
        found = pandas.concat(frames, ignore_index=True)
        return found.sort_values("z", key=abs, ascending=False, ignore_index=True)


def records(frame: "pandas.DataFrame") -> str:
    """A table as JSON, row by row."""
    rows = json.loads(frame.to_json(orient="records", double_precision=12))
    return json.dumps(rows, indent=1) + "\n"
