"""Optimistic Thompson sampling (O-TS), Eq. OTS."""

from typing import Any

from armwise.model.draws import Stream, beta_draw, beta_draw_below, uniform
from armwise.model.roles import Assumed, Policy
from armwise.numerics.beta import beta_odds_against


def expectation(rho: float, mu: float, mu0: float) -> float:
    """mu~ = mu + rho (mu0 - mu), Eq. marginal."""
    return mu + rho * (mu0 - mu)


class OptimisticThompsonSampling(Policy):
    """Thompson sampling whose draw is never below the expected reward probability."""

    label = "O-TS"
    equation = "max(theta, mu~), theta drawn as in TS, mu~ = mu + rho (mu0 - mu)"
    reference = "Eq. OTS; Raj and Kalyani 2017"
    stochastic = True

    def prepare(self, trial: int, arms: int, assumed: Assumed, rng: Stream) -> Any:
        """One Bernoulli(rho) per trial, shared by the arms: did the world change?"""
        changed = assumed.rho > 0.0 and uniform(rng, 0) < assumed.rho
        return changed, assumed.rho, assumed.alpha0, assumed.beta0

    def score(self, shared: Any, arm: int, alpha: float, beta: float, rng: Stream) -> float:
        """The larger of the draw and the expectation."""
        changed, rho, alpha0, beta0 = shared
        expected = expectation(rho, alpha / (alpha + beta), alpha0 / (alpha0 + beta0))
        return max(
            beta_draw(rng, alpha0 if changed else alpha, beta0 if changed else beta), expected
        )

    def floor(self, shared: Any, arm: int, alpha: float, beta: float) -> float:
        """The expectation."""
        _, rho, alpha0, beta0 = shared
        return expectation(rho, alpha / (alpha + beta), alpha0 / (alpha0 + beta0))

    def odds(self, shared: Any, arm: int, alpha: float, beta: float, level: float) -> float:
        """Of how many draws one at most reaches the level; each, if the expectation does."""
        changed, rho, alpha0, beta0 = shared
        expected = expectation(rho, alpha / (alpha + beta), alpha0 / (alpha0 + beta0))
        odds = beta_odds_against(level, alpha0 if changed else alpha, beta0 if changed else beta)
        return odds if expected < level else 1.0

    def steady(self, shared: Any) -> bool:
        """Unless a change was sampled."""
        return not shared[0]

    def below(
        self, shared: Any, arm: int, alpha: float, beta: float, level: float, rng: Stream
    ) -> bool:
        """Whether expectation and draw are below the level, without inverting the distribution."""
        changed, rho, alpha0, beta0 = shared
        if expectation(rho, alpha / (alpha + beta), alpha0 / (alpha0 + beta0)) >= level:
            return False
        return beta_draw_below(rng, alpha0 if changed else alpha, beta0 if changed else beta, level)

    def terms(self, shared: Any, alpha: float, beta: float) -> dict[str, float]:
        """The expectation that bounds the draw from below."""
        _, rho, alpha0, beta0 = shared
        expected = expectation(rho, alpha / (alpha + beta), alpha0 / (alpha0 + beta0))
        return {"expected": expected}
