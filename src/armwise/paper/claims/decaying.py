"""Approximate active inference whose preferences fade as 1 / ln t: what the paper tried in vain."""

import math
from typing import Any

from armwise.model.component import parameter
from armwise.model.draws import Stream
from armwise.model.roles import Assumed, Policy


class DecayingPreference(Policy):
    """A-AI with lam_t = lam / ln(t + e - 1): lam in trial 1, then falling.

    An arm is tried again once 1 / (2 nu) outweighs its deficit 2 lam_t d, that is while
    nu < ln t / (4 lam d): every arm is sampled at a logarithmic rate, and lam sets which.
    """

    label = "decaying A-AI"
    equation = "2 lam_t mu + 1 / (2 nu), lam_t = lam / ln(t + e - 1)"
    reference = "section Discussion (not reported there)"

    lam: float = parameter(default=0.5, low=0, meaning="precision of the preferences in trial 1")

    def prepare(self, trial: int, arms: int, assumed: Assumed, rng: Stream) -> Any:
        """The precision in this trial."""
        return self.lam / math.log(trial + (math.e - 1.0))

    def score(self, shared: Any, arm: int, alpha: float, beta: float, rng: Stream) -> float:
        """(2 lam_t alpha + 1/2) / nu, as A-AI."""
        return (2.0 * shared * alpha + 0.5) / (alpha + beta)
