"""Tails and densities of the beta distribution in plain scalar Python, bit-identical when compiled.

Only +, -, *, /, comparisons and math.exp, expm1, log, log1p, sqrt are used: the interpreter and
Numba call the same libm for these, but different versions of lgamma, erf and ``**``.
Arguments are not checked; the caller keeps them in the stated ranges.
"""

import math

from armwise.numerics.gamma import log_scale

LARGE = 2500.0  # if both parameters are above, the continued fraction is slow near the mean
SHORT = 0.08  # the longest step, in local units, whose power series gives 14 digits
_DROP = 34.0  # quadrature stops where the integrand has fallen by a factor exp(-34)


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


def _log_minus(x: float, factor: float, e: float) -> float:
    """Return log(x factor) - e where x factor = 1 + e; e keeps the digits that are lost near 1."""
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


def beta_log_density(x: float, y: float, a: float, b: float, scale: float) -> float:
    """Log-density in logit(x): log(x^a y^b / B(a, b)) with y = 1 - x, scale = log_scale(a, b)."""
    total = a + b
    lead = b * x - a * y
    left = a * _log_minus(x, total / a, lead / a)
    right = b * _log_minus(y, total / b, -lead / b)
    return scale + (left + right)


def _fraction(x: float, y: float, a: float, b: float) -> float:
    """Return I_x(a, b) B(a, b) / (x^a y^b) for x <= (a+1)/(a+b+2), by Gauss' continued fraction.

    The even part of DLMF 8.17.22 (every second convergent), summed by Steed's method.
    """
    slack = a * y - b * x + 1.0
    inverse = 1.0 / (a + 1.0)
    # Start below the first partial denominator: it may nearly vanish, and digits would cancel.
    total = a * slack * inverse
    denominator = 0.0
    delta = 1.0
    m = 0.0
    while abs(delta) > 1e-16 * total and m < 1000.0:
        # Computed before m grows, because (a + m) - 1 would round a small a.
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


def quadrature(x: float, y: float, a: float, b: float) -> float:
    """The value of _fraction for large a and b: the integral of the density over logit(x) - v.

    integral_0^oo exp(-a v - (a+b) log(1 + x (exp(-v) - 1))) dv, cut where it is near exp(-34).
    """
    total = a + b
    slope = a * y - b * x
    curvature = total * x * y
    half = _DROP / (slope + math.sqrt(slope * slope + 2.0 * _DROP * curvature))
    # The form with y gives the same number, with smaller terms if y is smaller than x.
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


def beta_mills(x: float, y: float, a: float, b: float) -> float:
    """Lower tail divided by the density in logit(x), for x <= (a+1)/(a+b+2)."""
    if a > LARGE and b > LARGE:
        slope = a * y - b * x
        if slope * slope < 4.0 * (a + b) * x * y:  # nearer than two standard deviations
            return quadrature(x, y, a, b)
    return _fraction(x, y, a, b)


def on_lower_side(x: float, y: float, a: float, b: float) -> bool:
    """Whether x <= (a+1)/(a+b+2), where the lower tail is the one to compute."""
    return (b + 1.0) * x <= (a + 1.0) * y


def lower_tail(x: float, y: float, a: float, b: float) -> float:
    """Return I_x(a, b), with x and y = 1 - x both given."""
    if x <= 0.0:
        return 0.0
    if y <= 0.0:
        return 1.0
    density = math.exp(beta_log_density(x, y, a, b, log_scale(a, b)))
    if on_lower_side(x, y, a, b):
        return min(1.0, density * beta_mills(x, y, a, b))
    return max(0.0, 1.0 - density * beta_mills(y, x, b, a))


def beta_cdf(x: float, a: float, b: float) -> float:
    """Distribution function of Beta(a, b), a and b in [1e-3, 1e7].

    I_x(a, b) = integral_0^x t^(a-1) (1-t)^(b-1) dt / B(a, b)

    >>> round(beta_cdf(0.5, 2.0, 1.0), 12)
    0.25
    """
    return lower_tail(x, 1.0 - x, a, b)


def beta_sf(x: float, a: float, b: float) -> float:
    """Upper tail of Beta(a, b), a and b in [1e-3, 1e7], accurate where it is small.

    1 - I_x(a, b) = I_(1-x)(b, a)

    >>> round(beta_sf(0.9, 1.0, 3.0), 12)
    0.001
    """
    return lower_tail(1.0 - x, x, b, a)


def beta_sf_below(q: float, x: float, a: float, b: float) -> bool:
    """Whether the upper tail of Beta(a, b) at x is below q; cheaper than `beta_sf`.

    The density in logit(x) is log-concave, so the tail is below density / (b x - a (1-x)).

    >>> beta_sf_below(0.002, 0.9, 1.0, 3.0), beta_sf_below(0.0005, 0.9, 1.0, 3.0)
    (True, False)
    """
    y = 1.0 - x
    if x <= 0.0 or y <= 0.0:
        return (x > 0.0 and q > 0.0) or q > 1.0
    density = math.exp(beta_log_density(x, y, a, b, log_scale(a, b)))
    slope = b * x - a * y
    if slope > 0.0 and density < q * slope:
        return True
    if on_lower_side(y, x, b, a):
        return density * beta_mills(y, x, b, a) < q
    return 1.0 - density * beta_mills(x, y, a, b) < q


def beta_odds_against(x: float, a: float, b: float) -> float:
    """A lower bound on the odds 1 / `beta_sf`(x, a, b) against a draw reaching x.

    The better of two bounds, without a branch or a logarithm. The variate exceeds its mean by d
    with probability at most exp(-2 (a + b + 1) d^2) (Marchal and Arbel 2017). Its tail beyond
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
    """A lower bound (1 + z/256)^256 of exp(z) for z >= 0; constant from z = 500 on."""
    z = z if z < 500.0 else 500.0
    power = 1.0 + z * 0.00390625
    for _ in range(8):
        power = power * power
    return power
