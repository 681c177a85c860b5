"""Thompson sampling with normal beliefs."""

import math
from typing import Any

from armwise.model.draws import Stream, normal
from armwise.model.forms import NORMAL
from armwise.model.roles import Policy


class NormalThompsonSampling(Policy):
    """A draw of the mean outcome from a normal belief; the agent acts as if it were true.

    With two arms the choice is a probit of the difference of the means over the root of the summed
    variances.
    """

    label = "N-TS"
    equation = "theta ~ N(m, v)"
    reference = "Thompson 1933; Speekenbrink and Konstantinidis 2015; Gershman 2018"
    beliefs = NORMAL
    stochastic = True

    def score(self, shared: Any, arm: int, mean: float, variance: float, rng: Stream) -> float:
        """A draw."""
        return mean + math.sqrt(variance) * normal(rng, 0)

    def normal_draw(self, shared: Any, mean: float, variance: float) -> tuple[float, float]:
        """The belief itself."""
        return mean, math.sqrt(variance)
