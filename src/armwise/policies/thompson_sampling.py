"""Thompson sampling (TS)."""

from typing import Any

from armwise.model.draws import Stream, uniform
from armwise.model.quantile_policy import QuantilePolicy
from armwise.model.roles import Assumed


def sampled_change(rho: float, rng: Stream) -> float:
    """A Bernoulli(rho) draw per trial, shared by all arms: 1.0 if a change is assumed."""
    return 1.0 if rho > 0.0 and uniform(rng, 0) < rho else 0.0


class ThompsonSampling(QuantilePolicy):
    """A draw of theta from the predictive belief; the agent acts as if it were true."""

    label = "TS"
    equation = "theta ~ (1 - rho) Be(alpha, beta) + rho Be(alpha0, beta0), one change for all arms"
    reference = "section Thompson sampling; Thompson 1933"
    stochastic = True

    def prepare(self, trial: int, arms: int, assumed: Assumed, rng: Stream) -> Any:
        """The sampled change, and the prior."""
        return sampled_change(assumed.rho, rng), assumed.alpha0, assumed.beta0

    def change_rate(self, assumed: Assumed) -> float:
        """The learner's change probability."""
        return assumed.rho

    def settled(self, trial: int, arms: int, assumed: Assumed, changed: bool) -> Any:
        """The change, if there is one, and the prior."""
        return 1.0 if changed else 0.0, assumed.alpha0, assumed.beta0

    def belief(self, shared: Any, alpha: float, beta: float) -> tuple[float, float]:
        """The belief, or the prior after a sampled change."""
        changed, alpha0, beta0 = shared
        return alpha0 if changed > 0.0 else alpha, beta0 if changed > 0.0 else beta
