"""The probability of the largest draw: against closed forms, quadrature, draws, and itself."""

import itertools
import math

import mpmath
import numpy as np
import pytest
from scipy import integrate, special, stats

from armwise.engine.compile import compiled
from armwise.numerics import best_arm_probabilities
from armwise.numerics.best_arm import NODES, PARTS, ROWS, WEIGHTS, best_arm


def found(alpha, beta, level=0.0, function=best_arm):
    arms = len(alpha)
    best, work = np.zeros(arms), np.zeros((ROWS, arms))
    rest = function(np.asarray(alpha, float), np.asarray(beta, float), arms, level, work, best)
    return best, rest


def by_quadrature(alpha, beta, level=0.0):
    """SciPy's adaptive quadrature over the logit, one arm at a time, in pieces of one deviation."""
    alpha, beta = np.asarray(alpha, float), np.asarray(beta, float)
    deviation = np.sqrt((alpha + beta) / (alpha * beta))
    centre = np.log(alpha / beta)
    low = np.min(centre - 45 * np.maximum(deviation, deviation**2))
    high = np.max(centre + 45 * np.maximum(deviation, deviation**2))
    low = max(low, special.logit(level))
    pieces = {low, high} | {
        c + z * d for c, d in zip(centre, deviation, strict=True) for z in MARKS
    }

    def integrand(u, arm):
        x, y = special.expit(u), special.expit(-u)
        below = np.where(x < 0.5, special.betainc(alpha, beta, x), special.betaincc(beta, alpha, y))
        log_density = alpha[arm] * np.log(x) + beta[arm] * np.log(y)
        return np.exp(log_density - special.betaln(alpha[arm], beta[arm])) * np.prod(
            np.delete(below, arm)
        )

    ends = sorted(piece for piece in pieces if low <= piece <= high)
    return [
        math.fsum(
            integrate.quad(integrand, a, b, args=(arm,), epsabs=1e-13, epsrel=1e-11)[0]
            for a, b in itertools.pairwise(ends)
        )
        for arm in range(len(alpha))
    ]


MARKS = (-30, -12, -6, -3, -1, 0, 1, 3, 6, 12, 30)


def beliefs(kind, arms, seed):
    rng = np.random.default_rng(seed)
    if kind == "ordinary":
        return 1 + rng.gamma(2, 5, arms), 1 + rng.gamma(2, 5, arms)
    if kind == "much evidence and little":
        return 10 ** rng.uniform(0, 4, arms), 10 ** rng.uniform(0, 4, arms)
    if kind == "nearly equal":
        return 300 + rng.uniform(0, 20, arms), np.full(arms, 200.0)
    return 10 ** rng.uniform(-1, 1, arms), 10 ** rng.uniform(-1, 1, arms)


KINDS = ("ordinary", "much evidence and little", "nearly equal", "less than an outcome")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("arms", [2, 4, 10])
def test_it_is_what_quadrature_finds(kind, arms):
    alpha, beta = beliefs(kind, arms, seed=arms)
    np.testing.assert_allclose(found(alpha, beta)[0], by_quadrature(alpha, beta), rtol=0, atol=1e-9)


@pytest.mark.parametrize("level", [1e-6, 0.2, 0.55, 0.999])
def test_above_a_level_it_is_what_quadrature_finds(level):
    alpha, beta = beliefs("ordinary", 4, seed=9)
    best, rest = found(alpha, beta, level)
    np.testing.assert_allclose(best, by_quadrature(alpha, beta, level), rtol=0, atol=1e-8)
    assert rest == pytest.approx(stats.beta.cdf(level, alpha, beta).prod(), abs=1e-12)
    assert best.sum() + rest == pytest.approx(1, abs=4e-8)


def test_two_arms_of_whole_numbers_have_a_closed_form():
    """P(X > Y) is a finite sum of beta functions if X's alpha is a whole number."""
    for a, b, c, d in [(1, 1, 1, 1), (3, 7, 2, 2), (40, 2, 9, 30), (200, 100, 100, 50)]:
        exact = mpmath.fsum(
            mpmath.beta(c + i, b + d) / ((b + i) * mpmath.beta(1 + i, b) * mpmath.beta(c, d))
            for i in range(a)
        )
        assert best_arm_probabilities([a, c], [b, d])[0] == pytest.approx(float(exact), abs=1e-8)


def test_equal_beliefs_share_the_probability_whatever_they_are():
    for belief in [(1, 1), (0.001, 0.001), (1e-3, 1e7), (1e7, 1e7), (30, 2)]:
        for arms in (2, 7):
            best, _ = found([belief[0]] * arms, [belief[1]] * arms)
            np.testing.assert_allclose(best, 1 / arms, rtol=1e-9)


@pytest.mark.parametrize("arms", [30, 100])
def test_many_arms_are_what_the_trapezoidal_rule_finds(arms):
    """It converges exponentially for these integrals over the logit: a hundred points per width."""
    alpha, beta = beliefs("ordinary", arms, seed=3)
    u, step = np.linspace(-30, 30, 12_001, retstep=True)
    x, y = special.expit(u)[:, None], special.expit(-u)[:, None]
    below = special.betainc(alpha, beta, x)
    density = np.exp(alpha * np.log(x) + beta * np.log(y) - special.betaln(alpha, beta))
    others = np.prod(below, axis=1, keepdims=True) / np.maximum(below, 1e-300)
    expected = step * (density * others).sum(axis=0)
    assert expected.sum() == pytest.approx(1, abs=1e-12)
    best, _ = found(alpha, beta)
    np.testing.assert_allclose(best, expected, rtol=0, atol=1e-8 if arms == 30 else 1e-7)


def test_small_probabilities_keep_their_digits():
    alpha, beta = np.array([60.0, 100.0, 9.0]), np.array([60.0, 20.0, 30.0])
    exact = by_quadrature(alpha, beta)
    assert 1e-13 < min(exact) < 1e-11
    np.testing.assert_allclose(found(alpha, beta)[0], exact, rtol=1e-4)


def test_beliefs_at_the_ends_of_the_range_and_beyond():
    """The first arm is known to pay with probability 1 - 1e-6; 1e-300 counts as 1e-3."""
    best, _ = found([1e7, 1e-3, 5.0], [10.0, 1e7, 1e-300])
    assert best[1] < 1e-12
    assert best[2] == pytest.approx(stats.beta.sf(1 - 1e-6, 5, 1e-3), abs=1e-3)


def test_compiled_and_interpreted_are_equal_to_the_bit():
    kernel = compiled(best_arm, {})
    for kind in KINDS:
        alpha, beta = beliefs(kind, 5, seed=2)
        for level in (0.0, 0.4):
            one, other = found(alpha, beta, level, kernel), found(alpha, beta, level)
            np.testing.assert_array_equal(one[0], other[0])
            assert one[1] == other[1]


def test_partial_integrals_are_exact_for_polynomials():
    for power in range(8):
        values = [node**power for node in NODES]
        for node, row in zip(NODES, PARTS, strict=True):
            exact = (node ** (power + 1) - (-1) ** (power + 1)) / (power + 1)
            assert np.dot(row, values) == pytest.approx(exact, abs=1e-14)
        whole = (1 - (-1) ** (power + 1)) / (power + 1)
        assert np.dot(WEIGHTS, values) == pytest.approx(whole, abs=1e-14)
