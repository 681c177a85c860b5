"""Quantiles of SciPy lie within the cheap bounds, which are narrow."""

import numpy as np
import pytest
from scipy import special

from armwise.numerics.beta_bounds import beta_quantile_bounds, near_normal_quantile

LARGEST = [1.5, 4.0, 30.0, 1e3, 1e7]


def quantiles(u, a, b):
    """SciPy's quantiles, from the nearer end."""
    upper = special.betainccinv(a, b, 1.0 - u)
    return np.where(u < 0.5, special.betaincinv(a, b, u), upper)


@pytest.mark.parametrize("largest", LARGEST)
def test_quantiles_lie_within_their_bounds(largest):
    draws = np.random.default_rng(int(largest))
    a, b = np.exp(draws.uniform(0.0, np.log(largest), (2, 5_000)))
    a[::7], b[::5] = 1.0, 1.0
    u = special.ndtr(draws.uniform(-6.0, 7.5, 5_000))
    exact = quantiles(u, a, b)
    low, high = np.transpose([beta_quantile_bounds(*each) for each in zip(u, a, b, strict=True)])
    assert (low <= exact * (1.0 + 1e-12)).all()
    assert (exact <= high * (1.0 + 1e-12)).all()


def test_bounds_are_narrow():
    """Within two standard deviations they are a twentieth of one wide, from ten outcomes on."""
    draws = np.random.default_rng(2)
    for a, b in np.exp(draws.uniform(np.log(5.0), np.log(1e6), (2_000, 2))):
        low, high = beta_quantile_bounds(draws.uniform(0.03, 0.97), a, b)
        assert high - low < 0.05 * np.sqrt(a * b / (a + b + 1.0)) / (a + b)


@pytest.mark.parametrize(("u", "a", "b"), [(0.3, 0.9, 5.0), (0.3, 5.0, 0.999), (0.5, np.nan, 2.0)])
def test_where_nothing_is_known_the_bounds_are_the_ends(u, a, b):
    assert beta_quantile_bounds(u, a, b) == (0.0, 1.0)


def test_a_far_tail_is_bounded_from_one_side():
    assert beta_quantile_bounds(1.0 - 1e-9, 3.0, 4.0)[1] == 1.0
    assert beta_quantile_bounds(1.0 - 1e-9, 3.0, 4.0)[0] > 0.9
    assert beta_quantile_bounds(1e-9, 3.0, 4.0)[0] == 0.0
    assert beta_quantile_bounds(1e-9, 3.0, 4.0)[1] < 0.2


def test_the_normal_quantile_is_near():
    z = np.linspace(-4.9, 4.9, 2_000)
    near = np.array([near_normal_quantile(each) for each in special.ndtr(z)])
    assert (np.abs(near - z) < 0.0004 * (1.0 + np.abs(z) / 2)).all()
