"""Indexed minimum empirical divergence (IMED)."""

import math
from typing import Any

from armwise.model.draws import Stream
from armwise.model.roles import Assumed, Policy
from armwise.numerics.divergence import kl
from armwise.policies.ucb import own_outcomes

_CERTAIN = 1.0 - 1e-9  # in place of 1, whose divergence from every other mean is infinite


class IMED(Policy):
    """The arm with the least evidence against being best, plus a bonus for few outcomes."""

    label = "IMED"
    equation = "-(n kl(m, m_max) + ln n), n and m counted without the prior"
    reference = "Honda and Takemura 2015"
    term_names = ("evidence", "own_mean")

    def prepare(self, trial: int, arms: int, assumed: Assumed, rng: Stream) -> Any:
        """The prior, whose counts are not outcomes, and a place for the best mean."""
        return assumed.alpha0, assumed.beta0, 0.0

    def gather(self, shared: Any, arm: int, alpha: float, beta: float) -> Any:
        """Update the best mean of outcomes."""
        alpha0, beta0, best = shared
        _, mean = own_outcomes(alpha, beta, alpha0, beta0)
        return alpha0, beta0, max(best, mean)

    def score(self, shared: Any, arm: int, alpha: float, beta: float, rng: Stream) -> float:
        """Minus the index; an arm without outcomes comes first."""
        alpha0, beta0, best = shared
        evidence, mean = own_outcomes(alpha, beta, alpha0, beta0)
        against = evidence * kl(mean, min(best, _CERTAIN)) if mean < best else 0.0
        return -(against + math.log(evidence))

    def terms(self, shared: Any, alpha: float, beta: float) -> tuple[float, ...]:
        """The number n and the mean m of the arm's own outcomes."""
        evidence, mean = own_outcomes(alpha, beta, shared[0], shared[1])
        return evidence, mean
