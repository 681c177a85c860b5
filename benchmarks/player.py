"""Microseconds per online decision with its outcome, beside other programs:

    pip install pymab mabwiser scipy; python benchmarks/player.py [--quick]

One agent, called from Python, one thread: choose an arm, then learn its outcome. All programs take
turns in one process; a figure is the median of the rounds, a round being the mean of some hundred
decisions with the time of the bandit taken off. A second table says what it costs to begin. A
program that is not installed is left out.
"""

import itertools
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import armwise as aw
from armwise.play.player import Player
from rivals.decisions import seconds

ROUNDS, DECISIONS = 15, 400
ARMS = 10, 80
POLICIES: dict[str, aw.Policy] = {
    "A-AI": aw.ApproximateActiveInference(),
    "UCB": aw.UCB(),
    "B-UCB": aw.BayesianUCB(),
    "TS": aw.ThompsonSampling(),
    "O-TS": aw.OptimisticThompsonSampling(),
    "H-EFE": aw.HorizonActiveInference(),
}
Loop = tuple[Callable[[], int], Callable[[int], None]]


def of_player(player: Player) -> Loop:
    ticket = player.choose()
    player.observe(ticket, 0)

    def decide() -> int:
        nonlocal ticket
        ticket = player.choose()
        return int(ticket.arm)

    return decide, lambda outcome: player.observe(ticket, outcome)


def of_pymab(policy: str, arms: int) -> Loop | None:
    """pymab's UCB is UCB1, and its Bayesian UCB has a fixed quantile."""
    try:
        from pymab import policies
    except ImportError:
        return None
    names = {
        "UCB": "UCBPolicy",
        "B-UCB": "BernoulliBayesianUCBPolicy",
        "TS": "BernoulliThompsonSamplingPolicy",
    }
    if policy not in names:
        return None
    rival, rng, chosen = getattr(policies, names[policy])(n_arms=arms), np.random.default_rng(1), 0

    def decide() -> int:
        nonlocal chosen
        chosen = rival.select_action(rng=rng)
        return chosen

    return decide, lambda outcome: rival.update(action=chosen, reward=outcome)


def of_mabwiser(policy: str, arms: int) -> Loop | None:
    try:
        from mabwiser.mab import MAB, LearningPolicy
    except ImportError:
        return None
    rules = {"UCB": LearningPolicy.UCB1(), "TS": LearningPolicy.ThompsonSampling()}
    if policy not in rules:
        return None
    rival, chosen = MAB(list(range(arms)), rules[policy], seed=1), 0
    rival.fit(list(range(arms)), [0] * arms)

    def decide() -> int:
        nonlocal chosen
        chosen = rival.predict()
        return chosen

    return decide, lambda outcome: rival.partial_fit([chosen], [outcome])


def of_numpy(policy: str, arms: int) -> Loop | None:
    """What one writes in a morning: beliefs in two arrays, the best arm by argmax."""
    rng, trial, chosen = np.random.default_rng(1), 0, 0
    alpha, beta = np.ones((2, arms))

    def ucb() -> Any:
        evidence = np.maximum(alpha + beta - 2, 1e-6)
        mean, bonus = (alpha - 1) / evidence, np.log(trial) / evidence
        return mean + bonus + np.sqrt(mean * bonus)

    scores = {
        "A-AI": lambda: (alpha + 0.5) / (alpha + beta),
        "UCB": ucb,
        "TS": lambda: rng.beta(alpha, beta),
        "O-TS": lambda: np.maximum(rng.beta(alpha, beta), alpha / (alpha + beta)),
    }
    if policy not in scores:
        return None
    score = scores[policy]

    def decide() -> int:
        nonlocal trial, chosen
        trial += 1
        chosen = int(np.argmax(score()))
        return chosen

    def observe(outcome: int) -> None:
        alpha[chosen] += outcome
        beta[chosen] += 1 - outcome

    return decide, observe


def measure(loops: dict[str, Loop | None], arms: int, rounds: int) -> list[str]:
    """A cell per program: the median of the rounds, in microseconds."""
    times: dict[str, list[float]] = {name: [] for name in loops}
    for _ in range(rounds):
        for name, loop in loops.items():
            if loop is not None:
                times[name].append(1e6 * seconds(*loop, arms, DECISIONS))
    return [f"{statistics.median(each):.1f}" if each else "-" for each in times.values()]


def decisions(rounds: int) -> None:
    programs = ["armwise", "pymab", "mabwiser", "NumPy", "interpreted"]
    print(row("policy", "arms", *programs))
    for arms, (label, policy) in itertools.product(ARMS, POLICIES.items()):
        agent = aw.Agent(policy)
        loops = {
            "armwise": of_player(agent.start(range(arms), seed=1, compile=True)),
            "pymab": of_pymab(label, arms),
            "mabwiser": of_mabwiser(label, arms),
            "NumPy": of_numpy(label, arms),
            "interpreted": of_player(agent.start(range(arms), seed=1, compile=False)),
        }
        print(row(label, arms, *measure(loops, arms, rounds)), flush=True)
    for arms in (10, 40, 80):
        player = of_player(aw.Universal().start(range(arms), seed=1, compile=True))
        cells = measure({"armwise": player}, arms, rounds)
        print(row("universal", arms, *cells, "-", "-", "-", "-"), flush=True)


BEGIN = """
import time, armwise as aw
agent = {agent}
started = time.perf_counter()
player = agent.start(range(10), seed=1)
print(1e3 * (time.perf_counter() - started))
player.save({path!r})
started = time.perf_counter()
aw.load_player({path!r})
print(1e3 * (time.perf_counter() - started))
"""


def beginnings(rounds: int) -> None:
    """Milliseconds until a player is there in a new process, after `import armwise`."""
    print(f"\n{'milliseconds':14}{'start':>9}{'load':>9}")
    agents = {
        "A-AI": "aw.Agent(aw.ApproximateActiveInference())",
        "TS": "aw.Agent(aw.ThompsonSampling())",
        "universal": "aw.Universal()",
    }
    with tempfile.TemporaryDirectory() as folder:
        for label, agent in agents.items():
            code = BEGIN.format(agent=agent, path=f"{folder}/state.json")
            found = []
            for _ in range(rounds):
                done = subprocess.run(
                    [sys.executable, "-c", code], capture_output=True, text=True, check=True
                )
                found.append([float(line) for line in done.stdout.split()])
            start, load = (statistics.median(column) for column in zip(*found, strict=True))
            print(f"{label:14}{start:9.1f}{load:9.1f}")


def row(policy: str, arms: object, *cells: str) -> str:
    return f"{policy:11}{arms:>5}" + "".join(f"{cell:>13}" for cell in cells)


def main() -> None:
    started = time.perf_counter()
    rounds = 3 if "--quick" in sys.argv[1:] else ROUNDS
    print("Microseconds per decision with its outcome")
    decisions(rounds)
    beginnings(rounds)
    print(f"\n{time.perf_counter() - started:.0f} seconds, {rounds} rounds")


if __name__ == "__main__":
    main()
