"""How long bandits stay as they are, against the distributions that are stated."""

import numpy as np
import pytest
import scipy.stats

import armwise as aw

SIGNIFICANCE = 1e-5
RANDOM = aw.Agent(aw.RandomChoice())
INTERVAL = 12


def change_trials(bandit, horizon=600, agents=100, seed=3):
    """Trials in which the thetas of every agent changed."""
    asked = {"checkpoints": aw.every(1), "record": ["theta"]}
    thetas = aw.simulate(bandit, RANDOM, horizon, agents, seed=seed, **asked).theta.values
    moved = (np.diff(thetas, axis=1) != 0).any(axis=2)
    return [np.flatnonzero(row) + 2 for row in moved]


@pytest.mark.parametrize("stages", [1, 4])
@pytest.mark.parametrize(
    "kind", [aw.TimedSwitchingBandit, aw.TimedVaryingBandit, aw.ReversalBandit]
)
def test_durations_have_a_negative_binomial_distribution(kind, stages):
    law = scipy.stats.nbinom(stages, stages / INTERVAL, loc=stages)
    trials = change_trials(kind(arms=4, interval=INTERVAL, stages=stages), agents=1_000)
    limits = np.unique([law.ppf(share) for share in np.linspace(0.1, 0.9, 9)])
    expected = np.diff([0.0, *law.cdf(limits), 1.0])
    for found in ([each[0] - 1 for each in trials], [each[1] - each[0] for each in trials]):
        counts = np.bincount(np.searchsorted(limits, found), minlength=len(expected))
        result = scipy.stats.chisquare(counts, expected * len(found))
        assert result.pvalue > SIGNIFICANCE


def test_as_many_stages_as_trials_are_regular():
    for trials in change_trials(aw.TimedVaryingBandit(arms=2, interval=7, stages=7), agents=3):
        assert (trials == np.arange(8, 601, 7)).all()


def test_given_durations_repeat():
    bandit = aw.TimedSwitchingBandit(arms=3, durations=(2, 5, 1))
    for trials in change_trials(bandit, horizon=18, agents=3):
        assert trials.tolist() == [3, 8, 9, 11, 16, 17]
    assert bandit.assumed_rho() == 3 / 8


def test_a_reversal_turns_the_order_around():
    bandit = aw.ReversalBandit(arms=3, low=0.1, high=0.9, durations=(4,))
    asked = {"checkpoints": aw.every(1), "record": ["theta"]}
    thetas = aw.simulate(bandit, RANDOM, 12, 200, seed=5, **asked).theta.values
    up, down = [0.1, 0.5, 0.9], [0.9, 0.5, 0.1]
    for agent in thetas:
        first, second = (up, down) if agent[0, 0] == 0.1 else (down, up)
        np.testing.assert_allclose(agent[:4], [first] * 4, rtol=1e-15)
        np.testing.assert_allclose(agent[4:8], [second] * 4, rtol=1e-15)
        np.testing.assert_allclose(agent[8:], [first] * 4, rtol=1e-15)
    up_first = (thetas[:, 0, 0] == 0.1).sum()
    assert scipy.stats.binomtest(int(up_first), 200).pvalue > SIGNIFICANCE


def test_the_best_arm_moves_to_every_other_arm():
    bandit = aw.TimedSwitchingBandit(arms=4, epsilon=0.2, interval=3, stages=3)
    asked = {"checkpoints": aw.every(1), "record": ["theta"]}
    thetas = aw.simulate(bandit, RANDOM, 300, 50, seed=1, **asked).theta.values
    best = thetas.argmax(axis=2)[:, ::3]
    assert np.allclose(np.sort(thetas, axis=2)[..., -1], 0.7)
    steps = (np.diff(best, axis=1) % 4).ravel()
    counts = np.bincount(steps, minlength=4)
    assert counts[0] == 0
    assert scipy.stats.chisquare(counts[1:]).pvalue > SIGNIFICANCE


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: aw.TimedVaryingBandit(interval=5, stages=6), "stages must be at most interval, 5"),
        (lambda: aw.ReversalBandit(durations=(1.5,)), "durations must be whole numbers, not 1.5"),
        (lambda: aw.ReversalBandit(low=0.5, high=0.25), "high must be at least low, 0.5"),
        (lambda: aw.TimedSwitchingBandit(p=0.95), "p \\+ epsilon must be at most 1"),
    ],
)
def test_parameters_that_do_not_fit_together_are_refused(make, words):
    with pytest.raises(aw.InputError, match=words):
        make()
