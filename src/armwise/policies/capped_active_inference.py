"""Approximate active inference with a fading precision and a cap (capped A-AI)."""

import math
from typing import Any

from armwise.model.component import parameter
from armwise.model.draws import Stream
from armwise.model.roles import Assumed, Policy
from armwise.numerics.divergence import kl, kl_upper
from armwise.policies.fading_approximate_active_inference import faded


def capped(mu: float, hoped: float, allowed: float) -> float:
    """The smaller of `hoped` and the largest u with kl(mu, u) <= allowed.

    >>> capped(0.5, 0.6, 1.0), capped(0.5, 0.9, 0.0)
    (0.6, 0.5)
    """
    if hoped < 1.0 and kl(mu, hoped) <= allowed:
        return hoped
    return min(hoped, kl_upper(mu, allowed))


class CappedActiveInference(Policy):
    """A-AI with a precision that falls with ln t, and a bonus that the evidence can rule out."""

    label = "capped-A-AI"
    equation = "min(mu + c_t / nu, U), c_t = ln(e + t)^decay / (4 lam), nu kl(mu, U) = ln(1 + t/nu)"
    reference = "new in armwise; the cap: Garivier and Cappé 2011"
    term_names = ("lam", "bonus", "cap")

    lam: float = parameter(
        default=3.0,
        slider=(0.1, 6),
        low=0,
        open_low=True,
        meaning="precision of the preferences in trial 1",
    )
    decay: float = parameter(
        default=2.0, slider=(0, 4), low=0, high=10, meaning="lam falls with ln(e + t) to this power"
    )

    def prepare(self, trial: int, arms: int, assumed: Assumed, rng: Stream) -> Any:
        """The trial, and the weight c of the bonus."""
        return float(trial), 0.25 / faded(self.lam, self.decay, trial)

    def bounds(self, shared: Any, arm: int, alpha: float, beta: float) -> tuple[float, float]:
        """The mean, and the mean plus the bonus without a cap."""
        nu = alpha + beta
        return alpha / nu, (alpha + shared[1]) / nu

    def score(self, shared: Any, arm: int, alpha: float, beta: float, rng: Stream) -> float:
        """The mean plus the bonus, capped."""
        trial, bonus = shared
        nu = alpha + beta
        return capped(alpha / nu, (alpha + bonus) / nu, math.log(1.0 + trial / nu) / nu)

    def terms(self, shared: Any, alpha: float, beta: float) -> tuple[float, ...]:
        """The precision, the bonus and the cap."""
        trial, bonus = shared
        nu = alpha + beta
        cap = kl_upper(alpha / nu, math.log(1.0 + trial / nu) / nu)
        return 0.25 / bonus, bonus / nu, cap
