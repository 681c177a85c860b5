"""What a learner takes for granted and a policy may read."""

from typing import NamedTuple


class Assumed(NamedTuple):
    """The assumptions of a learner that a policy may read."""

    rho: float  # probability that the bandit changes in a trial
    alpha0: float  # the belief about an arm after a change: Be(alpha0, beta0)
    beta0: float


def predictive(rho: float, mu: float, mu0: float) -> float:
    """The mean after a change with probability rho: mu~ = mu + rho (mu0 - mu), Eq. marginal.

    >>> predictive(0.5, 0.75, 0.25)
    0.5
    """
    return mu + rho * (mu0 - mu)
