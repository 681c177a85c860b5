"""The information ratio of Russo and Van Roy: squared regret over information about the best arm.

Integrals over theta are sums over the midpoints of equal cells.
"""

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from armwise.errors import InputError, listed, real_number

_POINTS = 2_000
_TINY = 1e-300


class InformationRatio(NamedTuple):
    """What a choice is expected to cost and to teach, and the square of the first over the second.

    The ratio is 0 where nothing can be lost, infinite where regret teaches nothing.
    """

    ratio: float
    regret: float  # expected regret of the trial under the beliefs
    information: float  # expected information about which arm is best, in nats


class BestArm(NamedTuple):
    """The beliefs about which arm is best."""

    chance: np.ndarray  # that an arm is the best
    mean: np.ndarray  # of the arm in the second place if the one in the first place is the best
    top: float  # expected theta of the best arm


def information_ratio(
    alpha: Iterable[float], beta: Iterable[float], chances: Iterable[float]
) -> InformationRatio:
    """The information ratio of a trial, from beliefs Be(alpha, beta) and choice probabilities.

    It is at most K / 2 for Thompson sampling. The beliefs must be wider than .001 or so.

    >>> found = information_ratio([1, 1], [1, 1], [0.5, 0.5])
    >>> round(found.regret, 6), round(found.information, 6), round(found.ratio, 3)
    (0.166667, 0.056633, 0.49)
    """
    beliefs = [_numbers(*each) for each in (("alpha", alpha, 1e7), ("beta", beta, 1e7))]
    choice = _numbers("chances", chances, 1.0)
    if len({len(choice), *map(len, beliefs)}) > 1 or len(choice) < 2:
        raise InputError(
            "alpha, beta and chances must have one number for each of two arms or more."
        )
    if not math.isclose(choice.sum(), 1.0, rel_tol=1e-6):
        raise InputError(f"chances must sum to 1, not {choice.sum():g}.")
    if min(beliefs[0].min(), beliefs[1].min()) <= 0.0:
        raise InputError("alpha and beta must be above 0.")
    best = best_arm(*beliefs)
    mean = best.chance @ best.mean
    regret = float(max(choice @ (best.top - mean), 0.0))
    information = float(choice @ (best.chance @ _divergence(best.mean, mean)))
    if regret == 0.0:
        return InformationRatio(0.0, regret, information)
    ratio = regret * regret / information if information > _TINY else math.inf
    return InformationRatio(ratio, regret, information)


def best_arm(alpha: np.ndarray, beta: np.ndarray) -> BestArm:
    """Which arm is best, and what each would then pay, by quadrature.

    >>> best_arm(np.array([1.0, 1.0]), np.array([1.0, 1.0])).mean.round(4).tolist()
    [[0.6667, 0.3333], [0.3333, 0.6667]]
    """
    theta = (np.arange(_POINTS) + 0.5) / _POINTS
    log_weight = np.outer(alpha - 1.0, np.log(theta)) + np.outer(beta - 1.0, np.log1p(-theta))
    weight = np.exp(log_weight - log_weight.max(axis=1, keepdims=True))
    weight /= weight.sum(axis=1, keepdims=True)
    below = np.maximum(np.cumsum(weight, axis=1) - 0.5 * weight, _TINY)
    paid_below = np.cumsum(weight * theta, axis=1) - 0.5 * weight * theta
    log_below = np.log(below)
    all_below = log_below.sum(axis=0)
    arms = len(alpha)
    chance, mean = np.empty(arms), np.empty((arms, arms))
    for arm in range(arms):
        wins = weight[arm] * np.exp(all_below - log_below[arm])
        chance[arm] = max(wins.sum(), _TINY)
        mean[arm] = (paid_below / below) @ wins / chance[arm]
        mean[arm, arm] = theta @ wins / chance[arm]
    chance /= chance.sum()
    return BestArm(chance, mean, float(chance @ np.diag(mean)))


def _divergence(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """KL(Bernoulli(p) || Bernoulli(q)) for means inside (0, 1)."""
    p, q = np.clip(p, 1e-12, 1.0 - 1e-12), np.clip(q, 1e-12, 1.0 - 1e-12)
    found = p * np.log(p / q) + (1.0 - p) * np.log((1.0 - p) / (1.0 - q))
    return np.maximum(found, 0.0)


def _numbers(name: str, values: Any, high: float) -> np.ndarray:
    found = [
        real_number(f"Each of {name}", v, 0.0, high, "[]") for v in listed(name, values, "[1, 1]")
    ]
    return np.array(found)
