"""UCB tuned for Bernoulli outcomes (the paper's section Bayesian upper confidence bound)."""

import math
from typing import Any

from armwise.model.draws import Stream
from armwise.model.roles import Assumed, Policy

# An arm without evidence has an infinite score; this floor keeps it finite and above all others.
_LEAST_EVIDENCE = 1e-12


def bonus(log_trial: float, mean: float, evidence: float) -> float:
    """Return ln t / n + sqrt(m ln t / n)."""
    share = log_trial / evidence
    return share + math.sqrt(mean * share)


def own_outcomes(alpha: float, beta: float, alpha0: float, beta0: float) -> tuple[float, float]:
    """Number and mean of an arm's own outcomes: the belief minus the prior.

    >>> own_outcomes(4.0, 2.0, 1.0, 1.0)
    (4.0, 0.75)
    """
    evidence = alpha + beta - alpha0 - beta0
    if evidence <= _LEAST_EVIDENCE:  # a smaller remainder is rounding, not an outcome
        return _LEAST_EVIDENCE, 0.0
    return evidence, max(alpha - alpha0, 0.0) / evidence


class UCB(Policy):
    """The arm's own mean plus a bonus for few outcomes; trial t <= K plays arm t."""

    label = "UCB"
    equation = "m + ln t / n + sqrt(m ln t / n)"
    reference = "Chapelle and Li 2011; Auer et al. 2002"
    term_names = ("evidence", "own_mean", "bonus")

    def prepare(self, trial: int, arms: int, assumed: Assumed, rng: Stream) -> Any:
        """The arm whose turn it is in the first K trials (later -1), ln t, and the prior."""
        turn = trial - 1 if trial <= arms else -1
        return turn, math.log(trial), assumed.alpha0, assumed.beta0

    def score(self, shared: Any, arm: int, alpha: float, beta: float, rng: Stream) -> float:
        """Score m + ln t / n + sqrt(m ln t / n), with n and m counted without the prior."""
        turn, log_trial, alpha0, beta0 = shared
        if turn >= 0:
            return 1.0 if arm == turn else 0.0
        evidence, mean = own_outcomes(alpha, beta, alpha0, beta0)
        return mean + bonus(log_trial, mean, evidence)

    def terms(self, shared: Any, alpha: float, beta: float) -> tuple[float, ...]:
        """The number n and the mean m of the arm's own outcomes, and the bonus."""
        _, log_trial, alpha0, beta0 = shared
        evidence, mean = own_outcomes(alpha, beta, alpha0, beta0)
        return evidence, mean, bonus(log_trial, mean, evidence)
