"""The closed forms of A-AI's long run, against walks and infima that are computed or simulated."""

import math

import numpy as np
import pytest
import scipy.optimize

from armwise import theory
from armwise.errors import InputError

PAPER = [0.6] + 9 * [0.5]


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
    expected = theory.stuck_limits([0.5 + epsilon, 0.5], lam)[1]
    error = math.sqrt(expected * (1.0 - expected) / walkers)
    assert abs(ruined.mean() - expected) < 5.0 * error


def above(theta, c, level, outcomes=4_000):
    """The probability that (alpha + c) / nu of an arm never falls below a level, by its states."""
    chance = np.array([1.0])
    for n in range(outcomes):
        fallen = np.arange(1.0, n + 2.0) + c < level * (n + 2.0) - 1e-9
        chance = np.where(fallen, 0.0, chance)
        grown = np.zeros(n + 2)
        grown[:-1] += chance * (1.0 - theta)
        grown[1:] += chance * theta
        chance = grown
    return chance.sum()


@pytest.mark.slow
@pytest.mark.parametrize(("lam", "epsilon"), [(0.1, 0.05), (0.1, 0.1), (0.2, 0.1)])
def test_the_stuck_fraction_is_that_of_independent_infima(lam, epsilon):
    """An agent is stuck if the infimum of the best arm's index is below another arm's (Theorem 6).

    The probability lies between two sums over a grid of levels. The closed form is an approximation
    for large 1 / lam: it may be a quarter too low here, and is never above the proved limit.
    """
    c, best = 1.0 / (4.0 * lam), 0.5 + epsilon
    levels = np.append(np.linspace(0.1, 0.48, 40), 0.5)
    low_best = np.array([1.0 - above(best, c, level) for level in levels])
    low_other = np.array([1.0 - above(0.5, c, level) for level in levels[:-1]] + [1.0])
    for arms in (2, 3, 10):
        mass = np.diff(low_other ** (arms - 1))
        least, most = np.sum(mass * low_best[:-1]), np.sum(mass * low_best[1:])
        found = theory.stuck_fraction(lam, epsilon, arms)
        limit = theory.stuck_limits([best] + (arms - 1) * [0.5], lam)[1]
        assert least <= limit
        assert 0.75 * least < found < 1.05 * most
        assert low_best[-1] == pytest.approx(limit, rel=1e-3)


def test_with_two_arms_half_as_many_are_stuck():
    assert theory.stuck_fraction(0.1, 0.1, 2) == pytest.approx(
        0.5 * theory.stuck_limits(PAPER, 0.1)[1], rel=0.01
    )
    many = [theory.stuck_fraction(0.1, 0.1, arms) for arms in (2, 3, 10, 100, 10_000)]
    assert many == sorted(many)
    assert many[-1] == pytest.approx(theory.stuck_limits(PAPER, 0.1)[1], rel=1e-3)


def test_limits_of_the_stuck_fraction_enclose_it():
    for epsilon in (0.02, 0.1, 0.3):
        for lam in (0.01, 0.03, 0.08):
            low, high = theory.stuck_limits([0.5 + epsilon, 0.5], lam)
            assert 0.0 < low < theory.stuck_fraction(lam, epsilon, 2) < high < 1.0
    assert theory.stuck_limits([0.6, 0.5], 0.2)[0] == 0.0


@pytest.mark.parametrize("arms", [2, 10, 80])
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


def test_one_precision_costs_nothing_where_all_others_are_equal_and_more_elsewhere():
    assert theory.price_of_one_precision(PAPER) == pytest.approx(1.0)
    assert theory.price_of_one_precision([0.7, 0.2]) == pytest.approx(1.0)
    draws = np.random.default_rng(3)
    for _ in range(300):
        assert theory.price_of_one_precision(draws.uniform(0.01, 0.99, 6)) > 1.0
    steps = [0.1 * i for i in range(1, 10)]
    assert theory.price_of_one_precision(steps) == pytest.approx(2.4, abs=0.05)


def test_a_choice_under_one_precision_binds_all_other_arms():
    """The step of Theorem 7: arm 2 is chosen, so a worse arm w has had its share.

    nu_w gap_w >= nu_2 (gap_2 - 2 error), for any weight c of the bonus, here c drawn wildly.
    """
    draws = np.random.default_rng(17)
    tested = 0
    for _ in range(30_000):
        means = np.sort(draws.uniform(0.05, 0.95, 4))[::-1]
        nu = np.exp(draws.uniform(2, 9, 4))
        error = 0.3 * (means[0] - means[1]) * draws.uniform(-1, 1, 4)
        chosen = np.argmax(means + error + np.exp(draws.uniform(0, 9)) / nu)
        gaps, most = means[0] - means, np.abs(error).max()
        for worse in range(chosen + 1, 4):
            if chosen > 0 and gaps[chosen] > 2 * most:
                tested += 1
                bound = nu[chosen] * (gaps[chosen] - 2 * most)
                assert nu[worse] * gaps[worse] >= bound * (1 - 1e-12)
    assert tested > 3_000


def test_constants_agree_with_each_other():
    from armwise import regret

    assert theory.lai_robbins(PAPER) == pytest.approx(regret.lai_robbins(10, 0.1))
    assert theory.lundberg_rate(0.6, 0.5) == pytest.approx(theory.ruin_rate(0.1))
    rate = theory.ruin_rate(0.1)
    assert theory.decay_exponent(PAPER, lam=1.0) == pytest.approx(1 - rate / 4)
    assert theory.schedule_regret(PAPER, 3.0, 2.0, 10**6) == pytest.approx(
        9 * math.log(math.e + 1e6) ** 2 / 12, rel=1e-6
    )


def test_what_is_not_possible_is_named():
    with pytest.raises(InputError, match=r"epsilon must be a number in \(0, 0.5\), not 0.6"):
        theory.stuck_fraction(0.1, 0.6, 2)
    with pytest.raises(InputError, match=r"lam must be a number in \(0, inf\), not 0"):
        theory.expected_regret(0, 10, 0.1, 100)
    with pytest.raises(InputError, match="at least two means that differ"):
        theory.lai_robbins([0.5, 0.5])
    with pytest.raises(InputError, match=r"Every theta must be a number in \(0, 1\), not 1"):
        theory.regret_bound([0.5, 1.0], 0.5, 100)
    with pytest.raises(InputError, match="one best arm, not several"):
        theory.decay_exponent([0.6, 0.6, 0.5], 1.0)
    with pytest.raises(InputError, match=r"level must be a number in \(0, 0.5\), not 0.6"):
        theory.lundberg_rate(0.5, 0.6)
