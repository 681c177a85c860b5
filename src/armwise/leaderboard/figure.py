"""The figure of a family: the regret of every agent relative to the best, bandit by bandit."""

from typing import TYPE_CHECKING, Any

import numpy as np

from armwise.leaderboard.board import Standing
from armwise.leaderboard.score import AS_GOOD, BEST, BOUND, WORSE
from armwise.plotting import layout, style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LOOKS: dict[str, Any] = {
    BEST: "#009E73",
    AS_GOOD: "#56B4E9",
    WORSE: "#D55E00",
    BOUND: "#777777",
}
_LEAST = 1e-9  # stands for a regret of 0 on a logarithmic axis
_FIRST, _ROW = 1.2, 0.27  # height in inches: a constant part, and a part per agent


def ratios(standing: Standing) -> dict[str, np.ndarray]:
    """The mean regret of every agent divided by that of the best ranked agent, by bandit."""
    table = {row.agent: np.array(list(row.bandits.values())) for row in standing.rows}
    ranked = [table[row.agent] for row in standing.rows if row.verdict != BOUND]
    least = np.maximum(np.min(ranked, axis=0), _LEAST)
    return {agent: values / least for agent, values in table.items()}


def draw(standing: Standing, *, note: str = "") -> "Figure":
    """Draw a line per agent: a light dot for every bandit, a full dot for their geometric mean."""
    from matplotlib.figure import Figure

    with style.settings():
        height = _FIRST + _ROW * len(standing.rows)
        figure = Figure(figsize=(layout.WIDTH, height), layout="constrained")
        axes = figure.subplots()
        relative = ratios(standing)
        for line, row in enumerate(standing.rows):
            values = np.maximum(relative[row.agent], _LEAST)
            colour = LOOKS[row.verdict]
            axes.plot(values, np.full(len(values), line), "o", color=colour, alpha=0.3, ms=4, mew=0)
            middle = np.exp(np.log(values).mean())
            axes.plot([middle], [line], "o", color=colour, ms=7, mec="white", mew=0.8, zorder=3)
        axes.axvline(1.0, color="#BBBBBB", linewidth=1, zorder=0)
        axes.set_xscale("log")
        _ticks(axes, np.concatenate(list(relative.values())))
        axes.set_yticks(range(len(standing.rows)), [row.agent for row in standing.rows])
        axes.set_ylim(len(standing.rows) - 0.5, -0.5)
        axes.set_xlabel("mean regret relative to the best agent of each bandit")
        layout.legend(figure, _keys(standing))
        layout.corner(figure, note)
    return figure


def _ticks(axes: Any, values: np.ndarray) -> None:
    """Set a few plain numbers as ticks, because a short logarithmic axis may have none."""
    from matplotlib.ticker import NullFormatter

    marks = [0.25, 0.5, 0.8, 1, 1.25, 1.5, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000]
    low, high = values.min(), values.max()
    shown = [mark for mark in marks if low * 0.8 <= mark <= high * 1.2]
    if high > 10.0:
        shown = [mark for mark in shown if mark not in (1.25, 1.5, 3)]
    axes.set_xticks(shown, [f"{mark:g}" for mark in shown])
    axes.xaxis.set_minor_formatter(NullFormatter())


def _keys(standing: Standing) -> list[Any]:
    there = {row.verdict for row in standing.rows}
    dot: dict[str, Any] = {"linestyle": "none", "marker": "o", "markersize": 6}
    return [layout.key(text, color=look, **dot) for text, look in LOOKS.items() if text in there]
