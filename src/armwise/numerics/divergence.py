"""The Kullback-Leibler divergence of Bernoulli distributions and its bounds, in scalars."""

import math

_TINY = 1e-300  # the reciprocal of a smaller number may be infinite
_STEPS = 60  # limit for Newton's method, which usually needs a handful


def kl(p: float, q: float) -> float:
    """KL(Bernoulli(p) || Bernoulli(q)), p and q in [0, 1]: p ln(p/q) + (1-p) ln((1-p)/(1-q)).

    >>> kl(0.5, 0.5), round(kl(0.5, 0.25), 12), kl(0.0, 1.0)
    (0.0, 0.143841036226, inf)
    """
    if (q <= 0.0 and p > 0.0) or (q >= 1.0 and p < 1.0):
        return math.inf
    gain = p * log_ratio(q, p) if p > _TINY else 0.0
    loss = (1.0 - p) * log_ratio(1.0 - q, 1.0 - p) if p < 1.0 else 0.0
    return max(0.0, -(gain + loss))


def log_ratio(x: float, y: float) -> float:
    """Return ln(x / y); computed from the difference if x and y are close, to keep its digits."""
    return math.log1p((x - y) / y) if 0.5 * y < x < 2.0 * y else math.log(x / y)


def log_at_most(x: float) -> float:
    """An upper bound of ln(x) for x >= 1 that needs no logarithm: 16 sinh(ln(x) / 16).

    >>> 0 < log_at_most(1000.0) - math.log(1000.0) < 0.22
    True
    """
    root = math.sqrt(math.sqrt(math.sqrt(math.sqrt(x))))
    return 8.0 * (root - 1.0 / root)


def kl_upper(p: float, bound: float) -> float:
    """The largest u in [p, 1] with kl(p, u) <= bound, bound >= 0.

    The divergence is convex in u, so Newton's steps from above the root fall to it.

    >>> round(kl_upper(0.5, kl(0.5, 0.9)), 12), kl_upper(1.0, 3.0), round(kl_upper(0.0, 1.0), 12)
    (0.9, 1.0, 0.632120558829)
    """
    if bound <= 0.0 or p >= 1.0:
        return p
    if p <= 0.0:
        return -math.expm1(-bound)
    rest = 1.0 - p
    entropy = -(p * math.log(p) + rest * math.log(rest))
    # Start above the root: by Pinsker's inequality, and because -ln u is not negative.
    u = min(p + math.sqrt(0.5 * bound), -math.expm1(-(bound + entropy) / rest))
    for _ in range(_STEPS):
        if u >= 1.0 or u <= p:  # converged to rounding
            return min(max(u, p), 1.0)
        excess = kl(p, u) - bound
        step = excess * u * (1.0 - u) / (u - p)
        u -= step
        if step <= 1e-15 * u:
            return max(u, p)
    return u
