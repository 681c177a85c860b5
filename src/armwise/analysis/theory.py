"""What A-AI does in the long run of a stationary world with p = 1/2, in closed form.

With c = 1 / (4 lam), A-AI chooses argmax mu + c / nu and leaves an arm for good once
nu (mu_lead - mu) > c. The best arm's successes less its failures walk on a lattice, and gambler's
ruin tells how often that walk leaves for good: an approximation, which takes the leader's mean for
1/2 and the horizon for infinite. New here; `benchmarks/theory.py` compares it with simulations.
"""

import math

from armwise.errors import real_number, whole_number


def ruin_rate(epsilon: float) -> float:
    """R = 2 ln((1 + 2 epsilon) / (1 - 2 epsilon)): how fast being stuck gets unlikely with c.

    >>> round(ruin_rate(0.1), 6)
    0.81093
    """
    epsilon = real_number("epsilon", epsilon, 0.0, 0.5, "()")
    return 2.0 * math.log((1.0 + 2.0 * epsilon) / (1.0 - 2.0 * epsilon))


def stuck_fraction(lam: float, epsilon: float) -> float:
    """The part of A-AI agents that leave the best arm for good, whatever the number of arms.

    ((1 - 2 epsilon) / (1 + 2 epsilon))^m, m = floor(1 / (2 lam)) + 1

    >>> [round(stuck_fraction(0.1, epsilon), 3) for epsilon in (0.05, 0.1, 0.2)]
    [0.3, 0.088, 0.006]
    """
    lam = real_number("lam", lam, 0.0, math.inf, "()")
    # 1 / (2 * 0.1) is 5 and not less, whatever the rounding.
    steps = math.floor(1.0 / (2.0 * lam) + 1e-9) + 1
    return math.exp(-0.5 * ruin_rate(epsilon) * steps)


def expected_regret(lam: float, arms: int, epsilon: float, horizon: float) -> float:
    """About the regret of A-AI: what the other arms cost, and what being stuck does.

    (K - 1) / (4 lam) + epsilon T exp(-r / (4 lam))

    >>> round(expected_regret(0.1, arms=10, epsilon=0.1, horizon=10_000))
    154
    """
    lam = real_number("lam", lam, 0.0, math.inf, "()")
    arms, horizon = whole_number("arms", arms, 2), real_number("horizon", horizon, 0.0)
    c = 1.0 / (4.0 * lam)
    return (arms - 1) * c + epsilon * horizon * math.exp(-ruin_rate(epsilon) * c)


def best_lam(arms: int, epsilon: float, horizon: float) -> float:
    """The precision that suits a gap, a horizon and a number of arms best.

    lam* = r / (4 ln(r epsilon T / (K - 1))); infinite where no exploration pays.

    >>> round(best_lam(arms=10, epsilon=0.1, horizon=10_000), 4)
    0.045
    """
    arms, horizon = whole_number("arms", arms, 2), real_number("horizon", horizon, 0.0)
    r = ruin_rate(epsilon)
    stake = r * epsilon * horizon / (arms - 1)
    return r / (4.0 * math.log(stake)) if stake > 1.0 else math.inf
