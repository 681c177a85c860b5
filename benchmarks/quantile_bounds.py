"""Fit the approximation in `armwise.numerics.beta_bounds`; print its coefficients and errors.

    python benchmarks/quantile_bounds.py

The coefficients make the largest error small, relative to sigma^3 (1 + z^4 / 16), on a grid of
shapes and normal quantiles. Then random points tell which part of the room for errors is used.
"""

import numpy as np
from scipy import special

from armwise.numerics.beta_bounds import FARTHEST, beta_quantile_bounds

ROUNDS = 600  # of least squares with weights that grow where the error is large
GRID = 1.0 / np.concatenate([[1e-4, 0.003, 0.005, 0.01, 0.02, 0.03], np.geomspace(0.06, 1.0, 20)])


def log_odds(a, b, z):
    """Of the quantile with normal quantile z, by SciPy, from the nearer end."""
    tail = special.ndtr(-np.abs(z))
    x = np.where(z < 0, special.betaincinv(a, b, tail), special.betaincinv(b, a, tail))
    return np.where(z < 0, 1.0, -1.0) * (np.log(x) - np.log1p(-x))


def reweighted(columns, wanted, scale):
    """Coefficients whose largest error, relative to the scale, is nearly the smallest possible."""
    weights, least, best = np.ones(len(wanted)), np.inf, None
    for _ in range(ROUNDS):
        each = weights / scale
        found = np.linalg.lstsq(columns * each[:, None], wanted * each, rcond=None)[0]
        errors = np.abs(columns @ found - wanted) / scale
        if errors.max() < least:
            least, best = errors.max(), found
        weights = weights * (errors / errors.max() + 0.05) ** 0.1
        weights /= weights.max()
    return best, least


def fit_log_odds():
    """Rows of three coefficients, of z^0, z^2 and z^4, in the order of `bounds_at`."""
    a, b, z = (each.ravel() for each in np.meshgrid(GRID, GRID, np.linspace(-5, 5, 81)))
    variance, tilt = 1 / a + 1 / b, 1 / b - 1 / a
    lopsided, along = tilt**2 / variance, np.sqrt(variance) * z
    parts = (tilt, tilt * variance, tilt * lopsided, along * variance, along * lopsided)
    columns = np.stack([part * z ** (2 * k) for part in parts for k in range(3)], axis=1)
    centre = np.log((a - 1 / 3) / (b - 1 / 3))
    scale = np.sqrt(variance) * np.maximum(variance, 0.01) * (1 + z**4 / 16)
    found, error = reweighted(columns, log_odds(a, b, z) - centre - along, scale)
    return found.reshape(5, 3), error


def fit_tail(degree=5):
    """Coefficients of the powers of sqrt(tail), the highest first: numerator and denominator."""
    z = np.linspace(0, 5, 2001)
    powers, scale = np.vander(np.sqrt(special.ndtr(-z)), degree + 1), 1 + z / 2
    columns = np.hstack([powers, -z[:, None] * powers[:, :-1]])
    weights, bottom, least, best = np.ones(len(z)), np.ones(len(z)), np.inf, None
    for _ in range(ROUNDS // 2):
        each = weights / scale / bottom
        found = np.linalg.lstsq(columns * each[:, None], z * each, rcond=None)[0]
        top, below = found[: degree + 1], np.append(found[degree + 1 :], 1.0)
        bottom = powers @ below
        errors = np.abs(powers @ top / bottom - z) / scale
        if errors.max() < least and bottom.min() > 0:
            least, best = errors.max(), np.stack([top, below])
        weights = weights * (errors / errors.max() + 0.05) ** 0.1
        weights /= weights.max()
    return best, least


def room_used(points=20_000):
    """The largest error as a part of the room that the bounds leave for it."""
    draws, used = np.random.default_rng(1), 0.0
    for most in (1, 2, 4, 7):
        a, b = 1 + 10 ** draws.uniform(-3, most, (2, points))
        z = draws.uniform(-FARTHEST, FARTHEST, points)
        every = zip(special.ndtr(z), a, b, strict=True)
        low, high = special.logit(np.transpose([beta_quantile_bounds(*each) for each in every]))
        sure = np.isfinite(low) & np.isfinite(high) & (np.abs(low) < 30) & (np.abs(high) < 30)
        errors = np.abs(log_odds(a, b, z) - 0.5 * (low + high)) / (0.5 * (high - low))
        used = max(used, errors[sure].max())
    return used


if __name__ == "__main__":
    for name, (found, error) in (("log odds", fit_log_odds()), ("tail", fit_tail())):
        print(name, np.array2string(found, precision=12), f"largest error {error:.5f}", sep="\n")
    print(f"of the room for errors, {room_used():.2f} is used")
