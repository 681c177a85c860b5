"""Only the last outcome counts: win-stay lose-shift, with noise from the choice rule."""

from typing import Any

from armwise.learners.rescorla_wagner import as_belief
from armwise.model.component import parameter
from armwise.model.roles import Assumed, Learner


class LastOutcome(Learner):
    """The arm chosen last has the value of its outcome, 0 or 1; all others have the same value.

    With `MeanOutcome` and a softmax this is noisy win-stay lose-shift: it stays after a success and
    leaves after a failure, each with a probability that follows from `others` and the precision.
    """

    label = "WSLS"
    equation = "q[a] = o; others: q = others"
    reference = "Robbins 1952; Worthy et al. 2013"

    others: float = parameter(
        default=0.5,
        slider=(0.01, 0.99),
        low=1e-6,
        high=1 - 1e-6,
        typical=(0.1, 0.9),
        meaning="value of an arm that was not chosen last",
    )

    def assume(self, memory: Any) -> Assumed:
        """Only the value of the others."""
        return Assumed(0.0, self.others, 1.0 - self.others)

    def change(self, memory: Any, arm: int, outcome: int, alpha: float, beta: float) -> float:
        """Everything before is forgotten."""
        return 1.0

    def update(
        self,
        memory: Any,
        gamma: float,
        arm: int,
        chosen: bool,
        outcome: int,
        alpha: float,
        beta: float,
    ) -> tuple[float, float]:
        """The outcome, or the value of the others."""
        return as_belief(float(outcome) if chosen else self.others)
