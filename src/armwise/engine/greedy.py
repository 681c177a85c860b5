"""The probability of a choice by the largest score: certain but for ties and lapses."""

import math
from typing import Any

from armwise.engine.habits import lapse_rate
from armwise.model.ties import maximum, tie_below


def chances_greedy(agent: Any, state: Any, arms: int) -> None:
    """Write the probability of every arm into its key."""
    best = tie_below(maximum(state.score, arms))
    ties = 0
    offered = 0
    for arm in range(arms):
        ties += 1 if state.score[arm] >= best else 0
        offered += 0 if state.score[arm] == -math.inf else 1
    share = lapse_rate(agent.choice)
    for arm in range(arms):
        won = (1.0 - share) / ties if state.score[arm] >= best else 0.0
        state.key[arm] = won + share / offered if state.score[arm] > -math.inf else 0.0


def log_probability_greedy(agent: Any, state: Any, arms: int, arm: int) -> float:
    """The logarithm of the probability that the agent chooses `arm`."""
    chances_greedy(agent, state, arms)
    chance = state.key[arm]
    return math.log(chance) if chance > 0.0 else -math.inf
