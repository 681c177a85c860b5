"""Divide agents into chunks that fit into the memory of a card."""

from typing import NamedTuple

from numba import cuda

from armwise.engine.cuda.ways import CardWay, rows_of
from armwise.engine.loop import BANDIT_SIZE
from armwise.engine.plan import Plan


class AgentSlice(NamedTuple):
    """Neighbouring agents of a plan."""

    plan: Plan
    row: int  # index of the first one in the plan's results
    agents: int


def room(plan: Plan, way: CardWay) -> int:
    """The number of agents of a plan that fit into 70 % of the card's free memory."""
    arms = plan.bandit.arms
    numbers = BANDIT_SIZE + arms + rows_of(plan.agent, way, arms) * arms
    numbers += way.lanes * (plan.agent.memory_size(arms) + 1) + 32
    return that_fit(numbers + len(plan.checkpoints) * (1 + plan.width))


def that_fit(numbers: int) -> int:
    """How many agents with so many numbers each fit into 70 % of the card's free memory."""
    free, _ = cuda.current_context().get_memory_info()
    return max(1, int(0.7 * min(free, 1e15) / (8 * numbers)))


def chunks(plans: list[Plan], most: int) -> list[list[AgentSlice]]:
    """The agents of all plans, in chunks of at most `most` agents."""
    found: list[list[AgentSlice]] = [[]]
    room = most
    for plan in plans:
        row = 0
        while row < plan.agents:
            if room == 0:
                found.append([])
                room = most
            agents = min(room, plan.agents - row)
            found[-1].append(AgentSlice(plan, row, agents))
            row += agents
            room -= agents
    return found


def halves(parts: list[AgentSlice]) -> list[list[AgentSlice]]:
    """The same agents in two chunks."""
    most = -(-sum(part.agents for part in parts) // 2)
    found: list[list[AgentSlice]] = [[], []]
    held = 0
    for part in parts:
        first = min(part.agents, max(0, most - held))
        if first:
            found[0].append(part._replace(agents=first))
        if first < part.agents:
            found[1].append(part._replace(row=part.row + first, agents=part.agents - first))
        held += part.agents
    return found
