"""The mean plus standard deviations of a normal belief: upper confidence bounds."""

import math
from typing import Any

from armwise.model.component import parameter
from armwise.model.draws import Stream
from armwise.model.forms import NORMAL
from armwise.model.roles import Policy


class NormalDeviationBonus(Policy):
    """The mean plus some standard deviations of a normal belief (directed exploration, UCB)."""

    label = "N-sd-bonus"
    equation = "m + bonus sqrt(v)"
    reference = "Speekenbrink and Konstantinidis 2015; Gershman 2018"
    beliefs = NORMAL
    term_names = ("deviation",)

    bonus: float = parameter(
        default=1.0,
        slider=(-2, 4),
        typical=(-1, 3),
        meaning="standard deviations that are added; any sign",
    )

    def score(self, shared: Any, arm: int, mean: float, variance: float, rng: Stream) -> float:
        """Mean and deviations."""
        return mean + self.bonus * math.sqrt(variance)

    def terms(self, shared: Any, mean: float, variance: float) -> tuple[float, ...]:
        """The standard deviation of the belief."""
        return (math.sqrt(variance),)
