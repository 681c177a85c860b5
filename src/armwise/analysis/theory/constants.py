"""Constants of long runs: Lai and Robbins' bound, schedules of the precision, one precision."""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from armwise.analysis.theory.lemmas import lundberg_rate
from armwise.errors import InputError, listed, real_number, whole_number
from armwise.numerics.divergence import kl


class Problem(NamedTuple):
    """The means of a stationary bandit, in parts."""

    arms: int
    best: float
    others: tuple[float, ...]  # the means below the best

    @property
    def largest_gap(self) -> float:
        """The most that a trial can lose."""
        return self.best - min(self.others)

    def weighed(self, pulls: Sequence[float]) -> float:
        """The regret of pulls of the other arms."""
        pairs = zip(self.others, pulls, strict=True)
        return sum((self.best - theta) * each for theta, each in pairs)


def problem_of(thetas: Iterable[float]) -> Problem:
    """The parts of a list of means inside (0, 1), not all of them equal."""
    means = listed("thetas", thetas, "[0.6, 0.5]")
    found = [real_number("Every theta", theta, 0.0, 1.0, "()") for theta in means]
    others = tuple(theta for theta in found if theta < max(found))
    if not others:
        raise InputError(f"thetas must be at least two means that differ, not {found}.")
    return Problem(len(found), max(found), others)


def lai_robbins(thetas: Iterable[float]) -> float:
    """Lai and Robbins' constant: no uniformly good rule has less regret than this times ln T.

    sum (theta* - theta) / kl(theta, theta*)

    >>> round(lai_robbins([0.6, 0.5, 0.5]), 3)
    9.799
    """
    problem = problem_of(thetas)
    return problem.weighed([1.0 / kl(theta, problem.best) for theta in problem.others])


def price_of_one_precision(thetas: Iterable[float]) -> float:
    """At least the long-run regret of A-AI with any common precision over Lai and Robbins' bound.

    It holds for precisions that are learned, too. It is 1 if all other arms are equally good.

    >>> round(price_of_one_precision([0.6, 0.57] + 8 * [0.3]), 2)
    4.97
    """
    problem = problem_of(thetas)
    second = max(problem.others)
    each = (problem.best - second) / kl(second, problem.best)
    return (
        len(problem.others)
        * each
        / problem.weighed([1.0 / kl(theta, problem.best) for theta in problem.others])
    )


def schedule_of(lam: float, decay: float) -> tuple[float, float]:
    """The two numbers of a schedule lam_t = lam / ln(e + t - 1)^decay, checked."""
    lam = real_number("lam", lam, 0.0, math.inf, "()")
    return lam, real_number("decay", decay, 0.0, 10.0, "[]")


def bonus_at(lam: float, decay: float, trial: float) -> float:
    """The weight c = 1 / (4 lam_t) of the bonus in a trial.

    >>> round(bonus_at(3.0, 2.0, 10_000), 2)
    7.07
    """
    return math.log(math.e + (trial - 1.0)) ** decay / (4.0 * lam)


def schedule_regret(thetas: Iterable[float], lam: float, decay: float, horizon: int) -> float:
    """The long-run regret of A-AI with lam / ln(e + t - 1)^decay, decay > 1, whatever the gaps.

    (number of arms that are not best) ln(e + T - 1)^decay / (4 lam)

    >>> round(schedule_regret([0.6] + 9 * [0.5], lam=3.0, decay=2.0, horizon=1_000_000))
    143
    """
    lam, decay = schedule_of(lam, real_number("decay", decay, 1.0, 10.0, "(]"))
    horizon = whole_number("horizon", horizon, 1, 10**15 + 1)
    return len(problem_of(thetas).others) * bonus_at(lam, decay, horizon)


def decay_exponent(thetas: Iterable[float], lam: float) -> float:
    """The x with regret T^x of A-AI with lam / ln t: max(0, 1 - r / (4 lam)); one arm is best.

    >>> round(decay_exponent([0.6, 0.5], lam=0.5), 3), decay_exponent([0.6, 0.5], lam=0.1)
    (0.595, 0.0)
    """
    problem = problem_of(thetas)
    if len(problem.others) + 1 < problem.arms:
        raise InputError("thetas must have one best arm, not several.")
    lam = real_number("lam", lam, 0.0, math.inf, "()")
    return max(0.0, 1.0 - lundberg_rate(problem.best, max(problem.others)) / (4.0 * lam))
