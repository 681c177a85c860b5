"""A log of choices with propensities, and what another way to choose would have earned on it.

The value of a way to choose is the mean outcome that it would have: the sum over arms of its
probability times theta. A row of the log counts with the weight w = that probability / propensity.
"""

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from armwise.errors import InputError, brief, real_number
from armwise.numerics.student import student_quantile

METHODS = ("doubly robust", "self-normalised", "inverse propensity")
_FAR = 1.5  # a mean weight this many times above or below 1 is reported
_SLACK = 1e-6  # by which probabilities may miss their sum


class Estimate(NamedTuple):
    """An estimated value with its confidence interval and standard error.

    `effective` is the number of rows of equal weight that would be worth as much (Kish 1965).
    """

    mean: float
    low: float
    high: float
    sem: float
    effective: float


@dataclass(frozen=True)
class Log:
    """Rows of a log in order: the arm, the outcome, and how probable that arm was.

    Arms are places from 0 to `count` - 1; `names` are theirs. A propensity may depend on all rows
    before, as it does if an agent learned from them.

    >>> Log([0, 1, 1], [1, 0, 1], [0.5, 0.5, 0.5]).count
    2
    """

    arms: Any
    outcomes: Any
    propensities: Any
    names: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        for name in ("arms", "outcomes", "propensities"):
            object.__setattr__(self, name, _row(name, getattr(self, name)))
        sizes = {len(self.arms), len(self.outcomes), len(self.propensities)}
        if len(sizes) > 1 or max(sizes) < 2:
            raise InputError(
                f"A log must have the same number of arms, outcomes and propensities, at least 2, "
                f"not {len(self.arms)}, {len(self.outcomes)} and {len(self.propensities)}."
            )
        _refuse("An arm must be a whole number from 0 up", self.arms, _is_place(self.arms))
        binary = np.isin(self.outcomes, (0.0, 1.0))
        _refuse("An outcome must be 0 or 1", self.outcomes, binary)
        inside = (self.propensities > 0.0) & (self.propensities <= 1.0)
        _refuse("A propensity must be above 0 and at most 1", self.propensities, inside)
        object.__setattr__(self, "arms", self.arms.astype(np.int64))
        most = int(self.arms.max()) + 1
        if not self.names:
            object.__setattr__(self, "names", tuple(range(most)))
        if len(self.names) < most:
            raise InputError(f"names must name all {most} arms, not {len(self.names)}.")

    @property
    def count(self) -> int:
        """The number of arms."""
        return len(self.names)


def value(
    log: Log, target: Any, method: str = "doubly robust", confidence: float = 0.95
) -> Estimate:
    """The mean outcome of a way to choose, estimated from a log that another one wrote.

    `target` has a probability per arm: a list, or a dictionary by name; or a row of them for every
    row of the log. With w = target / propensity of the arm of a row, and o its outcome,

    - "inverse propensity" is the mean of w o (Horvitz and Thompson 1952);
    - "self-normalised" is the sum of w o divided by the sum of w (Hajek 1971; Swaminathan and
      Joachims 2015): a small bias, often much less spread;
    - "doubly robust" is the mean of sum_k target_k q_k + w (o - q), where q is the mean outcome of
      an arm in the rows before (Dudik et al. 2011): unbiased like the first.

    Intervals are Student's, from the spread over rows. They hold where rows are independent, and
    where an agent learned while it wrote the log, as long as no arm's propensity goes to 0; if it
    does, as under Thompson sampling, the mean weight tells, and a warning says so.

    >>> log = Log([0, 1, 1, 0], [1, 0, 1, 1], [0.5, 0.5, 0.5, 0.5])
    >>> value(log, [1.0, 0.0], "self-normalised").mean
    1.0
    """
    if not isinstance(log, Log):
        raise InputError(f"log must be an offline.Log, not {brief(log)}.")
    if not isinstance(method, str) or method not in METHODS:
        raise InputError(f"method must be one of {', '.join(METHODS)}, not {brief(method)}.")
    tail = 0.5 - 0.5 * real_number("confidence", confidence, 0.0, 1.0, "()")
    chances = _chances(log, target)
    n = len(log.arms)
    own = chances[np.arange(n) if len(chances) > 1 else 0, log.arms]
    weights = own / log.propensities
    total = weights.sum()
    if total == 0.0:
        raise InputError("The log has no row with an arm that the target would choose.")
    _warn_of_arms_hardly_tried(log, chances, total / n)
    terms = _terms(log, chances, weights, method)
    mean = float(terms.mean())
    if method == "self-normalised":
        mean = float((weights * log.outcomes).sum() / total)
        terms = weights * (log.outcomes - mean) * (n / total)
    sem = float(terms.std(ddof=1) / math.sqrt(n))
    margin = student_quantile(1.0 - tail, n - 1.0) * sem
    effective = float(total * total / (weights * weights).sum())
    return Estimate(mean, mean - margin, mean + margin, sem, effective)


def _terms(log: Log, chances: np.ndarray, weights: np.ndarray, method: str) -> np.ndarray:
    """What the rows contribute to the mean."""
    if method != "doubly robust":
        return weights * log.outcomes
    expected, at = np.zeros(len(weights)), np.zeros(len(weights))
    for arm in range(log.count):
        mine = log.arms == arm
        seen = np.cumsum(mine) - mine  # in the rows before
        ones = np.cumsum(mine * log.outcomes) - mine * log.outcomes
        believed = (ones + 0.5) / (seen + 1.0)
        expected += chances[:, arm] * believed
        at[mine] = believed[mine]
    return expected + weights * (log.outcomes - at)


def _chances(log: Log, target: Any) -> np.ndarray:
    """The probabilities of the target, as one row or as many as the log has."""
    if isinstance(target, Mapping):
        strange = [arm for arm in target if arm not in log.names]
        if strange:
            raise InputError(f"The log has no arm {brief(strange[0])}, which the target names.")
        target = [target.get(name, 0.0) for name in log.names]
    try:
        found = np.atleast_2d(np.asarray(target, dtype=float))
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"target must be probabilities, not {brief(target)}.") from None
    if found.ndim != 2 or found.shape not in ((1, log.count), (len(log.arms), log.count)):
        raise InputError(
            f"target must have {log.count} probabilities, one per arm, or {len(log.arms)} rows of "
            f"them, not the shape {found.shape}."
        )
    sums = found.sum(axis=1)
    if not (found >= 0.0).all() or not (np.abs(sums - 1.0) <= _SLACK).all():
        raise InputError("The probabilities of the target must be at least 0 and sum to 1.")
    return found


def _warn_of_arms_hardly_tried(log: Log, chances: np.ndarray, mean_weight: float) -> None:
    """Weights have the mean 1, unless the log lacks what the target would choose."""
    tried = np.bincount(log.arms, minlength=log.count) > 0
    missing = float(chances.mean(axis=0)[~tried].sum())
    if missing > 0.0:
        found = f"never tried, with probability {missing:.3g}"
    elif not 1.0 / _FAR <= mean_weight <= _FAR:
        found = f"hardly tried: weights have the mean {mean_weight:.3g} instead of 1"
    else:
        return
    warnings.warn(
        f"The target chooses arms that the log {found}. The estimate is biased, and its interval "
        "too short.",
        stacklevel=3,
    )


def _row(name: str, values: Any) -> np.ndarray:
    try:
        found = np.asarray(values, dtype=float)
    except (TypeError, ValueError, OverflowError):
        found = np.zeros((0, 0))
    if found.ndim != 1 or getattr(values, "mask", None) is not None:
        raise InputError(f"{name} must be a list of numbers, not {brief(values)}.")
    return found


def _is_place(arms: np.ndarray) -> np.ndarray:
    return (arms >= 0.0) & (arms < 2.0**24) & (arms == np.floor(arms))


def _refuse(sentence: str, values: np.ndarray, good: np.ndarray) -> None:
    if not good.all():
        raise InputError(f"{sentence}, not {values[~good][0]:g}.")
