"""Confidence intervals and corrections: Student t, bootstrap, exact binomial, Holm."""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from armwise.errors import InputError, brief, listed, real_number, whole_number
from armwise.numerics.beta_quantiles import beta_quantile
from armwise.numerics.student import student_quantile

_CHUNK = 1 << 20  # numbers that a bootstrap holds at a time
_COUNT_MAX = 10**7  # largest parameter of `beta_quantile`


class Interval(NamedTuple):
    """An estimate with its confidence interval and standard error: floats, or arrays of them."""

    mean: Any
    low: Any
    high: Any
    sem: Any


def mean_interval(values: Any, confidence: float = 0.95) -> Interval:
    """The mean over the first axis with Student's interval: mean +- t sd / sqrt(n).

    >>> [round(number, 3) for number in mean_interval([1.0, 2.0, 3.0, 4.0])]
    [2.5, 0.446, 4.554, 0.645]
    """
    sample, tail = _sample(values), _tail(confidence)
    n = len(sample)
    # Equal values must not get a spread from rounding.
    equal = np.ptp(sample, axis=0) == 0.0
    mean = np.where(equal, sample[0], sample.mean(axis=0))
    sem = np.where(equal, 0.0, sample.std(axis=0, ddof=1) / math.sqrt(n))
    margin = student_quantile(1.0 - tail, n - 1.0) * sem
    return Interval(*(plain(part) for part in (mean, mean - margin, mean + margin, sem)))


def bootstrap_interval(
    values: Any,
    statistic: Callable[..., Any] = np.mean,
    confidence: float = 0.95,
    resamples: int = 2_000,
    seed: int = 0,
) -> Interval:
    """A statistic over the first axis with its percentile bootstrap interval (Efron 1979).

    `statistic(values, axis=...)` is called like a NumPy function; its value is the `mean` of the
    result.

    >>> low, high = bootstrap_interval([0.0, 0.0, 0.0, 8.0], np.median)[1:3]
    >>> low, high
    (0.0, 8.0)
    """
    sample, tail = _sample(values), _tail(confidence)
    resamples = whole_number("resamples", resamples, 2)
    rng = np.random.default_rng(whole_number("seed", seed, 0))
    n, step = len(sample), max(1, _CHUNK // max(1, sample.size))
    sizes = [min(step, resamples - done) for done in range(0, resamples, step)]
    draws = (sample[rng.integers(0, n, (size, n))] for size in sizes)
    replicas = np.concatenate([statistic(draw, axis=1) for draw in draws])
    low, high = np.quantile(replicas, [tail, 1.0 - tail], axis=0)
    parts = (statistic(sample, axis=0), low, high, replicas.std(axis=0, ddof=1))
    return Interval(*(plain(part) for part in parts))


def binomial_interval(successes: int, trials: int, confidence: float = 0.95) -> Interval:
    """A fraction with its exact interval (Clopper and Pearson 1934).

    The ends are quantiles of Be(k, n - k + 1) and Be(k + 1, n - k), or 0 if k = 0 and 1 if k = n.

    >>> fraction, low, high, _ = binomial_interval(0, 10)
    >>> fraction, low, round(high, 4)
    (0.0, 0.0, 0.3085)
    """
    n = whole_number("trials", trials, 1, _COUNT_MAX)
    k = whole_number("successes", successes, 0, n + 1)
    tail = _tail(confidence)
    low = beta_quantile(tail, k, n - k + 1.0) if k > 0 else 0.0
    high = beta_quantile(1.0 - tail, k + 1.0, n - k) if k < n else 1.0
    return Interval(k / n, low, high, math.sqrt(k * (n - k) / n) / n)


def holm(p_values: Sequence[float] | np.ndarray) -> np.ndarray:
    """The p values of a family, adjusted for multiple tests (Holm 1979), in the same order.

    The i-th smallest of m becomes the largest of (m - j + 1) p_j over j <= i, at most 1.

    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    values = listed("p_values", p_values, "[0.01, 0.04]")
    p = np.array([real_number("A p value", value, 0.0, 1.0, "[]") for value in values])
    order = np.argsort(p, kind="stable")
    adjusted = np.empty(len(p))
    adjusted[order] = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    return np.minimum(adjusted, 1.0)


def _sample(values: Any) -> np.ndarray:
    try:
        sample = np.asarray(values, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"values must be numbers, not {brief(values)}.") from None
    if sample.ndim == 0 or len(sample) < 2:
        raise InputError(f"An interval needs at least two values, not {min(1, sample.size)}.")
    if not np.isfinite(sample).all():
        raise InputError(f"values must be finite, not {sample[~np.isfinite(sample)][0]}.")
    return sample


def _tail(confidence: float) -> float:
    return 0.5 - 0.5 * real_number("confidence", confidence, 0.0, 1.0, "()")


def plain(value: Any) -> Any:
    """Convert a NumPy scalar to a Python number; return arrays unchanged."""
    return float(value) if np.ndim(value) == 0 else value
