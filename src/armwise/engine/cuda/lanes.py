"""Lanes over arms: the functions of `armwise.engine.definition` for threads that share one agent.

A group of `lanes()` neighbouring threads plays one agent. Lane i owns every arm with arm % lanes()
== i. Work that belongs to no arm is done by all lanes in the same way, each on its own copy. Only
beliefs, scores, keys and thetas are shared; those of an arm are written only by its owner.
"""

import math
from typing import Any

from numba import cuda

from armwise.engine.definition import (
    assume,
    change,
    floor,
    key,
    learner_begin,
    score,
    shared_by_arms,
    update,
)
from armwise.engine.loop import theta
from armwise.engine.shortcuts.quantiles import odds_against
from armwise.engine.shortcuts.spared import safely_below
from armwise.model.draws import Stream, for_arm, luck, with_luck
from armwise.model.ties import choice_stream, largest, tie_below
from armwise.numerics.hook import hook


@hook
def lanes() -> int:
    """The number of threads per agent (bound by the engine): a power of two, at most 32."""
    raise NotImplementedError


def lane() -> int:
    """The number of this thread among those of its agent."""
    return cuda.threadIdx.x % lanes()


def group() -> int:
    """The threads of a warp that share this agent, as a bit mask."""
    width = lanes()
    if width == 32:
        return -1
    return ((1 << width) - 1) << (cuda.threadIdx.x % 32 // width * width)


def meet() -> None:
    """Wait for the other lanes, so that their writes can be read."""
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


def lane_most(value: int) -> int:
    """The largest of the lanes' whole numbers."""
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


def set_thetas_lanes(
    bandit: Any, state: float, before: Any, thetas: Any, arms: int, rng: Stream
) -> tuple[float, int]:
    """Same as `loop.set_thetas`."""
    best = -1.0
    wrong = 0  # one more than the arm
    for arm in range(lane(), arms, lanes()):
        value = theta(bandit, state, arm, before[arm], for_arm(rng, arm))
        thetas[arm] = value
        best = max(best, value)
        wrong = wrong if 0.0 <= value <= 1.0 else arm + 1
    meet()
    return lane_max(best), lane_most(wrong) - 1


def begin_lanes(agent: Any, state: Any, arms: int) -> None:
    """Same as `begin_plain`."""
    learner_begin(agent.learner, state.memory, arms)
    assumed = assume(agent.learner, state.memory)
    for arm in range(lane(), arms, lanes()):
        state.alpha[arm] = assumed.alpha0
        state.beta[arm] = assumed.beta0
    meet()


def act_lanes(agent: Any, state: Any, arms: int, trial: int, rng: Stream) -> int:
    """Same as `act_plain`."""
    shared = shared_by_arms(agent, state, arms, trial, rng)
    own = choice_stream(rng)
    best = -math.inf
    for arm in range(lane(), arms, lanes()):
        value = score(
            agent.policy, shared, arm, state.alpha[arm], state.beta[arm], for_arm(rng, arm)
        )
        state.score[arm] = value
        value = key(agent.choice, value, for_arm(own, arm))
        state.key[arm] = value
        best = value if value > best else best
    threshold = tie_below(lane_max(best))
    ties = 0
    for arm in range(lane(), arms, lanes()):
        ties += one_more(arm) if state.key[arm] >= threshold else 0
    return chosen_of(state, arms, lane_sum(ties), own)


def one_more(arm: int) -> int:
    """The increment for a count of arms (high bits) that also sums their numbers (low 24 bits).

    If the count is one, the low bits are the number of that arm.
    """
    return (1 << 24) + arm


def chosen_of(state: Any, arms: int, ties: int, own: Stream) -> int:
    """The arm with the largest key, given the count (`one_more`) of those that tie."""
    if ties >> 24 == 1:
        return ties & 0xFFFFFF
    meet()
    return largest(state.key, arms, own)


def act_lanes_screened(agent: Any, state: Any, arms: int, trial: int, rng: Stream) -> int:
    """Same as `act_lanes`, for a greedy choice and a score that grows with luck and has a floor.

    Only arms whose luck may lift them to the highest floor are scored. These arms, few in long runs
    and with many arms, are divided among all lanes.
    """
    shared = shared_by_arms(agent, state, arms, trial, rng)
    level = -math.inf
    for arm in range(lane(), arms, lanes()):
        least = floor(agent.policy, shared, state.alpha[arm], state.beta[arm])
        level = least if least > level else level
    level = safely_below(lane_max(level))
    hopeful = 0
    for arm in range(lane(), arms, lanes()):
        drawn = luck(for_arm(rng, arm))
        against = odds_against(agent.policy, shared, state.alpha[arm], state.beta[arm], level)
        state.key[arm] = -1.0 if (1.0 - drawn) * against > 1.0 else drawn
        hopeful += one_more(arm) if state.key[arm] >= 0.0 else 0
    place = lane_before(hopeful >> 24)
    hopeful = lane_sum(hopeful)
    if hopeful >> 24 == 1:
        return hopeful & 0xFFFFFF
    for arm in range(lane(), arms, lanes()):
        if state.key[arm] >= 0.0:
            state.score[place] = arm
            place += 1
        else:
            state.key[arm] = -math.inf
    meet()
    best = -math.inf
    for place in range(lane(), hopeful >> 24, lanes()):
        arm = int(state.score[place])
        own = with_luck(rng, arm, state.key[arm])
        value = score(agent.policy, shared, arm, state.alpha[arm], state.beta[arm], own)
        state.key[arm] = value
        best = value if value > best else best
    threshold = tie_below(lane_max(best))
    ties = 0
    for place in range(lane(), hopeful >> 24, lanes()):
        arm = int(state.score[place])
        ties += one_more(arm) if state.key[arm] >= threshold else 0
    return chosen_of(state, arms, lane_sum(ties), choice_stream(rng))


def learn_lanes(
    agent: Any, state: Any, arms: int, trial: int, arm: int, outcome: int, rng: Stream
) -> float:
    """Same as `learn_plain`."""
    gamma = change(agent.learner, state.memory, arm, outcome, state.alpha[arm], state.beta[arm])
    meet()
    for k in range(lane(), arms, lanes()):
        state.alpha[k], state.beta[k] = update(
            agent.learner, state.memory, gamma, k, k == arm, outcome, state.alpha[k], state.beta[k]
        )
    meet()
    return gamma
