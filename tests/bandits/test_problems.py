"""Bandits that are given: probabilities as told, changes when told, walks as wide as told."""

import math

import numpy as np
import pytest
import scipy.stats

import armwise as aw
from armwise import registry
from armwise.errors import InputError
from armwise.sweeps.sweep import Sweep
from armwise.testing import agent_for

RANDOM = aw.Agent(aw.RandomChoice())


def thetas(bandit, horizon, agents=1, **options):
    asked = {"checkpoints": aw.every(1), "record": ["theta"], **options}
    return aw.simulate(bandit, agent_for(bandit, RANDOM), horizon, agents, **asked).theta.values


def test_given_probabilities_stay():
    found = thetas(aw.FixedBandit(thetas=(0.2, 0.9, 0.4)), 30)
    assert (found == [0.2, 0.9, 0.4]).all()


def test_segments_begin_where_they_are_told():
    means = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
    found = thetas(aw.PiecewiseBandit(arms=2, means=means, changes=(4, 11)), 20)[0]
    for trial in range(1, 21):
        segment = int(trial >= 4) + int(trial >= 11)
        assert tuple(found[trial - 1]) == means[2 * segment : 2 * segment + 2]


def test_logits_walk():
    found = thetas(aw.DriftingBandit(arms=3, sigma=0.2), 400, agents=20, seed=3)
    steps = np.diff(np.log(found / (1 - found)), axis=1).ravel()
    assert scipy.stats.kstest(steps / 0.2, scipy.stats.norm.cdf).pvalue > 1e-5
    first = found[:, 0].ravel()
    assert 0.3 < first.mean() < 0.7


@pytest.mark.parametrize("name", aw.PROBLEMS)
def test_a_problem_has_a_name(name):
    bandit = registry.component("bandit", name)
    assert bandit is aw.PROBLEMS[name]
    assert thetas(bandit, 3).shape == (1, 3, bandit.arms)
    assert 0.0 < bandit.random_rate() < (0.5 if bandit.outcomes == "binary" else math.inf)


def test_the_segments_of_a_problem_are_equal():
    found = thetas(aw.PROBLEMS["problem-1"], 5_000)[0]
    changed = np.flatnonzero((np.diff(found, axis=0) != 0).any(axis=1)) + 2
    assert changed.tolist() == [1_001, 2_001, 3_001, 4_001]
    assert aw.PROBLEMS["problem-1"].assumed_rho() == pytest.approx(4 / 5_000)


def test_a_sweep_takes_problems_and_vectors():
    sweep = Sweep.of(
        {
            "horizon": 10,
            "agents": 2,
            "bandit": [
                {"name": "problem-2"},
                {"name": "fixed", "thetas": [[0.1, 0.2], [0.3, 0.4]]},
            ],
            "agent": [{"policy": {"name": "imed"}}],
        },
        "here",
    )
    bandits = [cell.bandit for cell in sweep.cells()]
    assert bandits[0] == aw.PROBLEMS["problem-2"]
    assert [bandit.thetas for bandit in bandits[1:]] == [(0.1, 0.2), (0.3, 0.4)]


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: aw.FixedBandit(thetas=(0.5,)), "thetas must name at least two arms"),
        (lambda: aw.FixedBandit(thetas=(0.5, 1.5)), r"thetas must be in \[0, 1\], not 1.5"),
        (lambda: aw.FixedBandit(thetas=(0.5, 0.4), arms=3), "arms must be 2, as many as thetas"),
        (lambda: aw.PiecewiseBandit(arms=3), "means must have 6 numbers for 3 arms and 2 segments"),
        (
            lambda: aw.PiecewiseBandit(arms=2, means=(0.1,) * 6, changes=(9, 4)),
            "changes must increase",
        ),
        (lambda: registry.component("bandit", "problem-1:arms=4"), "has no parameters to set"),
        (lambda: registry.component("bandit", "problem-9"), "problem-1"),
    ],
)
def test_what_is_not_possible_is_named(make, sentence):
    with pytest.raises(InputError, match=sentence):
        make()
