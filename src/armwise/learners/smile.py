"""Variational surprise minimisation learning (SMiLe), Eq. change_prob and the SMiLe rule."""

from dataclasses import InitVar
from typing import Any

from armwise.model.component import parameter
from armwise.model.roles import Assumed, Learner


def change_probability(
    rho: float, alpha0: float, beta0: float, outcome: int, alpha: float, beta: float
) -> float:
    """The probability of a change given the outcome, Eq. change_prob.

    gamma = rho q1 / (rho q1 + (1 - rho) q0), with q1 and q0 the predictive probability of the
    outcome with and without a change. The paper prints the Bayes factor upside down: a surprising
    outcome must raise gamma.
    """
    q0 = (alpha if outcome else beta) / (alpha + beta)
    q1 = (alpha0 if outcome else beta0) / (alpha0 + beta0)
    return rho * q1 / (rho * q1 + (1.0 - rho) * q0)


def relaxed_and_counted(
    gamma: float,
    alpha0: float,
    beta0: float,
    chosen: bool,
    outcome: int,
    alpha: float,
    beta: float,
) -> tuple[float, float]:
    """Relax the belief toward the prior by gamma; if the arm was chosen, count the outcome.

    The paper prints alpha on the right-hand side of beta's line; beta relaxes from beta.
    """
    # In this form a belief that equals the prior stays exactly equal to it.
    alpha += gamma * (alpha0 - alpha)
    beta += gamma * (beta0 - beta)
    if chosen:
        alpha += outcome
        beta += 1 - outcome
    return alpha, beta


class Smile(Learner):
    """Bayesian counting that relaxes to the prior when an outcome suggests a change.

    With rho = 0 it is exact Bayesian counting for a bandit that never changes (Eq. stat_lr).
    """

    label = "SMiLe"
    equation = "alpha[k] <- (1 - gamma) alpha[k] + gamma alpha0 + [k = a] o; beta likewise"
    reference = "Eq. change_prob; Liakoni et al. 2021"

    rho: float = parameter(
        default=0.0,
        low=0,
        high=1,
        typical=(0.005, 0.3),
        meaning="assumed probability of a change in a trial",
    )
    alpha0: float = parameter(default=1.0, low=1e-3, high=1e6, meaning="prior successes of an arm")
    beta0: float = parameter(default=1.0, low=1e-3, high=1e6, meaning="prior failures of an arm")
    prior: InitVar[tuple[float, float] | None] = None  # mean and weight, for alpha0 and beta0

    def assume(self, memory: Any) -> Assumed:
        """The given change probability and prior."""
        return Assumed(self.rho, self.alpha0, self.beta0)

    def touches_all_arms(self, gamma: float) -> bool:
        """False without a change: then only the chosen arm learns."""
        return gamma != 0.0

    def change(self, memory: Any, arm: int, outcome: int, alpha: float, beta: float) -> float:
        """The probability that a change preceded the outcome."""
        if self.rho == 0.0:
            return 0.0
        return change_probability(self.rho, self.alpha0, self.beta0, outcome, alpha, beta)

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
        """Relax toward the prior by gamma, then count the outcome."""
        return relaxed_and_counted(gamma, self.alpha0, self.beta0, chosen, outcome, alpha, beta)

    def change_shown(
        self, memory: Any, gamma: float, arm: int, outcome: int, alpha: float, beta: float
    ) -> float:
        """Bayes' rule once more: all arms change together, so every outcome speaks about it."""
        if self.rho == 0.0:
            return 0.0
        return change_probability(gamma, self.alpha0, self.beta0, outcome, alpha, beta)

    def update_shown(
        self, memory: Any, gamma: float, arm: int, outcome: int, alpha: float, beta: float
    ) -> tuple[float, float]:
        """Count an outcome that was shown like one of the arm's own."""
        return relaxed_and_counted(gamma, self.alpha0, self.beta0, True, outcome, alpha, beta)
