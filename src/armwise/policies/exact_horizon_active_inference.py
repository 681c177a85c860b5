"""H-EFE with the exact information of the outcomes ahead (exact H-EFE)."""

import math
from typing import Any

from armwise.model.component import parameter
from armwise.model.draws import Stream
from armwise.model.roles import Assumed, Policy
from armwise.numerics.divergence import log_at_most
from armwise.numerics.information import information
from armwise.policies.horizon_active_inference import evidence_against


class ExactHorizonActiveInference(Policy):
    """Weighs the evidence that an arm is not the best against what it can teach, exactly."""

    label = "exact-H-EFE"
    equation = "2 I(theta; h t outcomes) - nu kl(mu, mu_max) [mu < mu_max], h = share / K"
    reference = "new in armwise; compare Honda and Takemura 2015"
    term_names = ("risk", "epistemic")

    share: float = parameter(
        default=0.5,
        slider=(0.05, 5),
        low=0,
        high=1e6,
        open_low=True,
        meaning="trials that all arms together may still get, as a fraction of the trials so far",
    )

    def prepare(self, trial: int, arms: int, assumed: Assumed, rng: Stream) -> Any:
        """The outcomes an arm may still give, rounded up, and a place for the best mean."""
        return math.ceil(self.share * trial / arms), 0.0

    def gather(self, shared: Any, arm: int, alpha: float, beta: float) -> Any:
        """Update the best mean."""
        return shared[0], max(shared[1], alpha / (alpha + beta))

    def bounds(self, shared: Any, arm: int, alpha: float, beta: float) -> tuple[float, float]:
        """An upper bound: that of H-EFE, plus the most by which twice the information exceeds it.

        This is 2 / (3 nu) + 1 / (4 nu^2), by the proof of Lemma 7 in docs/theory.md.
        """
        outcomes, best = shared
        nu = alpha + beta
        far = best - alpha / nu
        more = (2.0 / 3.0 + 0.25 / nu) / nu
        return -math.inf, log_at_most(1.0 + outcomes / nu) + more - 2.0 * nu * far * far

    def score(self, shared: Any, arm: int, alpha: float, beta: float, rng: Stream) -> float:
        """Twice the information ahead minus the evidence against the arm."""
        outcomes, best = shared
        nu = alpha + beta
        return 2.0 * information(alpha, beta, outcomes) - evidence_against(alpha / nu, nu, best)

    def terms(self, shared: Any, alpha: float, beta: float) -> tuple[float, ...]:
        """Risk and epistemic value."""
        outcomes, best = shared
        nu = alpha + beta
        return evidence_against(alpha / nu, nu, best), 2.0 * information(alpha, beta, outcomes)
