"""Agents for changing bandits: regret rates beside those of prototypes, a comparison over all cells
of the paper's two grids, and what a decision costs.

    python benchmarks/changing.py table|grid|cost [--agents N]

A thousand agents take about ten minutes for the table and twenty for the grid on two cores.
"""

import argparse
import math
import time

import numpy as np

import armwise as aw
from parts.table import Table

HORIZON = 5_000
SEED = 2_027
CELLS = [(10, 0.02), (10, 0.005), (40, 0.02), (40, 0.005)]
GRID = [(arms, rho) for arms in (10, 20, 40, 80) for rho in (0.005, 0.01, 0.02, 0.04)]
PROTOTYPES = {  # regret rates that prototypes reached at these cells
    "varying": {
        "SMiLe G-AI": (0.1231, 0.0847, 0.1690, 0.0963),
        "BOCPD": (0.1155, 0.0581, 0.1621, 0.0851),
        "BOCPD-Gittins": (0.1150, 0.0570, 0.1611, 0.0841),
        "two-worlds": (0.1153, 0.0569, 0.1618, 0.0857),
        "change-oracle": (0.0954, 0.0431, 0.1472, 0.0749),
    },
    "switching": {
        "SMiLe A-AI": (0.0826, 0.0709, 0.0963, 0.0934),
        "two-worlds": (0.0814, 0.0680, 0.0949, 0.0887),
        "HMM": (0.0806, 0.0669, 0.0946, 0.0884),
    },
}
GOALS = {
    "varying": (0.116, 0.058, 0.163, 0.086),
    "switching": (0.0815, 0.0682, 0.0950, 0.0889),
}


def bandit_of(kind: str, arms: int, rho: float):
    if kind == "varying":
        return aw.VaryingBandit(arms=arms, rho=rho)
    return aw.SwitchingBandit(arms=arms, epsilon=0.1, rho=rho)


def smile(policy, rho: float, prior: float = 1.0) -> aw.Agent:
    return aw.Agent(policy, aw.Smile(rho=rho, alpha0=prior, beta0=prior))


def agents_of(rho: float) -> dict:
    """Every agent; those that are given rho get it."""
    return {
        "SMiLe A-AI": smile(aw.ApproximateActiveInference(lam=0.5), rho),
        "SMiLe G-AI": smile(aw.ExactActiveInference(lam=0.25), rho),
        "SMiLe A-AI, prior Be(3, 3)": smile(aw.ApproximateActiveInference(lam=0.5), rho, 3.0),
        "SMiLe-rho A-AI": aw.Agent(aw.ApproximateActiveInference(lam=0.5), aw.LearnedChange()),
        "BOCPD": aw.BOCPD(rho=rho),
        "BOCPD-rho": aw.LearnedBOCPD(),
        "BOCPD-Gittins": aw.GittinsBOCPD(rho=rho),
        "HMM-avg": aw.AveragedHMM(),
        "two-worlds": aw.TwoWorlds(),
        "universal": aw.Universal(),
        "HMM": aw.InformedHMM(rho=rho),
        "change-oracle": aw.ChangeOracle(rho=rho),
    }


def rates(kind: str, arms: int, rho: float, agent, agents: int) -> np.ndarray:
    """Regret per trial of every agent."""
    bandit = bandit_of(kind, arms, rho)
    found = aw.simulate(bandit, agent, HORIZON, agents, seed=SEED, checkpoints=[HORIZON])
    return found.regret.values[:, -1] / HORIZON


def table(agents: int, only: list[str]) -> None:
    for kind, goals in GOALS.items():
        rows = []
        for name in only or agents_of(0.01):
            if name == {"varying": "HMM", "switching": "change-oracle"}[kind]:
                continue  # it would be given what is not so
            row = [name]
            for cell, (arms, rho) in enumerate(CELLS):
                found = rates(kind, arms, rho, agents_of(rho)[name], agents)
                error = found.std(ddof=1) / math.sqrt(agents)
                known = PROTOTYPES[kind].get(name)
                beside = f" ({known[cell]:.4f})" if known else ""
                row.append(f"{found.mean():.4f} ± {error:.4f}{beside}")
            print(kind, *row, flush=True)
            rows.append(row)
        rows.append(["goal, given nothing", *(f"{goal:.4f}" for goal in goals)])
        head = ["agent", *(f"K = {arms}, rho = {rho:g}" for arms, rho in CELLS)]
        title = f"Regret rate after {HORIZON} trials, {kind}, {agents} agents (prototype)"
        print(Table(title, head, rows).markdown())


def grid(agents: int, only: list[str]) -> None:
    """The agent for two worlds against the best SMiLe agent of the paper, which is given rho."""
    found = []
    for kind in GOALS:
        for arms, rho in GRID:
            known = agents_of(rho)
            rivals = [
                rates(kind, arms, rho, known[name], agents) for name in ("SMiLe A-AI", "SMiLe G-AI")
            ]
            best = min(rivals, key=np.mean)
            difference = rates(kind, arms, rho, known["two-worlds"], agents) - best
            error = difference.std(ddof=1) / math.sqrt(agents)
            z = difference.mean() / error
            found.append((kind, arms, rho, best.mean(), difference.mean(), error, z))
            print(
                kind,
                arms,
                rho,
                f"{best.mean():.4f} {difference.mean():+.4f} z = {z:.1f}",
                flush=True,
            )
    tails = [math.erfc(abs(row[-1]) / math.sqrt(2.0)) for row in found]
    order = np.argsort(tails)
    clear = np.zeros(len(found), bool)
    for rank, place in enumerate(order):
        if tails[place] > 0.05 / (len(found) - rank):
            break
        clear[place] = True
    better = sum(bool(sure) and row[-1] < 0 for sure, row in zip(clear, found, strict=True))
    worse = sum(bool(sure) and row[-1] > 0 for sure, row in zip(clear, found, strict=True))
    print(f"two-worlds: better in {better}, worse in {worse} of {len(found)} cells (Holm, 5 %)")


def cost(agents: int, only: list[str]) -> None:
    """Nanoseconds a decision and thread at 40 arms, and as a multiple of A-AI."""
    rows = []
    for name, agent in agents_of(0.01).items():
        if only and name not in only:
            continue
        bandit, trials = bandit_of("varying", 40, 0.01), 1_000
        asked = {"horizon": trials, "agents": 64, "threads": 1, "checkpoints": [trials]}
        aw.simulate(bandit, agent, seed=1, **asked)
        times = []
        for seed in range(3):
            started = time.process_time()
            aw.simulate(bandit, agent, seed=seed, **asked)
            times.append((time.process_time() - started) / 64 / trials)
        rows.append([name, f"{1e9 * min(times):.0f}"])
    print(Table("Cost of a decision, 40 arms", ["agent", "ns"], rows).markdown())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["table", "grid", "cost"])
    parser.add_argument("--agents", type=int, default=1_000)
    parser.add_argument(
        "--only", action="append", default=[], choices=agents_of(0.01), help="an agent; repeat"
    )
    asked = parser.parse_args()
    {"table": table, "grid": grid, "cost": cost}[asked.what](asked.agents, asked.only)


if __name__ == "__main__":
    main()
