"""Microseconds per online decision with ten arms: python benchmarks/player.py

Outcomes come from a Bernoulli bandit with one good arm. The batches are short, so that the best one
shows what a decision costs and the median what else the machine was doing.
"""

import random
import statistics
import time

import armwise as aw
from armwise.play.player import Player

ARMS = 10
WARM_UP = 300
BATCHES = 60
BATCH = 50


def batch(player: Player, bandit: random.Random) -> tuple[float, float]:
    """Mean seconds of a choice and of an observation."""
    choosing = observing = 0.0
    for _ in range(BATCH):
        started = time.perf_counter()
        ticket = player.choose()
        chosen = time.perf_counter()
        outcome = bandit.random() < (0.8 if ticket.arm == 3 else 0.4)
        asked = time.perf_counter()
        player.observe(ticket, outcome)
        observing += time.perf_counter() - asked
        choosing += chosen - started
    return choosing / BATCH, observing / BATCH


def measure(agent: aw.Agent) -> tuple[float, float, float]:
    """Microseconds of the best choice, the best observation, and the median of both together."""
    player, bandit = agent.start(range(ARMS), seed=1), random.Random(1)
    for _ in range(WARM_UP // BATCH):
        batch(player, bandit)
    times = [batch(player, bandit) for _ in range(BATCHES)]
    choose, observe = (min(column) for column in zip(*times, strict=True))
    both = statistics.median(sum(pair) for pair in times)
    return 1e6 * choose, 1e6 * observe, 1e6 * both


def main() -> None:
    policies = [
        aw.ApproximateActiveInference(),
        aw.UCB(),
        aw.RandomChoice(),
        aw.ExactActiveInference(),
        aw.ThompsonSampling(),
        aw.OptimisticThompsonSampling(),
        aw.BayesianUCB(),
    ]
    print(f"{'microseconds':14}{'choose':>9}{'observe':>9}{'both':>9}{'median':>9}")
    for policy in policies:
        choose, observe, median = measure(aw.Agent(policy, aw.Smile(rho=0.01)))
        both = choose + observe
        print(f"{policy.label:14}{choose:9.1f}{observe:9.1f}{both:9.1f}{median:9.1f}")


if __name__ == "__main__":
    main()
