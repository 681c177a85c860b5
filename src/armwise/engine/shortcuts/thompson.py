"""Luck: for a score that is drawn from a belief (Thompson sampling).

A draw is the quantile of one uniform number, the arm's luck. So an arm reaches a level only if its
luck is good enough, and a tail bounds the odds against it. The largest luck of every 16 arms is
known from one draw (`draws.peak`), so most arms are ruled out without a draw of their own. If a
policy has a floor, the arm with the highest floor, the leader, sets the level. As long as only one
belief changes per trial, the odds of the other arms stay valid for a level that the leader keeps
for some time. Most trials then only check its floor and the peak of each group.
"""

import math
from typing import Any, NamedTuple

from armwise.engine.definition import assume, floor, prepare, score
from armwise.engine.shortcuts.quantiles import odds_against, surely_below
from armwise.engine.shortcuts.screened import highest
from armwise.engine.shortcuts.spared import ALL, KEPT, NONE, assumptions_changed, safely_below
from armwise.model.draws import Stream, for_arm, luck, peak, root, uniform, with_luck
from armwise.model.ties import choice_stream, largest, maximum

GROUP = 16  # arms that share a peak
AFFORD = 8.0  # failures of the leader for which the odds of the others stay valid
SHARED = 8  # most numbers that arms may share
ROWS = 7  # numbers per arm

KEPT_ODDS = KEPT | {
    "leader": int,  # the arm whose floor sets the level
    "level": float,  # the level that the odds refer to
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
    same = is_kept(kept.shared, shared)
    kept.stale = ALL
    exact = -math.inf
    if same and stale != ALL and odds_stand(agent, state, arms, shared, stale):
        kept.stale = NONE
        leader = kept.leader
        level = safely_below(arm_floor(agent, state, shared, leader))
        hope = draw_lucky(state, arms, leader, rng)
    else:
        leader, level, exact = lead(agent, state, arms, shared, rng)
        hope = draw_all(agent, state, arms, shared, leader, level, rng)
        if kept.gamma == 0.0 and exact == -math.inf:
            keep_odds(agent, state, arms, shared, leader, level)
    choice = leader
    if hope and score_hopeful(agent, state, arms, shared, level, rng) > 0:
        score_leader(agent, state, arms, shared, leader, exact, rng)
        choice = largest(state.score, arms, choice_stream(rng))
    kept.champion = choice
    return choice


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


def lead(agent: Any, state: Any, arms: int, shared: Any, rng: Stream) -> tuple[int, float, float]:
    """The arm with the highest floor, a level that it reaches, and its score (-inf: unknown).

    Without floors it is the arm chosen last.
    """
    kept = state.kept[0]
    for arm in range(arms):
        state.key[arm] = arm_floor(agent, state, shared, arm)
    leader = highest(state.key, arms)
    if state.key[leader] > -math.inf:
        return leader, safely_below(state.key[leader]), -math.inf
    leader = kept.champion
    state.luck[leader] = luck(for_arm(rng, leader))
    exact = lucky_score(agent, state, shared, leader, rng)
    return leader, safely_below(exact), exact


def score_leader(
    agent: Any, state: Any, arms: int, shared: Any, leader: int, exact: float, rng: Stream
) -> None:
    """Score the leader, unless it falls short of the others."""
    if exact == -math.inf:
        state.luck[leader] = luck(for_arm(rng, leader))
        level = safely_below(maximum(state.score, arms))
        if not falls_short(agent, state, shared, leader, level):
            exact = lucky_score(agent, state, shared, leader, rng)
    state.score[leader] = exact


def arm_floor(agent: Any, state: Any, shared: Any, arm: int) -> float:
    """The floor of one arm."""
    return floor(agent.policy, shared, state.alpha[arm], state.beta[arm])


def arm_odds(agent: Any, state: Any, shared: Any, arm: int, level: float) -> float:
    """The odds against one arm."""
    return odds_against(agent.policy, shared, state.alpha[arm], state.beta[arm], level)


def chance_left(agent: Any, state: Any, shared: Any, arm: int, level: float) -> float:
    """A number that is below 0 only if the arm's luck keeps it below the level."""
    return 1.0 - (1.0 - state.luck[arm]) * arm_odds(agent, state, shared, arm, level)


def score_hopeful(agent: Any, state: Any, arms: int, shared: Any, level: float, rng: Stream) -> int:
    """Score the arms whose key is not below 0, the highest first; return how many were scored.

    The level rises with every arm that reaches it.
    """
    first = highest(state.key, arms)
    reached = 0
    for place in range(-1, arms):
        arm = first if place < 0 else place
        if state.key[arm] >= 0.0:
            state.key[arm] = -1.0
            if not falls_short(agent, state, shared, arm, level):
                state.score[arm] = lucky_score(agent, state, shared, arm, rng)
                level = max(level, safely_below(state.score[arm]))
                reached += 1
    return reached


def falls_short(agent: Any, state: Any, shared: Any, arm: int, level: float) -> bool:
    """Whether an arm is below the level, by a cheap test or else by a sharp one."""
    if chance_left(agent, state, shared, arm, level) < 0.0:
        return True
    tail = 1.0 - state.luck[arm]
    return surely_below(agent.policy, shared, state.alpha[arm], state.beta[arm], level, tail)


def lucky_score(agent: Any, state: Any, shared: Any, arm: int, rng: Stream) -> float:
    """The score of an arm whose luck was drawn."""
    own = with_luck(rng, arm, state.luck[arm])
    return score(agent.policy, shared, arm, state.alpha[arm], state.beta[arm], own)


def draw_lucky(state: Any, arms: int, leader: int, rng: Stream) -> bool:
    """Set the keys of arms that may reach the level; return whether any but the leader may.

    Only groups with a high enough peak are considered.
    """
    alarms = 0
    for group in range((arms + GROUP - 1) // GROUP):
        alarms += 1 if peak(rng, group)[0] >= state.harmless[group] else 0
    if alarms == 0:
        return False
    for arm in range(arms):
        state.key[arm] = -1.0
        state.score[arm] = -math.inf
    for group in range((arms + GROUP - 1) // GROUP):
        power, place = peak(rng, group)
        if power >= state.harmless[group]:
            draw_group(state, arms, group, root(power), place, rng)
            first = GROUP * group
            for arm in range(first, min(first + GROUP, arms)):
                state.key[arm] = 1.0 - (1.0 - state.luck[arm]) * state.odds[arm]
    state.key[leader] = -1.0
    return maximum(state.key, arms) >= 0.0


def draw_group(state: Any, arms: int, group: int, top: float, place: int, rng: Stream) -> None:
    """Write the luck of the arms of a group; the largest is `top` at `place`."""
    first = GROUP * group
    for arm in range(first, min(first + GROUP, arms)):
        state.luck[arm] = top * uniform(for_arm(rng, arm), 0)
    if first + place < arms:
        state.luck[first + place] = top


def draw_all(
    agent: Any, state: Any, arms: int, shared: Any, leader: int, level: float, rng: Stream
) -> bool:
    """Same as `draw_lucky`, with new odds and for every group."""
    for group in range((arms + GROUP - 1) // GROUP):
        power, place = peak(rng, group)
        draw_group(state, arms, group, root(power), place, rng)
    for arm in range(arms):
        state.key[arm] = chance_left(agent, state, shared, arm, level)
        state.score[arm] = -math.inf
    state.key[leader] = -1.0
    return maximum(state.key, arms) >= 0.0


def keep_odds(agent: Any, state: Any, arms: int, shared: Any, leader: int, level: float) -> None:
    """Compute and keep the odds for a level that the leader will keep for some time."""
    kept = state.kept[0]
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
