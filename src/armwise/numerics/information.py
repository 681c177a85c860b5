"""The information in N outcomes of an arm about its theta ~ Be(alpha, beta), in nats.

I_N = h(Be(alpha, beta)) - E h(Be(alpha + s, beta + N - s)), s the successes. With

    R(x) = ln Gamma(x) - x psi(x + 1) + psi(x) / 2 + x + 1/2 - ln(2 pi) / 2,

a small and negative number, the expectations of all other terms are known, and with nu = alpha +
beta and n = nu + N

    2 I_N = psi(n) - psi(nu) + 2 [R(n) - R(nu) + R(alpha) + R(beta) - E R(alpha + s)
            - E R(beta + N - s)].
"""

import math

from armwise.numerics.gamma import digamma, log_beta, log_gamma

_HALF_LOG_TWO_PI = 0.9189385332046728
_LARGE = 8.0  # x from which on the series of R is used
_MANY = 40.0  # alpha from which on the series of factorials is used
_SINGLE = 32  # terms at either end that are summed one by one
_RATIO = 1.5  # of the ends of a panel between them
# Nodes and weights of Gauss and Legendre's rule with 8 points: half of them, on (0, 1).
_NODES = (0.1834346424956498, 0.525532409916329, 0.7966664774136267, 0.9602898564975363)
_WEIGHTS = (0.362683783378362, 0.3137066458778873, 0.2223810344533745, 0.1012285362903763)
# R(x) = sum of these over (x - 1) ... (x - k), k = 1, 2, ...
_FACTORIALS = (
    -1.0 / 12.0,
    1.0 / 24.0,
    -19.0 / 360.0,
    9.0 / 80.0,
    -863.0 / 2520.0,
    1375.0 / 1008.0,
    -33953.0 / 5040.0,
    57281.0 / 1440.0,
)


def remainder(x: float) -> float:
    """The function R above.

    >>> round(remainder(1.0), 9), round(remainder(8.0), 9)
    (-0.130330701, -0.011088257)
    """
    if x < _LARGE:  # psi(x + 1) = psi(x) + 1 / x
        return log_gamma(x) - (x - 0.5) * digamma(x) + x - 0.5 - _HALF_LOG_TWO_PI
    return series(x)


def series(x: float) -> float:
    """R(x) for large x: -1/(12 x) - 1/(24 x^2) - ..."""
    y = 1.0 / x
    late = -1.0 / 504.0 + y * (-1.0 / 210.0 + y * (1.0 / 480.0))
    late = 1.0 / 240.0 + y * (1.0 / 210.0 + y * late)
    return y * (-1.0 / 12.0 + y * (-1.0 / 24.0 + y * (-1.0 / 90.0 + y * late)))


def expected_remainder(alpha: float, beta: float, outcomes: int, first: float) -> float:
    """The mean of R(alpha + s) over the successes s among outcomes; `first` is R(alpha)."""
    nu = alpha + beta
    if alpha >= _MANY:
        total, each, place = 0.0, 1.0, 1.0
        for coefficient in _FACTORIALS:
            each *= (nu - place) / ((alpha - place) * (nu + outcomes - place))
            total += coefficient * each
            place += 1.0
        return total
    if outcomes <= 4 * _SINGLE:
        chance = 1.0
        for place in range(outcomes):
            chance *= (beta + place) / (nu + place)
        return few_successes(alpha, beta, outcomes, outcomes, chance, first)
    base = log_beta(alpha, beta)
    chance = math.exp(log_beta(alpha, beta + outcomes) - base)
    total = few_successes(alpha, beta, outcomes, _SINGLE, chance, first)
    chance = math.exp(log_beta(alpha + outcomes, beta) - base)
    total += few_failures(alpha, beta, outcomes, _SINGLE, chance)
    return total + between(alpha, beta, float(outcomes), base)


def few_successes(
    alpha: float, beta: float, outcomes: int, last: int, chance: float, first: float
) -> float:
    """The terms of 0 .. last successes; `chance` is the probability of none, `first` R(alpha).

    The probabilities follow from one another, and so do R(x) and psi(x) where x is small:
    R(x + 1) = R(x) + ln x - psi(x) - 1 / (2 x).
    """
    x, near = alpha, first
    psi = digamma(x) if x < _LARGE else 0.0
    total = chance * near
    for successes in range(1, last + 1):
        failures = outcomes - successes
        chance *= (failures + 1) * x / (successes * (beta + failures))
        if x < _LARGE:
            near += math.log(x) - psi - 0.5 / x
            psi += 1.0 / x
        x += 1.0
        total += chance * (near if x < _LARGE else series(x))
    return total


def few_failures(alpha: float, beta: float, outcomes: int, last: int, chance: float) -> float:
    """The terms of 0 .. last failures, which leave many successes; `chance`: that of none."""
    x = alpha + outcomes
    total = chance * series(x)
    for failures in range(1, last + 1):
        x -= 1.0
        chance *= (outcomes - failures + 1) * (beta + failures - 1.0) / (failures * x)
        total += chance * series(x)
    return total


def between(alpha: float, beta: float, outcomes: float, base: float) -> float:
    """The other terms, by quadrature."""
    total = 0.0
    low, end = _SINGLE + 0.5, outcomes - _SINGLE - 0.5
    while low < end:
        high = _RATIO * low if _RATIO * low < 0.8 * end else end
        middle, half = 0.5 * (low + high), 0.5 * (high - low)
        for place in range(4):
            far = half * _NODES[place]
            pair = weighed(middle - far, alpha, beta, outcomes, base)
            pair += weighed(middle + far, alpha, beta, outcomes, base)
            total += half * _WEIGHTS[place] * pair
        low = high
    return total


def weighed(successes: float, alpha: float, beta: float, outcomes: float, base: float) -> float:
    """R(alpha + s) times the probability of s, which may lie between whole numbers."""
    a, b = alpha + successes, beta + outcomes - successes
    ways = -math.log(outcomes + 1.0) - log_beta(successes + 1.0, outcomes - successes + 1.0)
    return math.exp(ways + log_beta(a, b) - base) * remainder(a)


def information(alpha: float, beta: float, outcomes: int) -> float:
    """The information in `outcomes` outcomes about theta ~ Be(alpha, beta), to 1e-6.

    >>> round(information(1.0, 1.0, 1), 9) == round(math.log(2) - 0.5, 9), information(2.0, 3.0, 0)
    (True, 0.0)
    """
    if outcomes < 1:
        return 0.0
    nu = alpha + beta
    n = nu + outcomes
    smooth = 0.5 * (digamma(n) - digamma(nu)) + remainder(n) - remainder(nu)
    good, bad = remainder(alpha), remainder(beta)
    inside = expected_remainder(alpha, beta, outcomes, good)
    inside += expected_remainder(beta, alpha, outcomes, bad)
    return smooth + good + bad - inside
