"""Points gathered in clusters that are equally probable: a person's likelihood in few words."""

from typing import NamedTuple

import numpy as np

from armwise.fitting.group import Density, Points

TINY = 1e-4  # of a person's largest share: a point that has less is left out


class Clusters(NamedTuple):
    """Which points are in which cluster; clusters are in the order of people."""

    some: np.ndarray  # [all points]: whether a point is in any
    cluster: np.ndarray  # [point]
    owner: np.ndarray  # [point]: the person
    share: np.ndarray  # [point]
    begins: np.ndarray  # [person + 1]: the first cluster of every person

    def sums(self, values: np.ndarray) -> np.ndarray:
        """Sums over the points of every cluster."""
        return np.bincount(self.cluster, values, self.begins[-1])

    def middles(self, x: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Weighted means [parameter, cluster] of `x[parameter, point]`."""
        return np.array([self.sums(weights * each) for each in x]) / self.sums(weights)


def looked_at(density: Density, groups: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How much every point counts in its person's probability, and what people say of groups.

    A point counts by the root of its mean squared share over groups. In these proportions points
    would serve all of them best.
    """
    begins, values = density.points.begins, []
    found = np.zeros(begins[-1])
    for psi in groups:
        values.append(density.people_at(psi))
        term = density.scratch[0]
        total = np.maximum(np.add.reduceat(term, begins[:-1]), 1e-300)
        found += (term / np.repeat(total, np.diff(begins))) ** 2
    return np.sqrt(found / len(groups)), np.array(values)


def clusters_of(points: Points, share: np.ndarray, halvings: int) -> Clusters:
    """Everybody's points halved and halved again along their longest axis."""
    begins = points.begins
    owner = np.repeat(np.arange(len(begins) - 1), np.diff(begins))
    some = share >= TINY * np.maximum.reduceat(share, begins[:-1])[owner]
    share, owner = share[some], owner[some]
    z = points.x[:, some] / np.sqrt(np.einsum("pdd->dp", points.kernels))[:, owner]
    cluster = owner
    for _ in range(halvings):
        cluster = _halved(z, share, cluster)
    names, cluster = np.unique(cluster, return_inverse=True)
    first = np.searchsorted(names >> halvings, np.arange(len(begins)))
    return Clusters(some, cluster, owner, share, first)


def _halved(z: np.ndarray, share: np.ndarray, cluster: np.ndarray) -> np.ndarray:
    """Names of the halves of clusters: 2 n and 2 n + 1, equally probable."""
    mass = np.bincount(cluster, share)
    spread = []
    for each in z:
        mean = np.bincount(cluster, share * each) / np.maximum(mass, 1e-300)
        spread.append(np.bincount(cluster, share * (each - mean[cluster]) ** 2))
    longest = np.argmax(spread, axis=0)
    order = np.lexsort((z[longest[cluster], np.arange(len(cluster))], cluster))
    own = cluster[order]
    before = np.append(0.0, np.cumsum(mass))[own]
    below = np.cumsum(share[order]) - 0.5 * share[order] - before
    found = np.empty_like(cluster)
    found[order] = 2 * own + (below > 0.5 * mass[own])
    return found
