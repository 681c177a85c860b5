"""The bounds of docs/theory.md above exact expected regret, and above simulations."""

import collections
import math

import numpy as np
import pytest

import armwise as aw
from armwise import theory
from armwise.model.roles import Assumed

FLAT = (1.0, 1.0)
PRIORS = [FLAT, (0.5, 0.5), (1.0, 9.0)]
SMALL = [(0.6, 0.5), (0.9, 0.1), (0.501, 0.5), (0.9999, 0.5), (0.02, 0.001), (0.5, 0.1)]


def choice_chances(policy, trial, beliefs, prior):
    """How probable each arm is under argmax, ties broken uniformly."""
    shared = policy.prepare(trial, len(beliefs), Assumed(0.0, *prior), None)
    for arm, belief in enumerate(beliefs):
        shared = policy.gather(shared, arm, *belief)
    shared = policy.conclude(shared, len(beliefs))
    scores = np.array([policy.score(shared, arm, *b, None) for arm, b in enumerate(beliefs)])
    best = scores >= scores.max() - 1e-12 * abs(scores.max())
    return best / best.sum()


def enumerated(policy, thetas, horizon, prior, visit):
    """Call `visit(probability, beliefs, arm)` for every history that a policy can have."""
    now = {tuple(prior for _ in thetas): 1.0}
    for trial in range(1, horizon + 1):
        later = collections.defaultdict(float)
        for beliefs, weight in now.items():
            for arm, chance in enumerate(choice_chances(policy, trial, beliefs, prior)):
                if chance == 0.0:
                    continue
                visit(weight * chance, beliefs, arm)
                alpha, beta = beliefs[arm]
                for belief, p in (
                    ((alpha + 1, beta), thetas[arm]),
                    ((alpha, beta + 1), 1 - thetas[arm]),
                ):
                    after = (*beliefs[:arm], belief, *beliefs[arm + 1 :])
                    later[after] += weight * chance * p
        now = later


def exact_regret(policy, thetas, horizon, prior=FLAT):
    total = 0.0

    def visit(weight, beliefs, arm):
        nonlocal total
        total += weight * (max(thetas) - thetas[arm])

    enumerated(policy, thetas, horizon, prior, visit)
    return total


def test_the_enumeration_is_right():
    """Random choice, and a greedy rule for two trials by hand."""
    assert exact_regret(aw.RandomChoice(), (0.7, 0.2), 6) == pytest.approx(6 * 0.25)
    # Greedy: after a success the arm stays; after a failure the other is taken.
    once = 0.5 * 0.5
    later = 0.5 * (0.5 * 0.3) + 0.5 * (0.5 * 0.2)
    greedy = aw.ApproximateActiveInference(lam=1e9)
    assert exact_regret(greedy, (0.7, 0.2), 2) == pytest.approx(once + later)


@pytest.mark.parametrize("share", [1e-3, 0.5, 50.0])
@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("thetas", SMALL)
def test_both_parts_of_the_bound_of_h_efe(thetas, prior, share):
    """The bound is the sum of two; with few trials the trivial bound hides them.

    Wrong choices while a mean is above the level, and while none is, are counted apart, exactly.
    """
    horizon = 8
    for level in np.linspace(thetas[1], thetas[0], 5)[1:-1]:
        parts = {True: 0.0, False: 0.0}

        def visit(weight, beliefs, arm, parts=parts, level=level):
            if arm == 1:
                parts[max(a / (a + b) for a, b in beliefs) > level] += weight

        policy = aw.HorizonActiveInference(share=share)
        enumerated(policy, thetas, horizon, prior, visit)
        evidence = math.log1p(0.5 * share * horizon / sum(prior))
        assert parts[True] <= theory.pulls_below_evidence(thetas[1], level, evidence, *prior)
        assert parts[False] <= theory.wrong_leader_trials(thetas[0], level, 2, share, *prior)


SCHEDULES = {
    "a-ai": (aw.ApproximateActiveInference(lam=0.3), (0.3, 0.0)),
    "fading a-ai": (aw.FadingApproximateActiveInference(lam=3.0, decay=2.0), (3.0, 2.0)),
    "fading g-ai": (aw.FadingExactActiveInference(lam=3.0, decay=2.0), (3.0, 2.0, True)),
}


@pytest.mark.parametrize("name", SCHEDULES)
@pytest.mark.parametrize("thetas", [*SMALL, (0.99, 0.01)])
def test_the_bound_of_a_schedule_is_above_the_exact_regret(thetas, name):
    policy, (lam, decay, *exact) = SCHEDULES[name]
    for horizon in (1, 5, 9):
        found = exact_regret(policy, thetas, horizon)
        assert found <= theory.schedule_bound(thetas, lam, decay, horizon, *exact)


@pytest.mark.parametrize("thetas", SMALL)
def test_the_bounds_are_above_the_exact_regret(thetas):
    for horizon in (1, 5, 9):
        found = exact_regret(aw.HorizonActiveInference(), thetas, horizon)
        assert found <= theory.regret_bound(thetas, 0.5, horizon)
        found = exact_regret(aw.LearnedPreferences(), thetas, horizon)
        assert found <= theory.capped_bound(thetas, 8.0, 2.0, horizon)


@pytest.mark.slow
@pytest.mark.parametrize("share", [1e-3, 0.5, 50.0])
@pytest.mark.parametrize("thetas", SMALL)
def test_the_bounds_are_above_the_exact_regret_of_more_trials(thetas, share):
    found = exact_regret(aw.HorizonActiveInference(share=share), thetas, 16)
    assert found <= theory.regret_bound(thetas, share, 16)


MANY = {
    "two arms far apart": (0.9, 0.1),
    "two arms near each other": (0.501, 0.5),
    "ten arms": (0.9, *9 * (0.1,)),
    "ten arms near each other": (0.52, *9 * (0.5,)),
    "a hundred arms": (0.95, *99 * (0.1,)),
    "a hundred arms near each other": (0.55, *99 * (0.5,)),
}


def below_all_bounds(thetas, horizon, agents):
    bandit = aw.FixedBandit(thetas=thetas)
    for policy, bound in [
        (aw.HorizonActiveInference(), theory.regret_bound(thetas, 0.5, horizon)),
        (aw.HorizonActiveInference(share=2.0), theory.regret_bound(thetas, 2.0, horizon)),
        (SCHEDULES["fading a-ai"][0], theory.schedule_bound(thetas, 3.0, 2.0, horizon)),
        (SCHEDULES["fading g-ai"][0], theory.schedule_bound(thetas, 3.0, 2.0, horizon, True)),
        (aw.LearnedPreferences(), theory.capped_bound(thetas, 8.0, 2.0, horizon)),
    ]:
        run = aw.simulate(bandit, aw.Agent(policy), horizon, agents, seed=3, checkpoints=[horizon])
        error = run.regret.values.std() / math.sqrt(agents)
        assert run.regret.values.mean() <= bound + 5 * error, policy


@pytest.mark.parametrize("name", MANY)
def test_the_bounds_are_above_simulated_regret(name):
    below_all_bounds(MANY[name], 3_000, 20)


@pytest.mark.slow
@pytest.mark.parametrize("name", MANY)
def test_the_bounds_are_above_simulated_regret_after_many_trials(name):
    below_all_bounds(MANY[name], 200_000, 40)


@pytest.mark.parametrize("prior", PRIORS)
def test_the_bound_for_other_priors_is_above_simulated_regret(prior):
    thetas, horizon = (0.3, 0.05, 0.02), 10_000
    agent = aw.Agent(aw.HorizonActiveInference(), aw.Smile(alpha0=prior[0], beta0=prior[1]))
    run = aw.simulate(aw.FixedBandit(thetas=thetas), agent, horizon, 50, checkpoints=[horizon])
    bound = theory.regret_bound(thetas, 0.5, horizon, *prior)
    assert run.regret.values.mean() <= bound < 0.4 * horizon


def test_bounds_come_nearer_to_the_line_of_lai_and_robbins():
    """As slowly as (ln T)^(4/5) / ln T falls; one constant of theirs is in front of ln T."""
    thetas = (0.9, 0.6, 0.3)
    horizons = [10**power for power in (4, 6, 9, 12, 15)]
    line = [theory.lai_robbins(thetas) * math.log(horizon) for horizon in horizons]
    for found in (
        [theory.regret_bound(thetas, 0.5, horizon) for horizon in horizons],
        [theory.capped_bound(thetas, 0.5, 2.0, horizon) for horizon in horizons],
    ):
        ratios = [one / other for one, other in zip(found, line, strict=True)]
        assert ratios == sorted(ratios, reverse=True)
        assert ratios[-1] > 1.0
    near = theory.lai_robbins(thetas) * (1 + 1e-3)
    for evidence in (1e6, 2e6):  # a level next to the best mean, evidence beyond all constants
        pulls = [theory.pulls_below_evidence(theta, 0.9 - 1e-5, evidence) for theta in (0.6, 0.3)]
        assert 0.3 * pulls[0] + 0.6 * pulls[1] < near * evidence


def test_the_bound_of_a_schedule_grows_like_its_regret():
    thetas = (0.9, 0.5, 0.1)
    found = theory.schedule_bound(thetas, 0.3, 2.0, 10**15)
    assert 1.0 < found / theory.schedule_regret(thetas, 0.3, 2.0, 10**15) < 1.3
