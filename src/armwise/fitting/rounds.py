"""Rounds of points: where the likelihood of every person is computed.

A person's points must serve every group that the sampler may try. The first round comes from a
ladder of groups, narrower and wider than the one that Laplace's method found; each later round from
the person's posterior under several groups that are probable by what is known then.
"""

import itertools
from typing import NamedTuple

import numpy as np

from armwise.fitting.clusters import clusters_of, looked_at
from armwise.fitting.eb import Laplace, covariance_of
from armwise.fitting.group import Density, Layout, Points
from armwise.fitting.points import Mixture, Round, weighted
from armwise.fitting.problem import spread_points

LADDER = (1.0, 1.7, 0.3)  # factors of the group's standard deviations, all together
SHARES = (0.3, 0.2, 0.1, 0.1)  # of the points; the last is the guard's
ALIKE, SHARE_ALIKE = 0.15, 0.3  # the factor where people are alike in one parameter
INFLATED = 1.25  # covariances of components, since no posterior is quite normal
GUARD = 0.1
RIM = 2.0  # how far out are groups whose posteriors a later round serves: standard deviations
HALVINGS = 3  # a round has 2^HALVINGS components of a person where points count
WIDER = 2.0  # how much wider than they are groups are taken, too, to see where points count
NEAR, FAR, FAR_SHARE = 1.5, 3.0, 0.35  # factors of clusters' covariances, and of sds for a share
LEAST, ONE = 0.05, 4.0  # of the person's covariance that is added, and more where few points count
KERNEL = 0.2  # width of the kernel around a point, compared with the person's posterior


class Shape(NamedTuple):
    """What Laplace's method knows of everybody: a quadratic log-likelihood around `x`."""

    x: np.ndarray
    gradient: np.ndarray
    curvature: np.ndarray
    covariance: np.ndarray  # of the posterior given the group that it found


def of_people(shape: Shape, people: np.ndarray) -> Shape:
    """The shape of some people's likelihoods."""
    return Shape(*(each[people] for each in shape))


def shape_of(found: Laplace) -> Shape:
    """The shape of everybody's likelihood."""
    return Shape(found.top.x, found.top.gradient, found.top.curvature, found.covariance)


def posteriors(shape: Shape, means: np.ndarray, covariance: np.ndarray) -> tuple[np.ndarray, ...]:
    """Means and covariances of everybody's posterior given a group, as if it were normal."""
    precision = np.linalg.inv(covariance)
    inside = covariance_of(shape.curvature, precision)
    slope = shape.gradient - (shape.x - means) @ precision
    step = np.einsum("pab,pb->pa", inside, slope)
    return shape.x + step, inside


def ladder(shape: Shape, means: np.ndarray, covariance: np.ndarray, count: int) -> list[Mixture]:
    """Mixtures for the first round of everybody."""
    size = len(covariance)
    factors = [factor * np.ones(size) for factor in LADDER]
    factors += [np.where(np.arange(size) == d, ALIKE, 1.0) for d in range(size)]
    parts = [posteriors(shape, means, covariance * np.outer(f, f)) for f in factors]
    shares = np.array([*SHARES[:-1], *([SHARE_ALIKE / size] * size), SHARES[-1]])
    return _mixtures(parts, means, 2.0 * covariance, shares, count)


def refined(density: Density, shape: Shape, groups: np.ndarray, count: int) -> list[Mixture]:
    """Mixtures for another round of everybody, with components wherever points count.

    The points so far may not reach to the ends of a person's posterior. So groups are taken wider
    than they are, and so are some of the components.
    """
    layout, middle = density.layout, groups.mean(axis=0)
    wider = groups.copy()
    layout.split(wider)[2][:] *= WIDER
    share, _ = looked_at(density, np.concatenate([groups, wider]))
    means, covariances, begins = _parts(density.points, share)
    density.integrate(middle)
    least = (LEAST + ONE / density.effective)[:, None, None] * shape.covariance
    owner = np.repeat(np.arange(len(least)), np.diff(begins))
    near = np.linalg.cholesky(NEAR * covariances + least[owner])
    guard, wide = density.means(middle), 1.5 * layout.spread(middle)
    found = []
    for i, (first, last) in enumerate(itertools.pairwise(begins.tolist())):
        own, parts = means[first:last], last - first
        shares = np.repeat([1.0 - FAR_SHARE - GUARD, FAR_SHARE], parts) / parts
        counts = np.append((count * shares).astype(np.int64), 0)
        counts[-1] = count - counts.sum()
        roots = np.concatenate([near[first:last], FAR * near[first:last], wide[None]])
        found.append(Mixture(counts, np.vstack([own, own, guard[i]]), roots))
    return found


def _parts(points: Points, share: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Means and covariances of clusters of points that count so much, and every person's first."""
    found, size = clusters_of(points, share, HALVINGS), len(points.x)
    x = points.x[:, found.some]
    means = found.middles(x, found.share)
    away = x - means[:, found.cluster]
    covariances = np.empty((means.shape[1], size, size))
    for a in range(size):
        for b in range(size):
            covariances[:, a, b] = found.sums(found.share * away[a] * away[b])
    covariances /= found.sums(found.share)[:, None, None]
    return means.T, covariances, found.begins


def _mixtures(
    parts: list, guard: np.ndarray, wide: np.ndarray, shares: np.ndarray, count: int
) -> list[Mixture]:
    """A mixture for every person: inflated parts, and the guard, a wide component."""
    counts = np.maximum(1, np.floor(shares / shares.sum() * count)).astype(np.int64)
    counts[0] += count - counts.sum()
    people, size = guard.shape
    means = np.stack([*(mean for mean, _ in parts), guard], axis=1)
    tiny = 1e-8 * np.eye(size)
    roots = [np.linalg.cholesky(INFLATED * covariance + tiny) for _, covariance in parts]
    roots.append(np.broadcast_to(np.linalg.cholesky(wide), (people, size, size)))
    stacked = np.stack(roots, axis=1)
    return [Mixture(counts, means[i], stacked[i]) for i in range(people)]


class Cloud(NamedTuple):
    """The weighted points of one person."""

    x: np.ndarray  # [point, parameter]
    weights: np.ndarray  # [point], the largest is 1
    scale: float  # the logarithm by which weights were divided


def cloud_of(own: list[Round], shape: Shape, person: int) -> Cloud:
    """All rounds of a person as one cloud of points with narrow kernels.

    A kernel blurs the likelihood. Each point is moved up the log-likelihood's slope by half of the
    kernel's covariance times that slope, which undoes the blur to second order.
    """
    x, log_weights = weighted(own)
    slope = shape.gradient[person] - (x - shape.x[person]) @ _bent(shape, person)
    top = float(log_weights.max())
    top = top if np.isfinite(top) else 0.0
    moved = x + 0.5 * KERNEL**2 * slope @ shape.covariance[person]
    return Cloud(moved, np.exp(log_weights - top), top)


def together(clouds: list[Cloud], shape: Shape) -> Points:
    """The clouds of people of these shapes, as `integrate` reads them."""
    x, weights, scales = zip(*clouds, strict=True)
    begins = np.cumsum([0, *map(len, weights)])
    return Points(
        np.ascontiguousarray(np.concatenate(x).T),
        np.concatenate(weights),
        begins.astype(np.int64),
        KERNEL**2 * shape.covariance,
        np.array(scales),
    )


def _bent(shape: Shape, person: int) -> np.ndarray:
    """The curvature of a person's log-likelihood, without directions in which it bends upwards."""
    widths, axes = np.linalg.eigh(np.nan_to_num(shape.curvature[person]))
    return (axes * np.maximum(widths, 0.0)) @ axes.T


def star_of(mode: np.ndarray, covariance: np.ndarray, layout: Layout) -> np.ndarray:
    """Groups [group, number] at the rim of a normal approximation of their posterior, and its peak.

    One number goes up or down, and the others follow as they are correlated with it.
    """
    sd = np.sqrt(np.diag(covariance))
    away = RIM * covariance / sd
    found = np.concatenate([mode[None], mode + away.T, mode - away.T])
    spreads, least = layout.split(found)[2], ALIKE * np.abs(layout.split(mode)[2])
    np.maximum(spreads, least, out=spreads)
    return found


def probable_groups(mode: np.ndarray, covariance: np.ndarray, count: int) -> np.ndarray:
    """Groups [group, number] spread evenly over a normal approximation of their posterior."""
    from scipy import special

    z = special.ndtri(np.clip(spread_points(count, len(mode)), 0.01, 0.99))
    return mode + z @ np.linalg.cholesky(covariance).T
