"""Weighted points of people: where a likelihood is computed once, to be integrated many times.

A person's points come from a mixture of normals, as evenly as a sequence of low discrepancy fills
it; each counts by likelihood over mixture density, whichever component it came from. Rounds of
points add up: then the mixture is that of all rounds.
"""

from typing import NamedTuple

import numpy as np

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

    def log_density(self, x: np.ndarray) -> np.ndarray:
        """The logarithm of the number of points per volume at `x[point, parameter]`."""
        from scipy import special

        d = x.shape[1]
        back = np.linalg.inv(self.roots)
        z = np.einsum("kab,kmb->kma", back, x[None] - self.means[:, None])
        square = (z * z).sum(axis=2)
        size = np.log(np.einsum("kaa->ka", self.roots)).sum(axis=1)[:, None]
        each = -0.5 * square - 0.5 * d * np.log(2.0 * np.pi)
        each[-1] = (
            special.gammaln(0.5 * (TAIL + d))
            - special.gammaln(0.5 * TAIL)
            - 0.5 * d * np.log(TAIL * np.pi)
            - 0.5 * (TAIL + d) * np.log1p(square[-1] / TAIL)
        )
        return np.logaddexp.reduce(np.log(self.counts)[:, None] + each - size, axis=0)


class Round(NamedTuple):
    """Points of one person, with the mixture that they came from and their log-likelihoods."""

    mixture: Mixture
    x: np.ndarray  # [point, parameter]
    likelihood: np.ndarray  # [point]


def weighted(rounds: list[Round]) -> tuple[np.ndarray, np.ndarray]:
    """All points of a person, and the logarithms of their weights."""
    x = np.concatenate([each.x for each in rounds])
    density = np.logaddexp.reduce([each.mixture.log_density(x) for each in rounds], axis=0)
    likelihood = np.concatenate([each.likelihood for each in rounds])
    return x, likelihood - (density - np.log(len(x)))
