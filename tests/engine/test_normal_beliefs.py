"""Kalman filters followed through recorded choices, against a plain NumPy writing."""

import itertools
import math

import numpy as np
import pytest
import scipy.stats

import armwise as aw
from armwise.engine.batch import Sequences, log_likelihoods
from armwise.numerics.best_normal import best_normal_probabilities

ARMS = 4
FILTER = {
    "mean0": 47.0,
    "sd0": 11.0,
    "decay": 0.95,
    "centre": 52.0,
    "diffusion": 3.1,
    "noise": 5.0,
}
LEARNER = aw.KalmanFilter(**FILTER)


def recorded(trials=120, arms=ARMS, seed=3):
    rng = np.random.default_rng(seed)
    return rng.integers(0, arms, trials), rng.normal(50, 12, trials)


def filtered(choices, outcomes, arms, values=FILTER):
    """Means and variances before every choice: the predictions of a Kalman filter."""
    mean, variance = np.full(arms, values["mean0"]), np.full(arms, values["sd0"] ** 2)
    means, variances = [], []
    for arm, outcome in zip(choices, outcomes, strict=True):
        means.append(mean.copy())
        variances.append(variance.copy())
        # In information form, which the learner does not use.
        precision = 1 / variance[arm] + 1 / values["noise"] ** 2
        mean[arm] = (mean[arm] / variance[arm] + outcome / values["noise"] ** 2) / precision
        variance[arm] = 1 / precision
        mean = values["decay"] * mean + (1 - values["decay"]) * values["centre"]
        variance = values["decay"] ** 2 * variance + values["diffusion"] ** 2
    return np.array(means), np.array(variances)


def softmax(values):
    weights = np.exp(values - values.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)


def best(means, variances):
    """The probability that each draw is the largest, by SciPy's quadrature over its quantiles."""
    found = np.zeros_like(means)
    for row, (mean, sd) in enumerate(zip(means, np.sqrt(variances), strict=True)):
        for arm in range(len(mean)):
            others = [k for k in range(len(mean)) if k != arm]

            def below(z, mean=mean, sd=sd, arm=arm, others=others):
                x = mean[arm] + sd[arm] * z
                all_below = scipy.stats.norm.cdf((x - mean[others]) / sd[others]).prod()
                return scipy.stats.norm.pdf(z) * all_below

            ends = np.linspace(-9, 9, 13)
            found[row, arm] = math.fsum(
                scipy.integrate.quad(below, low, high, epsabs=1e-14)[0]
                for low, high in itertools.pairwise(ends)
            )
    return found


POLICIES = {
    "mean": (aw.NormalMean(), aw.Softmax(0.15), lambda m, v: softmax(0.15 * m)),
    "bonus": (
        aw.NormalDeviationBonus(1.3),
        aw.Softmax(0.15),
        lambda m, v: softmax(0.15 * (m + 1.3 * np.sqrt(v))),
    ),
    "total": (
        aw.NormalTotalUncertainty(),
        aw.Softmax(2.0),
        lambda m, v: softmax(2.0 * m / np.sqrt(v.sum(axis=1, keepdims=True))),
    ),
    "thompson": (
        aw.NormalThompsonSampling(),
        aw.LapsingArgmax(0.08),
        lambda m, v: 0.92 * best(m, v) + 0.08 / m.shape[1],
    ),
}


@pytest.mark.parametrize("device", ["cpu", "python"])
@pytest.mark.parametrize("name", POLICIES)
def test_choices_are_as_probable_as_in_numpy(name, device):
    policy, choice, expected = POLICIES[name]
    choices, outcomes = recorded(40 if name == "thompson" else 120)
    chances = expected(*filtered(choices, outcomes, ARMS))
    told = aw.retrace(aw.Agent(policy, LEARNER, choice), choices, outcomes, ARMS, device=device)
    np.testing.assert_allclose(told.probability, chances, rtol=0, atol=1e-10)
    own = np.log(chances[np.arange(len(choices)), choices])
    np.testing.assert_allclose(told.log_probability, own, rtol=0, atol=1e-9)


def test_two_arms_are_a_probit():
    choices, outcomes = recorded(arms=2)
    means, variances = filtered(choices, outcomes, 2)
    ahead = (means[:, 0] - means[:, 1]) / np.sqrt(variances.sum(axis=1))
    chances = scipy.stats.norm.cdf(np.stack([ahead, -ahead], axis=1))
    agent = aw.Agent(aw.NormalThompsonSampling(), LEARNER)
    expected = math.fsum(np.log(chances[np.arange(len(choices)), choices]))
    assert aw.replay(agent, choices, outcomes, 2) == pytest.approx(expected, abs=1e-10)


def test_habit_and_lapse_are_there_as_for_other_agents():
    choices, outcomes = recorded()
    means, _ = filtered(choices, outcomes, ARMS)
    habit, total = np.zeros(ARMS), 0.0
    for row, arm in enumerate(choices):
        chances = softmax((0.15 * means[row] + 0.7 * habit)[None])[0]
        total += math.log(0.9 * chances[arm] + 0.1 / ARMS)
        habit += 0.4 * ((np.arange(ARMS) == arm) - habit)
    choice = aw.HabitualSoftmax(precision=0.15, stick=0.7, pace=0.4, lapse=0.1)
    agent = aw.Agent(aw.NormalMean(), LEARNER, choice)
    assert aw.replay(agent, choices, outcomes, ARMS) == pytest.approx(total, abs=1e-10)


def test_arms_that_could_not_be_chosen_do_not_compete():
    choices, outcomes = recorded()
    means, variances = filtered(choices, outcomes, ARMS)
    available = np.random.default_rng(4).random((len(choices), ARMS)) < 0.5
    available[np.arange(len(choices)), choices] = True
    agent = aw.Agent(aw.NormalThompsonSampling(), LEARNER)
    found = aw.retrace(agent, choices, outcomes, ARMS, available=available).probability.values
    assert (found[~available] == 0).all()
    for row in range(0, len(choices), 10):
        some = available[row]
        expected = best(means[row : row + 1, some], variances[row : row + 1, some])[0]
        np.testing.assert_allclose(found[row, some], expected, rtol=0, atol=1e-10)


def test_free_parameters_are_those_of_another_agent():
    choices, outcomes = recorded()
    one = np.zeros(1, dtype=np.int64)
    data = Sequences(choices, outcomes, choices >= 0, one, one, ARMS)
    agent = aw.Agent(aw.NormalMean(), LEARNER, aw.Softmax(0.15))
    found = log_likelihoods(agent, ["diffusion", "precision"], [[[7.0, 0.05]]], data)
    other = aw.Agent(
        aw.NormalMean(), aw.KalmanFilter(**FILTER | {"diffusion": 7.0}), aw.Softmax(0.05)
    )
    expected = aw.replay(other, choices, outcomes, ARMS)
    assert found[0, 0] == pytest.approx(expected, rel=1e-13)  # another order of the sum


def test_outcomes_0_and_1_are_real_numbers_too():
    choices, _ = recorded()
    wins = np.random.default_rng(5).integers(0, 2, len(choices))
    agent = aw.Agent(aw.NormalMean(), LEARNER, aw.Softmax(0.15))
    found = aw.replay(agent, choices, wins, ARMS)
    assert found == aw.replay(agent, choices, wins.astype(float), ARMS)


def test_the_prediction_error_is_from_the_mean():
    choices, outcomes = recorded()
    means, variances = filtered(choices, outcomes, ARMS)
    told = aw.retrace(aw.Agent(aw.NormalMean(), LEARNER, aw.Softmax(0.1)), choices, outcomes, ARMS)
    rows = np.arange(len(choices))
    np.testing.assert_allclose(told["mean"], means, rtol=1e-12)
    np.testing.assert_allclose(told["variance"], variances, rtol=1e-12)
    expected = outcomes - means[rows, choices]
    np.testing.assert_allclose(told.prediction_error, expected, atol=1e-10)
    own = variances[rows, choices]
    np.testing.assert_allclose(told.gamma, own / (own + FILTER["noise"] ** 2), rtol=1e-12)


@pytest.mark.parametrize(("arms", "tolerance"), [(2, 1e-14), (3, 1e-10), (5, 1e-10), (30, 1e-9)])
def test_the_best_of_normal_draws(arms, tolerance):
    rng = np.random.default_rng(arms)
    for spread in (0.1, 1.0, 2.0):
        means, sds = rng.normal(size=arms), np.exp(spread * rng.normal(size=arms))
        found = best_normal_probabilities(means.tolist(), sds.tolist())
        expected = best(means[None], sds[None] ** 2)[0]
        np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance)


def test_certain_beliefs_and_far_ones():
    assert best_normal_probabilities([1, 0, 0], [0, 0, 0]) == [1, 0, 0]
    assert best_normal_probabilities([2, 2, 2], [0, 0, 0]) == [1 / 3] * 3
    found = best_normal_probabilities([1e6, 1e6 + 3e-4, 0], [3e-4, 4e-4, 5])
    ahead = scipy.stats.norm.cdf(-0.6)
    # The means are a float's spacing, 1e-10, from what is written; a deviation is 3e-4.
    np.testing.assert_allclose(found, [ahead, 1 - ahead, 0], rtol=0, atol=1e-6)
