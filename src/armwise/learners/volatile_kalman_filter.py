"""The volatile Kalman filter: every arm's volatility is learned beside its logit."""

import math
from typing import Any

from armwise.learners._logits import belief_of_logit, logit_of_belief
from armwise.model.component import parameter
from armwise.model.roles import Assumed, Learner

# Places in the memory: mean and variance of the chosen arm's logit after the outcome; then the
# volatility of every arm.
_MEAN, _VARIANCE, _FIRST = 0, 1, 2


class VolatileKalmanFilter(Learner):
    """The binary volatile Kalman filter of Piray and Daw, one for every arm.

    The filter of an arm runs on the arm's own outcomes: an arm that is not chosen keeps its belief.
    That belief about the logit, N(m, w), is kept as Be(alpha, beta); see
    `armwise.learners._logits`.
    """

    label = "VKF"
    equation = (
        "k = (w + v) / (w + v + omega), m <- m + sqrt(w + v) (o - sigmoid(m)), "
        "w' = (1 - k) (w + v), v <- v + rate ((dm)^2 + w + w' - 2 (1 - k) w - v)"
    )
    reference = "Piray and Daw 2020"

    update_rate: float = parameter(
        default=0.1,
        low=0,
        high=1,
        open_high=True,
        typical=(0.02, 0.6),
        meaning="learning rate of the volatility (lambda in the paper)",
    )
    volatility: float = parameter(
        default=0.1,
        low=0,
        high=100,
        open_low=True,
        typical=(0.02, 2),
        meaning="volatility before the first outcome",
    )
    omega: float = parameter(
        default=1.0,
        low=0,
        high=100,
        open_low=True,
        typical=(0.2, 5),
        meaning="noise of an outcome, and the first variance",
    )

    def memory_size(self, arms: int) -> int:
        """The chosen arm's logit, and a volatility for every arm, as far as it is learned."""
        return _FIRST + arms

    def begin(self, memory: Any, arms: int) -> None:
        """Every arm begins with the same volatility."""
        for arm in range(arms):
            memory[_FIRST + arm] = self.volatility

    def assume(self, memory: Any) -> Assumed:
        """The belief before the first outcome: m = 0, w = omega."""
        return Assumed(0.0, 2.0 / self.omega, 2.0 / self.omega)

    def touches_all_arms(self, gamma: float) -> bool:
        """Never: only the chosen arm learns."""
        return False

    def change(self, memory: Any, arm: int, outcome: int, alpha: float, beta: float) -> float:
        """Learn the chosen arm's logit and volatility; return the evidence that was lost."""
        mean, variance = logit_of_belief(alpha, beta)
        volatility = memory[_FIRST + arm]
        grown = variance + volatility
        gain = grown / (grown + self.omega)
        step = math.sqrt(grown) * (outcome - 1.0 / (1.0 + math.exp(-mean)))
        left = (1.0 - gain) * grown
        wander = step * step + variance + left - 2.0 * (1.0 - gain) * variance
        memory[_FIRST + arm] = volatility + self.update_rate * (wander - volatility)
        memory[_MEAN] = mean + step
        memory[_VARIANCE] = left
        return volatility / grown

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
        """The chosen arm's belief is learned already; the others stay."""
        return belief_of_logit(memory[_MEAN], memory[_VARIANCE]) if chosen else (alpha, beta)
