"""The kernels: the work of one thread, for each way to share the work on an agent.

`owners` says to which plan each agent belongs. Every kernel plays a stretch of trials and writes
down how it ended; the state of agents stays on the card.
"""

from collections.abc import Callable
from typing import Any

from numba import cuda, float64

from armwise.engine.cuda.compile import compiled
from armwise.engine.cuda.lanes import lane, lanes, meet
from armwise.engine.cuda.single import ROWS, STATES, known_arms, threads
from armwise.engine.cuda.ways import ALONE, SINGLE, CardWay, slots_on_card
from armwise.engine.fingerprint import stamp
from armwise.engine.loop import BANDIT_SIZE, play
from armwise.engine.stretch import End


def stretch_for(numbers: Any, place: int) -> Any:
    """A plan's stretch, for only the agent at a place."""
    return (
        numbers[0],
        numbers[1],
        numbers[2] + place,
        1,
        numbers[4],
        numbers[5],
        numbers[6],
        numbers[7],
    )


def write_end(ends: Any, place: int, end: End) -> None:
    """Write down for the host how the stretch of an agent ended."""
    ends[place, 0] = end.trial
    ends[place, 1] = end.wrong
    ends[place, 2] = end.arm


def alone_kernel(
    bandits: Any,
    agents: Any,
    stretches: Any,
    owners: Any,
    checkpoints: Any,
    bandit_rows: Any,
    thetas: Any,
    tables: Any,
    memories: Any,
    kept: Any,
    regrets: Any,
    records: Any,
    ends: Any,
) -> None:
    """One thread plays an agent, with all its data in global memory."""
    place = cuda.grid(1)
    if place < owners.shape[0]:
        plan = owners[place]
        end = play(
            bandits[plan],
            agents[plan],
            stretch_for(stretches[plan], place),
            checkpoints,
            bandit_rows[place],
            thetas[place],
            tables[place],
            memories[place],
            kept[place : place + 1],
            regrets[place],
            records[place],
        )
        write_end(ends, place, end)


def single_kernel(
    bandits: Any,
    agents: Any,
    stretches: Any,
    owners: Any,
    checkpoints: Any,
    bandit_rows: Any,
    thetas: Any,
    tables: Any,
    memories: Any,
    kept: Any,
    regrets: Any,
    records: Any,
    ends: Any,
) -> None:
    """One thread plays an agent, with its beliefs in shared memory and kept scores in global."""
    place = cuda.grid(1)
    if place < owners.shape[0]:
        plan = owners[place]
        width = known_arms()
        step = threads()
        area = cuda.shared.array(0, float64)
        alpha = area[cuda.threadIdx.x : width * step : step]
        beliefs = area[cuda.threadIdx.x + width * step : 2 * width * step : step]
        bandit_row = cuda.local.array(BANDIT_SIZE, float64)
        state = cuda.local.array(STATES, float64)
        for number in range(BANDIT_SIZE):
            bandit_row[number] = bandit_rows[place, number]
        for number in range(STATES):
            state[number] = tables[place, ROWS + number // width, number % width]
        for arm in range(width):
            alpha[arm] = tables[place, 0, arm]
            beliefs[arm] = tables[place, 1, arm]
        end = play(
            bandits[plan],
            agents[plan],
            stretch_for(stretches[plan], place),
            checkpoints,
            bandit_row,
            thetas[place],
            (alpha, beliefs, tables[place, 2], state),
            memories[place],
            kept[place : place + 1],
            regrets[place],
            records[place],
        )
        write_end(ends, place, end)
        for number in range(BANDIT_SIZE):
            bandit_rows[place, number] = bandit_row[number]
        for number in range(STATES):
            tables[place, ROWS + number // width, number % width] = state[number]
        for arm in range(width):
            tables[place, 0, arm] = alpha[arm]
            tables[place, 1, arm] = beliefs[arm]


def lanes_kernel(
    bandits: Any,
    agents: Any,
    stretches: Any,
    owners: Any,
    checkpoints: Any,
    bandit_rows: Any,
    thetas: Any,
    tables: Any,
    memories: Any,
    kept: Any,
    regrets: Any,
    records: Any,
    ends: Any,
) -> None:
    """Neighbouring threads play an agent together, with its arms in shared memory."""
    place = cuda.grid(1) // lanes()
    if place < owners.shape[0]:
        plan = owners[place]
        width = thetas.shape[1]
        area = cuda.shared.array(0, float64)
        base = cuda.threadIdx.x // lanes() * (5 * width)
        bandit_row = cuda.local.array(BANDIT_SIZE, float64)
        for number in range(BANDIT_SIZE):
            bandit_row[number] = bandit_rows[place, number]
        for arm in range(lane(), width, lanes()):
            area[base + arm] = thetas[place, arm]
            area[base + width + arm] = tables[place, 0, arm]
            area[base + 2 * width + arm] = tables[place, 1, arm]
        meet()
        rows = (
            area[base + width : base + 2 * width],
            area[base + 2 * width : base + 3 * width],
            area[base + 3 * width : base + 4 * width],
            area[base + 4 * width : base + 5 * width],
        )
        end = play(
            bandits[plan],
            agents[plan],
            stretch_for(stretches[plan], place),
            checkpoints,
            bandit_row,
            area[base : base + width],
            rows,
            memories[place * lanes() + lane()],
            kept[place : place + 1],
            regrets[place],
            records[place],
        )
        write_end(ends, place, end)
        meet()
        for number in range(BANDIT_SIZE):
            bandit_rows[place, number] = bandit_row[number]
        for arm in range(lane(), width, lanes()):
            thetas[place, arm] = area[base + arm]
            tables[place, 0, arm] = area[base + width + arm]
            tables[place, 1, arm] = area[base + 2 * width + arm]


_kernels: dict[Any, Any] = {}


def kernel(bandit: Any, agent: Any, way: CardWay, width: int) -> Any:
    """The compiled kernel for a combination of components and a way."""
    known = bandit.arms if way == SINGLE else 0
    kinds = tuple((type(part), stamp(part)) for part in (bandit, *agent.parts))
    combination = (way, known, width > 0, kinds)
    if combination not in _kernels:
        _kernels[combination] = compiled(*bound(bandit, agent, way, width))
    return _kernels[combination]


def bound(bandit: Any, agent: Any, way: CardWay, width: int = 0) -> tuple[Any, Any]:
    """The uncompiled kernel, and the functions that replace the names in it."""
    function: Callable = {ALONE: alone_kernel, SINGLE: single_kernel}.get(way, lanes_kernel)
    return function, slots_on_card(bandit, agent, way, width)
