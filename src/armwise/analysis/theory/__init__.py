"""What is proved about active inference in stationary bandits, as numbers: docs/theory.md."""

from armwise.analysis.theory.bounds import capped_bound, regret_bound, schedule_bound
from armwise.analysis.theory.constants import (
    decay_exponent,
    lai_robbins,
    price_of_one_precision,
    schedule_regret,
)
from armwise.analysis.theory.lemmas import (
    low_index_chance,
    lundberg_rate,
    pulls_below_bonus,
    pulls_below_evidence,
    unlucky_price,
    wrong_leader_trials,
)
from armwise.analysis.theory.stuck import (
    best_lam,
    expected_regret,
    ruin_rate,
    stuck_fraction,
    stuck_limits,
)

__all__ = [
    "best_lam",
    "capped_bound",
    "decay_exponent",
    "expected_regret",
    "lai_robbins",
    "low_index_chance",
    "lundberg_rate",
    "price_of_one_precision",
    "pulls_below_bonus",
    "pulls_below_evidence",
    "regret_bound",
    "ruin_rate",
    "schedule_bound",
    "schedule_regret",
    "stuck_fraction",
    "stuck_limits",
    "unlucky_price",
    "wrong_leader_trials",
]
