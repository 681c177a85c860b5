"""The delta rule with one rate for successes and one for failures."""

from typing import Any

from armwise.learners.rescorla_wagner import as_belief
from armwise.model.component import parameter
from armwise.model.roles import Assumed, Learner


class TwoRates(Learner):
    """Rescorla-Wagner that learns from successes and from failures at rates of their own.

    The value q of an arm is kept as the belief Be(q, 1 - q); see `RescorlaWagner`.
    """

    label = "RW-2"
    equation = (
        "q[a] <- q[a] + (gain if o = 1 else loss) (o - q[a]); "
        "others: q <- q + forgetting (start - q)"
    )
    reference = "Frank et al. 2007; Niv et al. 2012"

    gain: float = parameter(
        default=0.3,
        slider=(0, 1),
        low=0,
        high=1,
        typical=(0.05, 0.8),
        meaning="learning rate after a success",
    )
    loss: float = parameter(
        default=0.3,
        slider=(0, 1),
        low=0,
        high=1,
        typical=(0.05, 0.8),
        meaning="learning rate after a failure",
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
        """Move toward the outcome at its rate, or back to the start."""
        rate = self.gain if outcome > 0 else self.loss
        toward = float(outcome) if chosen else self.start
        return as_belief(alpha + (rate if chosen else gamma) * (toward - alpha))

    def update_shown(
        self, memory: Any, gamma: float, arm: int, outcome: int, alpha: float, beta: float
    ) -> tuple[float, float]:
        """Move toward an outcome that was shown as toward one of the arm's own."""
        return as_belief(alpha + (self.gain if outcome > 0 else self.loss) * (outcome - alpha))
