"""Claims 10 to 15: mathematics, tested to machine precision, with a proof if there is one.

With h(x) = ln x + 1 / (2x) - psi(x + 1) = 2 int_0^oo s / ((s^2 + x^2)(exp(2 pi s) - 1)) ds (Binet),
which is positive and decreases in x, the exact information gain of an arm for rho = 0 is

    gain = H(mu) - E[H(theta)] = 1 / (2 nu) - [mu h(alpha) + (1 - mu) h(beta) - h(nu)].

Because alpha and beta are below nu, the bracket is positive: 1 / (2 nu) exceeds the exact gain for
all beliefs (claim 10). For fixed mu the bracket decreases as 1 / nu^2, so the ratio of the two
gains tends to 1 from above: the approximate gain shrinks faster than the exact one, not more slowly
(claim 11).
"""

import contextlib
import itertools
import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from armwise.bandits import StationaryBandit, SwitchingBandit, VaryingBandit
from armwise.learners import Smile
from armwise.model.roles import Assumed
from armwise.numerics.gamma import digamma
from armwise.paper.claims.claim import Said, claim
from armwise.paper.claims.curves import random_rate
from armwise.paper.claims.decide import MARGIN, Finding, above, below, contrast, exact, within
from armwise.paper.claims.evidence import Data, Evidence, Missing
from armwise.paper.claims.families import ARMS, EPSILONS, RHOS, VARYING
from armwise.paper.claims.verdict import Note
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
_COUNTS = ((1, 1), (2, 1), (1, 3), (1.5, 2.5), (5, 5), (30, 2), (1, 150), (120, 80), (900, 700))


def exact_gain(alpha: float, beta: float, rho: float = 0.0) -> float:
    """The intrinsic value of an arm under a flat prior, computed as in G-AI.

    >>> round(exact_gain(1.0, 1.0), 6) == round(math.log(2.0) - 0.5, 6)
    True
    """
    nu = alpha + beta
    mu, rest = predictive(rho, alpha / nu, 0.5), predictive(rho, beta / nu, 0.5)
    return intrinsic(mu, rest, ambiguity(rho, alpha, beta, expected_entropy(1.0, 1.0)))


def _beliefs() -> list[tuple[float, float]]:
    """Beliefs with alpha and beta of at least 1, over a grid of means and evidence."""
    found = [(1.0, float(nu) - 1.0) for nu in EVIDENCE] + [
        (float(nu) - 1.0, 1.0) for nu in EVIDENCE
    ]
    for nu in EVIDENCE:
        found += [(nu * mu, nu * (1 - mu)) for mu in MEANS if min(nu * mu, nu * (1 - mu)) >= 1.0]
    return found


@claim(10)
def never_below(evidence: Evidence) -> Said:
    """Proved in the module's docstring; on the grid the difference exceeds rounding."""
    beliefs = _beliefs()
    margins = [0.5 / (a + b) - exact_gain(a, b) for a, b in beliefs]
    relative = min(2.0 * (a + b) * m for (a, b), m in zip(beliefs, margins, strict=True))
    yield above({"rho": 0}, exact(min(margins)), -ROUNDING)
    least = f"least relative surplus {relative:.2g} on {len(beliefs)} beliefs"
    yield f"Proved for all beliefs; {least}."


@claim(11)
def slower(evidence: Evidence) -> Said:
    """The ratio of approximate to exact gain would have to grow with nu, but it decreases."""
    paths = {f"mu = {mu:g}": [(4.0**i, 4.0**i / mu - 4.0**i) for i in range(1, 6)] for mu in _PATHS}
    paths["successes only"] = [(4.0**i, 1.0) for i in range(6)]
    for path, beliefs in paths.items():
        ratios = [0.5 / (a + b) / exact_gain(a, b) for a, b in beliefs]
        steps = [later / earlier - 1.0 for earlier, later in itertools.pairwise(ratios)]
        yield above({"path": path}, exact(max(steps)))
        yield Note("ratios", {"path": path, "beliefs": beliefs, "ratios": ratios})
    yield (
        "The ratio of approximate to exact gain starts at "
        f"{0.25 / exact_gain(1.0, 1.0):.3f} for the prior and falls, to 1 for a fixed mean: being "
        "larger, the approximate gain passes any level later, but it is the one that falls faster."
    )


@claim(12)
def changing(evidence: Evidence) -> Said:
    """Tested on beliefs that an agent reaches: a run of successes from the flat prior."""
    needed = []
    for rho in RHOS:
        margins = list(itertools.islice(_successes(rho), 1_000))
        yield above({"rho": rho}, exact(min(margins)), -ROUNDING)
        first = next((n for n, margin in enumerate(margins, 1) if margin < -ROUNDING), None)
        run = {"successes_in_a_row_until_below": first, "least_surplus": min(margins)}
        yield Note("runs", {"rho": rho, **run})
        needed.append(f"{first} at rho = {rho:g}")
    runs = ", ".join(needed)
    yield f"The exact gain is the larger one after a run of successes on one arm: {runs}."


def _successes(rho: float) -> Iterator[float]:
    """The surplus of the approximate gain after 1, 2, ... successes in a row."""
    learner, alpha, beta = Smile(rho=rho), 1.0, 1.0
    while True:
        gamma = learner.change(None, 0, 1, alpha, beta)
        alpha, beta = learner.update(None, gamma, 0, True, 1, alpha, beta)
        yield 0.5 / (alpha + beta) - exact_gain(alpha, beta, rho)


@claim(13)
def approximation(evidence: Evidence) -> Said:
    """The error lies between -1 / (12 x^2) and -1 / (12 x^2) + 1 / (120 x^4) for every x > 0."""
    for low in (1.0, 10.0, 100.0, 1_000.0):
        distances = []
        for x in np.geomspace(low, 10.0 * low, 500):
            error = digamma(float(x)) - (math.log(x) - 0.5 / x)
            # The error of the asymptotic series plus the rounding of the logarithm.
            room = 1.0 / (120.0 * x**4) + ROUNDING * max(1.0, math.log(x))
            distances.append(abs(error + 1.0 / (12.0 * x * x)) / room)
        yield below({"x from": low}, exact(max(distances)), 1.0)
    at_one, at_ten = digamma(1.0) + 0.5, digamma(10.0) - math.log(10.0) + 0.05
    yield f"The error is {at_one:.4f} at x = 1, {at_ten:.2e} at x = 10."


@claim(14)
def closed_form(evidence: Evidence) -> Said:
    """Compared with risk plus ambiguity by tanh-sinh quadrature, without special functions."""
    for rho in (0.0, *RHOS):
        errors = []
        for (alpha, beta), lam in itertools.product(_COUNTS, (0.0, 0.1, 0.5, 2.0)):
            policy = ExactActiveInference(lam=lam)
            shared = policy.prepare(1, 2, Assumed(rho, 1.0, 1.0), None)  # type: ignore[arg-type]
            score = policy.score(shared, 0, float(alpha), float(beta), None)  # type: ignore[arg-type]
            errors.append(abs(-score - free_energy(float(alpha), float(beta), rho, lam)))
        yield below({"rho": rho}, exact(max(errors)), 1e-12)


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


@claim(15)
def random_choice(evidence: Evidence) -> list[Said]:
    """Compared with exact sums, and with the simulated agents of figure 6 if there are any."""
    parts: list[Said] = [[_formula(arms) for arms in ARMS]]
    with contextlib.suppress(Missing):  # the formula does not need it
        parts.append(_simulated(evidence.data("figure-6")))
    return parts


def _formula(arms: int) -> Finding:
    nodes, weights = np.polynomial.legendre.leggauss(arms // 2 + 1)
    # E[max of K uniforms] = int_0^1 (1 - x^K) dx; the rule is exact for this polynomial.
    largest = float(weights @ (1.0 - (0.5 * (nodes + 1.0)) ** arms)) / 2.0
    errors = [abs(VaryingBandit(arms).random_rate() - (largest - 0.5))]
    for epsilon in EPSILONS:
        # The mean cost: 0 for one of K arms, epsilon for each of the others.
        mean = float(sum([Fraction(epsilon)] * (arms - 1), Fraction(0)) / arms)
        bandits = (StationaryBandit(arms, epsilon), SwitchingBandit(arms, epsilon))
        errors += [abs(bandit.random_rate() - mean) for bandit in bandits]
    return below({"arms": arms}, exact(max(errors)), ROUNDING)


def _simulated(data: Data) -> list[Finding | Note | str]:
    """The mean over all panels: a single test, so that chance cannot refute algebra."""
    samples, notes = [], []
    for cell in VARYING:
        rate = data.rate(data.horizon, policy="RC", **cell)
        samples.append(rate / random_rate(cell) - 1.0)
        notes.append(Note("simulated", {**cell, "relative_error": float(samples[-1].mean())}))
    pooled = contrast([1.0 / len(samples)] * len(samples), samples)
    return [within({}, pooled, -MARGIN, MARGIN), *notes]
