"""The probability that an arm has the largest of independent draws from Beta beliefs.

In the logit u of theta the density of Be(a, b) is log-concave, and its tails fall exponentially.
The line is cut into panels that are short where any belief is narrow; inside a panel, 8 points by
Gauss and Legendre give the integral of a density up to each point, so that one pass from left to
right integrates f_k prod_{j != k} F_j for all arms at once.
"""

import math
from collections.abc import Sequence
from typing import Any

from armwise.numerics.beta_tails import lower_tail
from armwise.numerics.gamma import log_beta

# Nodes and weights of Gauss and Legendre's rule with 8 points: the halves on (-1, 0) and (0, 1).
_FAR = (0.9602898564975363, 0.7966664774136267, 0.525532409916329, 0.1834346424956498)
_NEAR = (0.1012285362903763, 0.2223810344533745, 0.3137066458778873, 0.362683783378362)
NODES = (*(-node for node in _FAR), *reversed(_FAR))
WEIGHTS = (*_NEAR, *reversed(_NEAR))
POINTS = len(NODES)

ROWS = POINTS + 5  # of numbers per arm, to work in
_BELOW, _BASE, _END, _REACH, _RATIO = range(POINTS, ROWS)  # the rows after the densities

_DROP = 36.0  # a belief ends where its density has fallen by a factor exp(-36)
_PANEL = 1.6  # length of a panel, in standard deviations of the narrowest belief
_TAIL = 5.0  # length of a panel in an exponential tail, in units of its scale
_BEND = 2.2  # the longest panel near a place where a tail ends
LEAST, MOST = 1e-3, 1e7  # of alpha and beta; numbers beyond count as these


def _legendre(x: float) -> list[float]:
    """The Legendre polynomials of degrees 0 to POINTS at x."""
    values = [1.0, x]
    for n in range(1, POINTS):
        values.append(((2 * n + 1) * x * values[n] - n * values[n - 1]) / (n + 1))
    return values


def _up_to(end: float) -> tuple[float, ...]:
    """The weights of the nodes in the integral from -1 to `end` of their interpolation."""
    there, found = _legendre(end), []
    for node, weight in zip(NODES, WEIGHTS, strict=True):
        here = _legendre(node)
        parts = (here[n] * (there[n + 1] - there[n - 1]) for n in range(1, POINTS))
        found.append(0.5 * weight * (end + 1.0 + sum(parts)))
    return tuple(found)


PARTS = tuple(_up_to(node) for node in NODES)


def best_arm(alpha: Any, beta: Any, arms: int, level: float, work: Any, best: Any) -> float:
    """Fill `best[k]` with the probability that draw k is the largest, and above a `level`.

    Draw k is from Be(alpha[k], beta[k]), alpha and beta in [1e-3, 1e7], level in [0, 1]. `work` has
    `ROWS` rows with a number per arm. The result is the probability that no draw is above the
    level. Errors are below 1e-8 with up to 30 arms, below 1e-7 with 100.

    >>> best, work = [0.0, 0.0], [[0.0, 0.0] for _ in range(ROWS)]
    >>> best_arm([1.0, 2.0], [1.0, 1.0], 2, 0.0, work, best), [round(each, 9) for each in best]
    (0.0, [0.333333333, 0.666666667])
    """
    if _alike(alpha, beta, arms):
        return _shared(_kept(alpha[0]), _kept(beta[0]), arms, level, best)
    place = _laid_out(alpha, beta, arms, work)
    if level >= 1.0:
        place = math.inf
    elif level > 0.0:
        place = max(place, math.log(level) - math.log1p(-level))
    nobody = 1.0
    end = -math.inf
    for arm in range(arms):
        best[arm] = 0.0
        end = max(end, work[_END][arm])
        work[_BELOW][arm] = 1.0
        if place < work[_END][arm]:
            x, y = _logistic(place), _logistic(-place)
            work[_BELOW][arm] = lower_tail(x, y, _kept(alpha[arm]), _kept(beta[arm]))
        nobody *= work[_BELOW][arm]
    while place < end:
        size = min(end - place, _panel(alpha, beta, arms, place, work))
        _add_panel(alpha, beta, arms, place, 0.5 * size, work, best)
        place += size
    if level > 0.0:
        return nobody
    total = 0.0
    for arm in range(arms):
        total += best[arm]
    for arm in range(arms):
        best[arm] /= total
    return 0.0


def best_arm_probabilities(alpha: Sequence[float], beta: Sequence[float]) -> list[float]:
    """The probability of every arm to have the largest theta, for beliefs Be(alpha, beta).

    It is also the probability that Thompson sampling chooses the arm.

    >>> [round(each, 6) for each in best_arm_probabilities([1, 3, 2], [1, 1, 4])]
    [0.240079, 0.720238, 0.039683]
    """
    arms = len(alpha)
    best, work = [0.0] * arms, [[0.0] * arms for _ in range(ROWS)]
    best_arm(alpha, beta, arms, 0.0, work, best)
    return best


def _kept(value: float) -> float:
    """A parameter of a belief, in the range of these functions."""
    return min(max(value, LEAST), MOST)


def _alike(alpha: Any, beta: Any, arms: int) -> bool:
    """Whether all beliefs are the same."""
    different = 0
    for arm in range(1, arms):
        different += 1 if alpha[arm] != alpha[0] or beta[arm] != beta[0] else 0
    return different == 0


def _shared(a: float, b: float, arms: int, level: float, best: Any) -> float:
    """What `best_arm` does if all beliefs are Be(a, b)."""
    below = lower_tail(level, 1.0 - level, a, b)
    nobody = 1.0
    for _ in range(arms):
        nobody *= below
    for arm in range(arms):
        best[arm] = (1.0 - nobody) / arms
    return nobody


def _laid_out(alpha: Any, beta: Any, arms: int, work: Any) -> float:
    """Note scale, end and width of every belief; return where the last of them begins.

    To the left of that place some arm is certain to have a larger draw.
    """
    begin = -math.inf
    for arm in range(arms):
        a, b = _kept(alpha[arm]), _kept(beta[arm])
        deviation = math.sqrt((a + b) / (a * b))
        work[_BASE][arm] = log_beta(a, b)
        work[_REACH][arm] = _PANEL * deviation
        work[_END][arm] = -_edge(b, a, deviation)
        begin = max(begin, _edge(a, b, deviation))
    return begin


def _edge(a: float, b: float, deviation: float) -> float:
    """A logit to the left of which the belief has no weight.

    Newton's steps to where the logarithm of the density has dropped; it is concave, so from the
    first step on they come from the left.
    """
    top = math.log(a / b)
    peak = a * _log_logistic(top) + b * _log_logistic(-top)
    place = top - 8.5 * deviation
    for _ in range(4):
        fallen = a * _log_logistic(place) + b * _log_logistic(-place) - peak + _DROP
        place -= fallen / (a * _logistic(-place) - b * _logistic(place))
    return place


def _panel(alpha: Any, beta: Any, arms: int, place: float, work: Any) -> float:
    """The length of the panel that begins at a place: short where any belief is not smooth."""
    size = math.inf
    for arm in range(arms):
        if place < work[_END][arm]:
            a, b = _kept(alpha[arm]), _kept(beta[arm])
            left = -math.log(max(b, 1.0)) - place  # before here the density is exp(a u)
            right = place - math.log(max(a, 1.0))  # and after here exp(-b u), both to a factor
            reach = work[_REACH][arm]
            if left > 0.0:
                reach = max(reach, _TAIL / a)
            elif right > 0.0:
                reach = max(reach, _TAIL / b)
            bend = _BEND + 0.5 * max(max(left, right), 0.0)
            size = min(size, min(reach, bend))
    return size


def _add_panel(
    alpha: Any, beta: Any, arms: int, place: float, half: float, work: Any, best: Any
) -> None:
    """Add what a panel from `place` to `place + 2 half` contributes to every arm."""
    for point in range(POINTS):
        u = place + half * (1.0 + NODES[point])
        log_x = _log_logistic(u)
        log_y = log_x - u
        for arm in range(arms):
            density = 0.0
            if place < work[_END][arm]:
                power = _kept(alpha[arm]) * log_x + _kept(beta[arm]) * log_y - work[_BASE][arm]
                density = math.exp(power) if power > -700.0 else 0.0
            work[point][arm] = half * density
    for point in range(POINTS):
        product = WEIGHTS[point]
        for arm in range(arms):
            below = work[_BELOW][arm]
            for other in range(POINTS):
                below += PARTS[point][other] * work[other][arm]
            work[_RATIO][arm] = work[point][arm] / below if below > 0.0 else 0.0
            product *= below
        for arm in range(arms):
            best[arm] += product * work[_RATIO][arm]
    for arm in range(arms):
        for point in range(POINTS):
            work[_BELOW][arm] += WEIGHTS[point] * work[point][arm]


def _log_logistic(u: float) -> float:
    """-log(1 + exp(-u)) without overflow."""
    if u < 0.0:
        return u - math.log1p(math.exp(u))
    return -math.log1p(math.exp(-u))


def _logistic(u: float) -> float:
    """1 / (1 + exp(-u)) without overflow."""
    if u < 0.0:
        e = math.exp(u)
        return e / (1.0 + e)
    return 1.0 / (1.0 + math.exp(-u))
