"""Policies of a user's own beside A-AI: the same speed, though they know no hint."""

import statistics
import sys
from pathlib import Path

import armwise as aw
from parts.table import Options, Table, number, spread

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))
from own_policy import RootBonus

GOAL = 1.1  # times A-AI's time, at most, for the same formula
AGENTS = 1_000


class Again(aw.Policy):
    """A-AI as a user would write it."""

    lam: float = aw.parameter(default=0.1, low=0, meaning="precision of the preferences")

    def score(self, shared, arm, alpha, beta, rng):
        return (2.0 * self.lam * alpha + 0.5) / (alpha + beta)


def measure(options: Options) -> list[Table]:
    rounds = 3 if options.quick else 7
    rows = []
    for arms in (10, 80):
        for bandit, learner in (
            (aw.StationaryBandit(arms=arms), aw.Smile()),
            (aw.SwitchingBandit(arms=arms, rho=0.01), aw.Smile(rho=0.01)),
        ):
            options.say(f"own policy: {bandit.label}, {arms} arms")
            agents = [aw.Agent(policy, learner) for policy in (A_AI, Again(), RootBonus(c=0.3))]
            times = [in_turn(bandit, agents, turn) for turn in range(rounds)]
            again = [own / ours for ours, own, _ in times]
            example = [own / ours for ours, _, own in times]
            medians = [
                number(1e9 * statistics.median(column)) for column in zip(*times, strict=True)
            ]
            judged = [part for ratios in (again, example) for part in (spread(ratios), met(ratios))]
            rows.append([bandit.label, str(arms), *medians, *judged])
    note = (
        "Nanoseconds per agent-trial of A-AI, of the same formula in a user's file, and of "
        "examples/own_policy.py, whose formula has a root and a division more. "
        f"{AGENTS} agents, two threads, median of {rounds} rounds. The goal: at most {GOAL:g} "
        "times as long as A-AI."
    )
    columns = [
        "bandit",
        ">arms",
        ">A-AI",
        ">again",
        ">example",
        ">again / A-AI [min–max]",
        "verdict",
        ">example / A-AI [min–max]",
        "verdict",
    ]
    return [Table("A policy of one's own", columns, rows, [note])]


A_AI = aw.ApproximateActiveInference(lam=0.1)


def in_turn(bandit: aw.Bandit, agents: list[aw.Agent], turn: int) -> list[float]:
    """Seconds of every agent; every second turn takes them in the other order."""
    order = range(len(agents))[:: 1 if turn % 2 == 0 else -1]
    found = {place: seconds(bandit, agents[place]) for place in order}
    return [found[place] for place in range(len(agents))]


def met(ratios: list[float]) -> str:
    return "met" if statistics.median(ratios) <= GOAL else "missed"


def seconds(bandit: aw.Bandit, agent: aw.Agent) -> float:
    """Per agent-trial, of the better of two runs."""
    trials = 20_000
    runs = [aw.simulate(bandit, agent, trials, AGENTS, checkpoints=[trials]) for _ in range(2)]
    return min(float(run.attrs["seconds"]) for run in runs) / trials / AGENTS
