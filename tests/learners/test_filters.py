"""Filters of drifting logits: against their published equations, written a second time."""

import math

import numpy as np
import pytest

import armwise as aw
from armwise.learners._logits import belief_of_logit, logit_of_belief

ARMS, TRIALS = 3, 60
# 40 outcomes, and mean and precision of the second level after some of them, from pyhgf 0.2.12
# (three levels, update_type="standard", 64 bits) with means 0 and 1, precisions .5 and 1, tonic
# volatilities -3 and -2 and coupling 1.
OUTCOMES = [0] * 2 + [1] * 18 + [0] * 20
AFTER = [1, 2, 10, 20, 30, 39]
PYHGF = {
    "mean": [-0.69607778, -1.075452, 1.6090229, 2.6282483, -1.658277, -2.5688993],
    "precision": [0.71831053, 0.87692404, 1.2493877, 0.92975834, 1.2407225, 0.96917851],
}


def sigmoid(x):
    return 1.0 / (1.0 + math.exp(-x))


def recorded(seed=3):
    rng = np.random.default_rng(seed)
    return rng.integers(0, ARMS, TRIALS).tolist(), rng.integers(0, 2, TRIALS).tolist()


def means_and_variances(learner, arms, outcomes):
    """Of the logits of all arms before every trial, as armwise's beliefs hold them."""
    trace = aw.retrace(aw.Agent(aw.MeanOutcome(), learner, aw.Softmax()), arms, outcomes, arms=ARMS)
    return logit_of(trace.alpha.values, trace.beta.values)


def logit_of(alpha, beta):
    return np.log(alpha / beta), 1 / alpha + 1 / beta


def walk(arms, outcomes, drift):
    means, variances, told = np.zeros(ARMS), np.full(ARMS, 2.0), []
    for arm, outcome in zip(arms, outcomes, strict=True):
        told.append((means.copy(), variances.copy()))
        variances += drift
        s = sigmoid(means[arm])
        variances[arm] = 1 / (1 / variances[arm] + s * (1 - s))
        means[arm] += variances[arm] * (outcome - s)
    return np.array(told).swapaxes(0, 1)


def volatile(arms, outcomes, rate, volatility, omega):
    """Piray and Daw's equations, run for every arm on the outcomes of that arm."""
    m, w, v, told = np.zeros(ARMS), np.full(ARMS, omega), np.full(ARMS, volatility), []
    for arm, outcome in zip(arms, outcomes, strict=True):
        told.append((m.copy(), w.copy()))
        k = (w[arm] + v[arm]) / (w[arm] + v[arm] + omega)
        new_m = m[arm] + math.sqrt(w[arm] + v[arm]) * (outcome - sigmoid(m[arm]))
        new_w = (1 - k) * (w[arm] + v[arm])
        covariance = (1 - k) * w[arm]
        change = (new_m - m[arm]) ** 2 + w[arm] + new_w - 2 * covariance - v[arm]
        m[arm], w[arm], v[arm] = new_m, new_w, v[arm] + rate * change
    return np.array(told).swapaxes(0, 1)


def hierarchical(arms, outcomes, omega, kappa, meta, x3, s3):
    """The updates of Mathys et al. (2014) for a chosen arm, predictions for the others."""
    mu2, s2, told = np.zeros(ARMS), np.full(ARMS, 2.0), []
    mu3, s3 = np.full(ARMS, x3), np.full(ARMS, s3)
    for arm, outcome in zip(arms, outcomes, strict=True):
        told.append((mu2.copy(), s2.copy()))
        step = np.exp(kappa * mu3 + omega)
        s3 = s3 + math.exp(meta)
        before, predicted = s2[arm], s2 + step
        hat1 = sigmoid(mu2[arm])
        pi2 = 1 / predicted[arm] + hat1 * (1 - hat1)
        new = mu2[arm] + (outcome - hat1) / pi2
        w2 = step[arm] / predicted[arm]
        r2 = (step[arm] - before) / (step[arm] + before)
        delta2 = (1 / pi2 + (new - mu2[arm]) ** 2) / predicted[arm] - 1
        pi3 = 1 / s3[arm] + kappa**2 / 2 * w2 * (w2 + r2 * delta2)
        mu3[arm] += kappa / 2 * w2 * delta2 / pi3
        s3[arm] = 1 / pi3
        s2, mu2[arm] = predicted, new
        s2[arm] = 1 / pi2
    return np.array(told).swapaxes(0, 1)


def test_the_random_walk_filter():
    arms, outcomes = recorded()
    found = means_and_variances(aw.RandomWalkFilter(drift=0.07), arms, outcomes)
    np.testing.assert_allclose(found, walk(arms, outcomes, 0.07), rtol=1e-10, atol=1e-10)


def test_the_volatile_kalman_filter():
    arms, outcomes = recorded()
    learner = aw.VolatileKalmanFilter(update_rate=0.3, volatility=0.2, omega=0.8)
    found = means_and_variances(learner, arms, outcomes)
    wanted = volatile(arms, outcomes, 0.3, 0.2, 0.8)
    np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-10)


def test_the_hierarchical_gaussian_filter():
    arms, outcomes = recorded()
    learner = aw.HierarchicalGaussianFilter(omega=-2, kappa=1.3, meta=-1.5, level=0.4, doubt=0.7)
    found = means_and_variances(learner, arms, outcomes)
    wanted = hierarchical(arms, outcomes, -2, 1.3, -1.5, 0.4, 0.7)
    np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-10)


def test_one_arm_has_the_numbers_of_pyhgf():
    means, _ = hierarchical([0] * 40, OUTCOMES, -3, 1, -2, 1.0, 1.0)
    learner = aw.HierarchicalGaussianFilter(omega=-3, kappa=1, meta=-2, level=1, doubt=1)
    found = means_and_variances(learner, [0] * 40, OUTCOMES)
    np.testing.assert_allclose(found[0][:, 0], means[:, 0], rtol=1e-10)
    np.testing.assert_allclose(found[0][AFTER, 0], PYHGF["mean"], rtol=1e-6)
    np.testing.assert_allclose(1 / found[1][AFTER, 0], PYHGF["precision"], rtol=1e-6)


def test_without_coupling_the_hierarchy_is_a_random_walk():
    arms, outcomes = recorded()
    learner = aw.HierarchicalGaussianFilter(omega=-2.5, kappa=0)
    found = means_and_variances(learner, arms, outcomes)
    plain = means_and_variances(aw.RandomWalkFilter(drift=math.exp(-2.5)), arms, outcomes)
    np.testing.assert_allclose(found, plain, rtol=1e-12, atol=1e-12)


def test_a_filter_that_does_not_drift_learns_less_and_less():
    """Then it is close to counting."""
    outcomes = [1, 1, 0, 1, 1, 1, 0, 1, 1, 0] * 20
    trace = aw.retrace(
        aw.Agent(aw.MeanOutcome(), aw.RandomWalkFilter(drift=0), aw.Softmax()),
        [0] * 200,
        outcomes,
        arms=ARMS,
    )
    alpha, beta = trace.alpha.values[-1, 0], trace.beta.values[-1, 0]
    assert alpha / (alpha + beta) == pytest.approx(0.7, abs=0.02)
    assert alpha + beta == pytest.approx(202, rel=0.1)


@pytest.mark.parametrize("mean", [-40.0, -3.0, 0.0, 0.7, 20.0])
def test_a_belief_holds_the_logit(mean):
    alpha, beta = belief_of_logit(mean, 0.3)
    assert alpha > 0
    assert beta > 0
    found, variance = logit_of_belief(alpha, beta)
    assert found == pytest.approx(max(mean, -35.0), abs=1e-9)
    assert variance == pytest.approx(0.3)


def test_the_bridge_has_the_mode_and_curvature_of_the_density_over_the_logit():
    alpha, beta = belief_of_logit(0.8, 0.05)

    def log_density(x):  # of the logit, if theta has Be(alpha, beta)
        return alpha * math.log(sigmoid(x)) + beta * math.log(sigmoid(-x))

    h = 1e-3
    left, middle, right = (log_density(0.8 + step) for step in (-h, 0.0, h))
    assert (right - left) / (2 * h) == pytest.approx(0.0, abs=1e-4)
    assert -(right - 2 * middle + left) / h**2 == pytest.approx(1 / 0.05, rel=1e-4)


@pytest.mark.slow
def test_pyhgf_itself_agrees():
    pyhgf = pytest.importorskip("pyhgf.model")
    made = pyhgf.HGF(
        n_levels=3,
        model_type="binary",
        update_type="standard",
        initial_mean={"1": 0.0, "2": 0.0, "3": 1.0},
        initial_precision={"1": 0.0, "2": 0.5, "3": 1.0},
        tonic_volatility={"2": -3.0, "3": -2.0},
        volatility_coupling={"2": 1.0},
    )
    made.input_data(input_data=np.array(OUTCOMES, float))
    table = made.to_pandas()
    after = [trial - 1 for trial in AFTER]
    np.testing.assert_allclose(table["x_1_mean"][after], PYHGF["mean"], rtol=1e-4)
    np.testing.assert_allclose(table["x_1_precision"][after], PYHGF["precision"], rtol=1e-4)
