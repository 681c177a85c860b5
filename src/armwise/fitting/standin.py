"""A cheap stand-in for the group's density, which trajectories follow.

Everybody's points are gathered in a few clusters, each with the weight and the mean of its points;
what points differ within clusters widens the person's kernel. The group's numbers have nearly the
same density as with all points, at a small part of the work, and all of it is compiled. What the
two differ by is made up for where it is linear, and else when a trajectory has ended: see
`sampling`.
"""

import math
from typing import Any

import numpy as np

from armwise.engine.compile import compiled
from armwise.fitting.clusters import clusters_of, looked_at
from armwise.fitting.group import EFFECT_SD, LOG_2, WIDEST, Density, Points
from armwise.fitting.integrate import integrate
from armwise.fitting.nuts import Target
from armwise.fitting.parameters import Free
from armwise.fitting.trajectory import height, trajectory

FEWEST, MOST = 6, 8  # a person's points become 2^6 to 2^8 clusters
FLAT = 3  # parameters beyond which there are at least 2^7
ENOUGH = 0.4  # the sd of a log-density that may be missing: most trajectories are then accepted
GROUPS = 60  # at which the density is looked at before any are drawn
RIDGE = 1.0  # how many of these speak for no tilt
NODES, REACH = 1025, 12.0  # of the table of the prior, and how many widths it reaches


def stand_in(density: Density, groups: np.ndarray) -> Target:
    """A target for trajectories among groups that are probable, such as these.

    It has as few clusters as are near enough to the density there; if none are, all points.
    """
    some = np.unique(density.layout.upright(groups), axis=0)
    share, values = looked_at(density, some)
    for halvings in range(FEWEST + (density.layout.size > FLAT), MOST + 1):
        points = clustered(density.points, np.sqrt(share), halvings)
        near = Density(points, density.free, density.design)
        tilt, missing = tilt_of(some, values - [near.people_at(psi) for psi in some])
        if missing.std() < ENOUGH:
            return target_of(density, points, tilt)
    return whole(density)


def whole(density: Density) -> Target:
    """A target that has all points, so that it is the density."""
    return target_of(density, density.points, np.zeros(density.layout.length))


def target_of(density: Density, points: Points, tilt: np.ndarray) -> Target:
    """A target with the priors of a density, and these points."""
    follow = compiled(trajectory, {height: height_of_group}, fast=True)
    data = _data(density, points, tilt)
    return Target(follow, compiled(height_of_group, {}, fast=True), data)


def tilt_of(groups: np.ndarray, missing: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The slope of what is missing at some groups, drawn toward 0, and what it leaves at each.

    What it leaves at a group is judged by the others alone: that much will be missing at groups to
    come.
    """
    sd = np.maximum(groups.std(axis=0), 1e-9)
    z = (groups - groups.mean(axis=0)) / sd
    back = np.linalg.solve(z.T @ z + RIDGE * np.eye(len(sd)), z.T)
    away = missing - missing.mean()
    own = 1.0 / len(z) + np.einsum("gn,ng->g", z, back)  # how much each speaks for itself
    slope = back @ away
    return slope / sd, (away - z @ slope) / (1.0 - own)


def clustered(points: Points, share: np.ndarray, halvings: int) -> Points:
    """Everybody's clusters as points: each has the weight and the mean of those that are in it."""
    found = clusters_of(points, share, halvings)
    weight, x, owner = points.weights[found.some], points.x[:, found.some], found.owner
    total, middle = found.sums(weight), found.middles(x, weight)
    away = x - middle[:, found.cluster]
    counted = weight / total[found.cluster] * found.sums(found.share)[found.cluster]
    people = len(points.scale)
    counted /= np.bincount(owner, found.share, people)[owner]
    kernels = points.kernels.copy()
    for a in range(len(x)):
        for b in range(len(x)):
            kernels[:, a, b] += np.bincount(owner, counted * away[a] * away[b], people)
    each = np.diff(found.begins)  # `integrate` takes means over points
    total *= np.repeat(each / np.diff(points.begins), each)
    return Points(middle, total, found.begins.astype(np.int64), kernels, points.scale)


def _data(density: Density, points: Points, tilt: np.ndarray) -> tuple[np.ndarray, ...]:
    """What `height_of_group` reads, and its room."""
    (size, count), people = points.x.shape, len(points.scale)
    design = np.ascontiguousarray(density.design.columns, dtype=float)
    numbers = np.stack([density.spreads, density.free.center, density.free.width])
    given = points.x, points.weights, points.begins, points.kernels
    room = np.zeros(count), np.zeros((3, size, size)), np.zeros((4, size, size))
    more = np.zeros((3, people)), np.zeros((2, people, size))
    return *given, design, table_of(density.free), numbers, density.powers, tilt, *room, *more


def table_of(free: Free) -> np.ndarray:
    """The logarithm of the prior of every group mean and its slope, [parameter, node, 2]."""
    places = np.linspace(-REACH, REACH, NODES)
    return np.array(
        [[each.log_prior(each.center + each.width * z) for z in places] for each in free]
    )


def height_of_group(data: Any, psi: Any, gradient: Any) -> float:
    """The log-density of a group up to a constant, and its gradient, as `Density` has them."""
    x, weights, begins, kernels, design, table, numbers, powers, tilt = data[:9]
    term, small, square, value, means = data[9:]
    size, effects = len(kernels[0]), design.shape[1]
    first = size * (1 + effects)  # of the standard deviations
    for a in range(size):
        if not abs(psi[first + a]) < WIDEST:
            return -math.inf
    unit, root, covariance, slope = square[0], square[1], square[2], square[3]
    fill_roots(psi[first:], unit, root, covariance)
    mean, in_mean = means[0], means[1]
    for i in range(len(mean)):
        for a in range(size):
            mean[i, a] = psi[a]
            for b in range(effects):
                mean[i, a] += psi[size + a * effects + b] * design[i, b]
    room = value[0], value[1], in_mean, slope
    integrate(x, weights, begins, kernels, mean, covariance, True, term, small, *room)
    total = 0.0
    for i in range(len(mean)):
        total += value[0, i]
    total += of_means(psi, gradient, design, table, numbers, in_mean)
    spreads, pulls = psi[first:], gradient[first:]
    total += of_spreads(spreads, pulls, unit, root, slope, numbers[0], powers, small[0, 0])
    for n in range(len(psi)):  # an sd below 0 is the same group as one above
        slanted = -tilt[n] if first <= n < first + size and psi[n] < 0.0 else tilt[n]
        total += slanted * psi[n]
        gradient[n] += slanted
    return total


def fill_roots(spreads: Any, unit: Any, root: Any, covariance: Any) -> None:
    """The Cholesky factors of correlation and covariance, and the covariance."""
    size, n = unit.shape[0], unit.shape[0]
    for i in range(size):
        left = 1.0
        for j in range(i):
            t = math.tanh(spreads[n])
            unit[i, j] = t * left
            left *= math.sqrt(1.0 - t * t)
            n += 1
        unit[i, i] = left if left > 1e-7 else 1e-7
        for j in range(i + 1):
            root[i, j] = spreads[i] * unit[i, j]
        for j in range(i + 1):
            covariance[i, j] = 0.0
            for k in range(j + 1):
                covariance[i, j] += root[i, k] * root[j, k]
            covariance[j, i] = covariance[i, j]


def of_means(psi: Any, gradient: Any, design: Any, table: Any, numbers: Any, in_mean: Any) -> float:
    """The log-prior of means and effects; fills their gradients, people's part included."""
    (people, effects), size, total = design.shape, in_mean.shape[1], 0.0
    for a in range(size):
        own, slope = looked_up(table[a], psi[a], numbers[1, a], numbers[2, a])
        for i in range(people):
            slope += in_mean[i, a]
        gradient[a] = slope
        total += own
        for b in range(effects):
            at = size + a * effects + b
            slope = -psi[at] / EFFECT_SD**2
            for i in range(people):
                slope += in_mean[i, a] * design[i, b]
            gradient[at] = slope
            total -= 0.5 * (psi[at] / EFFECT_SD) ** 2
    return total


def looked_up(table: Any, x: float, center: float, width: float) -> tuple[float, float]:
    """A value and its slope from a table: a cubic between nodes, a line beyond the last."""
    gap = 2.0 * REACH * width / (NODES - 1)
    at = (x - center) / gap + 0.5 * (NODES - 1)
    k = int(min(max(at, 0.0), NODES - 2.0))
    t = min(max(at - k, 0.0), 1.0)
    beyond = (at - k - t) * gap
    low, high = table[k, 0], table[k + 1, 0]
    first, last = gap * table[k, 1], gap * table[k + 1, 1]
    bend, twist = 3.0 * (high - low) - 2.0 * first - last, 2.0 * (low - high) + first + last
    slope = (first + t * (2.0 * bend + t * 3.0 * twist)) / gap
    return low + t * (first + t * (bend + t * twist)) + beyond * slope, slope


def of_spreads(
    spreads: Any,
    gradient: Any,
    unit: Any,
    root: Any,
    in_covariance: Any,
    widths: Any,
    powers: Any,
    pull: Any,
) -> float:
    """The log-prior of standard deviations and correlations; fills their gradients."""
    size, n, total = unit.shape[0], unit.shape[0], 0.0
    for i in range(size):
        whole = 0.0
        for j in range(i + 1):  # the gradient in the covariance's root, row by row
            pull[j] = 0.0
            for k in range(j, size):
                pull[j] += 2.0 * in_covariance[i, k] * root[k, j]
            whole += pull[j] * unit[i, j]
        gradient[i] = whole - spreads[i] / widths[i] ** 2
        total -= 0.5 * (spreads[i] / widths[i]) ** 2
        left = 1.0
        for j in range(i):
            z, t = abs(spreads[n]), math.tanh(spreads[n])
            rest, power = 1.0 - t * t, powers[n - size]
            whole -= pull[j] * unit[i, j]
            found = spreads[i] * (pull[j] * left * rest - t * whole)
            gradient[n] = found - 2.0 * power * t
            total += power * 2.0 * (LOG_2 - z - math.log1p(math.exp(-2.0 * z)))
            left *= math.sqrt(rest)
            n += 1
    return total
