"""Bayesian upper confidence bound (B-UCB), Eq. BUCB."""

from typing import Any

from armwise.model.draws import Stream
from armwise.model.quantile_policy import QuantilePolicy
from armwise.model.roles import Assumed


class BayesianUCB(QuantilePolicy):
    """A high percentile of the belief, which rises with every trial."""

    label = "B-UCB"
    equation = "quantile 1 - 1/t of Be((1 - rho) alpha + rho alpha0, (1 - rho) beta + rho beta0)"
    reference = "Eq. BUCB; Kaufmann et al. 2012"
    upper = True

    def prepare(self, trial: int, arms: int, assumed: Assumed, rng: Stream) -> Any:
        """The upper tail 1/t and the assumptions. In trial 1 all quantiles are 0: all arms tie."""
        return 1.0 / trial, assumed.rho, assumed.alpha0, assumed.beta0

    def probability(self, shared: Any) -> float:
        """The probability 1/t of the upper tail."""
        return shared[0]

    def belief(self, shared: Any, alpha: float, beta: float) -> tuple[float, float]:
        """The belief one trial ahead, as one Beta distribution."""
        _, rho, alpha0, beta0 = shared
        return alpha + rho * (alpha0 - alpha), beta + rho * (beta0 - beta)

    def terms(self, shared: Any, alpha: float, beta: float) -> dict[str, float]:
        """The percentile, and the distance of its quantile from the mean."""
        quantile = self.score(shared, 0, alpha, beta, None)  # type: ignore[arg-type]
        return {"percentile": 1.0 - shared[0], "bonus": quantile - alpha / (alpha + beta)}
