"""Thompson sampling, followed exactly: the draws of all arms are integrated out.

An arm's score is a draw from a Beta distribution, or its floor if that is higher; the largest score
is chosen. If `prepare` may assume a change, the probabilities of both cases are mixed.
"""

import math
from typing import Any, NamedTuple

from armwise.engine.definition import assume, begin_plain, belief, floor
from armwise.engine.habits import lapse_rate
from armwise.model.draws import Stream
from armwise.model.quantile_policy import QuantilePolicy
from armwise.model.ties import tie_below
from armwise.numerics.best_arm import ROWS as WORK
from armwise.numerics.best_arm import best_arm

change_rate = QuantilePolicy.change_rate
settled = QuantilePolicy.settled

ROWS = 15 + WORK  # numbers per arm


class Outlook(NamedTuple):
    """The distribution of every arm's score, with or without a change."""

    alpha: Any
    beta: Any
    floor: Any


class IntegratedState(NamedTuple):
    """The state of an agent: rows with a number per arm, and the learner's memory."""

    alpha: Any
    beta: Any
    score: Any
    key: Any
    memory: Any
    rate: Any  # at 0: how probable a change is assumed to be
    lasting: Outlook
    changed: Outlook
    offered: Outlook  # of the arms that may be chosen
    best: Any
    work: Any


def view_integrated(table: Any, memory: Any, kept: Any) -> IntegratedState:
    """The rows of the table by name."""
    return IntegratedState(
        table[0],
        table[1],
        table[2],
        table[3],
        memory,
        table[4],
        Outlook(table[5], table[6], table[7]),
        Outlook(table[8], table[9], table[10]),
        Outlook(table[11], table[12], table[13]),
        table[14],
        table[15:],
    )


def begin_integrated(agent: Any, state: Any, arms: int) -> None:
    """Set every belief to the learner's prior."""
    begin_plain(agent, state, arms)


def score_integrated(agent: Any, state: Any, arms: int, trial: int, rng: Stream) -> None:
    """Note the distribution of every arm's draw; all arms may be chosen."""
    assumed = assume(agent.learner, state.memory)
    state.rate[0] = change_rate(agent.policy, assumed)
    lasting = settled(agent.policy, trial, arms, assumed, False)
    changed = settled(agent.policy, trial, arms, assumed, True)
    for arm in range(arms):
        _note(agent.policy, lasting, state.lasting, arm, state.alpha[arm], state.beta[arm])
        _note(agent.policy, changed, state.changed, arm, state.alpha[arm], state.beta[arm])
        state.score[arm] = 0.0


def _note(policy: Any, shared: Any, outlook: Any, arm: int, alpha: float, beta: float) -> None:
    outlook.alpha[arm], outlook.beta[arm] = belief(policy, shared, alpha, beta)
    outlook.floor[arm] = floor(policy, shared, alpha, beta)


def chances_integrated(agent: Any, state: Any, arms: int) -> None:
    """Write the probability of every arm into its key."""
    rate = state.rate[0]
    offered = 0
    for arm in range(arms):
        state.key[arm] = 0.0
        offered += 0 if state.score[arm] == -math.inf else 1
    if rate < 1.0:
        _add(state, state.lasting, arms, 1.0 - rate)
    if rate > 0.0:
        _add(state, state.changed, arms, rate)
    share = lapse_rate(agent.choice)
    if share > 0.0:
        for arm in range(arms):
            if state.score[arm] > -math.inf:
                state.key[arm] = (1.0 - share) * state.key[arm] + share / offered


def _add(state: Any, outlook: Any, arms: int, weight: float) -> None:
    """Add the probabilities in one case, times its weight.

    No score is below the highest floor. If no draw is above it, the arms with this floor tie.
    """
    own = state.offered
    offered = 0
    level = 0.0
    for arm in range(arms):
        if state.score[arm] > -math.inf:
            own.alpha[offered] = outlook.alpha[arm]
            own.beta[offered] = outlook.beta[arm]
            level = max(level, outlook.floor[arm])
            offered += 1
    nobody = best_arm(own.alpha, own.beta, offered, level, state.work, state.best)
    highest = tie_below(level)
    ties = 0
    for arm in range(arms):
        if state.score[arm] > -math.inf and outlook.floor[arm] >= highest:
            ties += 1
    place = 0
    for arm in range(arms):
        if state.score[arm] > -math.inf:
            tied = nobody / ties if outlook.floor[arm] >= highest else 0.0
            state.key[arm] += weight * (state.best[place] + tied)
            place += 1


def log_probability_integrated(agent: Any, state: Any, arms: int, arm: int) -> float:
    """The logarithm of the probability that the agent chooses `arm`."""
    chances_integrated(agent, state, arms)
    chance = state.key[arm]
    return math.log(chance) if chance > 0.0 else -math.inf
