"""The delta rule of Rescorla and Wagner: a value that moves toward each outcome."""

from typing import Any

from armwise.model.component import parameter
from armwise.model.roles import Assumed, Learner

_LEAST = 1e-300  # in place of 0, because a belief is positive; too little to change a mean


def as_belief(value: float) -> tuple[float, float]:
    """A value from 0 to 1 as a belief with this mean and the evidence of one outcome.

    >>> as_belief(0.25), as_belief(1.0)
    ((0.25, 0.75), (1.0, 1e-300))
    """
    return max(value, _LEAST), max(1.0 - value, _LEAST)


class RescorlaWagner(Learner):
    """A value q per arm, kept as the belief Be(q, 1 - q); it moves toward the outcome by a rate.

    With `forgetting`, arms that were not chosen return to the start. Combine it with policies that
    read the mean, such as `MeanOutcome`: the evidence of these beliefs says nothing.
    """

    label = "RW"
    equation = "q[a] <- q[a] + rate (o - q[a]); others: q <- q + forgetting (start - q)"
    reference = "Rescorla and Wagner 1972; Ito and Doya 2009 (forgetting)"

    rate: float = parameter(
        default=0.3, slider=(0, 1), low=0, high=1, typical=(0.05, 0.8), meaning="learning rate"
    )
    forgetting: float = parameter(
        default=0.0,
        slider=(0, 1),
        low=0,
        high=1,
        typical=(0.02, 0.8),
        meaning="return of arms not chosen",
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
        """True unless nothing is forgotten."""
        return gamma != 0.0

    def change(self, memory: Any, arm: int, outcome: int, alpha: float, beta: float) -> float:
        """The forgetting, the same in every trial."""
        return self.forgetting

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
        """Move toward the outcome, or back to the start."""
        toward = float(outcome) if chosen else self.start
        return as_belief(alpha + (self.rate if chosen else gamma) * (toward - alpha))

    def update_shown(
        self, memory: Any, gamma: float, arm: int, outcome: int, alpha: float, beta: float
    ) -> tuple[float, float]:
        """Move toward an outcome that was shown as toward one of the arm's own."""
        return as_belief(alpha + self.rate * (outcome - alpha))
