"""Monotone scores: quantiles of a probability that all arms share (B-UCB).

More alpha, less beta or a later trial never lowers such a score. All scores are bounded without
being computed; mostly one of them is surely the largest. As long as only the chosen arm learns, an
arm keeps a floor and a ceiling (`ceilings`), so that it is looked at again only if its ceiling
reaches another's score. The champion is even chosen without a look at the others, as long as it
fails no more often than it can afford.
"""

import math
from typing import Any

from armwise.engine.definition import assume, prepare
from armwise.engine.shortcuts.ceilings import (
    begin_period,
    bound_scores,
    height_of,
    keep_ceilings,
    keep_like,
    keep_sharp,
    look_ahead,
    place_of,
    recall,
)
from armwise.engine.shortcuts.quantiles import surely_below, upper_tail
from armwise.engine.shortcuts.screened import highest, only_one, same_belief
from armwise.engine.shortcuts.spared import (
    ALL,
    NONE,
    assumptions_changed,
    exact_score,
    safely_below,
)
from armwise.model.draws import Stream
from armwise.model.ties import choice_stream, largest, maximum


def act_monotone(agent: Any, state: Any, arms: int, trial: int, rng: Stream) -> int:
    """The best arm; arms are scored only if bounds leave open which is the best."""
    kept = state.kept[0]
    assumed = assume(agent.learner, state.memory)
    lasting = not assumptions_changed(state, assumed) and kept.stale != ALL
    before = kept.champion
    if not lasting:
        kept.valid = 0.0
        kept.until = 0.0
    elif kept.stale != NONE and kept.stale != before:
        state.lasts[kept.stale] = 0.0
    kept.stale = NONE
    if trial <= kept.until and within_bounds(state, before):
        return before
    shared = prepare(agent.policy, trial, arms, assumed, rng)
    z = place_of(agent, shared)
    if lasting:
        begin_period(agent, state, arms, trial, height_of(agent, shared), assumed, rng)
        recall(agent, state, arms, trial, shared, z)
    else:
        bound_scores(agent, state, arms, shared, z)
    champion = best_bounded(agent, state, arms, shared, lasting, rng)
    if champion >= 0:  # else a score is NaN
        kept.champion = champion
        if lasting:
            keep_ceilings(agent, state, arms, trial, before, assumed, rng)
            look_ahead(agent, state, arms, shared, z)
    return champion


def within_bounds(state: Any, champion: int) -> bool:
    """Whether the champion did not fail more often than it can afford."""
    kept = state.kept[0]
    return state.alpha[champion] >= kept.least_alpha and state.beta[champion] <= kept.most_beta


def best_bounded(agent: Any, state: Any, arms: int, shared: Any, lasting: bool, rng: Stream) -> int:
    """The arm with the best score, which lies between the arm's `score` and its `key`."""
    level = safely_below(maximum(state.score, arms))
    sure = only_one(state.key, arms, level)
    if sure >= 0:
        return sure
    first = highest(state.score, arms)
    if all_twins(state, arms, first, level):
        for arm in range(arms):
            state.score[arm] = 0.0 if state.key[arm] >= level else -math.inf
        champion = largest(state.score, arms, choice_stream(rng))
        state.score[champion] = level
        return champion
    return settle(agent, state, arms, shared, first, level, lasting, rng)


def all_twins(state: Any, arms: int, first: int, level: float) -> bool:
    """Whether all arms that may be the best have the same belief, so that they tie."""
    others = 0
    for arm in range(arms):
        others += 1 if state.key[arm] >= level and not same_belief(state, arm, first) else 0
    return others == 0


def settle(
    agent: Any,
    state: Any,
    arms: int,
    shared: Any,
    first: int,
    level: float,
    lasting: bool,
    rng: Stream,
) -> int:
    """The best of the arms whose key reaches the level, which rises with every score.

    If beliefs last, what is computed is kept.
    """
    twin = first
    for arm in range(arms):
        state.score[arm] = -math.inf
    for place in range(-1, arms):
        arm = first if place < 0 else place
        if state.key[arm] >= level:
            state.key[arm] = -math.inf
            if place >= 0 and same_belief(state, arm, twin):
                state.score[arm] = state.score[twin]
                keep_like(state, arm, twin)
            elif lasting or place < 0 or not falls_short(agent, state, shared, arm, level):
                state.score[arm] = exact_score(agent, state, shared, arm, rng)
                level = max(level, safely_below(state.score[arm]))
                keep_sharp(agent, state, shared, arm)
            twin = arm
    return largest(state.score, arms, choice_stream(rng))


def falls_short(agent: Any, state: Any, shared: Any, arm: int, level: float) -> bool:
    """Whether an arm is below the level."""
    tail = upper_tail(agent.policy, shared)
    return surely_below(agent.policy, shared, state.alpha[arm], state.beta[arm], level, tail)
