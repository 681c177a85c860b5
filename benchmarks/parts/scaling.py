"""How armwise's time per agent-trial goes with the numbers of arms, agents and trials."""

from parts.table import Options, Table, number
from parts.workers import Workers, workers
from rivals.cell import Cell

POLICIES = ("A-AI", "G-AI", "O-TS", "B-UCB")
ARMS = (2, 5, 10, 20, 50, 100, 200, 500, 1_000)
AGENTS = (10, 100, 1_000, 10_000, 100_000)
TRIALS = (100, 1_000, 10_000, 100_000)


def measure(options: Options) -> list[Table]:
    """Three sweeps; what does not vary is 10 arms, 100 agents, 100 trials."""
    sweeps = {
        "arms": [Cell("", "switching", arms, 100, 100) for arms in ARMS],
        "agents": [Cell("", "switching", 10, 100, agents) for agents in AGENTS],
        "trials": [Cell("", "switching", 10, trials, 100) for trials in TRIALS],
    }
    with workers("armwise") as team:
        return [
            swept(team, name, cells[:-1] if options.quick else cells, options)
            for name, cells in sweeps.items()
        ]


def swept(team: Workers, name: str, cells: list[Cell], options: Options) -> Table:
    rows = []
    for cell in cells:
        size = {"arms": cell.arms, "agents": cell.agents, "trials": cell.horizon}[name]
        options.say(f"scaling: {size} {name}")
        rows.append([f"{size:,}", *(nanoseconds(team, policy, cell) for policy in POLICIES)])
    told = "Nanoseconds per agent-trial, two threads, switching bandit; the rest is 10 arms, 100 "
    told += "agents, 100 trials."
    columns = [f">{name}", *(f">{policy}" for policy in POLICIES)]
    return Table(f"Scaling with the number of {name}", columns, rows, [told])


def nanoseconds(team: Workers, policy: str, cell: Cell) -> str:
    cell = cell._replace(policy=policy)
    team.ask("armwise", "prepare", cell)
    found = team.ask("armwise", "run", cell, 1)
    return number(1e9 * found.seconds / (cell.agents * cell.horizon))
