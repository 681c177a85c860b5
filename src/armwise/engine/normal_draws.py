"""Normal draws, followed exactly: those of all arms are integrated out.

An arm's score is a draw from a normal distribution that the policy states, and the largest is
chosen: Thompson sampling with normal beliefs, a probit where there are two arms.
"""

import math
from typing import Any, NamedTuple

from armwise.engine.definition import shared_by_arms
from armwise.engine.habits import lapse_rate
from armwise.model.draws import Stream
from armwise.model.roles import Policy
from armwise.numerics.best_normal import ROWS as WORK
from armwise.numerics.best_normal import best_normal

normal_draw = Policy.normal_draw

ROWS = 9 + WORK  # numbers per arm


class NormalState(NamedTuple):
    """The state of an agent: rows with a number per arm, and the learner's memory."""

    alpha: Any  # the mean of the belief
    beta: Any  # its variance
    score: Any  # -inf if the arm cannot be chosen, else 0
    key: Any
    memory: Any
    mean: Any  # of every arm's draw
    deviation: Any
    offered_mean: Any  # of the arms that may be chosen
    offered_deviation: Any
    best: Any
    work: Any


def view_normal(table: Any, memory: Any, kept: Any) -> NormalState:
    """The rows of the table by name."""
    return NormalState(
        table[0],
        table[1],
        table[2],
        table[3],
        memory,
        table[4],
        table[5],
        table[6],
        table[7],
        table[8],
        table[9:],
    )


def score_normal(agent: Any, state: Any, arms: int, trial: int, rng: Stream) -> None:
    """Note the distribution of every arm's draw; all arms may be chosen."""
    shared = shared_by_arms(agent, state, arms, trial, rng)
    for arm in range(arms):
        state.mean[arm], state.deviation[arm] = normal_draw(
            agent.policy, shared, state.alpha[arm], state.beta[arm]
        )
        state.score[arm] = 0.0


def chances_normal(agent: Any, state: Any, arms: int) -> None:
    """Write the probability of every arm into its key."""
    offered = 0
    for arm in range(arms):
        if state.score[arm] > -math.inf:
            state.offered_mean[offered] = state.mean[arm]
            state.offered_deviation[offered] = state.deviation[arm]
            offered += 1
    best_normal(state.offered_mean, state.offered_deviation, offered, state.work, state.best)
    share = lapse_rate(agent.choice)
    place = 0
    for arm in range(arms):
        state.key[arm] = 0.0
        if state.score[arm] > -math.inf:
            state.key[arm] = (1.0 - share) * state.best[place] + share / offered
            place += 1


def log_probability_normal(agent: Any, state: Any, arms: int, arm: int) -> float:
    """The logarithm of the probability that the agent chooses `arm`."""
    chances_normal(agent, state, arms)
    chance = state.key[arm]
    return math.log(chance) if chance > 0.0 else -math.inf
