"""Approximate active inference (A-AI), Eq. approx_ai."""

import math
from typing import Any

from armwise.errors import InputError
from armwise.model.component import parameter
from armwise.model.draws import Stream
from armwise.model.roles import Assumed, Policy


def precision(lam: float, decay: float, trial: int) -> float:
    """lam_t = lam / ln(e + t)^decay, t the trials done before this one.

    >>> precision(3.0, 2.0, 1), round(precision(3.0, 2.0, 1_000), 4)
    (3.0, 0.0628)
    """
    return lam / math.log(math.e + (trial - 1.0)) ** decay


def settle(policy: Policy, decay: float, constant: type[Policy], fading: type[Policy]) -> None:
    """Make a policy of two kinds the one that its decay asks for."""
    if type(policy) in (constant, fading):
        object.__setattr__(policy, "__class__", fading if decay > 0.0 else constant)
    elif decay > 0.0 and not isinstance(policy, fading):
        raise InputError(
            f"{policy.label}: decay must be 0 in a policy made from {constant.label}, "
            f"not {decay:g}."
        )


class ApproximateActiveInference(Policy):
    """Expected preference plus an information bonus that shrinks with the evidence."""

    label = "A-AI"
    equation = "2 lam mu + 1 / (2 nu)"
    reference = "Eq. approx_ai"
    lasts = True

    lam: float = parameter(default=0.5, low=0, meaning="precision of the prior preferences")
    decay: float = parameter(
        default=0.0, low=0, high=10, quiet=True, meaning="lam falls with ln(e + t) to this power"
    )

    def check(self) -> None:
        """With a decay it is another algorithm, whose scores depend on the trial."""
        settle(self, self.decay, ApproximateActiveInference, FadingApproximateActiveInference)

    def score(self, shared: Any, arm: int, alpha: float, beta: float, rng: Stream) -> float:
        """(2 lam alpha + 1/2) / nu: one division, so that exact ties stay ties."""
        return (2.0 * self.lam * alpha + 0.5) / (alpha + beta)

    def terms(self, shared: Any, alpha: float, beta: float) -> dict[str, float]:
        """Extrinsic value 2 lam mu and (approximate) intrinsic value 1 / (2 nu)."""
        nu = alpha + beta
        return {"extrinsic": 2.0 * self.lam * alpha / nu, "intrinsic": 0.5 / nu}


class FadingApproximateActiveInference(ApproximateActiveInference):
    """A-AI whose preferences fade: what A-AI becomes with a decay."""

    label = "A-AI"
    equation = "2 lam_t mu + 1 / (2 nu), lam_t = lam / ln(e + t)^decay"
    reference = "Eq. approx_ai; the schedule: new in armwise"
    lasts = False

    def prepare(self, trial: int, arms: int, assumed: Assumed, rng: Stream) -> Any:
        """The precision in this trial."""
        return precision(self.lam, self.decay, trial)

    def score(self, shared: Any, arm: int, alpha: float, beta: float, rng: Stream) -> float:
        """(2 lam_t alpha + 1/2) / nu."""
        return (2.0 * shared * alpha + 0.5) / (alpha + beta)

    def terms(self, shared: Any, alpha: float, beta: float) -> dict[str, float]:
        """As of A-AI, with the precision in this trial."""
        nu = alpha + beta
        return {"extrinsic": 2.0 * shared * alpha / nu, "intrinsic": 0.5 / nu}
