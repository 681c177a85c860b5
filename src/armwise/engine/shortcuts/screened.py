"""Screening: for a policy with cheap `bounds` of its score.

An arm that cannot be the best is not scored, nor is an arm that must be.
"""

import math
from typing import Any

from armwise.engine.definition import shared_by_arms
from armwise.engine.shortcuts.spared import bounds, exact_score, safely_below
from armwise.model.draws import Stream
from armwise.model.ties import choice_stream, largest, maximum
from armwise.numerics.hook import hook


@hook
def alike(state: Any, arm: int, other: int) -> bool:
    """Whether two arms certainly have the same score (bound where the belief alone decides it)."""
    return False


def same_belief(state: Any, arm: int, other: int) -> bool:
    """Whether two arms have equal beliefs, which is common."""
    return state.alpha[arm] == state.alpha[other] and state.beta[arm] == state.beta[other]


def act_screened(agent: Any, state: Any, arms: int, trial: int, rng: Stream) -> int:
    """The best arm: the one with the highest upper bound, if no other can reach its lower bound.

    Otherwise it is scored, then all arms whose upper bound is not below the best score so far.
    """
    kept = state.kept[0]
    shared = shared_by_arms(agent, state, arms, trial, rng)
    for arm in range(arms):
        state.key[arm] = bounds(agent.policy, shared, arm, state.alpha[arm], state.beta[arm])[1]
    first = kept.champion  # usually still the best
    most = state.key[first]
    state.key[first] = -math.inf
    others = maximum(state.key, arms)
    if others >= most:
        state.key[first] = most
        first = highest(state.key, arms)
        state.key[first] = -math.inf
        others = maximum(state.key, arms)
    kept.champion = first
    least = bounds(agent.policy, shared, first, state.alpha[first], state.beta[first])[0]
    if others < safely_below(least):
        return first
    best = exact_score(agent, state, shared, first, rng)
    if others < safely_below(best):
        return first
    for arm in range(arms):
        state.score[arm] = -math.inf
    state.score[first] = best
    score_rivals(agent, state, arms, shared, first, rng)
    arm = largest(state.score, arms, choice_stream(rng))
    kept.champion = max(arm, 0)
    return arm


def score_rivals(agent: Any, state: Any, arms: int, shared: Any, first: int, rng: Stream) -> None:
    """Score all arms whose upper bound, their key, is not below the best score so far."""
    twin = first  # the arm scored last
    level = safely_below(state.score[first])
    second = highest(state.key, arms)
    for place in range(-1, arms):
        arm = second if place < 0 else place
        if state.key[arm] >= level:
            state.key[arm] = -math.inf
            if alike(state, arm, twin):
                state.score[arm] = state.score[twin]
            else:
                state.score[arm] = exact_score(agent, state, shared, arm, rng)
                level = max(level, safely_below(state.score[arm]))
                twin = arm


def highest(numbers: Any, arms: int) -> int:
    """The index of the largest number, the first one if several are equal."""
    best = maximum(numbers, arms)
    place = only_one(numbers, arms, best)
    if place < 0:
        for arm in range(arms):
            if numbers[arm] == best:
                return arm
    return max(place, 0)


def only_one(numbers: Any, arms: int, level: float) -> int:
    """The index of the only number that reaches the level, or -1. Branch-free, to vectorise."""
    several = 0
    total = 0  # sum of the indices: the index itself if there is only one
    for arm in range(arms):
        reached = 1 if numbers[arm] >= level else 0
        several += reached
        total += reached * arm
    return total if several == 1 else -1
