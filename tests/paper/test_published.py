"""Figure 4 of the paper (K = 10), as its authors published it, within five standard errors.

The authors charged regret against the state after the trial's transition. For the switching bandit
of fixed difficulty this is exactly (1 - r) * regret + r * RC, with r = rho K / (K - 1).
"""

import csv
import math
from pathlib import Path

import pytest
import scipy.stats

import armwise as aw

HORIZON = 5_000
CHECKPOINTS = [1_000, 2_500, 5_000]
PUBLISHED_AGENTS = 1_000
POLICIES = {
    "A-AI": (aw.ApproximateActiveInference(lam=0.5), 1_000),
    "O-TS": (aw.OptimisticThompsonSampling(), 1_000),
    "B-UCB": (aw.BayesianUCB(), 300),  # the slowest: fewer agents, a larger standard error
}
ROWS = list(csv.DictReader((Path(__file__).parent / "data" / "figure4.csv").open()))


def simulated(policy, rho):
    """Mean and standard error of the regret rate at the checkpoints, charged as published."""
    bandit = aw.SwitchingBandit(arms=10, epsilon=0.1, rho=rho)
    chosen, agents = POLICIES[policy]
    agent = aw.Agent(chosen, aw.Smile(rho=rho))
    result = aw.simulate(bandit, agent, HORIZON, agents, seed=1, checkpoints=CHECKPOINTS)
    rate = result.regret.values / result.trial.values
    r = rho * 10 / 9
    charged = (1 - r) * rate + r * bandit.random_rate()
    error = charged.std(axis=0, ddof=1) / math.sqrt(agents)
    return dict(zip(CHECKPOINTS, zip(charged.mean(axis=0), error, strict=True), strict=True))


def test_the_data_hold_every_policy_rho_and_checkpoint():
    found = {(row["policy"], float(row["rho"]), int(row["trial"])) for row in ROWS}
    expected = {(p, rho, t) for p in POLICIES for rho in (0.01, 0.02, 0.04) for t in CHECKPOINTS}
    assert found == expected
    assert len(ROWS) == 27
    assert {row["lam"] for row in ROWS if row["policy"] == "A-AI"} == {"0.5"}


@pytest.mark.parametrize("rho", [0.01, 0.02, 0.04])
def test_figure_4_is_reproduced(rho):
    found = {policy: simulated(policy, rho) for policy in POLICIES}
    for row in (row for row in ROWS if float(row["rho"]) == rho):
        rate, error = found[row["policy"]][int(row["trial"])]
        half_width = (float(row["high"]) - float(row["low"])) / 2
        published_error = half_width / scipy.stats.t.ppf(0.975, PUBLISHED_AGENTS - 1)
        distance = abs(rate - float(row["value"]))
        assert distance < 5 * math.hypot(error, published_error), row

    # Five standard errors of A-AI do not reach O-TS: a swapped policy would be noticed.
    (active, error), (sampling, other_error) = (found[p][HORIZON] for p in ("A-AI", "O-TS"))
    assert sampling - active > 5 * math.hypot(error, other_error)
