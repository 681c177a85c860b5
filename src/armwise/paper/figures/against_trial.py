"""Regret rate against the trial: figures 4, 5 and 6."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from armwise.paper.figures import panels
from armwise.plotting import layout, style
from armwise.sweeps.results import Results

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MARKS = 8  # published values per curve


def draw(
    results: Results,
    figure: str,
    row: str,
    column: str,
    *,
    policies: Sequence[str],
    note: str = "",
) -> "Figure":
    """Draw the mean of every policy with its 95 % band; random choice is dashed."""
    results = panels.computed(results)
    table = results.table()
    last = int(table.trial.max())
    published = panels.published_values(figure, last)
    unit = 1_000 if last >= 5_000 else 1
    with style.settings():
        grid = panels.Grid(results, row, column)
        for axes, condition in grid:
            _panel(axes, panels.rows(table, **condition), policies, unit)
            _marks(axes, panels.rows(published, **condition), policies, unit)
            bandit = panels.bandit_of(results, **condition)
            if bandit is not None and "RC" not in policies:
                axes.axhline(bandit.random_rate(), **panels.RANDOM)
            axes.set_xlim(0, 1.03 * last / unit)  # the last marks whole
            axes.set_xticks([0, last / unit / 2, last / unit])
        handles = panels.policy_keys(results, policies)
        if "RC" not in policies:
            handles.append(layout.key("RC", **panels.RANDOM))
        if len(published):
            handles.append(panels.published_key())
        label = "trial  $t$" if unit == 1 else "trial  $t$  ($10^3$)"
        return grid.finish(label, style.LABELS["rate"], handles, note)


def _panel(axes: "Axes", frame: "pandas.DataFrame", policies: Sequence[str], unit: int) -> None:
    for policy in policies:
        curve = panels.rows(frame, policy=policy).sort_values("trial")
        look = panels.look(policy) | {"linewidth": 1.3}
        panels.band(axes, curve.trial / unit, curve, ("rate", "rate_low", "rate_high"), look)


def _marks(axes: "Axes", frame: "pandas.DataFrame", policies: Sequence[str], unit: int) -> None:
    for policy, values in frame.groupby("policy"):
        if policy not in policies:
            continue
        few = values.iloc[_spread(len(values))]
        panels.marks(axes, few.trial / unit, few.definition, style.COLOURS[str(policy)])


def _spread(count: int) -> np.ndarray:
    """A few evenly spaced places among many, including the last.

    >>> _spread(10)
    array([1, 3, 5, 7, 9])
    """
    return np.arange(count - 1, -1, -math.ceil(count / _MARKS))[::-1]
