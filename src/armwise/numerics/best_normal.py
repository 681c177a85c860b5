"""The probability that an arm has the largest of independent draws from normal beliefs.

With two arms it is a probit. With more, the line is cut into panels that are short where any belief
has weight, and the integral of f_k prod_{j != k} F_j over a panel is that of Gauss and Legendre's
rule with 8 points, for all arms at once.
"""

import math
from collections.abc import Sequence
from typing import Any

from armwise.numerics.best_arm import NODES, POINTS, WEIGHTS

ROWS = 3  # of numbers per arm, to work in
_MEAN, _DEVIATION, _BELOW = range(ROWS)
_EDGE = 8.5  # standard deviations from the mean at which a belief has no weight
_PANEL = 1.6  # length of a panel, in standard deviations of the narrowest belief that has weight
_LEAST = 1e-9  # of a standard deviation, relative to the largest
_ROOT_2 = math.sqrt(2.0)
_ROOT_2_PI = math.sqrt(2.0 * math.pi)


def normal_below(z: float) -> float:
    """The probability that a standard normal is below z, to all digits in the lower tail.

    >>> normal_below(0.0), round(normal_below(-1.959963984540054), 12)
    (0.5, 0.025)
    """
    return 0.5 * math.erfc(-z / _ROOT_2)


def best_normal(means: Any, deviations: Any, arms: int, work: Any, best: Any) -> None:
    """Fill `best[k]` with the probability that draw k, from N(means[k], deviations[k]^2), is best.

    `work` has `ROWS` rows with a number per arm. A deviation below 1e-9 of the largest counts as
    that. Errors are below 1e-10 with up to 5 arms, below 1e-9 with 30.

    >>> best, work = [0.0, 0.0], [[0.0, 0.0] for _ in range(ROWS)]
    >>> best_normal([1.0, 0.0], [0.6, 0.8], 2, work, best), [round(each, 6) for each in best]
    (None, [0.841345, 0.158655])
    """
    widest = _laid_out(means, deviations, arms, work)
    if widest == 0.0:
        _certain(arms, work, best)
    elif arms == 2:
        total = math.hypot(work[_DEVIATION][0], work[_DEVIATION][1])
        ahead = (work[_MEAN][0] - work[_MEAN][1]) / total
        best[0], best[1] = normal_below(ahead), normal_below(-ahead)
    else:
        _integrate(arms, work, best)


def best_normal_probabilities(means: Sequence[float], deviations: Sequence[float]) -> list[float]:
    """The probability of every arm to have the largest mean outcome, for normal beliefs.

    It is also the probability that Thompson sampling chooses the arm.

    >>> [round(each, 6) for each in best_normal_probabilities([0, 0, 0], [1, 1, 1])]
    [0.333333, 0.333333, 0.333333]
    """
    arms = len(means)
    best, work = [0.0] * arms, [[0.0] * arms for _ in range(ROWS)]
    best_normal(means, deviations, arms, work, best)
    return best


def _laid_out(means: Any, deviations: Any, arms: int, work: Any) -> float:
    """Note deviations, and means from the largest mean; return the largest deviation.

    From there on, all places of the integral are within some of these deviations of zero.
    """
    top = -math.inf
    widest = 0.0
    for arm in range(arms):
        top = max(top, means[arm])
        widest = max(widest, deviations[arm])
    for arm in range(arms):
        work[_MEAN][arm] = means[arm] - top
        work[_DEVIATION][arm] = max(deviations[arm], _LEAST * widest)
    return widest


def _certain(arms: int, work: Any, best: Any) -> None:
    """Share among the arms with the largest mean, where nothing is drawn."""
    ties = 0
    for arm in range(arms):
        ties += 1 if work[_MEAN][arm] == 0.0 else 0
    for arm in range(arms):
        best[arm] = 1.0 / ties if work[_MEAN][arm] == 0.0 else 0.0


def _integrate(arms: int, work: Any, best: Any) -> None:
    """Add panel by panel, from where some arm is certain to have a larger draw."""
    place = -math.inf
    end = -math.inf
    for arm in range(arms):
        best[arm] = 0.0
        place = max(place, work[_MEAN][arm] - _EDGE * work[_DEVIATION][arm])
        end = max(end, work[_MEAN][arm] + _EDGE * work[_DEVIATION][arm])
    while place < end:
        size = min(end - place, _panel(arms, place, work))
        _add_panel(arms, place, 0.5 * size, work, best)
        place += size
    total = 0.0
    for arm in range(arms):
        total += best[arm]
    for arm in range(arms):
        best[arm] /= total


def _panel(arms: int, place: float, work: Any) -> float:
    """The length of the panel that begins at a place."""
    size = math.inf
    for arm in range(arms):
        reach = _EDGE * work[_DEVIATION][arm]
        if place < work[_MEAN][arm] + reach:
            ahead = work[_MEAN][arm] - reach - place  # before the belief has weight
            size = min(size, max(ahead, _PANEL * work[_DEVIATION][arm]))
    return size


def _add_panel(arms: int, place: float, half: float, work: Any, best: Any) -> None:
    """Add what a panel from `place` to `place + 2 half` contributes to every arm."""
    for point in range(POINTS):
        x = place + half * (1.0 + NODES[point])
        product = half * WEIGHTS[point]
        for arm in range(arms):
            z = (x - work[_MEAN][arm]) / work[_DEVIATION][arm]
            work[_BELOW][arm] = normal_below(z)
            product *= work[_BELOW][arm]
        for arm in range(arms):
            if work[_BELOW][arm] > 0.0:
                z = (x - work[_MEAN][arm]) / work[_DEVIATION][arm]
                density = math.exp(-0.5 * z * z) / (_ROOT_2_PI * work[_DEVIATION][arm])
                best[arm] += product * density / work[_BELOW][arm]
