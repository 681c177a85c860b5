"""Adaptive forgetting: the rate at which an arm is forgotten adapts to its surprises."""

import math
from dataclasses import InitVar
from typing import Any

from armwise.errors import InputError
from armwise.learners.smile import relaxed_and_counted
from armwise.model.component import parameter
from armwise.model.roles import Assumed, Learner

# Places in the memory: the trials so far; then, for every arm, its factor, the derivatives of its
# successes and failures with respect to the factor, and the trial these were computed for.
_TRIALS, _FIRST, _EACH = 0, 1, 4
_FACTOR, _SUCCESSES, _FAILURES, _WHEN = 0, 1, 2, 3


def damped_gradient(
    outcome: int, alpha: float, beta: float, alpha_slope: float, beta_slope: float
) -> float:
    """Return g / (1 + E[g^2]), g the derivative of ln P(outcome), P(1) = alpha / (alpha + beta).

    >>> round(damped_gradient(1, 3.0, 1.0, 0.0, 2.0), 4), damped_gradient(1, 1.0, 1.0, 2.0, 2.0)
    (-0.2857, 0.0)
    """
    nu = alpha + beta
    mu = alpha / nu
    slope = (alpha_slope - mu * (alpha_slope + beta_slope)) / nu
    variance = mu * (1.0 - mu)
    return slope * (outcome - mu) / (variance + slope * slope)


class AdaptiveForgetting(Learner):
    """Discounted counts; every arm has its own discount factor, which adapts to the outcomes.

    The factor of the chosen arm follows the gradient of the log-probability of the outcome, damped
    by the Fisher information. All arms forget in every trial, each by its own factor.
    """

    label = "adaptive"
    equation = (
        "f[a] <- f[a] + rate g / (1 + E[g^2]), g = d ln P(o) / d f[a]; "
        "alpha[k] <- alpha0 + f[k] (alpha[k] - alpha0) + [k = a] o; beta likewise"
    )
    reference = "after Lu, Adams and Kantas 2019"

    start: float = parameter(default=0.97, low=0.01, high=1, meaning="the initial factor")
    least: float = parameter(default=0.9, low=0.01, high=1, meaning="the smallest factor")
    rate: float = parameter(default=0.002, low=0, high=1, meaning="how fast a factor adapts")
    alpha0: float = parameter(default=1.0, low=1e-3, high=1e6, meaning="prior successes of an arm")
    beta0: float = parameter(default=1.0, low=1e-3, high=1e6, meaning="prior failures of an arm")
    prior: InitVar[tuple[float, float] | None] = None  # mean and weight, for alpha0 and beta0

    def check(self) -> None:
        """The initial factor must not be smaller than the smallest one."""
        if self.start < self.least:
            raise InputError(
                f"{self.label}: start must be at least `least` = {self.least:g}, "
                f"not {self.start:g}."
            )

    def memory_size(self, arms: int) -> int:
        """The trial counter and four numbers for every arm."""
        return _FIRST + _EACH * arms

    def rearranged(self, memory: Any, arms: int, places: list[int]) -> list[float]:
        """A new arm has the initial factor."""
        new = [0.0] * _EACH
        new[_FACTOR] = self.start
        rows = [new if at < 0 else list(memory[_FIRST + _EACH * at :])[:_EACH] for at in places]
        return [*memory[:_FIRST], *(value for row in rows for value in row)]

    def begin(self, memory: Any, arms: int) -> None:
        """Set all factors to the initial one."""
        for arm in range(arms):
            memory[_FIRST + _EACH * arm + _FACTOR] = self.start

    def assume(self, memory: Any) -> Assumed:
        """Only the prior: it forgets instead of assuming a change probability."""
        return Assumed(0.0, self.alpha0, self.beta0)

    def change(self, memory: Any, arm: int, outcome: int, alpha: float, beta: float) -> float:
        """Adapt the chosen arm's factor; return the fraction of its counts that is lost."""
        at = _FIRST + _EACH * arm
        factor = memory[at + _FACTOR]
        successes, failures = alpha - self.alpha0, beta - self.beta0
        # In n trials without a choice, counts c became f^n c, with the derivative n f^(n-1) c.
        idle = memory[_TRIALS] - memory[at + _WHEN]
        kept = math.pow(factor, idle)
        alpha_slope = kept * memory[at + _SUCCESSES] + idle * successes / factor
        beta_slope = kept * memory[at + _FAILURES] + idle * failures / factor
        step = self.rate * damped_gradient(outcome, alpha, beta, alpha_slope, beta_slope)
        factor = min(1.0, max(self.least, factor + step))
        memory[_TRIALS] += 1.0
        memory[at + _FACTOR] = factor
        memory[at + _SUCCESSES] = factor * alpha_slope + successes
        memory[at + _FAILURES] = factor * beta_slope + failures
        memory[at + _WHEN] = memory[_TRIALS]
        return 1.0 - factor

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
        """Relax toward the prior by the arm's own factor, then count."""
        lost = 1.0 - memory[_FIRST + _EACH * arm + _FACTOR]
        return relaxed_and_counted(lost, self.alpha0, self.beta0, chosen, outcome, alpha, beta)
