"""What claims read off curves: the best lam, crossing times, growth per decade."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from armwise.paper import random_choice
from armwise.paper.claims.decide import (
    Estimate,
    Finding,
    below,
    resampled,
    resampling,
    student,
    within,
)
from armwise.paper.claims.evidence import RIVALS, Data

DECADES = (10_000, 100_000, 1_000_000)


def random_rate(cell: dict[str, Any]) -> float:
    """The regret rate of random choice in a cell."""
    return random_choice.random_rate(cell["arms"], cell.get("epsilon"))


def halves(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Agents to choose with, and agents to judge with."""
    return values[::2], values[1::2]


def best(lams: Sequence[float], rates: np.ndarray) -> float:
    """The lam with the least mean regret."""
    return lams[int(rates.mean(axis=0).argmin())]


def best_replicas(lams: Sequence[float], rates: np.ndarray, seed: int = 0) -> np.ndarray:
    """Bootstrap replicas of the best lam, over agents."""
    return np.asarray(lams)[(resampling(len(rates), seed) @ rates).argmin(axis=1)]


def best_estimate(lams: Sequence[float], rates: np.ndarray) -> Estimate:
    """The best lam with its bootstrap interval."""
    return resampled(best(lams, rates), best_replicas(lams, rates))


def best_note(cell: dict[str, Any], lams: Sequence[float], rates: np.ndarray) -> dict[str, Any]:
    """The best lam of a cell, for the record."""
    value, low, high, _ = best_estimate(lams, rates)
    return {**cell, "best_lam": value, "low": low, "high": high}


def excess(
    cell: dict[str, Any], lams: Sequence[float], rates: np.ndarray, lam: float, margin: float
) -> Finding:
    """The claim: `lam` costs at most `margin` more than the best lam, in units of random choice."""
    chosen, judged = halves(rates)
    optimum = best(lams, chosen)
    extra = judged[:, _place(lams, lam)] - judged[:, _place(lams, optimum)]
    return below(cell, student(extra / random_rate(cell)), margin)


def same(cell: dict[str, Any], one: np.ndarray, two: np.ndarray, margin: float) -> list[Finding]:
    """The claims, by column: two rates differ by less than the margin (of random choice)."""
    scale = random_rate(cell)
    return [
        within(cell, student((one[:, i] - two[:, i]) / scale), -margin, margin)
        for i in range(one.shape[1])
    ]


def crossing(trials: np.ndarray, gaps: np.ndarray) -> np.ndarray:
    """log10 of the trial from which every gap[curve, trial] stays above 0, interpolated in log t.

    The first checkpoint where a curve is above 0 throughout; the last where it ends below.

    >>> crossing(np.array([10, 100, 1000]), np.array([[-1.0, -1.0, 1.0], [1.0, 1.0, 1.0]]))
    array([2.5, 1. ])
    """
    logs = np.log10(trials)
    last = gaps.shape[1] - 1
    lower = last - np.argmax((gaps <= 0.0)[:, ::-1], axis=1)  # the last trial not above 0
    lower = np.where((gaps > 0.0).all(axis=1), -1, lower)
    here = np.clip(lower, 0, last - 1)
    rows = np.arange(len(gaps))
    left, right = gaps[rows, here], gaps[rows, here + 1]
    step = np.where(right > left, -left / np.where(right > left, right - left, 1.0), 0.0)
    found = logs[here] + np.clip(step, 0.0, 1.0) * (logs[here + 1] - logs[here])
    return np.where(lower == last, logs[-1], np.where(lower < 0, logs[0], found))


def crossings(data: Data, seed: int = 0, **world: Any) -> tuple[float, np.ndarray]:
    """log10 of the trial from which A-AI is worse than the better rival, with replicas."""
    trials, active = data.curves(policy="A-AI", **world)
    late = trials >= 100
    curves = [active[:, late]] + [data.curves(policy=r, **world)[1][:, late] for r in RIVALS]
    weights = resampling(len(active), seed)

    def gaps(means: list[np.ndarray]) -> np.ndarray:
        return means[0] - np.minimum(means[1], means[2])

    found = crossing(trials[late], gaps([curve.mean(axis=0)[None] for curve in curves]))
    return float(found[0]), crossing(trials[late], gaps([weights @ curve for curve in curves]))


def decades(data: Data, **wanted: Any) -> tuple[np.ndarray, np.ndarray]:
    """Growth of every agent's regret from 10^4 to 10^5, and from 10^5 to 10^6."""
    early, middle, late = (data.regret(trial, **wanted) for trial in DECADES)
    return middle - early, late - middle


def growth(earlier: np.ndarray, later: np.ndarray) -> Estimate:
    """How many times its growth in one decade the mean regret grows in the next: 1 for ln t."""
    weights = resampling(len(later))
    floor = 1e-9  # no regret at all in the earlier decade
    replicas = (weights @ later) / np.maximum(weights @ earlier, floor)
    return resampled(later.mean() / max(earlier.mean(), floor), replicas)


def _place(lams: Sequence[float], lam: float) -> int:
    return int(np.argmin(np.abs(np.asarray(lams) - lam)))
