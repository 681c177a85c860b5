"""Approximate active inference (A-AI), Eq. approx_ai."""

from typing import Any

from armwise.model.component import parameter
from armwise.model.draws import Stream
from armwise.model.roles import Policy


def preference_and_bonus(lam: float, alpha: float, beta: float) -> float:
    """Return 2 lam mu + 1 / (2 nu), as (2 lam alpha + 1/2) / nu: one division keeps ties exact.

    >>> preference_and_bonus(0.5, 1.0, 1.0)
    0.75
    """
    return (2.0 * lam * alpha + 0.5) / (alpha + beta)


class ApproximateActiveInference(Policy):
    """Expected preference plus an information bonus that shrinks with the evidence."""

    label = "A-AI"
    equation = "2 lam mu + 1 / (2 nu)"
    reference = "Eq. approx_ai"
    term_names = ("extrinsic", "intrinsic")

    lam: float = parameter(
        default=0.5,
        slider=(0, 2),
        low=0,
        typical=(0.1, 5),
        meaning="precision of the prior preferences",
    )

    def score(self, shared: Any, arm: int, alpha: float, beta: float, rng: Stream) -> float:
        """Extrinsic plus intrinsic value."""
        return preference_and_bonus(self.lam, alpha, beta)

    def terms(self, shared: Any, alpha: float, beta: float) -> tuple[float, ...]:
        """Extrinsic value 2 lam mu and (approximate) intrinsic value 1 / (2 nu)."""
        nu = alpha + beta
        return 2.0 * self.lam * alpha / nu, 0.5 / nu
