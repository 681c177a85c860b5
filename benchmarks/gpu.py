"""Time of one trial on a graphics card: armwise, JAX on the same card, and table 1 of the paper.

Then the time of the likelihoods of a person's choices under very many values of the parameters.

Run with `python benchmarks/gpu.py [--only PART] [--out FILE]`; it needs a CUDA card, and JAX for
its column.
"""

import argparse
import datetime
import math
import platform
import sys
import time
from pathlib import Path
from statistics import median

import numpy as np

import armwise as aw
from armwise.engine.announce import described
from armwise.engine.batch import Sequences, likelihood_on
from armwise.engine.prepared import Prepared
from armwise.paper.published import values
from armwise.play.simulate import plan_of
from parts.table import Table
from rivals.armwise_program import policy_of
from rivals.cell import EPSILON, Cell, P, timed

AGENTS = 1_000
ROUNDS = 3  # of which the median is shown
HORIZONS = {"A-AI": 20_000, "UCB": 20_000, "G-AI": 10_000, "TS": 1_000, "O-TS": 1_000}
GOALS = {  # milliseconds a trial at 10 and at 80 arms
    "A-AI": (0.002, 0.004),
    "UCB": (0.002, 0.004),
    "G-AI": (0.005, 0.005),
    "TS": (0.015, 0.05),
    "O-TS": (0.015, 0.05),
    "B-UCB": (0.015, 0.05),
}
BEYOND = [  # rules beyond the paper, in stationary bandits
    aw.HorizonActiveInference(),
    aw.LearnedPreferences(),
    aw.FadingApproximateActiveInference(lam=3.0, decay=2.0),
    aw.IMED(),
]
CROWDS = (100_000, 400_000)
CROWD_GOAL = 0.05  # nanoseconds per agent-trial
CROWD_HORIZON = 10_000
SETTINGS, TRIALS, ARMS = 1_000_000, 1_000, 4  # of parameters; of the person who is followed
FOLLOW_GOAL = 1.0  # seconds
CHECKED = 1_000  # settings that are compared with the cpu
CPU_AND_CARD = ("cpu", "cuda")
FOLLOWED = [  # agents, and the ranges of their free parameters
    (
        aw.Agent(aw.ApproximateActiveInference(), aw.Smile(), aw.Softmax()),
        {"lam": (0.1, 2), "rho": (0, 0.3), "precision": (0, 8)},
    ),
    (
        aw.Agent(aw.ExactActiveInference(), aw.Smile(), aw.Softmax()),
        {"lam": (0.1, 2), "rho": (0, 0.3), "precision": (0, 8)},
    ),
    (
        aw.Agent(aw.MeanOutcome(), aw.RescorlaWagner(), aw.HabitualSoftmax()),
        {"rate": (0.1, 0.9), "forgetting": (0, 0.5), "precision": (0, 8), "stick": (-1, 2)},
    ),
    (
        aw.Agent(aw.MeanOutcome(), aw.HierarchicalGaussianFilter(), aw.Softmax()),
        {"precision": (0, 8)},
    ),
]


def agent_of(cell: Cell) -> aw.Agent:
    return aw.Agent(policy_of(cell), aw.Smile(rho=cell.rho))


def plan(cell: Cell, agent: aw.Agent | None = None, seed: int = 1):
    bandit = aw.SwitchingBandit(arms=cell.arms, epsilon=EPSILON, p=P, rho=cell.rho)
    agent = agent or agent_of(cell)
    return plan_of(bandit, agent, cell.horizon, cell.agents, seed, [cell.horizon])


def on_card(cell: Cell, agent: aw.Agent | None = None) -> float:
    """Seconds of the simulation, compilation excluded."""
    from armwise.engine import cuda

    def play(seed: int) -> np.ndarray:
        return cuda.run_many([plan(cell, agent, seed)], lambda _: None)[0][0][:, -1]

    cuda.prepare(plan(cell, agent))
    return median(timed(play, number).seconds for number in range(1, ROUNDS + 1))


def in_jax(cell: Cell) -> float:
    try:
        from rivals import jax_program
    except ImportError:
        return math.nan
    jax_program.PLATFORM = "cuda"
    jax_program.prepare(cell)
    return jax_program.run(cell, 1).seconds


def differing(cell: Cell, agent: aw.Agent | None = None) -> float:
    """The share of agents whose regret is not that of the cpu engine."""
    from armwise.engine import cpu, cuda

    asked = plan(cell, agent)
    ours, theirs = (engine.prepare(asked)(lambda _: None)[0] for engine in (cpu, cuda))
    return float(np.mean(ours != theirs))


def trial_table() -> Table:
    paper = values("table1")
    rows = []
    for policy, goals in GOALS.items():
        for arms, goal in zip((10, 80), goals, strict=True):
            for bandit in ("stationary", "switching"):
                horizon = HORIZONS.get(policy, 1_000)
                cell = Cell(policy, bandit, arms, horizon, AGENTS)
                ours = 1e3 * on_card(cell) / horizon
                theirs = 1e3 * in_jax(cell._replace(horizon=200)) / 200 if cell.rho else math.nan
                told = paper[(paper.policy == policy) & (paper.arms == arms)].value
                share = differing(cell._replace(horizon=min(horizon, 1_000)))
                rows.append(
                    [
                        policy,
                        str(arms),
                        bandit,
                        f"{ours:.4f}",
                        f"{goal:g}",
                        f"{theirs:.3f}" if theirs == theirs else "–",
                        f"{told.iloc[0]:.3f}" if len(told) else "–",
                        f"{share:.1%}",
                    ]
                )
                print(" ".join(rows[-1]), flush=True)
    head = ["policy", "arms", "bandit", "armwise", "goal", "JAX", "paper", "regrets that differ"]
    return Table(f"Milliseconds a trial of {AGENTS} agents", head, rows)


def beyond_table() -> Table:
    rows = []
    for policy in BEYOND:
        for arms in (10, 80):
            cell, agent = Cell("A-AI", "stationary", arms, 5_000, AGENTS), aw.Agent(policy)
            ours = 1e3 * on_card(cell, agent) / cell.horizon
            share = differing(cell._replace(horizon=1_000), agent)
            rows.append([str(policy), str(arms), f"{ours:.4f}", f"{share:.1%}"])
            print(" ".join(rows[-1]), flush=True)
    head = ["policy", "arms", "armwise", "regrets that differ"]
    return Table(f"Rules beyond the paper: milliseconds a trial of {AGENTS} agents", head, rows)


def crowd_table() -> Table:
    rows = []
    for agents in CROWDS:
        cell = Cell("A-AI", "switching", 10, CROWD_HORIZON, agents)
        nanoseconds = 1e9 * on_card(cell) / (agents * CROWD_HORIZON)
        rows.append([f"{agents}", f"{nanoseconds:.3f}", f"{CROWD_GOAL:g}"])
        print(" ".join(rows[-1]), flush=True)
    head = ["agents", "ns per agent-trial", "goal"]
    return Table("A-AI, 10 arms, switching, in large ensembles", head, rows)


def person() -> Sequences:
    """One person who chose at random."""
    rng = np.random.default_rng(1)
    choices, outcomes = rng.integers(0, ARMS, TRIALS), rng.integers(0, 2, TRIALS)
    first = np.zeros(1, dtype=np.int64)
    return Sequences(choices, outcomes, np.ones(TRIALS, dtype=bool), first, first, ARMS)


def settings(free: dict[str, tuple[float, float]]) -> np.ndarray:
    """Very many values of the free parameters, for one person."""
    rng = np.random.default_rng(2)
    return np.stack([rng.uniform(*ends, SETTINGS) for ends in free.values()], axis=-1)[None]


def seconds_of(likelihood: Prepared, values: np.ndarray) -> float:
    """Seconds for all values, what is copied to the card and back included."""
    took = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        likelihood(values)
        took.append(time.perf_counter() - started)
    return median(took)


def follow_table() -> Table:
    rows = []
    for agent, free in FOLLOWED:
        on_cpu, there = (likelihood_on(each, agent, list(free), person()) for each in CPU_AND_CARD)
        values = settings(free)
        few = values[:, :CHECKED]
        away = np.abs(there(few) - on_cpu(few)).max()
        seconds = seconds_of(there, values)
        rows.append([described(agent), f"{seconds:.3f}", f"{FOLLOW_GOAL:g}", f"{away:.1e}"])
        print(" ".join(rows[-1]), flush=True)
    head = ["agent", "seconds", "goal", f"largest difference to the cpu in {CHECKED} settings"]
    return Table(f"Log-likelihoods: {SETTINGS} settings, {TRIALS} trials, {ARMS} arms", head, rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, help="a Markdown file for the tables")
    parser.add_argument("--only", choices=["trials", "crowd", "likelihoods"], help="one part")
    options = parser.parse_args()
    from numba import cuda

    card = cuda.get_current_device().name
    card = card.decode() if isinstance(card, bytes) else card
    lines = [
        f"- date: {datetime.date.today().isoformat()}",
        f"- card: {card}; Python {platform.python_version()}",
        f"- command: `{' '.join(['python benchmarks/gpu.py', *sys.argv[1:]])}`",
    ]
    parts = {
        "trials": (trial_table, beyond_table),
        "crowd": (crowd_table,),
        "likelihoods": (follow_table,),
    }
    wanted = [parts[options.only]] if options.only else parts.values()
    tables = [make() for part in wanted for make in part]
    text = "\n".join([*lines, *(f"\n{table.markdown()}" for table in tables)])
    print(text)
    if options.out:
        options.out.write_text(text + "\n")


if __name__ == "__main__":
    main()
