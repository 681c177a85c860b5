"""Models that people and animals are fitted with: their likelihoods against plain NumPy."""

import numpy as np
import pytest

import armwise as aw
from armwise.engine.batch import Sequences, trial_log_likelihoods

ARMS, TRIALS = 3, 300


def recorded(seed=8):
    rng = np.random.default_rng(seed)
    choices, outcomes = rng.integers(0, ARMS, TRIALS), rng.integers(0, 2, TRIALS)
    return Sequences(choices, outcomes, np.full(TRIALS, True), np.array([0]), np.array([0]), ARMS)


def softmax(logits, arm):
    return logits[arm] - np.log(np.exp(logits).sum())


def delta(data, precision, start, rates):
    """A delta rule: `rates(outcome)`: of the chosen arm, of the others, and their target."""
    q, told = np.full(ARMS, float(start)), []
    for arm, outcome in zip(data.choices, data.outcomes, strict=True):
        told.append(softmax(precision * q, arm))
        own, other, target = rates(outcome)
        before = q[arm]
        q = q + other * (target - q)
        q[arm] = before + own * (outcome - before)
    return told


def counted(data, precision, score):
    """Counts of outcomes, scored by a function of all means and variances and evidences."""
    alpha, beta, told = np.ones(ARMS), np.ones(ARMS), []
    for arm, outcome in zip(data.choices, data.outcomes, strict=True):
        nu = alpha + beta
        told.append(
            softmax(precision * score(alpha / nu, alpha * beta / nu**2 / (nu + 1), nu), arm)
        )
        alpha[arm] += outcome
        beta[arm] += 1 - outcome
    return told


DELTA = {
    "one rate": (aw.RescorlaWagner(0.4, 0.2, 0.6), 0.6, lambda o: (0.4, 0.2, 0.6)),
    "the largest rate": (aw.RescorlaWagner(1, 1, 0.3), 0.3, lambda o: (1, 1, 0.3)),
    "two rates": (aw.TwoRates(0.7, 0.1, 0.05, 0.2), 0.2, lambda o: (0.7 if o else 0.1, 0.05, 0.2)),
    "win-stay lose-shift": (aw.LastOutcome(0.3), 0.3, lambda o: (1, 1, 0.3)),
    "mirrored": (aw.Mirrored(0.4, 0.3, 0.5), 0.5, lambda o: (0.4, 0.3, 1 - o)),
    "mirrored fully": (aw.Mirrored(1, 1, 0.5), 0.5, lambda o: (1, 1, 1 - o)),
}


@pytest.mark.parametrize("name", DELTA)
def test_values_that_move_toward_outcomes(name):
    learner, start, rates = DELTA[name]
    data = recorded()
    agent = aw.Agent(aw.MeanOutcome(), learner, aw.Softmax())
    found = trial_log_likelihoods(agent, ["precision"], [[4.0]], data)
    np.testing.assert_allclose(found, delta(data, 4.0, start, rates), rtol=0, atol=1e-10)


COUNTED = {
    "mean": (aw.MeanOutcome(), lambda mu, var, nu: mu),
    "a bonus": (aw.InformationBonus(1.7), lambda mu, var, nu: mu + 0.85 / nu),
    "a malus": (aw.InformationBonus(-1.2), lambda mu, var, nu: mu - 0.6 / nu),
    "deviations": (aw.DeviationBonus(0.8), lambda mu, var, nu: mu + 0.8 * np.sqrt(var)),
    "total uncertainty": (aw.TotalUncertainty(), lambda mu, var, nu: mu / np.sqrt(var.sum())),
}


@pytest.mark.parametrize("name", COUNTED)
def test_scores_of_counted_outcomes(name):
    policy, score = COUNTED[name]
    data = recorded()
    agent = aw.Agent(policy, aw.Smile(), aw.Softmax())
    found = trial_log_likelihoods(agent, ["precision"], [[4.0]], data)
    np.testing.assert_allclose(found, counted(data, 4.0, score), rtol=0, atol=1e-10)


def test_a_bonus_makes_approximate_active_inference():
    """2 lam precision (mu + bonus / (2 nu)) with bonus = 1 / (2 lam) is A-AI's weight."""
    data, lam, precision = recorded(), 0.7, 3.0
    found = [
        trial_log_likelihoods(aw.Agent(policy, aw.Smile(0.1), aw.Softmax(p)), [], [[]], data)
        for policy, p in (
            (aw.ApproximateActiveInference(lam), precision),
            (aw.InformationBonus(1 / (2 * lam)), 2 * lam * precision),
        )
    ]
    np.testing.assert_allclose(*found, rtol=0, atol=1e-10)


def test_two_rates_that_are_equal_are_one():
    data = recorded()
    found = [
        trial_log_likelihoods(aw.Agent(aw.MeanOutcome(), learner, aw.Softmax(5)), [], [[]], data)
        for learner in (aw.RescorlaWagner(0.25, 0.1), aw.TwoRates(0.25, 0.25, 0.1))
    ]
    np.testing.assert_array_equal(*found)
