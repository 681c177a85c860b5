"""Sampled expected free energy (S-AI): a posterior draw in the extrinsic term.

Proposed in the paper's Discussion: it explores by the intrinsic value and, as in Thompson sampling,
by the uncertainty about theta.
"""

from typing import Any

from armwise.model.component import parameter
from armwise.model.draws import Stream, beta_draw
from armwise.model.roles import Assumed, Drawn, Policy
from armwise.policies.exact_active_inference import (
    ambiguity,
    expected_entropy,
    extrinsic,
    intrinsic,
    log_evidence,
    predictive,
)


class SampledActiveInference(Policy):
    """G-AI with a draw of theta in place of its expectation in the extrinsic value."""

    label = "S-AI"
    equation = "extrinsic value of theta ~ Be(alpha, beta) + intrinsic value"
    reference = "the paper's Discussion"
    stochastic = True
    term_names = ("intrinsic",)

    lam: float = parameter(
        default=0.25, slider=(0, 2), low=0, high=700, meaning="precision of the prior preferences"
    )

    def prepare(self, trial: int, arms: int, assumed: Assumed, rng: Stream) -> Any:
        """The change probability, the mean and the ambiguity after a change, and ln Z."""
        mu0 = assumed.alpha0 / (assumed.alpha0 + assumed.beta0)
        fresh = expected_entropy(assumed.alpha0, assumed.beta0) if assumed.rho > 0.0 else 0.0
        return assumed.rho, mu0, fresh, log_evidence(self.lam)

    def score(self, shared: Any, arm: int, alpha: float, beta: float, rng: Stream) -> float:
        """Extrinsic value of the draw plus intrinsic value of the belief."""
        rho, mu0, fresh, evidence = shared
        drawn = predictive(rho, beta_draw(rng, alpha, beta), mu0)
        mu = predictive(rho, alpha / (alpha + beta), mu0)
        uncertainty = ambiguity(rho, alpha, beta, fresh)
        preferred = extrinsic(self.lam, drawn, 1.0 - drawn, evidence)
        return preferred + intrinsic(mu, 1.0 - mu, uncertainty)

    def drawn(self, shared: Any, alpha: float, beta: float) -> Drawn:
        """The extrinsic value is a line in the draw; the intrinsic value is a constant."""
        rho, mu0, _, evidence = shared
        least = predictive(rho, 0.0, mu0)
        (gain,) = self.terms(shared, alpha, beta)
        start = extrinsic(self.lam, least, 1.0 - least, evidence) + gain
        slope = 2.0 * self.lam * (predictive(rho, 1.0, mu0) - least)
        if slope <= 0.0:
            return Drawn(weight=0.0, rest=start)
        return Drawn(start=start, slope=slope)

    def terms(self, shared: Any, alpha: float, beta: float) -> tuple[float, ...]:
        """The intrinsic value, which does not depend on the draw."""
        rho, mu0, fresh, _ = shared
        mu = predictive(rho, alpha / (alpha + beta), mu0)
        return (intrinsic(mu, 1.0 - mu, ambiguity(rho, alpha, beta, fresh)),)
