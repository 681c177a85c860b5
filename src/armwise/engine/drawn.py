"""The probability that an arm has the largest score, where scores are lines in draws of theta.

A policy says by its method `drawn` how it draws. Every arm's density is integrated over the logit
of its theta, times the probability that the others score less, by Gauss and Legendre between
quantiles of all arms. SciPy has the distribution function of Beta beliefs.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from armwise.model.roles import Drawn
from armwise.model.ties import TIE

_TAILS = np.array([1e-10, 1e-6, 1e-3, 0.03, 0.2])
_SHARES = np.array([*_TAILS, 0.5])
_STEEP = 10.0 ** np.arange(-14, 0, 2)  # where a distribution that begins steeply needs care
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(10)
_MOST = 64  # points in an integral of a product over tied arms
_CLOSE = 0.3  # a break point this close to the last one, in units of the next panel, is left out
_LEAST = 1e-300  # of theta and 1 - theta


class _Arms(NamedTuple):
    """Every arm's belief and how its score is drawn: arrays with a number per arm."""

    alpha: Any
    beta: Any
    weight: Any
    start: Any
    slope: Any
    rest: Any


def of_lines(alpha: Sequence[float], beta: Sequence[float], drawn: Sequence[Drawn]) -> list[float]:
    """The probability of every arm to have the largest score; arms that tie share it.

    Errors are below 1e-6 for alpha and beta from 0.02 up.

    >>> lines = [Drawn(), Drawn(weight=0.5, rest=0.5)]  # the second draws every other time
    >>> [round(each, 6) for each in of_lines([1, 1], [1, 1], lines)]
    [0.5, 0.5]
    """
    arms = _Arms(np.array(alpha, float), np.array(beta, float), *np.array(drawn, float).T)
    arms = arms._replace(slope=np.where(arms.weight > 0.0, arms.slope, 1.0))
    found = np.array([_by_rest(arms, arm) for arm in range(len(alpha))])
    lines = np.stack([arms.start, arms.slope], axis=1)
    for line in np.unique(lines[arms.weight > 0.0], axis=0):
        own = np.flatnonzero((lines == line).all(axis=1) & (arms.weight > 0.0))
        found[own] += _by_draw(arms, own)
    return list((found / found.sum()).tolist())


def _by_rest(arms: _Arms, arm: int) -> float:
    """The probability that an arm does not draw and wins.

    Arms that tie are ordered by uniform numbers: the integral over the arm's own is a polynomial's.
    """
    if arms.weight[arm] >= 1.0:
        return 0.0
    level = arms.rest[arm]
    tied = (np.abs(arms.rest - level) <= TIE * abs(level)) & (arms.weight < 1.0)
    x = (level - arms.start) / arms.slope
    drawn = arms.weight * _below(arms, x, 1.0 - x)
    others = drawn + (1.0 - arms.weight) * (arms.rest < level)
    tied[arm] = others[arm] = True
    nodes, weights = np.polynomial.legendre.leggauss(min(int(tied.sum()) // 2 + 1, _MOST))
    order = 0.5 * (1.0 + nodes)[:, None]
    tied_others = tied & (np.arange(len(tied)) != arm)
    among = (drawn + (1.0 - arms.weight) * order)[:, tied_others].prod(axis=1)
    apart = others[~tied].prod()
    return float((1.0 - arms.weight[arm]) * apart * (0.5 * weights @ among))


def _by_draw(arms: _Arms, own: Any) -> Any:
    """The probabilities of arms on the same line to draw and win."""
    from scipy import special

    line = own[0]
    ratio = arms.slope[line] / arms.slope
    shift = (arms.start[line] - arms.start) / arms.slope
    breaks = _breaks(arms, own, ratio, shift)
    half = 0.5 * np.diff(breaks)[:, None]
    u = (breaks[:-1, None] + half * (1.0 + _NODES)).reshape(-1, 1)
    x, y = special.expit(u), special.expit(-u)
    below = arms.weight * _below(arms, shift + ratio * x, (1.0 - ratio - shift) + ratio * y)
    resting = arms.rest < arms.start[line] + arms.slope[line] * x
    below += (1.0 - arms.weight) * resting
    a, b = arms.alpha[own], arms.beta[own]
    power = a * special.log_expit(u) + b * special.log_expit(-u) - special.betaln(a, b)
    mass = (half * _WEIGHTS).reshape(-1, 1) * np.exp(power)
    return arms.weight[own] * (mass * _without(below)[:, own]).sum(axis=0)


def _without(factors: Any) -> Any:
    """For every column the product of the other columns."""
    before, after = np.ones_like(factors), np.ones_like(factors)
    before[:, 1:] = np.cumprod(factors[:, :-1], axis=1)
    after[:, :-1] = np.cumprod(factors[:, :0:-1], axis=1)[:, ::-1]
    return before * after


def _below(arms: _Arms, x: Any, y: Any) -> Any:
    """The probability that theta is below x = 1 - y, which may lie outside of [0, 1]."""
    from scipy import special

    low = x < 0.5  # 1 - theta keeps its digits where theta is close to 1
    one, other = np.where(low, arms.alpha, arms.beta), np.where(low, arms.beta, arms.alpha)
    tail = special.betainc(one, other, np.clip(np.where(low, x, y), 0.0, 1.0))
    return np.where(low, tail, 1.0 - tail)


def _breaks(arms: _Arms, own: Any, ratio: Any, shift: Any) -> Any:
    """The logits between which all distributions are smooth, from where arms of `own` have weight.

    The score of an arm that is not drawn is a jump for the others.
    """
    x, y = _marks(arms, (ratio != 1.0) | (shift != 0.0))
    x = (x - shift[:, None]) / ratio[:, None]
    y = (y - (1.0 - ratio - shift)[:, None]) / ratio[:, None]
    inside = (x > 0.0) & (y > 0.0)
    u = np.full(x.shape, np.nan)
    u[inside] = np.log(x[inside]) - np.log(y[inside])
    low, high = np.nanmin(u[own]), np.nanmax(u[own])
    u = np.sort(u, axis=1)
    gaps = np.diff(u, axis=1, prepend=-np.inf, append=np.inf)
    gaps = np.fmin(gaps[:, :-1], gaps[:, 1:])
    inside = ~np.isnan(u)
    line = own[0]
    rests = np.unique(arms.rest[arms.weight < 1.0] - arms.start[line]) / arms.slope[line]
    rests = rests[(rests > 0.0) & (rests < 1.0)]
    marks = [*zip(u[inside], gaps[inside], strict=True), (low, 0.0)]
    marks += [(math.log(rest) - math.log1p(-rest), 0.0) for rest in rests]
    return np.array(_thinned(sorted(m for m in marks if low <= m[0] < high), high))


def _thinned(marks: list[tuple[float, float]], high: float) -> list[float]:
    kept: list[float] = []
    for place, gap in marks:
        if not kept or place - kept[-1] > _CLOSE * gap:
            kept.append(place)
    return [*kept, high]


def _marks(arms: _Arms, apart: Any) -> tuple[Any, Any]:
    """Places of every arm's theta, and what they lack to 1: quantiles, and where it is steep.

    On the same line as the arm that is integrated, a steep distribution is smooth in the logit.
    """
    from scipy import special

    a, b = arms.alpha[:, None], arms.beta[:, None]
    low, high = special.betaincinv(a, b, _SHARES), special.betaincinv(b, a, _TAILS)
    low, high = np.clip(low, _LEAST, 1.0 - 1e-16), np.clip(high, _LEAST, 1.0 - 1e-16)
    zero, apart = np.zeros_like(a), apart[:, None]
    low = np.concatenate([zero, low, np.where(apart & (a < 1.0), _STEEP, np.nan)], axis=1)
    high = np.concatenate([zero, high, np.where(apart & (b < 1.0), _STEEP, np.nan)], axis=1)
    return np.concatenate([low, 1.0 - high], axis=1), np.concatenate([1.0 - low, high], axis=1)
