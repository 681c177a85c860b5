"""The hierarchical Gaussian filter: beliefs about a logit, and about how fast it moves."""

import math
from dataclasses import InitVar
from typing import Any

from armwise.learners._logits import belief_of_logit, logit_of_belief, observed
from armwise.model.component import parameter
from armwise.model.roles import Assumed, Learner

# Places in the memory: the trials so far, and the chosen arm's logit after the outcome; then, for
# every arm, mean and variance of its third level and the trial in which they were learned.
_TRIALS, _MEAN, _VARIANCE, _FIRST, _EACH = 0, 1, 2, 3, 3
_LEVEL, _DOUBT, _WHEN = 0, 1, 2


_FASTEST = 20.0  # the logarithm of a step that forgets everything


def step_variance(kappa: float, level: float, omega: float) -> float:
    """The variance of a logit's step in a trial.

    >>> step_variance(1.0, 3.0, -3.0)
    1.0
    """
    return math.exp(min(kappa * level + omega, _FASTEST))


class HierarchicalGaussianFilter(Learner):
    """The binary filter with three levels, one for every arm.

    x2 is the logit of theta and moves by N(0, exp(kappa x3 + omega)) in a trial; x3 moves by
    N(0, exp(meta)). Arms that are not chosen move unobserved. The belief about x2 is kept as
    Be(alpha, beta); see `armwise.learners._logits`. Where the update would leave x3 without a
    positive precision, which the equations do not exclude, x3 is left as predicted.
    """

    label = "HGF"
    equation = (
        "g = u / (v2 + u), u = exp(kappa x3 + omega); v2 <- 1 / (1 / (v2 + u) + s (1 - s)); "
        "d = (v2' + dm^2) / (v2 + u) - 1; pi3 = 1 / (v3 + exp(meta)) + kappa^2 g (g + (2 g - 1) d) "
        "/ 2; m3 <- m3 + kappa g d / (2 pi3)"
    )
    reference = "Mathys et al. 2011, 2014"

    omega: float = parameter(
        default=-3.0,
        slider=(-8, 2),
        low=-20,
        high=5,
        typical=(-7, 0),
        meaning="log-variance of a step, if x3 = 0",
    )
    kappa: float = parameter(
        default=1.0,
        slider=(0, 3),
        low=0,
        high=10,
        typical=(0.3, 2),
        meaning="how far x3 moves that log-variance",
    )
    meta: float = parameter(
        default=-4.0,
        slider=(-8, 2),
        low=-20,
        high=5,
        typical=(-7, -1),
        meaning="log-variance of a step of x3",
    )
    level: float = parameter(
        default=0.0,
        slider=(-3, 3),
        low=-10,
        high=10,
        typical=(-1, 1),
        meaning="mean of x3 before the first trial",
    )
    doubt: float = parameter(
        default=1.0,
        slider=(0.1, 10),
        low=0,
        high=100,
        open_low=True,
        meaning="variance of x3 before the first trial",
    )
    alpha0: float = parameter(
        default=1.0, slider=(0.1, 10), low=1e-3, high=1e6, meaning="prior successes of an arm"
    )
    beta0: float = parameter(
        default=1.0, slider=(0.1, 10), low=1e-3, high=1e6, meaning="prior failures of an arm"
    )
    prior: InitVar[tuple[float, float] | None] = None  # mean and weight, for alpha0 and beta0

    def memory_size(self, arms: int) -> int:
        """The trial counter, the chosen arm's logit, and three numbers for every arm."""
        return _FIRST + _EACH * arms

    def begin(self, memory: Any, arms: int) -> None:
        """Every arm begins with the same third level."""
        for arm in range(arms):
            memory[_FIRST + _EACH * arm + _LEVEL] = self.level
            memory[_FIRST + _EACH * arm + _DOUBT] = self.doubt

    def assume(self, memory: Any) -> Assumed:
        """Only the prior: it assumes drift, and no change all at once."""
        return Assumed(0.0, self.alpha0, self.beta0)

    def change(self, memory: Any, arm: int, outcome: int, alpha: float, beta: float) -> float:
        """Learn the chosen arm's logit and volatility; return the evidence that was lost."""
        at = _FIRST + _EACH * arm
        memory[_TRIALS] += 1.0
        mean, variance = logit_of_belief(alpha, beta)
        step = step_variance(self.kappa, memory[at + _LEVEL], self.omega)
        lost = step / (variance + step)
        memory[_MEAN], memory[_VARIANCE] = observed(outcome, mean, variance + step)

        moved = memory[_MEAN] - mean
        surprise = (memory[_VARIANCE] + moved * moved) / (variance + step) - 1.0
        unseen = memory[_TRIALS] - memory[at + _WHEN]  # trials in which x3 moved unobserved
        expected = 1.0 / (memory[at + _DOUBT] + unseen * math.exp(self.meta))
        weight = self.kappa * lost
        precision = expected + 0.5 * self.kappa * weight * (lost + (2.0 * lost - 1.0) * surprise)
        if precision > 0.0:
            memory[at + _LEVEL] += 0.5 * weight * surprise / precision
        else:
            precision = expected
        memory[at + _DOUBT] = 1.0 / precision
        memory[at + _WHEN] = memory[_TRIALS]
        return lost

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
        """The chosen arm's belief is learned already; the others drift."""
        if chosen:
            return belief_of_logit(memory[_MEAN], memory[_VARIANCE])
        mean, variance = logit_of_belief(alpha, beta)
        level = memory[_FIRST + _EACH * arm + _LEVEL]
        return belief_of_logit(mean, variance + step_variance(self.kappa, level, self.omega))
