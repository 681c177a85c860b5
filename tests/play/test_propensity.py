"""The probability of every choice: against frequencies, SciPy, and closed forms."""

import itertools
import math
import pickle
from collections import Counter
from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats

import armwise as aw
from armwise import Agent, InputError, Smile, policies
from armwise.engine import background, winners
from armwise.model.draws import AGENT, stream, uniform
from armwise.model.roles import Actor
from armwise.play.player import Player
from armwise.testing import learner_for

NAMES = ["a", "b", "c", "d"]
COUNT = 4_000
DRAWN = [
    Agent(aw.ThompsonSampling()),
    Agent(aw.ThompsonSampling(), Smile(rho=0.2)),
    Agent(aw.OptimisticThompsonSampling()),
    Agent(aw.OptimisticThompsonSampling(), Smile(rho=0.2, alpha0=1.0, beta0=3.0)),
    Agent(aw.EpsilonThompsonSampling(epsilon=0.5), choice=aw.LapsingArgmax(lapse=0.1)),
    Agent(aw.SampledActiveInference(lam=0.5), Smile(rho=0.1)),
]
OTHERS = [
    Agent(aw.MeanOutcome()),
    Agent(aw.RandomChoice()),
    Agent(aw.ExactActiveInference(lam=2.0), choice=aw.Softmax(precision=2.0)),
    Agent(aw.ExactActiveInference(), choice=aw.HabitualSoftmax(precision=2.0, stick=1.0)),
]


def taught(agent: Any, arms: Any = NAMES, trials: int = 12) -> Player:
    """A player that saw some outcomes; the first two arms are alike for those that explore all."""
    player = Player(agent, arms, seed=11, compile=False)
    for trial in range(trials):
        player.observe(player.choose(among=[arms[trial % len(arms)]]), trial % 3 == 0)
    return player


@pytest.mark.parametrize("agent", [*DRAWN, *OTHERS], ids=str)
@pytest.mark.parametrize("among", [None, ["d", "b"]], ids=["all", "some"])
def test_it_is_the_frequency_of_each_arm(agent: Agent, among: Any) -> None:
    player = taught(agent)
    counts: Counter[Any] = Counter()
    stated: dict[Any, float] = {}
    for _ in range(COUNT):
        ticket = player.choose(among=among)
        counts[ticket.arm] += 1
        if ticket.arm not in stated:
            stated[ticket.arm] = ticket.probability  # type: ignore[assignment]
        player.forget(ticket)
    assert math.isclose(sum(stated.values()), 1.0, abs_tol=0.05)  # arms that are never chosen
    for arm, p in stated.items():
        error = math.sqrt(p * (1 - p) / COUNT)
        assert abs(counts[arm] / COUNT - p) <= 5 * error


def wins(alpha: list[float], beta: list[float], level: float = 0.0) -> list[float]:
    """By SciPy: each draw is the largest of all, and above a level."""
    beliefs = [stats.beta(a, b) for a, b in zip(alpha, beta, strict=True)]

    def density(x: float, arm: int) -> float:
        others = (each.cdf(x) for place, each in enumerate(beliefs) if place != arm)
        return float(beliefs[arm].pdf(x) * math.prod(others))

    marks = sorted({float(each.ppf(q)) for each in beliefs for q in (0.01, 0.5, 0.99)})
    edges = [level, *(mark for mark in marks if mark > level), 1.0]
    return [
        sum(
            integrate.quad(density, low, high, (arm,), epsabs=1e-11, limit=200)[0]
            for low, high in itertools.pairwise(edges)
        )
        for arm in range(len(beliefs))
    ]


def stated(player: Player, trial: int, compiled: bool) -> np.ndarray:
    """What is said of all arms by machine code, or interpreted."""
    background._made.pop(winners._KIND, None)
    if compiled:
        background.make(winners._KIND, winners._compile)
    else:
        background._made[winners._KIND] = None
    state = player._solo.state
    found = winners.of_drawn(player.agent, range(10), state.alpha, state.beta, [], trial)
    background._made.pop(winners._KIND, None)
    return np.array(found)


@pytest.mark.parametrize("optimist", [False, True])
def test_ten_arms_within_a_millionth(optimist: bool) -> None:
    rho = 0.1 if optimist else 0.0
    policy = aw.OptimisticThompsonSampling() if optimist else aw.ThompsonSampling()
    player = taught(Agent(policy, Smile(rho=rho)), list(range(10)), 70)
    alpha, beta = map(list, zip(*player.beliefs().values(), strict=True))
    means = np.array([a / (a + b) for a, b in zip(alpha, beta, strict=True)])
    means += rho * (0.5 - means)
    expected = np.zeros(10)
    for weight, a, b in ((1 - rho, alpha, beta), (rho, [1.0] * 10, [1.0] * 10)):
        if weight > 0:
            found = np.array(wins(a, b, max(means) if optimist else 0.0))
            leaders = means >= max(means) - 1e-12
            nobody = 1.0 - found.sum() if optimist else 0.0
            expected += weight * (found + nobody * leaders / leaders.sum())
    ticket = player.choose()
    for compiled in (False, True):
        found = stated(player, ticket.trial, compiled)
        assert np.abs(found - expected).max() < 1e-6
        assert found[int(ticket.arm)] == pytest.approx(ticket.probability, abs=1e-9)


def test_it_does_not_change_with_what_is_learned_later() -> None:
    for agent in (DRAWN[1], OTHERS[2], OTHERS[3]):
        player = taught(agent)
        early, late = player.choose(), player.choose()
        before = late.probability
        player.observe(early, 1)
        player.observe(late, 0)
        player.add_arm("e")
        assert late.probability == before
        assert pickle.loads(pickle.dumps(late)).probability == before


class Tossing(Actor):
    """The first arm, or with a draw of its own the second."""

    def memory_size(self, arms: int) -> int:
        return 1

    def act(self, memory: Any, arms: int, trial: int, rng: Any) -> int:
        return 1 if uniform(rng, 0) < 0.3 else 0

    def learn(self, memory: Any, arms: int, trial: int, arm: int, outcome: int, rng: Any) -> float:
        return 0.0


class First(Tossing):
    """The first arm."""

    def act(self, memory: Any, arms: int, trial: int, rng: Any) -> int:
        return 0


def test_an_actor_is_asked_before_its_next_outcome() -> None:
    for actor in (aw.BOCPD(), aw.Universal(), aw.WindowUCB(), aw.DiscountedUCB()):
        player = actor.start(NAMES)
        first = player.choose()
        assert first.probability == 1 / 4
        player.observe(first, 0)
        with pytest.raises(InputError, match="before the next outcome is learned"):
            first.probability  # noqa: B018
        assert pickle.loads(pickle.dumps(first)).probability is None
        assert player.choose().probability == 1 / 3


def test_an_actor_that_draws_has_none_and_one_that_does_not_is_certain() -> None:
    assert Tossing().start(NAMES).choose().probability is None
    assert First().start(NAMES).choose().probability == 1.0


def test_every_policy_that_chooses_the_largest_score_has_a_propensity() -> None:
    for policy in (getattr(policies, name)() for name in policies.__all__):
        agent = Agent(policy, learner_for(policy, aw.Smile()))
        assert agent.start(NAMES).choose().probability is not None


def test_a_softmax_over_drawn_scores_has_none() -> None:
    soft = Agent(aw.ThompsonSampling(), choice=aw.Softmax()).start(NAMES)
    assert soft.choose().probability is None


class Stating(Tossing):
    """The second arm with a probability that it states."""

    def chance_of(self, memory: Any, arms: int, trial: int, arm: int) -> float:
        return (0.7, 0.3, 0.0, 0.0)[arm]


@pytest.mark.parametrize("actor", [Stating(), aw.EXP3S(horizon=50)], ids=str)
def test_what_an_actor_states_is_the_frequency_of_each_arm(actor: Actor) -> None:
    player = taught_actor(actor)
    memory, count = player._solo.memory, 200_000
    found = winners.of_actor(actor, memory, 4, 20) or []
    assert len(found) == 4
    arms = [actor.act(memory, 4, 20, stream(seed, 0, AGENT, 20)) for seed in range(count)]
    for arm, p in enumerate(found):
        assert abs(arms.count(arm) / count - p) <= 5 * math.sqrt(p * (1 - p) / count)
    ticket = player.choose()
    assert ticket.probability == found[NAMES.index(str(ticket.arm))]


def taught_actor(actor: Actor) -> Player:
    """An actor that saw 19 outcomes."""
    player = Player(actor, NAMES, seed=11, compile=False)
    for trial in range(19):
        player.observe(player.choose(), trial % 3 == 0)
    return player


def test_a_slate_states_what_was_left_to_choose_from() -> None:
    player = Agent(aw.RandomChoice()).start(NAMES)
    assert [ticket.probability for ticket in player.choose(3, distinct=True)] == [
        1 / 4,
        1 / 3,
        1 / 2,
    ]
