"""Whether intervals hold what they say: groups drawn from the prior, choices simulated, fitted."""

import math

import numpy as np
import pytest
from scipy import stats

import armwise as aw
from armwise.engine.batch import simulate_people

DELTA = aw.Agent(aw.MeanOutcome(), aw.RescorlaWagner(rate=0.4), aw.Softmax())
FREE = {"precision": "lognormal(4, 0.5)"}
PEOPLE, TRIALS = 10, 60


def one(seed):
    """Mean, sd and people of a group from the prior, and the fit to their choices."""
    rng = np.random.default_rng([7, seed])
    mean, sd = math.log(4) + 0.5 * rng.standard_normal(), abs(rng.standard_normal())
    x = mean + sd * rng.standard_normal(PEOPLE)
    bandit = aw.SwitchingBandit(arms=3, epsilon=0.6, rho=0.1, p=0.2)
    told = simulate_people(bandit, DELTA, ["precision"], np.exp(x)[:, None], TRIALS, seed)
    pairs = zip(told.choices.tolist(), told.outcomes.tolist(), strict=True)
    data = aw.load_choices(list(pairs), arms=3)
    fit = aw.fit(DELTA, data, FREE, draws=100, chains=2, seed=seed)
    return mean, sd, x, fit.answer


def ranks(groups):
    """Where the truth stands among draws, for mean, sd and every person."""
    group, people = [], []
    for seed in range(groups):
        mean, sd, x, answer = one(seed)
        group.append([(answer.psi[:, 0] < mean).mean(), (answer.psi[:, 1] < sd).mean()])
        people.append((answer.flat[:, :, 0] < x).mean(axis=0))
    return np.array(group), np.array(people)


def test_a_few_groups_are_not_beyond_their_draws():
    group, people = ranks(3)
    # Of 30 people, the number outside intervals of 94 % is binomial; 9 or more is one in 10^4.
    assert ((people < 0.03) | (people > 0.97)).sum() < 9
    assert ((group > 0.0005) & (group < 0.9995)).all()


@pytest.mark.slow
def test_ranks_of_the_truth_are_uniform_and_intervals_cover():
    group, people = ranks(100)
    for column in group.T:
        assert stats.kstest(column, "uniform").pvalue > 0.01 / 2
    inside = ((people > 0.03) & (people < 0.97)).mean()
    # People of one group share its mean: 100 groups, so five standard errors are .05 or so.
    errors = ((people > 0.03) & (people < 0.97)).mean(axis=1).std() / math.sqrt(len(people))
    assert abs(inside - 0.94) < 5 * errors
