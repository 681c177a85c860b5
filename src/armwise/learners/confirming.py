"""The delta rule with one rate for what confirms a choice and one for what speaks against it."""

from typing import Any

from armwise.learners.rescorla_wagner import as_belief
from armwise.model.component import parameter
from armwise.model.roles import Assumed, Learner


class Confirming(Learner):
    """Rescorla-Wagner for tasks that show what other arms would have paid: confirmation bias.

    A success of the chosen arm confirms the choice, and so does a failure of another arm that is
    shown. The value q of an arm is kept as the belief Be(q, 1 - q); see `RescorlaWagner`.
    """

    label = "RW-confirm"
    equation = (
        "chosen: q <- q + (confirming if o = 1 else disconfirming) (o - q); "
        "shown: q <- q + (disconfirming if o = 1 else confirming) (o - q)"
    )
    reference = "Palminteri et al. 2017"

    confirming: float = parameter(
        default=0.3,
        slider=(0, 1),
        low=0,
        high=1,
        typical=(0.05, 0.8),
        meaning="learning rate of outcomes that confirm the choice",
    )
    disconfirming: float = parameter(
        default=0.3,
        slider=(0, 1),
        low=0,
        high=1,
        typical=(0.05, 0.8),
        meaning="learning rate of outcomes that speak against it",
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
        """False: an arm learns only from its own outcomes."""
        return False

    def change(self, memory: Any, arm: int, outcome: int, alpha: float, beta: float) -> float:
        """Nothing is forgotten."""
        return 0.0

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
        """The chosen arm moves toward its outcome."""
        if not chosen:
            return alpha, beta
        rate = self.confirming if outcome > 0 else self.disconfirming
        return as_belief(alpha + rate * (outcome - alpha))

    def update_shown(
        self, memory: Any, gamma: float, arm: int, outcome: int, alpha: float, beta: float
    ) -> tuple[float, float]:
        """An arm that was not chosen moves toward the outcome that was shown."""
        rate = self.disconfirming if outcome > 0 else self.confirming
        return as_belief(alpha + rate * (outcome - alpha))
