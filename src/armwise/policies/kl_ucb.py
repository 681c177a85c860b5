"""KL-UCB: the largest mean that the outcomes of an arm do not rule out."""

import math
from typing import Any

from armwise.model.component import parameter
from armwise.model.draws import Stream
from armwise.model.roles import Assumed, Policy
from armwise.numerics.divergence import kl_upper
from armwise.policies.ucb import own_outcomes


def not_ruled_out(mean: float, evidence: float, level: float) -> float:
    """The largest u with evidence * kl(mean, u) <= level."""
    return kl_upper(mean, max(level, 0.0) / evidence)


class KLUCB(Policy):
    """An upper confidence bound from the divergence of Bernoulli distributions."""

    label = "KL-UCB"
    equation = "max u: n kl(m, u) <= ln t + c ln ln t"
    reference = "Garivier and Cappé 2011"
    term_names = ("evidence", "own_mean")

    c: float = parameter(
        default=0.0,
        slider=(0, 3),
        low=0,
        high=10,
        meaning="weight of ln ln t (3 in the proof, 0 in practice)",
    )

    def prepare(self, trial: int, arms: int, assumed: Assumed, rng: Stream) -> Any:
        """The level, and the prior, whose counts are not outcomes."""
        level = math.log(trial)
        if self.c > 0.0 and level > 1.0:
            level += self.c * math.log(level)
        return level, assumed.alpha0, assumed.beta0

    def score(self, shared: Any, arm: int, alpha: float, beta: float, rng: Stream) -> float:
        """The bound; 1 for an arm without outcomes."""
        level, alpha0, beta0 = shared
        evidence, mean = own_outcomes(alpha, beta, alpha0, beta0)
        return not_ruled_out(mean, evidence, level) if evidence > 1e-9 else 1.0

    def terms(self, shared: Any, alpha: float, beta: float) -> tuple[float, ...]:
        """The number n and the mean m of the arm's own outcomes."""
        evidence, mean = own_outcomes(alpha, beta, shared[1], shared[2])
        return evidence, mean
