"""The mean plus standard deviations of the belief: UCB as people are fitted with it."""

import math
from typing import Any

from armwise.model.component import parameter
from armwise.model.draws import Stream
from armwise.model.roles import Policy
from armwise.policies.total_uncertainty import variance


class DeviationBonus(Policy):
    """The mean plus some standard deviations of the belief (directed exploration)."""

    label = "sd-bonus"
    equation = "mu + bonus sd"
    reference = "Gershman 2018"
    term_names = ("deviation",)

    bonus: float = parameter(
        default=0.5,
        slider=(-2, 4),
        typical=(-1, 2),
        meaning="standard deviations that are added; any sign",
    )

    def score(self, shared: Any, arm: int, alpha: float, beta: float, rng: Stream) -> float:
        """Mean and deviations."""
        return alpha / (alpha + beta) + self.bonus * math.sqrt(variance(alpha, beta))

    def terms(self, shared: Any, alpha: float, beta: float) -> tuple[float, ...]:
        """The standard deviation of the belief."""
        return (math.sqrt(variance(alpha, beta)),)
