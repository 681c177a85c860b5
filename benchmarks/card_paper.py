"""All cells of the paper on a graphics card: how long they take, and whether a cpu finds the same.

    python benchmarks/card_paper.py run FILE.npz       needs a card; keeps every agent's last regret
    python benchmarks/card_paper.py compare FILE.npz --store DIR

`DIR` holds what `armwise reproduce --profile paper --store DIR` computed, here or elsewhere.
"""

import argparse
import time
from collections import Counter
from pathlib import Path

import numpy as np

from armwise.paper import reproduce
from armwise.play.simulate import plan_of
from armwise.sweeps import runner
from armwise.sweeps.cell import Cell
from armwise.sweeps.store import Store
from parts.table import Table


def cells_of(labels: list[str], most: int) -> dict[str, Cell]:
    """The cells of the paper profile by name, of some policies or of all, up to some horizon."""
    found = [cell for cells in reproduce.sweeps("paper").values() for cell in cells]
    found = [cell for cell in found if cell.horizon <= most]
    return {cell.name: cell for cell in found if not labels or cell.agent.policy.label in labels}


def kind(cell: Cell) -> tuple[str, str]:
    return cell.agent.policy.label, f"{type(cell.bandit).__name__}, {cell.horizon} trials"


def run(out: Path, labels: list[str], most: int) -> None:
    """Compute the cells and print the time, by kind, compilation apart; keep the last regrets."""
    from armwise.engine import cuda

    seconds: Counter = Counter()
    work: Counter = Counter()
    finals = {}
    compiling = 0.0
    for batch in runner.batches(cells_of(labels, most).values()):
        plans = [
            plan_of(cell.bandit, cell.agent, cell.horizon, cell.agents, cell.seed, cell.checkpoints)
            for cell in batch
        ]
        widest = max(plans, key=lambda plan: plan.bandit.arms)
        started = time.perf_counter()
        cuda.prepare(widest._replace(agents=sum(plan.agents for plan in plans)))
        ready = time.perf_counter()
        results = cuda.run_many(plans, lambda _: None)
        seconds[kind(batch[0])] += time.perf_counter() - ready
        compiling += ready - started
        for cell, (regrets, _) in zip(batch, results, strict=True):
            finals[cell.name] = regrets[:, -1]
            work[kind(cell)] += cell.work
    np.savez_compressed(out, **finals)
    rows = [
        [*which, f"{work[which] / 1e9:.2f}", f"{seconds[which]:.1f}"]
        for which in sorted(seconds, key=lambda which: -seconds[which])
    ]
    rows.append(["all", "", f"{sum(work.values()) / 1e9:.2f}", f"{sum(seconds.values()):.1f}"])
    head = ["policy", "bandit", "10⁹ agent-trials", "seconds"]
    print(Table(f"{len(finals)} cells of the paper", head, rows).markdown())
    print(f"Compilation: {compiling:.1f} s.")


def compare(file: Path, folder: Path) -> None:
    """Print how many agents ended with another regret than on the cpu, and by how much."""
    store, finals, cells = Store(folder), np.load(file), cells_of([], 10**9)
    agents: Counter = Counter()
    other: Counter = Counter()
    worst: dict[str, float] = {}
    for name in finals.files:
        label = cells[name].agent.policy.label
        here = store.regret(cells[name]).values[:, -1]
        difference = finals[name] - here
        agents[label] += len(here)
        other[label] += int((np.abs(difference) > 1e-6 * (1.0 + np.abs(here))).sum())
        spread = difference.std(ddof=1) / np.sqrt(len(here))
        z = abs(difference.mean()) / spread if spread > 1e-9 else 0.0
        worst[label] = max(worst.get(label, 0.0), z)
    rows = [
        [label, str(agents[label]), f"{other[label] / agents[label]:.4%}", f"{worst[label]:.1f}"]
        for label in sorted(agents)
    ]
    head = ["policy", "agents", "with another regret", "largest paired difference of a cell, s.e."]
    print(Table("The card against the cpu", head, rows).markdown())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["run", "compare"])
    parser.add_argument("file", type=Path)
    parser.add_argument("--store", type=Path, help="with compare: the results of the cpu")
    parser.add_argument("--policy", action="append", default=[], help="label of a policy; repeat")
    parser.add_argument("--most", type=int, default=10**9, help="trials of a cell at most")
    asked = parser.parse_args()
    if asked.what == "run":
        run(asked.file, asked.policy, asked.most)
    else:
        compare(asked.file, asked.store)


if __name__ == "__main__":
    main()
