"""Thompson sampling (TS)."""

from typing import Any

from armwise.model.draws import Stream, beta_draw, beta_draw_below, uniform
from armwise.model.roles import Assumed, Policy
from armwise.numerics.beta import beta_odds_against


class ThompsonSampling(Policy):
    """A draw of theta from the predictive belief: act as if it were true."""

    label = "TS"
    equation = "theta ~ (1 - rho) Be(alpha, beta) + rho Be(alpha0, beta0), one change for all arms"
    reference = "section Thompson sampling; Thompson 1933"
    stochastic = True

    def prepare(self, trial: int, arms: int, assumed: Assumed, rng: Stream) -> Any:
        """One Bernoulli(rho) per trial, shared by the arms: did the world change?"""
        changed = assumed.rho > 0.0 and uniform(rng, 0) < assumed.rho
        return changed, assumed.alpha0, assumed.beta0

    def score(self, shared: Any, arm: int, alpha: float, beta: float, rng: Stream) -> float:
        """A draw from the belief, or from the prior after a sampled change."""
        changed, alpha0, beta0 = shared
        return beta_draw(rng, alpha0 if changed else alpha, beta0 if changed else beta)

    def odds(self, shared: Any, arm: int, alpha: float, beta: float, level: float) -> float:
        """Of how many draws one at most reaches the level."""
        changed, alpha0, beta0 = shared
        return beta_odds_against(level, alpha0 if changed else alpha, beta0 if changed else beta)

    def steady(self, shared: Any) -> bool:
        """Unless a change was sampled."""
        return not shared[0]

    def below(
        self, shared: Any, arm: int, alpha: float, beta: float, level: float, rng: Stream
    ) -> bool:
        """Whether the draw is below the level, without inverting the distribution."""
        changed, alpha0, beta0 = shared
        return beta_draw_below(rng, alpha0 if changed else alpha, beta0 if changed else beta, level)
