"""What a quantile says without being computed: bounds of a tail are bounds of the score."""

from typing import Any

from armwise.engine.definition import belief, floor, probability
from armwise.numerics.beta_tails import beta_odds_against, beta_sf_below
from armwise.numerics.hook import hook


@hook
def upper_tail(policy: Any, shared: Any) -> float:
    """The probability of the upper tail, where the policy states that of the lower one."""
    return 1.0 - probability(policy, shared)


def upper_tail_stated(policy: Any, shared: Any) -> float:
    """The probability of the upper tail, where that is what the policy states."""
    return probability(policy, shared)


def surely_below(
    policy: Any, shared: Any, alpha: float, beta: float, level: float, tail: float
) -> bool:
    """Whether the score with this upper tail is below the level, without inverting anything."""
    if floor(policy, shared, alpha, beta) >= level:
        return False
    a, b = belief(policy, shared, alpha, beta)
    return beta_sf_below(tail, level, a, b)


def odds_against(policy: Any, shared: Any, alpha: float, beta: float, level: float) -> float:
    """At most 1 / P(score >= level): the score is below the level if (1 - luck) * odds > 1."""
    a, b = belief(policy, shared, alpha, beta)
    odds = beta_odds_against(level, a, b)
    return odds if floor(policy, shared, alpha, beta) < level else 1.0
