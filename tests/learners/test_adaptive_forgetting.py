"""Adaptive forgetting against derivatives by complex steps, and what it comes to."""

import cmath

import numpy as np
import pytest

import armwise as aw
from armwise.learners.adaptive_forgetting import AdaptiveForgetting
from armwise.testing import check_contract

ARMS = 3
STEP = 1e-30  # along the imaginary axis: f(x + ih) = f(x) + ih f'(x), exact to rounding


def recorded(count):
    draws = np.random.default_rng(6)
    thetas = [(0.9, 0.3, 0.5)] * (count // 2) + [(0.1, 0.8, 0.5)] * (count - count // 2)
    arms = [int(draws.choice(ARMS, p=(0.6, 0.3, 0.1))) for _ in range(count)]
    return [
        (arm, int(draws.random() < theta[arm])) for arm, theta in zip(arms, thetas, strict=True)
    ]


def followed(learner, trials):
    """What is lost of the chosen arm's counts, and the beliefs, trial by trial."""
    memory = np.zeros(learner.memory_size(ARMS))
    learner.begin(memory, ARMS)
    assumed = learner.assume(memory)
    beliefs = [(assumed.alpha0, assumed.beta0)] * ARMS
    for arm, outcome in trials:
        gamma = learner.change(memory, arm, outcome, *beliefs[arm])
        beliefs = [
            learner.update(memory, gamma, k, k == arm, outcome, *belief)
            for k, belief in enumerate(beliefs)
        ]
        yield gamma, beliefs


class Naive:
    """The same from the definition: all of the past is counted again for every derivative."""

    def __init__(self, learner):
        self.learner = learner
        self.trials = []
        self.factors = []  # of every arm, for every trial
        self.now = [learner.start] * ARMS

    def belief(self, arm, shift=0.0):
        alpha, beta = 0.0, 0.0
        for (chosen, outcome), factors in zip(self.trials, self.factors, strict=True):
            alpha *= factors[arm] + shift
            beta *= factors[arm] + shift
            alpha += (chosen == arm) * outcome
            beta += (chosen == arm) * (1 - outcome)
        return self.learner.alpha0 + alpha, self.learner.beta0 + beta

    def slope(self, arm, outcome):
        alpha, beta = self.belief(arm, STEP * 1j)
        return cmath.log((alpha if outcome else beta) / (alpha + beta)).imag / STEP

    def learn(self, arm, outcome):
        alpha, beta = self.belief(arm)
        mu = alpha / (alpha + beta)
        information = mu * self.slope(arm, 1) ** 2 + (1 - mu) * self.slope(arm, 0) ** 2
        moved = self.now[arm] + self.learner.rate * self.slope(arm, outcome) / (1 + information)
        self.now[arm] = min(1.0, max(self.learner.least, moved))
        self.trials.append((arm, outcome))
        self.factors.append(list(self.now))
        return 1.0 - self.now[arm], [self.belief(k) for k in range(ARMS)]


@pytest.mark.parametrize(
    "learner",
    [
        AdaptiveForgetting(),
        AdaptiveForgetting(rate=0.02, least=0.5, alpha0=0.5, beta0=2.0),
        AdaptiveForgetting(start=1.0, rate=0.1),
    ],
    ids=str,
)
def test_factors_and_beliefs_are_those_of_the_definition(learner):
    trials = recorded(120)
    naive = Naive(learner)
    for (arm, outcome), (gamma, beliefs) in zip(trials, followed(learner, trials), strict=True):
        expected, known = naive.learn(arm, outcome)
        assert gamma == pytest.approx(expected, rel=1e-9, abs=1e-12)
        np.testing.assert_allclose(beliefs, known, rtol=1e-9)


def test_at_rate_zero_it_is_discounting():
    trials = recorded(80)
    found = followed(AdaptiveForgetting(start=0.95, rate=0.0, alpha0=2.0), trials)
    expected = followed(aw.Discounted(discount=0.95, alpha0=2.0), trials)
    for (lost, beliefs), (gamma, known) in zip(found, expected, strict=True):
        assert lost == pytest.approx(gamma)
        np.testing.assert_allclose(beliefs, known, rtol=1e-12)


def test_a_factor_rises_while_nothing_changes_and_falls_after_a_change():
    learner = AdaptiveForgetting(rate=0.01)
    lost = [gamma for gamma, _ in followed(learner, [(0, 1)] * 300 + [(0, 0)] * 40)]
    assert lost[299] < 0.5 * lost[0]
    assert max(lost[300:]) > 5 * lost[299]
    assert max(lost) <= 1.0 - learner.least + 1e-12


def test_an_arm_is_judged_by_its_own_outcomes_alone():
    """What other arms pay says nothing of an arm's factor."""
    one = [(0, 1), (1, 1), (0, 0), (2, 1), (0, 1), (1, 0), (0, 1)] * 10
    other = [(arm, outcome if arm == 0 else 1 - outcome) for arm, outcome in one]
    pairs = zip(
        followed(AdaptiveForgetting(), one), followed(AdaptiveForgetting(), other), strict=True
    )
    for (_, beliefs), (_, others) in pairs:
        assert beliefs[0] == others[0]


def test_the_contract():
    check_contract(AdaptiveForgetting(rate=0.02))


def test_it_is_better_than_counting_where_the_bandit_changes():
    """By more than five standard errors of the paired difference."""
    bandit = aw.SwitchingBandit(arms=4, epsilon=0.4, rho=0.01)
    asked = {"horizon": 3_000, "agents": 60, "seed": 3}
    policy = aw.ApproximateActiveInference()
    ours = aw.simulate(bandit, aw.Agent(policy, AdaptiveForgetting()), **asked).regret[:, -1].values
    theirs = aw.simulate(bandit, aw.Agent(policy), **asked).regret[:, -1].values
    gain = theirs - ours
    assert gain.mean() > 5 * gain.std(ddof=1) / np.sqrt(len(gain))


def test_a_first_factor_below_the_least_is_refused():
    with pytest.raises(aw.InputError, match="start must be at least `least`"):
        AdaptiveForgetting(start=0.5)
