"""Monotone scores: quantiles of a probability that all arms share (B-UCB).

More alpha, less beta or a later trial never lowers such a score. All scores are bounded without
being computed; mostly one of them is surely the largest. As long as only the chosen arm learns, the
upper bounds some trials later are ceilings until then: an arm is looked at again only if its
ceiling reaches another's score. The champion is even chosen without a look at the others, as long
as it fails no more often than it can afford.
"""

import math
from typing import Any, NamedTuple

from armwise.engine.definition import assume, belief, floor, prepare
from armwise.engine.shortcuts.quantiles import surely_below, upper_tail
from armwise.engine.shortcuts.screened import highest, only_one, same_belief
from armwise.engine.shortcuts.spared import (
    ALL,
    KEPT,
    NONE,
    assumptions_changed,
    exact_score,
    safely_below,
)
from armwise.model.draws import Stream
from armwise.model.ties import choice_stream, largest, maximum
from armwise.numerics.beta_bounds import bounds_at
from armwise.numerics.normal import normal_quantile

ROWS = 6  # numbers per arm
SOON = 2  # fewest trials for which ceilings hold
AHEAD = 1.0 / 128.0  # trials for which they hold, as a fraction of the trials so far
CLOSE = 1.0 / 512.0  # the same, for arms whose scores are close to the champion's
WORTHWHILE = 16  # fewest trials for which they get an exact ceiling
END = 5.0  # normal quantiles beyond have one bound

KEPT_CEILINGS = KEPT | {
    "valid": float,  # the last trial for which the ceilings hold
    "least_alpha": float,  # the champion is above all ceilings while its belief keeps these bounds
    "most_beta": float,
}


class CeiledState(NamedTuple):
    """The state of an agent with a ceiling per arm; that of the champion is -inf."""

    alpha: Any
    beta: Any
    score: Any
    key: Any
    memory: Any
    kept: Any
    ceiling: Any
    lasts: Any  # the last trial for which the ceiling holds


def view_monotone(table: Any, memory: Any, kept: Any) -> CeiledState:
    """The rows of the table by name."""
    return CeiledState(table[0], table[1], table[2], table[3], memory, kept, table[4], table[5])


def act_monotone(agent: Any, state: Any, arms: int, trial: int, rng: Stream) -> int:
    """The best arm; arms are scored only if bounds leave open which is the best."""
    kept = state.kept[0]
    assumed = assume(agent.learner, state.memory)
    lasting = not assumptions_changed(state, assumed) and kept.stale != ALL
    if not lasting:
        kept.valid = 0.0
        kept.until = 0.0
    elif kept.stale != NONE:
        state.lasts[kept.stale] = 0.0
    kept.stale = NONE
    before = kept.champion
    if trial <= kept.until and within_bounds(state, before):
        return before
    shared = prepare(agent.policy, trial, arms, assumed, rng)
    z = place_of(agent, shared)
    valid = trial <= kept.valid
    if valid:
        bound_some(agent, state, arms, trial, shared, z)
    else:
        for arm in range(arms):
            bound_score(agent, state, shared, z, arm)
    champion = best_bounded(agent, state, arms, shared, rng)
    if champion < 0:  # a score is NaN
        return champion
    kept.champion = champion
    if lasting:
        if valid:
            state.lasts[before] = 0.0
        else:
            kept.valid = trial + max(math.floor(AHEAD * trial), SOON)
        keep_ceilings(agent, state, arms, trial, not valid, rng)
        look_ahead(agent, state, arms, shared, z)
    return champion


def within_bounds(state: Any, champion: int) -> bool:
    """Whether the champion did not fail more often than it can afford."""
    kept = state.kept[0]
    return state.alpha[champion] >= kept.least_alpha and state.beta[champion] <= kept.most_beta


def place_of(agent: Any, shared: Any) -> float:
    """The normal quantile of the probability that all arms share, cut at both ends."""
    z = normal_quantile(upper_tail(agent.policy, shared))
    z = z if z < END else END
    return -z if z > -END else END


def score_bounds(
    agent: Any, state: Any, shared: Any, z: float, arm: int, failures: float
) -> tuple[float, float]:
    """A lower and an upper bound of the score of an arm after some more failures."""
    alpha, beta = state.alpha[arm], state.beta[arm] + failures
    a, b = belief(agent.policy, shared, alpha, beta)
    low, high = bounds_at(z, a, b)
    least = floor(agent.policy, shared, alpha, beta)
    return low if low > least else least, high if high > least else least


def bound_score(agent: Any, state: Any, shared: Any, z: float, arm: int) -> None:
    """Write a lower bound of an arm's score as its score, and an upper one as its key."""
    low, high = score_bounds(agent, state, shared, z, arm, 0.0)
    state.score[arm] = low
    state.key[arm] = high


def bound_some(agent: Any, state: Any, arms: int, trial: int, shared: Any, z: float) -> None:
    """Bound the scores of arms that may be the best: the champion, and those with high ceilings."""
    champion = state.kept[0].champion
    other = highest(state.ceiling, arms)
    for arm in range(arms):
        state.score[arm] = -math.inf
        state.key[arm] = -math.inf
    bound_score(agent, state, shared, z, champion)
    bound_score(agent, state, shared, z, other)
    level = safely_below(max(state.score[champion], state.score[other]))
    for arm in range(arms):
        if (state.ceiling[arm] >= level or trial > state.lasts[arm]) and arm != other:
            bound_score(agent, state, shared, z, arm)


def best_bounded(agent: Any, state: Any, arms: int, shared: Any, rng: Stream) -> int:
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
    return settle(agent, state, arms, shared, first, level, rng)


def all_twins(state: Any, arms: int, first: int, level: float) -> bool:
    """Whether all arms that may be the best have the same belief, so that they tie."""
    others = 0
    for arm in range(arms):
        others += 1 if state.key[arm] >= level and not same_belief(state, arm, first) else 0
    return others == 0


def settle(
    agent: Any, state: Any, arms: int, shared: Any, first: int, level: float, rng: Stream
) -> int:
    """The best of the arms whose key reaches the level, which rises with every score."""
    twin = first
    state.score[first] = exact_score(agent, state, shared, first, rng)
    level = max(level, safely_below(state.score[first]))
    for arm in range(arms):
        if arm != first:
            state.score[arm] = -math.inf
            if state.key[arm] >= level:
                if same_belief(state, arm, twin):
                    state.score[arm] = state.score[twin]
                elif not falls_short(agent, state, shared, arm, level):
                    state.score[arm] = exact_score(agent, state, shared, arm, rng)
                    level = max(level, safely_below(state.score[arm]))
                twin = arm
    return largest(state.score, arms, choice_stream(rng))


def falls_short(agent: Any, state: Any, shared: Any, arm: int, level: float) -> bool:
    """Whether an arm is below the level."""
    tail = upper_tail(agent.policy, shared)
    return surely_below(agent.policy, shared, state.alpha[arm], state.beta[arm], level, tail)


def keep_ceilings(agent: Any, state: Any, arms: int, trial: int, every: bool, rng: Stream) -> None:
    """Write new ceilings where they do not hold any more; sharp ones where arms are close."""
    kept = state.kept[0]
    assumed = assume(agent.learner, state.memory)
    later = prepare(agent.policy, int(kept.valid), arms, assumed, rng)
    z = place_of(agent, later)
    if every:
        for arm in range(arms):
            state.ceiling[arm] = score_bounds(agent, state, later, z, arm, 0.0)[1]
            state.lasts[arm] = kept.valid
    soon = math.floor(CLOSE * trial)
    level = safely_below(state.score[kept.champion]) if soon >= WORTHWHILE else math.inf
    state.lasts[kept.champion] = math.inf
    shared = prepare(agent.policy, trial + soon, arms, assumed, rng)
    twin = kept.champion
    for arm in range(arms):
        if state.key[arm] >= level and arm != kept.champion:
            known = twin != kept.champion and same_belief(state, arm, twin)
            sharp = state.ceiling[twin] if known else exact_score(agent, state, shared, arm, rng)
            state.ceiling[arm] = sharp
            state.lasts[arm] = trial + soon
            twin = arm
        elif trial > state.lasts[arm]:
            state.ceiling[arm] = score_bounds(agent, state, later, z, arm, 0.0)[1]
            state.lasts[arm] = kept.valid
    state.ceiling[kept.champion] = -math.inf


def look_ahead(agent: Any, state: Any, arms: int, shared: Any, z: float) -> None:
    """Note until when the champion is above all ceilings, and how many failures it can afford."""
    kept = state.kept[0]
    champion = kept.champion
    rival = maximum(state.ceiling, arms)
    gap = min(safely_below(state.score[champion]) - rival, 1.0)
    kept.until = 0.0
    if gap > 0.0:
        alpha, beta = state.alpha[champion], state.beta[champion]
        failures = math.floor(gap * (alpha + beta))
        low = score_bounds(agent, state, shared, z, champion, failures)[0]
        kept.least_alpha = alpha
        kept.most_beta = beta + failures if rival < safely_below(low) else beta
        kept.until = math.inf
        for arm in range(arms):
            kept.until = min(kept.until, state.lasts[arm])
