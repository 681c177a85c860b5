"""Figure 3: stationary bandit, cumulative regret against the trial."""

from typing import TYPE_CHECKING, Any

import numpy as np

from armwise.analysis.regret import lai_robbins_bound
from armwise.paper.figures import panels
from armwise.plotting import layout, style
from armwise.sweeps.results import Results

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

POLICIES = ("A-AI", "O-TS", "B-UCB")
HORIZON = 1_000_000
TOPS = {0.05: 11_000, 0.1: 5_500, 0.2: 3_000}  # of the axes as published, by epsilon
_BOUND: Any = {"color": "#000000", "linestyle": ":", "linewidth": 1.4, "zorder": 1}


def draw(results: Results, *, note: str = "") -> "Figure":
    """Rows epsilon, columns K; dotted, the growth omega ln t of Lai and Robbins."""
    results = panels.computed(results)
    table = results.table()
    last = int(table.trial.max())
    first = 100 if last > 100 else 1
    table = table[table.trial >= first]
    published = panels.published_values("3", last)
    with style.settings():
        grid = panels.Grid(results, "epsilon", "arms")
        for axes, condition in grid:
            _panel(axes, panels.rows(table, **condition))
            _marks(axes, panels.rows(published, **condition))
            axes.set_xscale("log")
            axes.set_xlim(first, 1.25 * last)  # the last marks whole
            axes.set_ylim(0.0, _top(table, condition["epsilon"], last))
            trials = np.geomspace(first, last, 100)
            axes.plot(
                trials, lai_robbins_bound(condition["arms"], condition["epsilon"], trials), **_BOUND
            )
        handles = panels.policy_keys(results, POLICIES)
        handles.append(layout.key("$\\omega\\,\\ln t$", **_BOUND))
        if len(published):
            handles.append(panels.published_key())
        return grid.finish("trial  $t$", style.LABELS["regret"], handles, note)


def _panel(axes: "Axes", frame: "pandas.DataFrame") -> None:
    for policy in POLICIES:
        curve = panels.rows(frame, policy=policy).sort_values("trial")
        look = panels.look(policy) | {"linewidth": 1.3}
        panels.band(axes, curve.trial, curve, ("regret", "low", "high"), look)


def _marks(axes: "Axes", frame: "pandas.DataFrame") -> None:
    for policy, values in frame.groupby("policy"):
        panels.marks(axes, values.trial, values.definition, style.COLOURS[str(policy)])


def _top(table: "pandas.DataFrame", epsilon: float, last: int) -> float:
    """The published limit for the published horizon; otherwise the limit that the curves need.

    Not what omega ln t needs: at short horizons it lies far above any curve, as its offset is free.
    """
    published = [top for value, top in TOPS.items() if np.isclose(value, epsilon)]
    if last == HORIZON and published:
        return published[0]
    return max(1.08 * float(panels.rows(table, epsilon=epsilon).high.max()), 1e-9)
