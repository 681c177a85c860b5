"""A crowd: one thread per agent and one pass over its arms per trial.

For policies whose scores depend on beliefs alone (`lasts`) and a choice of the largest score.
Learning writes the new beliefs, and while it has them at hand finds the arm that is best by them:
nothing else is kept. Where scores tie, they are computed again and the tie is broken as always.
"""

import math
from typing import Any, NamedTuple

from armwise.engine.definition import assume, change, learner_begin, prepare, score, update
from armwise.model.draws import EVERY_ARM, Stream, for_arm, integer
from armwise.model.ties import choice_stream, tie_below

CHOICE, TIED = 0, 1  # what the state holds: the arm that is best, and whether others tie with it
STATES = 2


def crowd_arms() -> int:
    """How many arms there are (bound by the engine, so that the compiler knows)."""
    raise NotImplementedError


def crowd_block() -> int:
    """How many threads share the fast memory (bound by the engine)."""
    raise NotImplementedError


class Member(NamedTuple):
    """A mind that knows its beliefs and its next choice."""

    alpha: Any
    beta: Any
    memory: Any
    state: Any


def crowd_view(table: Any, memory: Any) -> Member:
    """The parts of the table by name."""
    return Member(table[0], table[1], memory, table[2])


def crowd_begin(agent: Any, mind: Any, arms: int) -> None:
    """As `mind.composed_begin`: all arms are alike."""
    learner_begin(agent.learner, mind.memory, arms)
    assumed = assume(agent.learner, mind.memory)
    for arm in range(arms):
        mind.alpha[arm] = assumed.alpha0
        mind.beta[arm] = assumed.beta0
    mind.state[TIED] = 1.0


def crowd_act(agent: Any, mind: Any, arms: int, trial: int, rng: Stream) -> int:
    """The arm that was found best while learning, or one of those that tie."""
    if mind.state[TIED] == 0.0:
        return int(mind.state[CHOICE])
    shared = prepare(agent.policy, trial, arms, assume(agent.learner, mind.memory), rng)
    best = -math.inf
    for arm in range(arms):
        best = max(best, arm_score(agent, mind, shared, arm, rng))
    threshold = tie_below(best)
    ties = 0
    for arm in range(arms):
        ties += 1 if arm_score(agent, mind, shared, arm, rng) >= threshold else 0
    own = choice_stream(rng)
    rank = integer(for_arm(own, EVERY_ARM), 0, ties) if ties > 1 else 0
    for arm in range(arms):
        if arm_score(agent, mind, shared, arm, rng) >= threshold:
            if rank == 0:
                return arm
            rank -= 1
    return 0


def arm_score(agent: Any, mind: Any, shared: Any, arm: int, rng: Stream) -> float:
    """The score of one arm."""
    return score(agent.policy, shared, arm, mind.alpha[arm], mind.beta[arm], for_arm(rng, arm))


def crowd_learn(
    agent: Any, mind: Any, arms: int, trial: int, arm: int, outcome: int, rng: Stream
) -> float:
    """As `mind.composed_learn`; finds the best arm on the way."""
    gamma = change(agent.learner, mind.memory, arm, outcome, mind.alpha[arm], mind.beta[arm])
    shared = prepare(agent.policy, trial, arms, assume(agent.learner, mind.memory), rng)
    best = -math.inf
    second = -math.inf
    choice = 0
    for k in range(arms):
        alpha, beta = update(
            agent.learner, mind.memory, gamma, k, k == arm, outcome, mind.alpha[k], mind.beta[k]
        )
        mind.alpha[k] = alpha
        mind.beta[k] = beta
        value = score(agent.policy, shared, k, alpha, beta, for_arm(rng, k))
        better = value > best
        second = best if better else max(second, value)
        choice = k if better else choice
        best = value if better else best
    mind.state[CHOICE] = choice
    mind.state[TIED] = 1.0 if second >= tie_below(best) else 0.0
    return gamma
