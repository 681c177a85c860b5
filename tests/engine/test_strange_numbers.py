"""Numbers that are none, and sizes that cannot be, are named before they decide anything."""

import math

import numpy as np
import pytest

import armwise as aw
from armwise.choices.softmax import weighed

BANDIT = aw.SwitchingBandit(arms=3, epsilon=0.2, rho=0.02)
CHOICES = [aw.Softmax(), aw.HabitualSoftmax(lapse=0.1)]


class Late(aw.Policy):
    """Scores that are numbers for some time."""

    late: int = aw.parameter(default=45, low=0, meaning="trials in which they are numbers")

    def prepare(self, trial, arms, assumed, rng):
        return trial

    def score(self, shared, arm, alpha, beta, rng):
        return math.nan if shared > self.late else alpha / (alpha + beta)


@pytest.mark.parametrize("device", ["cpu", "python"])
@pytest.mark.parametrize("choice", CHOICES, ids=str)
def test_a_score_that_is_nan_is_named_under_every_choice(device, choice):
    words = r"^Late: the score of arm \d is NaN in trial 46 of agent \d\.$"
    with pytest.raises(aw.InputError, match=words):
        aw.simulate(BANDIT, aw.Agent(Late(), choice=choice), 60, 2, device=device)
    player = aw.Agent(Late(late=0), choice=choice).start(["a", "b"], seed=1)
    with pytest.raises(aw.InputError, match=r"Late: .*NaN in trial 1"):
        player.choose()


@pytest.mark.parametrize("device", ["cpu", "python"])
@pytest.mark.parametrize("choice", CHOICES, ids=str)
def test_a_choice_without_a_probability_is_named_in_a_replay(device, choice):
    agent = aw.Agent(Late(late=3), choice=choice)
    words = r"^Late gives the choice of arm 1 in trial 5 no probability: a score is NaN"
    for follow in (aw.replay, aw.retrace):
        with pytest.raises(aw.InputError, match=words):
            follow(agent, [0, 1, 2, -1, 1], [1, 0, 1, 0, 1], arms=3, device=device)


def test_weights_of_strange_scores():
    assert weighed(0.0, -math.inf) == -math.inf
    assert math.isnan(weighed(2.0, math.nan))
    assert weighed(2.0, math.inf) == math.inf


class Fading(aw.Smile):
    """Beliefs that are numbers for some time."""

    def update(self, memory, gamma, arm, chosen, outcome, alpha, beta):
        if not chosen:
            return alpha, beta
        return (math.nan if alpha + beta > 40.0 else alpha + outcome), beta + 1.0 - outcome


@pytest.mark.parametrize(
    "policy", [aw.KLUCB(), pytest.param(aw.ThompsonSampling(), marks=pytest.mark.slow)], ids=str
)
def test_a_belief_that_is_nan_is_named(policy):
    """Also where a score, a shortcut's above all, would not show it."""
    agent = aw.Agent(policy, Fading())
    with pytest.raises(aw.InputError, match=r"^Fading: the belief about arm \d is NaN after trial"):
        aw.simulate(BANDIT, agent, 300, 2)
    words = r"^Fading\.update must return the new \(alpha, beta\), and neither may be NaN"
    with pytest.raises(aw.InputError, match=words):
        aw.simulate(BANDIT, agent, 300, 2, device="python")


class Sized(aw.Actor):
    """As large as somebody says."""

    def memory_size(self, arms):
        return SIZE["is"]

    def act(self, memory, arms, trial, rng):
        return 0

    def learn(self, memory, arms, trial, arm, outcome, rng):
        return 0.0


SIZE: dict = {}


@pytest.mark.parametrize("size", [-1, 2.5, "a", None, 10**15, True])
def test_a_size_of_a_memory_that_cannot_be_is_refused(monkeypatch, size):
    monkeypatch.setitem(SIZE, "is", size)
    with pytest.raises(aw.InputError, match=r"^What Sized\.memory_size returns must be a whole"):
        aw.simulate(BANDIT, Sized(), 10, 2)


class HalfArms(aw.Bandit):
    """Its number of arms is no whole number."""

    arms: float = aw.parameter(default=3.0, low=2, meaning="number of arms")

    def start(self, rng):
        return 0.0

    def move(self, state, trial, rng):
        return state

    def theta(self, state, arm, previous, rng):
        return 0.5


class Flat(HalfArms):
    """All its arms are equally good, and it does not say so."""

    arms: int = aw.parameter(default=3, low=2, meaning="number of arms")


def test_a_number_of_arms_is_whole():
    with pytest.raises(aw.InputError, match=r"^HalfArms: arms must be a whole number .* not 3\.0"):
        aw.simulate(HalfArms(), aw.Agent(aw.UCB()), 10, 2)


def test_a_bandit_whose_arms_never_differ_is_pointed_out():
    with pytest.warns(UserWarning, match="Every arm of flat:arms=3 is equally good all the time"):
        result = aw.simulate(Flat(), aw.Agent(aw.UCB()), 10, 2, device="python")
    assert not np.any(result.regret)
