"""A single thread per agent, and one pass over its arms per trial.

For policies whose scores depend only on beliefs, with the largest score chosen. Learning writes the
new beliefs and finds the best arm in the same pass; nothing else is kept. If scores tie, they are
computed again and the tie is broken as always.
"""

import math
from typing import Any, NamedTuple

from armwise.engine.definition import assume, change, learner_begin, prepare, score, update
from armwise.model.draws import EVERY_ARM, Stream, for_arm, integer
from armwise.model.ties import choice_stream, tie_below
from armwise.numerics.hook import hook

CHOICE, TIED = 0, 1  # places in the state: the best arm, and whether others tie with it
STATES = 2


@hook
def known_arms() -> int:
    """The number of arms (bound by the engine as a constant of the compiled code)."""
    raise NotImplementedError


@hook
def threads() -> int:
    """The number of threads in a block, which share its memory (bound by the engine)."""
    raise NotImplementedError


class SingleState(NamedTuple):
    """The state of an agent: its beliefs and its next choice."""

    alpha: Any
    beta: Any
    memory: Any
    chosen: Any  # at CHOICE and TIED


def view_single(table: Any, memory: Any, kept: Any) -> SingleState:
    """The parts of the table by name."""
    return SingleState(table[0], table[1], memory, table[2])


def begin_single(agent: Any, state: Any, arms: int) -> None:
    """Same as `begin_plain`; all arms tie."""
    learner_begin(agent.learner, state.memory, arms)
    assumed = assume(agent.learner, state.memory)
    for arm in range(arms):
        state.alpha[arm] = assumed.alpha0
        state.beta[arm] = assumed.beta0
    state.chosen[TIED] = 1.0


def act_single(agent: Any, state: Any, arms: int, trial: int, rng: Stream) -> int:
    """The arm found best while learning, or one of those that tie."""
    if state.chosen[TIED] == 0.0:
        return int(state.chosen[CHOICE])
    shared = prepare(agent.policy, trial, arms, assume(agent.learner, state.memory), rng)
    best = -math.inf
    for arm in range(arms):
        best = max(best, arm_score(agent, state, shared, arm, rng))
    threshold = tie_below(best)
    ties = 0
    for arm in range(arms):
        ties += 1 if arm_score(agent, state, shared, arm, rng) >= threshold else 0
    own = choice_stream(rng)
    rank = integer(for_arm(own, EVERY_ARM), 0, ties) if ties > 1 else 0
    for arm in range(arms):
        if arm_score(agent, state, shared, arm, rng) >= threshold:
            if rank == 0:
                return arm
            rank -= 1
    return -1


def arm_score(agent: Any, state: Any, shared: Any, arm: int, rng: Stream) -> float:
    """The score of one arm."""
    return score(agent.policy, shared, arm, state.alpha[arm], state.beta[arm], for_arm(rng, arm))


def learn_single(
    agent: Any, state: Any, arms: int, trial: int, arm: int, outcome: int, rng: Stream
) -> float:
    """Same as `learn_plain`; it also finds the best arm."""
    gamma = change(agent.learner, state.memory, arm, outcome, state.alpha[arm], state.beta[arm])
    shared = prepare(agent.policy, trial, arms, assume(agent.learner, state.memory), rng)
    best = -math.inf
    second = -math.inf
    choice = 0
    for k in range(arms):
        alpha, beta = update(
            agent.learner, state.memory, gamma, k, k == arm, outcome, state.alpha[k], state.beta[k]
        )
        state.alpha[k] = alpha
        state.beta[k] = beta
        value = score(agent.policy, shared, k, alpha, beta, for_arm(rng, k))
        better = value > best
        second = best if better else max(second, value)
        choice = k if better else choice
        best = value if better else best
    state.chosen[CHOICE] = choice
    state.chosen[TIED] = 1.0 if second >= tie_below(best) else 0.0
    return gamma
