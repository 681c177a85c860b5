"""SMiLe with a learned change probability."""

from dataclasses import InitVar
from typing import Any

from armwise.learners.smile import change_probability, relaxed_and_counted
from armwise.model.component import parameter
from armwise.model.roles import Assumed, Learner

# Places in the memory: expected changes and trials, including those of the prior assumption.
_CHANGES, _TRIALS = 0, 1


class LearnedChange(Learner):
    """SMiLe whose rho is its own estimate: the mean of gamma over the trials so far."""

    label = "SMiLe-rho"
    equation = "rho_t = (rho0 trials0 + sum of gamma) / (trials0 + t); otherwise as SMiLe"
    reference = "new in armwise; SMiLe: Liakoni et al. 2021"

    rho0: float = parameter(
        default=0.01, low=1e-6, high=0.5, meaning="initial estimate of the change probability"
    )
    trials0: float = parameter(
        default=100.0, low=1, high=1e9, meaning="weight of the initial estimate, in trials"
    )
    alpha0: float = parameter(default=1.0, low=1e-3, high=1e6, meaning="prior successes of an arm")
    beta0: float = parameter(default=1.0, low=1e-3, high=1e6, meaning="prior failures of an arm")
    prior: InitVar[tuple[float, float] | None] = None  # mean and weight, for alpha0 and beta0

    def memory_size(self, arms: int) -> int:
        """The two sums: changes and trials."""
        return 2

    def rearranged(self, memory: Any, arms: int, places: list[int]) -> list[float]:
        """The estimate is one for all arms."""
        return list(memory)

    def begin(self, memory: Any, arms: int) -> None:
        """Start from the initial estimate, as if `trials0` trials had been observed."""
        memory[_CHANGES] = self.rho0 * self.trials0
        memory[_TRIALS] = self.trials0

    def assume(self, memory: Any) -> Assumed:
        """The estimated change probability and the prior."""
        return Assumed(memory[_CHANGES] / memory[_TRIALS], self.alpha0, self.beta0)

    def change(self, memory: Any, arm: int, outcome: int, alpha: float, beta: float) -> float:
        """SMiLe's gamma at the current estimate of rho; then update the estimate."""
        rho = memory[_CHANGES] / memory[_TRIALS]
        gamma = change_probability(rho, self.alpha0, self.beta0, outcome, alpha, beta)
        memory[_CHANGES] += gamma
        memory[_TRIALS] += 1.0
        return gamma

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
