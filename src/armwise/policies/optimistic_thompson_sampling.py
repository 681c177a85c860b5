"""Optimistic Thompson sampling (O-TS), Eq. OTS."""

from typing import Any

from armwise.model.assumed import Assumed, predictive
from armwise.model.draws import Stream
from armwise.model.quantile_policy import QuantilePolicy
from armwise.policies.thompson_sampling import sampled_change


class OptimisticThompsonSampling(QuantilePolicy):
    """Thompson sampling whose draw is never below the expected reward probability."""

    label = "O-TS"
    equation = "max(theta, mu~), theta drawn as in TS, mu~ = mu + rho (mu0 - mu)"
    reference = "Eq. OTS; Raj and Kalyani 2017"
    stochastic = True

    def prepare(self, trial: int, arms: int, assumed: Assumed, rng: Stream) -> Any:
        """The sampled change, the change probability, and the prior."""
        changed = sampled_change(assumed.rho, rng)
        return changed, assumed.rho, assumed.alpha0, assumed.beta0

    def change_rate(self, assumed: Assumed) -> float:
        """The learner's change probability."""
        return assumed.rho

    def settled(self, trial: int, arms: int, assumed: Assumed, changed: bool) -> Any:
        """The change, if there is one, the change probability, and the prior."""
        return 1.0 if changed else 0.0, assumed.rho, assumed.alpha0, assumed.beta0

    def belief(self, shared: Any, alpha: float, beta: float) -> tuple[float, float]:
        """The belief, or the prior after a sampled change."""
        changed, _, alpha0, beta0 = shared
        return alpha0 if changed > 0.0 else alpha, beta0 if changed > 0.0 else beta

    def floor(self, shared: Any, alpha: float, beta: float) -> float:
        """The expected reward probability."""
        _, rho, alpha0, beta0 = shared
        return predictive(rho, alpha / (alpha + beta), alpha0 / (alpha0 + beta0))

    def terms(self, shared: Any, alpha: float, beta: float) -> dict[str, float]:
        """The expected reward probability, the floor of the score."""
        return {"expected": self.floor(shared, alpha, beta)}
