"""Damped Newton for many people and several starts at once, with derivatives by differences.

A likelihood has 2 to 6 parameters and costs microseconds, so differences are cheap, and no
component needs a gradient. Every row of a call is one climb: a person, from one start.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

STEP = 1e-3  # of the differences, where people differ by about 1
ROUNDS = 60
ENOUGH = 1e-7  # gain of the objective that ends a climb
LONGEST = 1.5  # step
DAMPINGS = np.array([0.05, 2.0, 40.0])
STUCK = 1e9  # damping beyond which nothing moves
TOGETHER = 0.05  # distance at which two climbs of a person go on as one

Function = Callable[[np.ndarray, np.ndarray], np.ndarray]  # (points, rows) -> values


class Prior(NamedTuple):
    """What is added to the log-likelihood of every row: a normal with this center."""

    center: np.ndarray  # [row, parameter]
    precision: np.ndarray  # [parameter, parameter]

    def value(self, x: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """The logarithm of the density, without its constant, at `x[row, point, parameter]`."""
        away = x - self.center[rows][:, None]
        return -0.5 * np.einsum("rva,ab,rvb->rv", away, self.precision, away)


class Summit(NamedTuple):
    """The end of every climb."""

    x: np.ndarray  # [row, parameter]
    height: np.ndarray  # log-likelihood and prior
    likelihood: np.ndarray  # log-likelihood alone
    gradient: np.ndarray  # of the log-likelihood
    curvature: np.ndarray  # minus the Hessian of the log-likelihood
    settled: np.ndarray  # whether it ended where the gain was small enough


def derivatives(
    function: Function, x: np.ndarray, rows: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Value [row], gradient [row, d] and minus the Hessian [row, d, d] at `x[row, d]`."""
    d = x.shape[1]
    pairs = [(a, b) for a in range(d) for b in range(a)]
    offsets = [np.zeros(d), *(STEP * np.eye(d)), *(-STEP * np.eye(d))]
    offsets += [sign * STEP * (np.eye(d)[a] + np.eye(d)[b]) for a, b in pairs for sign in (1, -1)]
    with np.errstate(invalid="ignore"):  # -inf - -inf, where choices are impossible
        found = function(x[:, None] + np.array(offsets), rows)
        value, up, down = found[:, 0], found[:, 1 : 1 + d], found[:, 1 + d : 1 + 2 * d]
        gradient = (up - down) / (2 * STEP)
        second = np.empty((len(x), d, d))
        for a in range(d):
            second[:, a, a] = (up[:, a] + down[:, a] - 2 * value) / STEP**2
        for k, (a, b) in enumerate(pairs):
            both = found[:, 1 + 2 * d + 2 * k] + found[:, 2 + 2 * d + 2 * k]
            around = up[:, a] + down[:, a] + up[:, b] + down[:, b]
            second[:, a, b] = second[:, b, a] = (both - around + 2 * value) / (2 * STEP**2)
    return value, gradient, -second


def climb(
    function: Function,
    starts: np.ndarray,
    prior: Prior,
    box: tuple[np.ndarray, np.ndarray],
    together: int = 1,
    enough: float = ENOUGH,
) -> Summit:
    """Climb from `starts[row, d]` to the top of log-likelihood and prior inside the box.

    Every `together` rows are one person's; where two of them meet, the lower one ends.
    """
    x = np.clip(starts, *box)
    count, d = x.shape
    everybody = np.arange(count)
    likelihood, gradient = np.full(count, -np.inf), np.zeros((count, d))
    curvature, height = np.zeros((count, d, d)), np.full(count, -np.inf)
    settled, damping = np.zeros(count, bool), np.full(count, 1e-2)
    active, fresh = everybody, everybody
    for _ in range(ROUNDS):
        if len(fresh):
            found = derivatives(function, x[fresh], fresh)
            likelihood[fresh], gradient[fresh], curvature[fresh] = found
            height[fresh] = likelihood[fresh] + prior.value(x[fresh][:, None], fresh)[:, 0]
        slope = gradient[active] - (x[active] - prior.center[active]) @ prior.precision
        steps, gain = _steps(
            slope, curvature[active] + prior.precision, x[active], box, damping[active]
        )
        done = ~(gain > enough)
        settled[active[done]] = np.isfinite(height[active[done]])
        active, steps = active[~done], steps[~done]
        if not len(active):
            break
        tried = np.clip(x[active][:, None] + steps, *box)
        reached = function(tried, active) + prior.value(tried, active)
        best, one = reached.argmax(axis=1), np.arange(len(active))
        higher = reached[one, best] > height[active]
        x[active[higher]] = tried[one, best][higher]
        damping[active] *= np.where(higher, DAMPINGS[best], 400.0)
        damping[active] = np.maximum(damping[active], 1e-8)
        fresh = active[higher]
        still = (damping[active] < STUCK) & ~_met(x, height, active, together)
        active, fresh = active[still], fresh[np.isin(fresh, active[still])]
    return Summit(x, height, likelihood, gradient, curvature, settled)


def _steps(
    slope: np.ndarray,
    curvature: np.ndarray,
    x: np.ndarray,
    box: tuple[np.ndarray, np.ndarray],
    damping: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Steps [row, damping, d], and what the least damped one is expected to gain."""
    held = ((x <= box[0]) & (slope < 0)) | ((x >= box[1]) & (slope > 0))
    slope = np.where(held, 0.0, np.nan_to_num(slope, posinf=0.0, neginf=0.0))
    bent = np.nan_to_num(curvature, posinf=0.0, neginf=0.0)
    bent = np.where(held[:, :, None] | held[:, None, :], np.eye(x.shape[1]), bent)
    widths, axes = np.linalg.eigh(bent)
    along = np.einsum("rde,rd->re", axes, slope)
    divisor = np.maximum(np.abs(widths), 1e-6)[:, None, :] + np.outer(damping, DAMPINGS)[:, :, None]
    steps = np.einsum("rde,rke->rkd", axes, along[:, None, :] / divisor)
    long = np.linalg.norm(steps, axis=2, keepdims=True)
    steps *= np.minimum(1.0, LONGEST / np.maximum(long, 1e-300))
    return steps, 0.5 * np.einsum("rd,rd->r", steps[:, 0], slope)


def _met(x: np.ndarray, height: np.ndarray, active: np.ndarray, starts: int) -> np.ndarray:
    """Which of the active climbs have come to where another, higher one of the person is."""
    if starts == 1:
        return np.zeros(len(active), bool)
    own = active // starts * starts
    others = own[:, None] + np.arange(starts)
    near = np.abs(x[active][:, None] - x[others]).max(axis=2) < TOGETHER
    higher = height[others] > height[active][:, None]
    first = (height[others] == height[active][:, None]) & (others < active[:, None])
    return (near & (higher | first)).any(axis=1)
