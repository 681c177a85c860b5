"""Luck: for a score that is drawn from a belief (Thompson sampling).

A draw is the quantile of one uniform number, the arm's luck. All draws are bounded without being
computed; mostly one of them is surely the largest. Otherwise the few that may be are computed.

If a policy has a floor, the arm with the highest floor, the leader, sets a level. An arm reaches it
only if its luck is good enough, and a tail bounds the odds against it. As long as only one belief
changes per trial, the odds of the other arms stay valid for a level that the leader keeps for some
time. The largest luck of every 16 arms is known from one draw (`draws.peak`). Most trials then only
check the leader's floor and the peak of each group.
"""

import math
from typing import Any, NamedTuple

from armwise.engine.definition import assume, belief, floor, prepare, score
from armwise.engine.shortcuts.quantiles import odds_against, surely_below
from armwise.engine.shortcuts.screened import highest, only_one
from armwise.engine.shortcuts.spared import ALL, KEPT, NONE, assumptions_changed, safely_below
from armwise.model.draws import Stream, for_arm, peak, root, uniform, with_luck
from armwise.model.ties import choice_stream, largest, maximum
from armwise.numerics.beta_bounds import TAIL_ERROR, bounds_at, near_normal_quantile

GROUP = 16  # arms that share a peak
AFFORD = 8.0  # failures of the leader for which the odds of the others stay valid
PATIENCE = 8  # by how many failures of the odds to decide may outnumber successes
PAUSE = 64  # trials in which they are not tried then
SHARED = 8  # most numbers that arms may share
ROWS = 7  # numbers per arm

KEPT_ODDS = KEPT | {
    "leader": int,  # the arm whose floor sets the level
    "level": float,  # the level that the odds refer to
    "misses": int,  # by how many failures of the odds outnumber successes lately
    "again": float,  # the trial from which they are tried
    "shared": SHARED,  # the shared values when the odds were computed
}


class LuckyState(NamedTuple):
    """The state of an agent, with the luck of the arms and the odds against them."""

    alpha: Any
    beta: Any
    score: Any
    key: Any
    memory: Any
    kept: Any
    luck: Any
    odds: Any
    harmless: Any  # per group: no arm but the leader can win while the peak is below this


def view_thompson(table: Any, memory: Any, kept: Any) -> LuckyState:
    """The rows of the table by name."""
    return LuckyState(
        table[0], table[1], table[2], table[3], memory, kept, table[4], table[5], table[6]
    )


def act_thompson(agent: Any, state: Any, arms: int, trial: int, rng: Stream) -> int:
    """The best arm; arms whose luck is not good enough are not scored."""
    kept = state.kept[0]
    assumed = assume(agent.learner, state.memory)
    stale = ALL if assumptions_changed(state, assumed) else kept.stale
    shared = prepare(agent.policy, trial, arms, assumed, rng)
    tried = trial >= kept.again
    stands = tried and stale != ALL and is_kept(kept.shared, shared)
    stands = stands and odds_stand(agent, state, arms, shared, stale)
    kept.stale = NONE if stands else ALL
    if stands:
        decided = not (alarmed(state, arms, rng) and any_hope(state, arms, rng))
        note_worth(kept, trial, decided)
        if decided:
            return kept.leader
    draw_all(agent, state, arms, shared, stands, rng)
    choice = best_lucky(agent, state, arms, shared, rng)
    if tried and not stands and kept.gamma == 0.0:
        keep_odds(agent, state, arms, trial, shared)
    return choice


def note_worth(kept: Any, trial: int, decided: bool) -> None:
    """If the odds rarely decide, as in early trials, do without them for some time."""
    if decided:
        kept.misses -= 1 if kept.misses > 0 else 0
        return
    kept.misses += 1
    if kept.misses == PATIENCE:
        kept.misses = 0
        kept.again = trial + PAUSE


def is_kept(kept: Any, shared: Any) -> bool:
    """Whether the shared values are those for which the odds were computed."""
    same = True
    for place in range(len(shared)):
        same = same and kept[place] == shared[place]
    return same


def odds_stand(agent: Any, state: Any, arms: int, shared: Any, stale: int) -> bool:
    """Whether the kept odds are valid for the present level; updates those of a `stale` arm."""
    kept = state.kept[0]
    leader = kept.leader
    reached = arm_floor(agent, state, shared, leader)
    level = safely_below(reached)
    if level < kept.level or level > kept.level + 3.0 * leeway(state, leader, level):
        return False
    if stale >= 0 and stale != leader:
        if arm_floor(agent, state, shared, stale) > reached:
            return False
        state.odds[stale] = arm_odds(agent, state, shared, stale, kept.level)
        set_harmless(state, arms, stale // GROUP, leader)
    return True


def best_lucky(agent: Any, state: Any, arms: int, shared: Any, rng: Stream) -> int:
    """The arm with the best score, which lies between the arm's `score` and its `key`."""
    level = safely_below(maximum(state.score, arms))
    sure = only_one(state.key, arms, level)
    if sure >= 0:
        return sure
    leader = highest(state.score, arms)
    return settle(agent, state, arms, shared, leader, level, rng)


def settle(
    agent: Any, state: Any, arms: int, shared: Any, leader: int, level: float, rng: Stream
) -> int:
    """The best of the arms whose key reaches the level, which rises with every score."""
    for arm in range(arms):
        state.score[arm] = -math.inf
    for place in range(-1, arms):
        arm = leader if place < 0 else place
        if state.key[arm] >= level:
            state.key[arm] = -math.inf
            if place < 0 or not falls_short(agent, state, shared, arm, level):
                state.score[arm] = lucky_score(agent, state, shared, arm, rng)
                level = max(level, safely_below(state.score[arm]))
    return largest(state.score, arms, choice_stream(rng))


def arm_floor(agent: Any, state: Any, shared: Any, arm: int) -> float:
    """The floor of one arm."""
    return floor(agent.policy, shared, state.alpha[arm], state.beta[arm])


def arm_odds(agent: Any, state: Any, shared: Any, arm: int, level: float) -> float:
    """The odds against one arm."""
    return odds_against(agent.policy, shared, state.alpha[arm], state.beta[arm], level)


def falls_short(agent: Any, state: Any, shared: Any, arm: int, level: float) -> bool:
    """Whether an arm is below the level, by a cheap test or else by a sharp one."""
    tail = 1.0 - state.luck[arm]
    if tail * arm_odds(agent, state, shared, arm, level) > 1.0:
        return True
    return surely_below(agent.policy, shared, state.alpha[arm], state.beta[arm], level, tail)


def lucky_score(agent: Any, state: Any, shared: Any, arm: int, rng: Stream) -> float:
    """The score of an arm whose luck was drawn."""
    own = with_luck(rng, arm, state.luck[arm])
    return score(agent.policy, shared, arm, state.alpha[arm], state.beta[arm], own)


def alarmed(state: Any, arms: int, rng: Stream) -> bool:
    """Whether the peak of a group is so high that an arm of it may beat the leader."""
    alarms = 0
    for group in range((arms + GROUP - 1) // GROUP):
        alarms += 1 if peak(rng, group)[0] >= state.harmless[group] else 0
    return alarms > 0


def any_hope(state: Any, arms: int, rng: Stream) -> bool:
    """Whether an arm of such a group is lucky enough; note in its key that a group was drawn."""
    leader = state.kept[0].leader
    hopeful = 0
    for group in range((arms + GROUP - 1) // GROUP):
        drawn = peak(rng, group)[0] >= state.harmless[group]
        state.key[group] = 1.0 if drawn else 0.0
        if drawn:
            draw_group(state, arms, group, rng)
            for arm in range(GROUP * group, min(GROUP * group + GROUP, arms)):
                lucky = arm != leader and (1.0 - state.luck[arm]) * state.odds[arm] <= 1.0
                hopeful += 1 if lucky else 0
    return hopeful > 0


def bound_score(agent: Any, state: Any, shared: Any, arm: int, z: float) -> None:
    """Write bounds of an arm's score as its score and its key; its luck has normal quantile z."""
    a, b = belief(agent.policy, shared, state.alpha[arm], state.beta[arm])
    low, high = bounds_at(z, a, b, TAIL_ERROR)
    least = arm_floor(agent, state, shared, arm)
    state.score[arm] = low if low > least else least
    state.key[arm] = high if high > least else least


def draw_all(agent: Any, state: Any, arms: int, shared: Any, some: bool, rng: Stream) -> None:
    """Draw the luck of every arm, and bound its score; `some` groups were drawn by `any_hope`."""
    for group in range((arms + GROUP - 1) // GROUP):
        if not some or state.key[group] == 0.0:
            draw_group(state, arms, group, rng)
    for arm in range(arms):  # two short loops become better vector code than a long one
        state.key[arm] = near_normal_quantile(state.luck[arm])
    for arm in range(arms):
        bound_score(agent, state, shared, arm, state.key[arm])


def draw_group(state: Any, arms: int, group: int, rng: Stream) -> None:
    """Write the luck of the arms of a group: uniforms below the largest, which is the peak."""
    power, place = peak(rng, group)
    top = root(power)
    first = GROUP * group
    for arm in range(first, min(first + GROUP, arms)):
        state.luck[arm] = top * uniform(for_arm(rng, arm), 0)
    if first + place < arms:
        state.luck[first + place] = top


def keep_odds(agent: Any, state: Any, arms: int, trial: int, shared: Any) -> None:
    """If scores have floors, keep the odds for a level that the leader will keep for some time."""
    kept = state.kept[0]
    for arm in range(arms):
        state.key[arm] = arm_floor(agent, state, shared, arm)
    leader = highest(state.key, arms)
    if state.key[leader] == -math.inf:
        kept.again = trial + PAUSE
        return
    level = safely_below(state.key[leader])
    level -= leeway(state, leader, level)
    for arm in range(arms):
        state.odds[arm] = arm_odds(agent, state, shared, arm, level)
    for group in range((arms + GROUP - 1) // GROUP):
        set_harmless(state, arms, group, leader)
    for place in range(len(shared)):
        kept.shared[place] = shared[place]
    kept.level = level
    kept.leader = leader
    kept.stale = NONE


def leeway(state: Any, leader: int, level: float) -> float:
    """The amount by which a few failures of the leader lower the level."""
    return level * min(AFFORD / (state.alpha[leader] + state.beta[leader]), 0.06)


def set_harmless(state: Any, arms: int, group: int, leader: int) -> None:
    """Set the peak below which no arm of the group but the leader can reach the level."""
    saved = state.odds[leader]
    state.odds[leader] = math.inf
    least = math.inf
    for arm in range(GROUP * group, min(GROUP * group + GROUP, arms)):
        least = state.odds[arm] if state.odds[arm] < least else least
    state.odds[leader] = saved
    harmless = 1.0 - 1.0 / least
    for _ in range(4):
        harmless = harmless * harmless
    state.harmless[group] = harmless * (1.0 - 1e-12)  # allows for the rounding of roots and squares
