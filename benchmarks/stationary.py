"""Rules for stationary worlds in the paper's twelve cells and on the six robustness instances.

    python benchmarks/stationary.py paper|robust|cost [--agents N] [--horizon T]

Prints regrets at every power of ten from 10³ and as multiples of a rival's.
"""

import argparse
import math
import time

import numpy as np

import armwise as aw
from parts.table import Table

SEED = 2_028
PAPER = [(arms, gap) for gap in (0.05, 0.1, 0.2) for arms in (10, 20, 40, 80)]
INSTANCES = ("uniform", "near-tie", "linear", "high", "low", "near-tie-and-poor")
POLICIES = {
    "A-AI": aw.ApproximateActiveInference(lam=0.1),
    "A-AI, 3 / ln²": aw.ApproximateActiveInference(lam=3.0, decay=2.0),
    "O-TS": aw.OptimisticThompsonSampling(),
    "TS": aw.ThompsonSampling(),
    "IMED": aw.IMED(),
    "H-EFE": aw.HorizonActiveInference(),
    "LP-AI": aw.LearnedPreferences(),
}


def marks(horizon: int) -> list[int]:
    return [10**power for power in range(3, 10) if 10**power <= horizon]


def regrets(world, name: str, horizon: int, agents: int) -> np.ndarray:
    """Regret of every agent at every mark."""
    agent = aw.Agent(POLICIES[name])
    found = aw.simulate(world, agent, horizon, agents, seed=SEED, checkpoints=marks(horizon))
    return found.regret.values


def paper(agents: int, horizon: int) -> None:
    names = ("A-AI", "A-AI, 3 / ln²", "O-TS", "H-EFE", "LP-AI")
    found = {}
    for arms, gap in PAPER:
        world = aw.StationaryBandit(arms=arms, epsilon=gap)
        for name in names:
            found[name, arms, gap] = regrets(world, name, horizon, agents)
        print(arms, gap, {n: found[n, arms, gap].mean(axis=0).round(1) for n in names}, flush=True)
    for place, mark in enumerate(marks(horizon)):
        rows = [
            [name, *(f"{found[name, arms, gap][:, place].mean():.0f}" for arms, gap in PAPER)]
            for name in names
        ]
        head = ["policy", *(f"{arms}, {gap:g}" for arms, gap in PAPER)]
        print(Table(f"Regret after {mark} trials, {agents} agents", head, rows).markdown())
        for ours, theirs in (
            ("LP-AI", "O-TS"),
            ("LP-AI", "A-AI"),
            ("H-EFE", "O-TS"),
            ("H-EFE", "A-AI"),
        ):
            ratios = [
                found[ours, arms, gap][:, place].mean() / found[theirs, arms, gap][:, place].mean()
                for arms, gap in PAPER
            ]
            print(f"{ours} / {theirs} at {mark}: {min(ratios):.2f} to {max(ratios):.2f}")
    for name in names:
        worst = [
            float((found[name, arms, gap][:, -1] > 0.5 * gap * horizon).mean())
            for arms, gap in PAPER
        ]
        print(
            f"{name}: at most {max(worst):.3f} of the agents of a cell are stuck "
            "(half the regret of never choosing the best arm)"
        )


def robust(agents: int, horizon: int) -> None:
    rows = []
    for name in POLICIES:
        row = [name]
        for instance in INSTANCES:
            found = regrets(aw.PROBLEMS[instance], name, horizon, agents)[:, -1]
            row.append(f"{found.mean():.0f} ± {found.std(ddof=1) / math.sqrt(agents):.0f}")
        print(*row, flush=True)
        rows.append(row)
    title = f"Regret after {horizon} trials, {agents} agents"
    print(Table(title, ["policy", *INSTANCES], rows).markdown())


def cost() -> None:
    """Nanoseconds a decision and thread, after the first trials, 10 and 80 arms."""
    rows = []
    for name, policy in POLICIES.items():
        row = [name]
        for arms in (10, 80):
            world, trials = aw.StationaryBandit(arms=arms), 3_000
            asked = {"horizon": trials, "agents": 64, "threads": 1, "checkpoints": [trials]}
            aw.simulate(world, aw.Agent(policy), seed=9, **asked)
            times = []
            for seed in range(4):
                started = time.process_time()
                aw.simulate(world, aw.Agent(policy), seed=seed, **asked)
                times.append((time.process_time() - started) / 64 / trials)
            row.append(f"{1e9 * min(times):.0f}")
        rows.append(row)
    print(Table("Nanoseconds a decision", ["policy", "10 arms", "80 arms"], rows).markdown())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["paper", "robust", "cost"])
    parser.add_argument("--agents", type=int, default=1_000)
    parser.add_argument("--horizon", type=int, default=100_000)
    asked = parser.parse_args()
    if asked.what == "cost":
        cost()
    else:
        {"paper": paper, "robust": robust}[asked.what](asked.agents, asked.horizon)


if __name__ == "__main__":
    main()
