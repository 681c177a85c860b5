"""SMiLe against its formulas, Bayes' rule, counting and its limits."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import armwise as aw

RHOS = [0.0, 0.005, 0.04, 0.3, 1.0]
PRIORS = [(1.0, 1.0), (0.5, 2.0), (3.0, 0.25)]
BELIEFS = [(1.0, 1.0), (7.0, 2.0), (0.5, 40.0), (1.25, 3.5)]


def learn(learner, alphas, betas, arm, outcome):
    """One trial: gamma and the new beliefs."""
    gamma = learner.change(None, arm, outcome, alphas[arm], betas[arm])
    pairs = [
        learner.update(None, gamma, k, k == arm, outcome, a, b)
        for k, (a, b) in enumerate(zip(alphas, betas, strict=True))
    ]
    return gamma, [a for a, _ in pairs], [b for _, b in pairs]


def naive(rho, alpha0, beta0, alphas, betas, arm, outcome):
    """The same, as science.md writes it."""
    mu, mu0 = alphas[arm] / (alphas[arm] + betas[arm]), alpha0 / (alpha0 + beta0)
    q0 = mu if outcome else 1 - mu
    q1 = mu0 if outcome else 1 - mu0
    gamma = rho * q1 / (rho * q1 + (1 - rho) * q0)
    new_alphas = [
        (1 - gamma) * a + gamma * alpha0 + (k == arm) * outcome for k, a in enumerate(alphas)
    ]
    new_betas = [
        (1 - gamma) * b + gamma * beta0 + (k == arm) * (1 - outcome) for k, b in enumerate(betas)
    ]
    return gamma, new_alphas, new_betas


@pytest.mark.parametrize("rho", RHOS)
@pytest.mark.parametrize("prior", PRIORS)
def test_smile_follows_its_formulas_over_many_trials(rho, prior):
    learner = aw.Smile(rho, *prior)
    found = expected = (0.0, [prior[0]] * 3, [prior[1]] * 3)
    choices = np.random.default_rng(3)
    for _ in range(300):
        arm, outcome = int(choices.integers(3)), int(choices.random() < 0.7)
        found = learn(learner, *found[1:], arm, outcome)
        expected = naive(rho, *prior, *expected[1:], arm, outcome)
        # Each trial adds a few roundings and relaxation forgets them: 300 * 10 * 2**-53.
        assert found[0] == pytest.approx(expected[0], rel=4e-13)
        assert found[1] == pytest.approx(expected[1], rel=4e-13)
        assert found[2] == pytest.approx(expected[2], rel=4e-13)


def test_a_simulated_agent_learns_by_the_same_formulas():
    rho, arms, agents, horizon = 0.04, 4, 3, 80
    result = aw.simulate(
        aw.SwitchingBandit(arms=arms, epsilon=0.4, rho=rho),
        aw.Agent(aw.ThompsonSampling(), aw.Smile(rho, 2.0, 1.0)),
        horizon,
        agents,
        seed=9,
        checkpoints=aw.every(1),
        record=("arm", "outcome", "gamma", "alpha", "beta"),
        device="python",
    )
    for agent in range(agents):
        alphas, betas = [2.0] * arms, [1.0] * arms
        for trial in range(horizon):
            line = result.isel(agent=agent, trial=trial)
            arm, outcome = int(line.chosen), int(line.outcome)
            gamma, alphas, betas = naive(rho, 2.0, 1.0, alphas, betas, arm, outcome)
            assert float(line.gamma) == pytest.approx(gamma, rel=4e-13)
            assert line.alpha.values == pytest.approx(alphas, rel=4e-13)
            assert line.beta.values == pytest.approx(betas, rel=4e-13)


@pytest.mark.parametrize("prior", PRIORS)
def test_without_changes_smile_counts_exactly(prior):
    learner = aw.Smile(0.0, *prior)
    alphas, betas = [prior[0]] * 3, [prior[1]] * 3
    successes, failures = [0, 0, 0], [0, 0, 0]
    choices = np.random.default_rng(4)
    for _ in range(500):
        arm, outcome = int(choices.integers(3)), int(choices.integers(2))
        gamma, alphas, betas = learn(learner, alphas, betas, arm, outcome)
        successes[arm] += outcome
        failures[arm] += 1 - outcome
        assert gamma == 0.0
        # Priors are halves and quarters, so that sums are exact.
        assert alphas == [prior[0] + n for n in successes]
        assert betas == [prior[1] + n for n in failures]


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("outcome", [0, 1])
@pytest.mark.parametrize("belief", BELIEFS)
def test_a_certain_change_resets_to_the_prior_before_it_counts(prior, outcome, belief):
    learner = aw.Smile(1.0, *prior)
    gamma, alphas, betas = learn(learner, [belief[0]] * 2, [belief[1]] * 2, 1, outcome)
    assert gamma == 1.0
    # Quarters below 64: exact in binary.
    assert alphas == [prior[0], prior[0] + outcome]
    assert betas == [prior[1], prior[1] + 1 - outcome]


def predictive(alpha, beta, outcome):
    """p(outcome) if theta ~ Be(alpha, beta): trapezia over the logit, where they converge fast."""
    logit = np.linspace(-200, 200, 40_001)  # at the ends exp(-200 / 4) is left
    log_theta, log_rest = -np.logaddexp(0, -logit), -np.logaddexp(0, logit)
    weight = np.exp(alpha * log_theta + beta * log_rest)
    return (weight * np.exp(log_theta if outcome else log_rest)).sum() / weight.sum()


@pytest.mark.parametrize("rho", RHOS)
@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("belief", BELIEFS)
@pytest.mark.parametrize("outcome", [0, 1])
def test_gamma_is_the_posterior_of_a_change_by_bayes_rule(rho, prior, belief, outcome):
    joint = {
        "stay": (1 - rho) * predictive(*belief, outcome),
        "change": rho * predictive(*prior, outcome),
    }
    expected = float(joint["change"] / sum(joint.values()))
    found = aw.Smile(rho, *prior).change(None, 0, outcome, *belief)
    # 40 000 terms, each rounded: 40 000 * 2**-53 at worst.
    assert found == pytest.approx(expected, rel=5e-12)


@pytest.mark.parametrize("rho", [0.005, 0.04, 0.3])
def test_the_more_surprising_an_outcome_the_higher_gamma(rho):
    learner = aw.Smile(rho)
    good = [learner.change(None, 0, 0, alpha, 1.0) for alpha in (1.0, 2.0, 5.0, 20.0, 1e3)]
    assert all(later > earlier for earlier, later in itertools.pairwise(good))
    assert learner.change(None, 0, 0, 1.0, 1.0) == pytest.approx(rho, rel=1e-15)
    assert learner.change(None, 0, 1, 20.0, 1.0) < rho < learner.change(None, 0, 0, 20.0, 1.0)


@pytest.mark.parametrize("rho", [0.005, 0.01, 0.02, 0.04])
def test_evidence_saturates_near_two_plus_one_over_rho(rho):
    learner = aw.Smile(rho)
    alphas, betas = [1.0, 1.0], [1.0, 1.0]
    evidence = []
    for trial in range(int(40 / rho)):  # exp(-40) of the beginning is left
        _, alphas, betas = learn(learner, alphas, betas, 0, trial % 2)
        evidence.append(alphas[0] + betas[0])
    # With outcomes in turn mu stays within 1/nu of 1/2, so gamma within a factor 1 +- 2/nu of rho.
    expected = 2.0 + 1.0 / rho
    assert evidence[-2] == pytest.approx(expected, rel=2.0 / expected)
    assert evidence[-1] == pytest.approx(expected, rel=2.0 / expected)
    assert (alphas[1], betas[1]) == (1.0, 1.0)


def test_without_changes_evidence_never_saturates():
    alphas, betas = [1.0], [1.0]
    for trial in range(4_000):
        _, alphas, betas = learn(aw.Smile(0.0), alphas, betas, 0, trial % 2)
    assert alphas[0] + betas[0] == 4_002.0


@pytest.mark.parametrize("prior", [(1.0, 1.0), (0.3, 2.7), (1e-3, 1e6)])
@given(gamma=st.floats(0, 1))
def test_a_belief_at_the_prior_is_not_moved_by_relaxation(prior, gamma):
    assert aw.Smile(0.1, *prior).update(None, gamma, 0, False, 1, *prior) == prior


def test_an_unchosen_arm_relaxes_to_the_prior():
    learner = aw.Smile(0.1, 2.0, 3.0)
    alphas, betas = [2.0, 50.0], [3.0, 70.0]
    for trial in range(2_000):
        _, alphas, betas = learn(learner, alphas, betas, 0, trial % 2)
        assert alphas[1] >= 2.0
        assert betas[1] >= 3.0
    assert (alphas[1], betas[1]) == pytest.approx((2.0, 3.0), rel=1e-14)


shapes = st.floats(1e-3, 1e7)


@given(
    rho=st.floats(0, 1),
    alpha0=st.floats(1e-3, 1e6),
    beta0=st.floats(1e-3, 1e6),
    alpha=shapes,
    beta=shapes,
    outcome=st.integers(0, 1),
)
def test_gamma_is_a_probability_and_beliefs_stay_between_belief_and_prior(
    rho, alpha0, beta0, alpha, beta, outcome
):
    learner = aw.Smile(rho, alpha0, beta0)
    gamma, alphas, betas = learn(learner, [alpha, alpha], [beta, beta], 0, outcome)
    assert 0.0 <= gamma <= 1.0
    for before, prior, after, count in (
        (alpha, alpha0, alphas, outcome),
        (beta, beta0, betas, 1 - outcome),
    ):
        low, high = min(before, prior), max(before, prior)
        slack = 4 * math.ulp(high)  # a relaxation rounds three times at most
        assert low - slack <= after[1] <= high + slack
        assert low + count - slack <= after[0] <= high + count + 2 * slack
        assert min(after) > 0.0


def test_what_smile_assumes_is_what_it_was_given():
    assert aw.Smile(0.04, 2.0, 3.0).assume(None) == (0.04, 2.0, 3.0)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("rho", -0.1),
        ("rho", 1.1),
        ("rho", math.nan),
        ("alpha0", 0.0),
        ("alpha0", -1.0),
        ("alpha0", math.inf),
        ("beta0", 0.0),
        ("beta0", math.nan),
        ("beta0", 1e7),
    ],
)
def test_a_parameter_outside_its_range_is_refused_by_name(name, value):
    with pytest.raises(aw.InputError, match=f"{name} must be in"):
        aw.Smile(**{name: value})


def followed(learner, arms, trials):
    """Gammas and beliefs of a learner over recorded trials."""
    memory = np.zeros(learner.memory_size(arms))
    learner.begin(memory, arms)
    assumed = learner.assume(memory)
    beliefs = [(assumed.alpha0, assumed.beta0)] * arms
    for arm, outcome in trials:
        gamma = learner.change(memory, arm, outcome, *beliefs[arm])
        beliefs = [
            learner.update(memory, gamma, k, k == arm, outcome, *belief)
            for k, belief in enumerate(beliefs)
        ]
        yield gamma, beliefs, learner.assume(memory)


def recorded(count, arms=3):
    draws = np.random.default_rng(8)
    return [(int(draws.integers(arms)), int(draws.random() < 0.6)) for _ in range(count)]


@pytest.mark.parametrize("window", [1, 7, 50])
def test_a_window_counts_the_last_outcomes(window):
    trials = recorded(120)
    learner = aw.SlidingWindow(window=window, alpha0=2.0, beta0=0.5)
    for number, (_, beliefs, _) in enumerate(followed(learner, 3, trials), 1):
        seen = trials[max(0, number - window) : number]
        for arm in range(3):
            assert beliefs[arm] == (2.0 + seen.count((arm, 1)), 0.5 + seen.count((arm, 0)))


def test_discounted_counts_are_weighted_by_their_age():
    trials = recorded(60)
    learner = aw.Discounted(discount=0.9, alpha0=1.0, beta0=3.0)
    *_, (gamma, beliefs, assumed) = followed(learner, 3, trials)
    assert gamma == pytest.approx(0.1)
    assert assumed.rho == 0.0
    for arm in range(3):
        for outcome, prior, found in ((1, 1.0, beliefs[arm][0]), (0, 3.0, beliefs[arm][1])):
            ages = [59 - age for age, trial in enumerate(trials) if trial == (arm, outcome)]
            assert found == pytest.approx(prior + sum(0.9**age for age in ages), rel=1e-12)


def test_discounted_counts_without_a_discount_are_counts():
    trials = recorded(60)
    *_, (_, beliefs, _) = followed(aw.Discounted(discount=1.0), 3, trials)
    for arm in range(3):
        assert beliefs[arm] == (1.0 + trials.count((arm, 1)), 1.0 + trials.count((arm, 0)))


def test_learned_changes_are_smile_with_the_share_of_changes_so_far():
    trials = recorded(200)
    gammas, rho, known = [], 0.02, [(1.0, 1.0)] * 3
    for (arm, outcome), (gamma, beliefs, assumed) in zip(
        trials, followed(aw.LearnedChange(rho0=0.02, trials0=50.0), 3, trials), strict=True
    ):
        expected, alphas, betas = learn(
            aw.Smile(rho=rho), [a for a, _ in known], [b for _, b in known], arm, outcome
        )
        assert gamma == pytest.approx(expected, rel=1e-12)
        gammas.append(gamma)
        rho = (1.0 + sum(gammas)) / (50.0 + len(gammas))
        assert assumed.rho == pytest.approx(rho, rel=1e-12)
        known = list(zip(alphas, betas, strict=True))
        np.testing.assert_allclose(beliefs, known, rtol=1e-9)
