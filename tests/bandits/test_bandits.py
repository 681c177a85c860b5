"""Bandits against their closed forms: switches, destinations, redraws, regret of a random choice.

Counts are tested at the significance 1e-5 with fixed seeds, means within five standard errors.
"""

import functools
import math

import numpy as np
import pytest
import scipy.stats

import armwise as aw
from armwise.model.draws import BANDIT, stream, uniform

SIGNIFICANCE = 1e-5
AGENTS, HORIZON = 200, 1_500

STATIONARY = aw.StationaryBandit(arms=5, epsilon=0.2)
SWITCHING = aw.SwitchingBandit(arms=5, epsilon=0.2, rho=0.04)
VARYING = aw.VaryingBandit(arms=5, rho=0.04)
BANDITS = [STATIONARY, SWITCHING, VARYING]
RANDOM = aw.Agent(aw.RandomChoice())
AGENTS_OF_ALL_KINDS = [
    RANDOM,
    *(
        aw.Agent(policy, aw.Smile(rho=0.04))
        for policy in (
            aw.ExactActiveInference(),
            aw.ApproximateActiveInference(),
            aw.UCB(),
            aw.BayesianUCB(),
            aw.ThompsonSampling(),
            aw.OptimisticThompsonSampling(),
        )
    ),
    aw.Agent(aw.ApproximateActiveInference(), aw.Smile(), aw.Softmax(precision=5.0)),
]


@functools.cache
def recorded(bandit, horizon=HORIZON, agents=AGENTS, seed=2):
    """Every trial of agents that choose at random."""
    return aw.simulate(
        bandit,
        RANDOM,
        horizon,
        agents,
        seed,
        checkpoints=aw.every(1),
        record=("theta", "outcome", "arm"),
    )


def thetas(bandit, **options):
    return recorded(bandit, **options).theta.values


def moves(bandit, **options):
    """Whether each arm's theta differs from the trial before: agents x (trials - 1) x arms."""
    found = thetas(bandit, **options)
    return found[:, 1:] != found[:, :-1]


def assert_binomial(counts, trials, rho):
    """Numbers of changes, one per agent, against Binomial(trials, rho): total and distribution."""
    total = scipy.stats.binomtest(int(counts.sum()), trials * len(counts), rho)
    assert total.pvalue > SIGNIFICANCE
    law = scipy.stats.binom(trials, rho)
    edges = law.ppf(np.linspace(0, 1, 9)[1:-1])  # eight bins of about 25 agents each
    expected = np.diff([0.0, *law.cdf(edges), 1.0]) * len(counts)
    found = np.bincount(np.searchsorted(edges, counts), minlength=8)
    assert scipy.stats.chisquare(found, expected).pvalue > SIGNIFICANCE


@pytest.mark.parametrize("bandit", [STATIONARY, SWITCHING], ids=str)
def test_one_arm_pays_p_plus_epsilon_and_the_others_p(bandit):
    found = np.sort(thetas(bandit), axis=-1)
    assert (found[..., -1] == 0.5 + 0.2).all()
    assert (found[..., :-1] == 0.5).all()


@pytest.mark.parametrize("bandit", [aw.StationaryBandit, aw.SwitchingBandit])
def test_p_is_a_parameter(bandit):
    found = thetas(bandit(arms=3, epsilon=0.25, p=0.125), horizon=20, agents=4)
    assert np.unique(found).tolist() == [0.125, 0.375]


@pytest.mark.parametrize("bandit", [aw.StationaryBandit, aw.SwitchingBandit])
@pytest.mark.parametrize("arms", [2, 7])
def test_the_first_best_arm_is_uniform(bandit, arms):
    best = thetas(bandit(arms=arms), horizon=1, agents=5_000)[:, 0].argmax(axis=-1)
    assert scipy.stats.chisquare(np.bincount(best, minlength=arms)).pvalue > SIGNIFICANCE


def test_the_number_of_switches_is_binomial():
    switched = moves(SWITCHING).any(axis=-1)
    assert_binomial(switched.sum(axis=1), HORIZON - 1, SWITCHING.rho)


def test_the_first_trial_can_switch_too():
    rho, agents = 0.3, 5_000
    still = thetas(aw.SwitchingBandit(arms=3, rho=0.0), horizon=1, agents=agents)
    moved = thetas(aw.SwitchingBandit(arms=3, rho=rho), horizon=1, agents=agents)
    switches = int((still != moved).any(axis=-1).sum())
    assert scipy.stats.binomtest(switches, agents, rho).pvalue > SIGNIFICANCE


def test_switches_do_not_depend_on_the_trial_before():
    switched = moves(SWITCHING).any(axis=-1)
    after = switched[:, 1:][switched[:, :-1]]
    found = scipy.stats.binomtest(int(after.sum()), after.size, SWITCHING.rho)
    assert found.pvalue > SIGNIFICANCE


@pytest.mark.parametrize("bandit", [SWITCHING, aw.SwitchingBandit(arms=5, rho=1.0)], ids=str)
def test_a_switch_goes_to_each_of_the_other_arms_alike(bandit):
    best = thetas(bandit).argmax(axis=-1)
    before, after = best[:, :-1].ravel(), best[:, 1:].ravel()
    counts = np.zeros((5, 5))
    np.add.at(counts, (before, after), 1)
    if bandit.rho == 1.0:
        assert (np.diag(counts) == 0).all()
    for arm, row in enumerate(counts):
        assert scipy.stats.chisquare(np.delete(row, arm)).pvalue > SIGNIFICANCE


def test_two_arms_alternate_if_every_trial_switches():
    best = thetas(aw.SwitchingBandit(arms=2, rho=1.0), horizon=50, agents=20).argmax(axis=-1)
    assert (best[:, 1:] == 1 - best[:, :-1]).all()


@pytest.mark.parametrize(
    "bandit", [STATIONARY, aw.SwitchingBandit(rho=0.0), aw.VaryingBandit(rho=0.0)], ids=str
)
def test_nothing_moves_without_a_change_probability(bandit):
    assert not moves(bandit, horizon=500, agents=20).any()


def test_the_number_of_redraws_is_binomial():
    redrawn = moves(VARYING).any(axis=-1)
    assert_binomial(redrawn.sum(axis=1), HORIZON - 1, VARYING.rho)


def test_a_redraw_may_follow_a_redraw():
    redrawn = moves(VARYING).any(axis=-1)
    after = redrawn[:, 1:][redrawn[:, :-1]]
    found = scipy.stats.binomtest(int(after.sum()), after.size, VARYING.rho)
    assert found.pvalue > SIGNIFICANCE


def test_all_arms_are_redrawn_together():
    moved = moves(VARYING)
    assert (moved.all(axis=-1) == moved.any(axis=-1)).all()


def test_redrawn_thetas_are_uniform_and_independent():
    found = thetas(aw.VaryingBandit(arms=5, rho=1.0))
    assert moves(aw.VaryingBandit(arms=5, rho=1.0)).all()
    assert scipy.stats.kstest(found.ravel(), "uniform").pvalue > SIGNIFICANCE
    size = found[..., 0].size
    between_arms = np.corrcoef(found.reshape(-1, 5).T)[np.triu_indices(5, 1)]
    assert (np.abs(between_arms) < 5 / math.sqrt(size)).all()
    between_trials = np.corrcoef(found[:, 1:].ravel(), found[:, :-1].ravel())[0, 1]
    assert abs(between_trials) < 5 / math.sqrt(size)


def test_the_first_thetas_of_the_varying_bandit_are_uniform():
    found = thetas(aw.VaryingBandit(arms=5, rho=0.0), horizon=1, agents=5_000)
    assert scipy.stats.kstest(found.ravel(), "uniform").pvalue > SIGNIFICANCE


def test_a_redraw_does_not_remember_the_thetas_before():
    found, moved = thetas(VARYING), moves(VARYING)
    before, after = found[:, :-1][moved], found[:, 1:][moved]
    assert scipy.stats.kstest(after, "uniform").pvalue > SIGNIFICANCE
    assert abs(np.corrcoef(before, after)[0, 1]) < 5 / math.sqrt(len(after))


@pytest.mark.parametrize("bandit", BANDITS, ids=str)
def test_an_arm_pays_with_its_own_probability(bandit):
    result = recorded(bandit)
    theta = np.take_along_axis(result.theta.values, result.chosen.values[..., None], -1)[..., 0]
    outcome = result.outcome.values
    assert np.isin(outcome, (0, 1)).all()
    # Given theta, outcomes are independent: the sum of their variances is known.
    for part in (theta < 0.6, theta >= 0.6):
        error = math.sqrt((theta * (1 - theta))[part].sum())
        assert abs((outcome - theta)[part].sum()) < 5 * error


@pytest.mark.parametrize("bandit", BANDITS, ids=str)
def test_the_bandits_first_draw_decides_the_outcome(bandit):
    result = recorded(bandit)
    for agent in (0, AGENTS - 1):
        for trial in range(1, 101):
            line = result.isel(agent=agent, trial=trial - 1)
            luck = uniform(stream(2, agent, BANDIT, trial), 0)
            assert int(line.outcome) == (luck < float(line.theta[int(line.chosen)]))


@pytest.mark.parametrize("bandit", BANDITS, ids=str)
def test_regret_grows_by_what_the_best_arm_was_better_in_the_same_trial(bandit):
    result = recorded(bandit)
    theta = result.theta.values
    chosen = np.take_along_axis(theta, result.chosen.values[..., None], -1)[..., 0]
    expected = np.cumsum(theta.max(axis=-1) - chosen, axis=1)
    # Both sums round once per trial.
    assert np.abs(result.regret.values - expected).max() <= 2 * HORIZON**2 * 2.0**-53


@pytest.mark.parametrize("bandit", BANDITS, ids=str)
def test_every_policy_meets_the_same_bandit_and_the_same_luck(bandit):
    asked = {"record": ("theta", "outcome", "arm"), "checkpoints": aw.every(1), "seed": 4}
    results = [
        aw.simulate(bandit, agent, 60, 3, device="python", **asked) for agent in AGENTS_OF_ALL_KINDS
    ]
    paths = {tuple(result.chosen.values.ravel()) for result in results}
    assert len(paths) == len(results)
    first = results[0]
    for other in results[1:]:
        assert np.array_equal(first.theta, other.theta)
        same = first.chosen.values == other.chosen.values
        assert same.any()
        assert np.array_equal(first.outcome.values[same], other.outcome.values[same])


def test_agents_and_seeds_have_bandits_of_their_own():
    found = thetas(VARYING)[:, 0]
    assert len(np.unique(found)) == found.size
    other = recorded(VARYING, 1, AGENTS, 3).theta.values[:, 0]
    assert not np.isin(other, found).any()


@pytest.mark.parametrize(
    "bandit",
    [
        aw.StationaryBandit(arms=2, epsilon=0.5),
        aw.StationaryBandit(arms=80, epsilon=0.05, p=0.1),
        aw.SwitchingBandit(arms=2, epsilon=0.5, rho=0.5),
        aw.SwitchingBandit(arms=10, epsilon=0.1, p=0.3),
    ],
    ids=str,
)
def test_the_random_rate_is_the_mean_regret_over_the_arms(bandit):
    theta = [bandit.theta(1.0, arm, 0.0, None) for arm in range(bandit.arms)]
    expected = max(theta) - math.fsum(theta) / bandit.arms
    assert bandit.random_rate() == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("arms", [2, 10, 80])
def test_the_random_rate_of_the_varying_bandit_is_that_of_uniform_thetas(arms):
    size = 40_000
    theta = np.random.default_rng(1).uniform(size=(size, arms))
    regret = theta.max(axis=1) - theta[:, 0]
    error = regret.std(ddof=1) / math.sqrt(size)
    assert abs(aw.VaryingBandit(arms=arms).random_rate() - regret.mean()) < 5 * error


@pytest.mark.parametrize("arms", [3, 10])
@pytest.mark.parametrize("bandit", [aw.StationaryBandit, aw.SwitchingBandit, aw.VaryingBandit])
def test_the_regret_of_a_random_choice_is_analytic(bandit, arms):
    bandit, horizon, agents = bandit(arms=arms), 1_000, 1_000
    result = aw.simulate(bandit, RANDOM, horizon, agents, seed=5, checkpoints=[10, horizon])
    rates = result.regret.values / result.trial.values
    error = rates.std(axis=0, ddof=1) / math.sqrt(agents)
    assert (error > 0).all()
    assert (np.abs(rates.mean(axis=0) - bandit.random_rate()) < 5 * error).all()


def test_a_learner_that_knows_the_bandit_assumes_its_rho():
    assert [bandit.assumed_rho() for bandit in BANDITS] == [0.0, 0.04, 0.04]


BAD_NUMBERS = [-0.01, 1.01, math.nan, math.inf, -math.inf, "0.1", None, True]


@pytest.mark.parametrize("bandit", [aw.StationaryBandit, aw.SwitchingBandit, aw.VaryingBandit])
@pytest.mark.parametrize("arms", [1, 0, -3, 2.5, math.nan, math.inf, 1 << 24, "10", None, True])
def test_a_number_of_arms_that_makes_no_bandit_is_refused(bandit, arms):
    with pytest.raises(aw.InputError, match="arms must be a whole number"):
        bandit(arms=arms)


@pytest.mark.parametrize("value", BAD_NUMBERS)
@pytest.mark.parametrize(
    ("bandit", "name"),
    [
        (aw.StationaryBandit, "epsilon"),
        (aw.StationaryBandit, "p"),
        (aw.SwitchingBandit, "epsilon"),
        (aw.SwitchingBandit, "rho"),
        (aw.SwitchingBandit, "p"),
        (aw.VaryingBandit, "rho"),
    ],
)
def test_a_parameter_that_is_no_probability_is_refused_by_name(bandit, name, value):
    with pytest.raises(aw.InputError, match=f"{name} must be in \\[0, 1\\]"):
        bandit(**{name: value})


@pytest.mark.parametrize("bandit", [aw.StationaryBandit, aw.SwitchingBandit])
def test_a_best_arm_that_pays_more_than_always_is_refused(bandit):
    assert bandit(epsilon=0.5).theta(0.0, 0, 0.0, None) == 1.0
    assert bandit(epsilon=0.3, p=0.7).theta(0.0, 0, 0.0, None) == 1.0
    with pytest.raises(aw.InputError, match=r"p \+ epsilon must be at most 1, not 1\.01"):
        bandit(epsilon=0.51)
