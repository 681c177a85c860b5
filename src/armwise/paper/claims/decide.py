"""The rules by which numbers become a verdict. All claims use these rules and no others.

A claim is about a family of cells (a bandit, a policy, ...). In each cell one quantity is estimated
and two questions are asked: is it on the side that the paper says, and is it on the other side?

- Estimates: Student's t over agents, on differences between policies that met the same bandits;
  a percentile bootstrap over agents for ratios, argmins, crossing times and for distributions with
  two modes (stuck agents); exact binomial tails for fractions.
- A cell "supports" the claim if the one-sided p value of the paper's side, corrected over the
  family by Holm's method, is below `LEVEL` = .025 (a two-sided 95 % test); it "contradicts" if
  that of the other side is; else it is "open".
- "Equal", "similar", "near-optimal", "converges" mean: within `MARGIN` = 5 % of the regret rate of
  random choice. The figures' axes run from 0 to about that rate, so such a gap is just visible.
  A cell supports equality if the interval lies inside the margin, and contradicts it if the
  interval lies outside; an interval across the margin is open.
- The best of many lam is chosen with every second agent and judged with the others, so that chance
  in the choice does not bias the judgement.
- Verdict: "holds" if all cells support; "holds with exceptions" if at least `MOST` = 3/4 support
  (the others are listed); "fails" if fewer do and at least `MANY` = 1/4 contradict; "undecided"
  otherwise, and whenever the run lacks what the claim is about (trials, a finer grid).
- A mean over N agents says nothing about a mode rarer than about 3 in N. Verdicts on means are
  about ensembles of the size that was run; if an argument goes further, the claim says so.
- A claim with several parts has the verdict of its worst part.
"""

import dataclasses
import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from armwise.analysis.regret import binomial_interval, holm, mean_interval
from armwise.numerics.beta_tails import beta_cdf, beta_sf
from armwise.numerics.student import student_quantile, student_sf

LEVEL = 0.025
MARGIN = 0.05
MOST = 0.75
MANY = 0.25
RESAMPLES = 4_000
_DIGITS = 12  # smaller differences are rounding errors

HOLDS, EXCEPTIONS, FAILS, UNDECIDED = "holds", "holds with exceptions", "fails", "undecided"
_FROM_WORST = (FAILS, UNDECIDED, EXCEPTIONS, HOLDS)


class Estimate(NamedTuple):
    """A number, its 95 % interval, and p values for being larger and smaller than a bound."""

    value: float
    low: float
    high: float
    tails: Callable[[float], tuple[float, float]]


@dataclasses.dataclass(frozen=True)
class Finding:
    """The result of one cell. `p_for` and `p_against` are one-sided; `adjust` sets Holm's."""

    cell: dict[str, Any]
    estimate: float
    low: float
    high: float
    p_for: float
    p_against: float
    status: str = "open"
    p_for_holm: float = 1.0
    p_against_holm: float = 1.0


def exact(value: float) -> Estimate:
    """A number without sampling error."""
    return Estimate(value, value, value, lambda bound: _sure(value, bound))


def student(sample: Any) -> Estimate:
    """A mean over agents with Student's t.

    >>> [round(p, 4) for p in student([1.0, 2.0, 3.0, 4.0]).tails(0.0)]
    [0.0152, 0.9848]
    """
    found = mean_interval(sample)
    return _with_error(found.mean, found.sem, len(sample) - 1.0)


def contrast(weights: Sequence[float], samples: Sequence[Any]) -> Estimate:
    """A weighted sum of means of independent samples, such as a slope over the number of arms."""
    found = [mean_interval(sample) for sample in samples]
    value = sum(w * one.mean for w, one in zip(weights, found, strict=True))
    error = math.sqrt(sum((w * one.sem) ** 2 for w, one in zip(weights, found, strict=True)))
    return _with_error(value, error, min(len(sample) for sample in samples) - 1.0)


def slope_weights(x: Sequence[float]) -> list[float]:
    """Weights that turn values at x into the slope of their least-squares line.

    >>> slope_weights([0.0, 1.0, 2.0])
    [-0.5, 0.0, 0.5]
    """
    centred = np.asarray(x, dtype=float) - np.mean(x)
    return (centred / (centred @ centred)).tolist()


def proportion(successes: int, trials: int) -> Estimate:
    """A fraction with exact binomial tails."""
    k, n = int(successes), int(trials)
    found = binomial_interval(k, n)

    def tails(bound: float) -> tuple[float, float]:
        greater = beta_cdf(bound, k, n - k + 1.0) if k > 0 else 1.0
        less = beta_sf(bound, k + 1.0, n - k) if k < n else 1.0
        return greater, less

    return Estimate(found.mean, found.low, found.high, tails)


def resampled(value: float, replicas: np.ndarray) -> Estimate:
    """A statistic with its bootstrap replicas; a tie with the bound counts for neither side."""
    replicas = np.round(replicas, _DIGITS)  # rounding must not break a tie
    low, high = np.quantile(replicas, [0.025, 0.975])
    count = len(replicas) + 1.0

    def tails(bound: float) -> tuple[float, float]:
        not_above, not_below = (replicas <= bound).sum(), (replicas >= bound).sum()
        return float((1 + not_above) / count), float((1 + not_below) / count)

    return Estimate(float(value), float(low), float(high), tails)


@functools.lru_cache(maxsize=8)
def resampling(agents: int, seed: int = 0) -> np.ndarray:
    """Bootstrap weights[replica, agent] that sum to 1: `weights @ values` are bootstrap means."""
    rng = np.random.default_rng(seed)
    return rng.multinomial(agents, np.full(agents, 1.0 / agents), RESAMPLES) / agents


def bootstrap_mean(sample: np.ndarray) -> Estimate:
    """A mean over agents with its bootstrap interval, for a distribution with two modes."""
    return resampled(float(sample.mean()), resampling(len(sample)) @ sample)


def above(cell: dict[str, Any], estimate: Estimate, bound: float = 0.0) -> Finding:
    """Test that the quantity is larger than the bound."""
    return Finding(cell, *estimate[:3], *estimate.tails(bound))


def below(cell: dict[str, Any], estimate: Estimate, bound: float = 0.0) -> Finding:
    """Test that the quantity is smaller than the bound."""
    p_against, p_for = estimate.tails(bound)
    return Finding(cell, *estimate[:3], p_for, p_against)


def within(cell: dict[str, Any], estimate: Estimate, low: float, high: float) -> Finding:
    """Test that the quantity lies between two bounds (two one-sided tests)."""
    over_low, under_low = estimate.tails(low)
    over_high, under_high = estimate.tails(high)
    outside = min(under_low, over_high)
    return Finding(cell, *estimate[:3], max(over_low, under_high), outside)


def every(cell: dict[str, Any], parts: Sequence[Finding]) -> Finding:
    """Test that all parts hold. The least supported part is shown."""
    worst = max(parts, key=lambda part: (part.p_for, -part.p_against))
    against = min(1.0, len(parts) * min(part.p_against for part in parts))
    return dataclasses.replace(worst, cell=cell, p_against=against)


def some(cell: dict[str, Any], parts: Sequence[Finding]) -> Finding:
    """Test that at least one part holds. The best supported part is shown."""
    best = min(parts, key=lambda part: (part.p_for, -part.p_against))
    against = max(part.p_against for part in parts)
    return dataclasses.replace(
        best, cell=cell, p_for=min(1.0, len(parts) * best.p_for), p_against=against
    )


def adjust(findings: Sequence[Finding]) -> list[Finding]:
    """Apply Holm's correction over the family and set the status of each cell."""
    sides = (holm([f.p_for for f in findings]), holm([f.p_against for f in findings]))
    adjusted = []
    for finding, p_for, p_against in zip(findings, *map(np.ndarray.tolist, sides), strict=True):
        status = "supports" if p_for < LEVEL else "contradicts" if p_against < LEVEL else "open"
        adjusted.append(
            dataclasses.replace(finding, status=status, p_for_holm=p_for, p_against_holm=p_against)
        )
    return adjusted


def conclude(adjusted: Sequence[Finding]) -> str:
    """The verdict of a family of adjusted findings."""
    statuses = [finding.status for finding in adjusted]
    count, support = len(statuses), statuses.count("supports")
    if not count:
        return UNDECIDED
    if support == count:
        return HOLDS
    if support >= MOST * count:
        return EXCEPTIONS
    return FAILS if statuses.count("contradicts") >= MANY * count else UNDECIDED


def worst(verdicts: Sequence[str]) -> str:
    """The verdict of a claim with several parts: the worst one."""
    return min(verdicts, key=_FROM_WORST.index)


def _with_error(value: float, error: float, degrees: float) -> Estimate:
    if error < 10.0**-_DIGITS:
        return exact(round(value, _DIGITS))
    reach = student_quantile(0.975, degrees) * error

    def tails(bound: float) -> tuple[float, float]:
        t = (value - bound) / error
        return min(1.0, student_sf(t, degrees)), min(1.0, student_sf(-t, degrees))

    return Estimate(value, value - reach, value + reach, tails)


def _sure(value: float, bound: float) -> tuple[float, float]:
    return (0.0 if value > bound else 1.0), (0.0 if value < bound else 1.0)
