"""A-AI with a constant precision: how often it leaves the best arm for good, and what it costs.

With c = 1 / (4 lam), A-AI chooses argmax mu + c / nu. An agent is stuck if it chooses the best arm
finitely often.
"""

import math
from collections.abc import Iterable

from armwise.analysis.theory.constants import problem_of
from armwise.analysis.theory.lemmas import lundberg_rate
from armwise.errors import InputError, real_number, whole_number


def ruin_rate(epsilon: float) -> float:
    """The rate r at which the probability of being stuck decreases with c.

    r = 2 ln((1 + 2 epsilon) / (1 - 2 epsilon))

    >>> round(ruin_rate(0.1), 6)
    0.81093
    """
    epsilon = real_number("epsilon", epsilon, 0.0, 0.5, "()")
    return 2.0 * math.log((1.0 + 2.0 * epsilon) / (1.0 - 2.0 * epsilon))


def fall(lam: float) -> int:
    """How far failures must lead over successes, so that an index is below 1/2.

    floor(1 / (2 lam)) + 1

    >>> fall(0.1), fall(0.2)
    (6, 3)
    """
    lam = real_number("lam", lam, 0.0, math.inf, "()")
    # Rounding must not push 1 / (2 * 0.1) below 5.
    steps = min(1.0 / (2.0 * lam), 1e300)
    return math.floor(steps + 1e-9) + 1


def rivalry(epsilon: float, arms: int) -> float:
    """The part of agents with an unlucky best arm that stay away from it, about (K - 1) / K.

    The others are lured back, because all other arms do as badly. (K - 1) / (K - 1 + r / (8
    epsilon)), an approximation for large c.

    >>> [round(rivalry(0.1, arms), 3) for arms in (2, 10)]
    [0.497, 0.899]
    """
    rivals = whole_number("arms", arms, 2) - 1.0
    return rivals / (rivals + ruin_rate(epsilon) / (8.0 * epsilon))


def stuck_fraction(lam: float, epsilon: float, arms: int) -> float:
    """The approximate fraction of A-AI agents that leave the best arm for good.

    The best arm pays 1/2 + epsilon, all others 1/2. The probability that the best arm's index ever
    falls below 1/2, which is exact, times the part of agents that then stay away (`rivalry`).

    ((1 - 2 epsilon) / (1 + 2 epsilon))^m (K - 1) / (K - 1 + r / (8 epsilon)),
    m = floor(1 / (2 lam)) + 1

    >>> [round(stuck_fraction(0.1, epsilon, arms=10), 3) for epsilon in (0.05, 0.1, 0.2)]
    [0.27, 0.079, 0.006]
    >>> round(stuck_fraction(0.1, 0.1, arms=2), 3)
    0.044
    """
    return math.exp(-0.5 * ruin_rate(epsilon) * fall(lam)) * rivalry(epsilon, arms)


def stuck_limits(thetas: Iterable[float], lam: float) -> tuple[float, float]:
    """Proved limits of the probability that A-AI leaves its one best arm for good, Theorem 6.

    The lower limit is 0 where nothing is proved: for 1 / (4 lam) < 3, or poor second arms.

    >>> [float(f"{limit:.2g}") for limit in stuck_limits([0.6] + 9 * [0.5], lam=0.05)]
    [1.6e-07, 0.012]
    """
    problem = problem_of(thetas)
    if len(problem.others) + 1 < problem.arms:
        raise InputError("thetas must have one best arm, not several.")
    steps, lam = fall(lam), float(lam)
    c, best, second = 1.0 / (4.0 * lam), problem.best, max(problem.others)
    rate = lundberg_rate(best, second)
    high = math.exp(-rate * (0.5 * steps if second == 0.5 else max(0.0, c - 2.0 * second + 1.0)))
    if c < 3.0 or second * c <= 1.0:
        return 0.0, high
    level = second - 1.0 / c
    low = math.exp(-lundberg_rate(best, level) * (c + 1.0 - level))
    return -math.expm1(-16.0 / 3.0) * low, high


def expected_regret(lam: float, arms: int, epsilon: float, horizon: float) -> float:
    """The approximate regret of A-AI: the cost of the other arms plus the cost of being stuck.

    (K - 1) / (4 lam) + epsilon T exp(-r / (4 lam)) (K - 1) / (K - 1 + r / (8 epsilon))

    >>> round(expected_regret(0.1, arms=10, epsilon=0.1, horizon=10_000))
    141
    """
    lam = real_number("lam", lam, 0.0, math.inf, "()")
    arms, horizon = whole_number("arms", arms, 2), real_number("horizon", horizon, 0.0)
    c, r = 1.0 / (4.0 * lam), ruin_rate(epsilon)
    return (arms - 1) * c + epsilon * horizon * math.exp(-r * c) * rivalry(epsilon, arms)


def best_lam(arms: int, epsilon: float, horizon: float) -> float:
    """The best precision for a gap, a horizon and a number of arms, by `expected_regret`.

    It is r / (4 ln(r epsilon T / (K - 1 + r / (8 epsilon)))), or infinite if no exploration pays.

    >>> round(best_lam(arms=10, epsilon=0.1, horizon=10_000), 4)
    0.0461
    """
    arms, horizon = whole_number("arms", arms, 2), real_number("horizon", horizon, 0.0)
    r = ruin_rate(epsilon)
    stake = r * epsilon * horizon * rivalry(epsilon, arms) / (arms - 1)
    return r / (4.0 * math.log(stake)) if stake > 1.0 else math.inf
