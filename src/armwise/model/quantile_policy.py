"""The role of a policy whose score is a quantile, or a draw, of a Beta distribution."""

import math
from typing import Any, ClassVar

from armwise.model.assumed import Assumed
from armwise.model.draws import Stream, beta_draw
from armwise.model.roles import Policy
from armwise.numerics.beta_quantiles import beta_quantile, beta_upper_quantile
from armwise.numerics.hook import hook


class QuantilePolicy(Policy):
    """A policy whose score is a quantile of a Beta distribution, or a floor if that is higher.

    Define the distribution (`belief`) and the probability of the quantile. A `stochastic` policy
    draws a new probability for every arm and trial, which makes the score a draw from `belief`.
    `prepare` returns a tuple of floats. The engine derives the rest: how to score, how to bound a
    score, and how long a bound holds. This requires that the quantile never falls when alpha
    grows, when beta shrinks, or when a trial passes.
    """

    upper: ClassVar[bool] = False  # whether `probability` is that of the upper tail

    @hook
    def probability(self, shared: Any) -> float:
        """Once per trial: the probability of the quantile (not used by a stochastic policy)."""
        raise NotImplementedError

    @hook
    def belief(self, shared: Any, alpha: float, beta: float) -> tuple[float, float]:
        """Once per arm: the Beta distribution whose quantile is the score."""
        return alpha, beta

    @hook
    def floor(self, shared: Any, alpha: float, beta: float) -> float:
        """Once per arm: the lowest possible score."""
        return -math.inf

    @hook
    def change_rate(self, assumed: Assumed) -> float:
        """How often `prepare` assumes a change, for a stochastic policy with `settled`."""
        return 0.0

    @hook
    def settled(self, trial: int, arms: int, assumed: Assumed, changed: bool) -> Any:
        """What `prepare` returns once it is known whether it assumes a change.

        With it, the probability of a choice is integrated over the draws of all arms.
        """
        raise NotImplementedError

    def score(self, shared: Any, arm: int, alpha: float, beta: float, rng: Stream) -> float:
        """The quantile, or the floor if that is higher."""
        a, b = self.belief(shared, alpha, beta)
        if self.stochastic:
            quantile = beta_draw(rng, a, b)
        elif self.upper:
            quantile = beta_upper_quantile(self.probability(shared), a, b)
        else:
            quantile = beta_quantile(self.probability(shared), a, b)
        return max(self.floor(shared, alpha, beta), quantile)
