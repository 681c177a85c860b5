"""Mirrored learning: an outcome of one arm speaks against the others."""

from typing import Any

from armwise.learners.rescorla_wagner import as_belief
from armwise.model.component import parameter
from armwise.model.roles import Assumed, Learner


class Mirrored(Learner):
    """Rescorla-Wagner that also moves the arms not chosen, toward the opposite outcome.

    For two arms of which one is good while the other is bad, as in reversal learning.
    """

    label = "mirrored"
    equation = "q[a] <- q[a] + rate (o - q[a]); others: q <- q + mirror (1 - o - q)"
    reference = "Hampton et al. 2006; Glaescher et al. 2009"

    rate: float = parameter(
        default=0.3,
        slider=(0, 1),
        low=0,
        high=1,
        typical=(0.05, 0.8),
        meaning="learning rate of the chosen arm",
    )
    mirror: float = parameter(
        default=0.3,
        slider=(0, 1),
        low=0,
        high=1,
        typical=(0.02, 0.8),
        meaning="learning rate of the others",
    )
    start: float = parameter(
        default=0.5,
        slider=(0.01, 0.99),
        low=1e-6,
        high=1 - 1e-6,
        typical=(0.2, 0.8),
        meaning="first value of an arm",
    )

    def assume(self, memory: Any) -> Assumed:
        """Only the first value: it assumes no change probability."""
        return Assumed(0.0, self.start, 1.0 - self.start)

    def touches_all_arms(self, gamma: float) -> bool:
        """True unless the others learn nothing."""
        return gamma != 0.0

    def change(self, memory: Any, arm: int, outcome: int, alpha: float, beta: float) -> float:
        """The rate of the others, the same in every trial."""
        return self.mirror

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
        """Move toward the outcome, or toward its opposite."""
        toward = float(outcome if chosen else 1 - outcome)
        return as_belief(alpha + (self.rate if chosen else gamma) * (toward - alpha))
