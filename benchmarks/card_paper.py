"""All cells of the paper on a graphics card: how long they take, and whether a cpu finds the same.

    python benchmarks/card_paper.py run FILE.npz       needs a card; keeps every agent's last regret
    python benchmarks/card_paper.py compare FILE.npz --store DIR

`DIR` holds what `armwise reproduce --profile paper --store DIR` computed, here or elsewhere.
"""

import argparse
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np

from armwise import reproduce, runner
from armwise.cell import Cell
from armwise.store import Store
from parts.table import Table


def cells_of(labels: list[str], most: int) -> dict[str, Cell]:
    """The cells of the paper profile by name, of some policies or of all, up to some horizon."""
    found = [cell for cells in reproduce.sweeps("paper").values() for cell in cells]
    found = [cell for cell in found if cell.horizon <= most]
    return {cell.name: cell for cell in found if not labels or cell.agent.policy.label in labels}


def kind(cell: Cell) -> tuple[str, str]:
    return cell.agent.policy.label, f"{type(cell.bandit).__name__}, {cell.horizon} trials"


def run(out: Path, labels: list[str], most: int, device: str) -> None:
    """Compute the cells in a new store and print the time, compilation and files excluded."""
    cells = cells_of(labels, most)
    seconds: Counter = Counter()
    work: Counter = Counter()
    finals = {}
    with tempfile.TemporaryDirectory() as folder:
        store = Store(folder)
        print(runner.run(cells.values(), store, device=device), flush=True)
        for name, cell in cells.items():
            result = store.read(cell)
            finals[name] = result.regret.values[:, -1]
            seconds[kind(cell)] += float(result.attrs["seconds"])
            work[kind(cell)] += cell.work
    np.savez_compressed(out, **finals)
    rows = [
        [*which, f"{work[which] / 1e9:.2f}", f"{seconds[which]:.1f}"]
        for which in sorted(seconds, key=lambda which: -seconds[which])
    ]
    rows.append(["all", "", f"{sum(work.values()) / 1e9:.2f}", f"{sum(seconds.values()):.1f}"])
    head = ["policy", "world", "10⁹ agent-trials", "seconds"]
    print(Table("The cells of the paper", head, rows).markdown())


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
    parser.add_argument("--device", default="cuda")
    asked = parser.parse_args()
    if asked.what == "run":
        run(asked.file, asked.policy, asked.most, asked.device)
    else:
        compare(asked.file, asked.store)


if __name__ == "__main__":
    main()
