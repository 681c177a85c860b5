"""Student's t distribution."""

import math

from armwise.numerics.beta_quantiles import quantile_logit
from armwise.numerics.beta_tails import lower_tail


def student_sf(t: float, degrees: float) -> float:
    """Upper tail of Student's t distribution, degrees in [1, 1e7].

    P(T > t) = I_x(degrees/2, 1/2) / 2 with x = degrees / (degrees + t^2), for t >= 0

    >>> round(student_sf(1.0, 1.0), 12)
    0.25
    """
    square = t * t
    if square < 1e-300:
        return 0.5
    ratio = degrees / square
    half_tail = 0.5 * lower_tail(ratio / (1.0 + ratio), 1.0 / (1.0 + ratio), 0.5 * degrees, 0.5)
    if t < 0.0:
        return 1.0 - half_tail
    return half_tail


def student_quantile(z: float, degrees: float) -> float:
    """Quantile of Student's t distribution, z in [0, 1], degrees in [1, 1e7].

    t = -sqrt(degrees (1-x)/x) with I_x(degrees/2, 1/2) = 2 z, for z <= 1/2

    >>> round(student_quantile(0.75, 1.0), 12)
    1.0
    """
    tail = min(z, 1.0 - z)
    if tail <= 0.0:
        return math.copysign(math.inf, z - 0.5)
    if tail <= 0.25:
        log_odds = -quantile_logit(2.0 * tail, 0.5 * degrees, 0.5)
    elif tail < 0.5:
        log_odds = quantile_logit(1.0 - 2.0 * tail, 0.5, 0.5 * degrees)
    else:
        return 0.0
    return math.copysign(math.sqrt(degrees) * math.exp(0.5 * log_odds), z - 0.5)
