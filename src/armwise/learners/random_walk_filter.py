"""A filter for arms whose logits drift as random walks with a known step."""

from dataclasses import InitVar
from typing import Any

from armwise.learners._logits import belief_of_logit, logit_of_belief, observed
from armwise.model.component import parameter
from armwise.model.roles import Assumed, Learner


class RandomWalkFilter(Learner):
    """The logit of every theta moves by N(0, drift) in every trial, observed or not.

    The belief about a logit is normal; an outcome moves it by one Newton step. It is the binary
    hierarchical Gaussian filter without its third level. For the belief as Be(alpha, beta), see
    `armwise.learners._logits`.
    """

    label = "walk"
    equation = (
        "v[k] <- v[k] + drift; for k = a: v <- 1 / (1 / v + s (1 - s)), m <- m + v (o - s), "
        "s = sigmoid(m); alpha = (1 + e^m) / v, beta = (1 + e^-m) / v"
    )
    reference = "Mathys et al. 2011, with constant volatility; Daunizeau et al. 2010"

    drift: float = parameter(
        default=0.05,
        slider=(0, 1),
        low=0,
        high=100,
        typical=(0.005, 0.5),
        meaning="variance of a logit's step in a trial",
    )
    alpha0: float = parameter(
        default=1.0, slider=(0.1, 10), low=1e-3, high=1e6, meaning="prior successes of an arm"
    )
    beta0: float = parameter(
        default=1.0, slider=(0.1, 10), low=1e-3, high=1e6, meaning="prior failures of an arm"
    )
    prior: InitVar[tuple[float, float] | None] = None  # mean and weight, for alpha0 and beta0

    def assume(self, memory: Any) -> Assumed:
        """Only the prior: it assumes drift, and no change all at once."""
        return Assumed(0.0, self.alpha0, self.beta0)

    def touches_all_arms(self, gamma: float) -> bool:
        """True unless nothing drifts."""
        return gamma != 0.0

    def change(self, memory: Any, arm: int, outcome: int, alpha: float, beta: float) -> float:
        """The fraction of the chosen arm's evidence that the drift takes."""
        _, variance = logit_of_belief(alpha, beta)
        return self.drift / (variance + self.drift)

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
        """Drift, then learn if chosen."""
        mean, variance = logit_of_belief(alpha, beta)
        variance += self.drift
        if chosen:
            mean, variance = observed(outcome, mean, variance)
        return belief_of_logit(mean, variance)
