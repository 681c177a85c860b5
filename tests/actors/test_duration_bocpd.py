"""BOCPD with durations, against an enumeration of all sequences of changes."""

import itertools

import numpy as np
import pytest
import scipy.stats

import armwise as aw
from armwise.actors._hazards import duration_hazards, length_for


def law_of(interval, stages):
    stages = min(stages, int(interval))
    return scipy.stats.nbinom(stages, stages / interval, loc=stages)


@pytest.mark.parametrize(("interval", "stages"), [(6.0, 1), (6.0, 2), (7.5, 5), (6.0, 6)])
def test_hazards_are_those_of_the_distribution(interval, stages):
    ages = np.arange(1, 12)
    law = law_of(interval, stages)
    possible = law.sf(ages - 1) > 1e-12
    expected = law.pmf(ages)[possible] / law.sf(ages - 1)[possible]
    found = duration_hazards(interval, stages, 12)[1:][possible]
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("interval", "stages"), [(10.0, 4), (200.0, 4), (200.0, 64), (50.0, 50)])
def test_few_durations_outlast_the_table(interval, stages):
    assert law_of(interval, stages).sf(length_for(interval, stages) - 1) <= 1e-6


def sequence_weight(births, horizon, laws):
    """The probability of these changes, and of none after the last, for every law."""
    edges = [1, *births]
    weight = np.ones(len(laws))
    for first, following in itertools.pairwise(edges):
        weight *= [law.pmf(following - first) for law in laws]
    return weight * [law.sf(horizon - edges[-1]) for law in laws]


def evidence(arms, outcomes, births, horizon):
    """The probability of the outcomes if all arms are drawn again in the trials `births`."""
    total = 1.0
    counts: dict = {}
    for trial in range(1, horizon + 1):
        if trial in births:
            counts = {}
        a, b = counts.get(arms[trial - 1], (1.0, 1.0))
        outcome = outcomes[trial - 1]
        total *= (a if outcome else b) / (a + b)
        counts[arms[trial - 1]] = (a + outcome, b + 1 - outcome)
    return total


def chance_of_a_change(arms, outcomes, trial, laws):
    """The probability that all arms changed just before `trial`, given its outcome."""
    changed = whole = 0.0
    for births in itertools.chain.from_iterable(
        itertools.combinations(range(2, trial + 1), count) for count in range(trial)
    ):
        weight = sequence_weight(births, trial, laws).sum() * evidence(
            arms, outcomes, births, trial
        )
        whole += weight
        changed += weight * (trial in births)
    return changed / whole


@pytest.mark.parametrize(
    ("intervals", "stages"), [((4.0,), (1.0,)), ((4.0,), (4.0,)), ((3.0, 6.0), (1.0, 3.0))]
)
def test_the_chance_of_a_change_is_that_of_all_sequences(intervals, stages):
    bandit = aw.TimedVaryingBandit(arms=2, interval=4, stages=4)
    agent = aw.DurationBOCPD(intervals=intervals, stages=stages)
    asked = {"checkpoints": aw.every(1), "record": ["arm", "outcome", "gamma"], "device": "python"}
    found = aw.simulate(bandit, agent, 10, 1, seed=4, **asked)
    arms, outcomes = found.chosen.values[0].astype(int), found.outcome.values[0].astype(int)
    laws = [law_of(interval, int(many)) for interval in intervals for many in stages]
    expected = [
        chance_of_a_change(arms, outcomes, trial, laws) for trial in range(1, len(arms) + 1)
    ]
    np.testing.assert_allclose(found.gamma.values[0], expected, atol=1e-9)


def test_one_stage_is_bocpd():
    bandit = aw.VaryingBandit(arms=3, rho=0.05)
    asked = {"record": ["arm"], "seed": 3, "device": "python"}
    timed = aw.simulate(bandit, aw.DurationBOCPD(intervals=(20,), stages=(1,)), 60, 2, **asked)
    plain = aw.simulate(bandit, aw.BOCPD(rho=0.05), 60, 2, **asked)
    assert (timed.chosen == plain.chosen).all()


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"intervals": ()}, "intervals must have at least one number"),
        ({"stages": (1.5,)}, "stages must be whole numbers, not 1.5"),
    ],
)
def test_grids_are_checked(values, words):
    with pytest.raises(aw.InputError, match=words):
        aw.DurationBOCPD(**values)
