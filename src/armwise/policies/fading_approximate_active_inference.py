"""Approximate active inference whose preferences fade (fading A-AI)."""

import math
from typing import Any

from armwise.model.component import parameter
from armwise.model.draws import Stream
from armwise.model.roles import Assumed, Policy
from armwise.policies.approximate_active_inference import preference_and_bonus


def faded(lam: float, decay: float, trial: int) -> float:
    """The precision in a trial: lam_t = lam / ln(e + t)^decay, t the number of earlier trials.

    >>> faded(3.0, 2.0, 1), round(faded(3.0, 2.0, 1_000), 4)
    (3.0, 0.0628)
    """
    return lam / math.log(math.e + (trial - 1.0)) ** decay


class FadingApproximateActiveInference(Policy):
    """A-AI with a precision that falls with the logarithm of the trials."""

    label = "fading-A-AI"
    equation = "2 lam_t mu + 1 / (2 nu), lam_t = lam / ln(e + t)^decay"
    reference = "Eq. approx_ai; decay = 1: the paper's Discussion; decay = 2: new in armwise"
    term_names = ("extrinsic", "intrinsic", "lam")

    lam: float = parameter(
        default=3.0, slider=(0, 6), low=0, meaning="precision of the preferences in trial 1"
    )
    decay: float = parameter(
        default=2.0, slider=(0, 4), low=0, high=10, meaning="lam falls with ln(e + t) to this power"
    )

    def prepare(self, trial: int, arms: int, assumed: Assumed, rng: Stream) -> Any:
        """The precision in this trial."""
        return faded(self.lam, self.decay, trial)

    def score(self, shared: Any, arm: int, alpha: float, beta: float, rng: Stream) -> float:
        """The score of A-AI at the precision of the trial."""
        return preference_and_bonus(shared, alpha, beta)

    def terms(self, shared: Any, alpha: float, beta: float) -> tuple[float, ...]:
        """The terms of A-AI, and the precision."""
        nu = alpha + beta
        return 2.0 * shared * alpha / nu, 0.5 / nu, shared
