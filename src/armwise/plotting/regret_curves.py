"""Regret, or regret per trial, of several agents against the trial."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from armwise.analysis.regret import summary
from armwise.errors import InputError, unknown
from armwise.plotting import style

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

MEASURES = ("rate", "regret")


def draw(results: "Mapping[str, xarray.Dataset]", measure: str = "rate") -> "Figure":
    """Draw every result's mean with its 95 % band; the regret of random choice is dashed."""
    if measure not in MEASURES:
        raise unknown("measure", measure, MEASURES)
    if not results:
        raise InputError("A figure needs at least one result, not none.")
    tables = {label: summarised(result) for label, result in results.items()}
    first = next(iter(results.values()))
    with style.settings():
        figure, axes = style.panel()
        looks = style.looks([_policy(label, result) for label, result in results.items()])
        for (label, table), look in zip(tables.items(), looks, strict=True):
            _curve(axes, table, measure, label, look)
        _bound(axes, first, measure)
        _frame(axes, first["trial"].values, measure)
        axes.set_title(_title(first))
    return figure


def summarised(result: "xarray.Dataset") -> "xarray.Dataset":
    """Same as `regret.summary`, but the interval of a single agent is NaN."""
    if result.sizes["agent"] > 1:
        return summary(result)
    # Two copies of the agent have the right mean.
    table = summary(result.isel(agent=[0, 0]))
    spread = ["low", "high", "sem", "rate_low", "rate_high"]
    return table.assign({name: table[name] * math.nan for name in spread})


def _curve(axes: Any, table: "xarray.Dataset", measure: str, label: str, look: Any) -> None:
    names = {"rate": ("rate", "rate_low", "rate_high"), "regret": ("mean_regret", "low", "high")}
    middle, low, high = (table[name].values for name in names[measure])
    trials = table["trial"].values
    mark = "o" if len(trials) == 1 else None  # one point is not a line
    axes.plot(trials, middle, label=label, marker=mark, **look)
    axes.fill_between(trials, low, high, color=look["color"], alpha=0.2, linewidth=0)


def _bound(axes: Any, result: "xarray.Dataset", measure: str) -> None:
    rate = result.attrs.get("random_rate")
    if rate is None:
        return
    top = axes.get_ylim()[1]
    trials = np.geomspace(result["trial"].values[0], result["trial"].values[-1], 200)
    values = rate * (trials if measure == "regret" else np.ones(len(trials)))
    axes.plot(trials, values, label="random choice", **style.BOUND)
    if measure == "regret":  # the dashed line must not squeeze the others
        axes.set_ylim(top=max(top, 0.0))


def _frame(axes: Any, trials: np.ndarray, measure: str) -> None:
    steps = np.diff(trials)
    if len(steps) and steps.max() > 5 * steps.min():  # checkpoints are log-spaced
        axes.set_xscale("log")
    if len(steps):
        axes.margins(x=0.0)
    bottom = axes.get_ylim()[0] if measure == "rate" else 0.0  # rates often differ by little
    axes.set_ylim(bottom=max(0.0, bottom))
    axes.set_xlabel("trial  $t$")
    axes.set_ylabel(style.LABELS[measure])
    axes.legend()


def _policy(label: str, result: "xarray.Dataset") -> str:
    return str(result["policy"].item()) if "policy" in result.coords else label


def _title(result: "xarray.Dataset") -> str:
    bandit = str(result.attrs.get("bandit", "")).replace(":", ": ").replace(",", ", ")
    return f"{bandit}; {result.sizes['agent']} agents"
