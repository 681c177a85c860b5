"""Weighted points of people: where a likelihood is computed once, to be integrated many times.

A person's points come from a mixture of normals, as evenly as a sequence of low discrepancy fills
it; each counts by likelihood over mixture density, whichever component it came from. Rounds of
points add up: then the mixture is that of all rounds.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from armwise.engine.compile import compiled
from armwise.fitting.integrate import fallen
from armwise.fitting.problem import spread_points

TAIL = 5.0  # degrees of freedom of the component that guards against the others


class Mixture(NamedTuple):
    """A mixture of normals for one person; the last component has the tails of Student's t."""

    counts: np.ndarray  # points of every component
    means: np.ndarray  # [component, parameter]
    roots: np.ndarray  # [component, parameter, parameter]: Cholesky factors of the covariances

    def points(self, seed: list[int]) -> np.ndarray:
        """The points [point, parameter], component after component."""
        from scipy import special

        d, rng = self.means.shape[1], np.random.default_rng(seed)
        shifts = rng.random((len(self.counts), d + 1))
        found = []
        for k, count in enumerate(self.counts):
            last = k == len(self.counts) - 1
            cube = spread_points(int(count), d + last, shifts[k, : d + last])
            cube = np.clip(cube, 1e-12, 1.0 - 1e-12)
            z = special.ndtri(cube[:, :d])
            if last:
                z = z / np.sqrt(special.chdtri(TAIL, cube[:, d:]) / TAIL)
            found.append(self.means[k] + z @ self.roots[k].T)
        return np.concatenate(found)


class Round(NamedTuple):
    """Points of one person, with the mixture that they came from and their log-likelihoods."""

    mixture: Mixture
    x: np.ndarray  # [point, parameter]
    likelihood: np.ndarray  # [point]


def weighted(rounds: list[Round]) -> tuple[np.ndarray, np.ndarray]:
    """All points of a person, and the logarithms of their weights."""
    x = np.concatenate([each.x for each in rounds])
    likelihood = np.concatenate([each.likelihood for each in rounds])
    return x, likelihood - log_density([each.mixture for each in rounds], x)


def log_density(mixtures: list[Mixture], x: np.ndarray) -> np.ndarray:
    """The logarithm of the density at `x[point, parameter]` of points from these mixtures.

    >>> one = Mixture(np.array([6, 2]), np.zeros((2, 1)), np.ones((2, 1, 1)))
    >>> bool(abs(log_density([one], np.zeros((1, 1)))[0] - np.log(0.394)) < 1e-3)
    True
    """
    counts, means, roots = (np.concatenate(each) for each in zip(*mixtures, strict=True))
    guards = np.cumsum([len(each.counts) for each in mixtures]) - 1
    sizes = -np.log(np.einsum("kaa->ka", roots)).sum(axis=1) + np.log(counts / counts.sum())
    sizes -= 0.5 * x.shape[1] * np.log(2.0 * np.pi)
    sizes[guards] += _log_peak(x.shape[1])
    top = sizes.max()
    tails = np.zeros(len(counts))
    tails[guards] = TAIL
    found = np.zeros(len(x))
    add = compiled(add_normals, {}, fast=True)
    given = np.ascontiguousarray(x.T), means, np.linalg.inv(roots), np.exp(sizes - top), tails
    add(*given, np.empty(len(x)), found)
    return np.log(found) + top


def _log_peak(dimensions: int) -> float:
    """How much higher a normal's peak is than that of Student's t: the logarithm, negative."""
    half = 0.5 * (TAIL + dimensions)
    less = math.lgamma(half) - math.lgamma(0.5 * TAIL)
    return less + 0.5 * dimensions * math.log(2.0 / TAIL)


def add_normals(
    x: Any, means: Any, backs: Any, peaks: Any, tails: Any, square: Any, found: Any
) -> None:
    """Add the densities of normals, or of Student's t where there are `tails`, to `found[point]`.

    `x[parameter, point]`; `backs[component]` is the inverse of a Cholesky factor; `square[point]`
    is room. A normal is never taken to be less than exp(-60) of its peak.
    """
    size, points = x.shape
    for k in range(len(means)):
        for m in range(points):
            square[m] = 0.0
        for a in range(size):
            for m in range(points):
                z = 0.0
                for b in range(a + 1):
                    z += backs[k, a, b] * (x[b, m] - means[k, b])
                square[m] += z * z
        tail, peak = tails[k], peaks[k]
        if tail > 0.0:
            for m in range(points):
                found[m] += peak * (1.0 + square[m] / tail) ** (-0.5 * (tail + size))
        else:
            for m in range(points):
                found[m] += peak * fallen(0.5 * square[m])
