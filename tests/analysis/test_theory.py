"""The closed forms of A-AI's long run: against each other, and against a walk that is simulated."""

import math

import numpy as np
import pytest
import scipy.optimize

from armwise.analysis import theory
from armwise.errors import InputError


@pytest.mark.parametrize("epsilon", [0.05, 0.1, 0.2])
@pytest.mark.parametrize("lam", [0.05, 0.1, 0.2, 0.5])
def test_a_walk_is_ruined_as_often_as_the_formula_says(lam, epsilon):
    """Up with probability 1/2 + epsilon, down else: how often does it ever fall by m?"""
    fall = math.floor(1.0 / (2.0 * lam) + 1e-9) + 1
    draws = np.random.default_rng(1)
    walkers = 4_000
    place = np.zeros(walkers, dtype=int)
    ruined = np.zeros(walkers, dtype=bool)
    for _ in range(3_000):
        place += np.where(draws.random(walkers) < 0.5 + epsilon, 1, -1)
        ruined |= place <= -fall
    expected = theory.stuck_fraction(lam, epsilon)
    error = math.sqrt(expected * (1.0 - expected) / walkers)
    assert abs(ruined.mean() - expected) < 5.0 * error


@pytest.mark.parametrize("arms", [10, 80])
@pytest.mark.parametrize("epsilon", [0.05, 0.2])
def test_the_best_lam_has_the_least_regret(arms, epsilon):
    horizon = 1e6
    found = scipy.optimize.minimize_scalar(
        lambda c: theory.expected_regret(1.0 / (4.0 * c), arms, epsilon, horizon),
        bounds=(0.1, 1_000.0),
        method="bounded",
        options={"xatol": 1e-9},
    )
    assert theory.best_lam(arms, epsilon, horizon) == pytest.approx(1.0 / (4.0 * found.x), rel=1e-4)


def test_the_best_lam_falls_with_the_horizon_and_grows_with_the_arms():
    assert theory.best_lam(10, 0.1, 1e6) < theory.best_lam(10, 0.1, 1e4)
    assert theory.best_lam(80, 0.1, 1e5) > theory.best_lam(10, 0.1, 1e5)
    assert theory.best_lam(80, 0.05, 10) == math.inf


def test_what_is_not_possible_is_named():
    with pytest.raises(InputError, match=r"epsilon must be a number in \(0, 0.5\), not 0.6"):
        theory.stuck_fraction(0.1, 0.6)
    with pytest.raises(InputError, match=r"lam must be a number in \(0, inf\), not 0"):
        theory.expected_regret(0, 10, 0.1, 100)
