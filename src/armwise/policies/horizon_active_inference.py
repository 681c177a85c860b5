"""Horizon expected free energy (H-EFE): active inference that is asymptotically efficient.

New in armwise. Agents prefer the mean of the best arm, with a precision that grows with the
evidence: the risk of an arm is the evidence that it is worse than the best, nu kl(mu, mu_max). Its
epistemic value is the information in the h t outcomes that it may still give. The proof, with any
Beta prior of a learner that does not forget: docs/theory.md.
"""

import math
from typing import Any

from armwise.model.component import parameter
from armwise.model.draws import Stream
from armwise.model.roles import Assumed, Policy
from armwise.numerics.divergence import kl, log_at_most


def evidence_against(mu: float, nu: float, best: float) -> float:
    """The evidence that an arm is worse than the best: nu kl(mu, best)."""
    return nu * kl(mu, best) if mu < best else 0.0


def information_ahead(outcomes: float, nu: float) -> float:
    """The information that further outcomes can still give: ln(1 + outcomes / nu)."""
    return math.log(1.0 + outcomes / nu)


class HorizonActiveInference(Policy):
    """Weighs the evidence that an arm is not the best against what it can teach in the future."""

    label = "H-EFE"
    equation = "ln(1 + h t / nu) - nu kl(mu, mu_max) [mu < mu_max], h = share / K"
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
        """The outcomes h t an arm may still give, a place for the best mean, and the trial."""
        return self.share * trial / arms, 0.0, float(trial)

    def gather(self, shared: Any, arm: int, alpha: float, beta: float) -> Any:
        """Update the best mean."""
        outcomes, best, trial = shared
        return outcomes, max(best, alpha / (alpha + beta)), trial

    def bounds(self, shared: Any, arm: int, alpha: float, beta: float) -> tuple[float, float]:
        """An upper bound: kl(mu, best) >= 2 (best - mu)^2 by Pinsker's inequality."""
        outcomes, best, _ = shared
        nu = alpha + beta
        far = best - alpha / nu
        return -math.inf, log_at_most(1.0 + outcomes / nu) - 2.0 * nu * far * far

    def lookahead_floor(self, shared: Any, arm: int, alpha: float, beta: float) -> float:
        """The leader's information ahead, which was never smaller before if t >= nu; else 0."""
        outcomes, best, trial = shared
        nu = alpha + beta
        if alpha / nu < best:
            return -math.inf
        return information_ahead(outcomes, nu) if trial >= nu else 0.0

    def score(self, shared: Any, arm: int, alpha: float, beta: float, rng: Stream) -> float:
        """Minus the horizon expected free energy."""
        outcomes, best, _ = shared
        nu = alpha + beta
        return information_ahead(outcomes, nu) - evidence_against(alpha / nu, nu, best)

    def terms(self, shared: Any, alpha: float, beta: float) -> tuple[float, ...]:
        """Risk and epistemic value."""
        outcomes, best, _ = shared
        nu = alpha + beta
        return evidence_against(alpha / nu, nu, best), information_ahead(outcomes, nu)
