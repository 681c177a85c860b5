"""armwise itself, as a user calls it: the whole of `simulate`, labelled results included."""

import functools
from collections.abc import Callable
from typing import Any

import armwise as aw
from rivals.cell import EPSILON, Cell, Finding, P, timed
from rivals.decisions import seconds

THREADS = 2


def policy_of(cell: Cell) -> aw.Policy:
    return {
        "A-AI": aw.ApproximateActiveInference(lam=cell.lam),
        "G-AI": aw.ExactActiveInference(lam=cell.lam),
        "UCB": aw.UCB(),
        "RC": aw.RandomChoice(),
        "TS": aw.ThompsonSampling(),
        "O-TS": aw.OptimisticThompsonSampling(),
        "B-UCB": aw.BayesianUCB(),
    }[cell.policy]


@functools.cache
def program(cell: Cell) -> Callable[[int], Any]:
    bandit: aw.Bandit = aw.StationaryBandit(arms=cell.arms, epsilon=EPSILON, p=P)
    if cell.rho > 0:
        bandit = aw.SwitchingBandit(arms=cell.arms, epsilon=EPSILON, p=P, rho=cell.rho)
    agent = aw.Agent(policy_of(cell), aw.Smile(rho=cell.rho))

    def play(seed: int, agents: int = cell.agents, horizon: int = cell.horizon) -> Any:
        result = aw.simulate(
            bandit, agent, horizon, agents, seed, checkpoints=[horizon], threads=THREADS
        )
        return result.regret.values[:, -1]

    play(0, agents=2, horizon=1)  # compiles
    return play


def prepare(cell: Cell) -> None:
    program(cell)


def run(cell: Cell, seed: int) -> Finding:
    return timed(program(cell), seed)


def loop(cell: Cell) -> float:
    """Seconds per decision of one online player, called from Python."""
    player = aw.Agent(policy_of(cell), aw.Smile()).start(range(cell.arms), seed=1, compile=True)
    ticket = player.choose()
    player.observe(ticket, 0)

    def decide() -> int:
        nonlocal ticket
        ticket = player.choose()
        return ticket.arm

    def observe(outcome: int) -> None:
        player.observe(ticket, outcome)

    return seconds(decide, observe, cell.arms, cell.horizon)
