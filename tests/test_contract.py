"""Every exported component keeps the contract; so do components that nobody registered."""

import math

import pytest

import armwise as aw
from armwise import registry
from armwise.model.component import parameter, parameters_of
from armwise.model.draws import integer, uniform
from armwise.model.roles import Actor, Assumed, Bandit, Choice, Learner, Policy
from armwise.testing import check_contract

EXPORTED = [
    cls
    for role in ("bandit", "learner", "policy", "choice", "actor")
    for cls in registry.known(role).values()
]


@pytest.mark.parametrize("component", EXPORTED, ids=lambda cls: cls.label)
def test_an_exported_component_keeps_the_contract(component):
    check_contract(component())


@pytest.mark.parametrize("component", EXPORTED, ids=lambda cls: cls.label)
def test_an_exported_component_is_documented(component):
    assert getattr(aw, component.__name__) is component
    assert component.__doc__
    assert component.equation
    assert component.reference
    for field in parameters_of(component):
        assert field.metadata["meaning"]


def bonus(evidence: float) -> float:
    return 1.0 / math.sqrt(evidence)


class Curious(Policy):
    """A policy of a user's own, with a helper function and a parameter."""

    strength: float = parameter(default=0.3, low=0, meaning="weight of the bonus")

    def score(self, shared, arm, alpha, beta, rng):
        return alpha / (alpha + beta) + self.strength * bonus(alpha + beta)


class Leaky(Learner):
    """Counts that leak, with a private memory of the trials seen."""

    leak: float = parameter(default=0.05, low=0, high=1, meaning="loss per trial")

    def memory_size(self, arms: int) -> int:
        return 1

    def assume(self, memory):
        return Assumed(self.leak, 1.0, 1.0)

    def change(self, memory, arm, outcome, alpha, beta):
        memory[0] += 1.0
        return self.leak

    def update(self, memory, gamma, arm, chosen, outcome, alpha, beta):
        alpha = alpha + gamma * (1.0 - alpha)
        beta = beta + gamma * (1.0 - beta)
        if chosen:
            alpha += outcome
            beta += 1 - outcome
        return alpha, beta


class Seasons(Bandit):
    """Thetas given as a vector; the arms rotate every `period` trials."""

    means: tuple[float, ...] = parameter(default=(0.1, 0.5, 0.9), low=0, high=1, meaning="thetas")
    period: int = parameter(default=20, low=1, meaning="trials per season")
    arms: int = parameter(default=3, low=2, meaning="number of arms")

    def start(self, rng):
        return 0.0

    def move(self, state, trial, rng):
        return float((trial - 1) // self.period)

    def theta(self, state, arm, previous, rng):
        return self.means[(arm + int(state)) % self.arms]


class Sharpened(Choice):
    """A choice of a user's own: a little noise on every score."""

    noise: float = parameter(default=0.1, low=0, meaning="width of the noise")

    def key(self, score, rng):
        return score + self.noise * uniform(rng, 0)


class Rotating(Actor):
    """A whole agent: stays while it wins, else moves on."""

    def memory_size(self, arms: int) -> int:
        return 1

    def begin(self, memory, arms):
        memory[0] = 0.0

    def act(self, memory, arms, trial, rng):
        if uniform(rng, 0) < 0.01:
            return integer(rng, 1, arms)
        return int(memory[0])

    def learn(self, memory, arms, trial, arm, outcome, rng):
        memory[0] = arm if outcome else (arm + 1) % arms
        return 0.0


@pytest.mark.parametrize(
    "component",
    [Curious(), Leaky(), Seasons(), Sharpened(), Rotating()],
    ids=lambda c: type(c).__name__,
)
def test_a_component_that_nobody_registered_keeps_the_contract(component):
    check_contract(component)


class Secret(Curious):
    """It draws, and does not say so."""

    def score(self, shared, arm, alpha, beta, rng):
        return uniform(rng, 0)


class Modest(Curious):
    """It says that it draws, and does not."""

    stochastic = True


class Late(Curious):
    """Its bound is too low where the evidence is large, so that it changes choices."""

    def bounds(self, shared, arm, alpha, beta):
        return -math.inf, 1.0 / (alpha + beta)


@pytest.mark.parametrize(
    ("component", "words"),
    [
        (Secret, "stochastic is False, but scores depend on rng"),
        (Modest, "stochastic is True, but scores do not depend on rng"),
    ],
)
def test_what_a_policy_says_of_its_draws_is_compared_with_its_scores(component, words):
    with pytest.raises(AssertionError, match=words):
        check_contract(component(), devices=("python",))


def test_a_wrong_hint_breaks_the_contract():
    with pytest.raises(aw.InputError, match=r"Late\.bounds returned .* it must lie between them"):
        check_contract(Late())
