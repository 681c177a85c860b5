"""Policies against quadrature, SciPy, closed forms and the moments of what they draw.

Frequencies are tested at the significance 1e-5 with fixed seeds, means within five standard errors.
"""

import functools
import math

import mpmath
import numba
import numpy as np
import pytest
import scipy.special
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

import armwise as aw
from armwise.engine.binding import rebind, slots_of_agent
from armwise.engine.definition import pick
from armwise.engine.python import interpreted
from armwise.engine.ways import PLAIN
from armwise.model.draws import AGENT, CHOICE, NOT_DRAWN, Stream, for_arm, stream
from armwise.model.roles import Assumed, Policy
from armwise.policies import exact_active_inference as gai

SIGNIFICANCE = 1e-5
FLAT = (1.0, 1.0)
PRIORS = [FLAT, (2.0, 0.5)]
BELIEFS = [
    (1.0, 1.0),
    (2.0, 1.0),
    (0.3, 0.7),
    (1.5, 8.25),
    (40.0, 60.0),
    (300.0, 2.0),
    (0.25, 900.0),
]
RHOS = [0.0, 0.04, 0.5, 1.0]
LAMS = [0.0, 0.25, 2.0]
ROUNDING = 1e-13  # some fifty operations on numbers below ten, each rounded: 50 * 10 * 2**-53


def score(policy, alpha, beta, trial=5, rho=0.0, prior=FLAT, arm=0, arms=3, seed=1):
    """The score of one arm, as the loop would ask for it."""
    rng = stream(seed, 0, AGENT, trial)
    shared = policy.prepare(trial, arms, Assumed(rho, *prior), rng)
    return policy.score(shared, arm, alpha, beta, for_arm(rng, arm))


def terms(policy, alpha, beta, trial=5, rho=0.0, prior=FLAT):
    shared = policy.prepare(trial, 3, Assumed(rho, *prior), stream(1, 0, AGENT, trial))
    return policy.named_terms(shared, alpha, beta)


@functools.cache
def expectations(alpha, beta):
    """E[theta] and E[H(theta)] by quadrature: trapezia over the logit converge exponentially."""
    logit = np.linspace(-200, 200, 80_001)  # at the ends exp(-200 / 4) is left
    log_theta, log_rest = -np.logaddexp(0, -logit), -np.logaddexp(0, logit)
    exponent = alpha * log_theta + beta * log_rest
    weight = np.exp(exponent - exponent.max())
    theta, rest = np.exp(log_theta), np.exp(log_rest)
    entropy = -theta * log_theta - rest * log_rest
    return (weight * theta).sum() / weight.sum(), (weight * entropy).sum() / weight.sum()


def free_energy(lam, rho, belief, prior):
    """Eq. efe by quadrature over the mixture (1 - rho) Be(belief) + rho Be(prior)."""
    mean, entropy = expectations(*belief)
    mean0, entropy0 = expectations(*prior)
    predicted = np.array([1.0 - mean, mean]) * (1 - rho) + np.array([1.0 - mean0, mean0]) * rho
    preferred = np.exp([-lam, lam]) / np.exp([-lam, lam]).sum()
    risk = float((predicted * np.log(predicted / preferred)).sum())
    ambiguity = (1 - rho) * entropy + rho * entropy0
    return risk, float(ambiguity), float(-(predicted * np.log(predicted)).sum()) - ambiguity


@pytest.mark.parametrize("belief", BELIEFS)
@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("rho", RHOS)
@pytest.mark.parametrize("lam", LAMS)
def test_g_ai_scores_minus_the_expected_free_energy(belief, prior, rho, lam):
    policy = aw.ExactActiveInference(lam=lam)
    risk, ambiguity, information = free_energy(lam, rho, belief, prior)
    found = terms(policy, *belief, rho=rho, prior=prior)
    # The quadrature sums 80 000 terms of order one, pairwise: log2(80 000) roundings of ROUNDING.
    tolerance = 17 * ROUNDING
    assert found["risk"] == pytest.approx(risk, abs=tolerance)
    assert found["ambiguity"] == pytest.approx(ambiguity, abs=tolerance)
    assert found["intrinsic"] == pytest.approx(information, abs=tolerance)
    assert score(policy, *belief, rho=rho, prior=prior) == pytest.approx(
        -(risk + ambiguity), abs=tolerance
    )


@pytest.mark.parametrize("belief", [(1.0, 1.0), (2.0, 1.0), (1.5, 8.25)])
@pytest.mark.parametrize("rho", [0.0, 0.3])
def test_intrinsic_value_is_the_mutual_information_of_outcome_and_theta(belief, rho):
    with mpmath.workdps(20):

        def density(theta):
            one = theta ** (belief[0] - 1) * (1 - theta) ** (belief[1] - 1) / mpmath.beta(*belief)
            return (1 - rho) * one + rho

        def joint(theta, outcome):
            return density(theta) * (theta if outcome else 1 - theta)

        total = mpmath.mpf(0)
        for outcome in (0, 1):
            marginal = mpmath.quad(lambda t, o=outcome: joint(t, o), [0, 1])

            def gain(theta, o=outcome, p=marginal):
                return joint(theta, o) * mpmath.log(joint(theta, o) / (density(theta) * p))

            total += mpmath.quad(gain, [0, 1])
    found = terms(aw.ExactActiveInference(), *belief, rho=rho)["intrinsic"]
    # Quadrature of 20 digits loses half of them at an end that goes like theta**(1/2).
    assert found == pytest.approx(float(total), abs=1e-10)


@given(
    alpha=st.floats(1e-3, 1e6),
    beta=st.floats(1e-3, 1e6),
    rho=st.floats(0, 1),
    lam=st.floats(0, 3),
)
def test_risk_plus_ambiguity_is_minus_extrinsic_and_intrinsic_value(alpha, beta, rho, lam):
    policy = aw.ExactActiveInference(lam=lam)
    found = terms(policy, alpha, beta, rho=rho)
    free = found["risk"] + found["ambiguity"]
    assert free == pytest.approx(-(found["extrinsic"] + found["intrinsic"]), abs=ROUNDING)
    assert score(policy, alpha, beta, rho=rho) == -free
    assert found["risk"] >= -ROUNDING
    assert found["intrinsic"] >= -ROUNDING


@pytest.mark.parametrize("lam", [0.0, 0.3, 2.0, 50.0, 700.0])
def test_the_preferences_are_normalised(lam):
    logs = [gai.extrinsic(lam, mu, 1.0 - mu, gai.log_evidence(lam)) for mu in (0.0, 1.0)]
    assert sum(math.exp(value) for value in logs) == pytest.approx(1.0, rel=1e-14)
    assert logs[1] - logs[0] == pytest.approx(2 * lam, rel=1e-14)


@pytest.mark.parametrize("rho", RHOS)
def test_g_ai_differs_from_the_papers_closed_form_by_a_constant(rho):
    """Eq. efe_est, with SciPy's digamma."""
    psi = scipy.special.digamma
    gaps = []
    for alpha, beta in BELIEFS:
        nu = alpha + beta
        mu = alpha / nu
        ahead = mu + rho * (0.5 - mu)
        closed = (
            -2 * 0.7 * (1 - rho) * mu
            + ahead * math.log(ahead)
            + (1 - ahead) * math.log(1 - ahead)
            - (1 - rho) * (mu * psi(alpha) + (1 - mu) * psi(beta))
            + (1 - rho) * (psi(nu) - 1 / nu)
        )
        gaps.append(closed + score(aw.ExactActiveInference(lam=0.7), alpha, beta, rho=rho))
    assert np.ptp(gaps) < 2 * ROUNDING


@pytest.mark.parametrize("belief", BELIEFS)
@pytest.mark.parametrize("lam", LAMS)
@pytest.mark.parametrize("rho", [0.0, 0.04])
def test_a_ai_scores_expected_preference_plus_a_bonus(belief, lam, rho):
    alpha, beta = belief
    policy = aw.ApproximateActiveInference(lam=lam)
    mu, nu = alpha / (alpha + beta), alpha + beta
    assert score(policy, alpha, beta, rho=rho) == pytest.approx(
        2 * lam * mu + 1 / (2 * nu), rel=1e-14
    )
    found = terms(policy, alpha, beta)
    assert found["extrinsic"] == pytest.approx(2 * lam * mu, rel=1e-14)
    assert found["intrinsic"] == pytest.approx(1 / (2 * nu), rel=1e-14)


def test_the_approximate_information_gain_is_never_below_the_exact_one():
    grid = np.geomspace(1e-3, 1e4, 40)
    for alpha in grid:
        for beta in grid:
            exact = terms(aw.ExactActiveInference(), alpha, beta)["intrinsic"]
            near = terms(aw.ApproximateActiveInference(), alpha, beta)["intrinsic"]
            assert near >= exact - ROUNDING, (alpha, beta)


@pytest.mark.parametrize("trial", [4, 10, 5_000])
@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize(("wins", "losses"), [(3, 1), (0, 4), (5, 0), (70, 30), (0.5, 0.25)])
def test_ucb_is_the_bound_of_the_arms_own_outcomes(trial, prior, wins, losses):
    n = wins + losses
    m = wins / n
    expected = m + math.log(trial) / n + math.sqrt(m * math.log(trial) / n)
    found = score(aw.UCB(), prior[0] + wins, prior[1] + losses, trial=trial, prior=prior)
    assert found == pytest.approx(expected, rel=1e-13)
    parts = terms(aw.UCB(), prior[0] + wins, prior[1] + losses, trial=trial, prior=prior)
    assert (parts["evidence"], parts["own_mean"]) == pytest.approx((n, m), rel=1e-13)
    assert parts["own_mean"] + parts["bonus"] == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("rho", [0.0, 0.3, 1.0])
def test_ucb_plays_the_arms_in_order_first(rho):
    result = aw.simulate(
        aw.VaryingBandit(arms=6),
        aw.Agent(aw.UCB(), aw.Smile(rho=rho)),
        20,
        5,
        checkpoints=aw.every(1),
        record=("arm",),
        device="python",
    )
    assert (result.chosen.values[:, :6] == np.arange(6)).all()
    assert len(np.unique(result.chosen.values[:, 6:], axis=0)) > 1


@pytest.mark.parametrize("trial", [2, 3, 50, 10_000, 1_000_000])
@pytest.mark.parametrize("rho", [0.0, 0.04, 1.0])
@pytest.mark.parametrize("belief", BELIEFS)
def test_b_ucb_is_the_upper_quantile_of_scipys_beta(trial, rho, belief):
    prior = (1.5, 2.0)
    a, b = ((1 - rho) * belief[i] + rho * prior[i] for i in (0, 1))
    expected = scipy.stats.beta.isf(1.0 / trial, a, b)
    found = score(aw.BayesianUCB(), *belief, trial=trial, rho=rho, prior=prior)
    # Quantiles are accurate to 1e-10 (tests/numerics); the mixed parameters round, too.
    assert found == pytest.approx(expected, rel=1e-10)
    parts = terms(aw.BayesianUCB(), *belief, trial=trial, rho=rho, prior=prior)
    assert parts["percentile"] == 1.0 - 1.0 / trial
    assert parts["bonus"] + belief[0] / sum(belief) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("policy", [aw.BayesianUCB(), aw.RandomChoice()], ids=str)
def test_the_first_choice_is_uniform(policy):
    result = aw.simulate(
        aw.SwitchingBandit(arms=5),
        aw.Agent(policy, aw.Smile(0.01, 2.0, 3.0)),
        1,
        4_000,
        seed=3,
        record=("arm",),
        device="python",
    )
    counts = np.bincount(result.chosen.values.ravel(), minlength=5)
    assert scipy.stats.chisquare(counts).pvalue > SIGNIFICANCE


def test_a_random_choice_is_uniform_in_every_trial_and_does_not_remember():
    result = aw.simulate(
        aw.SwitchingBandit(arms=4),
        aw.Agent(aw.RandomChoice()),
        40,
        250,
        seed=3,
        checkpoints=aw.every(1),
        record=("arm",),
    )
    chosen = result.chosen.values
    assert scipy.stats.chisquare(np.bincount(chosen.ravel())).pvalue > SIGNIFICANCE
    steps = np.zeros((4, 4))
    np.add.at(steps, (chosen[:, ::2].ravel(), chosen[:, 1::2].ravel()), 1)
    assert scipy.stats.chisquare(steps.ravel()).pvalue > SIGNIFICANCE


prepare, score_arm = Policy.prepare, Policy.score


def fill(out, arms, rho, prior, alpha, beta):
    """Scores of all arms in many trials, all with the same belief."""
    for row in range(len(out)):
        rng = Stream(5, 0, 2, AGENT, row + 1, 0xFFFFFF, NOT_DRAWN)
        shared = prepare(0.0, row + 1, arms, Assumed(rho, prior[0], prior[1]), rng)
        for arm in range(arms):
            out[row, arm] = score_arm(0.0, shared, arm, alpha, beta, for_arm(rng, arm))


@pytest.fixture(scope="module")
def draws():
    """Scores drawn by a policy (N = 100 000 trials, three arms), by the compiled loop above."""
    kernels = {}

    def drawn(policy, rho, prior, belief):
        if policy not in kernels:
            slots = slots_of_agent(aw.Agent(policy()), PLAIN)
            kernels[policy] = rebind(fill, slots, numba.njit)
        out = np.empty((100_000, 3))
        kernels[policy](out, 3, rho, prior, *belief)
        return out

    return drawn


def assert_mean(values, expected):
    error = values.std(ddof=1) / math.sqrt(len(values))
    assert error > 0
    assert abs(values.mean() - expected) < 5 * error


@pytest.mark.parametrize("rho", [0.0, 0.3, 1.0])
@pytest.mark.parametrize(("belief", "prior"), [((8.0, 2.5), FLAT), ((3.0, 9.0), (2.0, 0.5))])
def test_thompson_draws_have_the_moments_of_the_mixture(draws, rho, belief, prior):
    found = draws(aw.ThompsonSampling, rho, prior, belief)
    one, other = scipy.stats.beta(*belief), scipy.stats.beta(*prior)
    for power in (1, 2, 3):
        expected = (1 - rho) * one.moment(power) + rho * other.moment(power)
        for arm in range(3):
            assert_mean(found[:, arm] ** power, expected)
    ks = scipy.stats.kstest(found[:, 0], lambda x: (1 - rho) * one.cdf(x) + rho * other.cdf(x))
    assert ks.pvalue > SIGNIFICANCE


@pytest.mark.parametrize("rho", [0.0, 0.3, 1.0])
def test_a_change_that_thompson_sampling_draws_is_shared_by_the_arms(draws, rho):
    belief = (8.0, 2.5)
    found = draws(aw.ThompsonSampling, rho, FLAT, belief)
    shift = belief[0] / sum(belief) - 0.5
    mean = (1 - rho) * shift + 0.5
    # The arms covary by rho (1 - rho) shift**2, since they change together; else not at all.
    for one, other in ((0, 1), (0, 2), (1, 2)):
        product = (found[:, one] - mean) * (found[:, other] - mean)
        assert_mean(product, rho * (1 - rho) * shift**2)


def test_after_a_drawn_change_every_arm_is_drawn_from_the_prior(draws):
    found = draws(aw.ThompsonSampling, 0.3, FLAT, (1e5, 1.0))
    # Unchanged draws lie below .999 once in exp(100) trials.
    changed = found[:, 0] < 0.999
    # A draw from the flat prior exceeds .999 once in a thousand.
    assert scipy.stats.binomtest(int(changed.sum()), len(found), 0.3 * 0.999).pvalue > SIGNIFICANCE
    after = found[changed][:, 1:]
    assert scipy.stats.kstest(after.ravel(), "uniform").pvalue > SIGNIFICANCE
    assert abs(np.corrcoef(after.T)[0, 1]) < 5 / math.sqrt(len(after))


@pytest.mark.parametrize("rho", [0.0, 0.3, 1.0])
@pytest.mark.parametrize(("belief", "prior"), [((8.0, 2.5), FLAT), ((3.0, 9.0), (2.0, 0.5))])
def test_optimistic_draws_are_thompson_draws_never_below_the_expectation(draws, rho, belief, prior):
    found = draws(aw.OptimisticThompsonSampling, rho, prior, belief)
    plain = draws(aw.ThompsonSampling, rho, prior, belief)
    mu, mu0 = belief[0] / sum(belief), prior[0] / sum(prior)
    expected = mu + rho * (mu0 - mu)
    # The expectation rounds three times; the draws are the same bits.
    assert abs(found.min() - expected) < 3 * 2**-53
    assert np.abs(found - np.maximum(plain, expected)).max() < 3 * 2**-53
    assert (found > plain).any()
    parts = terms(aw.OptimisticThompsonSampling(), *belief, rho=rho, prior=prior)
    assert parts["expected"] == pytest.approx(expected, rel=1e-15)


successes = st.one_of(st.integers(0, 10**7), st.floats(0, 1e7))


@given(one=successes, other=successes)
def test_arms_without_a_failure_tie_for_a_ai_at_a_quarter(one, other):
    policy = aw.ApproximateActiveInference(lam=0.25)
    assert score(policy, 1.0 + one, 1.0) == pytest.approx(0.5, rel=1e-14)
    assert score(policy, 1.0 + one, 1.0) == pytest.approx(
        score(policy, 1.0 + other, 1.0), rel=1e-13
    )


def test_arms_that_tie_for_a_ai_are_chosen_alike():
    policy = aw.ApproximateActiveInference(lam=0.25)
    beliefs = [(1.0, 1.0), (4.0, 1.0), (7.3, 1.0), (2.0, 2.0), (123.456, 1.0), (1.0, 1.5)]
    scores = [score(policy, *belief) for belief in beliefs]
    choose = interpreted(pick, aw.Agent(policy))
    chosen = [
        choose(aw.Argmax(), scores, [0.0] * 6, 6, stream(8, 0, CHOICE, trial))
        for trial in range(8_000)
    ]
    counts = np.bincount(chosen, minlength=6)
    assert counts[[3, 5]].tolist() == [0, 0]
    assert scipy.stats.chisquare(counts[[0, 1, 2, 4]]).pvalue > SIGNIFICANCE


@given(alpha=st.floats(1e-3, 1e7), beta=st.floats(1e-3, 1e7), rho=st.floats(0, 1))
def test_mirrored_beliefs_tie_exactly_for_g_ai_without_preferences(alpha, beta, rho):
    policy = aw.ExactActiveInference(lam=0.0)
    assert score(policy, alpha, beta, rho=rho) == score(policy, beta, alpha, rho=rho)


@pytest.mark.parametrize("policy", [aw.ExactActiveInference(), aw.ApproximateActiveInference()])
def test_preferences_break_the_tie_of_mirrored_beliefs(policy):
    assert score(policy, 5.0, 2.0) > score(policy, 2.0, 5.0)


DETERMINISTIC = [
    aw.ExactActiveInference(),
    aw.ApproximateActiveInference(),
    aw.UCB(),
    aw.BayesianUCB(),
    aw.RandomChoice(),
]


@pytest.mark.parametrize("policy", DETERMINISTIC, ids=str)
def test_a_policy_without_draws_depends_on_neither_seed_nor_arm(policy):
    assert not policy.stochastic
    found = {
        score(policy, 3.3, 2.2, 7, 0.1, seed=seed, arm=arm) for seed in (1, 2) for arm in (0, 2)
    }
    assert len(found) == 1


@pytest.mark.parametrize(
    "policy", [aw.ThompsonSampling(), aw.OptimisticThompsonSampling()], ids=str
)
def test_a_policy_with_draws_says_so(policy):
    assert policy.stochastic
    assert len({score(policy, 3.0, 2.0, seed=seed) for seed in range(20)}) > 1


@pytest.mark.parametrize(
    ("policy", "lam"),
    [
        (aw.ExactActiveInference, -0.1),
        (aw.ExactActiveInference, math.nan),
        (aw.ExactActiveInference, math.inf),
        (aw.ExactActiveInference, 701.0),
        (aw.ApproximateActiveInference, -1e-9),
        (aw.ApproximateActiveInference, math.nan),
        (aw.ApproximateActiveInference, math.inf),
    ],
)
def test_a_precision_that_makes_no_preference_is_refused(policy, lam):
    with pytest.raises(aw.InputError, match="lam must be"):
        policy(lam=lam)
