"""The compiled engine: Numba, one block of agents per thread at a time.

Threads are Python's, and the compiled loop releases the interpreter's lock. No thread shares state
with another, so the number of threads cannot change a result, and engines may run side by side.
"""

import functools
import threading
import time
from collections.abc import Callable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import Any

import numpy as np

from armwise.engine import loop
from armwise.engine.binding import builders, packed, slots_of
from armwise.engine.compile import compiled
from armwise.engine.plan import Plan, memory_of
from armwise.model.component import Component

BLOCK = 32  # agents whose state is held at once by a thread, if it is small
NEAR = 1 << 18  # bytes of state that stay near a processor
PAUSE = 0.1  # seconds a thread computes between looks at the world outside


_kernels: dict[Any, Any] = {}


def kernel(function: Any, bandit: Any, agent: Any) -> Any:
    """The compiled loop for this combination of components."""
    combination = (function, type(bandit), *(type(part) for part in agent.parts))
    if combination not in _kernels:
        slots = slots_of(bandit, agent) | builders(bandit, agent)
        _kernels[combination] = compiled(function, slots)
    return _kernels[combination]


def prepare(plan: Plan) -> None:
    """Compile what the plan needs, by letting nobody play."""
    nobody = plan._replace(agents=0, horizon=1)
    _play_block(_player(plan), nobody, 0, *nobody.outputs(), threading.Event(), lambda _: None)


def run(plan: Plan, report: Callable[[int], None]) -> tuple[np.ndarray, np.ndarray]:
    """Play every agent of the plan; returns regrets and records."""
    prepare(plan)
    play = _player(plan)
    regrets, records = plan.outputs()
    stop = threading.Event()

    def work(row: int) -> None:
        _play_block(play, plan, row, regrets, records, stop, report)

    block = _block(plan)
    with ThreadPoolExecutor(plan.threads) as pool:
        futures = [pool.submit(work, row) for row in range(0, plan.agents, block)]
        try:
            wait(futures, return_when=FIRST_EXCEPTION)
        finally:
            stop.set()
            pool.shutdown(cancel_futures=True)
    for future in futures:
        if not future.cancelled():
            future.result()
    return regrets, records


def _player(plan: Plan) -> Callable:
    """The loop with all numbers of world and agent."""
    bandit = np.array(packed(plan.bandit))
    return functools.partial(
        kernel(loop.play, plan.bandit, plan.agent), bandit, _numbers(*plan.agent.parts)
    )


@functools.lru_cache(maxsize=4)  # an agent's tables may be long
def _numbers(*parts: Component) -> np.ndarray:
    return np.array([*packed(*parts), 0.0])  # never empty


def _block(plan: Plan) -> int:
    tables, memory = memory_of(plan.agent, plan.bandit.arms, 1)
    fit = NEAR // max(1, tables.nbytes + memory.nbytes)
    return max(1, min(BLOCK, fit, -(-plan.agents // plan.threads)))


def _play_block(
    play: Callable,
    plan: Plan,
    row: int,
    regrets: np.ndarray,
    records: np.ndarray,
    stop: threading.Event,
    report: Callable[[int], None],
) -> None:
    block = min(_block(plan), plan.agents - row)
    worlds = np.zeros((block, loop.WORLD_SIZE))
    thetas = np.zeros((block, plan.bandit.arms))
    tables, memory = memory_of(plan.agent, plan.bandit.arms, block)
    begin, step = 1, 64
    while begin <= plan.horizon and not stop.is_set():
        end = min(begin + step - 1, plan.horizon)
        address = np.array(plan.address(plan.first + row, block, begin, end), dtype=np.int64)
        started = time.perf_counter()
        play(
            address,
            plan.checkpoints,
            worlds,
            thetas,
            tables,
            memory,
            regrets[row : row + block],
            records[row : row + block],
        )
        report(block * (end - begin + 1))
        took = time.perf_counter() - started
        step = max(1, min(4 * step, int(step * PAUSE / max(took, 1e-9))))
        begin = end + 1


def replay(agent: Any, arms: int, chosen: Any, outcomes: Any, lines: np.ndarray) -> None:
    """Follow recorded choices; fills `lines`."""
    follow = kernel(loop.replay, None, agent)
    address = np.array([arms, len(chosen), lines.shape[1]], dtype=np.int64)
    tables, memory = memory_of(agent, arms, 1)
    follow(_numbers(*agent.parts), address, chosen, outcomes, tables[0], memory[0], lines)
