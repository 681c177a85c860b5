"""Regret rate against the precision of preferences lam: figures 2, S2 and S3."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from armwise.model.roles import Bandit
from armwise.paper.figures import panels
from armwise.plotting import layout, style
from armwise.sweeps.results import Results

if TYPE_CHECKING:
    import pandas
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LINES = {100: ":", 1_000: "-.", 10_000: "-"}
POLICIES = ("A-AI", "G-AI")
_MARKS = 10  # published values per curve


def draw(
    results: Results,
    figure: str,
    row: str,
    column: str,
    *,
    trials: Sequence[int],
    guide: float,
    top: float = 1.0,
    note: str = "",
) -> "Figure":
    """Draw a line per policy and trial, random choice dashed, and a dotted guide at one lam."""
    results = panels.computed(results)
    table = results.table()
    lines = _lines(table, trials)
    published = panels.published_values(figure, max(lines))
    published = published[published.trial.isin(list(lines))]
    with style.settings():
        grid = panels.Grid(results, row, column)
        for axes, condition in grid:
            _panel(axes, panels.rows(table, **condition), lines)
            _marks(axes, panels.rows(published, **condition), top / _MARKS)
            _guides(axes, panels.bandit_of(results, **condition), guide)
            axes.set_xlim(0.0, top)
            axes.set_xticks([0.0, top / 2, top], ["0", f"{top / 2:g}", f"{top:g}"])
        grid.from_zero()
        handles = _keys(results, lines, guide)
        if len(published):
            handles.append(panels.published_key())
        return grid.finish("$\\lambda$", "regret rate  $R_T / T$", handles, note)


def _lines(table: "pandas.DataFrame", trials: Sequence[int]) -> dict[int, str]:
    """The line style of every drawn trial: those asked for that exist, else only the last trial."""
    there = set(table.trial)
    found = {trial: LINES[trial] for trial in trials if trial in there}
    return found or {int(table.trial.max()): "-"}


def _panel(axes: "Axes", frame: "pandas.DataFrame", lines: dict[int, str]) -> None:
    for trial, line in lines.items():
        for policy in POLICIES:
            curve = panels.rows(frame, policy=policy, trial=trial).sort_values("lam")
            look = panels.look(policy) | {"linestyle": line, "linewidth": 1.3}
            panels.band(axes, curve.lam, curve, ("rate", "rate_low", "rate_high"), look)


def _marks(axes: "Axes", frame: "pandas.DataFrame", step: float) -> None:
    for policy, values in frame.groupby("policy"):
        steps = values.lam / step
        few = values[(steps - steps.round()).abs() < 1e-6]
        panels.marks(axes, few.lam, few.definition, style.COLOURS[str(policy)])


def _guides(axes: "Axes", bandit: Bandit | None, guide: float) -> None:
    if bandit is not None:
        axes.axhline(bandit.random_rate(), **panels.RANDOM)
    axes.axvline(guide, **panels.GUIDE)


def _keys(results: Results, lines: dict[int, str], guide: float) -> "list[Artist]":
    grey: dict[str, Any] = {"color": "#555555", "linewidth": 1.3}
    there = [policy for policy in POLICIES if results.select(policy=policy)]
    found = [layout.key(policy, **panels.look(policy)) for policy in there]
    for trial, line in lines.items():
        found.append(layout.key(f"$T = {panels.power(trial)}$", linestyle=line, **grey))
    found.append(layout.key("RC", **panels.RANDOM))
    found.append(layout.key(panels.equals("lam", guide), **panels.GUIDE))
    return found
