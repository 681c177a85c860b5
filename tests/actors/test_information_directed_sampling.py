"""Information-directed sampling against a fine quadrature, draws, and a search over mixtures."""

import itertools

import numpy as np
import pytest
from scipy import integrate, stats

import armwise as aw
from armwise.actors.information_directed_sampling import (
    InformationDirectedSampling,
    appraise,
    average,
    best_share,
    laid_out,
    ratio,
)
from armwise.model.draws import AGENT, stream
from armwise.numerics.divergence import kl
from armwise.testing import check_contract

COUNTS = [
    [(0, 0), (0, 0)],
    [(3, 1), (0, 2), (10, 9)],
    [(40, 25), (6, 3), (0, 0), (2, 11)],
]


def believing(actor, counts):
    """The memory of an actor that has seen so many successes and failures of every arm."""
    arms = len(counts)
    memory = np.zeros(actor.memory_size(arms))
    actor.begin(memory, arms)
    for arm, (won, lost) in enumerate(counts):
        for outcome in [1] * won + [0] * lost:
            actor.learn(memory, arms, 1, arm, outcome, stream(1, 0, AGENT, 1))
    known = laid_out(memory, arms, actor.grid)
    average(known, arms, actor.grid)
    appraise(known, arms)
    return memory, known


def integrated(counts):
    """P(j best) and E[theta_k | j best] on 20 001 points, with SciPy's distributions."""
    theta = np.linspace(0, 1, 20_001)
    beliefs = [stats.beta(1 + won, 1 + lost) for won, lost in counts]
    below = np.array([belief.cdf(theta) for belief in beliefs])
    density = np.array([belief.pdf(theta) for belief in beliefs])
    paid = integrate.cumulative_simpson(theta * density, x=theta, initial=0)
    best, means = [], []
    for j in range(len(counts)):
        others = [k for k in range(len(counts)) if k != j]
        weight = density[j] * below[others].prod(axis=0)
        best.append(integrate.simpson(weight, x=theta))
        row = []
        for k in range(len(counts)):
            rest = [i for i in others if i != k]
            given = theta * weight if k == j else density[j] * paid[k] * below[rest].prod(axis=0)
            row.append(integrate.simpson(given, x=theta) / best[j])
        means.append(row)
    return np.array(best), np.array(means)


def regret_and_gain(best, means):
    mu = best @ means
    regret = best @ np.diag(means) - mu
    gain = [sum(p * kl(means[j, k], mu[k]) for j, p in enumerate(best)) for k in range(len(mu))]
    return regret, np.array(gain)


@pytest.mark.parametrize("counts", COUNTS, ids=str)
def test_integrals_are_those_of_a_fine_quadrature(counts):
    """The trapezoids' error falls with the square of the grid."""
    best, means = integrated(counts)
    regret, gain = regret_and_gain(best, means)
    errors = []
    for grid in (100, 400):
        _, known = believing(InformationDirectedSampling(grid=grid), counts)
        joint = known.joint.reshape(len(counts), -1)
        np.testing.assert_allclose(known.best, best, atol=20 / grid**2)
        np.testing.assert_allclose(joint / known.best[:, None], means, atol=20 / grid**2)
        np.testing.assert_allclose(known.regret, regret, atol=20 / grid**2)
        np.testing.assert_allclose(known.gain, gain, atol=20 / grid**2)
        errors.append(np.abs(known.regret - regret).max() + np.abs(known.best - best).max())
    assert errors[1] < 0.2 * errors[0] + 1e-9


@pytest.mark.parametrize("counts", COUNTS, ids=str)
def test_integrals_are_those_of_draws(counts):
    """Within five standard errors of 200 000 draws."""
    draws = np.random.default_rng(2)
    thetas = np.column_stack([draws.beta(1 + w, 1 + lost, 200_000) for w, lost in counts])
    winner = thetas.argmax(axis=1)
    _, known = believing(InformationDirectedSampling(grid=400), counts)
    joint = known.joint.reshape(len(counts), -1)
    for j, k in itertools.product(range(len(counts)), repeat=2):
        sample = (winner == j) * thetas[:, k]
        assert abs(joint[j, k] - sample.mean()) < 5 * sample.std() / np.sqrt(len(sample)) + 1e-4
        assert abs(known.best[j] - np.mean(winner == j)) < 5 * 0.5 / np.sqrt(len(sample)) + 1e-4


def test_distribution_functions_keep_up_with_thousands_of_outcomes():
    actor = InformationDirectedSampling(grid=50)
    _, known = believing(actor, [(1_500, 700), (0, 300), (2, 1)])
    theta = np.arange(1, 51) / 50
    for arm in range(3):
        belief = stats.beta(known.alpha[arm], known.beta[arm])
        row = slice(50 * arm, 50 * (arm + 1))
        np.testing.assert_allclose(known.below[row], belief.cdf(theta), atol=1e-12)
        paid = known.below[row] * known.mean[arm::3]
        one_more = stats.beta(known.alpha[arm] + 1, known.beta[arm])
        np.testing.assert_allclose(paid, belief.mean() * one_more.cdf(theta), atol=1e-11)


def test_two_arms_of_which_nothing_is_known():
    """By hand: each is best with 1/2, and then pays 2/3, the other 1/3."""
    _, known = believing(InformationDirectedSampling(grid=400), [(0, 0), (0, 0)])
    np.testing.assert_allclose(known.best, 0.5, rtol=1e-12)
    np.testing.assert_allclose(known.joint, [1 / 3, 1 / 6, 1 / 6, 1 / 3], atol=1e-5)
    np.testing.assert_allclose(known.regret, 1 / 6, atol=1e-5)
    np.testing.assert_allclose(known.gain, 0.5 * kl(2 / 3, 0.5) + 0.5 * kl(1 / 3, 0.5), atol=1e-5)


def least_ratio(regret, gain):
    """The least over pairs of arms, by the closed form."""
    pairs = itertools.product(range(len(regret)), repeat=2)
    return min(
        ratio(
            best_share(regret[i], regret[j], gain[i], gain[j]),
            regret[i],
            regret[j],
            gain[i],
            gain[j],
        )
        for i, j in pairs
    )


def test_no_mixture_of_arms_has_a_smaller_ratio():
    """Of 20 000 random mixtures of four arms, none; of 2 001 of two, the best is as good."""
    draws = np.random.default_rng(5)
    for _ in range(20):
        regret, gain = draws.random(4), draws.random(4) ** 2
        found = least_ratio(regret, gain)
        mixtures = draws.dirichlet(np.full(4, 0.5), 20_000)
        assert found <= ((mixtures @ regret) ** 2 / (mixtures @ gain)).min() + 1e-12
        share = np.linspace(0, 1, 2_001)
        of_two = (share * regret[0] + (1 - share) * regret[1]) ** 2
        of_two /= share * gain[0] + (1 - share) * gain[1]
        assert least_ratio(regret[:2], gain[:2]) == pytest.approx(of_two.min(), rel=1e-5)


@pytest.mark.parametrize("counts", COUNTS, ids=str)
def test_choices_have_the_least_ratio_in_expectation(counts):
    """Frequencies give the regret and gain of the best mixture, within five standard errors."""
    actor = InformationDirectedSampling(grid=20)
    memory, known = believing(actor, counts)
    count = 2_000
    arms = len(counts)
    found = [actor.act(memory, arms, t, stream(3, 0, AGENT, t)) for t in range(1, count + 1)]
    shares = np.bincount(found, minlength=arms) / count
    least = least_ratio(known.regret, known.gain)
    gradient = 2 * known.regret / (shares @ known.regret) + known.gain / (shares @ known.gain)
    slack = 5 * least * np.sqrt(shares @ gradient**2 / count)
    assert (shares @ known.regret) ** 2 / (shares @ known.gain) == pytest.approx(least, abs=slack)


def test_where_all_arms_are_alike_each_is_chosen_as_often():
    actor = InformationDirectedSampling(grid=20)
    memory, _ = believing(actor, [(0, 0)] * 4)
    found = [actor.act(memory, 4, t, stream(3, 0, AGENT, t)) for t in range(1, 2_001)]
    counts = np.bincount(found, minlength=4)
    assert ((counts - 500.0) ** 2 / 500.0).sum() < 25.9  # the 99.999 % point


def test_arms_known_better_than_the_grid_are_told_apart_by_their_means():
    actor = InformationDirectedSampling(grid=10)
    memory, _ = believing(actor, [(5_200, 4_800), (5_400, 4_600), (100, 900)])
    found = {actor.act(memory, 3, t, stream(3, 0, AGENT, t)) for t in range(1, 50)}
    assert found == {1}


def test_the_contract():
    check_contract(InformationDirectedSampling(grid=30))


def test_it_has_less_regret_than_thompson_sampling():
    """By more than three standard errors of the paired difference."""
    bandit = aw.SwitchingBandit(arms=10, epsilon=0.2, rho=0.0)
    asked = {"horizon": 1_000, "agents": 200, "seed": 3}
    ours = aw.simulate(bandit, InformationDirectedSampling(), **asked).regret[:, -1].values
    theirs = aw.simulate(bandit, aw.Agent(aw.ThompsonSampling()), **asked).regret[:, -1].values
    gain = theirs - ours
    assert gain.mean() > 3 * gain.std(ddof=1) / np.sqrt(len(gain))
