"""What large sweeps cost: python benchmarks/scale.py

Processor time per agent-trial is measured here, on small cells and without compilation; the rest is
arithmetic. Processor time, unlike wall time, hardly depends on what else the machine is doing.
"""

import platform
import tempfile
import time
from pathlib import Path

import armwise as aw
from armwise.engine.threads import available_threads
from armwise.sweeps.cell import Cell
from armwise.sweeps.store import Store

AGENTS, TRIALS = 10**9, 1_000  # the sweep whose cost is told
CHECKPOINTS = 10
SECONDS = 1.0  # of processor time to measure for


def cell(policy: aw.Policy, arms: int, agents: int, horizon: int) -> Cell:
    agent = aw.Agent(policy, aw.Smile(rho=0.01))
    return Cell(aw.SwitchingBandit(arms=arms, rho=0.01), agent, horizon, agents, 1, (horizon,))


def nanoseconds(policy: aw.Policy, arms: int) -> float:
    """Processor time per agent-trial on one thread, best of three."""
    cell(policy, arms, 32, 10).run(threads=1)  # compiles
    agents, found = 32, []
    while len(found) < 3:
        started = time.process_time()
        cell(policy, arms, agents, 1_000).run(threads=1)
        took = time.process_time() - started
        if took < SECONDS / 3:
            agents = int(agents * min(8.0, max(1.5, SECONDS / 3 / max(took, 1e-3))))
            continue
        found.append(1e9 * took / (agents * 1_000))
    return min(found)


def store_times() -> tuple[float, float, int]:
    """Best milliseconds to write a cell, to read its regret, and its bytes."""
    one = cell(aw.ApproximateActiveInference(), 10, 1_000, 20)
    result = one.run()
    with tempfile.TemporaryDirectory() as folder:
        store = Store(folder)
        store.prepare()
        writes = [_timed(lambda: store.write(one, result)) for _ in range(50)]
        reads = [_timed(lambda: store.regret(one)) for _ in range(50)]
        return 1e3 * min(writes), 1e3 * min(reads), Path(store.path(one)).stat().st_size


def _timed(work) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def main() -> None:
    print(
        f"{platform.machine()}, Python {platform.python_version()}, {available_threads()} threads\n"
    )
    print(
        "| policy | arms | ns per agent-trial and core | core-hours for 10^9 agents x 1000 trials |"
    )
    print("|---|---:|---:|---:|")
    policies = [
        aw.RandomChoice(),
        aw.ApproximateActiveInference(),
        aw.ExactActiveInference(),
        aw.OptimisticThompsonSampling(),
        aw.BayesianUCB(),
    ]
    for policy in policies:
        for arms in (10, 40):
            each = nanoseconds(policy, arms)
            hours = AGENTS * TRIALS * each * 1e-9 / 3600
            print(f"| {policy.label} | {arms} | {each:,.0f} | {hours:,.0f} |", flush=True)
    size = 8 * AGENTS * CHECKPOINTS / 1e9
    write, read, _ = store_times()
    print(f"\nRegret of 10^9 agents at {CHECKPOINTS} checkpoints: {size:.0f} GB.")
    print(f"A cell of 1000 agents: {write:.1f} ms to write, {read:.1f} ms to read.")


if __name__ == "__main__":
    main()
