"""Exact active inference whose preferences fade (fading G-AI)."""

from typing import Any

from armwise.model.component import parameter
from armwise.model.draws import Stream
from armwise.model.roles import Assumed, Policy
from armwise.policies.exact_active_inference import (
    DECOMPOSITIONS,
    both_decompositions,
    bounds_without_logarithms,
    minus_expected_free_energy,
    shared_by_all,
)
from armwise.policies.fading_approximate_active_inference import faded


class FadingExactActiveInference(Policy):
    """G-AI with a precision that falls with the logarithm of the trials."""

    label = "fading-G-AI"
    equation = "extrinsic + intrinsic with lam_t = lam / ln(e + t)^decay"
    reference = "Eq. efe, exact_ai, efe_est; the schedule: new in armwise"
    term_names = (*DECOMPOSITIONS, "lam")

    lam: float = parameter(
        default=3.0,
        slider=(0, 6),
        low=0,
        high=700,
        meaning="precision of the preferences in trial 1",
    )
    decay: float = parameter(
        default=2.0, slider=(0, 4), low=0, high=10, meaning="lam falls with ln(e + t) to this power"
    )

    def prepare(self, trial: int, arms: int, assumed: Assumed, rng: Stream) -> Any:
        """The shared values of G-AI at the precision of the trial."""
        lam = faded(self.lam, self.decay, trial)
        return shared_by_all(lam, assumed.rho, assumed.alpha0, assumed.beta0)

    def score(self, shared: Any, arm: int, alpha: float, beta: float, rng: Stream) -> float:
        """The score of G-AI."""
        return minus_expected_free_energy(shared, alpha, beta)

    def bounds(self, shared: Any, arm: int, alpha: float, beta: float) -> tuple[float, float]:
        """The bounds of G-AI."""
        return bounds_without_logarithms(shared, alpha, beta)

    def terms(self, shared: Any, alpha: float, beta: float) -> tuple[float, ...]:
        """The terms of G-AI, and the precision."""
        return *both_decompositions(shared, alpha, beta), shared.lam
