"""The group's posterior: its mode, its shape there, and chains from it."""

import math
from typing import NamedTuple

import numpy as np

from armwise.fitting.group import Density, Layout
from armwise.fitting.nuts import Move, Target, Walk
from armwise.fitting.standin import stand_in, whole

WARM_UP = 160
SELDOM = 0.4  # the share of accepted trajectories below which a stand-in is given up
MOVES = 2  # trajectories of a draw
APART = 1.5  # how far starts of chains are spread, compared with draws
STEP = 1e-4  # of the differences of gradients
LEAST = 0.3  # curvature that a direction is taken to have at least
TOLD = (
    *("lp", "acceptance_rate", "n_steps", "tree_depth", "diverging", "energy", "step_size"),
    "accepted",  # whether the density agreed to where the trajectory led
)


class Peak(NamedTuple):
    """A normal approximation of the group's posterior."""

    mode: np.ndarray
    covariance: np.ndarray


class Draws(NamedTuple):
    """Draws of the group and of everybody."""

    psi: np.ndarray  # [chain, draw, number]
    x: np.ndarray  # [chain, draw, person, parameter]
    likelihood: np.ndarray  # [chain, draw, person]
    effective: np.ndarray  # [chain, draw, person]: points that count
    told: dict[str, np.ndarray]  # [chain, draw]: how the sampler came there


def peak_of(density: Density, start: np.ndarray) -> Peak:
    """The mode, and the covariance from the curvature there."""
    from scipy import optimize

    def falling(psi: np.ndarray) -> tuple[float, np.ndarray]:
        value, gradient = density(psi)
        return (1e12, gradient) if not np.isfinite(value) else (-value, -gradient)

    found = optimize.minimize(falling, start, jac=True, method="BFGS", options={"maxiter": 200}).x
    size = len(found)
    rows = [
        (density(found + STEP * axis)[1] - density(found - STEP * axis)[1]) / (2.0 * STEP)
        for axis in np.eye(size)
    ]
    bent = -np.nan_to_num(np.array(rows))
    widths, axes = np.linalg.eigh((bent + bent.T) / 2.0)
    return Peak(found, (axes / np.maximum(widths, LEAST)) @ axes.T)


def chains_from(
    density: Density,
    peak: Peak,
    groups: np.ndarray,
    *,
    draws: int,
    chains: int,
    seed: int,
) -> Draws:
    """Chains of the group, and a draw of everybody for each draw of the group.

    Trajectories follow a stand-in for the density, made for groups such as `groups`. Where one
    ends, the density itself decides whether the chain goes there (Christen and Fox 2005), so it
    has the right distribution however good the stand-in is.
    """
    found = _chains(stand_in(density, groups), density, peak, draws, chains, seed)
    if min(told[:, TOLD.index("accepted")].mean() for *_, told in found) < SELDOM:
        found = _chains(whole(density), density, peak, draws, chains, seed)
    columns = [np.array(column) for column in zip(*found, strict=True)]
    psi, x, likelihood, effective, told = columns
    psi = density.layout.upright(psi)
    return Draws(
        psi, x, likelihood, effective, dict(zip(TOLD, np.moveaxis(told, 2, 0), strict=True))
    )


def _chains(
    target: Target, density: Density, peak: Peak, draws: int, chains: int, seed: int
) -> list[tuple[np.ndarray, ...]]:
    other, found = Density(density.points, density.free, density.design), []
    for chain in range(chains):
        rng = np.random.default_rng([seed, 3, chain])
        walk = begun(target, peak, density.layout, rng)
        found.append(_chain(walk, density, other, draws, rng))
    return found


def begun(target: Target, peak: Peak, layout: Layout, rng: np.random.Generator) -> Walk:
    """A chain that has warmed up."""
    root = np.linalg.cholesky(peak.covariance)
    start = peak.mode + APART * root @ np.clip(rng.standard_normal(len(root)), -1.5, 1.5)
    walk = Walk(target, start, peak.covariance, rng)
    walk.warm_up(WARM_UP, peak.covariance, layout.upright)
    return walk


def _chain(
    walk: Walk, here: Density, there: Density, draws: int, rng: np.random.Generator
) -> tuple[np.ndarray, ...]:
    """Groups, people, their likelihoods, the points that count, and what is told of each draw."""
    found, told = [], []
    lp = here.value_of(walk.place)
    energy = -lp
    for _ in range(draws):
        moves, new, taken = moved(walk, there, lp)
        if taken:
            here, there, lp, energy = there, here, new, moves[-1].energy + walk.lp - new
        likelihood, people = here.people(walk.place, rng)
        found.append((walk.place.copy(), people, likelihood, here.effective.copy()))
        told.append((lp, *_of_all(moves), energy, walk.step, taken))
    return *(np.array(column) for column in zip(*found, strict=True)), np.array(told)


def moved(walk: Walk, density: Density, lp: float) -> tuple[list[Move], float, bool]:
    """Go where trajectories lead if the density agrees, which is `lp` at the beginning."""
    before = walk.state
    moves = [walk.move() for _ in range(MOVES)]
    new = density.value_of(walk.place)
    taken = math.log(walk.rng.random() + 1e-300) < (new - walk.lp) - (lp - before[1])
    if not taken:
        walk.state = before
    return moves, new, taken


def _of_all(moves: list[Move]) -> tuple[float, ...]:
    """Acceptance, steps, depth and divergence of several trajectories."""
    acceptance, steps, depth, diverging, _ = zip(*moves, strict=True)
    return sum(acceptance) / len(moves), sum(steps), max(depth), any(diverging)
