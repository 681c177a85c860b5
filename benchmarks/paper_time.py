"""How long `armwise reproduce --profile paper` takes, estimated from a few agents of every kind.

    python benchmarks/paper_time.py [--profile quick] [--agents N] [--policy LABEL] [--arms K]

Cells are of one kind if policy, bandit, number of arms and trials are the same. Of every kind, the
cell in the middle of the list is played in one thread by a few agents, and the processor time is
scaled to all agents of all cells of this kind. Compilation is left out.
"""

import argparse
import time
from collections import defaultdict
from typing import NamedTuple

from armwise.engine.cpu import Player
from armwise.paper import reproduce
from armwise.play.simulate import plan_of
from armwise.sweeps.cell import Cell
from parts.table import Table, number

CORES = 2
LEAST = 0.3  # seconds: a shorter play is repeated
WORK = 4_000_000  # agent-trials that are enough; two agents play in any case


class Kind(NamedTuple):
    policy: str
    bandit: str
    arms: int
    horizon: int


def kinds_of(profile: str, policies: list[str], arms: list[int]) -> dict[Kind, list[Cell]]:
    """The cells of a profile, each of them once, by kind."""
    cells = {cell.name: cell for each in reproduce.sweeps(profile).values() for cell in each}
    kinds = defaultdict(list)
    for cell in cells.values():
        label, bandit = cell.agent.policy.label, cell.bandit
        kind = Kind(label, type(bandit).__name__.removesuffix("Bandit"), bandit.arms, cell.horizon)
        if (not policies or label in policies) and (not arms or bandit.arms in arms):
            kinds[kind].append(cell)
    return kinds


def nanoseconds(cell: Cell, agents: int) -> float:
    """Processor time per agent-trial, one thread."""
    plan = plan_of(
        cell.bandit, cell.agent, cell.horizon, agents, cell.seed, cell.checkpoints, threads=1
    )
    player = Player(plan)
    plays, started = 0, time.process_time()
    while plays == 0 or time.process_time() - started < LEAST:
        player.run(lambda _: None)
        plays += 1
    return 1e9 * (time.process_time() - started) / (plays * agents * cell.horizon)


def table(kinds: dict[Kind, list[Cell]], agents: int) -> Table:
    """A row for every kind, the most expensive first, and one for each policy."""
    rows, by_policy, total = [], defaultdict(float), 0.0
    for kind, cells in kinds.items():
        fewer = max(2, min(agents, cells[0].agents, WORK // kind.horizon))
        each = nanoseconds(cells[len(cells) // 2], fewer)
        seconds = 1e-9 * each * sum(cell.work for cell in cells)
        rows.append((seconds, [*map(str, kind), str(len(cells)), number(each)]))
        by_policy[kind.policy] += seconds
        total += seconds
    rows += [(spent, [policy, "all", "", "", "", ""]) for policy, spent in by_policy.items()]
    rows.sort(key=lambda row: -row[0])
    text = [[*row, number(spent / CORES / 60), f"{spent / total:.1%}"] for spent, row in rows]
    columns = ["policy", "bandit", ">arms", ">trials", ">cells", ">ns", ">minutes", ">share"]
    told = f"{total / CORES / 60:.1f} minutes on {CORES} cores, without compilation and figures."
    return Table("Time of the profile", columns, text, [told])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--profile", default="paper", choices=("quick", "paper"))
    parser.add_argument("--agents", type=int, default=32, help="of one kind, at most")
    parser.add_argument("--policy", action="append", default=[], help="a label; repeat")
    parser.add_argument("--arms", type=int, action="append", default=[], help="repeat")
    asked = parser.parse_args()
    print(table(kinds_of(asked.profile, asked.policy, asked.arms), asked.agents).markdown())


if __name__ == "__main__":
    main()
