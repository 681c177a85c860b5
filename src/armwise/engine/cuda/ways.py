"""The ways in which threads of a card share the work on an agent, and their functions."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from armwise.engine import definition, loop
from armwise.engine import ways as shortcuts
from armwise.engine.binding import Slots, slots_of_agent, slots_of_bandit
from armwise.engine.cuda import lanes, single
from armwise.engine.cuda.functions import (
    card_digamma,
    card_philox,
    card_quantile,
    card_upper_quantile,
)
from armwise.engine.plan import FILLS_CARD
from armwise.engine.recording import slots_of_recording
from armwise.engine.records import builders_of_agent, builders_of_bandit
from armwise.engine.ways import PLAIN
from armwise.model import draws
from armwise.model.agent import Agent
from armwise.model.quantile_policy import QuantilePolicy
from armwise.model.roles import Actor
from armwise.numerics import beta_quantiles, gamma

BLOCK = 128  # threads per block, fewer if their shared memory would not suffice
SHARED = 48 * 1024  # bytes of shared memory per block on every card
MOST_ARMS = 1_000  # arms that fit into it for one agent with lanes
MOST_SINGLE = 96  # arms that fit into it for 32 agents with one thread each
LONG = 100_000  # trials; in longer runs most trials can be screened
REWRITTEN: Slots = {
    draws.philox: card_philox,
    gamma.digamma: card_digamma,
    beta_quantiles.beta_quantile: card_quantile,
    beta_quantiles.beta_upper_quantile: card_upper_quantile,
}


class CardWay(NamedTuple):
    """A way to play agents on a card."""

    name: str
    lanes: int  # threads that share an agent
    per_arm: int  # numbers per arm in shared memory


ALONE = CardWay("alone", 1, 0)  # one thread, with the shortcuts of the cpu engine
SINGLE = CardWay("single", 1, 2)  # one thread, its beliefs in shared memory
SCREENED = CardWay("screened", 32, 5)  # lanes, which score only arms that may be the best


def together(lanes_each: int) -> CardWay:
    """The way of lanes that follow the plain definition."""
    return CardWay("together", lanes_each, 5)


def card_way(agent: Agent | Actor, arms: int, agents: int, horizon: int) -> CardWay:
    """The fastest way for an agent, as measured.

    A thousand agents with one thread each would leave most of a card idle. More than `FILLS_CARD`
    agents fill it; then the way with the least work wins, if the work is equal in all threads.
    """
    if not isinstance(agent, Agent) or shortcuts.is_habitual(agent.choice) or arms > MOST_ARMS:
        return ALONE
    policy: Any = type(agent.policy)
    lanes_each = min(32, 1 << max(arms - 1, 1).bit_length())
    if not agent.choice.greedy or shortcuts.folds_over_arms(policy):
        return together(lanes_each)
    if agents > FILLS_CARD and shortcuts.score_lasts(policy) and arms <= MOST_SINGLE:
        return SINGLE
    drawn = issubclass(policy, QuantilePolicy) and policy.stochastic
    floored = drawn and policy.floor is not QuantilePolicy.floor
    if floored and (arms > 32 or horizon > LONG):
        return SCREENED
    return together(lanes_each)


def shared_memory(arms: int, way: CardWay) -> int:
    """The bytes of shared memory that an agent needs."""
    return 8 * way.per_arm * arms


def block_of(arms: int, way: CardWay) -> int:
    """The threads per block: as many as the shared memory allows, at least 32."""
    block = BLOCK
    while shared_memory(arms, way) * (block // way.lanes) > SHARED and block > 32:
        block //= 2
    return block


def rows_of(agent: Agent | Actor, way: CardWay, arms: int) -> int:
    """The numbers per arm that stay on the card between launches."""
    if way == SINGLE:
        return single.ROWS + math.ceil(single.STATES / arms)
    if way != ALONE:
        return 3
    return 0 if isinstance(agent, Actor) else shortcuts.way_of(agent).rows


def cpu_way(agent: Agent | Actor, way: CardWay) -> shortcuts.Way:
    """The way of the cpu engine whose functions are used; PLAIN if lanes replace them."""
    if way != ALONE or isinstance(agent, Actor):
        return PLAIN
    return shortcuts.way_of(agent)


def slots_on_card(bandit: Any, agent: Agent | Actor, way: CardWay, width: int) -> Slots:
    """Map the names in a kernel to the functions that replace them."""
    slots = slots_of_bandit(bandit) | builders_of_bandit(bandit)
    slots |= slots_of_agent(agent, cpu_way(agent, way)) | builders_of_agent(agent)
    slots |= slots_of_recording(width) | REWRITTEN
    if way == ALONE:
        return slots
    if way == SINGLE:
        return slots | {
            **builders_of_bandit(bandit, fixed=["arms"]),
            single.known_arms: _constant(bandit.arms),
            single.threads: _constant(block_of(bandit.arms, way)),
            loop.begin: single.begin_single,
            loop.act: single.act_single,
            loop.learn: single.learn_single,
            loop.view: single.view_single,
        }
    return slots | {
        loop.begin: lanes.begin_lanes,
        loop.act: lanes.act_lanes_screened if way.name == SCREENED.name else lanes.act_lanes,
        loop.learn: lanes.learn_lanes,
        loop.view: definition.view_plain,
        loop.set_thetas: lanes.set_thetas_lanes,
        lanes.lanes: _constant(way.lanes),
    }


def _constant(number: int) -> Callable[[], int]:
    def constant() -> int:
        return number

    return constant
