"""Quantiles of the beta distribution, in scalars."""

import math

from armwise.numerics.beta_tails import SHORT, beta_log_density, beta_mills, on_lower_side
from armwise.numerics.gamma import log_beta, log_scale
from armwise.numerics.hook import hook
from armwise.numerics.normal import normal_quantile


def _usual_guess(p: float, a: float, b: float, log_x: float) -> float:
    """Starting point for the logit of the p-quantile, with p <= 1/2 and a, b >= 1.

    log_x is the logarithm of the quantile under the power law of the lower tail.
    """
    tilt = (b - 1.0) * a * math.exp(log_x) / (a + 1.0)
    if tilt < 0.3:
        # The power law with its first correction.
        log_x = log_x - math.log1p(-tilt * (1.0 + tilt / a)) / a
        return log_x - math.log1p(-math.exp(log_x))
    # Carter's (1947) normal approximation, Abramowitz and Stegun 26.5.22.
    z = -normal_quantile(p)
    inverse_a = 1.0 / (2.0 * a - 1.0)
    inverse_b = 1.0 / (2.0 * b - 1.0)
    harmonic = 2.0 / (inverse_a + inverse_b)
    shape = (z * z - 3.0) / 6.0
    skew = (inverse_b - inverse_a) * (shape + 5.0 / 6.0 - 2.0 / (3.0 * harmonic))
    w = z * math.sqrt(harmonic + shape) / harmonic - skew
    return max(math.log(a / b) - 2.0 * w, log_x)


def _rare_guess(p: float, a: float, b: float, log_x: float, log_y: float) -> float:
    """Starting point if a or b is below 1; log_x and log_y are the power laws of both tails."""
    if a >= 1.0:
        # -log(x) is nearly Gamma(b) / a; use its far tail if p lies there.
        far = -(math.log(p) + log_beta(a, b) + b * math.log(a))
        if far > 1.0:
            v = (far + (b - 1.0) * math.log(far)) / (a + 0.5 * (b - 1.0))
            return -v - math.log(-math.expm1(-v))
    if log_x < -0.7:
        return log_x - math.log1p(-math.exp(log_x))
    log_y = min(log_y, -0.01)
    return math.log1p(-math.exp(log_y)) - log_y


def _log_tail(x: float, y: float, a: float, b: float, scale: float) -> tuple[float, float]:
    """Return log I_x(a, b) and its derivative with respect to logit(x)."""
    log_density = beta_log_density(x, y, a, b, scale)
    if on_lower_side(x, y, a, b):
        mills = beta_mills(x, y, a, b)
        return log_density + math.log(mills), 1.0 / mills
    density = math.exp(log_density)
    tail = max(1.0 - density * beta_mills(y, x, b, a), 1e-16)
    return math.log(tail), density / tail


def householder(error: float, rate: float, slope: float, curvature: float) -> float:
    """Fourth-order step in logit(x) towards a root of `error`, a difference of log I_x.

    `rate` is the derivative of log I_x; `slope` and `curvature` belong to the log-density.
    """
    newton = -error / max(rate, 1e-300)
    second = slope - rate
    third = second * second - curvature - rate * second
    bottom = 1.0 + newton * (second + newton * third / 6.0)
    if bottom > 0.1:
        return newton * (1.0 + 0.5 * newton * second) / bottom
    return newton


def last_step(step: float, target: float, slope: float, curvature: float, x: float) -> float:
    """Correct a short step so that the tail changes by `target` times the density, to rounding.

    The density is a power series in the step; the derivatives of its logarithm are slope,
    -curvature, -curvature (y - x), .. with y = 1 - x. One Newton step solves its integral.
    """
    q = x - x * x
    d = 1.0 - 2.0 * x
    g2 = -0.5 * curvature * d
    g3 = -curvature * (1.0 - 6.0 * q) / 6.0
    g4 = -curvature * d * (1.0 - 12.0 * q) / 24.0
    e1 = slope
    e2 = 0.5 * (slope * e1 - curvature)
    e3 = (slope * e2 - curvature * e1 + g2) / 3.0
    e4 = 0.25 * (slope * e3 - curvature * e2 + g2 * e1 + g3)
    e5 = 0.2 * (slope * e4 - curvature * e3 + g2 * e2 + g3 * e1 + g4)
    e6 = (slope * e5 - curvature * e4 + g2 * e3 + g3 * e2 + g4 * e1) / 6.0
    t = step
    density = 1.0 + t * (e1 + t * (e2 + t * (e3 + t * (e4 + t * (e5 + t * e6)))))
    change = e3 / 4.0 + t * (e4 / 5.0 + t * (e5 / 6.0 + t * (e6 / 7.0)))
    change = t * (1.0 + t * (e1 / 2.0 + t * (e2 / 3.0 + t * change)))
    return t - (change - target) / density


def quantile_logit(p: float, a: float, b: float) -> float:
    """Return logit(x) such that I_x(a, b) = p, for 0 < p <= 1/2.

    Bracketed fourth-order steps on log I_x. The density in logit(x) is log-concave, hence so is
    the tail, and the steps are well behaved.
    """
    scale = log_scale(a, b)
    log_p = math.log(p)
    log_b = -a * math.log1p(b / a) - b * math.log1p(a / b) - scale
    log_x = (log_p + math.log(a) + log_b) / a
    if a >= 1.0 and b >= 1.0 and p > 1e-14:
        u = _usual_guess(p, a, b, log_x)
    else:
        # Where one end's power law is exact to rounding, it is the answer.
        if log_x + math.log1p(b) < -40.0:
            return log_x
        log_y = (math.log1p(-p) + math.log(b) + log_b) / b
        if log_y + math.log1p(a) < -40.0:
            return -log_y
        if a >= 1.0 and b >= 1.0:
            u = _usual_guess(p, a, b, log_x)
        else:
            u = _rare_guess(p, a, b, log_x, log_y)
    low = -80.0
    high = 80.0
    u = min(max(u, -75.0), 75.0)
    for _ in range(100):
        x = _logistic(u)
        y = _logistic(-u)
        log_tail, rate = _log_tail(x, y, a, b, scale)
        error = log_tail - log_p
        if error > 0.0:
            high = u
        else:
            low = u
        slope = a * y - b * x
        curvature = (a + b) * x * y
        step = householder(error, rate, slope, curvature)
        reach = abs(step) * max(1.0, abs(slope) + rate + math.sqrt(curvature))
        if reach < SHORT:
            return u + last_step(step, math.expm1(-error) / rate, slope, curvature, x)
        target = u + step
        if target <= low or target >= high:
            target = 0.5 * (low + high)
        u = target
    return u


def _logistic(u: float) -> float:
    """1 / (1 + exp(-u)) without overflow."""
    if u < 0.0:
        e = math.exp(u)
        return e / (1.0 + e)
    return 1.0 / (1.0 + math.exp(-u))


@hook
def beta_quantile(z: float, a: float, b: float) -> float:
    """Quantile of Beta(a, b), z in [0, 1], a and b in [1e-3, 1e7].

    x with I_x(a, b) = z

    >>> round(beta_quantile(0.25, 2.0, 1.0), 12)
    0.5
    """
    if z <= 0.0:
        return 0.0
    if z >= 1.0:
        return 1.0
    if z <= 0.5:
        return _logistic(quantile_logit(z, a, b))
    return _logistic(-quantile_logit(1.0 - z, b, a))


@hook
def beta_upper_quantile(q: float, a: float, b: float) -> float:
    """Upper quantile of Beta(a, b), q in [0, 1], also for q far below the spacing of 1 - q.

    x with 1 - I_x(a, b) = q

    >>> round(beta_upper_quantile(0.001, 1.0, 3.0), 12)
    0.9
    """
    if q <= 0.0:
        return 1.0
    if q >= 1.0:
        return 0.0
    if q <= 0.5:
        return _logistic(-quantile_logit(q, b, a))
    return _logistic(quantile_logit(1.0 - q, a, b))
