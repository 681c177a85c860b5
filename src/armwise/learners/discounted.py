"""Discounted counts: what is past weighs less, trial by trial."""

from typing import Any

from armwise.learners.smile import relaxed_and_counted
from armwise.model.component import parameter
from armwise.model.roles import Assumed, Learner


class Discounted(Learner):
    """Every count is multiplied by the discount in every trial, then the outcome is counted.

    With Thompson sampling it is discounted TS, with UCB the discounted UCB.
    """

    label = "discounted"
    equation = "alpha[k] <- alpha0 + discount (alpha[k] - alpha0) + [k = a] o; beta alike"
    reference = "Garivier and Moulines 2011; Raj and Kalyani 2017"

    discount: float = parameter(
        default=0.95, low=0, high=1, meaning="what is left of a count after a trial"
    )
    alpha0: float = parameter(default=1.0, low=1e-3, high=1e6, meaning="prior successes of an arm")
    beta0: float = parameter(default=1.0, low=1e-3, high=1e6, meaning="prior failures of an arm")

    def assume(self, memory: Any) -> Assumed:
        """Nothing but the prior: forgetting is all that it knows of changes."""
        return Assumed(0.0, self.alpha0, self.beta0)

    def touches_all_arms(self, gamma: float) -> bool:
        """Unless nothing is forgotten."""
        return gamma != 0.0

    def change(self, memory: Any, arm: int, outcome: int, alpha: float, beta: float) -> float:
        """What is lost of a count, which is always the same."""
        return 1.0 - self.discount

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
        """Relax toward the prior, then count."""
        return relaxed_and_counted(gamma, self.alpha0, self.beta0, chosen, outcome, alpha, beta)
