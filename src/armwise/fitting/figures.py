"""Figures of checks and comparisons: people in black, agents in colour.

Each draws one kind of result, from its tables alone.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from armwise.plotting import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


BOUND: Any = style.BOUND
GROUP = 4_000  # draws of the group that its band is made of
PEOPLE = "#000000"
TWINS = "#0072B2"
WORDS = {
    "learning": ("trial", "share of the best arm"),
    "winning": ("trial", "share of outcome 1"),
    "earning": ("trial", "mean outcome"),
    "after_change": ("trials since an arm became the best", "share of that arm"),
    "switching": ("trials since the best arm changed", "share of changes of the arm"),
}


def of_fit(fit: Any) -> "Figure":
    """Everybody's values with their intervals, in order, and where nine in ten of the group are."""
    table, group = fit.people(), fit.new_people(GROUP)
    with style.settings():
        figure, axes = _panels(len(fit.names), 3)
        for d, (axis, name) in enumerate(zip(axes, fit.names, strict=True)):
            rows = table.sort_values(name, kind="stable")
            found, place = rows[name].to_numpy(), np.arange(1, len(rows) + 1)
            ends = rows[f"{name}_low"].to_numpy(), rows[f"{name}_high"].to_numpy()
            margins = np.maximum(np.array([found - ends[0], ends[1] - found]), 0.0)
            low, middle, high = np.percentile(group[:, d], [5, 50, 95])
            axis.axhspan(low, high, color=TWINS, alpha=0.15, lw=0, label="nine in ten of the group")
            axis.axhline(middle, color=TWINS, lw=1.0)
            axis.errorbar(place, found, margins, fmt="o", ms=2.5, lw=0.5, color=PEOPLE)
            if low > 0 and high > 5 * low and high > 1:
                axis.set_yscale("log")
            axis.set_ylabel(name)
            axis.set_xlabel("people, in order")
        axes[0].legend(loc="lower right")
    return figure


def of_prediction(prediction: Any) -> "Figure":
    """Curves with the bands of twins, and one panel with all measures."""
    from matplotlib.ticker import MaxNLocator

    names = list(dict.fromkeys(prediction.curves["curve"]))
    with style.settings():
        figure, axes = _panels(len(names) + 1, 2)
        for axis, name in zip(axes, names, strict=False):
            rows = prediction.curves[prediction.curves["curve"] == name]
            axis.fill_between(rows.trial, rows.low, rows.high, color=TWINS, alpha=0.25, lw=0)
            axis.plot(rows.trial, rows.predicted, color=TWINS, label="twins, with 95 %")
            axis.plot(rows.trial, rows.observed, color=PEOPLE, lw=1.0, label="people")
            axis.set_xlabel(WORDS[name][0])
            axis.set_ylabel(WORDS[name][1])
            axis.set_ylim(0, 1)
            axis.xaxis.set_major_locator(MaxNLocator(integer=True))
        _measures(axes[len(names)], prediction)
        axes[-2].legend(loc="upper right")
        figure.suptitle(f"People and their twins, by {prediction.name}", fontsize=11)
    return figure


def of_recovery(recovery: Any) -> "Figure":
    """Estimates with intervals against the truth."""
    with style.settings():
        figure, axes = _panels(len(recovery.table), 3)
        for axis, (name, row) in zip(axes, recovery.table.iterrows(), strict=False):
            columns = (recovery.people[f"{part}_{name}"] for part in _PARTS)
            true, found, low, high = (column.to_numpy() for column in columns)
            margins = np.abs(np.array([found - low, high - found]))
            axis.errorbar(true, found, margins, fmt="o", ms=3, lw=0.5, color=TWINS, alpha=0.5)
            ends = np.nanpercentile(np.concatenate([true, found]), [0, 100])
            axis.axline((ends[0], ends[0]), (ends[1], ends[1]), **BOUND)
            if (true > 0).all() and ends[1] > 30 * ends[0]:
                axis.set_xscale("log")
                axis.set_yscale("log")
            axis.set_title(f"{name}: r = {row.r:.2f}, coverage {row.coverage:.0%}")
            axis.set_xlabel("true")
            axis.set_ylabel("estimated")
    return figure


def of_comparison(comparison: Any) -> "Figure":
    """How much worse than the best each model predicts, how frequent it is, and the confusion."""
    table = comparison.table
    columns = 2 + (comparison.confusion is not None)
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    with style.settings():
        width = 3.4 * columns + 1.0
        height = 1.6 + 0.32 * len(table) + (0.8 if comparison.confusion is not None else 0.0)
        figure = Figure(figsize=(width, height), layout="constrained")
        axes = np.atleast_1d(figure.subplots(1, columns))
        place = np.arange(len(table))[::-1]
        axes[0].errorbar(table.difference, place, xerr=2 * table.se, fmt="o", color=TWINS, ms=4)
        axes[0].axvline(0.0, **BOUND)
        axes[0].set_yticks(place, table.index)
        axes[0].set_xlabel("score, less that of the best\n(two standard errors)")
        axes[1].barh(place, table.frequency, color=TWINS, alpha=0.35, label="frequency")
        axes[1].plot(table.protected, place, "o", color=PEOPLE, ms=4, label="protected exceedance")
        axes[1].set_yticks(place, [""] * len(place))
        for axis in axes[:2]:
            axis.set_ylim(-0.6, len(table) - 0.4)
        axes[1].set_xlim(0, 1.03)
        axes[0].xaxis.set_major_locator(MaxNLocator(4))
        axes[1].set_xlabel("share of people, probability")
        axes[1].legend(loc="lower right")
        if comparison.confusion is not None:
            _heat(axes[2], comparison.confusion.groups, comparison.confusion.names)
    return figure


_PARTS = ("true", "estimated", "low", "high")


def _measures(axis: "Axes", prediction: Any) -> None:
    """Every measure: people beside the interval of their twins."""
    table = prediction.measures.astype(float)
    place = np.arange(len(table))[::-1]
    margins = np.abs(np.array([table.predicted - table.low, table.high - table.predicted]))
    axis.errorbar(table.predicted, place, xerr=margins, fmt="o", ms=4, color=TWINS)
    axis.plot(table.observed, place, "D", ms=4, color=PEOPLE)
    axis.set_yticks(place, [name.replace("_", "-") for name in table.index])
    axis.set_xlim(0, 1)
    axis.set_xlabel("share, mean over people")


def _heat(axis: "Axes", shares: np.ndarray, names: Any) -> None:
    """A confusion matrix: rows made the choices, columns were picked."""
    axis.imshow(shares, vmin=0, vmax=1, cmap="Blues", aspect="auto")
    for row, column in np.ndindex(shares.shape):
        colour = "white" if shares[row, column] > 0.6 else "black"
        axis.text(column, row, f"{shares[row, column]:.2f}", ha="center", va="center", color=colour)
    axis.set_xticks(range(len(names)), names, rotation=40, ha="right")
    axis.set_yticks(range(len(names)), names)
    axis.set_xlabel("picked for the group")
    axis.set_ylabel("made by")


def _panels(count: int, columns: int) -> "tuple[Figure, list[Axes]]":
    """A figure with some panels, in rows."""
    from matplotlib.figure import Figure

    columns = min(columns, count)
    rows = -(-count // columns)
    figure = Figure(figsize=(4.2 * columns, 2.9 * rows), layout="constrained")
    axes = list(np.atleast_1d(figure.subplots(rows, columns)).ravel())
    for axis in axes[count:]:
        axis.set_axis_off()
    return figure, axes[:count]


def of_calibration(calibration: Any) -> "Figure":
    """Histograms of ranks; uniform ones stay in the band with probability .95."""
    from scipy import stats

    names = list(calibration.ranks.columns)
    groups = len(calibration.ranks)
    bins = int(np.clip(groups // 5, 2, 20))
    low, high = stats.binom.ppf([0.025, 0.975], groups, 1 / bins)
    with style.settings():
        figure, axes = _panels(max(1, len(names)), 3)
        for axis, name in zip(axes, names, strict=False):
            axis.axhspan(low, high, color=TWINS, alpha=0.2, lw=0)
            axis.hist(
                calibration.ranks[name], bins=bins, range=(0, 100), color=PEOPLE, histtype="step"
            )
            axis.set_title(f"{name}: p = {calibration.table.p[name]:.2f}")
            axis.set_xlabel("rank of the truth among 99 draws")
            axis.set_ylabel("groups")
    return figure
