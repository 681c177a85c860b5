"""People with parameters of their own: the choices of `simulate`, given rewards, given choices."""

import numpy as np
import pytest

import armwise as aw
from armwise.engine import people
from armwise.engine.batch import Sequences, simulate_people, trial_log_likelihoods
from armwise.errors import InputError

FREE = ["lam", "rho", "precision"]
AGENT = aw.Agent(aw.ApproximateActiveInference(), aw.Smile(), aw.Softmax())
VALUES = np.array([[0.5, 0.1, 3.0], [2.0, 0.01, 1.0], [0.1, 0.3, 20.0]])


@pytest.mark.parametrize("bandit", [aw.SwitchingBandit(arms=3, rho=0.1), aw.VaryingBandit(arms=4)])
@pytest.mark.parametrize("seed", [3, (1 << 40) + 1])
def test_person_i_makes_the_choices_of_agent_i(bandit, seed):
    told = simulate_people(bandit, AGENT, FREE, VALUES, 80, seed)
    for person, (lam, rho, precision) in enumerate(VALUES):
        agent = aw.Agent(aw.ApproximateActiveInference(lam), aw.Smile(rho), aw.Softmax(precision))
        asked = {"checkpoints": aw.every(1), "record": ["arm", "outcome"], "seed": seed}
        one = aw.simulate(bandit, agent, 80, range(person, person + 1), **asked)
        np.testing.assert_array_equal(told.choices[person], one.chosen.values[0])
        np.testing.assert_array_equal(told.outcomes[person], one.outcome.values[0])


def test_threads_and_shares_change_nothing(monkeypatch):
    values = np.tile(VALUES, (5, 1))
    bandit = aw.SwitchingBandit(arms=3)
    whole = simulate_people(bandit, AGENT, FREE, values, 50, 1, threads=1)
    monkeypatch.setattr(people, "SHARE", 100)
    parts = simulate_people(bandit, AGENT, FREE, values, 50, 1, threads=3)
    for one, other in zip(whole, parts, strict=True):
        np.testing.assert_array_equal(one, other)


def test_rewards_may_be_given():
    rewards = np.random.default_rng(1).integers(0, 2, (3, 60, 4))
    told = simulate_people(rewards, AGENT, FREE, VALUES, 60)
    found = np.take_along_axis(rewards, told.choices[:, :, None], axis=2)[:, :, 0]
    np.testing.assert_array_equal(told.outcomes, found)
    same = simulate_people(rewards[0], AGENT, FREE, VALUES, 60)
    np.testing.assert_array_equal(same.choices[0], told.choices[0])


def test_missed_and_forced_choices_are_followed_as_likelihoods_follow_them():
    """A person of great precision: chance has no part, so every free choice has probability 1."""
    rng = np.random.default_rng(2)
    given = rng.choice([-2, -2, -1, 0, 1, 2], (1, 100))
    agent = aw.Agent(aw.ApproximateActiveInference(), aw.Smile(alpha0=1.3), aw.Softmax(1e9))
    told = simulate_people(aw.SwitchingBandit(arms=3), agent, [], [[]], 100, given=given)
    np.testing.assert_array_equal(told.choices[given >= 0], given[given >= 0])
    np.testing.assert_array_equal(told.choices == -1, given == -1)
    outcomes = np.maximum(told.outcomes[0], 0)
    data = Sequences(told.choices[0], outcomes, given[0] == -2, np.array([0]), np.array([0]), 3)
    found = trial_log_likelihoods(agent, [], np.zeros((1, 0)), data)[given[0] == -2]
    assert np.isin(np.exp(found).round(9), [1.0, 0.5, round(1 / 3, 9)]).all()


def test_agents_without_a_likelihood_can_be_people():
    agent = aw.Agent(aw.ThompsonSampling(), aw.Smile())
    told = simulate_people(aw.SwitchingBandit(arms=3), agent, ["rho"], [[0.1], [0.2]], 30)
    assert set(told.choices.ravel()) <= {0, 1, 2}


@pytest.mark.parametrize(
    ("bandit", "values", "given", "words"),
    [
        (np.full((9, 3), 0.5), VALUES, None, "10 trials x arms"),
        (np.full((10, 3), 1.5), VALUES, None, r"in \[0, 1\]"),
        (np.full((10, 3), np.nan), VALUES, None, r"in \[0, 1\]"),
        (aw.SwitchingBandit(arms=3), VALUES[:, :2], None, "values must be people x 3"),
        (aw.SwitchingBandit(arms=3), VALUES * np.nan, None, "finite"),
        (aw.SwitchingBandit(arms=3), VALUES, np.zeros((3, 9)), "given must be 3 x 10"),
        (aw.SwitchingBandit(arms=3), VALUES, np.full((3, 10), 3), "from -2 to 2"),
    ],
)
def test_what_cannot_be_played_is_refused(bandit, values, given, words):
    with pytest.raises(InputError, match=words):
        simulate_people(bandit, AGENT, FREE, values, 10, given=given)
