"""Quantities that claims read off curves: the best lam, leads and slopes, crossings, growth."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from armwise.paper import random_choice
from armwise.paper.claims.decide import (
    MARGIN,
    Estimate,
    Finding,
    above,
    below,
    contrast,
    every,
    resampled,
    resampling,
    slope_weights,
    some,
    student,
    within,
)
from armwise.paper.claims.evidence import Data, Missing
from armwise.paper.claims.families import ACTIVE, RIVALS, Cell
from armwise.paper.claims.verdict import Note

DECADES = (10_000, 100_000, 1_000_000)
LAST = DECADES[-1]
EARLY = (100, 10_000)  # trials between which a lead is early
FASTER = 1.5  # growth is not logarithmic if a decade's growth exceeds this times the previous one's


def random_rate(cell: Cell) -> float:
    """The regret rate of random choice in a cell."""
    return random_choice.random_rate(cell["arms"], cell.get("epsilon"))


# --- the best lam --------------------------------------------------------------------------------


def halves(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Split agents into those used to choose and those used to judge."""
    return values[::2], values[1::2]


def best(lams: Sequence[float], rates: np.ndarray) -> float:
    """The lam with the smallest mean regret."""
    return lams[int(rates.mean(axis=0).argmin())]


def best_replicas(lams: Sequence[float], rates: np.ndarray, seed: int = 0) -> np.ndarray:
    """Bootstrap replicas of the best lam, over agents."""
    return np.asarray(lams)[(resampling(len(rates), seed) @ rates).argmin(axis=1)]


def best_estimate(lams: Sequence[float], rates: np.ndarray) -> Estimate:
    """The best lam with its bootstrap interval."""
    return resampled(best(lams, rates), best_replicas(lams, rates))


def best_note(cell: Cell, lams: Sequence[float], rates: np.ndarray) -> Note:
    """A note with the best lam of a cell."""
    value, low, high, _ = best_estimate(lams, rates)
    return Note("best_lam", {**cell, "best_lam": value, "low": low, "high": high})


def excess(cell: Cell, lams: Sequence[float], rates: np.ndarray, lam: float) -> Finding:
    """Test that `lam` costs hardly more than the best lam, in units of random choice."""
    chosen, judged = halves(rates)
    optimum = best(lams, chosen)
    extra = judged[:, _index(lams, lam)] - judged[:, _index(lams, optimum)]
    return below(cell, student(extra / random_rate(cell)), MARGIN)


def near(data: Data, trial: int, lam: float, family: Sequence[Cell]) -> Iterator[Any]:
    """Test cell by cell that `lam` is nearly the best."""
    notes = []
    for cell in family:
        lams = data.lams(cell["policy"])
        if not np.isclose(lams, lam).any():
            raise Missing(f"lam = {lam:g} is not on the grid of this run ({data.name}).")
        rates = data.rates(trial, lams, **cell)
        yield excess(cell, lams, rates, lam)
        notes.append(best_note(cell, lams, rates))
    yield from notes
    ends = [(note.numbers["low"], note.numbers["high"]) for note in notes]
    inside = sum(low - 1e-9 <= lam <= high + 1e-9 for low, high in ends)
    yield f"The 95 % interval of lam* holds {lam:g} in {inside} of {len(notes)} cells."


def same(cell: Cell, one: np.ndarray, two: np.ndarray) -> Finding:
    """Test that two rates differ by less than the margin at every lam."""
    differences = (one - two).T / random_rate(cell)
    return every(cell, [within(cell, student(d), -MARGIN, MARGIN) for d in differences])


def variants(data: Data, trial: int, lams: Sequence[float], cell: Cell) -> list[np.ndarray]:
    """The rates[agent, lam] of A-AI and of G-AI."""
    return [data.rates(trial, lams, policy=policy, **cell) for policy in ACTIVE]


# --- leads ---------------------------------------------------------------------------------------


def lead(data: Data, trial: int, policy: str, rival: str, cell: Cell) -> np.ndarray:
    """The regret rate of a rival minus that of every agent, on the same bandits, in units of RC."""
    mine, other = (data.rate(trial, policy=p, **cell) for p in (policy, rival))
    return (other - mine) / random_rate(cell)


def trends(
    data: Data,
    trial: int,
    policy: str,
    along: str,
    steps: Sequence[float],
    fixed: Sequence[Cell],
) -> Iterator[tuple[Cell, Estimate]]:
    """Slopes of the lead over log2 of a parameter, for both rivals and all `fixed` settings."""
    weights = slope_weights([math.log2(step) for step in steps])
    for rest in fixed:
        for rival in RIVALS:
            leads = [lead(data, trial, policy, rival, {**rest, along: step}) for step in steps]
            cell = {"along": f"over {along}", "rival": f"against {rival}", **rest}
            yield cell, contrast(weights, leads)


def early_lead(
    trials: np.ndarray, active: np.ndarray, rivals: Sequence[np.ndarray], cell: Cell
) -> Finding:
    """Test that the policy beats both rivals at some checkpoint of the first 10^4 trials."""
    leads = []
    for i in np.flatnonzero((trials >= EARLY[0]) & (trials <= EARLY[1])):
        scale = min(rival[:, i].mean() for rival in rivals)
        parts = [above(cell, student((rival[:, i] - active[:, i]) / scale)) for rival in rivals]
        leads.append(max(parts, key=lambda part: part.p_for))
    return some(cell, leads)


# --- the long run --------------------------------------------------------------------------------


def crossing(trials: np.ndarray, gaps: np.ndarray) -> np.ndarray:
    """log10 of the trial from which every gap[curve, trial] stays above 0, interpolated in log t.

    It is the first checkpoint if a curve is always above 0, the last one if it ends below.

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


def crossings(data: Data, seed: int = 0, **cell: Any) -> tuple[float, np.ndarray]:
    """log10 of the trial from which A-AI is worse than the better rival, with replicas."""
    trials, active = data.curves(policy="A-AI", **cell)
    late = trials >= 100
    curves = [active[:, late]] + [data.curves(policy=r, **cell)[1][:, late] for r in RIVALS]
    weights = resampling(len(active), seed)

    def gaps(means: list[np.ndarray]) -> np.ndarray:
        return means[0] - np.minimum(means[1], means[2])

    found = crossing(trials[late], gaps([curve.mean(axis=0)[None] for curve in curves]))
    return float(found[0]), crossing(trials[late], gaps([weights @ curve for curve in curves]))


def decades(data: Data, **cell: Any) -> tuple[np.ndarray, np.ndarray]:
    """Growth of every agent's regret from 10^4 to 10^5, and from 10^5 to 10^6."""
    early, middle, late = (data.regret(trial, **cell) for trial in DECADES)
    return middle - early, late - middle


def growth(earlier: np.ndarray, later: np.ndarray) -> Estimate:
    """The growth of the mean regret in a decade divided by that in the one before: 1 for ln t."""
    weights = resampling(len(later))
    floor = 1e-9  # no regret at all in the earlier decade
    replicas = (weights @ later) / np.maximum(weights @ earlier, floor)
    return resampled(later.mean() / max(earlier.mean(), floor), replicas)


def _index(lams: Sequence[float], lam: float) -> int:
    return int(np.argmin(np.abs(np.asarray(lams) - lam)))
