"""Bounds of a quantile without computing it: bounds of a tail are bounds of the score."""

from typing import Any

from armwise.engine.definition import belief, floor, probability
from armwise.numerics.beta_tails import beta_odds_against, beta_sf_below
from armwise.numerics.hook import hook


@hook
def upper_tail(policy: Any, shared: Any) -> float:
    """The probability of the upper tail, for a policy that gives that of the lower tail."""
    return 1.0 - probability(policy, shared)


def upper_tail_stated(policy: Any, shared: Any) -> float:
    """The probability of the upper tail, for a policy that gives it directly."""
    return probability(policy, shared)


def surely_below(
    policy: Any, shared: Any, alpha: float, beta: float, level: float, tail: float
) -> bool:
    """Whether the score with this upper tail is below the level, without computing a quantile."""
    if floor(policy, shared, alpha, beta) >= level:
        return False
    a, b = belief(policy, shared, alpha, beta)
    return beta_sf_below(tail, level, a, b)


def odds_against(policy: Any, shared: Any, alpha: float, beta: float, level: float) -> float:
    """A lower bound of 1 / P(score >= level): the score is below it if (1 - luck) * odds > 1."""
    a, b = belief(policy, shared, alpha, beta)
    odds = beta_odds_against(level, a, b)
    return odds if floor(policy, shared, alpha, beta) < level else 1.0
