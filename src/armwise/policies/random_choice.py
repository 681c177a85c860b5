"""Random choice (RC): the baseline that every policy should beat."""

from typing import Any

from armwise.model.draws import Stream
from armwise.model.forms import ANY
from armwise.model.roles import Policy


class RandomChoice(Policy):
    """All arms tie in every trial, so the choice is uniformly random."""

    label = "RC"
    equation = "a ~ uniform"
    beliefs = ANY
    reference = "section Evaluating performance in bandit problems"

    def score(self, shared: Any, arm: int, alpha: float, beta: float, rng: Stream) -> float:
        """Zero for all arms."""
        return 0.0
