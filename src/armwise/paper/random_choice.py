"""The regret rate of random choice in the bandits of the paper: the unit of its claims."""

import functools

from armwise.bandits import SwitchingBandit, VaryingBandit


@functools.cache
def random_rate(arms: int, epsilon: float | None = None) -> float:
    """The regret rate of random choice in a bandit with epsilon, or else in the varying bandit.

    >>> random_rate(10, 0.1), round(random_rate(10), 3)
    (0.09, 0.409)
    """
    bandit = VaryingBandit(arms) if epsilon is None else SwitchingBandit(arms, epsilon)
    return bandit.random_rate()
