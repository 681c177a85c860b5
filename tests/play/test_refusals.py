"""What a player refuses: a sentence, and nothing changes."""

import math
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armwise as aw
from armwise import (
    UCB,
    Agent,
    ApproximateActiveInference,
    InputError,
    Smile,
    Softmax,
    ThompsonSampling,
)
from armwise.model.component import parameter
from armwise.model.draws import for_arm, integer, uniform
from armwise.model.roles import Actor, Assumed, Learner, Policy
from armwise.play.player import Player

SMILE = Smile(rho=0.05, alpha0=1.5, beta0=2.0)

AGENTS = [
    Agent(ApproximateActiveInference(), SMILE),
    Agent(ApproximateActiveInference(), SMILE, Softmax(precision=3)),
    Agent(ThompsonSampling(), SMILE),
    Agent(UCB(), SMILE),
]


class Counting(Actor):
    """Picks at random among the arms that paid most, by net successes."""

    chance: float = parameter(default=0.1, low=0, high=1, meaning="probability of a random arm")

    def memory_size(self, arms: int) -> int:
        return arms

    def act(self, memory: Any, arms: int, trial: int, rng: Any) -> int:
        if uniform(rng, 0) < self.chance:
            return integer(rng, 1, arms)
        best = 0
        for arm in range(arms):
            if memory[arm] + uniform(for_arm(rng, arm), 0) > memory[best] + 0.5:
                best = arm
        return best

    def learn(self, memory: Any, arms: int, trial: int, arm: int, outcome: int, rng: Any) -> float:
        memory[arm] += 2 * outcome - 1 + 1e-3 * uniform(rng, 3)
        return 0.0


class Noting(Learner):
    """A learner that remembers more than beliefs."""

    def memory_size(self, arms: int) -> int:
        return 2

    def assume(self, memory: Any) -> Assumed:
        return Assumed(0.0, 1.0, 1.0)

    def change(self, memory: Any, arm: int, outcome: int, alpha: float, beta: float) -> float:
        memory[0] += 0.1
        memory[1] = math.inf if outcome else -math.inf
        return 0.0

    def update(
        self,
        memory: Any,
        gamma: float,
        arm: int,
        chosen: bool,
        outcome: int,
        alpha: float,
        beta: float,
    ) -> tuple[float, float]:
        return (alpha + outcome, beta + 1 - outcome) if chosen else (alpha, beta)


class Failing(Noting):
    """Fails at the second arm, after it changed the first."""

    def update(
        self,
        memory: Any,
        gamma: float,
        arm: int,
        chosen: bool,
        outcome: int,
        alpha: float,
        beta: float,
    ) -> tuple[float, float]:
        if arm == 1:
            raise ZeroDivisionError
        return alpha + 1.0, beta


class Undefined(Policy):
    """Scores that are no numbers."""

    def score(self, shared: Any, arm: int, alpha: float, beta: float, rng: Any) -> float:
        return math.nan


def state(player: Player) -> str:
    """Everything a player would carry over a restart."""
    with tempfile.TemporaryDirectory() as folder:
        player.save(Path(folder) / "state.json")
        return (Path(folder) / "state.json").read_text()


ACTOR = Counting()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda p: p.observe(p.choose(), 2), "An outcome must be 0 or 1, not 2."),
        (lambda p: p.observe(1, "1"), "An outcome must be 0 or 1, not '1'."),
        (lambda p: p.observe(1, None), "An outcome must be 0 or 1, not None."),
        (lambda p: p.observe(1, np.array([1])), "An outcome must be 0 or 1"),
        (lambda p: p.observe(1, math.nan), "An outcome must be 0 or 1, not nan."),
        (lambda p: p.observe(9, 1), "There is no ticket 9: 2 were issued so far."),
        (lambda p: p.observe(0, 1), "There is no ticket 0"),
        (lambda p: p.observe(2, 1), "Ticket 2 is closed: it was observed, forgotten, or expired."),
        (lambda p: p.forget(2), "Ticket 2 is closed"),
        (lambda p: p.observe("1", 1), "A ticket must be a Ticket or its number, not '1'."),
        (lambda p: p.observe(True, 1), "A ticket must be a Ticket or its number, not True."),
        (lambda p: p.choose(among=["gren"]), "There is no arm 'gren'; did you mean 'green'?"),
        (lambda p: p.choose(among=[]), "among must name at least one arm, not none."),
        (lambda p: p.choose(among="red"), "among must be a list"),
        (lambda p: p.choose(among=3), "among must be a list"),
        (lambda p: p.choose(among=[["red"]]), "An arm must be a string or a whole number"),
        (lambda p: p.add_arm("red"), "There already is an arm 'red'."),
        (lambda p: p.add_arm(True), "An arm must be a string or a whole number, not True."),
        (lambda p: p.add_arm(1.5), "An arm must be a string or a whole number, not 1.5."),
        (lambda p: p.remove_arm("rde"), "There is no arm 'rde'; did you mean 'red'?"),
        (lambda p: p.save("/nowhere/at/all.json"), "/nowhere/at/all.json cannot be written"),
    ],
)
def test_refusals_change_nothing(call: Any, message: str) -> None:
    player = AGENTS[0].start(["red", "green"])
    player.choose()
    player.observe(player.choose(), 1)
    before = player.beliefs(), player.arms
    with pytest.raises(InputError) as refusal:
        call(player)
    assert str(refusal.value).startswith(message)
    assert (player.beliefs(), player.arms) == before
    assert 1 in player.open


@pytest.mark.parametrize(
    ("arms", "message"),
    [
        (["a"], "arms must be at least 2 different ones, not ['a']."),
        ([], "arms must be at least 2"),
        (["a", "b", "a"], "arms must be at least 2 different ones"),
        ("ab", "arms must be a list"),
        (3, "arms must be a list"),
        ([True, False], "An arm must be a string or a whole number, not True."),
        ([1.0, 2.0], "An arm must be a string or a whole number, not 1.0."),
        ([("a",), "b"], "An arm must be a string or a whole number"),
    ],
)
def test_unusable_arms(arms: Any, message: str) -> None:
    with pytest.raises(InputError) as refusal:
        AGENTS[0].start(arms)
    assert str(refusal.value).startswith(message)


def test_unusable_seed_and_agent() -> None:
    with pytest.raises(InputError, match="seed must be a whole number"):
        AGENTS[0].start(["a", "b"], seed=-1)
    with pytest.raises(InputError, match="The agent must be an Agent"):
        Player(UCB(), ["a", "b"])  # type: ignore[arg-type]


def test_a_ticket_of_another_player_is_refused() -> None:
    one, other = AGENTS[0].start(["a", "b"]), AGENTS[0].start(["a", "b"])
    ticket = one.choose()
    other.choose()
    with pytest.raises(InputError, match="was issued by another player"):
        other.observe(ticket, 1)


@pytest.mark.parametrize(
    ("agent", "message"),
    [(ACTOR, "cannot add or remove arms"), (Agent(UCB(), Noting()), "Noting cannot add or remove")],
)
def test_arms_that_cannot_change(agent: Any, message: str) -> None:
    player = Player(agent, ["a", "b"])
    before = state(player)
    with pytest.raises(InputError, match=message):
        player.add_arm("c")
    with pytest.raises(InputError, match=message):
        player.remove_arm("a")
    assert state(player) == before


def test_an_actor_has_no_among_and_no_beliefs() -> None:
    player = Player(ACTOR, ["a", "b"])
    with pytest.raises(InputError, match="chooses among all its arms"):
        player.choose(among=["a"])
    with pytest.raises(InputError, match="keeps no Beta beliefs"):
        player.beliefs()


def test_a_component_that_fails_half_way_leaves_the_beliefs() -> None:
    player = Agent(UCB(), Failing()).start(["a", "b"])
    ticket = player.choose()
    before = state(player)
    with pytest.raises(ZeroDivisionError):
        player.observe(ticket, 1)
    assert state(player) == before


def test_scores_that_are_no_numbers_are_refused() -> None:
    player = Agent(Undefined()).start(["a", "b"])
    with pytest.raises(InputError, match="the score of arm 'b' is NaN in trial 1"):
        player.choose(among=["b"])
    assert player.open == []


class Numbered(aw.Actor):
    """An actor that chooses what it is given."""

    arm: float = aw.parameter(default=0.0, meaning="what it returns")

    def memory_size(self, arms):
        return 0

    def act(self, memory, arms, trial, rng):
        return int(self.arm) if self.arm == int(self.arm) else self.arm

    def learn(self, memory, arms, trial, arm, outcome, rng):
        return 0.0


@pytest.mark.parametrize("arm", [7, -1, 0.5])
def test_an_actor_that_chooses_no_arm_is_named_with_its_arm(arm):
    player = Numbered(arm=arm).start(["a", "b", "c"])
    with pytest.raises(aw.InputError, match=rf"act returned {arm:g} in trial 1; .* from 0 to 2"):
        player.choose()
    assert player.open == []


class Nameless(aw.Policy):
    """A policy without a score for the second arm."""

    def score(self, shared, arm, alpha, beta, rng):
        return math.nan if arm == 1 else alpha


def test_a_score_that_is_nan_is_named_with_its_arm():
    player = aw.Agent(Nameless()).start(["red", "green"])
    with pytest.raises(aw.InputError, match="the score of arm 'green' is NaN in trial 1"):
        player.choose()
