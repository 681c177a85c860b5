"""Rules for stationary bandits in the paper's twelve cells and on the six robustness instances.

    python benchmarks/stationary.py paper|robust|cost [--agents N] [--horizon T] [--device cpu|cuda]

Prints regrets at every power of ten from 10³ and as multiples of a rival's.
"""

import argparse
import math
import time

import numpy as np

import armwise as aw
from armwise.play.simulate import plan_of, simulate_plans
from parts.table import Table

SEED = 2_028
PAPER = [(arms, gap) for gap in (0.05, 0.1, 0.2) for arms in (10, 20, 40, 80)]
INSTANCES = ("uniform", "near-tie", "linear", "high", "low", "near-tie-and-poor")
POLICIES = {
    "A-AI": aw.ApproximateActiveInference(lam=0.1),
    "A-AI, 3 / ln²": aw.FadingApproximateActiveInference(lam=3.0, decay=2.0),
    "O-TS": aw.OptimisticThompsonSampling(),
    "TS": aw.ThompsonSampling(),
    "IMED": aw.IMED(),
    "H-EFE": aw.HorizonActiveInference(),
    "H-EFE, share 1": aw.HorizonActiveInference(share=1.0),
    "H-EFE, exact": aw.ExactHorizonActiveInference(),
    "H-EFE, Be(1/2, 1/2)": aw.Agent(aw.HorizonActiveInference(), aw.Smile(alpha0=0.5, beta0=0.5)),
    "H-EFE, Be(1, 9)": aw.Agent(aw.HorizonActiveInference(), aw.Smile(beta0=9.0)),
    "H-EFE, Be(9, 1)": aw.Agent(aw.HorizonActiveInference(), aw.Smile(alpha0=9.0)),
    "capped A-AI, 3 / ln²": aw.CappedActiveInference(lam=3.0, decay=2.0),
    "capped A-AI, 1 / ln²": aw.CappedActiveInference(lam=1.0, decay=2.0),
    "capped A-AI, 8 / ln²": aw.CappedActiveInference(lam=8.0, decay=2.0),
    "LP-AI": aw.LearnedPreferences(),
    "KL-UCB+": aw.KLUCBPlus(),
    "KL-MOSS": aw.KLMOSS(),
    "KG": aw.KnowledgeGradient(),
    "eps-TS": aw.EpsilonThompsonSampling(),
    "S-AI": aw.SampledActiveInference(),
    "IDS": aw.InformationDirectedSampling(),
}
IN_PAPER = ("A-AI", "A-AI, 3 / ln²", "O-TS", "H-EFE", "H-EFE, share 1", "LP-AI")


def marks(horizon: int) -> list[int]:
    return [10**power for power in range(3, 10) if 10**power <= horizon]


def agent_of(rule):
    """A policy with a learner, an agent, or an actor."""
    return aw.Agent(rule) if isinstance(rule, aw.Policy) else rule


def regrets(bandits: list, name: str, asked: argparse.Namespace) -> list[np.ndarray]:
    """Regret of every agent at every mark, by bandit; a card plays those of a kind at once."""
    how = {"horizon": asked.horizon, "agents": asked.agents, "seed": SEED}
    how |= {"checkpoints": marks(asked.horizon)}
    agent = agent_of(POLICIES[name])
    if asked.device == "cuda" and len({type(bandit) for bandit in bandits}) == 1:
        results = simulate_plans([plan_of(bandit, agent, **how) for bandit in bandits])
    else:
        results = [aw.simulate(bandit, agent, device=asked.device, **how) for bandit in bandits]
    return [result.regret.values for result in results]


def paper(asked: argparse.Namespace) -> None:
    agents, horizon = asked.agents, asked.horizon
    names = asked.only or IN_PAPER
    bandits = [aw.StationaryBandit(arms=arms, epsilon=gap) for arms, gap in PAPER]
    found = {}
    for name in names:
        for (arms, gap), values in zip(PAPER, regrets(bandits, name, asked), strict=True):
            found[name, arms, gap] = values
            print(name, arms, gap, values.mean(axis=0).round(1), flush=True)
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
            if not {ours, theirs} <= set(names):
                continue
            ratios = [
                found[ours, arms, gap][:, place].mean() / found[theirs, arms, gap][:, place].mean()
                for arms, gap in PAPER
            ]
            print(f"{ours} / {theirs} at {mark}: {min(ratios):.3f} to {max(ratios):.3f}")
            print("  ", " ".join(f"{ratio:.3f}" for ratio in ratios))
    for name in names:
        worst = [
            float((found[name, arms, gap][:, -1] > 0.5 * gap * horizon).mean())
            for arms, gap in PAPER
        ]
        print(
            f"{name}: at most {max(worst):.3f} of the agents of a cell are stuck "
            "(half the regret of never choosing the best arm)"
        )


def robust(asked: argparse.Namespace) -> None:
    agents, horizon = asked.agents, asked.horizon
    rows = []
    for name in asked.only or POLICIES:
        started = time.process_time()
        row = [name]
        bandits = [aw.PROBLEMS[instance] for instance in INSTANCES]
        for found in regrets(bandits, name, asked):
            error = found[:, -1].std(ddof=1) / math.sqrt(agents)
            row.append(f"{found[:, -1].mean():.0f} ± {error:.0f}")
        print(*row, f"({time.process_time() - started:.0f} s)", flush=True)
        rows.append(row)
    title = f"Regret after {horizon} trials, {agents} agents"
    print(Table(title, ["policy", *INSTANCES], rows).markdown())


def cost(asked: argparse.Namespace) -> None:
    """Nanoseconds a decision and thread, in short runs and in long ones, 10 and 80 arms."""
    rows = []
    for name in asked.only or [name for name in POLICIES if name != "IDS"]:
        row = [name]
        for trials, agents in ((3_000, 64), (100_000, 8)):
            for arms in (10, 80):
                row.append(f"{decision(POLICIES[name], arms, trials, agents):.0f}")
        print(*row, flush=True)
        rows.append(row)
    head = ["policy", "3,000 trials, 10 arms", "80", "100,000 trials, 10 arms", "80"]
    print(Table("Nanoseconds a decision", head, rows).markdown())


def decision(rule, arms: int, trials: int, agents: int) -> float:
    """The least of four times, compilation excluded."""
    bandit = aw.StationaryBandit(arms=arms)
    how = {"horizon": trials, "agents": agents, "threads": 1, "checkpoints": [trials]}
    aw.simulate(bandit, agent_of(rule), seed=9, **how)
    times = []
    for seed in range(4):
        started = time.process_time()
        aw.simulate(bandit, agent_of(rule), seed=seed, **how)
        times.append((time.process_time() - started) / agents / trials)
    return 1e9 * min(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["paper", "robust", "cost"])
    parser.add_argument("--agents", type=int, default=1_000)
    parser.add_argument("--horizon", type=int, default=100_000)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--only", action="append", choices=POLICIES, help="a rule; repeat")
    asked = parser.parse_args()
    {"paper": paper, "robust": robust, "cost": cost}[asked.what](asked)


if __name__ == "__main__":
    main()
