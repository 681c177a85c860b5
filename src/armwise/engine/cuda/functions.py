"""Functions of `armwise.numerics` and `armwise.draws`, rewritten for the processors of cards.

Neighbouring threads wait for each other wherever they take different branches, and logarithms are
slow. So all cases here follow one path with few logarithms: a normal approximation to start, then
the same bracketed fourth-order steps and the same last one. Logarithms of large numbers are simply
subtracted: a quantile is within 1e-10 standard deviations up to shapes of 1e4, within 1e-8 up to
1e6.
"""

import math
from typing import Any

import numpy as np

from armwise.numerics.beta_quantiles import householder, last_step
from armwise.numerics.beta_tails import LARGE, SHORT, on_lower_side, quadrature
from armwise.numerics.gamma import HALF_LOG_TWO_PI
from armwise.numerics.normal import normal_quantile


def card_quantile(z: float, a: float, b: float) -> float:
    """Same as `numerics.beta_quantile`."""
    if z <= 0.0 or z >= 1.0:
        return z
    return nearer_quantile(z <= 0.5, min(z, 1.0 - z), a, b)


def card_upper_quantile(q: float, a: float, b: float) -> float:
    """Same as `numerics.beta_upper_quantile`."""
    if q <= 0.0 or q >= 1.0:
        return 1.0 - q
    return nearer_quantile(q > 0.5, min(q, 1.0 - q), a, b)


def nearer_quantile(lower: bool, p: float, a: float, b: float) -> float:
    """The quantile with probability p <= 1/2 below it if `lower`, else above it."""
    u = quantile_logit(p, a if lower else b, b if lower else a)
    return 1.0 / (1.0 + math.exp(-u if lower else u))


def quantile_logit(p: float, a: float, b: float) -> float:
    """Return logit(x) such that I_x(a, b) = p, for 0 < p <= 1/2."""
    log_b = card_log_beta(a, b)
    log_p = math.log(p)
    # Cornish-Fisher expansion with three approximate cumulants of logit(x).
    weight_a = 1.0 / max(a - 0.5, 0.4)
    weight_b = 1.0 / max(b - 0.5, 0.4)
    z = normal_quantile(p)
    skew = (z * z - 1.0) * (weight_b - weight_a) / 6.0
    u = math.log(weight_b / weight_a) + math.sqrt(weight_a + weight_b) * z + skew
    # If b >= 1, the tail is never above its power law x^a / (a B(a, b)).
    u = max(u, (log_p + math.log(a) + log_b) / a) if b >= 1.0 else u
    low = -700.0
    high = 700.0
    u = min(max(u, -690.0), 690.0)
    for _ in range(100):
        e = math.exp(-abs(u))
        large = 1.0 / (1.0 + e)
        small = e * large
        x = small if u < 0.0 else large
        y = large if u < 0.0 else small
        # a log(x) + b log(y) = min(a u, -b u) - (a + b) log(1 + e)
        log_density = min(a * u, -b * u) - (a + b) * math.log1p(e) - log_b
        near = on_lower_side(x, y, a, b)
        mills = card_mills(x if near else y, y if near else x, a if near else b, b if near else a)
        density = math.exp(log_density)
        tail = max(1.0 - density * mills, 1e-16)
        log_tail = (log_density if near else 0.0) + math.log(mills if near else tail)
        rate = (1.0 if near else density) / (mills if near else tail)
        error = log_tail - log_p
        high = u if error > 0.0 else high
        low = low if error > 0.0 else u
        slope = a * y - b * x
        curvature = (a + b) * x * y
        step = householder(error, rate, slope, curvature)
        reach = abs(step) * max(1.0, abs(slope) + rate + math.sqrt(curvature))
        if reach < SHORT:
            return u + last_step(step, math.expm1(-error) / rate, slope, curvature, x)
        target = u + step
        u = target if low < target < high else 0.5 * (low + high)
    return u


def card_mills(x: float, y: float, a: float, b: float) -> float:
    """Same as `beta_tails.beta_mills`."""
    slope = a * y - b * x
    if a > LARGE and b > LARGE and slope * slope < 4.0 * (a + b) * x * y:
        return quadrature(x, y, a, b)
    return short_fraction(x, y, a, b)


def short_fraction(x: float, y: float, a: float, b: float) -> float:
    """The value of `beta_tails._fraction`, with a single division.

    The terms are multiplied out, and convergents top / bottom follow from the forward recurrence,
    whose rounding error grows with a (1e-12 at 1e4). `gap` is the difference of two convergents
    times both bottoms.
    """
    slack = a * y - b * x + 1.0
    square = x * x
    top, bottom = a * slack, a + 1.0
    last_top, last_bottom = 1.0, 0.0
    gap = 1.0
    before, here = 1.0, a + 1.0  # a + 2 m - 1 (except at first) and a + 2 m + 1
    m = 0.0
    while abs(gap) > 1e-16 * abs(top * last_bottom) and m < 1000.0:
        after = here + 2.0
        # Computed before m grows, because (a + m) - 1 would round a small a.
        numerator = (a + m) * (a + b + m)
        m = m + 1.0
        common = m * (b - m)
        numerator = numerator * common * square * (before * after)
        denominator = here * after * m + common * x * after
        denominator = denominator + (a + m) * (slack + m * (1.0 + y)) * here
        next_top = denominator * top + numerator * last_top
        next_bottom = denominator * bottom + numerator * last_bottom
        gap = gap * numerator
        shrink = 1.0 if next_top < 1e60 else 1e-60
        last_top, last_bottom = top * shrink, bottom * shrink
        top, bottom = next_top * shrink, next_bottom * shrink
        gap = gap * shrink * shrink
        before, here = here, after
    return bottom / top


def card_digamma(x: float) -> float:
    """Same as `numerics.digamma`, less accurate near its root: always six steps, one division."""
    top = 1.0
    bottom = x
    for step in range(1, 6):
        top = top * (x + step) + bottom
        bottom = bottom * (x + step)
    shifted = x + 6.0
    common = 1.0 / (shifted * bottom)
    inverse = bottom * common
    t = inverse * inverse
    series = -0.08333333333333333 + t * 0.4432598039215686
    series = -0.007575757575757576 + t * (0.021092796092796094 + t * series)
    series = -0.003968253968253968 + t * (0.004166666666666667 + t * series)
    series = -0.08333333333333333 + t * (0.008333333333333333 + t * series)
    return math.log(shifted) - 0.5 * inverse + t * series - top * shifted * common


def card_log_beta(a: float, b: float) -> float:
    """Same as `numerics.log_beta`: Stirling's series three times, one logarithm for all shifts."""
    value = HALF_LOG_TWO_PI
    products = 1.0
    ratio = 1.0
    rounds = 3 if a > 0.0 else 4  # always 3, in a form that the compiler cannot see through
    for part in range(rounds):
        x = a if part == 0 else b if part == 1 else a + b
        product = 1.0
        while x < 8.0:
            product = product * x
            x = x + 1.0
        inverse = 1.0 / x
        t = inverse * inverse
        series = 0.00641025641025641 - t * 0.029550653594771242
        series = 0.0008417508417508417 + t * (-0.0019175269175269176 + t * series)
        series = 0.0007936507936507937 + t * (-0.0005952380952380953 + t * series)
        series = inverse * (0.08333333333333333 + t * (-0.002777777777777778 + t * series))
        rest = (x - 0.5) * math.log(x) - x + series
        value += -rest if part == 2 else rest
        products = products if part == 2 else products * product
        ratio = product
    return value + math.log(ratio / products)


def card_philox(c0: int, c1: int, c2: int, c3: int, k0: int, k1: int) -> tuple[Any, Any, Any, Any]:
    """Same as `draws.philox`, in words of 32 bits with products of 64 bits."""
    w0, w1, w2, w3 = np.uint32(c0), np.uint32(c1), np.uint32(c2), np.uint32(c3)
    key0, key1 = np.uint32(k0), np.uint32(k1)
    for _ in range(7):
        p0 = np.uint64(0xD2511F53) * np.uint64(w0)
        p1 = np.uint64(0xCD9E8D57) * np.uint64(w2)
        w0 = np.uint32(p1 >> np.uint64(32)) ^ w1 ^ key0
        w1 = np.uint32(p1 & np.uint64(0xFFFFFFFF))
        w2 = np.uint32(p0 >> np.uint64(32)) ^ w3 ^ key1
        w3 = np.uint32(p0 & np.uint64(0xFFFFFFFF))
        key0 = np.uint32(key0 + np.uint32(0x9E3779B9))
        key1 = np.uint32(key1 + np.uint32(0xBB67AE85))
    return np.int64(w0), np.int64(w1), np.int64(w2), np.int64(w3)
