"""Shortcuts make the choices of the plain definition, trial by trial, to the last tie."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import special

import armwise as aw
from armwise.engine.cpu import Player
from armwise.engine.python import interpreted
from armwise.engine.recording import ARM, place_of
from armwise.engine.shortcuts import ceilings
from armwise.engine.shortcuts.quantiles import odds_against
from armwise.engine.shortcuts.spared import MARGIN
from armwise.engine.ways import MONOTONE, PLAIN
from armwise.model.draws import AGENT, beta_draw, for_arm, luck, stream, with_luck
from armwise.model.roles import Assumed
from armwise.numerics.beta_quantiles import beta_upper_quantile
from armwise.numerics.beta_tails import beta_odds_against, beta_sf, beta_sf_below
from armwise.play.simulate import plan_of
from armwise.policies.exact_active_inference import (
    bounds_without_logarithms,
    expected_entropy,
    intrinsic,
    minus_expected_free_energy,
    shared_by_all,
)


def choices(bandit, agent, trials, agents, way=None, seed=5):
    """The arm of every agent in every trial, and all beliefs at the end."""
    asked = {"checkpoints": aw.every(1), "record": ("arm", "alpha", "beta")}
    plan = plan_of(bandit, agent, trials, agents, seed, threads=1, **asked)
    _, records = Player(plan, way).run(lambda _: None)
    beliefs = [records[:, -1, place_of(name, bandit.arms)] for name in ("alpha", "beta")]
    return records[:, :, ARM].astype(int), np.array(beliefs)


POLICIES = [
    aw.ApproximateActiveInference(lam=0.5),
    aw.ApproximateActiveInference(lam=0.0),
    aw.ExactActiveInference(lam=0.25),
    aw.ExactActiveInference(lam=3.0),
    aw.UCB(),
    aw.RandomChoice(),
    aw.ThompsonSampling(),
    aw.OptimisticThompsonSampling(),
    aw.BayesianUCB(),
    aw.HorizonActiveInference(),
    aw.LearnedPreferences(),
    aw.CappedActiveInference(),
    aw.ExactHorizonActiveInference(),
    aw.MeanOutcome(),
    aw.InformationBonus(bonus=-1.0),
    aw.DeviationBonus(),
    aw.TotalUncertainty(),
]
# One kind of bandit, so that a policy is compiled once each way: without switches it is stationary.
BANDITS = [
    (aw.SwitchingBandit(arms=10, rho=0.0), aw.Smile()),
    (aw.SwitchingBandit(arms=3, rho=0.0, epsilon=0.4), aw.Smile(alpha0=0.5, beta0=2.0)),
    (aw.SwitchingBandit(arms=10, rho=0.01), aw.Smile(rho=0.01)),
    (aw.SwitchingBandit(arms=33, epsilon=0.2, rho=0.0), aw.Smile()),
    (aw.SwitchingBandit(arms=40, epsilon=0.25, rho=0.005), aw.Smile(rho=0.005)),
    (aw.SwitchingBandit(arms=7, rho=0.02), aw.Smile(rho=0.02, alpha0=0.3, beta0=0.7)),
]


@pytest.mark.parametrize("policy", POLICIES, ids=str)
@pytest.mark.parametrize(("bandit", "learner"), BANDITS, ids=str)
def test_every_choice_is_that_of_the_plain_definition(policy, bandit, learner):
    agent = aw.Agent(policy, learner)
    plain, beliefs = choices(bandit, agent, 1_500, 12, PLAIN)
    short, short_beliefs = choices(bandit, agent, 1_500, 12)
    np.testing.assert_array_equal(short, plain)
    np.testing.assert_array_equal(short_beliefs, beliefs)


LATE = [
    aw.BayesianUCB(),
    aw.OptimisticThompsonSampling(),
    aw.HorizonActiveInference(),
    aw.LearnedPreferences(),
    aw.MeanOutcome(),
    aw.InformationBonus(bonus=-1.0),
    aw.DeviationBonus(),
    aw.TotalUncertainty(),
]


@pytest.mark.parametrize("policy", LATE, ids=str)
def test_long_runs_agree_too(policy):
    """Late trials, where bounds hold for long and few arms are looked at."""
    bandit, agent = aw.SwitchingBandit(arms=12, epsilon=0.2, rho=0.0), aw.Agent(policy)
    plain, _ = choices(bandit, agent, 30_000, 3, PLAIN)
    short, _ = choices(bandit, agent, 30_000, 3)
    np.testing.assert_array_equal(short, plain)


class Mourning(aw.Smile):
    """A learner whose assumed rho changes: no box may outlive what it was made with."""

    label = "mourning"

    def memory_size(self, arms):
        return 1

    def assume(self, memory):
        return Assumed(self.rho * (1.0 + memory[0]), self.alpha0, self.beta0)

    def change(self, memory, arm, outcome, alpha, beta):
        memory[0] = (memory[0] + 1.0) % 7.0
        return 0.0 if memory[0] < 5.0 else self.rho


@pytest.mark.parametrize(
    "policy",
    [aw.ExactActiveInference(), *LATE],
    ids=str,
)
def test_a_learner_that_changes_its_assumptions_and_spreads_now_and_then(policy):
    bandit, agent = aw.SwitchingBandit(arms=6, rho=0.02), aw.Agent(policy, Mourning(rho=0.03))
    plain, _ = choices(bandit, agent, 800, 6, PLAIN)
    short, _ = choices(bandit, agent, 800, 6)
    np.testing.assert_array_equal(short, plain)


def scores_of(policy, trial, beliefs):
    """What the arms share in a trial, and their scores."""
    shared = policy.prepare(trial, len(beliefs), Assumed(0.0, 1.0, 1.0), None)
    for arm, belief in enumerate(beliefs):
        shared = policy.gather(shared, arm, *belief)
    shared = policy.conclude(shared, len(beliefs))
    return shared, [policy.score(shared, arm, *b, None) for arm, b in enumerate(beliefs)]


@pytest.mark.parametrize("policy", [aw.HorizonActiveInference(), aw.LearnedPreferences()], ids=str)
def test_a_lookahead_floor_held_in_the_trials_before(policy):
    """With one outcome less for every trial, and any mean that is no worse."""
    draws, sure = np.random.default_rng(8), 0
    for _ in range(400):
        others = [tuple(1.0 + draws.integers(0, 60, 2)) for _ in range(draws.integers(1, 6))]
        nu = 40.0 + draws.integers(0, 400)
        last = int(nu + sum(map(sum, others)) - 2 * len(others) - 1)
        mean = draws.uniform(0.3, 0.95)
        shared, at_last = scores_of(policy, last, [(mean * nu, (1 - mean) * nu), *others])
        floor = policy.lookahead_floor(shared, 0, mean * nu, (1 - mean) * nu)
        sure += floor > -math.inf
        for back in draws.integers(0, int(nu / 3), 5):
            better, less = draws.uniform(mean, 0.97), nu - back
            belief = (better * less, (1 - better) * less)
            _, found = scores_of(policy, last - int(back), [belief, *others])
            assert floor <= found[0] + 1e-12
            if floor > -math.inf:
                assert all(
                    now <= then + 1e-12 for now, then in zip(found[1:], at_last[1:], strict=True)
                )
    assert sure > 100


class Numbered(aw.ExactActiveInference):
    """Prefers arms with a high number: equal beliefs do not mean equal scores."""

    label = "numbered"

    def score(self, shared, arm, alpha, beta, rng):
        return minus_expected_free_energy(shared, alpha, beta) + 1e-4 * arm

    def bounds(self, shared, arm, alpha, beta):
        low, high = bounds_without_logarithms(shared, alpha, beta)
        return low, high + 1e-4 * arm


def test_arms_with_equal_beliefs_may_have_different_scores():
    bandit, agent = aw.SwitchingBandit(arms=40, rho=0.02), aw.Agent(Numbered(), aw.Smile(rho=0.02))
    plain, _ = choices(bandit, agent, 200, 3, PLAIN)
    short, _ = choices(bandit, agent, 200, 3)
    np.testing.assert_array_equal(short, plain)


BELIEFS = [1e-3, 0.1, 0.5, 1.0, 1.2, 2.0, 3.7, 17.0, 150.0, 1e3, 1e5, 1e7]


def test_bounds_of_the_intrinsic_value_are_bounds():
    """Alone, with neither preferences nor changes; sharp where arms have a few outcomes."""
    shared = shared_by_all(0.0, 0.0, 1.0, 1.0)
    for alpha in BELIEFS:
        for beta in BELIEFS:
            nu = alpha + beta
            exact = intrinsic(alpha / nu, beta / nu, expected_entropy(alpha, beta))
            low, high = (
                b + shared.evidence for b in bounds_without_logarithms(shared, alpha, beta)
            )
            assert low - 1e-12 <= exact <= high + 1e-12
            assert high - low < 3e-3 or min(alpha, beta) < 1.0


@pytest.mark.parametrize("policy", [aw.ExactActiveInference(lam=0.3), aw.ExactActiveInference()])
@pytest.mark.parametrize("rho", [0.0, 0.003, 0.2, 1.0])
@pytest.mark.parametrize("prior", [(1.0, 1.0), (0.2, 3.0)])
def test_every_score_lies_between_its_bounds(policy, rho, prior):
    rng = stream(1, 0, AGENT, 9)
    shared = policy.prepare(9, 4, Assumed(rho, *prior), rng)
    for alpha in BELIEFS:
        for beta in BELIEFS:
            score = policy.score(shared, 1, alpha, beta, rng)
            low, high = policy.bounds(shared, 1, alpha, beta)
            rounding = 1e-10 * (1 + abs(score))
            assert low - rounding <= score <= high + rounding


def test_odds_against_a_level_are_no_more_than_the_tail_allows():
    for a in BELIEFS:
        for b in BELIEFS:
            for tail in (0.9, 0.6, 0.3, 0.1, 0.01, 1e-4, 1e-8, 1e-14):
                x = beta_upper_quantile(tail, a, b)
                if 0.0 < x < 1.0:
                    assert beta_odds_against(x, a, b) * beta_sf(x, a, b) <= 1.0 + 1e-9


def test_draws_keep_what_their_bounds_say():
    """Of 60 000 comparisons with a level, none contradicts the draw, and most are decided."""
    decided = told = below = 0
    generator = np.random.default_rng(3)
    for number in range(3_000):
        alpha, beta = 10.0 ** generator.uniform(-1, 3, 2)
        rng = for_arm(stream(4, number, AGENT, 1), number % 37)
        draw = beta_draw(rng, alpha, beta)
        for level in generator.uniform(0, 1, 20):
            if math.isclose(draw, level, rel_tol=1e-9):
                continue
            assert beta_sf_below(1.0 - luck(rng), level, alpha, beta) == (draw < level)
            hopeless = (1.0 - luck(rng)) * beta_odds_against(level, alpha, beta) > 1.0
            assert draw < level or not hopeless
            below += draw < level
            told += hopeless
            decided += 1
    assert told > 0.5 * below > 0.2 * decided


@pytest.mark.parametrize("policy", [aw.ThompsonSampling(), aw.OptimisticThompsonSampling()])
@pytest.mark.parametrize("rho", [0.0, 0.003, 0.2])
def test_odds_and_floors_hold(policy, rho):
    """With luck that lets the odds rule an arm out, its score is below the level."""
    rng = stream(1, 0, AGENT, 9)
    shared = policy.prepare(9, 4, Assumed(rho, 1.0, 1.0), rng)
    against = interpreted(odds_against, aw.Agent(policy))
    for alpha in BELIEFS:
        for beta in BELIEFS:
            for fortune in (0.05, 0.5, 0.9, 0.999, 1.0 - 1e-9):
                score = policy.score(shared, 1, alpha, beta, with_luck(rng, 1, fortune))
                odds = against(policy, shared, alpha, beta, score - 1e-9)
                assert (1.0 - fortune) * odds <= 1.0 + 1e-7
                assert policy.floor(shared, alpha, beta) <= score


def test_quantiles_of_the_upper_tail_are_monotone():
    rng = stream(1, 0, AGENT, 9)
    for policy in [aw.BayesianUCB()]:
        for rho in (0.0, 0.05):
            assumed = Assumed(rho, 1.0, 1.0)
            for trial in (2, 10, 1_000):
                now = policy.prepare(trial, 4, assumed, rng)
                later = policy.prepare(2 * trial, 4, assumed, rng)
                for alpha in BELIEFS:
                    for beta in BELIEFS:
                        score = policy.score(now, 0, alpha, beta, rng)
                        slack = 1e-12
                        assert policy.score(now, 0, 1.1 * alpha, beta, rng) >= score - slack
                        assert policy.score(now, 0, alpha, 0.9 * beta, rng) >= score - slack
                        assert policy.score(later, 0, alpha, beta, rng) >= score - slack


@pytest.mark.parametrize("prior", [(1.0, 1.0), (0.5, 2.0)])
@pytest.mark.parametrize("rho", [0.0, 0.05])
def test_a_tangent_is_above_all_later_scores_and_close_to_the_next(rho, prior):
    """By tails of SciPy, up to a hundred times the trials later, with the margin of the engine."""
    policy, assumed = aw.BayesianUCB(), Assumed(rho, *prior)
    keep = interpreted(ceilings.keep_sharp, aw.Agent(policy), way=MONOTONE)
    sharp = 0
    for trial in (2, 5, 40, 1_000, 10**5):
        shared = policy.prepare(trial, 4, assumed, None)
        kept = [SimpleNamespace(height=math.log(trial))]
        for alpha in BELIEFS:
            for beta in BELIEFS:
                score = policy.score(shared, 0, alpha, beta, None)
                rows = ([alpha], [beta], [score], [0.0], [], kept, [0.0], [0.0], [0.0], [0.0])
                state = ceilings.CeiledState(*rows)
                keep(aw.Agent(policy), state, shared, 0)
                if state.lasts[0] < math.inf:
                    continue
                a, b = policy.belief(shared, alpha, beta)
                assert min(a, b) >= 1.0
                for factor in (1.0, 1.01, 1.5, 10.0, 100.0):
                    tail = 1.0 / (factor * trial)
                    ceiling = state.base[0] + state.slope[0] * math.log(factor * trial)
                    assert special.betaincc(a, b, min(ceiling + MARGIN, 1.0)) <= tail
                    if trial >= 1_000 and factor == 1.01:
                        assert special.betaincc(a, b, ceiling) > 0.998 * tail
                sharp += 1
    assert sharp > 200


OTHERS = [
    aw.AdaptiveForgetting(),
    aw.Discounted(),
    aw.HierarchicalGaussianFilter(),
    aw.LearnedChange(),
    aw.Mirrored(),
    aw.RandomWalkFilter(),
    aw.SlidingWindow(),
    aw.TwoRates(forgetting=0.1),
    aw.VolatileKalmanFilter(),
]


@pytest.mark.slow
@pytest.mark.parametrize("learner", OTHERS, ids=lambda learner: learner.label)
@pytest.mark.parametrize(
    "policy",
    [aw.ExactActiveInference(), aw.OptimisticThompsonSampling(), aw.BayesianUCB()],
    ids=lambda policy: policy.label,
)
def test_choices_with_other_learners_are_those_of_the_plain_definition(policy, learner):
    agent = aw.Agent(policy, learner)
    for bandit in (aw.SwitchingBandit(rho=0.01), aw.SwitchingBandit(arms=33, rho=0.0)):
        plain, beliefs = choices(bandit, agent, 800, 8, PLAIN)
        short, short_beliefs = choices(bandit, agent, 800, 8)
        np.testing.assert_array_equal(short, plain)
        np.testing.assert_array_equal(short_beliefs, beliefs)
