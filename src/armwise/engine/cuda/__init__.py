"""The CUDA engine: the same loop on a graphics card.

An agent is played by several threads, which share its arms and follow the plain definition
(`lanes`); or by one thread with its data in shared memory, which visits each arm once per trial
(`single`); or by one thread that takes the shortcuts of the `cpu` engine, for actors and for very
many arms. `ways` chooses. A launch plays a stretch of trials, of bounded time, for many plans at
once; only regrets and records leave the card.
"""

import functools
from collections.abc import Callable

import numpy as np

from armwise.engine.announce import compiling, described
from armwise.engine.cuda.launch import collect, launch, make_batch, play_batch
from armwise.engine.cuda.memory import AgentSlice, chunks, halves, room
from armwise.engine.cuda.ways import CardWay, card_way
from armwise.engine.plan import Plan

Results = tuple[np.ndarray, np.ndarray]


def prepare(plan: Plan) -> Callable[[Callable[[int], None]], Results]:
    """Compile the kernel of a plan; return the function that plays it."""
    compile_for(plan)
    return functools.partial(_run_one, plan)


def compile_for(plan: Plan) -> None:
    """Compile the kernel by running it for no trials."""
    way = card_way(plan.agent, plan.bandit.arms, plan.agents, plan.horizon)
    with compiling(f"{described(plan.agent)} for the {plan.bandit.label} bandit, for a card"):
        launch(make_batch([AgentSlice(plan, 0, 1)], way), 1, 0)


def _run_one(plan: Plan, report: Callable[[int], None]) -> Results:
    return run_many([plan], report)[0]


def run_many(
    plans: list[Plan], report: Callable[[int], None], way: CardWay | None = None
) -> list[Results]:
    """Play plans that differ only in numbers: parameters, seeds, agents. Return results in order.

    The number of arms must be equal in plans that are played in the way SINGLE, and in plans that
    record more than regrets.
    """
    widest = max(plans, key=lambda plan: plan.bandit.arms)
    if way is None:
        agents = sum(plan.agents for plan in plans)
        way = card_way(widest.agent, widest.bandit.arms, agents, widest.horizon)
    outputs = [plan.outputs() for plan in plans]
    waiting = chunks(plans, room(widest, way))
    while waiting:
        parts = waiting.pop(0)
        try:
            batch = make_batch(parts, way)
        except MemoryError:  # taken by another process since room() looked: use smaller chunks
            if sum(part.agents for part in parts) == 1:
                raise
            waiting = halves(parts) + waiting
            continue
        play_batch(batch, plans[0].horizon, report)
        collect(batch, plans, outputs)
    return outputs
