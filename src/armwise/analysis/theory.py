"""The long-run behaviour of A-AI in a stationary bandit with p = 1/2, in closed form.

With c = 1 / (4 lam), A-AI chooses argmax mu + c / nu and leaves an arm for good once
nu (mu_lead - mu) > c. The best arm's successes minus its failures are a random walk, and gambler's
ruin gives the probability that A-AI leaves the arm for good. This is an approximation, with 1/2 as
the leader's mean and an infinite horizon. New in armwise; `benchmarks/theory.py` compares it with
simulations.
"""

import math

from armwise.errors import real_number, whole_number


def ruin_rate(epsilon: float) -> float:
    """The rate r at which the probability of being stuck decreases with c.

    r = 2 ln((1 + 2 epsilon) / (1 - 2 epsilon))

    >>> round(ruin_rate(0.1), 6)
    0.81093
    """
    epsilon = real_number("epsilon", epsilon, 0.0, 0.5, "()")
    return 2.0 * math.log((1.0 + 2.0 * epsilon) / (1.0 - 2.0 * epsilon))


def stuck_fraction(lam: float, epsilon: float) -> float:
    """The fraction of A-AI agents that leave the best arm for good, for any number of arms.

    ((1 - 2 epsilon) / (1 + 2 epsilon))^m, m = floor(1 / (2 lam)) + 1

    >>> [round(stuck_fraction(0.1, epsilon), 3) for epsilon in (0.05, 0.1, 0.2)]
    [0.3, 0.088, 0.006]
    """
    lam = real_number("lam", lam, 0.0, math.inf, "()")
    # Rounding must not push 1 / (2 * 0.1) below 5.
    steps = math.floor(1.0 / (2.0 * lam) + 1e-9) + 1
    return math.exp(-0.5 * ruin_rate(epsilon) * steps)


def expected_regret(lam: float, arms: int, epsilon: float, horizon: float) -> float:
    """The approximate regret of A-AI: the cost of the other arms plus the cost of being stuck.

    (K - 1) / (4 lam) + epsilon T exp(-r / (4 lam))

    >>> round(expected_regret(0.1, arms=10, epsilon=0.1, horizon=10_000))
    154
    """
    lam = real_number("lam", lam, 0.0, math.inf, "()")
    arms, horizon = whole_number("arms", arms, 2), real_number("horizon", horizon, 0.0)
    c, r = 1.0 / (4.0 * lam), ruin_rate(epsilon)
    return (arms - 1) * c + epsilon * horizon * math.exp(-r * c)


def best_lam(arms: int, epsilon: float, horizon: float) -> float:
    """The best precision for a gap, a horizon and a number of arms.

    It is r / (4 ln(r epsilon T / (K - 1))), or infinite if no exploration pays.

    >>> round(best_lam(arms=10, epsilon=0.1, horizon=10_000), 4)
    0.045
    """
    arms, horizon = whole_number("arms", arms, 2), real_number("horizon", horizon, 0.0)
    r = ruin_rate(epsilon)
    stake = r * epsilon * horizon / (arms - 1)
    return r / (4.0 * math.log(stake)) if stake > 1.0 else math.inf
