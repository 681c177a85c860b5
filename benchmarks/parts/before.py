"""The speed of this checkout beside that of another one, such as an older version, in one run."""

import itertools
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from parts.speed import AGENTS, BANDITS, HORIZONS
from parts.table import Options, Table, number, spread
from rivals.cell import Cell

HERE = Path(__file__).parents[2]
GOAL = 1.03  # times the other checkout's time, at most
LONGER = 4  # times the trials of the comparison with JAX
ROUNDS, QUICK_ROUNDS = 9, 3
# Runs in the benchmarks folder of a checkout, with its own programs and its own armwise.
DRIVER = """
import json, sys
from rivals import armwise_program, cell
import armwise
print(json.dumps(armwise.__file__), flush=True)
for line in sys.stdin:
    name, place, *given = json.loads(line)
    print(json.dumps(getattr(armwise_program, name)(cell.Cell(*place), *given)), flush=True)
"""


class Checkout:
    """The armwise of a checkout in a process of its own."""

    def __init__(self, root: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", DRIVER],
            cwd=root / "benchmarks",
            env=os.environ | {"PYTHONPATH": str(root / "src")},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        found = Path(self._answer())
        assert found.is_relative_to(root / "src"), f"{found} is not in {root}"

    def ask(self, function: str, cell: Cell, *given: Any) -> Any:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps([function, cell, *given]) + "\n")
        self.process.stdin.flush()
        return self._answer()

    def _answer(self) -> Any:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, "the other process ended; its error is above"
        return json.loads(line)


@contextmanager
def checkouts(*roots: Path) -> Iterator[list[Checkout]]:
    found = [Checkout(root.resolve()) for root in roots]
    try:
        yield found
    finally:
        for each in found:
            each.process.kill()
            each.process.wait()


def measure(options: Options) -> list[Table]:
    if options.against is None:
        return []
    rounds = QUICK_ROUNDS if options.quick else ROUNDS
    rows = []
    with checkouts(options.against, HERE) as (before, now):
        sizes = (10,) if options.quick else (10, 80)
        for policy, bandit, arms in itertools.product(HORIZONS, BANDITS, sizes):
            horizon = HORIZONS[policy][arms] * (1 if options.quick else LONGER)
            cell = Cell(policy, bandit, arms, horizon, AGENTS)
            options.say(f"before and now: {policy}, {bandit}, {arms} arms")
            pairs = in_turns(before, now, cell, rounds)
            rows.append([policy, bandit, str(arms), str(horizon), *columns_of(pairs, cell)])
    note = (
        f"Nanoseconds per agent-trial before (`--against`) and now, {AGENTS} agents, two threads, "
        f"median of {rounds} rounds, in which both play one after the other, in changing order; "
        f"compilation is excluded. The goal: at most {100 * GOAL - 100:.0f} % slower. The mean "
        "regrets of all rounds are compared to the last bit."
    )
    columns = [
        "policy",
        "bandit",
        ">arms",
        ">trials",
        ">before",
        ">now",
        ">now / before [min–max]",
        "verdict",
        "regrets",
    ]
    return [Table("Before and now", columns, rows, [note])]


def in_turns(before: Checkout, now: Checkout, cell: Cell, rounds: int) -> list[tuple[Any, Any]]:
    """Seconds, mean regret and its error before and now, for every round."""
    for side in (before, now):
        side.ask("prepare", cell)
        side.ask("run", cell, 0)  # the first run finds cold caches
    pairs = []
    for turn in range(rounds):
        sides = (before, now) if turn % 2 == 0 else (now, before)
        found = {id(side): side.ask("run", cell, 1_000 * turn) for side in sides}
        pairs.append((found[id(before)], found[id(now)]))
    return pairs


def columns_of(pairs: list[tuple[Any, Any]], cell: Cell) -> list[str]:
    each = 1e9 / cell.agents / cell.horizon
    times = [
        number(each * statistics.median(side[0] for side in found))
        for found in zip(*pairs, strict=True)
    ]
    ratios = [now[0] / before[0] for before, now in pairs]
    verdict = "met" if statistics.median(ratios) <= GOAL else "missed"
    equal = all(before[1:] == now[1:] for before, now in pairs)
    return [*times, spread(ratios), verdict, "equal" if equal else "DIFFERENT"]
