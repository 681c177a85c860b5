"""Means in units of the total uncertainty: random exploration as in Thompson sampling."""

import math
from typing import Any

from armwise.model.draws import Stream
from armwise.model.roles import Assumed, Policy

_LEAST = 1e-12  # of the total uncertainty, so that certain beliefs have scores


def variance(alpha: float, beta: float) -> float:
    """The variance of a Beta distribution.

    >>> variance(1.0, 1.0) == 1 / 12
    True
    """
    nu = alpha + beta
    return alpha * beta / (nu * nu * (nu + 1.0))


class TotalUncertainty(Policy):
    """The mean over the root of the summed variances of all arms: uncertainty makes choices random.

    Thompson sampling with two normal beliefs is a probit of the difference of these scores; a
    softmax of them comes close.
    """

    label = "total-sd"
    equation = "mu / sqrt(sum_j sd[j]^2)"
    reference = "Gershman 2018"

    def prepare(self, trial: int, arms: int, assumed: Assumed, rng: Stream) -> Any:
        """Nothing has been summed."""
        return 0.0

    def gather(self, shared: Any, arm: int, alpha: float, beta: float) -> Any:
        """Add the variance of this arm."""
        return shared + variance(alpha, beta)

    def conclude(self, shared: Any, arms: int) -> Any:
        """The total uncertainty."""
        return max(math.sqrt(shared), _LEAST)

    def score(self, shared: Any, arm: int, alpha: float, beta: float, rng: Stream) -> float:
        """The mean in units of the total uncertainty."""
        return alpha / (alpha + beta) / shared
