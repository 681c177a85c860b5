"""KL-UCB+: KL-UCB with a bonus that shrinks as an arm gathers evidence."""

import math
from typing import Any

from armwise.model.draws import Stream
from armwise.model.roles import Assumed, Policy
from armwise.policies.kl_ucb import not_ruled_out
from armwise.policies.ucb import own_outcomes


class KLUCBPlus(Policy):
    """KL-UCB with ln(t / n) in place of ln t."""

    label = "KL-UCB+"
    equation = "max u: n kl(m, u) <= ln(t / n)"
    reference = "Garivier and Cappé 2011; Kaufmann 2018"
    term_names = ("evidence", "own_mean")

    def prepare(self, trial: int, arms: int, assumed: Assumed, rng: Stream) -> Any:
        """The trial, and the prior, whose counts are not outcomes."""
        return float(trial), assumed.alpha0, assumed.beta0

    def score(self, shared: Any, arm: int, alpha: float, beta: float, rng: Stream) -> float:
        """The bound; 1 for an arm without outcomes."""
        trial, alpha0, beta0 = shared
        evidence, mean = own_outcomes(alpha, beta, alpha0, beta0)
        if evidence <= 1e-9:
            return 1.0
        return not_ruled_out(mean, evidence, math.log(trial / evidence))

    def terms(self, shared: Any, alpha: float, beta: float) -> tuple[float, ...]:
        """The number n and the mean m of the arm's own outcomes."""
        evidence, mean = own_outcomes(alpha, beta, shared[1], shared[2])
        return evidence, mean
