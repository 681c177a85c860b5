"""The interpreted engine: the loop as Python runs it. Slow, and the oracle of all others."""

from collections.abc import Callable
from typing import Any

import numpy as np

from armwise.engine import loop
from armwise.engine.binding import Slots, rebind, slots_of
from armwise.engine.plan import Plan, memory_of


def _interpreted(function: Any, bandit: Any, agent: Any) -> Any:
    slots: Slots = slots_of(bandit, agent, plain=True)

    def same_bandit(_: Any) -> Any:
        return bandit

    def same_agent(_: Any) -> Any:
        return agent

    slots |= {loop.make_bandit: same_bandit, loop.make_agent: same_agent}
    return rebind(function, slots)


def rows(array: np.ndarray) -> list:
    """An array as rows that give and take Python floats, and whose slices are views."""
    return [memoryview(row) for row in array]


def prepare(plan: Plan) -> None:
    """Nothing has to be compiled."""


def run(plan: Plan, report: Callable[[int], None]) -> tuple[np.ndarray, np.ndarray]:
    """Play every agent of the plan; returns regrets and records."""
    play = _interpreted(loop.play, plan.bandit, plan.agent)
    regrets, records = plan.outputs()
    checkpoints = [int(trial) for trial in plan.checkpoints]
    for row in range(plan.agents):
        world = np.zeros((1, loop.WORLD_SIZE))
        thetas = np.zeros((1, plan.bandit.arms))
        tables, memory = memory_of(plan.agent, plan.bandit.arms, 1, plain=True)
        address = plan.address(plan.first + row, 1, 1, plan.horizon)
        out = [rows(records[row])] if plan.width else [[]]
        play(
            None,
            None,
            address,
            checkpoints,
            rows(world),
            rows(thetas),
            [rows(tables[0])],
            rows(memory),
            rows(regrets[row : row + 1]),
            out,
        )
        report(plan.horizon)
    return regrets, records


def replay(agent: Any, arms: int, chosen: Any, outcomes: Any, lines: np.ndarray) -> None:
    """Follow recorded choices; fills `lines`."""
    follow = _interpreted(loop.replay, None, agent)
    tables, memory = memory_of(agent, arms, 1, plain=True)
    address = [arms, len(chosen), lines.shape[1]]
    arms_chosen, results = [int(arm) for arm in chosen], [int(outcome) for outcome in outcomes]
    follow(None, address, arms_chosen, results, rows(tables[0]), memoryview(memory[0]), rows(lines))
