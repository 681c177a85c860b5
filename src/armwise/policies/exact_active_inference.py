"""Exact active inference (G-AI), Eq. efe, exact_ai and efe_est.

G = risk + ambiguity = -(extrinsic value) - (intrinsic value). Everything is symmetrical in alpha
and beta, so that beliefs which mirror each other tie exactly where they should.
"""

import math
from typing import Any, NamedTuple

from armwise.model.component import parameter
from armwise.model.draws import Stream
from armwise.model.roles import Assumed, Policy
from armwise.numerics.gamma import digamma
from armwise.policies.approximate_active_inference import precision, settle


def entropy(mu: float, rest: float) -> float:
    """Entropy of a Bernoulli variable, mu + rest = 1.

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
    """Risk: the divergence KL(Q(o) || P(o)) of predicted from preferred outcomes."""
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


def gain_at_most(alpha: float, beta: float, inverse: float) -> float:
    """Above the intrinsic value H(mu) - E[H(theta)] if nothing changes; inverse is 1/(nu a b).

    psi(x+1) lies between log x + 1/(2x) - 1/(12x^2) and that + 1/(120x^4): all logarithms cancel.

    >>> 0 < gain_at_most(1.0, 1.0, 0.5) - intrinsic(0.5, 0.5, expected_entropy(1.0, 1.0)) < 0.003
    True
    """
    shrink = alpha * beta * inverse  # 1 / nu
    product = (alpha + beta) * inverse  # 1 / (alpha beta)
    cubes = (alpha * alpha * alpha + beta * beta * beta) * product * product * product
    return shrink * (0.5 + shrink / 12.0 + cubes / 120.0) - product / 12.0


def gain_at_least(alpha: float, beta: float) -> float:
    """Below the intrinsic value if nothing changes, by the other sides of the same bounds.

    >>> 0 < intrinsic(0.5, 0.5, expected_entropy(1.0, 1.0)) - gain_at_least(1.0, 1.0) < 0.02
    True
    """
    shrink = 1.0 / (alpha + beta)
    cube = shrink * shrink * shrink
    return shrink * (0.5 + shrink / 12.0 - cube / 120.0) - 1.0 / (12.0 * alpha * beta)


def mixing(rho: float, distance: float, curvature: float) -> float:
    """H(mu~) - (1 - rho) H(mu) - rho H(mu0), from |mu - mu0| and some value of -H'' between.

    With the largest it is a bound from above, with the least one from below.
    """
    return 0.5 * rho * (1.0 - rho) * distance * distance * curvature


def predictive(rho: float, mu: float, mu0: float) -> float:
    """mu~ = mu + rho (mu0 - mu), Eq. marginal; mu0 = 1/2 for the paper's flat prior."""
    return mu + rho * (mu0 - mu)


class ExactActiveInference(Policy):
    """Minus the expected free energy: prefers arms that pay and arms that teach."""

    label = "G-AI"
    equation = "-G = -(risk + ambiguity) = extrinsic + intrinsic"
    reference = "Eq. efe, exact_ai, efe_est"
    lasts = True

    lam: float = parameter(
        default=0.25, low=0, high=700, meaning="precision of the prior preferences"
    )
    decay: float = parameter(
        default=0.0, low=0, high=10, quiet=True, meaning="lam falls with ln(e + t) to this power"
    )

    def check(self) -> None:
        """With a decay it is another algorithm, whose scores depend on the trial."""
        settle(self, self.decay, ExactActiveInference, FadingExactActiveInference)

    def prepare(self, trial: int, arms: int, assumed: Assumed, rng: Stream) -> Any:
        """The change probability; the mean and the ambiguity after a change; ln Z; the rest."""
        rest0 = assumed.beta0 / (assumed.alpha0 + assumed.beta0)
        mu0 = assumed.alpha0 / (assumed.alpha0 + assumed.beta0)
        fresh = 0.0
        if assumed.rho > 0.0:
            flat = assumed.alpha0 == 1.0 and assumed.beta0 == 1.0
            fresh = 0.5 if flat else expected_entropy(assumed.alpha0, assumed.beta0)
        evidence = log_evidence(self.lam)
        settled = assumed.rho * (entropy(mu0, rest0) - fresh) - evidence
        return assumed.rho, mu0, rest0, fresh, evidence, settled

    def score(self, shared: Any, arm: int, alpha: float, beta: float, rng: Stream) -> float:
        """-(risk + ambiguity)."""
        rho, mu0, rest0, fresh, evidence, _ = shared
        nu = alpha + beta
        mu, rest = predictive(rho, alpha / nu, mu0), predictive(rho, beta / nu, rest0)
        return -(risk(self.lam, mu, rest, evidence) + ambiguity(rho, alpha, beta, fresh))

    def ceiling(self, shared: Any, arm: int, alpha: float, beta: float) -> float:
        """A bound of the score without logarithms: what is settled comes from `prepare`."""
        rho, mu0, rest0, _, _, settled = shared
        nu = alpha + beta
        inverse = 1.0 / (nu * alpha * beta)
        mu, rest = beta * (alpha * alpha * inverse), alpha * (beta * beta * inverse)
        # -H''(mu) = 1 / (mu (1 - mu)) is largest at an end of the way from mu to mu0.
        curvature = max(nu * nu * nu * inverse, 1.0 / (mu0 * rest0))
        gain = (1.0 - rho) * gain_at_most(alpha, beta, inverse)
        gain += mixing(rho, mu - mu0, curvature)
        value = self.lam * (predictive(rho, mu, mu0) - predictive(rho, rest, rest0))
        return value + gain + settled

    def floor(self, shared: Any, arm: int, alpha: float, beta: float) -> float:
        """The same from below: -H'' is at least 4."""
        rho, mu0, rest0, _, _, settled = shared
        mu, rest = alpha / (alpha + beta), beta / (alpha + beta)
        gain = (1.0 - rho) * gain_at_least(alpha, beta) + mixing(rho, mu - mu0, 4.0)
        value = self.lam * (predictive(rho, mu, mu0) - predictive(rho, rest, rest0))
        return value + gain + settled

    def terms(self, shared: Any, alpha: float, beta: float) -> dict[str, float]:
        """Both decompositions of G."""
        rho, mu0, rest0, fresh, evidence, _ = shared
        nu = alpha + beta
        mu, rest = predictive(rho, alpha / nu, mu0), predictive(rho, beta / nu, rest0)
        uncertainty = ambiguity(rho, alpha, beta, fresh)
        return {
            "risk": risk(self.lam, mu, rest, evidence),
            "ambiguity": uncertainty,
            "extrinsic": extrinsic(self.lam, mu, rest, evidence),
            "intrinsic": intrinsic(mu, rest, uncertainty),
        }


class Now(NamedTuple):
    """All that the methods of G-AI read of it, as it is in a trial."""

    lam: float


_prepare: Any = ExactActiveInference.prepare
_score: Any = ExactActiveInference.score
_ceiling: Any = ExactActiveInference.ceiling
_floor: Any = ExactActiveInference.floor


class FadingExactActiveInference(ExactActiveInference):
    """G-AI whose preferences fade: what G-AI becomes with a decay."""

    label = "G-AI"
    equation = "extrinsic + intrinsic with lam_t = lam / ln(e + t)^decay"
    reference = "Eq. efe, exact_ai, efe_est; the schedule: new in armwise"
    lasts = False

    def prepare(self, trial: int, arms: int, assumed: Assumed, rng: Stream) -> Any:
        """The precision in this trial, and what the arms share by it."""
        now = Now(precision(self.lam, self.decay, trial))
        return now, _prepare(now, trial, arms, assumed, rng)

    def score(self, shared: Any, arm: int, alpha: float, beta: float, rng: Stream) -> float:
        """As of G-AI, with the precision in this trial."""
        return _score(shared[0], shared[1], arm, alpha, beta, rng)

    def ceiling(self, shared: Any, arm: int, alpha: float, beta: float) -> float:
        """The bound of that."""
        return _ceiling(shared[0], shared[1], arm, alpha, beta)

    def floor(self, shared: Any, arm: int, alpha: float, beta: float) -> float:
        """The bound from below."""
        return _floor(shared[0], shared[1], arm, alpha, beta)

    def terms(self, shared: Any, alpha: float, beta: float) -> dict[str, float]:
        """Both decompositions of G."""
        return ExactActiveInference(shared[0].lam).terms(shared[1], alpha, beta)
