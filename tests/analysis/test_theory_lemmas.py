"""Every lemma of docs/theory.md against exact sums, and against runs that try to break it."""

import math

import numpy as np
import pytest
import scipy.special
import scipy.stats

from armwise import theory
from armwise.analysis.theory.lemmas import unlucky_sum

LEVELS = [(0.6, 0.5), (0.6, 0.59), (0.9, 0.5), (0.1, 0.09), (0.5, 0.02), (0.99, 0.9), (0.02, 0.01)]
PRIORS = [(1.0, 1.0), (0.5, 0.5), (0.1, 0.2), (1.0, 20.0), (7.0, 2.5)]


def kl(p, q):
    return scipy.special.rel_entr(p, q) + scipy.special.rel_entr(1 - p, 1 - q)


def beliefs_after(n, theta, alpha0=1.0, beta0=1.0):
    """The probability of every number of successes among n outcomes, and the means they make."""
    successes = np.arange(n + 1.0)
    chance = scipy.stats.binom.pmf(successes, n, theta)
    return chance, (successes + alpha0) / (n + alpha0 + beta0)


def test_the_divergence_is_above_its_tangent():
    """Lemma 1, at random points."""
    p, one, other = np.random.default_rng(1).uniform(0, 1, (3, 20_000))
    low, high = np.minimum(one, other), np.maximum(one, other)
    line = p * np.log(low / high) + (1 - p) * np.log((1 - low) / (1 - high))
    assert np.all(np.where(p < high, kl(p, high), 0.0) >= line - 1e-12)
    np.testing.assert_allclose(kl(p, high) - line, kl(p, low), rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize(("theta", "level"), LEVELS)
def test_an_unlucky_best_arm_costs_no_more_than_the_lemma_says(theta, level, prior):
    """Lemma 2: the expectation is summed exactly, in logarithms."""
    nearest = 0.0
    for n in [*range(40), 60, 100, 200, 1_000]:
        successes = np.arange(n + 1.0)
        nu = n + sum(prior)
        mean = (successes + prior[0]) / nu
        low = mean <= level
        terms = scipy.stats.binom.logpmf(successes, n, theta)[low] + nu * kl(mean[low], level)
        found = math.exp(scipy.special.logsumexp(terms)) if low.any() else 0.0
        most = theory.unlucky_price(theta, level, n, *prior)
        assert found <= most * (1 + 1e-9)
        nearest = max(nearest, found / most)
    assert nearest > 1e-3 or max(prior) > 2.0


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize(("theta", "level"), LEVELS)
def test_the_sum_of_the_prices_is_what_it_says(theta, level, prior):
    outcomes = range(min(20_000, int(60 / kl(level, theta)) + 10))
    nu = np.array(outcomes) + sum(prior)
    prices = [theory.unlucky_price(theta, level, n, *prior) for n in outcomes]
    assert np.sum(nu * prices) <= unlucky_sum(theta, level, *prior) * (1 + 1e-9)


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize(
    ("theta", "level", "evidence"),
    [(0.5, 0.6, 3), (0.3, 0.7, 5), (0.02, 0.1, 4), (0.8, 0.9, 6), (0.1, 0.9, 10), (0.001, 0.3, 6)],
)
def test_pulls_below_an_evidence(theta, level, evidence, prior):
    """Lemma 4: the expected number of n is summed over all numbers of successes."""
    found = 0.0
    for n in range(min(2_000, int(6 * (evidence + 10) / kl(theta, level)))):
        chance, mean = beliefs_after(n, theta, *prior)
        against = np.where(mean < level, (n + sum(prior)) * kl(mean, level), 0.0)
        found += chance[against <= evidence].sum()
    most = theory.pulls_below_evidence(theta, level, evidence, *prior)
    assert 0.0 < found <= most


@pytest.mark.parametrize(
    ("theta", "level", "bonus"),
    [(0.5, 0.6, 2), (0.5, 0.55, 4), (0.1, 0.15, 3), (0.8, 0.9, 5), (0.3, 0.7, 20)],
)
def test_pulls_below_a_bonus(theta, level, bonus):
    """Lemma 6, in the same way."""
    found = 0.0
    for n in range(min(2_500, int(8 * (bonus + 10) / (level - theta)))):
        chance, mean = beliefs_after(n, theta)
        found += chance[mean + bonus / (n + 2) >= level - 1e-12].sum()
    most = theory.pulls_below_bonus(theta, level, bonus)
    assert 0.3 * most < found <= most


@pytest.mark.parametrize(("theta", "level"), [(0.6, 0.5), (0.9, 0.8), (0.2, 0.1), (0.97, 0.9)])
@pytest.mark.parametrize("bonus", [0.3, 1.0, 2.5])
def test_an_index_falls_below_a_level_as_seldom_as_the_lemma_says(theta, level, bonus):
    """Lemma 5: the probability within 1500 outcomes, by all states, lies between its limits."""
    rate = theory.lundberg_rate(theta, level)
    assert rate >= 8 * (theta - level) * (1 - 1e-12)
    outcome = theta * math.exp(rate * (level - 1)) + (1 - theta) * math.exp(rate * level)
    assert outcome == pytest.approx(1.0, abs=1e-12)
    chance = np.array([1.0])
    for n in range(1_500):
        fallen = np.arange(1.0, n + 2.0) + bonus < level * (n + 2.0) - 1e-12
        chance = np.where(fallen, 0.0, chance)
        grown = np.zeros(n + 2)
        grown[:-1] += chance * (1 - theta)
        grown[1:] += chance * theta
        chance = grown
    found = 1.0 - chance.sum()
    least = math.exp(-rate * (bonus + 1 - level))
    assert 0.99 * least <= found <= theory.low_index_chance(theta, level, bonus) * (1 + 1e-9)


def lost_while_low(draws, thetas, share, prior, noise, level, trials):
    """H-EFE with noisy scores: for every n, trials without the best arm and no mean above level.

    Returns them divided by nu exp(2 noise + nu kl+(mu, level)) of the best arm, arm 0.
    """
    arms = len(thetas)
    alpha, nu = np.full(arms, prior[0]), np.full(arms, sum(prior))
    lost, price = [0], []
    for trial in range(1, trials + 1):
        mean = alpha / nu
        top = mean.max()
        score = np.log1p(share / arms * trial / nu) - np.where(mean < top, nu * kl(mean, top), 0.0)
        if noise > 0.0:  # against the best arm, for all others
            score += np.where(np.arange(arms) == 0, -noise, noise) * draws.uniform(0.5, 1, arms)
        arm = int(draws.choice(np.flatnonzero(score == score.max())))
        lost[-1] += arm != 0 and top <= level
        if arm == 0 or trial == trials:
            against = nu[0] * kl(mean[0], level) if mean[0] < level else 0.0
            price.append(nu[0] * math.exp(min(2 * noise + against, 600.0)))
            lost.append(0)
        alpha[arm] += draws.random() < thetas[arm]
        nu[arm] += 1.0
    return np.array(lost[: len(price)]) / np.array(price)


def ratio_of_a_run(draws, trials):
    """The largest part of the bound of Lemma 3 in a run with random means, prior and noise."""
    arms, share = int(draws.integers(2, 8)), math.exp(draws.uniform(-4, 4))
    thetas, prior = draws.uniform(0.05, 0.95, arms), PRIORS[draws.integers(len(PRIORS))]
    thetas[0] = thetas.max() + 0.01
    level, noise = draws.uniform(0.02, 0.98), draws.choice([0.0, 0.5])
    lost = lost_while_low(draws, thetas, share, prior, noise, level, trials)
    rivals = (arms - 1) * max(1.0, 1.0 / sum(prior))
    return lost.max() / (math.sqrt(arms / share) + math.sqrt(rivals)) ** 2


def test_a_wrong_leader_lasts_no_longer_than_the_lemma_says():
    """Lemma 3 holds in every run, whatever the outcomes."""
    draws = np.random.default_rng(5)
    ratios = [ratio_of_a_run(draws, 400) for _ in range(60)]
    assert 0.1 < max(ratios) <= 1.0


@pytest.mark.slow
def test_a_wrong_leader_lasts_no_longer_than_the_lemma_says_in_many_runs():
    draws = np.random.default_rng(6)
    assert max(ratio_of_a_run(draws, 3_000) for _ in range(150)) <= 1.0


def test_preferences_below_logarithms_sum_to_what_the_closed_form_says():
    """The sum over trials of exp(-s ln(e + t - 1)^2) <= sqrt(pi / s) exp(1 / (4 s))."""
    for s in (0.05, 0.1, 0.5, 2.0):
        trials = np.arange(1.0, 2e5)
        tail = np.linspace(math.log(2e5), 400, 400_000)
        rest = np.trapezoid(np.exp(tail - s * tail**2), tail)
        found = np.exp(-s * np.log(math.e + trials - 1) ** 2).sum() + rest
        assert found <= math.sqrt(math.pi / s) * math.exp(1 / (4 * s))
