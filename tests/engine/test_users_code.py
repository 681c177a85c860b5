"""Components of users: every mistake that a newcomer makes is met by a sentence."""

import dataclasses
import math
import random
from random import gauss

import numpy as np
import pytest

import armwise as aw

BANDIT = aw.SwitchingBandit(arms=3, epsilon=0.2, rho=0.02)
SEEN: list = []
TABLE = {0: 1.0, 1: 2.0, 2: 3.0}


class Own(aw.Policy):
    """What the policies below have in common."""

    def score(self, shared, arm, alpha, beta, rng):
        return alpha / (alpha + beta)


class Text(Own):
    def score(self, shared, arm, alpha, beta, rng):
        return "high"


class Nothing(Own):
    def score(self, shared, arm, alpha, beta, rng):
        alpha / (alpha + beta)


class Unknown(Own):
    lam: float = aw.parameter(default=0.5, meaning="weight")

    def score(self, shared, arm, alpha, beta, rng):
        return self.lamb * alpha


class Few(Own):
    def score(self, shared, arm, alpha):
        return alpha


class Silent(aw.Policy):
    pass


class Helpful(Own):
    def helper(self, beta):
        return beta

    def score(self, shared, arm, alpha, beta, rng):
        return alpha + self.helper(beta)  # two variables in one instruction of Python 3.13


class NotANumber(Own):
    def score(self, shared, arm, alpha, beta, rng):
        return math.nan if arm == 1 else alpha


class NotANumberLater(Own):
    def prepare(self, trial, arms, assumed, rng):
        return trial

    def score(self, shared, arm, alpha, beta, rng):
        return math.nan if shared > 45 and arm == 2 else alpha


class Draws(Own):
    def score(self, shared, arm, alpha, beta, rng):
        return np.random.rand()


def drawn():
    return random.random()


class DrawsElsewhere(Own):
    def score(self, shared, arm, alpha, beta, rng):
        return drawn()


RNG = np.random.default_rng(1)


class DrawsFromAGenerator(Own):
    def score(self, shared, arm, alpha, beta, rng):
        return RNG.random()


class DrawsFromPython(Own):
    def score(self, shared, arm, alpha, beta, rng):
        return gauss(alpha, beta)


class Forgets(Own):
    """What it returns depends on what it returned before."""

    def score(self, shared, arm, alpha, beta, rng):
        return len(SEEN.append(arm) or SEEN) % 7


class Named(Own):
    BONUS = 2.0

    def score(self, shared, arm, alpha, beta, rng):
        return self.BONUS * alpha


class Extra(Own):
    def score(self, shared, arm, alpha, beta, rng, *, bonus=1.0):
        return alpha


class Writes(Own):
    lam: float = aw.parameter(default=0.5, meaning="weight")

    def score(self, shared, arm, alpha, beta, rng):
        self.lam = 2.0
        return alpha


class Divides(Own):
    def score(self, shared, arm, alpha, beta, rng):
        return alpha / (arm - 1)


class WrongBound(Own):
    def score(self, shared, arm, alpha, beta, rng):
        return (alpha + 0.3) / (alpha + beta)

    def bounds(self, shared, arm, alpha, beta):
        return -math.inf, alpha / (alpha + beta)


class OneBound(Own):
    def bounds(self, shared, arm, alpha, beta):
        return 1.0


class Lists(Own):
    def score(self, shared, arm, alpha, beta, rng):
        return [alpha, beta][arm % 2]


class Sorts(Own):
    def score(self, shared, arm, alpha, beta, rng):
        return sorted([alpha, beta])[0]


class ReadsATable(Own):
    def score(self, shared, arm, alpha, beta, rng):
        return TABLE[arm]


class Words(Own):
    def prepare(self, trial, arms, assumed, rng):
        return "shared"


class Loose(aw.QuantilePolicy):
    stochastic = True

    def prepare(self, trial, arms, assumed, rng):
        return True, 1.0


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        (Text, r"Text\.score must return a number, not 'high'\."),
        (Nothing, r"Nothing\.score must return a number, not None\."),
        (Unknown, r"reads self\.lamb, which is not a parameter of Unknown\. Known: lam\."),
        (Few, r"Few\.score must take \(self, shared, arm, alpha, beta, rng\)\."),
        (Silent, r"Silent defines no score\("),
        (Helpful, r"Helpful\.score calls self\.helper: write it as a function of the module"),
        (NotANumber, r"^NotANumber: the score of arm 1 is NaN in trial 1 of agent 0\.$"),
        (
            NotANumberLater,
            r"^NotANumberLater: the score of arm 2 is NaN in trial 46 of agent \d\.$",
        ),
        (Draws, r"Draws\.score draws from np\.random\.rand: draw from `rng`"),
        (DrawsFromAGenerator, r"DrawsFromAGenerator\.score draws from RNG: draw from `rng`"),
        (DrawsFromPython, r"DrawsFromPython\.score draws from gauss: draw from `rng`"),
        (Forgets, r"^Forgets does not repeat itself: "),
        (Named, r"Named\.score reads self\.BONUS, which .* no type: write `BONUS: float = \.\.\.`"),
        (Extra, r"Extra\.score must take \(self, shared, arm, alpha, beta, rng\)\."),
        (Writes, r"Writes cannot change: lam is fixed \(.*test_users_code\.py, line \d+\)"),
        (DrawsElsewhere, r"DrawsElsewhere\.score draws from random\.random: draw from `rng`"),
        (Divides, r"Divides\.score failed: ZeroDivisionError: .*test_users_code\.py, line \d+"),
        (WrongBound, r"WrongBound\.bounds returned -inf and 0\.5, and the score .* is 0\.65"),
        (OneBound, r"OneBound\.bounds must return two numbers"),
        (Lists, r"Lists cannot be compiled.*: it makes a list, a dictionary"),
        (
            Sorts,
            r"Sorts cannot be compiled \(.*code\.py, line \d+\): sorted\(\.\.\.\) is not known",
        ),
        (ReadsATable, r"ReadsATable\.score uses TABLE, a dict: .*device=\"python\" runs any"),
        (Words, r"Words\.prepare must return a number or a tuple of numbers, not 'shared'\."),
        (Loose, r"Loose\.prepare must return a tuple of at most 8 floats"),
    ],
)
def test_a_policy_that_cannot_be_played(policy, words):
    with pytest.raises(aw.InputError, match=words):
        aw.simulate(BANDIT, aw.Agent(policy()), 60, 3)


class OutOfRange(aw.Actor):
    """Chooses an arm that is not there, after some time."""

    late: int = aw.parameter(default=0, low=0, meaning="trials in which it behaves")

    def memory_size(self, arms):
        return 1

    def act(self, memory, arms, trial, rng):
        return arms if trial > self.late else 0

    def learn(self, memory, arms, trial, arm, outcome, rng):
        return 0.0


class WritesElsewhere(OutOfRange):
    def act(self, memory, arms, trial, rng):
        return 0

    def learn(self, memory, arms, trial, arm, outcome, rng):
        memory[100_000_000] = 1.0
        return 0.0


class TooSure(aw.Bandit):
    """Its probabilities leave [0, 1] after some time."""

    arms: int = aw.parameter(default=3, low=2, meaning="number of arms")
    late: int = aw.parameter(default=50, low=0, meaning="trials in which it behaves")

    def start(self, rng):
        return 0.0

    def move(self, state, trial, rng):
        return state + 1.0 if trial > self.late else state

    def theta(self, state, arm, previous, rng):
        return 0.5 + state


@pytest.mark.parametrize("device", ["cpu", "python"])
@pytest.mark.parametrize("late", [0, 45])
def test_what_leaves_its_range_is_named_with_its_trial(device, late):
    words = rf"^OutOfRange\.act returned 3 in trial {late + 1} of agent \d; it must .* 0 to 2\.$"
    with pytest.raises(aw.InputError, match=words):
        aw.simulate(BANDIT, OutOfRange(late=late), 60, 3, device=device)
    words = rf"^TooSure: the theta of arm 2 is not in \[0, 1\] in trial {late + 1} of agent \d\.$"
    with pytest.raises(aw.InputError, match=words):
        aw.simulate(TooSure(late=late), aw.Agent(aw.UCB()), 60, 3, device=device)


def test_a_write_beyond_the_memory_is_met_before_anything_is_compiled():
    with pytest.raises(aw.InputError, match=r"WritesElsewhere\.learn failed: IndexError"):
        aw.simulate(BANDIT, WritesElsewhere(), 60, 3)


class NothingLater(Own):
    """Forgets to return, later than a rehearsal looks."""

    def prepare(self, trial, arms, assumed, rng):
        return trial

    def score(self, shared, arm, alpha, beta, rng):
        if shared <= 45:
            return alpha


def test_a_result_that_is_missing_late_is_a_sentence_on_every_device():
    agent = aw.Agent(NothingLater())
    with pytest.raises(aw.InputError, match=r'^NothingLater failed .* device="python" shows where'):
        aw.simulate(BANDIT, agent, 60, 3)
    with pytest.raises(aw.InputError, match=r"^NothingLater\.score must return a number, not None"):
        aw.simulate(BANDIT, agent, 60, 3, device="python")


def test_a_component_needs_no_decorator():
    @dataclasses.dataclass(frozen=True)
    class Decorated(Own):
        lam: float = aw.parameter(default=0.5, low=0, meaning="weight")

    with pytest.raises(aw.InputError, match=r"^Decorated: leave out @dataclass, every"):
        Decorated(lam=2)


@pytest.mark.parametrize("component", [aw.UCB(), aw.Smile(), aw.Universal()], ids=str)
def test_a_component_cannot_change(component):
    name = next(iter(component.parameters()), "new")
    with pytest.raises(dataclasses.FrozenInstanceError, match=f"cannot change: {name} is fixed"):
        setattr(component, name, 0.5)
    with pytest.raises(dataclasses.FrozenInstanceError, match=f"cannot change: {name} is fixed"):
        delattr(component, name)


def countdown(number):
    return number if number < 1.0 else countdown(number - 1.0)


class Recursive(Own):
    """A helper that calls itself."""

    def score(self, shared, arm, alpha, beta, rng):
        return countdown(alpha) + alpha / (alpha + beta)


def test_a_helper_may_call_itself():
    asked = {"horizon": 40, "agents": 3, "seed": 1}
    found = [
        aw.simulate(BANDIT, aw.Agent(Recursive()), device=device, **asked).regret
        for device in ("python", "cpu")
    ]
    np.testing.assert_array_equal(*found)
