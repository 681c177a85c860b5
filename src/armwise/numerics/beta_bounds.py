"""Bounds of quantiles of the beta distribution that cost a few nanoseconds.

No branch, no logarithm, no exponential: a loop over arms turns into vector instructions. The
approximation is fitted, and its error was measured (benchmarks/quantile_bounds.py); the bounds
leave room for more than that error.
"""

import math

from armwise.numerics.hook import hook

FARTHEST = 4.998  # normal quantiles beyond are not approximated
# The normal quantile of 1 - v as a ratio of polynomials in sqrt(v), and its error, which grows in
# the tail.
_TOP = (
    -1574726.79344,
    -17609999.5321,
    11548836.4985,
    1182841.55191,
    9485.10255696,
    5.67827887213,
)
_BOTTOM = (
    -5379423.50523,
    3947778.28456,
    5724611.62073,
    342042.264782,
    2093.44904864,
    1.0,
)
TAIL_ERROR = 0.0004
# The error of the log odds, relative to sigma^3 (1 + z^4 / 16), and where this error is smallest.
_ERROR = 0.017
_LEAST = 0.01


def near_normal_quantile(u: float) -> float:
    """The normal quantile of u to 0.0004 (1 + |z| / 2), but not beyond -5 and 5.

    >>> abs(near_normal_quantile(0.975) - 1.95996) < 0.0008, near_normal_quantile(1e-12) > -5.01
    (True, True)
    """
    tail = u if u < 0.5 else 1.0 - u
    tail = tail if tail > 2.8665157187919333e-07 else 2.8665157187919333e-07
    root = math.sqrt(tail)
    z = _quintic(_TOP, root, tail) / _quintic(_BOTTOM, root, tail)
    return z if u >= 0.5 else -z


def _quintic(c: tuple[float, ...], x: float, square: float) -> float:
    """A polynomial at x, its terms in pairs: in a chain, each product waits for the one before."""
    least = c[4] * x + c[5]
    return least + square * (c[2] * x + c[3] + square * (c[0] * x + c[1]))


def _exp(t: float) -> float:
    """The exponential function, with relative error below t^3 / 20 000 for small t."""
    s = t * 0.015625
    power = 1.0 + s + 0.5 * s * s
    for _ in range(6):
        power = power * power
    return power


@hook
def beta_quantile_bounds(u: float, a: float, b: float) -> tuple[float, float]:
    """A lower and an upper bound of the u-quantile of Beta(a, b); 0 and 1 if a or b is below 1.

    The quantile's log odds are, with p = 1/a, q = 1/b and the normal quantile z of u, nearly

        log((a - 1/3) / (b - 1/3)) + z sqrt(p + q) (1 + ..) + (q - p) (..),

    the expansion of Cornish and Fisher around Kerman's (2011) median, with fitted coefficients.

    >>> low, high = beta_quantile_bounds(0.25, 2.0, 1.0)
    >>> 0.48 < low < 0.5 < high < 0.52
    True
    """
    z = near_normal_quantile(u)
    return bounds_at(z, a, b, TAIL_ERROR)


def bounds_at(z: float, a: float, b: float, loose: float) -> tuple[float, float]:
    """The bounds of the quantile with the normal quantile z, which is known to loose (1 + |z|)."""
    total = a + b
    inverse = 1.0 / (a * b)
    variance = total * inverse  # p + q
    tilt = (a - b) * inverse  # q - p
    lopsided = (a - b) * tilt / total  # (q - p)^2 / (p + q)
    sigma = math.sqrt(variance)
    t = z * z
    skew = 0.0016518653795 + t * (0.16591576804 + t * 0.00011812734370)
    skew += variance * (-0.057127875477 + t * (0.046968800167 + t * 0.0019442960909))
    skew += lopsided * (0.0072277274886 - t * (0.0018270163711 + t * 0.00072593321766))
    scale = variance * (0.070549086330 + t * (0.021340544458 - t * 9.0184871968e-05))
    scale += lopsided * (0.072673347960 + t * (0.0092098735867 - t * 3.1265812776e-05))
    far = z if z >= 0.0 else -z
    least = variance if variance > _LEAST else _LEAST
    error = _ERROR * least * (1.0 + 0.0625 * t * t) + loose * (1.0 + far)
    factor = 1.0 + 0.5 * sigma * error * (1.0 + 0.25 * sigma * error)
    factor = factor * factor
    top = (3.0 * a - 1.0) * _exp(sigma * z * (1.0 + scale) + tilt * skew)
    bottom = 3.0 * b - 1.0
    low = top / (top + bottom * factor)
    high = top * factor / (top * factor + bottom)
    known = 1.0 if a >= 1.0 else 0.0
    known = known if b >= 1.0 else 0.0
    low = low if z > -FARTHEST else 0.0
    high = high if z < FARTHEST else 1.0
    return low if known > 0.0 else 0.0, high if known > 0.0 else 1.0
