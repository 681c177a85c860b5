"""Claims 10 to 15: mathematics. Proved where there is a proof, and tested to machine precision.

With h(x) = ln x + 1 / (2x) - psi(x + 1) = 2 int_0^oo s / ((s^2 + x^2)(exp(2 pi s) - 1)) ds (Binet),
positive and falling in x, the exact information gain of an arm for rho = 0 is

    gain = H(mu) - E[H(theta)] = 1 / (2 nu) - [mu h(alpha) + (1 - mu) h(beta) - h(nu)].

As alpha and beta are below nu, the bracket is positive: 1 / (2 nu) exceeds the exact gain for all
beliefs (claim 10). For fixed mu the bracket falls as 1 / nu^2, so that the ratio of the two tends
to 1 from above: the approximate gain shrinks faster than the exact one, not slower (claim 11).
"""

import contextlib
import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np

from armwise.bandits import StationaryBandit, SwitchingBandit, VaryingBandit
from armwise.learners import Smile
from armwise.model.roles import Assumed
from armwise.numerics.gamma import digamma
from armwise.paper.claims.claim import Part, claim
from armwise.paper.claims.decide import MARGIN, above, below, contrast, exact, within
from armwise.paper.claims.evidence import ARMS, EPSILONS, RHOS, Evidence, Missing
from armwise.policies import ExactActiveInference
from armwise.policies.exact_active_inference import (
    ambiguity,
    expected_entropy,
    intrinsic,
    predictive,
)

ROUNDING = 64 * np.finfo(float).eps
EVIDENCE = np.unique(np.round(np.geomspace(2.0, 20_000.0, 120)))  # nu
MEANS = np.linspace(0.005, 0.995, 199)
_PATHS = (0.3, 0.5, 0.7)


def exact_gain(alpha: float, beta: float, rho: float = 0.0) -> float:
    """The intrinsic value of an arm under a flat prior, as G-AI computes it.

    >>> round(exact_gain(1.0, 1.0), 6) == round(math.log(2.0) - 0.5, 6)
    True
    """
    nu = alpha + beta
    mu, rest = predictive(rho, alpha / nu, 0.5), predictive(rho, beta / nu, 0.5)
    return intrinsic(mu, rest, ambiguity(rho, alpha, beta, expected_entropy(1.0, 1.0)))


def _beliefs() -> list[tuple[float, float]]:
    """Beliefs from the flat prior up (alpha and beta of at least 1), over means and evidence."""
    found = [(1.0, float(nu) - 1.0) for nu in EVIDENCE] + [
        (float(nu) - 1.0, 1.0) for nu in EVIDENCE
    ]
    for nu in EVIDENCE:
        found += [(nu * mu, nu * (1 - mu)) for mu in MEANS if min(nu * mu, nu * (1 - mu)) >= 1.0]
    return found


@claim(
    10,
    "The approximate gain is never below",
    "In a stationary world the information gain as A-AI takes it, 1 / (2 "
    "nu), is never below the exact one.",
    "2",
)
def never_below(evidence: Evidence) -> Part:
    """Proved in the module's text; on the grid the difference exceeds rounding."""
    beliefs = _beliefs()
    margins = [0.5 / (a + b) - exact_gain(a, b) for a, b in beliefs]
    relative = min(2.0 * (a + b) * m for (a, b), m in zip(beliefs, margins, strict=True))
    cell = {"rho": 0}
    comment = (
        f"Proved for all beliefs; least relative surplus {relative:.2g} on {len(beliefs)} beliefs."
    )
    return Part(
        "Least surplus of 1 / (2 nu) over the exact gain on the grid",
        [above(cell, exact(min(margins)), -ROUNDING)],
        comment=comment,
    )


@claim(
    11,
    "The approximate gain converges more slowly",
    "The approximate information gain starts larger and falls to zero more "
    "slowly than the exact one.",
    "2",
)
def slower(evidence: Evidence) -> Part:
    """Ratio of approximate to exact gain: it would have to grow with nu, and it falls."""
    findings, notes = [], []
    paths = {f"mu = {mu:g}": [(4.0**i, 4.0**i / mu - 4.0**i) for i in range(1, 6)] for mu in _PATHS}
    paths["successes only"] = [(4.0**i, 1.0) for i in range(6)]
    for path, beliefs in paths.items():
        ratios = [0.5 / (a + b) / exact_gain(a, b) for a, b in beliefs]
        steps = [later / earlier - 1.0 for earlier, later in itertools.pairwise(ratios)]
        findings.append(above({"path": path}, exact(max(steps))))
        notes.append({"path": path, "beliefs": beliefs, "ratios": ratios})
    comment = (
        "The ratio of approximate to exact gain starts at "
        f"{0.25 / exact_gain(1.0, 1.0):.3f} for the prior and falls, to 1 for a fixed mean: being "
        "larger, the approximate gain passes any level later, but it is the one that falls faster."
    )
    measure = (
        "Largest relative rise of the ratio when the evidence grows fourfold (slower means above 0)"
    )
    return Part(measure, findings, comment=comment, notes={"ratios": notes})


@claim(
    12,
    "Never below in a changing world either",
    "The approximate information gain is never below the exact one when "
    "the world may change (rho > 0).",
    "text",
)
def changing(evidence: Evidence) -> Part:
    """Beliefs that an agent reaches: a run of successes on one arm, from the flat prior."""
    findings, notes = [], []
    for rho in RHOS:
        learner, alpha, beta = Smile(rho=rho), 1.0, 1.0
        margins = []
        for _ in range(1_000):
            gamma = learner.change(None, 0, 1, alpha, beta)
            alpha, beta = learner.update(None, gamma, 0, True, 1, alpha, beta)
            margins.append(0.5 / (alpha + beta) - exact_gain(alpha, beta, rho))
        cell = {"rho": rho}
        findings.append(above(cell, exact(min(margins)), -ROUNDING))
        first = next((n for n, margin in enumerate(margins, 1) if margin < -ROUNDING), None)
        notes.append(
            {**cell, "successes_in_a_row_until_below": first, "least_surplus": min(margins)}
        )
    needed = ", ".join(
        f"{n['successes_in_a_row_until_below']} at rho = {n['rho']:g}" for n in notes
    )
    comment = f"The exact gain is the larger one after a run of successes on one arm: {needed}."
    measure = "Least surplus of 1 / (2 nu) over the exact gain after up to 1000 successes in a row"
    return Part(measure, findings, comment=comment, notes={"runs": notes})


@claim(
    13,
    "The digamma approximation",
    "For large x, psi(x) is close to ln x - 1 / (2x).",
    "text",
)
def approximation(evidence: Evidence) -> Part:
    """The error lies between -1 / (12 x^2) and that plus 1 / (120 x^4), for every x > 0."""
    findings = []
    for low in (1.0, 10.0, 100.0, 1_000.0):
        distances = []
        for x in np.geomspace(low, 10.0 * low, 500):
            error = digamma(float(x)) - (math.log(x) - 0.5 / x)
            # What the asymptotic series leaves open, and the rounding of the logarithm.
            room = 1.0 / (120.0 * x**4) + ROUNDING * max(1.0, math.log(x))
            distances.append(abs(error + 1.0 / (12.0 * x * x)) / room)
        findings.append(below({"x from": low}, exact(max(distances)), 1.0))
    error = digamma(1.0) + 0.5
    comment = (
        f"The error is {error:.4f} at x = 1, {digamma(10.0) - math.log(10.0) + 0.05:.2e} at x = 10."
    )
    return Part(
        "Distance of the error from -1 / (12 x^2), in units of 1 / (120 x^4) (against 1)",
        findings,
        comment=comment,
    )


@claim(
    14,
    "The closed form of G",
    "The closed form of the expected free energy is its definition, integrated.",
    "text",
)
def closed_form(evidence: Evidence) -> Part:
    """Risk plus ambiguity by tanh-sinh quadrature, without any special function."""
    findings = []
    for rho in (0.0, *RHOS):
        errors = []
        for alpha, beta in (
            (1, 1),
            (2, 1),
            (1, 3),
            (1.5, 2.5),
            (5, 5),
            (30, 2),
            (1, 150),
            (120, 80),
            (900, 700),
        ):
            for lam in (0.0, 0.1, 0.5, 2.0):
                policy = ExactActiveInference(lam=lam)
                shared = policy.prepare(1, 2, Assumed(rho, 1.0, 1.0), None)  # type: ignore[arg-type]
                score = policy.score(shared, 0, float(alpha), float(beta), None)  # type: ignore[arg-type]
                errors.append(abs(-score - free_energy(float(alpha), float(beta), rho, lam)))
        findings.append(below({"rho": rho}, exact(max(errors)), 1e-12))
    return Part("Largest distance of closed form and quadrature (against 1e-12)", findings)


def free_energy(alpha: float, beta: float, rho: float, lam: float) -> float:
    """G = KL(Q(o) || P(o)) + E[H(o | theta)], integrated over theta by the tanh-sinh rule.

    >>> round(free_energy(1.0, 1.0, 0.0, 0.0), 12)
    0.5
    """
    t = np.linspace(-4.6, 4.6, 8_001)
    # theta and 1 - theta, both without cancellation, and their logarithms.
    u = np.pi * np.sinh(t)
    log_theta, log_rest = -np.logaddexp(0.0, -u), -np.logaddexp(0.0, u)
    jacobian = np.log(np.cosh(t)) + log_theta + log_rest
    theta, rest = np.exp(log_theta), np.exp(log_rest)
    surprise = -(theta * log_theta + rest * log_rest)

    def mean(values: np.ndarray, a: float, b: float) -> float:
        density = (a - 1.0) * log_theta + (b - 1.0) * log_rest + jacobian
        weights = np.exp(density - density.max())
        return float((weights @ values) / weights.sum())

    def mixed(values: np.ndarray) -> float:
        return (1.0 - rho) * mean(values, alpha, beta) + rho * mean(values, 1.0, 1.0)

    predicted = (mixed(theta), mixed(rest))
    preferred = (1.0 / (1.0 + math.exp(-2.0 * lam)), 1.0 / (1.0 + math.exp(2.0 * lam)))
    risk = sum(q * math.log(q / p) for q, p in zip(predicted, preferred, strict=True))
    return risk + mixed(surprise)


@claim(
    15,
    "The regret of random choice",
    "Random choice loses epsilon (K - 1) / K a trial, and K / (K + 1) - "
    "1/2 where every arm is uniform.",
    "6",
)
def random_choice(evidence: Evidence) -> list[Part]:
    """The sums done exactly; and the simulated agents of figure 6, where there are any."""
    findings = []
    for arms in ARMS:
        nodes, weights = np.polynomial.legendre.leggauss(arms // 2 + 1)
        # E[max of K uniforms] = int_0^1 (1 - x^K) dx; the rule is exact for this polynomial.
        largest = float(weights @ (1.0 - (0.5 * (nodes + 1.0)) ** arms)) / 2.0
        errors = [abs(VaryingBandit(arms).random_rate() - (largest - 0.5))]
        for epsilon in EPSILONS:
            # One arm of K costs nothing, each of the others epsilon: their mean.
            mean = float(sum([Fraction(epsilon)] * (arms - 1), Fraction(0)) / arms)
            worlds: tuple[Any, ...] = (StationaryBandit, SwitchingBandit)
            errors += [abs(world(arms, epsilon).random_rate() - mean) for world in worlds]
        findings.append(below({"arms": arms}, exact(max(errors)), ROUNDING))
    parts = [Part("Error of the formula", findings)]
    with contextlib.suppress(Missing):  # the formula does not need it
        parts.append(_simulated(evidence))
    return parts


def _simulated(evidence: Evidence) -> Part:
    """The mean over all panels: one question, so that chance casts no doubt on algebra."""
    data = evidence.data("figure-6")
    samples, notes = [], []
    for arms in ARMS:
        for rho in RHOS:
            rate = data.rate(data.horizon, policy="RC", arms=arms, rho=rho)
            samples.append(rate / VaryingBandit(arms).random_rate() - 1.0)
            notes.append({"arms": arms, "rho": rho, "relative_error": float(samples[-1].mean())})
    pooled = contrast([1.0 / len(samples)] * len(samples), samples)
    measure = "Mean relative error of the simulated agents of figure 6 (against .05)"
    return Part(measure, [within({}, pooled, -MARGIN, MARGIN)], notes={"simulated": notes})
