"""The CUDA engine: the same loop on a graphics card.

An agent gets several threads, which share its arms and follow the plain definition (`together`,
with `armwise.engine.cuda.lanes`); or one that passes its arms once a trial, all it needs in fast memory
(`crowded`, with `armwise.engine.cuda.single`); or one that takes the shortcuts of the `cpu` engine
(`alone`), for agents without arms to share and for very many arms. `way_of` chooses. A launch plays
a stretch of trials, of bounded time, for many plans at once; only regrets and records leave the
card.
"""

import math
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import config, cuda, float64

from armwise.engine import loop
from armwise.engine.binding import Slots, builder, builders, packed, rebind, slots_of
from armwise.engine.cuda.functions import (
    card_digamma,
    card_philox,
    card_quantile,
    card_upper_quantile,
)
from armwise.engine.cuda.lanes import (
    lane,
    lane_act,
    lane_begin,
    lane_learn,
    lane_screened,
    lane_set_thetas,
    lanes,
    meet,
)
from armwise.engine.cuda.single import (
    STATES,
    crowd_act,
    crowd_arms,
    crowd_begin,
    crowd_block,
    crowd_learn,
    crowd_view,
)
from armwise.engine.loop import WORLD_SIZE, play
from armwise.engine.plan import CROWD, Plan, memory_of
from armwise.model import draws as random
from armwise.model.roles import Actor, Policy
from armwise.numerics import beta, gamma, normal, student

PAUSE = 0.25  # seconds a launch should take
BLOCK = 128  # threads, or fewer where their fast memory would not suffice
SHARED = 48 * 1024  # bytes of fast memory that every card gives to a block
MOST_ARMS = 1_000  # that fit there for an agent whose arms are shared
MOST_CROWDED = 96  # that fit there for 32 agents with a thread each
LONG = 100_000  # trials, of which most are easy
ALONE, CROWDED, SCREENED = 0, -1, -2  # ways to play; any other is a number of threads per agent
_SPECIAL = {
    item.__code__
    for module in (beta, gamma, normal, student)
    for item in vars(module).values()
    if hasattr(item, "__code__")
}


def alone(
    bandits: Any,
    agents: Any,
    addresses: Any,
    owners: Any,
    checkpoints: Any,
    worlds: Any,
    thetas: Any,
    tables: Any,
    memory: Any,
    regrets: Any,
    records: Any,
) -> None:
    """Kernel: a thread plays an agent. `owners` says to which plan each agent belongs."""
    place = cuda.grid(1)
    if place < owners.shape[0]:
        plan = owners[place]
        to = addresses[plan]
        play(
            bandits[plan],
            agents[plan],
            (to[0], to[1], to[2] + place, 1, to[4], to[5], to[6]),
            checkpoints,
            worlds[place : place + 1],
            thetas[place : place + 1],
            tables[place : place + 1],
            memory[place : place + 1],
            regrets[place : place + 1],
            records[place : place + 1],
        )


def crowded(
    bandits: Any,
    agents: Any,
    addresses: Any,
    owners: Any,
    checkpoints: Any,
    worlds: Any,
    thetas: Any,
    tables: Any,
    memory: Any,
    regrets: Any,
    records: Any,
) -> None:
    """Kernel: a thread plays an agent, whose beliefs it keeps in shared memory."""
    place = cuda.grid(1)
    if place < owners.shape[0]:
        plan = owners[place]
        to = addresses[plan]
        width = crowd_arms()
        step = crowd_block()
        area = cuda.shared.array(0, float64)
        alpha = area[cuda.threadIdx.x : width * step : step]
        beta = area[cuda.threadIdx.x + width * step : 2 * width * step : step]
        world = cuda.local.array(WORLD_SIZE, float64)
        state = cuda.local.array(STATES, float64)
        for number in range(WORLD_SIZE):
            world[number] = worlds[place, number]
        for number in range(STATES):
            state[number] = tables[place, 2, number]
        for arm in range(width):
            alpha[arm] = tables[place, 0, arm]
            beta[arm] = tables[place, 1, arm]
        play(
            bandits[plan],
            agents[plan],
            (to[0], to[1], to[2] + place, 1, to[4], to[5], to[6]),
            checkpoints,
            (world,),
            thetas[place : place + 1],
            ((alpha, beta, state),),
            memory[place : place + 1],
            regrets[place : place + 1],
            records[place : place + 1],
        )
        for number in range(WORLD_SIZE):
            worlds[place, number] = world[number]
        for number in range(STATES):
            tables[place, 2, number] = state[number]
        for arm in range(width):
            tables[place, 0, arm] = alpha[arm]
            tables[place, 1, arm] = beta[arm]


def together(
    bandits: Any,
    agents: Any,
    addresses: Any,
    owners: Any,
    checkpoints: Any,
    worlds: Any,
    thetas: Any,
    tables: Any,
    memory: Any,
    regrets: Any,
    records: Any,
) -> None:
    """Kernel: neighbouring threads play an agent, whose arms they keep in shared memory."""
    place = cuda.grid(1) // lanes()
    if place < owners.shape[0]:
        plan = owners[place]
        to = addresses[plan]
        width = thetas.shape[1]
        area = cuda.shared.array(0, float64)
        base = cuda.threadIdx.x // lanes() * (5 * width)
        world = cuda.local.array(WORLD_SIZE, float64)
        for number in range(WORLD_SIZE):
            world[number] = worlds[place, number]
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
        mine = place * lanes() + lane()
        play(
            bandits[plan],
            agents[plan],
            (to[0], to[1], to[2] + place, 1, to[4], to[5], to[6]),
            checkpoints,
            (world,),
            (area[base : base + width],),
            (rows,),
            memory[mine : mine + 1],
            regrets[place : place + 1],
            records[place : place + 1],
        )
        meet()
        for number in range(WORLD_SIZE):
            worlds[place, number] = world[number]
        for arm in range(lane(), width, lanes()):
            thetas[place, arm] = area[base + arm]
            tables[place, 0, arm] = area[base + width + arm]
            tables[place, 1, arm] = area[base + 2 * width + arm]


class Part(NamedTuple):
    """Neighbouring agents of a plan."""

    plan: Plan
    row: int  # of the first, in the plan's results
    agents: int


class Batch(NamedTuple):
    """What is on the card: which agent belongs where, and what each one is and remembers."""

    parts: list[Part]
    way: int
    bandits: Any
    agents: Any
    owners: Any
    checkpoints: Any
    state: tuple[Any, ...]  # worlds, thetas, tables, memory, regrets, records


_kernels: dict[Any, Any] = {}


def kernel(bandit: Any, agent: Any, way: int) -> Any:
    """The compiled kernel for this combination of components and this way."""
    known = bandit.arms if way == CROWDED else 0
    combination = (way, known, type(bandit), *(type(part) for part in agent.parts))
    if combination not in _kernels:
        function, slots = bound(bandit, agent, way)
        _kernels[combination] = rebind(function, slots, _compiler(function))
    return _kernels[combination]


def bound(bandit: Any, agent: Any, way: int) -> tuple[Any, Slots]:
    """The kernel, and which function stands for which name in it."""
    made = builders(bandit, agent) | {
        random.philox: card_philox,
        gamma.digamma: card_digamma,
        beta.beta_quantile: card_quantile,
        beta.beta_upper_quantile: card_upper_quantile,
    }
    if way == ALONE:
        return alone, slots_of(bandit, agent) | made
    slots = slots_of(bandit, agent, plain=True) | made
    if way == CROWDED:
        return crowded, slots | {
            loop.make_bandit: builder([("Bandit", bandit)], fixed=["arms"]),
            crowd_arms: _constant(bandit.arms),
            crowd_block: _constant(block_of(bandit.arms, way)),
            Actor.begin: crowd_begin,
            Actor.act: crowd_act,
            Actor.learn: crowd_learn,
            loop.view: crowd_view,
        }
    return together, slots | {
        Actor.begin: lane_begin,
        Actor.act: lane_screened if way == SCREENED else lane_act,
        Actor.learn: lane_learn,
        loop.set_thetas: lane_set_thetas,
        lanes: _constant(lanes_of(way)),
    }


def _constant(number: int) -> Any:
    def constant() -> int:
        return number

    return constant


def _compiler(outermost: Any) -> Callable[[Any], Any]:
    def compiler(twin: Any) -> Any:
        return cuda.jit(twin) if twin.__code__ is outermost.__code__ else device_function(twin)

    return compiler


def device_function(twin: Any) -> Any:
    """A function for kernels to call; all but the long special functions are put in place."""
    if config.ENABLE_CUDASIM:  # the simulator knows no options
        return cuda.jit(device=True)(twin)
    return cuda.jit(device=True, forceinline=twin.__code__ not in _SPECIAL)(twin)


def way_of(agent: Any, arms: int, agents: int, horizon: int) -> int:
    """How many threads share an agent, or ALONE, CROWDED or SCREENED.

    A thousand agents with a thread each would leave a card idle; more than a crowd fill it, and
    then the least work wins, if it is the same for all.
    """
    if isinstance(agent, Actor) or arms > MOST_ARMS:
        return ALONE
    policy, choice = type(agent.policy), type(agent.choice)
    lanes_each = min(32, 1 << max(arms - 1, 1).bit_length())
    if policy.gather is not Policy.gather:
        return lanes_each
    if agents > CROWD and policy.lasts and choice.greedy and arms <= MOST_CROWDED:
        return CROWDED
    bounded = policy.floor is not Policy.floor and policy.odds is not Policy.odds
    if bounded and choice.greedy and (arms > 32 or horizon > LONG):
        return SCREENED
    return lanes_each


def lanes_of(way: int) -> int:
    """How many threads share an agent."""
    return 32 if way == SCREENED else max(way, 1)


def fast_memory(arms: int, way: int) -> int:
    """How many bytes of it an agent needs."""
    return {ALONE: 0, CROWDED: 16 * arms}.get(way, 40 * arms)


def block_of(arms: int, way: int) -> int:
    """How many threads work side by side: as many as have the fast memory, 32 at least."""
    block = BLOCK
    while fast_memory(arms, way) * (block // lanes_of(way)) > SHARED and block > 32:
        block //= 2
    return block


def prepare(plan: Plan) -> None:
    """Compile what the plan needs, by letting nobody play."""
    way = way_of(plan.agent, plan.bandit.arms, plan.agents, plan.horizon)
    _launch(_batch([Part(plan, 0, 1)], way), 1, 0)


def run(plan: Plan, report: Callable[[int], None]) -> tuple[np.ndarray, np.ndarray]:
    """Play every agent of the plan; returns regrets and records."""
    return run_many([plan], report)[0]


def run_many(
    plans: list[Plan], report: Callable[[int], None], way: int | None = None
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Play plans that differ in numbers only: parameters, seeds, agents.

    A crowd of them must have as many arms, and so must plans that record more than regrets.
    """
    widest = max(plans, key=lambda plan: plan.bandit.arms)
    if way is None:
        agents = sum(plan.agents for plan in plans)
        way = way_of(widest.agent, widest.bandit.arms, agents, widest.horizon)
    outputs = [plan.outputs() for plan in plans]
    waiting = chunks(plans, room(widest, way))
    while waiting:
        parts = waiting.pop(0)
        try:
            batch = _batch(parts, way)
        except MemoryError:  # someone else's, since room() looked: smaller chunks will do
            count = sum(part.agents for part in parts)
            if count == 1:
                raise
            waiting = halves(parts) + waiting
            continue
        _play(batch, plans[0].horizon, report)
        _collect(batch, plans, outputs)
    return outputs


def room(plan: Plan, way: int) -> int:
    """How many agents of a plan fit into the card's free memory, with some left for others."""
    tables, memory = memory_of(plan.agent, plan.bandit.arms, 1, plain=way != ALONE)
    numbers = WORLD_SIZE + plan.bandit.arms + tables.size + lanes_of(way) * (memory.size + 1)
    numbers += len(plan.checkpoints) * (1 + plan.width) + 1
    free, _ = cuda.current_context().get_memory_info()
    return max(1, int(0.7 * min(free, 1e15) / (8 * numbers)))


def halves(parts: list[Part]) -> list[list[Part]]:
    """The same agents in two chunks."""
    most = -(-sum(part.agents for part in parts) // 2)
    found: list[list[Part]] = [[], []]
    held = 0
    for part in parts:
        first = min(part.agents, max(0, most - held))
        if first:
            found[0].append(part._replace(agents=first))
        if first < part.agents:
            found[1].append(part._replace(row=part.row + first, agents=part.agents - first))
        held += part.agents
    return found


def _collect(batch: Batch, plans: list[Plan], outputs: list[tuple[np.ndarray, np.ndarray]]) -> None:
    """Copy what a chunk found to where it belongs."""
    to = {id(plan): output for plan, output in zip(plans, outputs, strict=True)}
    regrets, records = (array.copy_to_host() for array in batch.state[-2:])
    place = 0
    for part in batch.parts:
        rows = slice(part.row, part.row + part.agents)
        here, marks = slice(place, place + part.agents), len(part.plan.checkpoints)
        to[id(part.plan)][0][rows] = regrets[here, :marks]
        if part.plan.width:
            to[id(part.plan)][1][rows] = records[here, :marks]
        place += part.agents


def chunks(plans: list[Plan], most: int) -> list[list[Part]]:
    """The agents of the plans, in chunks that hold at most so many."""
    found: list[list[Part]] = [[]]
    room = most
    for plan in plans:
        row = 0
        while row < plan.agents:
            if room == 0:
                found.append([])
                room = most
            agents = min(room, plan.agents - row)
            found[-1].append(Part(plan, row, agents))
            row += agents
            room -= agents
    return found


def _play(batch: Batch, horizon: int, report: Callable[[int], None]) -> None:
    begin, step = 1, 64
    while begin <= horizon:
        end = min(begin + step - 1, horizon)
        started = time.perf_counter()
        _launch(batch, begin, end)
        took = time.perf_counter() - started
        report(len(batch.owners) * (end - begin + 1))
        step = max(1, min(16 * step, int(step * PAUSE / max(took, 1e-9))))
        begin = end + 1


def _batch(parts: list[Part], way: int) -> Batch:
    plan = parts[0].plan
    arms = max(part.plan.bandit.arms for part in parts)
    agents = sum(part.agents for part in parts)
    tables, memory = memory_of(plan.agent, arms, 1, plain=way != ALONE)
    shape = tables.shape[1:] if way == ALONE else (3, arms)
    marks = len(plan.checkpoints)

    def zeros(*shape: int) -> Any:
        # Two of everything at least: an array with one row is of another kind, and compiled for.
        try:
            return cuda.to_device(np.zeros([max(2, size) for size in shape], order="F"))
        except cuda.cudadrv.driver.CudaAPIError as problem:
            if "OUT_OF_MEMORY" in str(problem):
                raise MemoryError from None
            raise

    return Batch(
        parts,
        way,
        cuda.to_device(np.array([packed(part.plan.bandit) for part in parts])),
        cuda.to_device(np.array([[*packed(*part.plan.agent.parts), 0.0] for part in parts])),
        cuda.to_device(np.repeat(np.arange(len(parts)), [part.agents for part in parts])),
        cuda.to_device(np.asarray(plan.checkpoints)),
        (
            zeros(agents, WORLD_SIZE),
            zeros(agents, arms),
            zeros(agents, *shape),
            zeros(agents * lanes_of(way), max(memory.shape[1], 1)),
            zeros(agents, marks),
            zeros(*((agents, marks, plan.width) if plan.width else (2, 2, 2))),
        ),
    )


def _launch(batch: Batch, begin: int, end: int) -> None:
    """Play trials `begin` to `end`, and wait."""
    addresses = np.zeros((len(batch.parts), 7), dtype=np.int64)
    place = 0
    for row, part in enumerate(batch.parts):
        addresses[row] = part.plan.address(part.plan.first + part.row - place, 1, begin, end)
        place += part.agents
    arms = batch.state[1].shape[1]
    lanes_each = lanes_of(batch.way)
    block = block_of(arms, batch.way)
    grid = math.ceil(place * lanes_each / block)
    play_all = kernel(batch.parts[0].plan.bandit, batch.parts[0].plan.agent, batch.way)
    play_all[grid, block, 0, fast_memory(arms, batch.way) * (block // lanes_each)](
        batch.bandits,
        batch.agents,
        cuda.to_device(addresses),
        batch.owners,
        batch.checkpoints,
        *batch.state,
    )
    cuda.synchronize()
