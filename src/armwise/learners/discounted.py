"""Discounted counts: past outcomes weigh less with every trial."""

from dataclasses import InitVar
from typing import Any

from armwise.learners.smile import relaxed_and_counted
from armwise.model.component import parameter
from armwise.model.roles import Assumed, Learner


class Discounted(Learner):
    """Every count is multiplied by the discount in every trial, then the outcome is counted.

    With Thompson sampling this is discounted TS, with UCB it is discounted UCB.
    """

    label = "discounted"
    equation = "alpha[k] <- alpha0 + discount (alpha[k] - alpha0) + [k = a] o; beta likewise"
    reference = "Garivier and Moulines 2011; Raj and Kalyani 2017"

    discount: float = parameter(
        default=0.95,
        low=0,
        high=1,
        typical=(0.6, 0.99),
        meaning="fraction of a count that is left after a trial",
    )
    alpha0: float = parameter(default=1.0, low=1e-3, high=1e6, meaning="prior successes of an arm")
    beta0: float = parameter(default=1.0, low=1e-3, high=1e6, meaning="prior failures of an arm")
    prior: InitVar[tuple[float, float] | None] = None  # mean and weight, for alpha0 and beta0

    def assume(self, memory: Any) -> Assumed:
        """Only the prior: it forgets instead of assuming a change probability."""
        return Assumed(0.0, self.alpha0, self.beta0)

    def touches_all_arms(self, gamma: float) -> bool:
        """True unless nothing is forgotten."""
        return gamma != 0.0

    def change(self, memory: Any, arm: int, outcome: int, alpha: float, beta: float) -> float:
        """The fraction of a count that is lost, the same in every trial."""
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

    def update_shown(
        self, memory: Any, gamma: float, arm: int, outcome: int, alpha: float, beta: float
    ) -> tuple[float, float]:
        """Count an outcome that was shown like one of the arm's own."""
        return relaxed_and_counted(gamma, self.alpha0, self.beta0, True, outcome, alpha, beta)
