"""The expected outcome and nothing else, for normal beliefs."""

from typing import Any

from armwise.model.draws import Stream
from armwise.model.forms import NORMAL
from armwise.model.roles import Policy


class NormalMean(Policy):
    """The mean of a normal belief: with a softmax, what Daw and colleagues fitted best."""

    label = "N-mean"
    equation = "m"
    reference = "Daw et al. 2006"
    beliefs = NORMAL

    def score(self, shared: Any, arm: int, mean: float, variance: float, rng: Stream) -> float:
        """The mean."""
        return mean
