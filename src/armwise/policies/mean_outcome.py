"""The expected outcome and nothing else: what a delta rule is fitted with."""

from typing import Any

from armwise.model.draws import Stream
from armwise.model.roles import Policy


class MeanOutcome(Policy):
    """The mean of the belief: no exploration besides that of the choice rule."""

    label = "mean"
    equation = "mu"
    reference = "Sutton and Barto 2018, section 2.2"

    def score(self, shared: Any, arm: int, alpha: float, beta: float, rng: Stream) -> float:
        """The mean."""
        return alpha / (alpha + beta)
