"""The information in N outcomes against the sum over all numbers of successes, and its limits."""

import math

import numpy as np
import pytest
import scipy.special

from armwise.numerics import information
from armwise.numerics.information import remainder

PRIORS = [0.1, 0.5, 1.0, 2.0, 12.0, 39.0, 41.0, 1_000.0]


def entropy(a, b):
    psi = scipy.special.digamma
    return (
        scipy.special.betaln(a, b) - (a - 1) * psi(a) - (b - 1) * psi(b) + (a + b - 2) * psi(a + b)
    )


def summed(alpha, beta, outcomes):
    """The entropy of the belief minus its expectation after the outcomes."""
    s = np.arange(outcomes + 1.0)
    ways = -np.log(outcomes + 1.0) - scipy.special.betaln(s + 1, outcomes - s + 1)
    after = scipy.special.betaln(alpha + s, beta + outcomes - s)
    chance = np.exp(ways + after - scipy.special.betaln(alpha, beta))
    return entropy(alpha, beta) - np.sum(chance * entropy(alpha + s, beta + outcomes - s))


@pytest.mark.parametrize("outcomes", [0, 1, 5, 128, 129, 1_000, 20_000])
def test_information_is_that_of_the_sum(outcomes):
    for alpha in PRIORS:
        for beta in PRIORS:
            found, expected = information(alpha, beta, outcomes), summed(alpha, beta, outcomes)
            assert found == pytest.approx(expected, abs=1e-6)
            assert found == pytest.approx(information(beta, alpha, outcomes), abs=1e-6)


def test_the_remainder_is_what_its_definition_says():
    for x in (0.1, 1.0, 3.3, 7.99, 8.01, 40.0, 1e3):
        expected = scipy.special.loggamma(x) - x * scipy.special.digamma(x + 1)
        expected += 0.5 * scipy.special.digamma(x) + x + 0.5 - 0.5 * math.log(2 * math.pi)
        assert remainder(x) == pytest.approx(expected.real, abs=1e-10 * max(1.0, x))


def test_information_lies_between_the_proved_limits():
    """Lemma 7 of docs/theory.md, for one outcome and for many; and where the difference ends."""
    differences = []
    for alpha in (1.0, 2.0, 10.0, 200.0, 1_000.0):
        for beta in (1.0, 3.0, 40.0, 1_000.0):
            nu = alpha + beta
            one = information(alpha, beta, 1)
            assert one <= 1 / (2 * nu) + 1 / (12 * nu**2) + 1e-12
            assert one >= 1 / (2 * nu) - (1 / alpha + 1 / beta) / (12 * nu) - 1e-12
            for outcomes in (1, 3, 100, 5_000, 10**6):
                twice = 2 * information(alpha, beta, outcomes)
                differences.append(twice - math.log(1 + outcomes / nu))
    assert -0.27 < min(differences) < -0.255  # proved: -.522
    assert max(differences) <= 1e-9  # proved: .377
    assert 4 * remainder(1.0) > -0.522
    assert math.log(2) - scipy.special.digamma(2) - 2 * remainder(2.0) < 0.377


def test_the_remainder_grows_to_zero_and_is_bounded():
    x = np.geomspace(0.05, 1e5, 400)
    found = np.array([remainder(each) for each in x])
    later = np.array([remainder(each + 1) for each in x])
    assert np.all(found < later)
    assert np.all(later < 0)
    assert np.all(found >= -(1 / x + 1 / x**2) / 12)
