"""The compiled engine: Numba; each thread plays one block of agents at a time.

Threads are Python threads, and the compiled loop releases the interpreter's lock. Threads share no
state, so their number cannot change a result, and several engines may run side by side.
"""

import functools
import threading
import time
from collections.abc import Callable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import Any

import numpy as np

from armwise.engine import loop
from armwise.engine.announce import compiling, described
from armwise.engine.binding import Slots, slots_of_agent, slots_of_bandit
from armwise.engine.compile import compiled
from armwise.engine.fingerprint import stamp
from armwise.engine.memory import Memory, begun_memory, compiled_memory, repeated
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


class Block:
    """Neighbouring agents of a plan, with the state of these agents and their bandits."""

    def __init__(self, plan: Plan, way: Way, begun: Memory, row: int, agents: int) -> None:
        self.plan, self.row, self.agents = plan, row, agents
        self.trial = 1
        arms = plan.bandit.arms
        self.most = max(64, AHEAD // max(agents, 1))  # trials that bandits run ahead
        room = max(2, min(self.most + 1, THETAS // (8 * max(agents, 1) * (arms + 1))))
        self.luck = np.zeros((self.most, agents))
        self.slot = np.zeros((self.most, agents), dtype=np.int32)
        self.thetas = np.zeros((agents, room, arms + 1))
        self.states, self.following = np.zeros(agents), np.zeros(agents)
        self.slots = np.zeros(agents, dtype=np.int64)
        self.totals = np.zeros(agents)
        self.memory = repeated(begun, plan.agent, way, arms, agents)

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
        self.plan.refuse_nan_beliefs(self.row, end.trial, self.memory.table)
        self.trial = end.trial + 1
        return end.trial + 1 - begin


class Player:
    """A plan with the kernels that play it, by default in the way that suits the agent."""

    def __init__(self, plan: Plan, way: Way | None = None) -> None:
        self.plan = plan
        self.way = way or (PLAIN if isinstance(plan.agent, Actor) else way_of(plan.agent))
        bandit, agent = np.array(packed(plan.bandit)), _numbers(*plan.agent.parts)
        self.move = functools.partial(bandit_kernel(plan.bandit), bandit)
        kernel = agent_kernel(loop.play_agents, plan.agent, self.way, plan.width)
        self.play = functools.partial(kernel, agent)
        nobody = plan._replace(agents=0, horizon=1)
        what = f"{described(plan.agent)} for the {plan.bandit.label} bandit"
        with compiling(what), compiler_in_words(plan.parts):
            self.begun = begun_memory(plan.agent, plan.bandit.arms, self.way)
            block = Block(nobody, self.way, self.begun, 0, 0)
            block.advance(self.move, self.play, 1, nobody.outputs())

    def run(self, report: Callable[[int], None]) -> tuple[np.ndarray, np.ndarray]:
        """Play every agent; return regrets and records."""
        out = self.plan.outputs()
        stop = threading.Event()
        size = self.block_size()
        with ThreadPoolExecutor(self.plan.threads) as pool:
            futures = [
                pool.submit(self.run_block, row, size, out, stop, report)
                for row in range(0, self.plan.agents, size)
            ]
            try:
                wait(futures, return_when=FIRST_EXCEPTION)
            finally:
                stop.set()
                pool.shutdown(cancel_futures=True)
        for future in futures:
            if not future.cancelled():
                future.result()
        return out

    def run_block(
        self, row: int, size: int, out: Any, stop: threading.Event, report: Callable[[int], None]
    ) -> None:
        """Play some agents from the first trial to the last, unless `stop` is set."""
        agents = min(size, self.plan.agents - row)
        block = Block(self.plan, self.way, self.begun, row, agents)
        trials = 64
        while block.trial <= self.plan.horizon and not stop.is_set():
            started = time.perf_counter()
            last = min(block.trial + trials - 1, self.plan.horizon)
            rows, ahead = range(row, row + agents), range(block.trial, last + 1)
            with failing_in_words(self.plan.parts, rows, ahead):
                done = block.advance(self.move, self.play, trials, out)
            report(agents * done)
            took = time.perf_counter() - started
            trials = max(1, min(4 * trials, int(done * PAUSE / max(took, 1e-9))))

    def block_size(self) -> int:
        """The number of agents that a thread plays at once."""
        one = compiled_memory(self.plan.agent, self.way, self.plan.bandit.arms, 1)
        fit = NEAR // max(1, sum(array.nbytes for array in one))
        return max(1, min(BLOCK, fit, -(-self.plan.agents // self.plan.threads)))


def prepare(plan: Plan) -> Run:
    """Compile the kernels of a plan; return the function that plays it."""
    return Player(plan).run


def run_in(plan: Plan, way: Way) -> tuple[np.ndarray, np.ndarray]:
    """Play every agent of a plan in a way; return regrets and records."""
    return Player(plan, way).run(lambda _: None)


@functools.lru_cache(maxsize=4)  # an agent's tables may be long
def _numbers(*parts: Component) -> np.ndarray:
    return np.array([*packed(*parts), 0.0])  # never empty
