"""Between the scale of a parameter and the whole real line, on which people are normal."""

import math
from typing import NamedTuple

import numpy as np

from armwise.model.component import Range

PLAIN, LOG, LOGIT, MIRRORED = 0, 1, 2, 3  # x; low + exp(x); between low and high; high - exp(x)
FAR = 300.0  # beyond this, exp leaves the floats when it is squared


class Transform(NamedTuple):
    """A smooth rising (or, without a low end, mirrored) map of the real line onto an interval."""

    kind: int
    low: float
    high: float
    least: float  # the smallest and the largest value that the parameter admits
    most: float

    def natural(self, x: np.ndarray) -> np.ndarray:
        """From the real line to the parameter's scale.

        >>> transform_of(Range(0, 2)).natural(np.array([-math.inf, 0.0])).round(9).tolist()
        [0.0, 1.0]
        """
        x = np.clip(x, -FAR, FAR)
        if self.kind == LOGIT:
            value = self.low + (self.high - self.low) / (1.0 + np.exp(-x))
        elif self.kind == LOG:
            value = self.low + np.exp(x)
        else:
            value = self.high - np.exp(x) if self.kind == MIRRORED else x
        return np.clip(value, self.least, self.most)

    def slope(self, x: float) -> tuple[float, float, float]:
        """The value at x, the logarithm of the size of the slope there, and that one's slope.

        >>> transform_of(Range(0)).slope(0.5)[1:]
        (0.5, 1.0)
        """
        x = min(max(x, -FAR), FAR)
        if self.kind == PLAIN:
            return x, 0.0, 0.0
        if self.kind == LOGIT:
            share = 1.0 / (1.0 + math.exp(-x))
            width = self.high - self.low
            size = math.log(width) - abs(x) - 2.0 * math.log1p(math.exp(-abs(x)))
            return self.low + width * share, size, 1.0 - 2.0 * share
        value = self.low + math.exp(x) if self.kind == LOG else self.high - math.exp(x)
        return value, x, 1.0

    def real(self, value: np.ndarray | float) -> np.ndarray:
        """From the parameter's scale to the real line.

        >>> transform_of(Range(0)).real(np.array([1.0, math.e])).tolist()
        [0.0, 1.0]
        """
        value = np.asarray(value, float)
        if self.kind == PLAIN:
            return value
        tiny = 1e-12 * max(1.0, abs(self.low) if math.isfinite(self.low) else abs(self.high))
        if self.kind == LOG:
            return np.log(np.maximum(value - self.low, tiny))
        if self.kind == MIRRORED:
            return np.log(np.maximum(self.high - value, tiny))
        share = np.clip((value - self.low) / (self.high - self.low), 1e-12, 1.0 - 1e-12)
        return np.log(share) - np.log1p(-share)


def transform_of(admitted: Range, low: float = -math.inf, high: float = math.inf) -> Transform:
    """The transform of a parameter's range, made narrower by the interval of its prior.

    Both ends count where they enclose a share or where the prior has both; any other upper end of
    a range is a guard of the numerics, far from people, and the scale is that of the lower end.

    >>> transform_of(Range(0, 1)).kind == LOGIT, transform_of(Range(0, 700)).kind == LOG
    (True, True)
    """
    enclosed = math.isfinite(low) and math.isfinite(high)
    low, high = float(max(low, admitted.low)), float(min(high, admitted.high))
    least = math.nextafter(low, math.inf) if admitted.open_low and low == admitted.low else low
    most = math.nextafter(high, -math.inf) if admitted.open_high and high == admitted.high else high
    if math.isfinite(low):
        share = math.isfinite(high) and (enclosed or high - low <= 1.0)
        kind = LOGIT if share else LOG
    else:
        kind = MIRRORED if math.isfinite(high) else PLAIN
    return Transform(kind, low, high, least, most)
