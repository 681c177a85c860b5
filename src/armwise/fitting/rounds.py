"""Rounds of points: where the likelihood of every person is computed.

A person's points must serve every group that the sampler may try. The first round comes from a
ladder of groups, narrower and wider than the one that Laplace's method found; each later round from
the person's posterior under several groups that are probable by what is known then.
"""

from typing import NamedTuple

import numpy as np

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


def later(
    density: Density, shape: Shape, groups: np.ndarray, people: np.ndarray, count: int
) -> list[Mixture]:
    """Mixtures for another round of some people: their posteriors given each of these groups.

    Moments of the points there are count as far as points do; the rest is Laplace's method.
    """
    layout, parts = density.layout, []
    some = of_people(shape, people)
    for psi in groups:
        root = density.integrate(psi)
        mean, covariance, effective = _moments(density, people)
        plain, inside = posteriors(some, density.means(psi)[people], root @ root.T)
        trust = (effective / (effective + 10.0 * layout.size))[:, None]
        mixed = trust[:, :, None] * covariance + (1.0 - trust[:, :, None]) * inside
        parts.append((trust * mean + (1.0 - trust) * plain, mixed))
    middle = groups.mean(axis=0)
    root = 1.5 * layout.spread(middle)
    shares = np.append(np.full(len(parts), (1.0 - GUARD) / len(parts)), GUARD)
    return _mixtures(parts, density.means(middle)[people], root @ root.T, shares, count)


def _moments(density: Density, people: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean, covariance and effective number of the points of some people, after `integrate`."""
    x, _, begins, _, _ = density.points
    size = len(x)
    mean, covariance = np.empty((len(people), size)), np.empty((len(people), size, size))
    for row, i in enumerate(people):
        own = slice(begins[i], begins[i + 1])
        term = density.scratch[0][own] + 1e-300
        term = term / term.sum()
        mean[row] = x[:, own] @ term
        away = x[:, own] - mean[row][:, None]
        covariance[row] = (away * term) @ away.T
    return mean, covariance, density.effective[people]


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
