"""Means in units of the total uncertainty of normal beliefs: random exploration."""

import math
from typing import Any

from armwise.model.draws import Stream
from armwise.model.forms import NORMAL
from armwise.model.roles import Assumed, Policy

_LEAST = 1e-12  # of the total uncertainty, so that certain beliefs have scores


class NormalTotalUncertainty(Policy):
    """The mean over the root of the summed variances of all arms: uncertainty makes choices random.

    Thompson sampling with two arms is a probit of the difference of these scores; a softmax of them
    comes close.
    """

    label = "N-total-sd"
    equation = "m / sqrt(sum_j v[j])"
    reference = "Gershman 2018"
    beliefs = NORMAL

    def prepare(self, trial: int, arms: int, assumed: Assumed, rng: Stream) -> Any:
        """Nothing has been summed."""
        return 0.0

    def gather(self, shared: Any, arm: int, mean: float, variance: float) -> Any:
        """Add the variance of this arm."""
        return shared + variance

    def conclude(self, shared: Any, arms: int) -> Any:
        """The total uncertainty."""
        return max(math.sqrt(shared), _LEAST)

    def score(self, shared: Any, arm: int, mean: float, variance: float, rng: Stream) -> float:
        """The mean in units of the total uncertainty."""
        return mean / shared
