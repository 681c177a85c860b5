"""Launch kernels: plans that differ only in numbers share a launch of bounded time."""

import math
import time
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import cuda
from numba.core.errors import NumbaPerformanceWarning

from armwise.engine.cuda.kernels import kernel
from armwise.engine.cuda.memory import AgentSlice
from armwise.engine.cuda.ways import CardWay, block_of, cpu_way, rows_of, shared_memory
from armwise.engine.loop import BANDIT_SIZE
from armwise.engine.memory import record_type
from armwise.engine.plan import Plan
from armwise.engine.records import packed
from armwise.engine.stretch import End

PAUSE = 0.25  # seconds a launch should take


class Batch(NamedTuple):
    """The data on the card: parameters, state and results of the agents of several plans."""

    parts: list[AgentSlice]
    way: CardWay
    bandits: Any
    agents: Any
    owners: Any
    checkpoints: Any
    state: tuple[Any, ...]  # bandit_rows, thetas, tables, memories, kept
    regrets: Any
    records: Any
    ends: Any


def make_batch(parts: list[AgentSlice], way: CardWay) -> Batch:
    """Put agents on the card; raise MemoryError if there is no room."""
    plan = parts[0].plan
    arms = max(part.plan.bandit.arms for part in parts)
    agents = sum(part.agents for part in parts)
    memory = max(plan.agent.memory_size(arms), 1)
    marks = len(plan.checkpoints)
    kept = np.zeros(max(2, agents), record_type(plan.agent, cpu_way(plan.agent, way)))
    return Batch(
        parts,
        way,
        cuda.to_device(np.array([packed(part.plan.bandit) for part in parts])),
        cuda.to_device(np.array([[*packed(*part.plan.agent.parts), 0.0] for part in parts])),
        cuda.to_device(np.repeat(np.arange(len(parts)), [part.agents for part in parts])),
        cuda.to_device(np.asarray(plan.checkpoints)),
        (
            zeros(agents, BANDIT_SIZE),
            zeros(agents, arms),
            zeros(agents, rows_of(plan.agent, way, arms), arms),
            zeros(agents * way.lanes, memory),
            on_card(kept),
        ),
        zeros(agents, marks),
        zeros(*((agents, marks, plan.width) if plan.width else (2, 2, 2))),
        zeros(agents, 3, dtype=np.int64),
    )


def zeros(*shape: int, dtype: Any = np.float64) -> Any:
    """An array of zeros on the card.

    Every dimension is at least 2: a one-row array has another layout and would trigger a second
    compilation.
    """
    return on_card(np.zeros([max(2, size) for size in shape], dtype=dtype, order="F"))


def on_card(array: np.ndarray) -> Any:
    """Copy an array to the card; raise MemoryError if there is no room."""
    try:
        return cuda.to_device(array)
    except cuda.cudadrv.driver.CudaAPIError as problem:
        if "OUT_OF_MEMORY" in str(problem):
            raise MemoryError from None
        raise


def play_batch(batch: Batch, horizon: int, report: Callable[[int], None]) -> None:
    """Play all trials in several launches."""

    def play(begin: int, end: int) -> None:
        launch(batch, begin, end)
        report(len(batch.owners) * (end - begin + 1))

    in_launches(play, horizon)


def in_launches(launch: Callable[[int, int], None], horizon: int) -> None:
    """Launch stretches of trials, from 1 to `horizon`, that take about `PAUSE` each."""
    begin, step = 1, 64
    while begin <= horizon:
        end = min(begin + step - 1, horizon)
        started = time.perf_counter()
        launch(begin, end)
        took = time.perf_counter() - started
        step = max(1, min(16 * step, int(step * PAUSE / max(took, 1e-9))))
        begin = end + 1


def launch(batch: Batch, begin: int, end: int) -> None:
    """Play trials `begin` to `end` and wait for the end."""
    stretches = np.zeros((len(batch.parts), 8), dtype=np.int64)
    place = 0
    for row, part in enumerate(batch.parts):
        stretches[row] = part.plan.stretch(part.row - place, 1, begin, end)
        place += part.agents
    plan, arms = batch.parts[0].plan, batch.state[1].shape[1]
    block = block_of(arms, batch.way)
    grid = math.ceil(place * batch.way.lanes / block)
    memory = shared_memory(arms, batch.way) * (block // batch.way.lanes)
    with warnings.catch_warnings(action="ignore", category=NumbaPerformanceWarning):
        kernel(plan.bandit, plan.agent, batch.way, plan.width)[grid, block, 0, memory](
            batch.bandits,
            batch.agents,
            cuda.to_device(stretches),
            batch.owners,
            batch.checkpoints,
            *batch.state,
            batch.regrets,
            batch.records,
            batch.ends,
        )
        cuda.synchronize()
    refuse_what_is_wrong(batch, batch.ends.copy_to_host())


def refuse_what_is_wrong(batch: Batch, ends: np.ndarray) -> None:
    """Raise InputError if an agent of the batch could not play on."""
    place = 0
    for part in batch.parts:
        for row in np.flatnonzero(ends[place : place + part.agents, 1]):
            trial, wrong, arm = (int(number) for number in ends[place + row])
            raise part.plan.refuse(part.row, End(trial, wrong, int(row), arm))
        place += part.agents


def collect(batch: Batch, plans: list[Plan], outputs: list[tuple[np.ndarray, np.ndarray]]) -> None:
    """Copy the results of a batch into the outputs of its plans."""
    to = {id(plan): output for plan, output in zip(plans, outputs, strict=True)}
    regrets, records = batch.regrets.copy_to_host(), batch.records.copy_to_host()
    place = 0
    for part in batch.parts:
        rows = slice(part.row, part.row + part.agents)
        here, marks = slice(place, place + part.agents), len(part.plan.checkpoints)
        to[id(part.plan)][0][rows] = regrets[here, :marks]
        if part.plan.width:
            to[id(part.plan)][1][rows] = records[here, :marks]
        place += part.agents
