"""Lanes over arms: the functions of `armwise.engine.definition` for threads that share one agent.

A group of `lanes()` neighbouring threads plays one agent. Each lane owns every arm whose number,
divided by the lanes, leaves the lane's; what concerns no arm, all lanes compute alike, on values of
their own. Only beliefs, scores, keys and thetas are shared, and an arm's are written by its owner.
"""

import math
from typing import Any

from numba import cuda

from armwise.engine.definition import assume, change, key, learner_begin, overview, score, update
from armwise.engine.loop import BEST, STATE, theta
from armwise.engine.shortcuts.kept import floor, safely_below
from armwise.model.draws import Stream, for_arm, luck, with_luck
from armwise.model.roles import Policy
from armwise.model.ties import choice_stream, largest, tie_below

odds = Policy.odds


def lanes() -> int:
    """How many threads share an agent (bound by the engine): a power of two, 32 at most."""
    raise NotImplementedError


def lane() -> int:
    """The number of this thread among those of its agent."""
    return cuda.threadIdx.x % lanes()


def group() -> int:
    """The threads of a warp that share this agent, as bits."""
    width = lanes()
    if width == 32:
        return -1
    return ((1 << width) - 1) << (cuda.threadIdx.x % 32 // width * width)


def meet() -> None:
    """Wait for the other lanes; what they wrote can then be read."""
    if lanes() > 1:
        cuda.syncwarp(group())


def lane_max(value: float) -> float:
    """The largest of the lanes' values."""
    offset = lanes() >> 1
    while offset > 0:
        other = cuda.shfl_xor_sync(group(), value, offset)
        value = other if other > value else value
        offset >>= 1
    return value


def lane_sum(value: int) -> int:
    """The sum of the lanes' values."""
    offset = lanes() >> 1
    while offset > 0:
        value += cuda.shfl_xor_sync(group(), value, offset)
        offset >>= 1
    return value


def lane_before(value: int) -> int:
    """The sum of the values of the lanes before this one."""
    total = value
    offset = 1
    while offset < lanes():
        other = cuda.shfl_up_sync(group(), total, offset)
        total += other if lane() >= offset else 0
        offset <<= 1
    return total - value


def lane_set_thetas(bandit: Any, world: Any, thetas: Any, arms: int, rng: Stream) -> None:
    """As `loop.set_thetas`."""
    best = -1.0
    for arm in range(lane(), arms, lanes()):
        thetas[arm] = theta(bandit, world[STATE], arm, thetas[arm], for_arm(rng, arm))
        best = max(best, thetas[arm])
    world[BEST] = lane_max(best)
    meet()


def lane_begin(agent: Any, mind: Any, arms: int) -> None:
    """As `mind.composed_begin`."""
    learner_begin(agent.learner, mind.memory, arms)
    assumed = assume(agent.learner, mind.memory)
    for arm in range(lane(), arms, lanes()):
        mind.alpha[arm] = assumed.alpha0
        mind.beta[arm] = assumed.beta0
    meet()


def lane_act(agent: Any, mind: Any, arms: int, trial: int, rng: Stream) -> int:
    """As `mind.composed_act`."""
    shared = overview(agent, mind, arms, trial, rng)
    own = choice_stream(rng)
    best = -math.inf
    for arm in range(lane(), arms, lanes()):
        value = score(agent.policy, shared, arm, mind.alpha[arm], mind.beta[arm], for_arm(rng, arm))
        mind.score[arm] = value
        value = key(agent.choice, value, for_arm(own, arm))
        mind.key[arm] = value
        best = value if value > best else best
    threshold = tie_below(lane_max(best))
    ties = 0
    for arm in range(lane(), arms, lanes()):
        ties += one_more(arm) if mind.key[arm] >= threshold else 0
    return settle(mind, arms, lane_sum(ties), own)


def one_more(arm: int) -> int:
    """What an arm adds to a count of arms, which knows the arm if it is the only one."""
    return (1 << 24) + arm


def settle(mind: Any, arms: int, ties: int, own: Stream) -> int:
    """The arm whose key is largest, from the count of those that tie."""
    if ties >> 24 == 1:
        return ties & 0xFFFFFF
    meet()
    return largest(mind.key, arms, own)


def lane_screened(agent: Any, mind: Any, arms: int, trial: int, rng: Stream) -> int:
    """As `lane_act`, for a score that grows with luck and has a floor, and a choice by score.

    Those are scored whose luck may lift them to the highest floor. They are dealt out to all lanes;
    in long runs and with many arms they are few.
    """
    shared = overview(agent, mind, arms, trial, rng)
    level = -math.inf
    for arm in range(lane(), arms, lanes()):
        least = floor(agent.policy, shared, arm, mind.alpha[arm], mind.beta[arm])
        level = least if least > level else level
    level = safely_below(lane_max(level))
    hopeful = 0
    for arm in range(lane(), arms, lanes()):
        drawn = luck(for_arm(rng, arm))
        against = odds(agent.policy, shared, arm, mind.alpha[arm], mind.beta[arm], level)
        mind.key[arm] = -1.0 if (1.0 - drawn) * against > 1.0 else drawn
        hopeful += one_more(arm) if mind.key[arm] >= 0.0 else 0
    place = lane_before(hopeful >> 24)
    hopeful = lane_sum(hopeful)
    if hopeful >> 24 == 1:
        return hopeful & 0xFFFFFF
    for arm in range(lane(), arms, lanes()):
        if mind.key[arm] >= 0.0:
            mind.score[place] = arm
            place += 1
        else:
            mind.key[arm] = -math.inf
    meet()
    best = -math.inf
    for place in range(lane(), hopeful >> 24, lanes()):
        arm = int(mind.score[place])
        own = with_luck(rng, arm, mind.key[arm])
        value = score(agent.policy, shared, arm, mind.alpha[arm], mind.beta[arm], own)
        mind.key[arm] = value
        best = value if value > best else best
    threshold = tie_below(lane_max(best))
    ties = 0
    for place in range(lane(), hopeful >> 24, lanes()):
        arm = int(mind.score[place])
        ties += one_more(arm) if mind.key[arm] >= threshold else 0
    return settle(mind, arms, lane_sum(ties), choice_stream(rng))


def lane_learn(
    agent: Any, mind: Any, arms: int, trial: int, arm: int, outcome: int, rng: Stream
) -> float:
    """As `mind.composed_learn`."""
    gamma = change(agent.learner, mind.memory, arm, outcome, mind.alpha[arm], mind.beta[arm])
    meet()
    for k in range(lane(), arms, lanes()):
        mind.alpha[k], mind.beta[k] = update(
            agent.learner, mind.memory, gamma, k, k == arm, outcome, mind.alpha[k], mind.beta[k]
        )
    meet()
    return gamma
