"""Exact active inference (G-AI), Eq. efe, exact_ai and efe_est.

G = risk + ambiguity = -(extrinsic value) - (intrinsic value). Everything is symmetrical in alpha
and beta, so that beliefs which mirror each other tie exactly where they should.
"""

import math
from typing import Any

from armwise.component import parameter
from armwise.grammar import Assumed, Policy
from armwise.random import Stream
from armwise.special import digamma


def entropy(mu: float, rest: float) -> float:
    """Entropy of a Bernoulli variable, mu + rest = 1.

    >>> entropy(0.5, 0.5) == math.log(2)
    True
    """
    return -(mu * math.log(mu) + rest * math.log(rest))


def log_evidence(lam: float) -> float:
    """The normaliser of the preferences: ln Z = ln(2 cosh lam)."""
    return lam + math.log(1.0 + math.exp(-2.0 * lam))


def extrinsic(lam: float, mu: float, rest: float) -> float:
    """Extrinsic value: the expected log preference E[ln P(o)], P(o) of Eq. preference."""
    return lam * (mu - rest) - log_evidence(lam)


def risk(lam: float, mu: float, rest: float) -> float:
    """Risk: the divergence KL(Q(o) || P(o)) of predicted from preferred outcomes."""
    return -entropy(mu, rest) - extrinsic(lam, mu, rest)


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


def predictive(rho: float, mu: float, mu0: float) -> float:
    """mu~ = mu + rho (mu0 - mu), Eq. marginal; mu0 = 1/2 for the paper's flat prior."""
    return mu + rho * (mu0 - mu)


class ExactActiveInference(Policy):
    """Minus the expected free energy: prefers arms that pay and arms that teach."""

    label = "G-AI"
    equation = "-G = -(risk + ambiguity) = extrinsic + intrinsic"
    reference = "Eq. efe, exact_ai, efe_est"

    lam: float = parameter(
        default=0.25, low=0, high=700, meaning="precision of the prior preferences"
    )

    def prepare(self, trial: int, arms: int, assumed: Assumed, rng: Stream) -> Any:
        """The change probability, the mean after a change, and the ambiguity after a change."""
        rest0 = assumed.beta0 / (assumed.alpha0 + assumed.beta0)
        mu0 = assumed.alpha0 / (assumed.alpha0 + assumed.beta0)
        fresh = expected_entropy(assumed.alpha0, assumed.beta0) if assumed.rho > 0.0 else 0.0
        return assumed.rho, mu0, rest0, fresh

    def score(self, shared: Any, arm: int, alpha: float, beta: float, rng: Stream) -> float:
        """-(risk + ambiguity)."""
        rho, mu0, rest0, fresh = shared
        nu = alpha + beta
        mu, rest = predictive(rho, alpha / nu, mu0), predictive(rho, beta / nu, rest0)
        return -(risk(self.lam, mu, rest) + ambiguity(rho, alpha, beta, fresh))

    def lasts(self) -> bool:
        """Neither the trial nor a draw matters."""
        return True

    def terms(self, shared: Any, alpha: float, beta: float) -> dict[str, float]:
        """Both decompositions of G."""
        rho, mu0, rest0, fresh = shared
        nu = alpha + beta
        mu, rest = predictive(rho, alpha / nu, mu0), predictive(rho, beta / nu, rest0)
        uncertainty = ambiguity(rho, alpha, beta, fresh)
        return {
            "risk": risk(self.lam, mu, rest),
            "ambiguity": uncertainty,
            "extrinsic": extrinsic(self.lam, mu, rest),
            "intrinsic": intrinsic(mu, rest, uncertainty),
        }
