"""From regrets to a table: means, ranks with intervals, paired differences and verdicts."""

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from armwise.analysis.intervals import bootstrap_interval, mean_interval
from armwise.analysis.regret import Comparison, paired

LEVEL = 0.05  # a difference counts if its corrected p value is below this
RESAMPLES = 1_000
Rank = tuple[float | None, float | None, float | None]  # the mean rank and its interval
UNRANKED: Rank = (None, None, None)
BEST, AS_GOOD, WORSE, BOUND = "best", "not distinguishable", "worse", "bound"


@dataclasses.dataclass(frozen=True)
class Row:
    """An agent in the table of a family."""

    agent: str
    given: str
    mean: float  # over agents and bandits
    low: float
    high: float
    bandits: dict[str, float]  # the mean on every bandit
    rank: float | None  # mean over bandits; None for a bound
    rank_low: float | None
    rank_high: float | None
    difference: float  # to the best, paired
    difference_low: float
    difference_high: float
    p_holm: float | None
    verdict: str
    nanoseconds: float  # of one decision


def mean_ranks(values: Any) -> np.ndarray:
    """The ranks of agents, averaged over bandits: `[..., agent, bandit]` to `[..., agent]`.

    The smallest has rank 1; equal values share a rank.

    >>> mean_ranks([[1.0, 1.0], [2.0, 3.0], [9.0, 2.0]])
    array([1. , 2.5, 2.5])
    """
    values = np.asarray(values, dtype=float)
    one, other = values[..., :, None, :], values[..., None, :, :]
    ranks = 0.5 + (other < one).sum(axis=-2) + 0.5 * (other == one).sum(axis=-2)
    return ranks.mean(axis=-1)


def rank_intervals(regrets: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean ranks and their 95 % bootstrap intervals from `[copy, agent, bandit]`.

    A resample draws copies, each with the regrets of all agents, so comparisons stay paired.

    >>> [part.tolist() for part in rank_intervals(np.array([[[1.0], [2.0]], [[2.0], [5.0]]]))]
    [[1.0, 2.0], [1.0, 2.0], [1.0, 2.0]]
    """

    def statistic(sample: np.ndarray, axis: int) -> np.ndarray:
        return mean_ranks(sample.mean(axis=axis))

    interval = bootstrap_interval(regrets, statistic, resamples=RESAMPLES, seed=0)
    return interval.mean, interval.low, interval.high


def against_best(pooled: Mapping[str, np.ndarray], best: str) -> dict[str, Comparison]:
    """Compare every other agent with the best, copy by copy; p values are corrected by Holm.

    >>> compared = against_best({"a": np.array([1.0, 2.0]), "b": np.array([2.0, 3.5])}, "a")
    >>> compared["b"].difference
    1.25
    """
    import xarray

    if len(pooled) < 2:
        return {}
    named = {
        label: xarray.Dataset({"regret": (("agent", "trial"), values[:, None])}, _axes(values))
        for label, values in pooled.items()
    }
    return {pair.first: pair for pair in paired(named, against=best)}


def verdict(pair: Comparison) -> str:
    """The verdict on an agent from its comparison with the best."""
    return WORSE if pair.p_holm < LEVEL and pair.difference > 0.0 else AS_GOOD


def rows_of(
    regrets: Mapping[str, np.ndarray],
    bandits: Sequence[str],
    given: Mapping[str, str],
    bounds: Sequence[str] = (),
    nanoseconds: Mapping[str, float] | None = None,
) -> list[Row]:
    """The table of a family, best first, from `regrets[agent][copy, bandit]`.

    The best is the agent with the smallest mean that is not a bound; differences refer to it.
    """
    pooled = {label: values.mean(axis=1) for label, values in regrets.items()}
    ranked = [label for label in regrets if label not in bounds]
    if not ranked:
        return []
    best = min(ranked, key=lambda label: pooled[label].mean())
    ranks: dict[str, Rank] = dict(
        zip(ranked, _ranks([regrets[label] for label in ranked]), strict=True)
    )
    compared = against_best({label: pooled[label] for label in ranked}, best)
    for label in regrets.keys() - set(ranked):
        pair = {best: pooled[best], label: pooled[label]}
        compared[label] = against_best(pair, best)[label]
    rows = []
    for label, values in regrets.items():
        mean, low, high, _ = mean_interval(pooled[label])
        by_bandit = dict(zip(bandits, values.mean(axis=0).tolist(), strict=True))
        rank = ranks.get(label, UNRANKED)
        more = _difference(compared.get(label), label in bounds)
        cost = (nanoseconds or {}).get(label, math.nan)
        row = Row(label, given[label], mean, low, high, by_bandit, *rank, **more, nanoseconds=cost)
        rows.append(row)
    return sorted(rows, key=lambda row: row.mean)


def _difference(pair: Comparison | None, bound: bool) -> dict[str, Any]:
    """Difference to the best, its interval, the corrected p value and the verdict."""
    names = ("difference", "difference_low", "difference_high", "p_holm", "verdict")
    if pair is None:
        return dict(zip(names, (0.0, 0.0, 0.0, None, BEST), strict=True))
    judged = (None, BOUND) if bound else (pair.p_holm, verdict(pair))
    return dict(zip(names, (pair.difference, pair.low, pair.high, *judged), strict=True))


def _ranks(regrets: Sequence[np.ndarray]) -> list[Rank]:
    parts = rank_intervals(np.stack(regrets, axis=1))
    return [(float(a), float(b), float(c)) for a, b, c in zip(*parts, strict=True)]


def _axes(values: np.ndarray) -> dict[str, Any]:
    return {"agent": np.arange(len(values)), "trial": [1]}
