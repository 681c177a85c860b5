"""Approximate active inference (A-AI), Eq. approx_ai."""

from typing import Any

from armwise.component import parameter
from armwise.grammar import Policy
from armwise.random import Stream


class ApproximateActiveInference(Policy):
    """Expected preference plus an information bonus that shrinks with the evidence."""

    label = "A-AI"
    equation = "2 lam mu + 1 / (2 nu)"
    reference = "Eq. approx_ai"
    lasts = True

    lam: float = parameter(default=0.5, low=0, meaning="precision of the prior preferences")

    def score(self, shared: Any, arm: int, alpha: float, beta: float, rng: Stream) -> float:
        """(2 lam alpha + 1/2) / nu: one division, so that exact ties stay ties."""
        return (2.0 * self.lam * alpha + 0.5) / (alpha + beta)

    def terms(self, shared: Any, alpha: float, beta: float) -> dict[str, float]:
        """Extrinsic value 2 lam mu and (approximate) intrinsic value 1 / (2 nu)."""
        nu = alpha + beta
        return {"extrinsic": 2.0 * self.lam * alpha / nu, "intrinsic": 0.5 / nu}
