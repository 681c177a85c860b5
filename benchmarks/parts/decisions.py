"""armwise and pymab: one decision called from Python, and one in a simulation of many agents."""

import itertools
import statistics

from parts.speed import Measured, disagreements
from parts.table import Options, Table, number, spread
from parts.workers import Workers, workers
from rivals.cell import Cell

POLICIES = ("TS", "UCB", "B-UCB", "RC")
SAME_SCIENCE = ("TS", "RC")  # where pymab's formulas are the same, regrets must agree
ROUNDS, QUICK_ROUNDS = 3, 2
AGENTS, HORIZON = 100, 200
DECISIONS = 1_000


def measure(options: Options) -> list[Table]:
    with workers("armwise", "pymab") as team:
        if "pymab" not in team.programs:
            return [Table("Decisions against pymab", ["left out"], [], team.notes)]
        rows, notes = [], []
        for policy, arms in itertools.product(POLICIES, (10,) if options.quick else (10, 80)):
            options.say(f"decisions: {policy}, {arms} arms")
            row, warnings = compared(team, policy, arms, options)
            rows.append(row)
            notes += warnings
    told = (
        "Nanoseconds per decision and its outcome in a stationary bandit. Online: one agent called "
        f"from Python. Simulated: pymab's own experiment (Rust) and `simulate`, {AGENTS} agents by "
        f"{HORIZON} trials. pymab's UCB is UCB1 and its Bayesian UCB has a fixed quantile."
    )
    columns = ["policy", ">arms", ">pymab online", ">armwise online", ">ratio [min–max]"]
    columns += [">pymab simulated", ">armwise simulated", ">ratio [min–max]"]
    return [Table("Decisions against pymab", columns, rows, [told, *notes])]


def compared(
    team: Workers, policy: str, arms: int, options: Options
) -> tuple[list[str], list[str]]:
    """One row of the table, and warnings about regrets."""
    online = Cell(policy, "stationary", arms, DECISIONS, 1)
    many = Cell(policy, "stationary", arms, HORIZON, AGENTS)
    team.ask("armwise", "prepare", many)
    loops: dict[str, list[float]] = {"pymab": [], "armwise": []}
    simulated = Measured(many, {"pymab": [], "armwise": []})
    for turn in range(QUICK_ROUNDS if options.quick else ROUNDS):
        for name in loops:
            loops[name].append(1e9 * team.ask(name, "loop", online))
            simulated.rounds[name].append(team.ask(name, "run", many, 1_000 * turn))
    ratios = [theirs / ours for theirs, ours in zip(*loops.values(), strict=True)]
    row = [policy, str(arms), *(number(statistics.median(each)) for each in loops.values())]
    row += [spread(ratios)]
    row += [number(statistics.median(simulated.nanoseconds(name))) for name in loops]
    row += [spread(simulated.ratios("pymab"))]
    return row, disagreements(simulated) if policy in SAME_SCIENCE else []
