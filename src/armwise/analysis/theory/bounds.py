"""Upper bounds of the expected regret after T trials, each the least over levels q.

Every bound holds for every q between the best mean and the largest other one, so the least of some
is a bound as well. None exceeds the largest possible regret.
"""

import math
from collections.abc import Callable, Iterable

import numpy as np

from armwise.analysis.theory.constants import Problem, bonus_at, problem_of, schedule_of
from armwise.analysis.theory.lemmas import (
    lundberg_rate,
    prior_of,
    pulls_below_bonus,
    pulls_below_evidence,
    unlucky_sum,
    wrong_leader_trials,
)
from armwise.errors import InputError, brief, real_number, whole_number

_LEVELS = 100
_BLOCKS = 2_000
_EXACT = (2.0 / 3.0, 13.0 / 12.0)  # the bonus of G-AI times nu over that of A-AI: least and most


def regret_bound(
    thetas: Iterable[float],
    share: float,
    horizon: int,
    alpha0: float = 1.0,
    beta0: float = 1.0,
    slack: float = 0.0,
) -> float:
    """An upper bound on the expected regret of H-EFE after `horizon` trials, Theorem 1.

    `slack` is the largest difference between the information in a score and ln(1 + h t / nu): 0 for
    H-EFE, .79 for exact H-EFE with Be(1, 1).

    >>> round(regret_bound([0.9, 0.1], share=0.5, horizon=10_000))
    61
    """
    problem = problem_of(thetas)
    share = real_number("share", share, 0.0, math.inf, "()")
    horizon = whole_number("horizon", horizon, 1, 10**15 + 1)
    slack = real_number("slack", slack, 0.0, 300.0)
    alpha0, beta0 = prior_of(alpha0, beta0)
    ahead = share / problem.arms * horizon
    evidence = math.log1p(ahead / (alpha0 + beta0)) + 2.0 * slack

    def at(level: float) -> float:
        wrong = wrong_leader_trials(problem.best, level, problem.arms, share, alpha0, beta0)
        pulls = [pulls_below_evidence(x, level, evidence, alpha0, beta0) for x in problem.others]
        return problem.weighed(pulls) + problem.largest_gap * math.exp(2.0 * slack) * wrong

    return _least(problem, at, horizon)


def schedule_bound(
    thetas: Iterable[float], lam: float, decay: float, horizon: int, exact: bool = False
) -> float:
    """At least the expected regret of A-AI with lam / ln(e + t - 1)^decay, Theorem 4.

    A decay of 0 is a constant precision. `exact` is for G-AI.

    >>> round(schedule_bound([0.9, 0.1], lam=3.0, decay=2.0, horizon=10_000))
    19
    """
    problem = problem_of(thetas)
    horizon = whole_number("horizon", horizon, 1, 10**15 + 1)
    lam, decay = schedule_of(lam, decay)
    if not isinstance(exact, bool):
        raise InputError(f"exact must be True or False, not {brief(exact)}.")
    last = bonus_at(lam, decay, horizon)
    least, most = _EXACT if exact else (1.0, 1.0)

    def at(level: float) -> float:
        pulls = [pulls_below_bonus(x, level, most * last) for x in problem.others]
        unlucky = _unlucky_trials(problem.best, level, lam, decay, horizon, least)
        return problem.weighed(pulls) + problem.largest_gap * unlucky

    return _least(problem, at, horizon)


def capped_bound(thetas: Iterable[float], lam: float, decay: float, horizon: int) -> float:
    """At least the expected regret of capped A-AI with this schedule, Theorem 8.

    LP-AI with caution = 1 never has less bonus than lam = 8, decay = 2: take these.

    >>> round(capped_bound([0.9, 0.1], lam=3.0, decay=2.0, horizon=10_000))
    36
    """
    problem = problem_of(thetas)
    horizon = whole_number("horizon", horizon, 1, 10**15 + 1)
    lam, decay = schedule_of(lam, decay)
    evidence = math.log1p(0.5 * horizon)

    def at(level: float) -> float:
        pulls = [pulls_below_evidence(x, level, evidence) for x in problem.others]
        unlucky = _unlucky_trials(problem.best, level, lam, decay, horizon, 1.0)
        unlucky += unlucky_sum(problem.best, level, 1.0, 1.0)
        return problem.weighed(pulls) + problem.largest_gap * unlucky

    return _least(problem, at, horizon)


def _least(problem: Problem, bound: Callable[[float], float], horizon: int) -> float:
    second = max(problem.others)
    levels = np.linspace(second, problem.best, _LEVELS + 2)[1:-1]
    inside = [float(level) for level in levels if second < level < problem.best]
    return min([problem.largest_gap * horizon, *map(bound, inside)])


def _unlucky_trials(
    best: float, level: float, lam: float, decay: float, horizon: int, least: float
) -> float:
    """At least the sum over trials of the probability that the best arm's index is below `level`.

    The probability falls from trial to trial, so a block has at most its length times the first.
    """
    marks = np.unique(np.geomspace(1.0, horizon + 1.0, _BLOCKS).astype(np.int64))
    marks[-1] = horizon + 1
    bonus = np.log(math.e + (marks[:-1] - 1.0)) ** decay / (4.0 * lam)
    rate = lundberg_rate(best, level)
    chance = np.exp(np.minimum(0.0, -rate * (least * bonus - 2.0 * level + 1.0)))
    return float(np.sum(np.diff(marks) * chance))
