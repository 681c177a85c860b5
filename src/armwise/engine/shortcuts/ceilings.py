"""What bounds the score of an arm in later trials, while its belief stays: a quantile that rises.

Let h be the height of a trial, the logarithm of 1 / (upper tail). If a and b are at least 1, the
density of Be(a, b) is log-concave, so log of its tail is concave (An 1998), and the quantile is a
concave function of h: it stays below its tangent. The slope of the tangent, the tail divided by the
density at the quantile x, is at most x (1 - x) / (b x - a (1 - x)), because the density in logit(x)
is log-concave, too. So an arm that was scored once has a sharp ceiling until its belief changes.

An arm that was not scored keeps a cheap bound of its score at the end of a period of trials.
"""

import math
from typing import Any, NamedTuple

from armwise.engine.definition import belief, floor, prepare
from armwise.engine.shortcuts.quantiles import upper_tail
from armwise.engine.shortcuts.screened import highest
from armwise.engine.shortcuts.spared import KEPT, exact_score, safely_below
from armwise.model.draws import Stream
from armwise.model.roles import Assumed
from armwise.model.ties import maximum
from armwise.numerics.beta_bounds import bounds_at
from armwise.numerics.normal import normal_quantile

ROWS = 8  # numbers per arm
SOON = 8  # fewest trials in a period
AHEAD = 1.0 / 128.0  # trials in a period, as a fraction of the trials so far
WORTHWHILE = 16  # fewest trials for which a later score is computed
CLOSE = -1.0  # an arm without a tangent whose score was needed
MANY = 4  # if one of so many has expired, all arms are bounded in vector code
END = 5.0  # normal quantiles beyond have one bound

KEPT_CEILINGS = KEPT | {
    "valid": float,  # the last trial of the period; 0 if nothing is known
    "height": float,  # the logarithm of 1 / (upper tail) when arms were looked at last
    "later_height": float,  # the same in the last trial of the period
    "later_z": float,  # the normal quantile there
    "least_alpha": float,  # the champion is above all ceilings while its belief keeps these bounds
    "most_beta": float,
}


class CeiledState(NamedTuple):
    """The state of an agent; an arm's score is from `least` to `base + slope * height`."""

    alpha: Any
    beta: Any
    score: Any
    key: Any
    memory: Any
    kept: Any
    base: Any  # -inf for the champion
    slope: Any  # above 0 if the score was computed
    least: Any
    lasts: Any  # the last trial for which they hold; infinite for the champion


def view_monotone(table: Any, memory: Any, kept: Any) -> CeiledState:
    """The rows of the table by name."""
    return CeiledState(
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
    )


def place_of(agent: Any, shared: Any) -> float:
    """The normal quantile of the probability that all arms share, cut at both ends."""
    z = normal_quantile(upper_tail(agent.policy, shared))
    z = z if z < END else END
    return -z if z > -END else END


def height_of(agent: Any, shared: Any) -> float:
    """The logarithm of 1 / (upper tail)."""
    tail = upper_tail(agent.policy, shared)
    return -math.log(tail) if tail > 0.0 else math.inf


def score_bounds(
    agent: Any, state: Any, shared: Any, z: float, arm: int, failures: float
) -> tuple[float, float]:
    """A lower and an upper bound of the score of an arm after some more failures."""
    alpha, beta = state.alpha[arm], state.beta[arm] + failures
    a, b = belief(agent.policy, shared, alpha, beta)
    low, high = bounds_at(z, a, b, 0.0)
    least = floor(agent.policy, shared, alpha, beta)
    return low if low > least else least, high if high > least else least


def bound_score(agent: Any, state: Any, shared: Any, z: float, arm: int) -> None:
    """Write a lower bound of an arm's score as its score, and an upper one as its key."""
    low, high = score_bounds(agent, state, shared, z, arm, 0.0)
    state.score[arm] = low
    state.key[arm] = high


def bound_scores(agent: Any, state: Any, arms: int, shared: Any, z: float) -> None:
    """Write bounds of all scores as scores and keys, in vector code."""
    for arm in range(arms):
        bound_score(agent, state, shared, z, arm)


def begin_period(
    agent: Any, state: Any, arms: int, trial: int, height: float, assumed: Assumed, rng: Stream
) -> None:
    """Note the height of this trial and, in a new period, of its end."""
    kept = state.kept[0]
    if kept.valid == 0.0 or height < kept.height:  # nothing is known
        for arm in range(arms):
            state.lasts[arm] = 0.0
    if trial > kept.valid:
        kept.valid = trial + max(math.floor(AHEAD * trial), SOON)
        later = prepare(agent.policy, int(kept.valid), arms, assumed, rng)
        kept.later_z = place_of(agent, later)
        kept.later_height = height_of(agent, later)
    kept.height = height


def recall(agent: Any, state: Any, arms: int, trial: int, shared: Any, z: float) -> None:
    """Write bounds of all scores in this trial as scores and keys.

    Those that are known are taken; sharper ones are computed where they leave open which arm is
    the best.
    """
    kept = state.kept[0]
    if count_expired(state, arms, trial) * MANY > arms:
        bound_scores(agent, state, arms, shared, z)
        return
    for arm in range(arms):
        state.score[arm] = state.least[arm]
        state.key[arm] = state.base[arm] + state.slope[arm] * kept.height
    other = highest(state.key, arms)
    if state.slope[other] == 0.0:
        bound_score(agent, state, shared, z, other)
    bound_score(agent, state, shared, z, kept.champion)
    level = safely_below(maximum(state.score, arms))
    for arm in range(arms):
        cheap = state.key[arm] >= level and state.slope[arm] == 0.0
        if cheap or trial > state.lasts[arm]:
            bound_score(agent, state, shared, z, arm)


def count_expired(state: Any, arms: int, trial: int) -> int:
    """How many arms have no ceiling any more."""
    expired = 0
    for arm in range(arms):
        expired += 1 if trial > state.lasts[arm] else 0
    return expired


def set_aside(state: Any, champion: int) -> None:
    """The champion has no ceiling."""
    state.base[champion] = -math.inf
    state.slope[champion] = 0.0
    state.least[champion] = -math.inf
    state.lasts[champion] = math.inf


def keep_sharp(agent: Any, state: Any, shared: Any, arm: int) -> None:
    """Keep the tangent at an arm's score, which was computed, if there is one."""
    a, b = belief(agent.policy, shared, state.alpha[arm], state.beta[arm])
    x = state.score[arm]
    surplus = b * x - a * (1.0 - x)
    bare = floor(agent.policy, shared, state.alpha[arm], state.beta[arm]) == -math.inf
    if bare and a >= 1.0 and b >= 1.0 and surplus > 0.0:
        state.slope[arm] = x * (1.0 - x) / surplus
        state.base[arm] = x - state.slope[arm] * state.kept[0].height
        state.least[arm] = x
        state.lasts[arm] = math.inf
    else:
        state.lasts[arm] = CLOSE


def keep_like(state: Any, arm: int, twin: int) -> None:
    """Keep what is known of another arm with the same belief."""
    state.slope[arm] = state.slope[twin]
    state.base[arm] = state.base[twin]
    state.least[arm] = state.least[twin]
    state.lasts[arm] = state.lasts[twin]


def keep_ceilings(
    agent: Any, state: Any, arms: int, trial: int, before: int, assumed: Assumed, rng: Stream
) -> None:
    """Write a ceiling for all arms without one but the champion; until now that was `before`."""
    kept = state.kept[0]
    if state.base[before] == -math.inf:
        state.lasts[before] = 0.0
    set_aside(state, kept.champion)
    expired = count_expired(state, arms, trial)
    if expired == 0:
        return
    later = prepare(agent.policy, int(kept.valid), arms, assumed, rng)
    if kept.valid - trial >= WORTHWHILE:
        for arm in range(arms):
            if state.lasts[arm] == CLOSE:
                score = exact_score(agent, state, later, arm, rng)
                keep_until(state, arm, score, kept.valid)
    if expired * MANY <= arms:
        for arm in range(arms):
            if trial > state.lasts[arm]:
                high = score_bounds(agent, state, later, kept.later_z, arm, 0.0)[1]
                keep_until(state, arm, high, kept.valid)
        return
    for arm in range(arms):  # without a branch, so that it becomes vector code
        high = score_bounds(agent, state, later, kept.later_z, arm, 0.0)[1]
        out = trial > state.lasts[arm]
        state.base[arm] = high if out else state.base[arm]
        state.slope[arm] = 0.0 if out else state.slope[arm]
        state.least[arm] = -math.inf if out else state.least[arm]
        state.lasts[arm] = kept.valid if out else state.lasts[arm]


def keep_until(state: Any, arm: int, ceiling: float, last: float) -> None:
    """Keep a ceiling that holds until some trial."""
    state.base[arm] = ceiling
    state.slope[arm] = 0.0
    state.least[arm] = -math.inf
    state.lasts[arm] = last


def look_ahead(agent: Any, state: Any, arms: int, shared: Any, z: float) -> None:
    """Note until when the champion is above all ceilings, and how many failures it can afford."""
    kept = state.kept[0]
    champion = kept.champion
    kept.until = 0.0
    for arm in range(arms):
        state.key[arm] = state.base[arm] + state.slope[arm] * kept.later_height
    rival = maximum(state.key, arms)
    gap = min(safely_below(state.score[champion]) - rival, 1.0)
    if gap > 0.0:
        alpha, beta = state.alpha[champion], state.beta[champion]
        failures = math.floor(gap * (alpha + beta))
        low = score_bounds(agent, state, shared, z, champion, failures)[0]
        kept.least_alpha = alpha
        kept.most_beta = beta + failures if rival < safely_below(low) else beta
        kept.until = kept.valid
