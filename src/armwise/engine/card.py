"""Quantiles for cards: those of `armwise.special`, with few branches and each long part once.

Neighbouring threads wait for each other wherever they take different branches, and code that does
not fit into a processor's memory for instructions is fetched again and again. So every case here
goes one way: a normal start, then the same bracketed fourth-order steps.
"""

import math

from armwise.special import (
    _HALF_LOG_TWO_PI,
    _SHORT,
    _householder,
    _last_step,
    _log_density,
    _mills,
    _on_lower_side,
    _stirling,
    normal_quantile,
)


def card_quantile(z: float, a: float, b: float) -> float:
    """As `special.beta_quantile`."""
    if z <= 0.0 or z >= 1.0:
        return z
    return nearer_quantile(z <= 0.5, min(z, 1.0 - z), a, b)


def card_upper_quantile(q: float, a: float, b: float) -> float:
    """As `special.beta_upper_quantile`."""
    if q <= 0.0 or q >= 1.0:
        return 1.0 - q
    return nearer_quantile(q > 0.5, min(q, 1.0 - q), a, b)


def nearer_quantile(lower: bool, p: float, a: float, b: float) -> float:
    """The quantile with the probability p <= 1/2 below it, or above it."""
    u = quantile_logit(p, a if lower else b, b if lower else a)
    return 1.0 / (1.0 + math.exp(-u if lower else u))


def quantile_logit(p: float, a: float, b: float) -> float:
    """logit(x) with I_x(a, b) = p, 0 < p <= 1/2."""
    scale = log_scale(a, b)
    log_p = math.log(p)
    # Cornish and Fisher's expansion with three cumulants of logit(x), nearly.
    weight_a = 1.0 / max(a - 0.5, 0.4)
    weight_b = 1.0 / max(b - 0.5, 0.4)
    spread = weight_a + weight_b
    z = normal_quantile(p)
    skew = (z * z - 1.0) * (weight_b - weight_a) / 6.0
    u = math.log(weight_b / weight_a) + math.sqrt(spread) * z + skew
    # Below its power law x^a / (a B(a, b)) no tail lies, if b >= 1.
    power = (log_p + math.log(a) - a * math.log1p(b / a) - b * math.log1p(a / b) - scale) / a
    u = max(u, power) if b >= 1.0 else u
    low = -700.0
    high = 700.0
    u = min(max(u, -690.0), 690.0)
    for _ in range(100):
        e = math.exp(-abs(u))
        small = e / (1.0 + e)
        large = 1.0 / (1.0 + e)
        x = small if u < 0.0 else large
        y = large if u < 0.0 else small
        log_density = _log_density(x, y, a, b, scale)
        near = _on_lower_side(x, y, a, b)
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
        step = _householder(error, rate, slope, curvature)
        reach = abs(step) * max(1.0, abs(slope) + rate + math.sqrt(curvature))
        if reach < _SHORT:
            return u + _last_step(step, math.expm1(-error) / rate, slope, curvature, x)
        target = u + step
        u = target if low < target < high else 0.5 * (low + high)
    return u


def card_mills(x: float, y: float, a: float, b: float) -> float:
    """As `special._mills`."""
    return short_fraction(x, y, a, b) if a < 100.0 else _mills(x, y, a, b)


def short_fraction(x: float, y: float, a: float, b: float) -> float:
    """The value of `special._fraction` where few terms are needed, with one division in all.

    The terms are multiplied out, and convergents top/bottom follow by the forward recurrence, whose
    rounding grows with a; `gap` is the difference of two convergents times both bottoms.
    """
    slack = a * y - b * x + 1.0
    square = x * x
    top, bottom = a * slack, a + 1.0
    last_top, last_bottom = 1.0, 0.0
    gap = 1.0
    before, here = 1.0, a + 1.0  # a + 2 m - 1, but for the first, and a + 2 m + 1
    m = 0.0
    while abs(gap) > 1e-16 * abs(top * last_bottom) and m < 1000.0:
        after = here + 2.0
        # Taken before m grows: (a + m) - 1 would round a small a.
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


def log_scale(a: float, b: float) -> float:
    """As `special._log_scale`; the remainders are taken one after the other."""
    total = a + b
    value = 0.5 * math.log(a * (b / total)) - _HALF_LOG_TWO_PI
    rounds = 3 if total > 0.0 else 4  # always 3, but the compiler need not know
    for part in range(rounds):
        rest = _stirling(total if part == 0 else a if part == 1 else b)
        value += rest if part == 0 else -rest
    return value
