"""How far A-AI is from the limit of the processor: instructions, cycles, and what binds."""

import contextlib
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from numba import njit

import armwise as aw
from armwise.engine.cpu import Bench, Player
from armwise.play.simulate import plan_of
from parts.stepping import Code, addresses
from parts.table import Options, Table, number
from rivals.cell import EPSILON, LAM, RHO, P

BEFORE, STEPPED = 20_000, 32  # trials before those that are stepped through, and these
TIMED = 500  # trials of a round that is timed
ROUNDS = 7
TRACE = 20_000  # instructions that llvm-mca looks at
# The widest processors of these years start six to eight instructions in a cycle.
WIDTH = 6
NEAR_LIMIT = 2 / 3  # of that width, which real programs hardly exceed
MODEL = "icelake-server"  # the newest with 512 bits that old versions of llvm-mca know


class Kernel(NamedTuple):
    """A compiled function, and the text of its instructions by their offset."""

    code: Code
    text: dict[int, str]


def measure(options: Options) -> list[Table]:
    rows = []
    gigahertz = clock()
    with tempfile.TemporaryDirectory() as folder, fresh_kernels(folder):
        for arms in (10,) if options.quick else (10, 80):
            for world in RHO:
                options.say(f"roofline: {world}, {arms} arms")
                rows.append([world, str(arms), *row_of(world, arms, gigahertz)])
    columns = ["bandit", ">arms", ">instructions: bandit", ">agent", ">512-bit", ">nanoseconds"]
    columns += [
        ">cycles",
        ">instructions per cycle",
        f">limit: {WIDTH} per cycle",
        ">llvm-mca, another processor",
    ]
    note = (
        f"A-AI, per agent-trial, one thread at {number(gigahertz)} GHz (measured by a chain of "
        f"dependent multiplications). Instructions are counted by single steps through trials "
        f"{BEFORE + 1} to {BEFORE + STEPPED} of one block; nanoseconds are processor time of the "
        "same kernels, without labelled results. The last two columns: if every cycle started "
        f"{WIDTH} instructions, the limit of this kind of processor; and as llvm-mca simulates a "
        f"stretch of those instructions on another, {MODEL}, where all data are near and all "
        "branches foreseen."
    )
    return [Table("Roofline of A-AI", columns, rows, [note, *reading(rows)])]


def reading(rows: list[list[str]]) -> list[str]:
    """What the table says, in a sentence per bandit."""
    told = []
    for world, arms, *numbers in rows:
        per_cycle = float(numbers[5])
        bound = (
            "the number of instructions binds, and nothing but fewer of them would make it faster"
            if per_cycle > NEAR_LIMIT * WIDTH
            else "waiting binds: for divisions and other slow instructions, earlier results, the "
            "memory, and branches not foreseen"
        )
        told.append(
            f"{world.capitalize()}, {arms} arms: {numbers[5]} of at most {WIDTH} instructions per "
            f"cycle, which leaves a factor of {number(WIDTH / per_cycle)}; {bound}."
        )
    return told


@contextlib.contextmanager
def fresh_kernels(folder: str) -> Iterator[None]:
    """Kernels are compiled here: those from disk come without the text of their instructions."""
    before = os.environ.get("ARMWISE_CACHE_DIR")
    os.environ["ARMWISE_CACHE_DIR"] = folder
    try:
        yield
    finally:
        del os.environ["ARMWISE_CACHE_DIR"]
        if before is not None:
            os.environ["ARMWISE_CACHE_DIR"] = before


def row_of(world: str, arms: int, gigahertz: float) -> list[str]:
    player, bench, out = seated(world, arms)
    agent_trials = STEPPED * bench.agents

    def advance(trials: int) -> None:
        bench.advance(player.move, player.play, trials, out)

    kernels = [kernel_of(each.func) for each in (player.move, player.play)]
    steps = addresses(lambda: advance(STEPPED), [each.code for each in kernels])
    counts = [len(each) / agent_trials for each in steps]
    wide = sum("zmm" in kernels[1].text[place] for place in steps[1]) / agent_trials
    nanoseconds = 1e9 * seconds(advance) / (TIMED * bench.agents)
    cycles = nanoseconds * gigahertz
    simulated = sum(map(simulated_cycles, kernels, steps)) / agent_trials
    return [
        *map(number, (*counts, wide, nanoseconds, cycles, sum(counts) / cycles)),
        number(sum(counts) / WIDTH),
        number(simulated) if simulated else "no llvm-mca",
    ]


def seated(world: str, arms: int) -> tuple[Player, Bench, Any]:
    """A block of agents that have played for some time, and what plays them."""
    rho = RHO[world]
    bandit: aw.Bandit = aw.StationaryBandit(arms=arms, epsilon=EPSILON, p=P)
    if rho > 0:
        bandit = aw.SwitchingBandit(arms=arms, epsilon=EPSILON, p=P, rho=rho)
    agent = aw.Agent(aw.ApproximateActiveInference(lam=LAM[world]), aw.Smile(rho=rho))
    last = BEFORE + TIMED * (1 + ROUNDS)
    plan = plan_of(bandit, agent, last, 1_000, 1, threads=1, checkpoints=[last])
    player, out = Player(plan), plan.outputs()
    bench = Bench(plan, player.way, player.begun, player.block_size())
    while bench.trial <= BEFORE:
        bench.advance(player.move, player.play, BEFORE + 1 - bench.trial, out)
    return player, bench, out


def seconds(advance: Callable[[int], None]) -> float:
    """Processor time of a stretch, the least of some that follow one another."""
    times = []
    for _ in range(ROUNDS):
        started = time.process_time()
        advance(TIMED)
        times.append(time.process_time() - started)
    return min(times)


def kernel_of(dispatcher: Any) -> Kernel:
    """Where a compiled function lies in memory, and its instructions."""
    made = next(iter(dispatcher.overloads.values()))
    start = made.library.get_pointer_to_function(made.fndesc.llvm_func_name)
    whole = made.library._get_compiled_object()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "kernel.o"
        file.write_bytes(whole)
        found = run("objdump", "-d", "--no-show-raw-insn", str(file))
    text: dict[int, str] = {}
    inside = False
    for line in found.splitlines():
        if head := re.match(r"[0-9a-f]+ <(.+)>:", line):
            inside = head[1] == made.fndesc.llvm_func_name
        elif inside and (step := re.match(r"\s*([0-9a-f]+):\s+(.+)", line)):
            text[int(step[1], 16)] = step[2]
    first = min(text)
    text = {place - first: each for place, each in text.items()}
    return Kernel(Code(start, max(text) + 1), text)


def simulated_cycles(kernel: Kernel, steps: list[int]) -> float:
    """The cycles of all steps as llvm-mca simulates a part of them; 0 if there is no llvm-mca."""
    if shutil.which("llvm-mca") is None:
        return 0.0
    part = steps[len(steps) // 2 :][:TRACE]
    lines = [assembled(kernel.text[place]) for place in part]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "trace.s"
        file.write_text("\n".join(lines))
        told = run(
            "llvm-mca",
            f"-mcpu={MODEL}",
            "-iterations=1",
            "-instruction-info=0",
            "-resource-pressure=0",
            str(file),
        )
    cycles = re.search(r"Total Cycles:\s+(\d+)", told)
    assert cycles, told
    return float(cycles[1]) * len(steps) / len(part)


def assembled(text: str) -> str:
    """An instruction as an assembler reads it: without comments and the names of places."""
    text = re.sub(r"\s*(#|<).*", "", text)
    return re.sub(r"^(j\w+|call\w*)\s+[0-9a-f]+", r"\1 0", text)


def run(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def clock() -> float:
    """Billions of cycles per second: a multiplication takes three of them, an exclusive or one."""

    @njit
    def chain(count: int, start: int) -> int:
        value = start
        for _ in range(count):
            value = (value * 6364136223846793005) ^ (value >> 7)
        return value

    chain(1, 1)
    count, times = 20_000_000, []
    for _ in range(ROUNDS):
        started = time.process_time()
        chain(count, 1)
        times.append(time.process_time() - started)
    return 4 * count / min(times) / 1e9
