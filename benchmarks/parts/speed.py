"""Nanoseconds per agent-trial of the same simulation in several programs, measured in turns."""

import itertools
import math
import statistics
from typing import NamedTuple

from parts.table import Options, Table, number, spread
from parts.workers import Workers, workers
from rivals.cell import Cell, Finding

AGENTS = 1_000
ROUNDS, QUICK_ROUNDS = 3, 2
BANDITS = ("stationary", "switching")
# Trials by number of arms, so that JAX needs about a second or a few per round.
HORIZONS = {
    "A-AI": {10: 5_000, 80: 2_000},
    "UCB": {10: 5_000, 80: 2_000},
    "RC": {10: 5_000, 80: 2_000},
    "G-AI": {10: 1_000, 80: 500},
    "TS": {10: 200, 80: 50},
    "O-TS": {10: 200, 80: 50},
    "B-UCB": {10: 100, 80: 50},
}
GOALS = {"A-AI": 80, "UCB": 80, "RC": 80, "G-AI": 60, "TS": 100, "O-TS": 100, "B-UCB": 500}
C_GOAL = 1
ONE = "armwise, one thread"
NUMPY_GOALS = {10: 3, 80: 5}  # of TS and O-TS, thread for thread, by number of arms
STANDARD_ERRORS = 5


class Measured(NamedTuple):
    cell: Cell
    rounds: dict[str, list[Finding]]  # by program

    def nanoseconds(self, program: str) -> list[float]:
        each = self.cell.agents * self.cell.horizon
        return [1e9 * found.seconds / each for found in self.rounds[program]]

    def ratios(self, program: str, ours: str = "armwise") -> list[float]:
        """How many times faster armwise is, round by round."""
        pairs = zip(self.rounds[program], self.rounds[ours], strict=True)
        return [rival.seconds / own.seconds for rival, own in pairs]


def cells(quick: bool) -> list[Cell]:
    arms = (10,) if quick else (10, 80)
    return [
        Cell(policy, bandit, k, HORIZONS[policy][k] // (5 if quick else 1), AGENTS)
        for policy, bandit, k in itertools.product(HORIZONS, BANDITS, arms)
    ]


def measure(options: Options) -> list[Table]:
    with workers("armwise", ONE, "JAX", "JAX 64", "NumPy", "C") as team:
        found = []
        for cell in cells(options.quick):
            options.say(f"speed: {cell.policy}, {cell.bandit}, {cell.arms} arms")
            found.append(measured(team, cell, QUICK_ROUNDS if options.quick else ROUNDS))
        notes = [*team.notes, *(warning for each in found for warning in disagreements(each))]
    in_c = [each for each in found if "C" in each.rounds]
    return [jax_table(found, notes), *([c_table(in_c)] if in_c else []), spread_table(found)]


def measured(team: Workers, cell: Cell, rounds: int) -> Measured:
    """All programs in turn, round after round; every second round in the other order."""
    names = [name for name in team.programs if name != "C" or cell.policy == "A-AI"]
    for name in names:
        team.ask(name, "prepare", cell)
    found: dict[str, list[Finding]] = {name: [] for name in names}
    for turn in range(rounds):
        for name in names[:: 1 if turn % 2 == 0 else -1]:
            found[name].append(team.ask(name, "run", cell, 1_000 * turn))
    return Measured(cell, found)


def disagreements(found: Measured) -> list[str]:
    """A warning for every program whose mean regret is not that of armwise."""
    told, (ours, error) = [], pooled(found.rounds["armwise"])
    for name, rounds in found.rounds.items():
        theirs, their_error = pooled(rounds)
        if abs(theirs - ours) > STANDARD_ERRORS * math.hypot(error, their_error):
            cell = f"{found.cell.policy}, {found.cell.bandit}, {found.cell.arms} arms"
            told.append(f"WARNING: {cell}: mean regret {theirs:.3f} of {name}, {ours:.3f} of ours.")
    return told


def pooled(rounds: list[Finding]) -> tuple[float, float]:
    """Mean regret over all rounds (their seeds differ), and its standard error."""
    mean = statistics.mean(found.regret for found in rounds)
    return mean, math.hypot(*(found.error for found in rounds)) / len(rounds)


def verdict(ratios: list[float], goal: float) -> str:
    return "met" if statistics.median(ratios) >= goal else "missed"


def place(cell: Cell) -> list[str]:
    return [cell.policy, cell.bandit, str(cell.arms), str(cell.horizon)]


def jax_table(found: list[Measured], notes: list[str]) -> Table:
    rows = []
    for each in found:
        row = [*place(each.cell), number(statistics.median(each.nanoseconds("armwise")))]
        if "JAX" in each.rounds:
            for name in ("JAX", "JAX 64"):
                row.append(number(statistics.median(each.nanoseconds(name))))
                row.append(spread(each.ratios(name)))
            row.append(str(GOALS[each.cell.policy]))
            row += [
                verdict(each.ratios(name), GOALS[each.cell.policy]) for name in ("JAX", "JAX 64")
            ]
        rows.append(row)
    columns = ["policy", "bandit", ">arms", ">trials", ">armwise, ns"]
    if "JAX" in found[0].rounds:
        columns += [">JAX 32 bit, ns", ">ratio [min–max]", ">JAX 64 bit, ns", ">ratio [min–max]"]
        columns += [">goal", "32 bit", "64 bit"]
    told = (
        f"Nanoseconds per agent-trial, {AGENTS} agents, two threads, median of "
        f"{len(found[0].rounds['armwise'])} rounds; compilation is excluded. A ratio is taken "
        "within a round, in which the programs play one after the other. JAX's numbers have 32 "
        "bits unless it is told otherwise; those of armwise have 64."
    )
    return Table("Speed against JAX", columns, rows, [told, *notes])


def c_table(found: list[Measured]) -> Table:
    """A-AI, which alone was written in C."""
    rows = []
    for each in found:
        ratios = each.ratios("C")
        times = [number(statistics.median(each.nanoseconds(name))) for name in ("armwise", "C")]
        rows.append([*place(each.cell), *times, spread(ratios), verdict(ratios, C_GOAL)])
    columns = ["policy", "bandit", ">arms", ">trials", ">armwise, ns", ">C, ns"]
    told = "`cc -O3 -march=native`, two threads, plain loops. The goal: no slower than C."
    return Table("Speed against C", [*columns, ">ratio [min–max]", "verdict"], rows, [told])


def spread_table(found: list[Measured]) -> Table:
    """Median and spread of every program that plays all policies, and the ratio to NumPy."""
    wanted = ("armwise", ONE, "JAX", "JAX 64", "NumPy")
    names = [name for name in wanted if name in found[0].rounds]
    columns = ["policy", "bandit", ">arms", *(f">{name}, ns [min–max]" for name in names)]
    compared = "NumPy" in names
    rows = []
    for each in found:
        row = [*place(each.cell)[:3], *(spread(each.nanoseconds(name)) for name in names)]
        rows.append([*row, *against_numpy(each)] if compared else row)
    if compared:
        columns += [">NumPy / armwise, thread for thread", ">goal", "verdict"]
    told = (
        "Trials as above; two threads where nothing else is said. NumPy has one thread: the ratio "
        "is to one thread of armwise."
    )
    return Table("Speed against NumPy, and the spread of the times", columns, rows, [told])


def against_numpy(found: Measured) -> list[str]:
    """The ratio with one thread each, its goal if there is one, and whether that is met."""
    ratios = found.ratios("NumPy", ONE)
    if found.cell.policy not in ("TS", "O-TS"):
        return [spread(ratios), "", ""]
    goal = NUMPY_GOALS[found.cell.arms]
    return [spread(ratios), str(goal), verdict(ratios, goal)]
