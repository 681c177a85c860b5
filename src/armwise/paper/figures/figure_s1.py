"""Figure S1: stationary bandit, histograms of the logarithm of regret at the horizon."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from armwise.analysis.regret import random_choice_regret, stuck
from armwise.paper import published
from armwise.paper.figures import panels
from armwise.plotting import layout, style
from armwise.sweeps.results import Results

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

POLICIES = ("A-AI", "O-TS", "B-UCB")
_BINS = 40


def draw(results: Results, *, note: str = "") -> "Figure":
    """Rows epsilon, columns K; random choice is dashed; a text gives the fraction of A-AI stuck."""
    results = panels.computed(results)
    regrets = _regrets(results)
    last = max(cell.horizon for cell in results.cells)
    with style.settings():
        grid = panels.Grid(results, "epsilon", "arms")
        edges = _edges(results, regrets, last)
        for axes, condition in grid:
            found = regrets.get((condition["epsilon"], condition["arms"]), {})
            _histograms(axes, found, edges)
            if (bandit := panels.bandit_of(results, **condition)) is not None:
                bound = math.log(random_choice_regret(bandit, last))
                axes.axvline(bound, **panels.RANDOM)
            if "A-AI" in found:
                _share(axes, found["A-AI"], last, condition)
            axes.set_xlim(edges[0], edges[-1])
        grid.from_zero(room=1.45)  # room above the bars for the text
        for axes in grid.axes[:, 0]:
            axes.set_yticks([tick for tick in axes.get_yticks() if 0.0 <= tick <= 1.0])
        handles = panels.policy_keys(results, POLICIES)
        handles.append(layout.key("RC", **panels.RANDOM))
        x = f"$\\ln R_T$,  $T = {panels.power(last)}$"
        return grid.finish(x, "fraction of agents", handles, note)


def _regrets(results: Results) -> dict[tuple[Any, Any], dict[str, np.ndarray]]:
    """Regret of every agent at the last checkpoint, by panel and policy."""
    found: dict[tuple[Any, Any], dict[str, np.ndarray]] = {}
    for cell, condition in zip(results.cells, results.conditions, strict=True):
        wanted = {name: condition[name] for name in ("policy", "arms", "epsilon")}
        last = results.regret(**wanted, seed=cell.seed).isel(trial=-1).values
        found.setdefault((wanted["epsilon"], wanted["arms"]), {})[wanted["policy"]] = last
    return found


def _edges(results: Results, regrets: Any, last: int) -> np.ndarray:
    """The bins, equal in all panels."""
    samples = [sample for panel in regrets.values() for sample in panel.values()]
    logs = np.log(np.concatenate([sample[sample > 0.0] for sample in samples]))
    bounds = [math.log(random_choice_regret(cell.bandit, last)) for cell in results.cells]
    low, high = np.quantile(logs, 0.0005), max(logs.max(), *bounds)
    margin = 0.03 * (high - low) + 1e-9
    return np.linspace(low - margin, high + margin, _BINS + 1)


def _histograms(axes: "Axes", samples: dict[str, np.ndarray], edges: np.ndarray) -> None:
    for policy in POLICIES:
        if policy not in samples:
            continue
        sample = samples[policy]
        # An agent that never erred has no logarithm; it counts in the lowest bin.
        logs = np.log(np.maximum(sample, math.exp(edges[0])))
        counts, _ = np.histogram(np.maximum(logs, edges[0]), edges)
        colour = style.COLOURS[policy]
        axes.stairs(counts / len(sample), edges, color=colour, linewidth=1.1)
        axes.stairs(counts / len(sample), edges, color=colour, fill=True, alpha=0.25)


def _share(axes: "Axes", sample: np.ndarray, last: int, condition: dict[str, Any]) -> None:
    """Write the fraction of A-AI agents that are stuck, ours and the published one."""
    share = float(stuck(sample, condition["epsilon"], last).mean())
    lines = [f"stuck: {100 * share:.3g} %"]
    rows = panels.rows(published.values("S1"), trial=last, **condition)
    lines += [f"published: {100 * value:.3g} %" for value in rows.definition]
    white = {"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 1.0}
    place: Any = {"ha": "left", "va": "top", "transform": axes.transAxes, "bbox": white}
    axes.text(0.04, 0.98, "\n".join(lines), fontsize=8, color=style.COLOURS["A-AI"], **place)
