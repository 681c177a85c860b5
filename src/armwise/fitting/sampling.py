"""The group's posterior: its mode, its shape there, and chains from it."""

from typing import NamedTuple

import numpy as np

from armwise.fitting.design import Design
from armwise.fitting.group import Density, Layout, Points
from armwise.fitting.nuts import Chain, sample
from armwise.fitting.parameters import Free

WARM_UP = 200
APART = 1.5  # how far starts of chains are spread, compared with draws
STEP = 1e-4  # of the differences of gradients
LEAST = 0.3  # curvature that a direction is taken to have at least


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
    chains: list[Chain]


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
    points: Points,
    free: Free,
    design: Design,
    peak: Peak,
    *,
    draws: int,
    chains: int,
    seed: int,
) -> Draws:
    """Chains of the group, and a draw of everybody for each draw of the group."""
    root = np.linalg.cholesky(peak.covariance)

    def one(chain: int) -> tuple[Chain, list[list[np.ndarray]]]:
        density = Density(points, free, design)
        rng = np.random.default_rng([seed, 3, chain])
        start = peak.mode + APART * root @ np.clip(rng.standard_normal(len(root)), -1.5, 1.5)
        layout = density.layout
        found = sample(density, start, peak.covariance, WARM_UP, draws, rng, layout.upright)
        rows = []
        for psi in found.draws:
            likelihood, people = density.people(psi, rng)
            rows.append([people, likelihood, density.effective.copy()])
        return found, rows

    results = [one(chain) for chain in range(chains)]
    x, likelihood, effective = (
        np.array([[row[k] for row in rows] for _, rows in results]) for k in range(3)
    )
    found = [chain for chain, _ in results]
    psi = Layout(len(free), len(design.names)).upright(np.array([each.draws for each in found]))
    return Draws(psi, x, likelihood, effective, found)
