"""Special functions of the beta family as plain scalar Python, equal in bits when compiled.

Only +, -, *, /, comparisons and math.exp, expm1, log, log1p, sqrt are used: the interpreter
and Numba call the same libm for these, while lgamma, erf and ``**`` have differing twins.
Arguments are not checked; the stated ranges are the caller's duty.
"""

import math

from armwise.numerics.gamma import _log_scale, log_beta
from armwise.numerics.normal import normal_quantile

_LARGE = 2500.0  # both parameters above: near the mean the continued fraction is slow
_SHORT = 0.08  # a step, in local units, whose power series has 14 digits
_DROP = 34.0  # quadrature stops where the integrand fell by exp(-34)


# Positive half of the 24-point Gauss-Legendre rule on [-1, 1].
_NODES = (
    0.9951872199970213,
    0.9747285559713095,
    0.9382745520027328,
    0.8864155270044011,
    0.820001985973903,
    0.7401241915785544,
    0.6480936519369755,
    0.5454214713888396,
    0.4337935076260451,
    0.3150426796961634,
    0.1911188674736163,
    0.06405689286260563,
)
_WEIGHTS = (
    0.0123412297999872,
    0.028531388628933663,
    0.04427743881741981,
    0.05929858491543678,
    0.0733464814110803,
    0.08619016153195327,
    0.09761865210411388,
    0.10744427011596563,
    0.1155056680537256,
    0.12167047292780339,
    0.1258374563468283,
    0.12793819534675216,
)
# fmt: on


def _log_minus(x: float, factor: float, e: float) -> float:
    """log(x factor) - e where x factor = 1 + e; e holds the digits that are lost near 1."""
    if e < -0.3 or e > 0.4:
        if x < 1e-290:
            return math.log(x) + math.log(factor) - e
        return math.log(x * factor) - e
    # log(1+e) = 2 atanh(r) with r = e/(2+e), and 2r - e = -e r.
    r = e / (2.0 + e)
    t = r * r
    series = 1.0 / 15.0 + t * (1.0 / 17.0 + t * (1.0 / 19.0 + t * (1.0 / 21.0)))
    series = 1.0 / 9.0 + t * (1.0 / 11.0 + t * (1.0 / 13.0 + t * series))
    series = 1.0 / 3.0 + t * (1.0 / 5.0 + t * (1.0 / 7.0 + t * series))
    return r * (2.0 * t * series - e)


def _log_density(x: float, y: float, a: float, b: float, scale: float) -> float:
    """log(x^a y^b / B(a, b)) with y = 1 - x, scale = _log_scale(a, b): density in logit(x)."""
    total = a + b
    lead = b * x - a * y
    left = a * _log_minus(x, total / a, lead / a)
    right = b * _log_minus(y, total / b, -lead / b)
    return scale + (left + right)


def _fraction(x: float, y: float, a: float, b: float) -> float:
    """I_x(a, b) B(a, b) / (x^a y^b), x <= (a+1)/(a+b+2): even part of Gauss' continued fraction.

    DLMF 8.17.22, contracted to every second convergent and summed by Steed's method.
    """
    slack = a * y - b * x + 1.0
    inverse = 1.0 / (a + 1.0)
    # Starting below the first partial denominator, which may nearly vanish, cancels nothing.
    total = a * slack * inverse
    denominator = 0.0
    delta = 1.0
    m = 0.0
    while abs(delta) > 1e-16 * total and m < 1000.0:
        # Taken before m grows: (a + m) - 1 would round a small a.
        top = (a + m) * (a + b + m)
        m = m + 1.0
        common = m * (b - m) * x * inverse
        top = top * common * x * inverse
        inverse = 1.0 / (a + 2.0 * m + 1.0)
        bottom = m + common + (a + m) * (slack + m * (1.0 + y)) * inverse
        denominator = 1.0 / (bottom + top * denominator)
        delta = top * denominator if m == 1.0 else delta * (bottom * denominator - 1.0)
        total = total + delta
    return 1.0 / total


def _quadrature(x: float, y: float, a: float, b: float) -> float:
    """The value of _fraction for large a and b: the integral of the density over logit(x) - v.

    integral_0^oo exp(-a v - (a+b) log(1 + x (exp(-v) - 1))) dv, cut where nearly exp(-34).
    """
    total = a + b
    slope = a * y - b * x
    curvature = total * x * y
    half = _DROP / (slope + math.sqrt(slope * slope + 2.0 * _DROP * curvature))
    # The form through y is the same number, with smaller terms when y is the smaller one.
    flip = x > y
    integral = 0.0
    for i in range(12):
        for sign in (1.0, -1.0):
            v = half * (1.0 + sign * _NODES[i])
            if flip:
                exponent = b * v - total * math.log1p(y * math.expm1(v))
            else:
                exponent = -a * v - total * math.log1p(x * math.expm1(-v))
            integral = integral + _WEIGHTS[i] * math.exp(exponent)
    return half * integral


def _mills(x: float, y: float, a: float, b: float) -> float:
    """Lower tail over the density in logit(x), for x not above (a+1)/(a+b+2)."""
    if a > _LARGE and b > _LARGE:
        slope = a * y - b * x
        if slope * slope < 4.0 * (a + b) * x * y:  # nearer than two standard deviations
            return _quadrature(x, y, a, b)
    return _fraction(x, y, a, b)


def _on_lower_side(x: float, y: float, a: float, b: float) -> bool:
    """Whether x <= (a+1)/(a+b+2), where the lower tail is the one to compute."""
    return (b + 1.0) * x <= (a + 1.0) * y


def _lower_tail(x: float, y: float, a: float, b: float) -> float:
    """I_x(a, b) for x and y = 1 - x both given."""
    if x <= 0.0:
        return 0.0
    if y <= 0.0:
        return 1.0
    density = math.exp(_log_density(x, y, a, b, _log_scale(a, b)))
    if _on_lower_side(x, y, a, b):
        return min(1.0, density * _mills(x, y, a, b))
    return max(0.0, 1.0 - density * _mills(y, x, b, a))


def beta_cdf(x: float, a: float, b: float) -> float:
    """Distribution function of Beta(a, b), a and b in [1e-3, 1e7].

    I_x(a, b) = integral_0^x t^(a-1) (1-t)^(b-1) dt / B(a, b)

    >>> round(beta_cdf(0.5, 2.0, 1.0), 12)
    0.25
    """
    return _lower_tail(x, 1.0 - x, a, b)


def beta_sf(x: float, a: float, b: float) -> float:
    """Upper tail of Beta(a, b), a and b in [1e-3, 1e7], accurate where it is small.

    1 - I_x(a, b) = I_(1-x)(b, a)

    >>> round(beta_sf(0.9, 1.0, 3.0), 12)
    0.001
    """
    return _lower_tail(1.0 - x, x, b, a)


def beta_sf_below(q: float, x: float, a: float, b: float) -> bool:
    """Whether the upper tail of Beta(a, b) at x is below q; cheaper than `beta_sf`.

    The density in logit(x) is log-concave, so the tail is below density / (b x - a (1-x)).

    >>> beta_sf_below(0.002, 0.9, 1.0, 3.0), beta_sf_below(0.0005, 0.9, 1.0, 3.0)
    (True, False)
    """
    y = 1.0 - x
    if x <= 0.0 or y <= 0.0:
        return (x > 0.0 and q > 0.0) or q > 1.0
    density = math.exp(_log_density(x, y, a, b, _log_scale(a, b)))
    slope = b * x - a * y
    if slope > 0.0 and density < q * slope:
        return True
    if _on_lower_side(y, x, b, a):
        return density * _mills(y, x, b, a) < q
    return 1.0 - density * _mills(x, y, a, b) < q


def beta_odds_against(x: float, a: float, b: float) -> float:
    """At most 1 / `beta_sf`(x, a, b): of so many draws from Beta(a, b) one reaches x, or fewer.

    Without a branch or a logarithm, the better of two bounds. The variate exceeds its mean by d
    with probability at most exp(-2 (a + b + 1) d^2) (Marchal and Arbel 2017). And its tail beyond
    a/n, n = a + b - 1, is at most that of a standard normal variable at s = 2 sqrt(n) (x - a/n)
    (Zubkov and Serov 2012 for whole numbers, with Pinsker's inequality), whose odds are at least
    exp(z) min(2 + 4z/3, 8), z = s^2/2.

    >>> 1.0 < beta_odds_against(0.9, 2.0, 3.0) < 1.0 / beta_sf(0.9, 2.0, 3.0)
    True
    """
    total = a + b
    n = total - 1.0
    n = n if n > 0.001 else 0.001
    far = x - a / n
    far = far if far > 0.0 else 0.0
    z = 2.0 * n * far * far
    factor = 2.0 + 1.3333333333333333 * z
    factor = factor if factor < 8.0 else 8.0
    factor = factor if far > 0.0 else 1.0
    odds = factor * _exp_at_most(z)
    far = x - a / total
    far = far if far > 0.0 else 0.0
    other = _exp_at_most(2.0 * (total + 1.0) * far * far)
    return odds if odds > other else other


def _exp_at_most(z: float) -> float:
    """(1 + z/256)^256, which is at most exp(z) for z >= 0; beyond 500 all are taken as one."""
    z = z if z < 500.0 else 500.0
    power = 1.0 + z * 0.00390625
    for _ in range(8):
        power = power * power
    return power


def _usual_guess(p: float, a: float, b: float, log_x: float) -> float:
    """Starting point for logit of the p-quantile, p <= 1/2, a and b at least 1.

    log_x is the logarithm of the quantile by the power law of its tail.
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
    """The same where a parameter is below 1; log_x and log_y are the power laws of both tails."""
    if a >= 1.0:
        # -log(x) is nearly Gamma(b) / a: its far tail, when p lies there.
        far = -(math.log(p) + log_beta(a, b) + b * math.log(a))
        if far > 1.0:
            v = (far + (b - 1.0) * math.log(far)) / (a + 0.5 * (b - 1.0))
            return -v - math.log(-math.expm1(-v))
    if log_x < -0.7:
        return log_x - math.log1p(-math.exp(log_x))
    log_y = min(log_y, -0.01)
    return math.log1p(-math.exp(log_y)) - log_y


def _log_tail(x: float, y: float, a: float, b: float, scale: float) -> tuple[float, float]:
    """log I_x(a, b) and its derivative with respect to logit(x)."""
    log_density = _log_density(x, y, a, b, scale)
    if _on_lower_side(x, y, a, b):
        mills = _mills(x, y, a, b)
        return log_density + math.log(mills), 1.0 / mills
    density = math.exp(log_density)
    tail = max(1.0 - density * _mills(y, x, b, a), 1e-16)
    return math.log(tail), density / tail


def _householder(error: float, rate: float, slope: float, curvature: float) -> float:
    """Fourth-order step for log I_x in logit(x), from log-derivatives of the density."""
    newton = -error / max(rate, 1e-300)
    second = slope - rate
    third = second * second - curvature - rate * second
    bottom = 1.0 + newton * (second + newton * third / 6.0)
    if bottom > 0.1:
        return newton * (1.0 + 0.5 * newton * second) / bottom
    return newton


def _last_step(step: float, target: float, slope: float, curvature: float, x: float) -> float:
    """A short step so corrected that the tail changes by `target` densities, to rounding.

    exp(log-density) is a power series in the step, whose logarithm has the derivatives slope,
    -curvature, -curvature (y - x), .. at x = 1 - y. One of Newton's steps solves its integral.
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


def _quantile_logit(p: float, a: float, b: float) -> float:
    """logit(x) with I_x(a, b) = p, 0 < p <= 1/2: bracketed fourth-order steps on log I_x.

    The density in logit(x) is log-concave, hence so is the tail and steps are well behaved.
    """
    scale = _log_scale(a, b)
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
        step = _householder(error, rate, slope, curvature)
        reach = abs(step) * max(1.0, abs(slope) + rate + math.sqrt(curvature))
        if reach < _SHORT:
            return u + _last_step(step, math.expm1(-error) / rate, slope, curvature, x)
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
        return _logistic(_quantile_logit(z, a, b))
    return _logistic(-_quantile_logit(1.0 - z, b, a))


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
        return _logistic(-_quantile_logit(q, b, a))
    return _logistic(_quantile_logit(1.0 - q, a, b))
