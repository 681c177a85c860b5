"""Redraws of any law, permutations and reverting drift, against what they state."""

import numpy as np
import pytest
import scipy.stats

import armwise as aw

SIGNIFICANCE = 1e-5
RANDOM = aw.Agent(aw.RandomChoice())


def thetas(bandit, horizon=400, agents=100, seed=3):
    asked = {"checkpoints": aw.every(1), "record": ["theta"]}
    return aw.simulate(bandit, RANDOM, horizon, agents, seed=seed, **asked).theta.values


def test_redrawn_thetas_have_the_stated_law():
    bandit = aw.RedrawnBandit(arms=3, low=0.1, high=0.7, alpha=0.5, beta=3.0, interval=1)
    found = (thetas(bandit, agents=20) - 0.1) / 0.6
    assert scipy.stats.kstest(found.ravel(), scipy.stats.beta(0.5, 3.0).cdf).pvalue > SIGNIFICANCE


def test_all_arms_are_redrawn_or_a_random_one():
    together = np.diff(thetas(aw.RedrawnBandit(arms=4, interval=20)), axis=1) != 0
    assert (together.all(axis=2) == together.any(axis=2)).all()
    alone = np.diff(thetas(aw.RedrawnBandit(arms=4, interval=20, single=True)), axis=1) != 0
    assert alone.sum(axis=2).max() == 1
    counts = alone.sum(axis=(0, 1))
    assert scipy.stats.chisquare(counts).pvalue > SIGNIFICANCE
    trials = alone.shape[0] * alone.shape[1]
    changes = scipy.stats.binomtest(int(counts.sum()), trials, 1 / 20)
    assert changes.pvalue > SIGNIFICANCE


def test_permutations_keep_the_thetas_and_are_all_alike():
    given = (0.1, 0.4, 0.9)
    found = thetas(aw.PermutedBandit(thetas=given, interval=1), agents=20)
    np.testing.assert_allclose(np.sort(found, axis=2), np.broadcast_to(given, found.shape))
    names = (found * 10).round() @ [100, 10, 1]
    counts = np.unique(names, return_counts=True)[1]
    assert len(counts) == 6
    assert scipy.stats.chisquare(counts).pvalue > SIGNIFICANCE


def test_a_shift_moves_every_theta_on_by_one_arm():
    given = (0.1, 0.4, 0.9, 0.2)
    found = thetas(aw.PermutedBandit(thetas=given, shift=True, interval=5, stages=5), agents=2)
    for trial in range(1, 401):
        shifts = (trial - 1) // 5
        assert found[0, trial - 1].tolist() == [given[(arm + shifts) % 4] for arm in range(4)]


def test_reverting_logits_are_autoregressive():
    bandit = aw.RevertingBandit(arms=5, sigma=0.3, pull=0.05, centre=-1.0)
    found = thetas(bandit, agents=200)
    logits = np.log(found / (1 - found))
    steps = logits[:, 1:] - logits[:, :-1] - 0.05 * (-1.0 - logits[:, :-1])
    assert scipy.stats.kstest(steps.ravel() / 0.3, "norm").pvalue > SIGNIFICANCE
    spread = 0.3 / np.sqrt(1 - 0.95**2)
    for trial in (0, 399):  # the stationary law, from the first trial on
        there = (logits[:, trial].ravel() + 1.0) / spread
        assert scipy.stats.kstest(there, "norm").pvalue > SIGNIFICANCE


@pytest.mark.parametrize(
    "bandit",
    [
        aw.RedrawnBandit(arms=7, low=0.2, high=0.9, alpha=2.0, beta=5.0),
        aw.PermutedBandit(thetas=(0.1, 0.3, 0.9)),
        aw.RevertingBandit(arms=6, sigma=0.3, pull=0.1, centre=0.5),
    ],
    ids=str,
)
def test_the_random_rate_is_the_mean_regret_of_a_random_choice(bandit):
    found = thetas(bandit, horizon=1, agents=20_000)[:, 0]
    regret = found.max(axis=1) - found.mean(axis=1)
    error = regret.std(ddof=1) / np.sqrt(len(regret)) + 1e-4  # the quadrature's
    assert abs(bandit.random_rate() - regret.mean()) < 5 * error


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: aw.RedrawnBandit(low=0.5, high=0.25), "high must be at least low, 0.5"),
        (lambda: aw.RedrawnBandit(interval=5, stages=6), "stages must be at most interval, 5"),
        (lambda: aw.PermutedBandit(thetas=(0.5,)), "thetas must name at least two arms"),
        (lambda: aw.PermutedBandit(arms=3), "arms must be 4, as many as thetas, not 3"),
    ],
)
def test_parameters_that_do_not_fit_together_are_refused(make, words):
    with pytest.raises(aw.InputError, match=words):
        make()
