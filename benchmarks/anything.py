"""The universal agent in worlds of every kind: against the best agent that is given nothing, the
best that is given rho, and `two-worlds`, which was made for the paper's changing bandits.

    python benchmarks/anything.py worlds|grid|still|cost|cheap [--copies N] [--keep FOLDER]

`worlds` are those of the leaderboard's family `anything` (`--only NAME` takes one), `grid` the
paper's 32 changing cells, `still` its 12 stationary cells and the six robustness problems; `cheap`
compares agents for forty arms and few trials. All agents meet the same bandits with the same luck.
Regrets are kept in FOLDER, so that a run that was stopped goes on. A hundred copies of the worlds
take about an hour of one core, of the grid half an hour.
"""

import argparse
import hashlib
import math
import time
from pathlib import Path

import numpy as np

import armwise as aw
from armwise.bandits.problems import INSTANCES, WORLDS
from parts.table import Table

SEED = 20_261
SIZES = (10, 20, 40, 80)
UNIVERSAL, FORMER = "universal", "two-worlds"


def smile(policy, rho: float) -> aw.Agent:
    return aw.Agent(policy, aw.Smile(rho=rho))


def given_nothing() -> dict:
    approximate = aw.ApproximateActiveInference(lam=0.5)
    exact = aw.ExactActiveInference(lam=0.25)
    return {
        UNIVERSAL: aw.Universal(),
        FORMER: aw.TwoWorlds(),
        "BOCPD-rho": aw.LearnedBOCPD(),
        "BOCPD-duration": aw.DurationBOCPD(),
        "HMM-avg": aw.AveragedHMM(),
        "A-AI, SMiLe-rho": aw.Agent(approximate, aw.LearnedChange()),
        "G-AI, SMiLe-rho": aw.Agent(exact, aw.LearnedChange()),
        "H-EFE": smile(aw.HorizonActiveInference(), 0.0),
        "TS": smile(aw.ThompsonSampling(), 0.0),
    }


def given_rho(rho: float) -> dict:
    return {
        "A-AI, SMiLe": smile(aw.ApproximateActiveInference(lam=0.5), rho),
        "G-AI, SMiLe": smile(aw.ExactActiveInference(lam=0.25), rho),
        "B-UCB, SMiLe": smile(aw.BayesianUCB(), rho),
    }


def grid_cells() -> dict:
    kinds = {
        "varying": lambda arms, rho: aw.VaryingBandit(arms=arms, rho=rho),
        "switching": lambda arms, rho: aw.SwitchingBandit(arms=arms, epsilon=0.1, rho=rho),
    }
    return {
        f"{kind}, K = {arms}, rho = {rho:g}": make(arms, rho)
        for kind, make in kinds.items()
        for arms in SIZES
        for rho in (0.005, 0.01, 0.02, 0.04)
    }


def still_cells() -> dict:
    cells = {
        f"K = {arms}, epsilon = {epsilon:g}": aw.StationaryBandit(arms=arms, epsilon=epsilon)
        for arms in SIZES
        for epsilon in (0.05, 0.1, 0.2)
    }
    return cells | INSTANCES


def regrets(bandit, agent, horizon: int, copies: int, keep: Path | None) -> np.ndarray:
    """Regret per trial of every copy."""
    name = hashlib.sha256(f"{bandit} {agent} {horizon} {copies}".encode()).hexdigest()[:24]
    path = keep / f"{name}.npy" if keep else None
    if path and path.exists():
        return np.load(path)
    asked = {"seed": SEED, "checkpoints": [horizon], "threads": 1}
    found = aw.simulate(bandit, agent, horizon, copies, **asked).regret.values[:, -1] / horizon
    if path:
        path.parent.mkdir(parents=True, exist_ok=True)
        np.save(path, found)
    return found


def ratio(ours: np.ndarray, theirs: np.ndarray) -> str:
    """The quotient of the means, and the standard error of the paired difference."""
    error = (ours - theirs).std(ddof=1) / math.sqrt(len(ours)) / theirs.mean()
    return f"{ours.mean() / theirs.mean():.3f} ± {error:.3f}"


def row_of(name: str, bandit, horizon: int, asked, groups: list[dict]) -> list[str]:
    """Regret rates, and quotients with the best of each group."""
    keep = Path(asked.keep) if asked.keep else None
    ours = regrets(bandit, aw.Universal(), horizon, asked.copies, keep)
    error = ours.std(ddof=1) / math.sqrt(len(ours))
    row = [name, f"{ours.mean():.5f} ± {error:.5f}"]
    for group in groups:
        found = {
            each: regrets(bandit, agent, horizon, asked.copies, keep)
            for each, agent in group.items()
        }
        best = min(found, key=lambda each: found[each].mean())
        row += [f"{best} {found[best].mean():.5f}", ratio(ours, found[best])]
    print("|", " | ".join(row), "|", flush=True)
    return row


def compare(title: str, cells: dict, horizon: int, asked, groups_of, names: list[str]) -> None:
    rows = [
        row_of(name, bandit, horizon, asked, groups_of(bandit))
        for name, bandit in cells.items()
        if not asked.only or name in asked.only
    ]
    heads = [head for name in names for head in (name, "quotient")]
    columns = ["world", UNIVERSAL, *heads]
    print(Table(f"{title}, {horizon} trials, {asked.copies} copies", columns, rows).markdown())


def worlds(asked) -> None:
    """Against the best that is given nothing, the best that is given rho, `two-worlds`."""

    def groups(bandit):
        others = {name: each for name, each in given_nothing().items() if name != UNIVERSAL}
        told = given_rho(min(bandit.assumed_rho(), 1.0))
        return [others, told, {FORMER: others[FORMER]}]

    names = ["best given nothing", "best given rho", "two worlds"]
    compare("Worlds of every kind", WORLDS, asked.trials or 10_000, asked, groups, names)


def grid(asked) -> None:
    """Against `two-worlds`, and the better SMiLe agent of the paper."""

    def groups(bandit):
        told = given_rho(bandit.rho)
        del told["B-UCB, SMiLe"]
        return [{FORMER: aw.TwoWorlds()}, told]

    names = ["two worlds", "best of the paper, given rho"]
    compare("The paper's changing cells", grid_cells(), asked.trials or 5_000, asked, groups, names)


def still(asked) -> None:
    """Against the better of optimistic Thompson sampling and H-EFE, which know of no change."""

    def groups(bandit):
        policies = {"O-TS": aw.OptimisticThompsonSampling(), "H-EFE": aw.HorizonActiveInference()}
        told = {name: smile(policy, 0.0) for name, policy in policies.items()}
        return [told, {FORMER: aw.TwoWorlds()}]

    names = ["the better of O-TS and H-EFE", "two worlds"]
    compare("Nothing changes", still_cells(), asked.trials or 10_000, asked, groups, names)


def cost(asked) -> None:
    """Microseconds of a core for a decision, bandit and learning included."""
    agents = {
        UNIVERSAL: aw.Universal(),
        FORMER: aw.TwoWorlds(),
        "all-redrawn": aw.RedrawnArms(),
        "best-moves": aw.MovingBest(),
        "each-redrawn": aw.SeparateArms(),
    }
    rows = []
    for name, agent in agents.items():
        row = [name]
        for arms in (3, 10, 40):
            for bandit in grid_of_cost(arms):
                row.append(f"{1e6 * fastest(bandit, agent):.1f}")
        rows.append(row)
        print(row, flush=True)
    columns = [f"K = {arms}, {kind}" for arms in (3, 10, 40) for kind in ("varying", "switching")]
    print(Table("Cost of a decision in µs", ["agent", *columns], rows).markdown())


def cheap(asked) -> None:
    """Forty arms and few trials: regret rates, and microseconds of a core for a decision."""
    agents = {
        UNIVERSAL: aw.Universal(),
        FORMER: aw.TwoWorlds(),
        "all-redrawn, cheap": aw.RedrawnArms(most=8, alphas=(), betas=(), intervals=()),
        "G-AI, SMiLe-rho": aw.Agent(aw.ExactActiveInference(lam=0.25), aw.LearnedChange()),
    }
    bandits = [*grid_of_cost(40), aw.RedrawnBandit(arms=40, low=0.01, high=0.1, interval=500)]
    rows = []
    for name, agent in agents.items():
        cells = []
        for bandit in bandits:
            for trials in (500, 2_000):
                found = regrets(bandit, agent, trials, asked.copies, None)
                error = found.std(ddof=1) / math.sqrt(asked.copies)
                cells.append(f"{found.mean():.4f} ± {error:.4f}")
        rows.append([name, *cells, f"{1e6 * fastest(bandits[0], agent):.1f}"])
        print(rows[-1], flush=True)
    heads = [f"{bandit.label}, {trials}" for bandit in bandits for trials in (500, 2_000)]
    print(Table("Forty arms, few trials", ["agent", *heads, "µs"], rows).markdown())


def grid_of_cost(arms: int) -> list:
    return [
        aw.VaryingBandit(arms=arms, rho=0.01),
        aw.SwitchingBandit(arms=arms, epsilon=0.1, rho=0.01),
    ]


def fastest(bandit, agent, trials: int = 2_000, copies: int = 16) -> float:
    """Seconds of a core, the least of three runs."""
    asked = {"horizon": trials, "agents": copies, "threads": 1, "checkpoints": [trials]}
    aw.simulate(bandit, agent, seed=1, **asked | {"agents": 1})
    times = []
    for seed in range(3):
        started = time.process_time()
        aw.simulate(bandit, agent, seed=seed, **asked)
        times.append((time.process_time() - started) / copies / trials)
    return min(times)


KINDS = {"worlds": worlds, "grid": grid, "still": still, "cost": cost, "cheap": cheap}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=list(KINDS))
    parser.add_argument("--copies", type=int, default=100)
    parser.add_argument("--trials", type=int, default=0, help="instead of the usual number")
    parser.add_argument("--keep", default="", help="folder for regrets")
    parser.add_argument("--only", action="append", default=[], help="a world; repeat")
    asked = parser.parse_args()
    KINDS[asked.what](asked)


if __name__ == "__main__":
    main()
