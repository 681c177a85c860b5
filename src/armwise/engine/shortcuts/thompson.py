"""Chances: the choices of `armwise.engine.definition` for a score that grows with luck.

An arm reaches a level only if its luck is good enough: the policy bounds the `odds` against it.
The best luck of every 16 arms is known from one draw (`armwise.model.draws.peak`), so most arms are
ruled out without a draw of their own. Where a policy has a `floor`, the arm with the highest one,
the leader, sets the level; while beliefs change for one arm at a time, the odds of the others
stand, for a level that the leader keeps for some time, and most trials take one look at its floor
and one at the luck of each group.
"""

import math
from typing import Any, NamedTuple

from armwise.engine.definition import assume, prepare, score
from armwise.engine.shortcuts.kept import (
    ALL,
    CHAMPION,
    LEADER,
    LEVEL,
    NONE,
    RESTLESS,
    STALE,
    assumes_anew,
    highest,
    safely_below,
)
from armwise.model.draws import Stream, for_arm, luck, peak, root, uniform, with_luck
from armwise.model.roles import Policy
from armwise.model.ties import choice_stream, largest, maximum

floor = Policy.floor
below = Policy.below
odds = Policy.odds
steady = Policy.steady

GROUP = 16  # arms that share a peak
AFFORD = 8.0  # failures of the leader over which the odds of the others stand
ROWS = 8  # of the table


class Chancy(NamedTuple):
    """A mind that knows the luck of its arms, and the odds against them."""

    alpha: Any
    beta: Any
    score: Any
    key: Any
    memory: Any
    state: Any
    luck: Any
    odds: Any
    calm: Any  # per group: no arm but the leader can win while the peak is below this


def chancy_view(table: Any, memory: Any) -> Chancy:
    """The rows of the table by name."""
    return Chancy(
        table[0], table[1], table[2], table[3], memory, table[4], table[5], table[6], table[7]
    )


def chancy_act(agent: Any, mind: Any, arms: int, trial: int, rng: Stream) -> int:
    """The best arm: those whose luck is not good enough are not scored."""
    assumed = assume(agent.learner, mind.memory)
    stale = ALL if assumes_anew(mind, assumed) else int(mind.state[STALE])
    shared = prepare(agent.policy, trial, arms, assumed, rng)
    same = steady(agent.policy, shared)
    mind.state[STALE] = ALL
    exact = -math.inf
    if same and stale != ALL and odds_stand(agent, mind, arms, shared, stale):
        mind.state[STALE] = NONE
        leader = int(mind.state[LEADER])
        level = safely_below(arm_floor(agent, mind, shared, leader))
        hope = draw_lucky(mind, arms, leader, rng)
    else:
        leader, level, exact = lead(agent, mind, arms, shared, rng)
        hope = draw_all(agent, mind, arms, shared, leader, level, rng)
        if same and mind.state[RESTLESS] == 0.0 and exact == -math.inf:
            survey(agent, mind, arms, shared, leader, level)
    choice = leader
    if hope and score_hopeful(agent, mind, arms, shared, level, rng) > 0:
        score_leader(agent, mind, arms, shared, leader, exact, rng)
        choice = largest(mind.score, arms, choice_stream(rng))
    mind.state[CHAMPION] = choice
    return choice


def odds_stand(agent: Any, mind: Any, arms: int, shared: Any, stale: int) -> bool:
    """Whether the odds are known, and for a level that is right; those of one arm may be new."""
    leader = int(mind.state[LEADER])
    reached = arm_floor(agent, mind, shared, leader)
    level = safely_below(reached)
    if level < mind.state[LEVEL] or level > mind.state[LEVEL] + 3.0 * leeway(mind, leader, level):
        return False
    if stale >= 0 and stale != leader:
        if arm_floor(agent, mind, shared, stale) > reached:
            return False
        mind.odds[stale] = arm_odds(agent, mind, shared, stale, mind.state[LEVEL])
        calm_group(mind, arms, stale // GROUP, leader)
    return True


def lead(agent: Any, mind: Any, arms: int, shared: Any, rng: Stream) -> tuple[int, float, float]:
    """The arm with the highest floor, what it certainly reaches, and its score (-inf: unknown).

    Where there are no floors, the arm chosen last, and its score.
    """
    for arm in range(arms):
        mind.key[arm] = arm_floor(agent, mind, shared, arm)
    leader = highest(mind.key, arms)
    if mind.key[leader] > -math.inf:
        return leader, safely_below(mind.key[leader]), -math.inf
    leader = int(mind.state[CHAMPION])
    mind.luck[leader] = luck(for_arm(rng, leader))
    exact = lucky_score(agent, mind, shared, leader, rng)
    return leader, safely_below(exact), exact


def score_leader(
    agent: Any, mind: Any, arms: int, shared: Any, leader: int, exact: float, rng: Stream
) -> None:
    """Score the leader, unless it falls short of the others."""
    if exact == -math.inf:
        mind.luck[leader] = luck(for_arm(rng, leader))
        level = safely_below(maximum(mind.score, arms))
        if not falls_short(agent, mind, shared, leader, level, rng):
            exact = lucky_score(agent, mind, shared, leader, rng)
    mind.score[leader] = exact


def arm_floor(agent: Any, mind: Any, shared: Any, arm: int) -> float:
    """The floor of one arm."""
    return floor(agent.policy, shared, arm, mind.alpha[arm], mind.beta[arm])


def arm_odds(agent: Any, mind: Any, shared: Any, arm: int, level: float) -> float:
    """The odds against one arm."""
    return odds(agent.policy, shared, arm, mind.alpha[arm], mind.beta[arm], level)


def chance_left(agent: Any, mind: Any, shared: Any, arm: int, level: float) -> float:
    """Below 0 only if the arm's luck keeps it below the level."""
    return 1.0 - (1.0 - mind.luck[arm]) * arm_odds(agent, mind, shared, arm, level)


def score_hopeful(agent: Any, mind: Any, arms: int, shared: Any, level: float, rng: Stream) -> int:
    """Score the arms whose key is not below 0, the highest first; how many reached the level.

    The level rises with every arm that reaches it.
    """
    first = highest(mind.key, arms)
    reached = 0
    for place in range(-1, arms):
        arm = first if place < 0 else place
        if mind.key[arm] >= 0.0:
            mind.key[arm] = -1.0
            if not falls_short(agent, mind, shared, arm, level, rng):
                mind.score[arm] = lucky_score(agent, mind, shared, arm, rng)
                level = max(level, safely_below(mind.score[arm]))
                reached += 1
    return reached


def falls_short(agent: Any, mind: Any, shared: Any, arm: int, level: float, rng: Stream) -> bool:
    """Whether an arm is below the level, by its cheap test or by the sharp one."""
    if chance_left(agent, mind, shared, arm, level) < 0.0:
        return True
    own = with_luck(rng, arm, mind.luck[arm])
    return below(agent.policy, shared, arm, mind.alpha[arm], mind.beta[arm], level, own)


def lucky_score(agent: Any, mind: Any, shared: Any, arm: int, rng: Stream) -> float:
    """The score of an arm whose luck was drawn."""
    own = with_luck(rng, arm, mind.luck[arm])
    return score(agent.policy, shared, arm, mind.alpha[arm], mind.beta[arm], own)


def draw_lucky(mind: Any, arms: int, leader: int, rng: Stream) -> bool:
    """Write as keys which arms may reach the level; whether any but the leader does.

    Only groups whose peak is high enough are looked at.
    """
    alarms = 0
    for group in range((arms + GROUP - 1) // GROUP):
        alarms += 1 if peak(rng, group)[0] >= mind.calm[group] else 0
    if alarms == 0:
        return False
    for arm in range(arms):
        mind.key[arm] = -1.0
        mind.score[arm] = -math.inf
    for group in range((arms + GROUP - 1) // GROUP):
        power, place = peak(rng, group)
        if power >= mind.calm[group]:
            draw_group(mind, arms, group, root(power), place, rng)
            first = GROUP * group
            for arm in range(first, min(first + GROUP, arms)):
                mind.key[arm] = 1.0 - (1.0 - mind.luck[arm]) * mind.odds[arm]
    mind.key[leader] = -1.0
    return maximum(mind.key, arms) >= 0.0


def draw_group(mind: Any, arms: int, group: int, top: float, place: int, rng: Stream) -> None:
    """Write the luck of the arms of a group, whose largest is `top` at `place`."""
    first = GROUP * group
    for arm in range(first, min(first + GROUP, arms)):
        mind.luck[arm] = top * uniform(for_arm(rng, arm), 0)
    if first + place < arms:
        mind.luck[first + place] = top


def draw_all(
    agent: Any, mind: Any, arms: int, shared: Any, leader: int, level: float, rng: Stream
) -> bool:
    """As `draw_lucky`, with new odds and every group."""
    for group in range((arms + GROUP - 1) // GROUP):
        power, place = peak(rng, group)
        draw_group(mind, arms, group, root(power), place, rng)
    for arm in range(arms):
        mind.key[arm] = chance_left(agent, mind, shared, arm, level)
        mind.score[arm] = -math.inf
    mind.key[leader] = -1.0
    return maximum(mind.key, arms) >= 0.0


def survey(agent: Any, mind: Any, arms: int, shared: Any, leader: int, level: float) -> None:
    """How lucky the others must be, down to a level that the leader keeps for some time."""
    level -= leeway(mind, leader, level)
    for arm in range(arms):
        mind.odds[arm] = arm_odds(agent, mind, shared, arm, level)
    for group in range((arms + GROUP - 1) // GROUP):
        calm_group(mind, arms, group, leader)
    mind.state[LEVEL] = level
    mind.state[LEADER] = leader
    mind.state[STALE] = NONE


def leeway(mind: Any, leader: int, level: float) -> float:
    """By how much a few failures lower the level."""
    return level * min(AFFORD / (mind.alpha[leader] + mind.beta[leader]), 0.06)


def calm_group(mind: Any, arms: int, group: int, leader: int) -> None:
    """Below which peak no arm of the group but the leader can reach the level."""
    kept = mind.odds[leader]
    mind.odds[leader] = math.inf
    least = math.inf
    for arm in range(GROUP * group, min(GROUP * group + GROUP, arms)):
        least = mind.odds[arm] if mind.odds[arm] < least else least
    mind.odds[leader] = kept
    calm = 1.0 - 1.0 / least
    for _ in range(4):
        calm = calm * calm
    mind.calm[group] = calm * (1.0 - 1e-12)  # whatever the rounding of roots and squares
