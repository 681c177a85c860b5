"""The closed forms of A-AI's long run (`armwise.theory`) beside simulations, as two figures.

    python benchmarks/theory.py [--agents N] [--horizon T] [--device cpu|cuda] [--out DIR]

A thousand agents take two minutes on two cores; over 10⁶ trials, better use a card.
"""

import argparse
from pathlib import Path

import numpy as np

import armwise as aw
from armwise.analysis import regret, theory
from armwise.analysis.intervals import binomial_interval
from armwise.plotting.style import panel, save, settings

ARMS = (10, 20, 40, 80)
GAPS = (0.05, 0.1, 0.2)
COLOURS = dict(zip(GAPS, ("#0072B2", "#E69F00", "#009E73"), strict=True))
STUCK_LAMS = (0.05, 0.1, 0.2, 0.5)
GRID = np.round(np.geomspace(0.02, 1.0, 18), 4)
GRID_HORIZON = 10_000


def played(arms: int, epsilon: float, lam: float, horizon: int, asked: argparse.Namespace):
    world = aw.StationaryBandit(arms=arms, epsilon=epsilon)
    agent = aw.Agent(aw.ApproximateActiveInference(lam=lam))
    how = {"seed": 27, "checkpoints": [horizon], "device": asked.device}
    return aw.simulate(world, agent, horizon, asked.agents, **how)


def stuck(asked: argparse.Namespace) -> None:
    """The part of agents that left the best arm, predicted and simulated."""
    agents = asked.agents
    with settings():
        figure, axes = panel()
        axes.plot([1e-6, 1], [1e-6, 1], color="#888888", linewidth=1)
        for lam in STUCK_LAMS:
            inside = 0
            for epsilon in GAPS:
                expected = theory.stuck_fraction(lam, epsilon)
                for arms in ARMS:
                    result = played(arms, epsilon, lam, asked.horizon, asked)
                    found = regret.stuck_fraction(result)[0]
                    _, low, high = binomial_interval(round(found * agents), agents, 0.99)[:3]
                    inside += low <= expected <= high
                    print(f"  {arms} {epsilon:g}: {found:.3f}, predicted {expected:.3f}")
                    label = f"epsilon {epsilon:g}" if (lam, arms) == (STUCK_LAMS[0], 10) else None
                    axes.plot(expected, found, "o", color=COLOURS[epsilon], label=label)
            print(f"stuck, lam {lam:g}: {inside} of {len(ARMS) * len(GAPS)} in the 99 % band")
        axes.set(xlabel="stuck fraction, predicted", ylabel="simulated")
        axes.set(xlim=(0, 1), ylim=(0, 1))
        axes.set_xscale("symlog", linthresh=1e-3)
        axes.set_yscale("symlog", linthresh=1e-3)
        axes.legend()
        save(figure, asked.out / "stuck.png")


def best(asked: argparse.Namespace) -> None:
    """The best precision, predicted and on a grid."""
    near = 0
    with settings():
        figure, axes = panel()
        axes.plot([GRID[0], GRID[-1]], [GRID[0], GRID[-1]], color="#888888", linewidth=1)
        for epsilon in GAPS:
            for arms in ARMS:
                means = [
                    float(played(arms, epsilon, lam, GRID_HORIZON, asked).regret.mean())
                    for lam in GRID
                ]
                found = int(np.argmin(means))
                expected = theory.best_lam(arms, epsilon, GRID_HORIZON)
                nearest = int(np.abs(np.log(GRID / expected)).argmin())
                near += abs(nearest - found) <= 1
                label = f"epsilon {epsilon:g}" if arms == 10 else None
                axes.plot(expected, GRID[found], "o", color=COLOURS[epsilon], label=label)
        axes.set(xlabel="best lam, predicted", ylabel="best on the grid")
        axes.set(xscale="log", yscale="log")
        axes.legend()
        save(figure, asked.out / "best-lam.png")
    print(f"best lam: {near} of {len(ARMS) * len(GAPS)} within a step of the grid")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--agents", type=int, default=1_000)
    parser.add_argument("--horizon", type=int, default=100_000, help="of the stuck fractions")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--out", type=Path, default=Path())
    asked = parser.parse_args()
    stuck(asked)
    best(asked)


if __name__ == "__main__":
    main()
