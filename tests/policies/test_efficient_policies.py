"""Policies beyond the paper against their formulas, written a second time with SciPy."""

import math

import numpy as np
import pytest
import scipy.optimize
import scipy.special
import scipy.stats

import armwise as aw
from armwise.model.roles import Assumed

BELIEFS = [(1.0, 1.0), (4.0, 2.0), (30.0, 12.0), (2.0, 9.0), (55.0, 50.0), (4.0, 2.0)]
ALPHA, BETA = np.array(BELIEFS).T
NU, MU = ALPHA + BETA, ALPHA / (ALPHA + BETA)
N, S = NU - 2.0, ALPHA - 1.0
K = len(BELIEFS)


def scores(policy, trial, beliefs=BELIEFS):
    alpha, beta = zip(*beliefs, strict=True)
    return aw.explain(aw.Agent(policy), alpha, beta, trial=trial).score.values


def kl(p, q):
    return scipy.special.rel_entr(p, q) + scipy.special.rel_entr(1 - p, 1 - q)


def upper(p, bound):
    """The largest u >= p with kl(p, u) <= bound, by bisection."""
    if kl(p, 1 - 1e-15) <= bound:
        return 1.0
    return scipy.optimize.brentq(lambda u: kl(p, u) - bound, p, 1 - 1e-15, xtol=1e-15)


@pytest.mark.parametrize("trial", [1, 40, 100_000])
@pytest.mark.parametrize("share", [0.5, 1.0])
def test_horizon_active_inference(trial, share):
    expected = -NU * kl(MU, MU.max()) + np.log(1 + share * trial / (K * NU))
    found = scores(aw.HorizonActiveInference(share=share), trial)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("trial", [1, 40, 300, 100_000])
def test_learned_preferences(trial):
    leader = int(MU.argmax())
    others = np.arange(K) != leader
    pooled = (S[others].sum() + 1) / (N[others].sum() + 2)
    gap = min(0.5, max(MU[leader] - pooled, 1 / math.sqrt(N[others].sum() + 2)))
    past = trial - 1
    c = max(
        math.log(math.e + 8 * gap**2 * past / (K - 1)) / (12 * gap),
        math.log(math.e + past) ** 2 / 32,
    )
    cap = [upper(m, math.log(1 + trial / n) / n) for m, n in zip(MU, NU, strict=True)]
    expected = np.minimum(MU + c / NU, cap)
    np.testing.assert_allclose(scores(aw.LearnedPreferences(), trial), expected, rtol=1e-9)
    terms = aw.explain(aw.Agent(aw.LearnedPreferences()), ALPHA, BETA, trial=trial)
    np.testing.assert_allclose(terms.lam, 1 / (4 * c), rtol=1e-12)


@pytest.mark.parametrize("trial", [1, 40, 300, 100_000])
@pytest.mark.parametrize("decay", [0.0, 2.0])
def test_capped_active_inference(trial, decay):
    c = math.log(math.e + trial - 1) ** decay / (4 * 0.7)
    cap = [upper(m, math.log(1 + trial / n) / n) for m, n in zip(MU, NU, strict=True)]
    policy = aw.CappedActiveInference(lam=0.7, decay=decay)
    np.testing.assert_allclose(scores(policy, trial), np.minimum(MU + c / NU, cap), rtol=1e-9)
    terms = aw.explain(aw.Agent(policy), ALPHA, BETA, trial=trial)
    np.testing.assert_allclose(terms.lam, 1 / (4 * c), rtol=1e-12)
    np.testing.assert_allclose(terms.cap, cap, rtol=1e-9)


def test_a_cap_that_never_binds_leaves_fading_active_inference():
    """Early trials with a small bonus: the scores are those of A-AI over 2 lam_t."""
    found = scores(aw.CappedActiveInference(lam=100.0), 500)
    plain = scores(aw.FadingApproximateActiveInference(lam=100.0), 500)
    fading = 200.0 / math.log(math.e + 499) ** 2
    np.testing.assert_allclose(found, plain / fading, rtol=1e-12)


@pytest.mark.parametrize("trial", [1, 40, 2_000])
@pytest.mark.parametrize("share", [0.5, 3.0])
def test_exact_horizon_active_inference(trial, share):
    """Twice the entropy of a belief minus its expectation, by SciPy, minus the evidence."""
    outcomes = math.ceil(share * trial / K)
    s = np.arange(outcomes + 1)
    gain = []
    for alpha, beta in BELIEFS:
        chance = scipy.stats.betabinom(outcomes, alpha, beta).pmf(s)
        after = scipy.stats.beta(alpha + s, beta + outcomes - s).entropy()
        gain.append(scipy.stats.beta(alpha, beta).entropy() - np.sum(chance * after))
    expected = 2 * np.array(gain) - NU * kl(MU, MU.max())
    found = scores(aw.ExactHorizonActiveInference(share=share), trial)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=2e-6)


@pytest.mark.parametrize("trial", [1, 40, 2_000, 10**6])
@pytest.mark.parametrize("policy", [aw.CappedActiveInference(), aw.ExactHorizonActiveInference()])
def test_scores_lie_between_their_bounds(policy, trial):
    values = [0.05, 0.5, 1.0, 3.7, 17.0, 1e3, 1e5]
    shared = policy.prepare(trial, 4, Assumed(0.0, 1.0, 1.0), None)
    for best in (0.3, 0.9):
        shared = policy.gather(shared, 0, best, 1.0 - best)
        for alpha in values:
            for beta in values:
                all_seen = policy.gather(shared, 1, alpha, beta)
                low, high = policy.bounds(all_seen, 1, alpha, beta)
                score = policy.score(all_seen, 1, alpha, beta, None)
                assert low - 1e-9 <= score <= high + 1e-9


def test_the_leader_of_equal_means_has_the_most_evidence():
    """Else the order of the arms would matter."""
    beliefs = [(2.0, 2.0), (20.0, 20.0), (5.0, 9.0)]
    found = scores(aw.LearnedPreferences(), 50, beliefs)
    turned = scores(aw.LearnedPreferences(), 50, beliefs[::-1])
    np.testing.assert_allclose(found, turned[::-1], rtol=1e-13)


PLAYED = slice(1, None)  # all but the arm without outcomes


def test_imed():
    found = scores(aw.IMED(), 300)
    mean = S[PLAYED] / N[PLAYED]
    expected = -(N[PLAYED] * kl(mean, mean.max()) + np.log(N[PLAYED]))
    np.testing.assert_allclose(found[PLAYED], expected, rtol=1e-12)
    assert found[0] > found[PLAYED].max()


@pytest.mark.parametrize(
    ("policy", "level"),
    [
        (aw.KLUCB(), lambda t, n: math.log(t)),
        (aw.KLUCB(c=3.0), lambda t, n: math.log(t) + 3 * math.log(math.log(t))),
        (aw.KLUCBPlus(), lambda t, n: math.log(t / n)),
        (aw.KLMOSS(), lambda t, n: max(0.0, math.log(t / (K * n)))),
    ],
    ids=["kl-ucb", "kl-ucb, c = 3", "kl-ucb+", "kl-moss"],
)
def test_bounds_by_divergence(policy, level):
    trial = 300
    found = scores(policy, trial)
    expected = [upper(s / n, level(trial, n) / n) for s, n in zip(S[1:], N[1:], strict=True)]
    np.testing.assert_allclose(found[PLAYED], expected, rtol=1e-9)
    assert found[0] == 1.0


@pytest.mark.parametrize("ahead", [0.0, 50.0])
def test_knowledge_gradient(ahead):
    trial = 80
    expected = []
    for arm in range(K):
        rival = max(MU[other] for other in range(K) if other != arm)
        success = max((ALPHA[arm] + 1) / (NU[arm] + 1), rival)
        failure = max(ALPHA[arm] / (NU[arm] + 1), rival)
        gain = MU[arm] * success + (1 - MU[arm]) * failure - MU.max()
        expected.append(MU[arm] + (ahead or trial) * gain)
    found = scores(aw.KnowledgeGradient(ahead=ahead), trial)
    np.testing.assert_allclose(found, expected, rtol=1e-11)


def drawn(policy, count=4_000):
    """Scores of an arm with the belief Be(4, 2), trial by trial."""
    return np.array([scores(policy, trial, BELIEFS[1:3])[0] for trial in range(1, count + 1)])


def test_epsilon_thompson_sampling_draws_as_often_as_it_says():
    values = drawn(aw.EpsilonThompsonSampling(epsilon=0.3))
    draws = values[values != 4.0 / 6.0]
    assert scipy.stats.binomtest(len(draws), len(values), 0.3).pvalue > 1e-5
    assert scipy.stats.kstest(draws, scipy.stats.beta(4, 2).cdf).pvalue > 1e-5


def test_epsilon_thompson_sampling_draws_for_one_arm_in_k_if_not_told():
    values = drawn(aw.EpsilonThompsonSampling())
    count = int((values != 4.0 / 6.0).sum())
    assert scipy.stats.binomtest(count, len(values), 0.5).pvalue > 1e-5


def test_sampled_active_inference_prefers_by_a_draw():
    lam = 0.7
    values = drawn(aw.SampledActiveInference(lam=lam))
    plain = scores(aw.ExactActiveInference(lam=lam), 1, BELIEFS[1:3])[0]
    theta = (values - plain) / (2 * lam) + 4.0 / 6.0
    assert scipy.stats.kstest(theta, scipy.stats.beta(4, 2).cdf).pvalue > 1e-5


def test_sampled_active_inference_without_preferences_is_curious_only():
    beliefs = BELIEFS[1:5]
    found = scores(aw.SampledActiveInference(lam=0.0), 9, beliefs)
    expected = scores(aw.ExactActiveInference(lam=0.0), 9, beliefs)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("engine", ["python", "cpu"])
def test_policies_that_look_at_all_arms_replay_what_they_did(engine):
    agent = aw.Agent(aw.HorizonActiveInference(), choice=aw.Softmax(precision=3.0))
    run = aw.simulate(
        aw.StationaryBandit(arms=4),
        agent,
        50,
        1,
        record=["arm", "outcome"],
        checkpoints=aw.every(1),
    )
    likelihood = aw.replay(
        agent, run.chosen.values[0], run.outcome.values[0], arms=4, device=engine
    )
    assert -50 * math.log(4) * 3 < likelihood < 0.0
