"""Random choice (RC): the bound that every policy should beat."""

from typing import Any

from armwise.model.draws import Stream
from armwise.model.roles import Policy


class RandomChoice(Policy):
    """Every arm ties with every other, in every trial."""

    label = "RC"
    equation = "a ~ uniform"
    reference = "section Evaluating performance in bandit problems"

    def score(self, shared: Any, arm: int, alpha: float, beta: float, rng: Stream) -> float:
        """The same for all arms."""
        return 0.0
