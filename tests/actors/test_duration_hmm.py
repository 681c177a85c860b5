"""The HMM with durations, against an enumeration of all paths of the best arm."""

import itertools

import numpy as np
import pytest
import scipy.stats

import armwise as aw

P, EPSILON = 0.2, 0.5


def law_of(interval, stages):
    stages = min(stages, int(interval))
    return scipy.stats.nbinom(stages, stages / interval, loc=stages)


def path_weight(path, law, arms):
    """The probability of a path of the best arm, with no change after its last trial."""
    births = [0, *(t for t in range(1, len(path)) if path[t] != path[t - 1])]
    weight = 1.0 / arms * (1.0 / (arms - 1)) ** (len(births) - 1)
    for first, following in itertools.pairwise(births):
        weight *= law.pmf(following - first)
    return weight * law.sf(len(path) - 1 - births[-1])


def best_arm(chosen, outcomes, arms, laws):
    """How probable every arm is to be the best in the next trial."""
    found = np.zeros(arms)
    for path in itertools.product(range(arms), repeat=len(chosen) + 1):
        theta = [P + EPSILON * (best == arm) for best, arm in zip(path, chosen, strict=False)]
        said = np.prod([t if o else 1 - t for t, o in zip(theta, outcomes, strict=True)])
        found[path[-1]] += said * sum(path_weight(path, law, arms) for law in laws)
    return found / found.sum()


@pytest.mark.parametrize(
    ("arms", "intervals", "stages"),
    [(2, (4.0,), (4.0,)), (2, (3.0, 6.0), (1.0, 3.0)), (3, (2.5, 4.0), (2.0,))],
)
def test_beliefs_are_those_of_all_paths(arms, intervals, stages):
    agent = aw.DurationHMM(p=P, epsilon=EPSILON, intervals=intervals, stages=stages)
    laws = [law_of(interval, int(many)) for interval in intervals for many in stages]
    rng, trials = np.random.default_rng(arms), 6
    chosen, outcomes = rng.integers(arms, size=trials), rng.integers(2, size=trials)
    memory, scores = np.zeros(agent.memory_size(arms)), np.zeros(arms)
    agent.begin(memory, arms)
    for trial in range(1, trials + 1):
        agent.learn(memory, arms, trial, int(chosen[trial - 1]), int(outcomes[trial - 1]), None)
        agent.score_arms(memory, arms, trial + 1, scores)
        expected = best_arm(chosen[:trial], outcomes[:trial], arms, laws)
        np.testing.assert_allclose(scores, expected, atol=1e-12)


def test_one_stage_is_the_hmm():
    bandit = aw.SwitchingBandit(arms=3, rho=0.05, epsilon=0.5, p=0.2)
    asked = {"record": ["arm"], "seed": 3, "device": "python"}
    given = {"p": 0.2, "epsilon": 0.5}
    timed = aw.DurationHMM(**given, intervals=(20,), stages=(1,))
    found = aw.simulate(bandit, timed, 60, 2, **asked)
    plain = aw.simulate(bandit, aw.InformedHMM(**given, rho=0.05), 60, 2, **asked)
    assert (found.chosen == plain.chosen).all()


def test_haste_shortens_all_durations():
    bandit = aw.SwitchingBandit(arms=3, rho=0.05, epsilon=0.5, p=0.2)
    asked = {"record": ["arm"], "seed": 3, "device": "python"}
    given = {"p": 0.2, "epsilon": 0.5, "stages": (2,)}
    hasty = aw.DurationHMM(**given, intervals=(30,), haste=3)
    found, other = (
        aw.simulate(bandit, each, 60, 2, **asked)
        for each in (hasty, aw.DurationHMM(**given, intervals=(10,)))
    )
    assert (found.chosen == other.chosen).all()


def test_regular_changes_are_foreseen():
    """Two arms that swap every ten trials: after some changes, few choices are wrong."""
    bandit = aw.TimedSwitchingBandit(arms=2, epsilon=0.6, p=0.2, interval=10, stages=10)
    given = {"p": 0.2, "epsilon": 0.6}
    learned = aw.simulate(bandit, aw.DurationHMM(**given), 1000, 100, 1).regret.values[:, -1]
    constant = aw.simulate(bandit, aw.InformedHMM(**given, rho=0.1), 1000, 100, 1)
    assert learned.mean() < 0.2 * constant.regret.values[:, -1].mean()


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"intervals": ()}, "intervals must have at least one number"),
        ({"stages": (1.5,)}, "stages must be whole numbers, not 1.5"),
        ({"p": 0.6, "epsilon": 0.5}, "p \\+ epsilon must be at most 1, not 1.1"),
    ],
)
def test_parameters_are_checked(values, words):
    with pytest.raises(aw.InputError, match=words):
        aw.DurationHMM(**values)
