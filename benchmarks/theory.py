"""The numbers of `armwise.theory` beside simulations, as figures.

    python benchmarks/theory.py stuck|best|curves|ratio [--agents N] [--horizon T]
        [--device cpu|cuda] [--threads N] [--out DIR]

`stuck`: who leaves the best arm for good. `best`: the best precision. `curves`: regret over ln t
beside the line of Lai and Robbins, in two bandits. `ratio`: expected regret, information about the
best arm, and the information ratio of Russo and Van Roy, trial by trial.
"""

import argparse
import math
from pathlib import Path

import numpy as np

import armwise as aw
from armwise.analysis import regret, theory
from armwise.analysis.intervals import binomial_interval
from armwise.plotting.style import BOUND, panel, save, settings

GAPS = (0.05, 0.1, 0.2)
COLOURS = dict(zip(GAPS, ("#0072B2", "#E69F00", "#009E73"), strict=True))
STUCK_ARMS = {2: "o", 3: "^", 10: "s", 80: "D"}
STUCK_LAMS = (0.05, 0.1, 0.2, 0.5)
ARMS = (10, 20, 40, 80)
GRID = np.round(np.geomspace(0.02, 1.0, 18), 4)
BANDITS = {
    "near tie": (0.6, 0.57, *8 * (0.5,)),
    "equal steps": (0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1),
}
RULES = {
    "H-EFE": (aw.HorizonActiveInference(), "#882255", "-"),
    "A-AI, lam = .1": (aw.ApproximateActiveInference(lam=0.1), "#009E73", "-"),
    "A-AI, lam = 1 / ln": (aw.FadingApproximateActiveInference(lam=1, decay=1), "#009E73", "-."),
    "A-AI, lam = 3 / ln²": (aw.FadingApproximateActiveInference(lam=3, decay=2), "#009E73", ":"),
    "LP-AI": (aw.LearnedPreferences(), "#332288", "-"),
    "TS": (aw.ThompsonSampling(), "#CC79A7", "-"),
}

CURIOUS = {
    "A-AI, lam = .1": (aw.Agent(aw.ApproximateActiveInference(lam=0.1)), "#009E73", "-"),
    "G-AI, lam = .1": (aw.Agent(aw.ExactActiveInference(lam=0.1)), "#D55E00", "--"),
    "H-EFE": (aw.Agent(aw.HorizonActiveInference()), "#882255", "-"),
    "TS": (aw.Agent(aw.ThompsonSampling()), "#CC79A7", "-"),
    "IDS": (aw.InformationDirectedSampling(), "#0072B2", "-"),
    "KG": (aw.Agent(aw.KnowledgeGradient()), "#6E6E6E", "-"),
}


def played(bandit, policy, asked: argparse.Namespace, marks=None):
    how = {"seed": 27, "checkpoints": marks or [asked.horizon], "device": asked.device}
    if asked.threads:
        how["threads"] = asked.threads
    return aw.simulate(bandit, aw.Agent(policy), asked.horizon, asked.agents, **how)


def stuck(asked: argparse.Namespace) -> None:
    """The part of agents that left the best arm, predicted and simulated."""
    agents = asked.agents
    with settings():
        figure, axes = panel()
        axes.plot([1e-6, 1], [1e-6, 1], color="#888888", linewidth=1)
        for lam in STUCK_LAMS:
            inside = below = 0
            for epsilon in GAPS:
                for arms, marker in STUCK_ARMS.items():
                    expected = theory.stuck_fraction(lam, epsilon, arms)
                    most = theory.stuck_limits([0.5 + epsilon] + (arms - 1) * [0.5], lam)[1]
                    bandit = aw.StationaryBandit(arms=arms, epsilon=epsilon)
                    result = played(bandit, aw.ApproximateActiveInference(lam=lam), asked)
                    found = regret.stuck_fraction(result)[0]
                    _, low, high = binomial_interval(round(found * agents), agents, 0.99)[:3]
                    inside += low <= expected <= high
                    below += low <= most
                    print(
                        f"  lam {lam:g}, {arms} arms, epsilon {epsilon:g}: {found:.3f}, "
                        f"predicted {expected:.3f}, at most {most:.3f}",
                        flush=True,
                    )
                    mark = dict(marker=marker, color=COLOURS[epsilon], linestyle="")
                    axes.plot(expected, found, markersize=5, **mark)
            cells = len(STUCK_ARMS) * len(GAPS)
            print(f"lam {lam:g}: {inside} of {cells} in the 99 % band, {below} under the limit")
        for arms, marker in STUCK_ARMS.items():
            axes.plot([], [], marker, color="#555555", label=f"{arms} arms")
        for epsilon, colour in COLOURS.items():
            axes.plot([], [], color=colour, linewidth=4, label=f"epsilon {epsilon:g}")
        axes.set(xlabel="stuck fraction, predicted", ylabel="simulated")
        axes.set_xscale("symlog", linthresh=1e-3)
        axes.set_yscale("symlog", linthresh=1e-3)
        axes.set(xlim=(0, 1), ylim=(0, 1))
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
                bandit = aw.StationaryBandit(arms=arms, epsilon=epsilon)
                rules = [aw.ApproximateActiveInference(lam=lam) for lam in GRID]
                means = [float(played(bandit, rule, asked).regret.mean()) for rule in rules]
                found = int(np.argmin(means))
                expected = theory.best_lam(arms, epsilon, asked.horizon)
                nearest = int(np.abs(np.log(GRID / expected)).argmin())
                near += abs(nearest - found) <= 1
                print(
                    f"  {arms} arms, epsilon {epsilon:g}: {GRID[found]}, predicted {expected:.3f}"
                )
                label = f"epsilon {epsilon:g}" if arms == 10 else None
                axes.plot(expected, GRID[found], "o", color=COLOURS[epsilon], label=label)
        axes.set(xlabel="best lam, predicted", ylabel="best on the grid")
        axes.set(xscale="log", yscale="log")
        axes.legend()
        save(figure, asked.out / "best-lam.png")
    print(f"best lam: {near} of {len(ARMS) * len(GAPS)} within a step of the grid")


def curves(asked: argparse.Namespace) -> None:
    """Regret over ln t of six rules, beside the line of Lai and Robbins."""
    with settings():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(9.0, 3.8), layout="constrained")
        for axes, (name, thetas) in zip(figure.subplots(1, 2), BANDITS.items(), strict=True):
            one_bandit(axes, name, thetas, asked)
        axes.legend(loc="upper left")
        save(figure, asked.out / "regret-over-log.png")


def one_bandit(axes, name: str, thetas: tuple[float, ...], asked: argparse.Namespace) -> None:
    marks = sorted({round(10 ** (0.1 * i)) for i in range(10, 200)} | {asked.horizon})
    marks = [mark for mark in marks if mark <= asked.horizon]
    line = theory.lai_robbins(thetas) * np.log(marks)
    axes.plot(marks, line, **BOUND, label="Lai and Robbins, slope")
    for rule, (policy, colour, style) in RULES.items():
        found = played(aw.FixedBandit(thetas=thetas), policy, asked, marks).regret.values
        error = found[:, -1].std(ddof=1) / math.sqrt(asked.agents)
        print(f"{name}, {rule}: {found[:, -1].mean():.0f} ± {error:.0f}", flush=True)
        axes.plot(marks, found.mean(axis=0), color=colour, linestyle=style, label=rule)
    print(f"{name}, Lai and Robbins: {line[-1]:.0f}")
    axes.set(title=name, xscale="log", xlabel="trial t", ylabel="mean regret")
    axes.set(xlim=(10, asked.horizon), ylim=(0, 4.0 * line[-1]))


def ratio(asked: argparse.Namespace) -> None:
    """What choices are expected to cost and to teach, under the beliefs of the moment."""
    marks = sorted({round(mark) for mark in np.geomspace(1, asked.horizon, 30)})
    names = ("expected regret", "information about the best arm", "information ratio")
    with settings():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(10.5, 3.6), layout="constrained")
        panels = figure.subplots(1, 3)
        for rule, (agent, colour, style) in CURIOUS.items():
            lost, learned = expectations(agent, marks, asked)
            print(rule, *(f"{x:.2g}" for x in lost**2 / learned), flush=True)
            shown = (lost, learned, lost**2 / learned)
            for axes, values, name in zip(panels, shown, names, strict=True):
                axes.plot(marks, values, color=colour, linestyle=style, label=rule)
                axes.set(title=name, xscale="log", yscale="log", xlabel="trial t")
        panels[2].axhline(5.0, **BOUND)
        panels[0].legend()
        save(figure, asked.out / "information-ratio.png")


def expectations(agent, marks, asked: argparse.Namespace) -> tuple[np.ndarray, np.ndarray]:
    """Mean over agents of expected regret and information in some trials; beliefs are counted."""
    how = {"seed": 5, "checkpoints": aw.every(1), "record": ["arm", "outcome"]}
    run = aw.simulate(aw.PROBLEMS["uniform"], agent, asked.horizon, asked.agents, **how)
    arms, found = 10, np.zeros((2, len(marks)))
    for chosen, outcome in zip(run.chosen.values, run.outcome.values, strict=True):
        for place, mark in enumerate(marks):
            past = chosen[: mark - 1].astype(int)
            alpha = 1.0 + np.bincount(past, outcome[: mark - 1], arms)
            beta = 1.0 + np.bincount(past, 1 - outcome[: mark - 1], arms)
            chances = np.arange(arms) == chosen[mark - 1]
            each = regret.information_ratio(alpha, beta, chances.astype(float))
            found[:, place] += each.regret, each.information
    return found[0] / asked.agents, found[1] / asked.agents


DEFAULTS = {"stuck": 100_000, "best": 10_000, "curves": 1_000_000, "ratio": 1_000}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=DEFAULTS)
    parser.add_argument("--agents", type=int, default=1_000)
    parser.add_argument("--horizon", type=int)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--out", type=Path, default=Path())
    asked = parser.parse_args()
    asked.horizon = asked.horizon or DEFAULTS[asked.what]
    {"stuck": stuck, "best": best, "curves": curves, "ratio": ratio}[asked.what](asked)


if __name__ == "__main__":
    main()
