"""Exact active inference (G-AI), Eq. efe, exact_ai and efe_est.

G = risk + ambiguity = -(extrinsic value) - (intrinsic value). All formulas are symmetric in alpha
and beta, so that mirrored beliefs tie exactly where they should.
"""

import math
from typing import Any, NamedTuple

from armwise.model.assumed import Assumed, predictive
from armwise.model.component import parameter
from armwise.model.draws import Stream
from armwise.model.roles import Policy
from armwise.numerics.gamma import digamma

# r(x) = log x - 1/(2x) - psi(x) is a continued fraction, C0 / (x^2 + C1 / (1 + C2 / (x^2 + ...))),
# with positive numbers only: cut after an even number of them it is too small, else too large.
_C0, _C1, _C2, _C3 = 1.0 / 12.0, 1.0 / 10.0, 79.0 / 210.0, 1205.0 / 1659.0


def entropy(mu: float, rest: float) -> float:
    """Entropy of a Bernoulli(mu) variable; rest = 1 - mu.

    >>> entropy(0.5, 0.5) == math.log(2)
    True
    """
    return -(mu * math.log(mu) + rest * math.log(rest))


def log_evidence(lam: float) -> float:
    """The normaliser of the preferences: ln Z = ln(2 cosh lam)."""
    return lam + math.log(1.0 + math.exp(-2.0 * lam))


def extrinsic(lam: float, mu: float, rest: float, evidence: float) -> float:
    """Extrinsic value: the expected log preference E[ln P(o)], P(o) of Eq. preference.

    `evidence` is `log_evidence(lam)`, which all arms share.
    """
    return lam * (mu - rest) - evidence


def risk(lam: float, mu: float, rest: float, evidence: float) -> float:
    """Risk: the divergence KL(Q(o) || P(o)) between predicted and preferred outcomes."""
    return -entropy(mu, rest) - extrinsic(lam, mu, rest, evidence)


def expected_entropy(alpha: float, beta: float) -> float:
    """E[H(theta)] for theta ~ Be(alpha, beta): the ambiguity of an arm that did not change.

    >>> round(expected_entropy(1.0, 1.0), 12)
    0.5
    """
    nu = alpha + beta
    tilted = alpha * digamma(alpha + 1.0) + beta * digamma(beta + 1.0)
    return digamma(nu + 1.0) - tilted / nu


def ambiguity(rho: float, alpha: float, beta: float, fresh: float) -> float:
    """Ambiguity: E[H(o | theta)] if the arm changes (to `fresh`) with probability rho."""
    return (1.0 - rho) * expected_entropy(alpha, beta) + rho * fresh


def intrinsic(mu: float, rest: float, uncertainty: float) -> float:
    """Intrinsic value: the expected information gain, H(E[theta]) - E[H(theta)]."""
    return entropy(mu, rest) - uncertainty


def inverses(nu: float) -> tuple[float, float]:
    """Return 1 / nu and nu r(nu) / C0, cut after C2, with one division."""
    square = nu * nu
    over_cube = 1.0 / (nu * (square + (_C1 + _C2)))
    return over_cube * (square + (_C1 + _C2)), over_cube * (square + _C2)


def parts_at_least(alpha: float, beta: float) -> tuple[float, float]:
    """Numerator and denominator of (alpha r(alpha) + beta r(beta)) / C0, cut after C3."""
    a, b = alpha * alpha, beta * beta
    under_a = a * (a + (_C1 + _C2 + _C3)) + _C1 * _C3
    under_b = b * (b + (_C1 + _C2 + _C3)) + _C1 * _C3
    over = alpha * (a + (_C2 + _C3)) * under_b + beta * (b + (_C2 + _C3)) * under_a
    return over, under_a * under_b


def gain_at_least(alpha: float, beta: float, over_nu: float) -> float:
    """A lower bound of the intrinsic value H(mu) - E[H(theta)] if nothing changes.

    >>> 0 < intrinsic(0.5, 0.5, expected_entropy(1.0, 1.0)) - gain_at_least(1.0, 1.0, 0.5) < 0.002
    True
    """
    a, b = alpha * alpha, beta * beta
    parts = (a + _C2) / (alpha * (a + (_C1 + _C2))) + (b + _C2) / (beta * (b + (_C1 + _C2)))
    return over_nu * (0.5 - _C0 * (parts - over_nu / (1.0 + _C1 * over_nu * over_nu)))


class Shared(NamedTuple):
    """The values that all arms share in a trial."""

    lam: float
    rho: float
    mu0: float  # mean after a change
    rest0: float  # 1 - mu0
    fresh: float  # ambiguity after a change
    evidence: float  # ln Z
    settled: float  # the part of the bounds that is equal for all arms


def shared_by_all(lam: float, rho: float, alpha0: float, beta0: float) -> Shared:
    """The values that all arms share, from a precision, a change probability and a prior."""
    rest0 = beta0 / (alpha0 + beta0)
    mu0 = alpha0 / (alpha0 + beta0)
    fresh = 0.0
    if rho > 0.0:
        flat = alpha0 == 1.0 and beta0 == 1.0
        fresh = 0.5 if flat else expected_entropy(alpha0, beta0)
    evidence = log_evidence(lam)
    settled = rho * (entropy(mu0, rest0) - fresh + lam * (mu0 - rest0)) - evidence
    return Shared(lam, rho, mu0, rest0, fresh, evidence, settled)


def minus_expected_free_energy(shared: Shared, alpha: float, beta: float) -> float:
    """Return -G = -(risk + ambiguity)."""
    nu = alpha + beta
    mu = predictive(shared.rho, alpha / nu, shared.mu0)
    rest = predictive(shared.rho, beta / nu, shared.rest0)
    uncertainty = ambiguity(shared.rho, alpha, beta, shared.fresh)
    return -(risk(shared.lam, mu, rest, shared.evidence) + uncertainty)


def bounds_without_logarithms(shared: Shared, alpha: float, beta: float) -> tuple[float, float]:
    """A lower and an upper bound of -G.

    If nothing changes, the intrinsic value H(mu) - E[H(theta)] is the sum (1/2 - alpha r(alpha) -
    beta r(beta) + nu r(nu)) / nu without a logarithm. A change that may come adds H(mu~) -
    (1 - rho) H(mu) - rho H(mu0), which is rho (1 - rho) (mu - mu0)^2 / 2 times a value of -H'' in
    between: it is at least 4, and on an interval largest at one of its ends.
    """
    over_nu, whole = inverses(alpha + beta)
    mu = alpha * over_nu
    stays, far = 1.0 - shared.rho, mu - shared.mu0
    value = 2.0 * shared.lam * stays * mu - (shared.lam * stays - shared.settled)
    mixing = 0.5 * shared.rho * stays * (far * far)
    low = stays * gain_at_least(alpha, beta, over_nu) + 4.0 * mixing
    over, under = parts_at_least(alpha, beta)
    high = over_nu * (0.5 * stays - _C0 * stays * (over / under - whole))
    flat = min(mu * (beta * over_nu), shared.mu0 * shared.rest0)  # the smallest value of -1 / H''
    return value + low, value + (high + mixing / flat)


DECOMPOSITIONS = ("risk", "ambiguity", "extrinsic", "intrinsic")


def both_decompositions(
    shared: Shared, alpha: float, beta: float
) -> tuple[float, float, float, float]:
    """Both decompositions of G: risk and ambiguity; extrinsic and intrinsic value."""
    nu = alpha + beta
    mu = predictive(shared.rho, alpha / nu, shared.mu0)
    rest = predictive(shared.rho, beta / nu, shared.rest0)
    uncertainty = ambiguity(shared.rho, alpha, beta, shared.fresh)
    return (
        risk(shared.lam, mu, rest, shared.evidence),
        uncertainty,
        extrinsic(shared.lam, mu, rest, shared.evidence),
        intrinsic(mu, rest, uncertainty),
    )


class ExactActiveInference(Policy):
    """Minus the expected free energy: prefers arms that pay and arms that teach."""

    label = "G-AI"
    equation = "-G = -(risk + ambiguity) = extrinsic + intrinsic"
    reference = "Eq. efe, exact_ai, efe_est"
    term_names = DECOMPOSITIONS

    lam: float = parameter(
        default=0.25,
        slider=(0, 2),
        low=0,
        high=700,
        typical=(0.05, 3),
        meaning="precision of the prior preferences",
    )

    def prepare(self, trial: int, arms: int, assumed: Assumed, rng: Stream) -> Any:
        """Precision, change probability, expectations after a change, and ln Z."""
        return shared_by_all(self.lam, assumed.rho, assumed.alpha0, assumed.beta0)

    def score(self, shared: Any, arm: int, alpha: float, beta: float, rng: Stream) -> float:
        """Minus the sum of risk and ambiguity."""
        return minus_expected_free_energy(shared, alpha, beta)

    def bounds(self, shared: Any, arm: int, alpha: float, beta: float) -> tuple[float, float]:
        """A lower and an upper bound of the score, without a logarithm."""
        return bounds_without_logarithms(shared, alpha, beta)

    def terms(self, shared: Any, alpha: float, beta: float) -> tuple[float, ...]:
        """Both decompositions of G."""
        return both_decompositions(shared, alpha, beta)
