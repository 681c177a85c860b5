"""Priors in a few words, such as "lognormal(0.5, 1)", on the scale of the parameter."""

import math
import re
from typing import NamedTuple

import numpy as np

from armwise.errors import InputError, brief, require, unknown
from armwise.model.component import Range

# What the numbers of a family mean, and which of them must be positive.
FAMILIES = {
    "normal": (("mean", "sd"), (False, True)),
    "lognormal": (("median", "sd of the logarithm"), (True, True)),
    "beta": (("a", "b"), (True, True)),
    "gamma": (("shape", "scale"), (True, True)),
    "uniform": (("low", "high"), (False, False)),
    "halfnormal": (("sd",), (True,)),
}
LOG_ROOT = 0.5 * math.log(2.0 * math.pi)
OUTSIDE = 1e-3  # the share of a prior that may lie outside the range of a parameter
_SENTENCE = re.compile(r"\s*([A-Za-z_]+)\s*\(([^()]*)\)\s*")


class Prior(NamedTuple):
    """A distribution of a parameter: of the family's two numbers, `second` is 0 if there is one."""

    family: str
    first: float
    second: float

    def __str__(self) -> str:
        count = len(FAMILIES[self.family][0])
        return f"{self.family}({', '.join(f'{v:.6g}' for v in (self.first, self.second)[:count])})"

    @property
    def interval(self) -> tuple[float, float]:
        """Where the density is positive.

        >>> read_prior("beta(1, 10)").interval
        (0.0, 1.0)
        """
        if self.family == "normal":
            return -math.inf, math.inf
        if self.family == "uniform":
            return self.first, self.second
        return 0.0, 1.0 if self.family == "beta" else math.inf

    def quantile(self, share: np.ndarray | float) -> np.ndarray:
        """The value below which this share of the distribution lies.

        >>> round(float(read_prior("lognormal(0.5, 1)").quantile(0.5)), 12)
        0.5
        """
        return self._scipy().ppf(share)

    def log_density(self, value: float) -> tuple[float, float]:
        """The logarithm of the density inside the interval, and its slope.

        >>> read_prior("gamma(2, 1)").log_density(1.0)
        (-1.0, 0.0)
        """
        a, b, v = self.first, self.second, value
        match self.family:
            case "normal":
                z = (v - a) / b
                return -0.5 * z * z - math.log(b) - LOG_ROOT, -z / b
            case "lognormal":
                z = (math.log(v) - math.log(a)) / b
                return -0.5 * z * z - math.log(b * v) - LOG_ROOT, -(1.0 + z / b) / v
            case "beta":
                rest = max(1.0 - v, 1e-300)
                scale = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
                inside = (a - 1.0) * math.log(v) + (b - 1.0) * math.log(rest)
                return inside + scale, (a - 1.0) / v - (b - 1.0) / rest
            case "gamma":
                scale = -math.lgamma(a) - a * math.log(b)
                return (a - 1.0) * math.log(v) - v / b + scale, (a - 1.0) / v - 1.0 / b
            case "uniform":
                return -math.log(b - a), 0.0
        return -0.5 * (v / a) ** 2 - math.log(a) - LOG_ROOT + math.log(2.0), -v / a**2

    def outside(self, admitted: Range) -> float:
        """The share that lies outside a range."""
        found = self._scipy()
        return float(found.cdf(admitted.low) + found.sf(admitted.high))

    def _scipy(self) -> "scipy.stats.rv_continuous":  # type: ignore[name-defined]  # noqa: F821
        require("scipy")
        from scipy import stats

        a, b = self.first, self.second
        match self.family:
            case "normal":
                return stats.norm(a, b)
            case "lognormal":
                return stats.lognorm(b, scale=a)
            case "beta":
                return stats.beta(a, b)
            case "gamma":
                return stats.gamma(a, scale=b)
            case "uniform":
                return stats.uniform(a, b - a)
        return stats.halfnorm(scale=a)


def read_prior(sentence: str) -> Prior:
    """The prior that a sentence says; the same words serve Python, TOML and the command line.

    >>> print(read_prior("lognormal(0.5, 1)"))
    lognormal(0.5, 1)
    >>> read_prior("lognormal(0.5)")
    Traceback (most recent call last):
    armwise.errors.InputError: A lognormal prior needs (median, sd of the logarithm), not '(0.5)'.
    """
    found = _SENTENCE.fullmatch(sentence) if isinstance(sentence, str) else None
    if found is None:
        raise InputError(
            f'A prior is a family with numbers, such as "lognormal(0.5, 1)", not {brief(sentence)}.'
        )
    family = found[1].lower()
    if family not in FAMILIES:
        raise unknown("prior", found[1], FAMILIES)
    names, positive = FAMILIES[family]
    wanted = f"({', '.join(names)})"
    try:
        numbers = [float(text) for text in found[2].split(",")]
    except ValueError:
        numbers = []
    if len(numbers) != len(names) or not all(map(math.isfinite, numbers)):
        raise InputError(f"A {family} prior needs {wanted}, not {brief(f'({found[2]})')}.")
    for name, number, above in zip(names, numbers, positive, strict=True):
        if above and number <= 0:
            raise InputError(f"{name} of a {family} prior must be greater than 0, not {number:g}.")
    if family == "uniform" and numbers[0] >= numbers[1]:
        raise InputError(f"A uniform prior needs low < high, not {brief(f'({found[2]})')}.")
    return Prior(family, numbers[0], numbers[1] if len(numbers) > 1 else 0.0)
