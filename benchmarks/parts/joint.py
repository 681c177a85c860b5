"""The posterior of a group and its people by a sampler that shares nothing with armwise's.

People's likelihoods are tabulated on a grid of three parameters and read by cubic splines, so a
sweep costs microseconds, and chains can be so long that a plain Gibbs sampler is exact enough:
people by autoregressive proposals from the group; the group's numbers by random walks, given the
people's values and given their standardised values in turn.
"""

import math
from typing import Any, NamedTuple

import numba
import numpy as np
from scipy import ndimage

SIZE, NUMBERS = 3, 9  # parameters; means, standard deviations and correlations of a group
AIM = 0.4  # share of accepted steps of a random walk
FIRST = 0.3  # its first step
RIDGE = (
    1.0,
    0.0,
    -1.0,
)  # how the means move where two parameters trade off: A-AI knows 2 lam precision


class Task(NamedTuple):
    """Splines of everybody's log-likelihood on a grid, and the prior of the group's mean."""

    splines: np.ndarray  # [person, node, node, node]
    low: np.ndarray  # [parameter]: the first node; the last one is where the grid ends
    gap: float
    center: np.ndarray
    width: np.ndarray


def tabulated(problem: Any, low: np.ndarray, nodes: int, gap: float) -> Task:
    """The task of a fitted problem, with the likelihood on `nodes` per parameter."""
    axes = [start + gap * np.arange(nodes) for start in low]
    x = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, SIZE)
    shape = problem.people, nodes, nodes, nodes
    values = problem(np.broadcast_to(x, (problem.people, *x.shape))).reshape(shape)
    splines = np.stack([ndimage.spline_filter(each, 3, mode="mirror") for each in values])
    return Task(splines, low, gap, problem.free.center, problem.free.width)


def largest_error(task: Task, problem: Any, x: np.ndarray) -> float:
    """By how much the splines' log-likelihood is wrong at most, at `x[person, draw, parameter]`."""
    exact = problem(x)
    read = [
        [read_at(task.splines[i], task.low, task.gap, row) for row in each]
        for i, each in enumerate(x)
    ]
    return float(np.abs(exact - np.array(read)).max())


def chain(
    task: Task, start: np.ndarray, warm_up: int, draws: int, thin: int, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Draws of the group [draw, number] and of everybody [draw, person, parameter].

    The numbers are means, standard deviations, and the correlations 10, 20 and 21.
    """
    people = len(task.splines)
    x = np.tile(start[:SIZE], (people, 1))
    groups, everybody = np.empty((draws, NUMBERS)), np.empty((draws, people, SIZE))
    along = np.vstack([np.eye(NUMBERS), [*RIDGE, *np.zeros(NUMBERS - SIZE)]])
    walk(*task, along, start.copy(), x, warm_up, thin, seed, groups, everybody)
    return groups, everybody


@numba.njit
def walk(splines, low, gap, center, width, along, psi, x, warm_up, thin, seed, groups, everybody):
    """Fill `groups` and `everybody` with every `thin`-th state after the warm-up."""
    np.random.seed(seed)
    said = np.array([read_at(splines[i], low, gap, x[i]) for i in range(len(x))])
    steps = np.full((2, len(along)), FIRST)
    for sweep in range(warm_up + thin * len(groups)):
        pace = 1.0 / (1.0 + sweep) ** 0.6 if sweep < warm_up else 0.0
        move_people(splines, low, gap, psi, x, said)
        for k in range(len(along)):
            taken = move_given_people(center, width, psi, x, steps[0, k] * along[k])
            steps[0, k] *= math.exp(pace * (taken - AIM))
            if np.random.random() < 0.5:
                step = steps[1, k] * along[k]
                taken = move_with_people(splines, low, gap, center, width, psi, x, said, step)
                steps[1, k] *= math.exp(pace * (taken - AIM))
        at = sweep - warm_up
        if at >= 0 and at % thin == thin - 1:
            groups[at // thin] = psi
            everybody[at // thin] = x


@numba.njit
def move_people(splines, low, gap, psi, x, said):
    """Autoregressive proposals keep the group's distribution, so the likelihood alone decides."""
    root, tried = root_of(psi), np.empty(SIZE)
    for i in range(len(x)):
        fresh = math.exp(-4.0 * np.random.random())  # from all anew to a small step
        keep = math.sqrt(1.0 - fresh * fresh)
        z = np.random.standard_normal(SIZE)
        for a in range(SIZE):
            tried[a] = psi[a] + keep * (x[i, a] - psi[a])
            for b in range(a + 1):
                tried[a] += fresh * root[a, b] * z[b]
        new = read_at(splines[i], low, gap, tried)
        if math.log(np.random.random() + 1e-300) < new - said[i]:
            x[i], said[i] = tried, new


@numba.njit
def move_given_people(center, width, psi, x, step):
    """A random walk of the group; people stay where they are."""
    tried = moved(psi, step)
    if not admitted(tried):
        return 0.0
    odds = prior_of(tried, center, width) - prior_of(psi, center, width)
    odds += height_of(x, tried) - height_of(x, psi)
    if math.log(np.random.random() + 1e-300) < odds:
        psi[:] = tried
        return 1.0
    return 0.0


@numba.njit
def move_with_people(splines, low, gap, center, width, psi, x, said, step):
    """A random walk of the group that takes people along: standardised, they stay."""
    tried = moved(psi, step)
    if not admitted(tried):
        return 0.0
    turn = root_of(tried) @ np.linalg.inv(root_of(psi))
    there, new = np.empty_like(x), np.empty_like(said)
    odds = prior_of(tried, center, width) - prior_of(psi, center, width)
    for i in range(len(x)):
        for a in range(SIZE):
            there[i, a] = tried[a]
            for b in range(a + 1):
                there[i, a] += turn[a, b] * (x[i, b] - psi[b])
        new[i] = read_at(splines[i], low, gap, there[i])
        odds += new[i] - said[i]
    if math.log(np.random.random() + 1e-300) < odds:
        psi[:], x[:], said[:] = tried, there, new
        return 1.0
    return 0.0


@numba.njit
def moved(psi, step):
    """A group with some numbers changed; a standard deviation below 0 is reflected."""
    tried = psi + step * np.random.standard_normal()
    tried[SIZE : 2 * SIZE] = np.abs(tried[SIZE : 2 * SIZE])
    return tried


@numba.njit
def correlations(psi):
    matrix = np.eye(SIZE)
    matrix[1, 0] = matrix[0, 1] = psi[6]
    matrix[2, 0] = matrix[0, 2] = psi[7]
    matrix[2, 1] = matrix[1, 2] = psi[8]
    return matrix


@numba.njit
def determinant(psi):
    """That of the correlations."""
    a, b, c = psi[6], psi[7], psi[8]
    return 1.0 + 2.0 * a * b * c - a * a - b * b - c * c


@numba.njit
def admitted(psi):
    """Whether the correlations are those of some distribution, and no number is nearly its end."""
    return determinant(psi) > 1e-9 and np.abs(psi[6:]).max() < 1.0 and psi[3:6].min() > 1e-9


@numba.njit
def root_of(psi):
    """The Cholesky factor of the covariance."""
    return psi[3:6].copy().reshape(SIZE, 1) * np.linalg.cholesky(correlations(psi))


@numba.njit
def prior_of(psi, center, width):
    """Normal means, half-normal standard deviations, and LKJ(2), which is the determinant."""
    total = math.log(determinant(psi))
    for a in range(SIZE):
        total -= 0.5 * ((psi[a] - center[a]) / width[a]) ** 2 + 0.5 * psi[SIZE + a] ** 2
    return total


@numba.njit
def height_of(x, psi):
    """The log-density of people's values."""
    root = root_of(psi)
    total = 0.0
    for a in range(SIZE):
        total -= len(x) * math.log(root[a, a])
    z = np.empty(SIZE)
    for i in range(len(x)):
        for a in range(SIZE):
            z[a] = x[i, a] - psi[a]
            for b in range(a):
                z[a] -= root[a, b] * z[b]
            z[a] /= root[a, a]
            total -= 0.5 * z[a] * z[a]
    return total


@numba.njit
def read_at(spline, low, gap, x):
    """The log-likelihood at a point; people never leave the grid."""
    at, weights = np.empty(SIZE, np.int64), np.empty((SIZE, 4))
    for a in range(SIZE):
        place = (x[a] - low[a]) / gap
        at[a] = math.floor(place)
        if not 1 <= at[a] < spline.shape[a] - 2:
            return -math.inf
        t = place - at[a]
        weights[a, 0] = (1.0 - t) ** 3 / 6.0
        weights[a, 1] = (4.0 - 6.0 * t * t + 3.0 * t**3) / 6.0
        weights[a, 2] = (1.0 + 3.0 * t + 3.0 * t * t - 3.0 * t**3) / 6.0
        weights[a, 3] = t**3 / 6.0
    total = 0.0
    for i in range(4):
        for j in range(4):
            row, part = spline[at[0] - 1 + i, at[1] - 1 + j], 0.0
            for k in range(4):
                part += weights[2, k] * row[at[2] - 1 + k]
            total += weights[0, i] * weights[1, j] * part
    return total
