"""The information ratio against Monte Carlo, quadrature by SciPy, and Russo and Van Roy's bound."""

import numpy as np
import pytest
import scipy.integrate
import scipy.stats

import armwise as aw
from armwise import regret
from armwise.analysis.information import best_arm

BELIEFS = [
    ([1.0, 1.0], [1.0, 1.0]),
    ([3.0, 2.0, 9.0], [2.0, 2.0, 12.0]),
    ([0.5, 40.0, 1.0, 7.0], [0.5, 30.0, 3.0, 1.0]),
    ([200.0, 190.0, 1.0], [200.0, 200.0, 1.0]),
]


@pytest.mark.parametrize("beliefs", BELIEFS)
def test_which_arm_is_best_and_what_it_pays(beliefs):
    """200 000 draws of all thetas; six standard errors."""
    alpha, beta = map(np.array, beliefs)
    theta = np.random.default_rng(4).beta(alpha, beta, (200_000, len(alpha)))
    winner = theta.argmax(axis=1)
    found = best_arm(alpha, beta)
    assert found.top == pytest.approx(theta.max(axis=1).mean(), abs=6 * 0.5 / 200_000**0.5)
    for arm in range(len(alpha)):
        chosen = theta[winner == arm]
        assert found.chance[arm] == pytest.approx(len(chosen) / 200_000, abs=6 * 0.0012)
        if len(chosen) > 100:
            error = 6 * chosen.std(axis=0) / len(chosen) ** 0.5
            assert np.all(np.abs(chosen.mean(axis=0) - found.mean[arm]) < error + 1e-4)
    np.testing.assert_allclose(found.chance @ found.mean, alpha / (alpha + beta), atol=1e-5)


def test_two_arms_by_quadrature():
    one, other = scipy.stats.beta(3, 2), scipy.stats.beta(5, 7)
    chance = scipy.integrate.quad(lambda x: one.pdf(x) * other.cdf(x), 0, 1)[0]
    top = scipy.integrate.quad(lambda x: 1 - one.cdf(x) * other.cdf(x), 0, 1)[0]
    found = best_arm(np.array([3.0, 5.0]), np.array([2.0, 7.0]))
    assert found.chance[0] == pytest.approx(chance, abs=1e-6)
    assert found.top == pytest.approx(top, abs=1e-6)
    ratio = regret.information_ratio([3, 5], [2, 7], [1, 0])
    assert ratio.regret == pytest.approx(top - 0.6, abs=1e-5)
    assert ratio.ratio == pytest.approx(ratio.regret**2 / ratio.information)


def test_thompson_sampling_keeps_the_bound_of_russo_and_van_roy():
    """At most K / 2, its choice probabilities being those of the best arm."""
    draws = np.random.default_rng(2)
    for _ in range(60):
        arms = draws.integers(2, 6)
        alpha, beta = np.exp(draws.uniform(-0.5, 5, (2, arms)))
        chance = best_arm(alpha, beta).chance
        assert 0.0 <= regret.information_ratio(alpha, beta, chance).ratio <= arms / 2


def test_information_is_what_an_outcome_teaches_about_the_best_arm():
    """The mean fall of the entropy of the best arm, by the beliefs after both outcomes."""
    alpha, beta = np.array([3.0, 5.0, 1.0]), np.array([2.0, 7.0, 1.0])

    def entropy(a, b):
        return scipy.stats.entropy(best_arm(a, b).chance)

    for arm in range(3):
        step = np.eye(3)[arm]
        mean = alpha[arm] / (alpha[arm] + beta[arm])
        after = mean * entropy(alpha + step, beta) + (1 - mean) * entropy(alpha, beta + step)
        found = regret.information_ratio(alpha, beta, step).information
        assert found == pytest.approx(entropy(alpha, beta) - after, abs=2e-6)


def test_what_is_not_possible_is_named():
    with pytest.raises(aw.InputError, match=r"chances must sum to 1, not 0\.8"):
        regret.information_ratio([1, 1], [1, 1], [0.5, 0.3])
    with pytest.raises(aw.InputError, match="one number for each of two arms"):
        regret.information_ratio([1, 1], [1, 1, 1], [0.5, 0.5])
    with pytest.raises(aw.InputError, match="above 0"):
        regret.information_ratio([1, 0], [1, 1], [0.5, 0.5])
