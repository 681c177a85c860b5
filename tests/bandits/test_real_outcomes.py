"""Bandits with real outcomes against their closed forms.

Means are tested within five standard errors, with fixed seeds; sds within five times the standard
error of a normal's sd, sd / sqrt(2 N).
"""

import math

import numpy as np
import pytest
from scipy import integrate, stats

import armwise as aw
from armwise.bandits._normal import expected_best

RANDOM = aw.Agent(aw.RandomChoice(), aw.KalmanFilter())


def played(bandit, horizon, agents, device="cpu"):
    asked = {"checkpoints": aw.every(1), "record": ["theta", "arm", "outcome"], "device": device}
    return aw.simulate(bandit, RANDOM, horizon, agents, seed=9, **asked)


def noise_of(told):
    """How far outcomes are from the mean of the chosen arm."""
    thetas = told.theta.transpose("agent", "trial", "arm").values
    chosen = np.take_along_axis(thetas, told.chosen.values[:, :, None], axis=2)[:, :, 0]
    return told.outcome.values - chosen


def assert_normal(values, mean, sd):
    count = values.size
    assert abs(values.mean() - mean) < 5 * sd / math.sqrt(count)
    assert abs(values.std() - sd) < 5 * sd / math.sqrt(2 * count)
    assert stats.kstest((values.ravel() - mean) / sd, stats.norm.cdf).pvalue > 1e-5


@pytest.mark.parametrize(
    "bandit",
    [
        aw.FixedGaussianBandit(means=(3.0, -2.0), noise=1.5),
        aw.GaussianBandit(arms=5, noise=0.3),
        aw.RestlessBandit(),
    ],
    ids=lambda bandit: bandit.label,
)
def test_outcomes_have_the_stated_noise_around_the_mean(bandit):
    assert_normal(noise_of(played(bandit, 100, 200)), 0.0, bandit.noise)


def test_given_means_stay():
    told = played(aw.FixedGaussianBandit(means=(3.0, -2.0, 0.5)), 20, 3)
    assert (told.theta.transpose("agent", "trial", "arm").values == [3.0, -2.0, 0.5]).all()


def test_means_are_drawn_once():
    thetas = played(aw.GaussianBandit(arms=5, mean0=7.0, sd0=2.0), 3, 2_000).theta.values
    assert (thetas[:, 0] == thetas[:, 2]).all()
    assert_normal(thetas[:, 0], 7.0, 2.0)


def test_restless_means_are_stationary_and_step_as_stated():
    bandit = aw.RestlessBandit()
    thetas = played(bandit, 50, 1_000).theta.transpose("agent", "trial", "arm").values
    spread = bandit.diffusion / math.sqrt(1 - bandit.decay**2)
    for trial in (0, 49):
        assert_normal(thetas[:, trial], bandit.centre, spread)
    steps = thetas[:, 1:] - (bandit.decay * thetas[:, :-1] + (1 - bandit.decay) * bandit.centre)
    assert_normal(steps, 0.0, bandit.diffusion)


def test_regret_is_the_best_mean_minus_the_chosen_one():
    told = played(aw.RestlessBandit(), 40, 20)
    thetas = told.theta.transpose("agent", "trial", "arm").values
    chosen = np.take_along_axis(thetas, told.chosen.values[:, :, None], axis=2)[:, :, 0]
    expected = np.cumsum(thetas.max(axis=2) - chosen, axis=1)
    np.testing.assert_allclose(told.regret, expected, rtol=1e-12)


@pytest.mark.parametrize("bandit", [aw.GaussianBandit(arms=6), aw.RestlessBandit()])
def test_the_regret_of_random_choice(bandit):
    regret = played(bandit, 1, 20_000).regret.values[:, 0]
    error = regret.std() / math.sqrt(len(regret))
    assert abs(regret.mean() - bandit.random_rate()) < 5 * error


@pytest.mark.parametrize("arms", [2, 4, 10, 100])
def test_the_largest_of_normal_draws(arms):
    def weighed(z):
        return z * arms * stats.norm.pdf(z) * stats.norm.cdf(z) ** (arms - 1)

    expected, _ = integrate.quad(weighed, -10, 10, epsabs=1e-12, limit=200)
    assert expected_best(arms) == pytest.approx(expected, abs=5e-4 * math.sqrt(arms))


def test_interpreted_and_compiled_outcomes_have_equal_bits():
    one, other = (played(aw.RestlessBandit(), 60, 3, device) for device in ("cpu", "python"))
    for name in ("theta", "outcome", "regret"):
        np.testing.assert_array_equal(one[name].values, other[name].values)


def test_people_who_play_meet_what_simulated_agents_meet():
    agent = aw.Agent(aw.NormalMean(), aw.KalmanFilter(), aw.Softmax(0.2))
    asked = {"checkpoints": aw.every(1), "record": ["arm", "outcome"]}
    told = aw.simulate(aw.RestlessBandit(), agent, 50, 7, seed=3, **asked)
    people = aw.simulate_people(aw.RestlessBandit(), agent, ["noise"], [[4.0]] * 7, 50, seed=3)
    np.testing.assert_array_equal(people.choices, told.chosen.values)
    np.testing.assert_array_equal(people.outcomes, told.outcome.values)


def test_what_arms_pay_may_be_given():
    agent = aw.Agent(aw.NormalMean(), aw.KalmanFilter(), aw.Softmax(0.2))
    pays = np.random.default_rng(1).normal(50, 9, (30, 3))
    given = np.full((1, 30), -2)
    given[0, 4] = -1  # missed
    people = aw.simulate_people(pays, agent, ["noise"], [[4.0]], 30, given=given)
    rows = np.flatnonzero(people.choices[0] >= 0)
    np.testing.assert_array_equal(people.outcomes[0, rows], pays[rows, people.choices[0, rows]])
    assert np.isnan(people.outcomes[0, 4])


class Runaway(aw.RestlessBandit):
    """Its means grow beyond all numbers."""

    label = "runaway"

    def theta(self, state, arm, previous, rng):
        return 1e308 * 10.0**state


def test_a_mean_that_is_not_finite_is_refused():
    with pytest.raises(aw.InputError, match="runaway: the theta of arm 3 is not finite in trial 1"):
        aw.simulate(Runaway(), RANDOM, 5, 1)
