"""Boxes of beliefs and trials, for a score that is monotone.

More alpha, less beta or a later trial never lowers such a score. So the score at the upper corner
of a box is a ceiling as long as the arm stays inside the box.
"""

import math
from typing import Any, NamedTuple

from armwise.engine.definition import prepare, score
from armwise.engine.shortcuts.quantiles import surely_below, upper_tail
from armwise.engine.shortcuts.spared import (
    KEPT,
    begin_spared,
    exact_score,
    safely_below,
)
from armwise.model.draws import Stream, for_arm
from armwise.model.roles import Assumed

WIDEST = 0.5  # largest width: a fraction of the way to the prior, and of the trials so far
FIRST = 0.05  # width of an arm's first box
ROWS = 10  # numbers per arm
KEPT_BOXES = KEPT | {
    "floor": float,  # lower bound of the champion's score while its belief keeps these bounds
    "floor_alpha": float,
    "floor_beta": float,
    "failures": float,  # number of failures that its next floor allows for
}


class BoxedState(NamedTuple):
    """A box per arm: while trial, alpha and beta are inside, the ceiling holds."""

    alpha: Any
    beta: Any
    score: Any
    key: Any
    memory: Any
    kept: Any
    ceiling: Any
    most_alpha: Any
    least_beta: Any
    until: Any  # the last trial in the box; 0 without a box
    width: Any  # width of the last box
    rise: Any  # slope of the ceiling with the width


def view_monotone(table: Any, memory: Any, kept: Any) -> BoxedState:
    """The rows of the table by name."""
    return BoxedState(
        table[0],
        table[1],
        table[2],
        table[3],
        memory,
        kept,
        table[4],
        table[5],
        table[6],
        table[7],
        table[8],
        table[9],
    )


def begin_monotone(agent: Any, state: Any, arms: int) -> None:
    """Begin without a floor and without boxes."""
    kept = state.kept[0]
    begin_spared(agent, state, arms)
    kept.floor = -math.inf
    for arm in range(arms):
        state.ceiling[arm] = math.inf
        state.width[arm] = FIRST
        state.rise[arm] = 1.0


def same_belief(state: Any, arm: int, other: int) -> bool:
    """Whether two arms have equal beliefs, which is common."""
    return state.alpha[arm] == state.alpha[other] and state.beta[arm] == state.beta[other]


def contest(
    agent: Any, state: Any, arms: int, trial: int, shared: Any, level: float, rng: Stream
) -> int:
    """Let the challengers try; return how many reach the level, which rises with them."""
    serious = 0
    twin = -1  # the previous challenger
    for arm in range(arms):
        if state.score[arm] == math.inf:
            if twin >= 0 and same_belief(state, arm, twin):
                state.score[arm] = state.score[twin]
                state.ceiling[arm] = state.ceiling[twin]
                state.most_alpha[arm] = state.most_alpha[twin]
                state.least_beta[arm] = state.least_beta[twin]
                state.until[arm] = state.until[twin]
            else:
                state.score[arm] = challenge(agent, state, arms, trial, arm, shared, level, rng)
            twin = arm
            if state.score[arm] >= level:
                serious += 1
                level = max(level, safely_below(state.score[arm]))
    return serious


def challenge(
    agent: Any, state: Any, arms: int, trial: int, arm: int, shared: Any, level: float, rng: Stream
) -> float:
    """The score of an arm, or -inf if it is shown to be below the level, perhaps by a new box."""
    width = min(2.0 * state.width[arm], WIDEST)
    if state.ceiling[arm] < level and worthwhile(state, trial, width):
        if box(agent, state, arms, trial, arm, width, rng) < level:
            state.width[arm] = width
            return -math.inf
    elif state.ceiling[arm] < level and falls_short(agent, state, shared, arm, level):
        state.width[arm] = width
        return -math.inf
    exact = exact_score(agent, state, shared, arm, rng)
    state.ceiling[arm] = exact  # not a ceiling, but a good guess of the next front runner
    state.until[arm] = 0.0
    if exact < level:
        # Aim half the way to the level, assuming that the ceiling rises in proportion.
        width = min(0.5 * (level - exact) / state.rise[arm], WIDEST)
        if worthwhile(state, trial, width):
            above = box(agent, state, arms, trial, arm, width, rng)
            state.rise[arm] = max((above - exact) / width, 1e-9)
        state.width[arm] = width
    return exact


def falls_short(agent: Any, state: Any, shared: Any, arm: int, level: float) -> bool:
    """Whether an arm is below the level now."""
    tail = upper_tail(agent.policy, shared)
    return surely_below(agent.policy, shared, state.alpha[arm], state.beta[arm], level, tail)


def worthwhile(state: Any, trial: int, width: float) -> bool:
    """Whether a box would hold for longer than the next trial."""
    kept = state.kept[0]
    return width > 2.0 * kept.gamma and width * trial >= 1.0


def box(
    agent: Any, state: Any, arms: int, trial: int, arm: int, width: float, rng: Stream
) -> float:
    """Make a box that spans a fraction `width` of the trials so far and of the way to the prior.

    Return its ceiling.
    """
    kept = state.kept[0]
    assumed = Assumed(kept.rho, kept.alpha0, kept.beta0)
    reach = width if kept.gamma != 0.0 else 0.0
    alpha = state.alpha[arm]
    beta = state.beta[arm]
    most_alpha = alpha + reach * max(assumed.alpha0 - alpha, 0.0)
    least_beta = beta - reach * max(beta - assumed.beta0, 0.0)
    until = trial + int(width * trial)
    shared = prepare(agent.policy, until, arms, assumed, rng)
    state.ceiling[arm] = score(agent.policy, shared, arm, most_alpha, least_beta, for_arm(rng, arm))
    state.most_alpha[arm] = most_alpha
    state.least_beta[arm] = least_beta
    state.until[arm] = until
    return state.ceiling[arm]
