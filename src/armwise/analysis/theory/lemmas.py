"""The lemmas behind the regret bounds, each as the number that it states.

theta is the mean of an arm, `level` the q of docs/theory.md, which lies between two means. Beliefs
begin as Be(alpha0, beta0), n outcomes make nu = n + alpha0 + beta0.
"""

import math

import numpy as np

from armwise.errors import real_number, whole_number
from armwise.numerics.divergence import kl

_FEW = 1e-4  # a divergence below which a sum takes too many terms


def affinity(p: float, q: float) -> float:
    """The Bhattacharyya coefficient of two Bernoulli distributions, at most 1.

    >>> affinity(0.5, 0.5), round(affinity(0.1, 0.9), 6)
    (1.0, 0.6)
    """
    return math.sqrt(p * q) + math.sqrt((1.0 - p) * (1.0 - q))


def lundberg_rate(theta: float, level: float) -> float:
    """The r > 0 with E exp(r (level - X)) = 1, X an outcome of an arm with theta > level.

    The chance that the outcomes of the arm ever fall short of `level` by c falls as exp(-r c).

    >>> round(lundberg_rate(0.6, 0.5), 6), round(2 * math.log(0.6 / 0.4), 6)
    (0.81093, 0.81093)
    """
    theta = real_number("theta", theta, 0.0, 1.0, "()")
    level = real_number("level", level, 0.0, theta, "()")
    low = 8.0 * (theta - level)  # by Hoeffding's lemma
    high = low
    while _log_moment(theta, level, high) <= 0.0:
        high *= 2.0
    for _ in range(100):
        middle = 0.5 * (low + high)
        if _log_moment(theta, level, middle) < 0.0:
            low = middle
        else:
            high = middle
    return low


def _log_moment(theta: float, level: float, rate: float) -> float:
    """Return ln E exp(rate (level - X))."""
    return rate * level + math.log1p(theta * math.expm1(-rate))


def low_index_chance(theta: float, level: float, bonus: float) -> float:
    """At most the probability that mu + bonus / nu of an arm is ever below `level` < theta.

    >>> round(low_index_chance(0.6, 0.5, 2.5), 4)
    0.1317
    """
    bonus = real_number("bonus", bonus, 0.0)
    rate = lundberg_rate(theta, level)
    return min(1.0, math.exp(-rate * (bonus - 2.0 * level + 1.0)))


def pulls_below_bonus(theta: float, level: float, bonus: float) -> float:
    """At most the expected number of n with mu + bonus / nu >= `level` > theta.

    >>> round(pulls_below_bonus(0.5, 0.6, 2.0), 2)
    73.17
    """
    level = real_number("level", level, 0.0, 1.0, "()")
    theta = real_number("theta", theta, 0.0, level, "()")
    bonus = real_number("bonus", bonus, 0.0)
    return (bonus + 1.0 - level) / (level - theta) + 1.0 / math.expm1(kl(level, theta))


def pulls_below_evidence(
    theta: float, level: float, evidence: float, alpha0: float = 1.0, beta0: float = 1.0
) -> float:
    """At most the expected number of n with nu kl(mu, level) <= evidence, or mu >= level > theta.

    >>> round(pulls_below_evidence(0.5, 0.6, 3.0), 1)
    352.4
    """
    level = real_number("level", level, 0.0, 1.0, "()")
    theta = real_number("theta", theta, 0.0, level, "()")
    evidence = real_number("evidence", evidence, 0.0)
    alpha0, beta0 = prior_of(alpha0, beta0)
    step = math.log((1.0 - theta) / (1.0 - level))
    reach = evidence + alpha0 * math.log(level / theta) + (1.0 - beta0) * step
    same = affinity(theta, level)
    return max(reach, 0.0) / kl(theta, level) + same / (1.0 - same)


def unlucky_price(
    theta: float, level: float, outcomes: int, alpha0: float = 1.0, beta0: float = 1.0
) -> float:
    """At most E[exp(nu kl(mu, level)); mu <= level] of an arm with theta > level after n outcomes.

    It is what an unlucky beginning of the best arm costs, in trials over nu.

    >>> round(unlucky_price(0.6, 0.5, 0), 2), unlucky_price(0.6, 0.5, 300) < 0.01
    (3.0, True)
    """
    theta = real_number("theta", theta, 0.0, 1.0, "()")
    level = real_number("level", level, 0.0, theta, "()")
    alpha0, beta0 = prior_of(alpha0, beta0)
    nu = whole_number("outcomes", outcomes, 0) + alpha0 + beta0
    rate = kl(level, theta)
    price = grown(_log_any_prior(theta, level, alpha0, beta0) - nu * rate)
    if alpha0 == beta0 == 1.0:
        flat = _flat(theta, level) * math.sqrt(nu) / (nu - 1.0)
        return min(price, flat * math.exp(-nu * rate))
    return price


def wrong_leader_trials(
    theta: float,
    level: float,
    arms: int,
    share: float = 0.5,
    alpha0: float = 1.0,
    beta0: float = 1.0,
) -> float:
    """At most the expected trials in which H-EFE misses a best arm and no mean is above `level`.

    >>> round(wrong_leader_trials(0.9, 0.5, 2))
    56
    """
    theta = real_number("theta", theta, 0.0, 1.0, "()")
    level = real_number("level", level, 0.0, theta, "()")
    arms = whole_number("arms", arms, 2)
    share = real_number("share", share, 0.0, math.inf, "()")
    alpha0, beta0 = prior_of(alpha0, beta0)
    rivals = (arms - 1.0) * max(1.0, 1.0 / (alpha0 + beta0))
    spread = (math.sqrt(arms / share) + math.sqrt(rivals)) ** 2
    return spread * unlucky_sum(theta, level, alpha0, beta0)


def unlucky_sum(theta: float, level: float, alpha0: float, beta0: float) -> float:
    """The sum of nu times the unlucky price over all n."""
    rate, prior = kl(level, theta), alpha0 + beta0
    shrink = -math.expm1(-rate)
    total = prior / shrink + math.exp(-rate) / (shrink * shrink)
    found = total * grown(_log_any_prior(theta, level, alpha0, beta0) - rate * prior)
    if alpha0 == beta0 == 1.0:
        return min(found, _flat(theta, level) * _power_sum(rate))
    return found


def grown(x: float) -> float:
    """Return exp(x), infinite where it is too large for a float.

    >>> grown(0.0), grown(1e6)
    (1.0, inf)
    """
    return math.exp(x) if x < 700.0 else math.inf


def _log_any_prior(theta: float, level: float, alpha0: float, beta0: float) -> float:
    """The logarithm of the unlucky price for any prior, without exp(-nu kl)."""
    prior = alpha0 + beta0
    log_most = alpha0 * math.log(alpha0 / (prior * theta))
    log_most += beta0 * math.log(beta0 / (prior * (1.0 - theta)))
    return log_most + math.log(theta * (1.0 - level) / (theta - level))


def _flat(theta: float, level: float) -> float:
    """The constant for Be(1, 1), to which a factor sqrt(nu) / (nu - 1) belongs."""
    return (1.0 - level) / ((1.0 - theta) * (theta - level) * math.sqrt(8.0 * math.pi))


def _power_sum(rate: float) -> float:
    """At least the sum of nu^(3/2) / (nu - 1) exp(-rate nu) over nu = 2, 3, ..."""
    if rate < _FEW:
        return 2.0 * (0.8863 * rate**-1.5 + 0.4289 * rate**-0.5)
    nu = np.arange(2.0, 50.0 / rate + 10.0)
    return float(np.sum(nu**1.5 / (nu - 1.0) * np.exp(-rate * nu)))


def prior_of(alpha0: float, beta0: float) -> tuple[float, float]:
    """Both parameters of a prior, checked."""
    checked = [
        real_number(n, v, 0.0, 1e6, "(]") for n, v in zip(_NAMES, (alpha0, beta0), strict=True)
    ]
    return checked[0], checked[1]


_NAMES = ("alpha0", "beta0")
