"""The definition of an actor whose scores go through a choice rule."""

from typing import Any, NamedTuple

from armwise.engine.definition import pick_scored
from armwise.engine.habits import follow_choice
from armwise.model.draws import Stream
from armwise.model.roles import Actor
from armwise.model.ties import choice_stream
from armwise.numerics.hook import hook

score_arms = Actor.score_arms

ROWS = 3  # numbers per arm


@hook
def begin_actor(actor: Any, memory: Any, arms: int) -> None:
    """Prepare the memory: the actor's `begin`, if it has one."""


@hook
def learn_actor(
    actor: Any, memory: Any, arms: int, trial: int, arm: int, outcome: int, rng: Stream
) -> float:
    """The actor's `learn` (bound by the engine)."""
    raise NotImplementedError


class ChooserState(NamedTuple):
    """The state of a chooser: rows with a number per arm, and the actor's memory."""

    score: Any
    key: Any
    habit: Any
    memory: Any


def view_choosing(table: Any, memory: Any, kept: Any) -> ChooserState:
    """The rows of the table by name."""
    return ChooserState(table[0], table[1], table[2], memory)


def begin_choosing(agent: Any, state: Any, arms: int) -> None:
    """Let the actor begin; there is no habit yet."""
    begin_actor(agent.actor, state.memory, arms)
    for arm in range(arms):
        state.habit[arm] = 0.0


def score_choosing(agent: Any, state: Any, arms: int, trial: int, rng: Stream) -> None:
    """Write every arm's score."""
    score_arms(agent.actor, state.memory, arms, trial, state.score)


def act_choosing(agent: Any, state: Any, arms: int, trial: int, rng: Stream) -> int:
    """Score every arm, then choose one."""
    score_choosing(agent, state, arms, trial, rng)
    return pick_scored(agent, state, arms, choice_stream(rng))


def learn_choosing(
    agent: Any, state: Any, arms: int, trial: int, arm: int, outcome: int, rng: Stream
) -> float:
    """The habit follows the choice; then the actor learns."""
    follow_choice(agent, state, arms, arm)
    return learn_actor(agent.actor, state.memory, arms, trial, arm, outcome, rng)
