"""The compiled engine: Numba; each thread plays one block of agents at a time.

Threads are Python threads, and the compiled loop releases the interpreter's lock. Threads share no
state, so their number cannot change a result, and several engines may run side by side.
"""

import functools
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import Any

import numpy as np

from armwise.engine import loop
from armwise.engine.announce import compiling, described
from armwise.engine.binding import Slots, slots_of_agent, slots_of_bandit
from armwise.engine.compile import compiled
from armwise.engine.fingerprint import stamp
from armwise.engine.memory import Memory, begun_memory, compiled_memory
from armwise.engine.mishaps import compiler_in_words, failing_in_words
from armwise.engine.plan import Plan
from armwise.engine.recording import slots_of_recording
from armwise.engine.records import builders_of_agent, builders_of_bandit, packed
from armwise.engine.ways import PLAIN, Way, way_of
from armwise.model.agent import Agent, Chooser
from armwise.model.component import Component
from armwise.model.roles import Actor, Bandit

BLOCK = 32  # largest number of agents in a block
NEAR = 1 << 18  # bytes of state that fit into the cache of a processor core
AHEAD = 1 << 17  # agent-trials by which bandits run ahead of agents
THETAS = 1 << 20  # bytes of thetas that bandits may store on the way
PAUSE = 0.1  # seconds that a thread computes before it reports and looks whether to stop

Run = Callable[[Callable[[int], None]], tuple[np.ndarray, np.ndarray]]


_kernels: dict[Any, Any] = {}


def bandit_kernel(bandit: Bandit) -> Any:
    """The compiled `loop.move_bandits` for the type of a bandit."""
    kind = type(bandit), stamp(bandit)
    if kind not in _kernels:
        slots = slots_of_bandit(bandit) | builders_of_bandit(bandit)
        _kernels[kind] = compiled(loop.move_bandits, slots)
    return _kernels[kind]


def agent_kernel(
    function: Any,
    agent: Agent | Actor | Chooser,
    way: Way,
    width: int = 0,
    more: Slots | None = None,
) -> Any:
    """The compiled function of the loop for the type of an agent, a way and a recording width.

    `more` slots are bound as well.
    """
    parts = [(type(part), stamp(part)) for part in agent.parts]
    kind = function, way.name, width > 0, *(more or {}).items(), *parts
    if kind not in _kernels:
        slots = slots_of_recording(width) | slots_of_agent(agent, way) | builders_of_agent(agent)
        _kernels[kind] = compiled(function, slots | (more or {}))
    return _kernels[kind]


class Bench:
    """The room in which a thread plays one block of neighbouring agents after the other."""

    def __init__(self, plan: Plan, way: Way, begun: Memory, agents: int) -> None:
        self.plan, self.begun = plan, begun
        arms = plan.bandit.arms
        self.most = max(64, AHEAD // max(agents, 1))  # trials that bandits run ahead
        room = max(2, min(self.most + 1, THETAS // (8 * max(agents, 1) * (arms + 1))))
        self.luck = np.empty((self.most, agents))
        self.slot = np.empty((self.most, agents), dtype=np.int32)
        self.thetas = np.empty((agents, room, arms + 1))
        self.states, self.following = np.empty(agents), np.empty(agents)
        self.slots = np.empty(agents, dtype=np.int64)
        self.totals = np.empty(agents)
        self.memory = compiled_memory(plan.agent, way, arms, agents)
        self.begin(0, agents)

    def begin(self, row: int, agents: int) -> None:
        """Take up other agents, before their first trial."""
        self.row, self.agents = row, agents
        self.trial = 1
        for array in (self.states, self.following, self.slots, self.totals, self.thetas[:, 0]):
            array[:] = 0
        for array, begun in zip(self.memory, self.begun, strict=True):
            array[:] = begun

    def advance(self, move: Callable, play: Callable, trials: int, out: Any) -> int:
        """Play some trials, or as many as there is room for; return how many."""
        begin = self.trial
        last = min(begin + min(trials, self.most) - 1, self.plan.horizon)
        stretch = np.array(self.plan.stretch(self.row, self.agents, begin, last))
        seen = self.luck, self.slot, self.thetas
        end = move(stretch, self.states, self.following, self.slots, *seen)
        if end.wrong:
            raise self.plan.refuse(self.row, end)
        stretch[6] = end.trial
        rows = slice(self.row, self.row + self.agents)
        regrets, records = out[0][rows], out[1][rows]
        end = play(
            stretch, self.plan.checkpoints, *seen, self.totals, *self.memory, regrets, records
        )
        if end.wrong:
            raise self.plan.refuse(self.row, end)
        self.plan.refuse_nan_beliefs(self.row, end.trial, self.memory.table[: self.agents])
        self.trial = end.trial + 1
        return end.trial + 1 - begin


class Player:
    """A plan with the kernels that play it, by default in the way that suits the agent."""

    def __init__(self, plan: Plan, way: Way | None = None) -> None:
        self.plan = plan
        self.way = way or (PLAIN if isinstance(plan.agent, Actor) else way_of(plan.agent))
        self.begun = begun_memory(plan.agent, self.way, plan.bandit.arms)
        bandit, agent = np.array(packed(plan.bandit)), _numbers(*plan.agent.parts)
        self.move = functools.partial(bandit_kernel(plan.bandit), bandit)
        kernel = agent_kernel(loop.play_agents, plan.agent, self.way, plan.width)
        self.play = functools.partial(kernel, agent)
        nobody = plan._replace(agents=0, horizon=1)
        what = f"{described(plan.agent)} for the {plan.bandit.label} bandit"
        with compiling(what), compiler_in_words(plan.parts):
            bench = Bench(nobody, self.way, self.begun, 0)
            bench.advance(self.move, self.play, 1, nobody.outputs())

    def run(self, report: Callable[[int], None]) -> tuple[np.ndarray, np.ndarray]:
        """Play every agent; return regrets and records."""
        out = self.plan.outputs()
        stop = threading.Event()
        size = self.block_size()
        blocks = deque(range(0, self.plan.agents, size))
        threads = max(1, min(self.plan.threads, len(blocks)))
        with ThreadPoolExecutor(threads) as pool:
            futures = [
                pool.submit(self.play_blocks, blocks, size, out, stop, report)
                for _ in range(threads)
            ]
            try:
                wait(futures, return_when=FIRST_EXCEPTION)
            finally:
                stop.set()
        for future in futures:
            future.result()
        return out

    def play_blocks(
        self,
        blocks: deque[int],
        size: int,
        out: Any,
        stop: threading.Event,
        report: Callable[[int], None],
    ) -> None:
        """Play blocks of agents as long as there are any, unless `stop` is set."""
        bench = Bench(self.plan, self.way, self.begun, size)
        trials = 64
        while not stop.is_set():
            try:
                row = blocks.popleft()  # threads may do this at the same time
            except IndexError:
                return
            bench.begin(row, min(size, self.plan.agents - row))
            trials = self.play_block(bench, trials, out, stop, report)

    def play_block(
        self,
        bench: Bench,
        trials: int,
        out: Any,
        stop: threading.Event,
        report: Callable[[int], None],
    ) -> int:
        """Play all trials, `trials` at first; return how many make a good pause."""
        while bench.trial <= self.plan.horizon and not stop.is_set():
            started = time.perf_counter()
            last = min(bench.trial + trials - 1, self.plan.horizon)
            agents = range(bench.row, bench.row + bench.agents)
            with failing_in_words(self.plan.parts, agents, range(bench.trial, last + 1)):
                done = bench.advance(self.move, self.play, trials, out)
            report(bench.agents * done)
            took = time.perf_counter() - started
            trials = max(1, min(4 * trials, int(done * PAUSE / max(took, 1e-9))))
        return trials

    def block_size(self) -> int:
        """The number of agents that a thread plays at once, so that no thread has to wait long."""
        fit = NEAR // max(1, sum(array.nbytes for array in self.begun))
        most = max(1, min(BLOCK, fit))
        rounds = max(1, -(-self.plan.agents // (most * self.plan.threads)))
        return max(1, -(-self.plan.agents // (rounds * self.plan.threads)))


def prepare(plan: Plan) -> Run:
    """Compile the kernels of a plan; return the function that plays it."""
    return Player(plan).run


def run_in(plan: Plan, way: Way) -> tuple[np.ndarray, np.ndarray]:
    """Play every agent of a plan in a way; return regrets and records."""
    return Player(plan, way).run(lambda _: None)


@functools.lru_cache(maxsize=4)  # an agent's tables may be long
def _numbers(*parts: Component) -> np.ndarray:
    return np.array([*packed(*parts), 0.0])  # never empty
