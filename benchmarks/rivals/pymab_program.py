"""pymab 2: its policies decision by decision, and its own experiments, which run in Rust.

It has no active inference and no switching bandit, so the stationary bandit and four policies are
left. Its UCB is UCB1 and its Bayesian UCB has a fixed quantile: same kind of work, other formulas.
"""

import time

import numpy as np
from pymab import BanditEnvironment, BernoulliReward, Experiment, ExperimentConfig
from pymab import policies as pymab_policies

from rivals.cell import Cell, Finding, of_regrets
from rivals.decisions import seconds, thetas

POLICIES = {
    "TS": pymab_policies.BernoulliThompsonSamplingPolicy,
    "UCB": pymab_policies.UCBPolicy,
    "B-UCB": pymab_policies.BernoulliBayesianUCBPolicy,
    "RC": pymab_policies.RandomPolicy,
}


def loop(cell: Cell) -> float:
    """Seconds per decision of one agent, called from Python."""
    policy, rng = POLICIES[cell.policy](n_arms=cell.arms), np.random.default_rng(1)
    chosen = 0

    def decide() -> int:
        nonlocal chosen
        chosen = policy.select_action(rng=rng)
        return chosen

    def observe(outcome: int) -> None:
        policy.update(action=chosen, reward=outcome)

    return seconds(decide, observe, cell.arms, cell.horizon)


def run(cell: Cell, seed: int) -> Finding:
    """An experiment with one replicate per agent."""
    experiment = Experiment(
        environment=BanditEnvironment(means=thetas(cell.arms), reward_model=BernoulliReward()),
        policies={"it": POLICIES[cell.policy](n_arms=cell.arms)},
        config=ExperimentConfig(horizon=cell.horizon, n_replicates=cell.agents, seed=seed),
    )
    started = time.perf_counter()
    result = experiment.run()
    took = time.perf_counter() - started
    return of_regrets(took, result.cumulative_regret_by_replicate[:, -1, 0])
