"""Epsilon-exploring Thompson sampling (epsilon-TS): now and then a draw, else the mean."""

from typing import Any

from armwise.model.component import parameter
from armwise.model.draws import Stream, beta_draw, uniform
from armwise.model.roles import Assumed, Drawn, Policy

_EXPLORES = 2  # number of the draw that decides; `luck` uses draws 0 and 1


class EpsilonThompsonSampling(Policy):
    """The score of an arm is a draw of theta with probability epsilon, else its expectation."""

    label = "eps-TS"
    equation = "theta ~ Be(alpha, beta) with probability epsilon, else mu"
    reference = "Jin, Yang, Xiao and Xu 2023"
    stochastic = True

    epsilon: float = parameter(
        default=0.0,
        slider=(0, 1),
        low=0,
        high=1,
        meaning="probability of a draw (0: one over the number of arms)",
    )

    def prepare(self, trial: int, arms: int, assumed: Assumed, rng: Stream) -> Any:
        """The probability of a draw."""
        return self.epsilon if self.epsilon > 0.0 else 1.0 / arms

    def score(self, shared: Any, arm: int, alpha: float, beta: float, rng: Stream) -> float:
        """A draw or the mean."""
        if uniform(rng, _EXPLORES) < shared:
            return beta_draw(rng, alpha, beta)
        return alpha / (alpha + beta)

    def drawn(self, shared: Any, alpha: float, beta: float) -> Drawn:
        """A draw of theta with probability epsilon, else the mean."""
        return Drawn(weight=shared, rest=alpha / (alpha + beta))
