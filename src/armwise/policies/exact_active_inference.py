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


def gain_at_most(alpha: float, beta: float, shrink: float) -> float:
    """An upper bound of the intrinsic value H(mu) - E[H(theta)] if nothing changes.

    It is (1/2 - alpha r(alpha) - beta r(beta) + nu r(nu)) / nu: all logarithms cancel. `shrink` is
    1 / nu.

    >>> 0 < gain_at_most(1.0, 1.0, 0.5) - intrinsic(0.5, 0.5, expected_entropy(1.0, 1.0)) < 0.0003
    True
    """
    # r(alpha) and r(beta), cut after C3, have a common denominator, so that there is one division.
    a, b, n = alpha * alpha, beta * beta, shrink * shrink
    under_a = a * (a + (_C1 + _C2 + _C3)) + _C1 * _C3
    under_b = b * (b + (_C1 + _C2 + _C3)) + _C1 * _C3
    over = alpha * (a + (_C2 + _C3)) * under_b + beta * (b + (_C2 + _C3)) * under_a
    apart = over / (under_a * under_b)
    whole = shrink * (1.0 + _C2 * n) / (1.0 + (_C1 + _C2) * n)  # nu r(nu), cut after C2
    return shrink * (0.5 - _C0 * (apart - whole))


def gain_at_least(alpha: float, beta: float, shrink: float) -> float:
    """A lower bound of the intrinsic value if nothing changes, with r cut elsewhere.

    >>> 0 < intrinsic(0.5, 0.5, expected_entropy(1.0, 1.0)) - gain_at_least(1.0, 1.0, 0.5) < 0.002
    True
    """
    a, b, n = alpha * alpha, beta * beta, shrink * shrink
    under_a, under_b = alpha * (a + (_C1 + _C2)), beta * (b + (_C1 + _C2))
    apart = (a + _C2) / under_a + (b + _C2) / under_b
    whole = shrink / (1.0 + _C1 * n)
    return shrink * (0.5 - _C0 * (apart - whole))


def mixing(rho: float, distance: float, curvature: float) -> float:
    """H(mu~) - (1 - rho) H(mu) - rho H(mu0), from |mu - mu0| and a value of -H'' in between.

    The largest such value gives an upper bound, the smallest one a lower bound.
    """
    return 0.5 * rho * (1.0 - rho) * distance * distance * curvature


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

    They use that -H'' is at least 4, and on an interval largest at one of its ends.
    """
    shrink = 1.0 / (alpha + beta)
    mu, rest = alpha * shrink, beta * shrink
    stays = 1.0 - shared.rho
    value = shared.lam * stays * (mu - rest) + shared.settled
    far = mu - shared.mu0
    curvature = max(1.0 / (mu * rest), 1.0 / (shared.mu0 * shared.rest0))
    low = stays * gain_at_least(alpha, beta, shrink) + mixing(shared.rho, far, 4.0)
    high = stays * gain_at_most(alpha, beta, shrink) + mixing(shared.rho, far, curvature)
    return value + low, value + high


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
