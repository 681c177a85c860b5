"""Digamma and the logarithms of the gamma and beta functions, in scalars."""

import math

from armwise.numerics.hook import hook

HALF_LOG_TWO_PI = 0.9189385332046728
# fmt: off
# Root of digamma in two parts, and the Taylor coefficients there, highest power first.
_ROOT_HIGH = 1.4616321449683622
_ROOT_LOW = 9.549995429965697e-17
_ROOT_SERIES = (
    -0.03316112647484736, 0.04880428816414311, -0.07219956125645471, 0.10782405069126237,
    -0.16394270544240652, 0.258499760955651, -0.4427631689835921, 0.9676722454476212,
)
# log Gamma(2 + d) / d: (-1)^k (zeta(k) - 1) / k for k = 26 .. 2, then 1 - Euler's constant.
_ZETA_SERIES = (
    5.731367241678862e-10, -1.1921401405860912e-09, 2.4836745438024785e-09,
    -5.183475041970047e-09, 1.0838659214896955e-08, -2.2711094608943164e-08,
    4.7698101693639804e-08, -1.0043224823968099e-07, 2.1207184805554665e-07,
    -4.492469198764566e-07, 9.55141213040742e-07, -2.039215753801366e-06,
    4.374866789907488e-06, -9.439488275268397e-06, 2.050721277567069e-05,
    -4.492623673813314e-05, 9.945751278180853e-05, -0.00022315475845357939,
    0.0005096695247430425, -0.001192753911703261, 0.0028905103307415234,
    -0.007385551028673986, 0.020580808427784546, -0.0673523010531981,
    0.3224670334241132, 0.42278433509846713,
)
# fmt: on


def polynomial(coefficients: tuple[float, ...], t: float) -> float:
    """The value of a polynomial at t by Horner's rule, highest power first."""
    total = 0.0
    for coefficient in coefficients:
        total = total * t + coefficient
    return total


@hook
def digamma(x: float) -> float:
    """Logarithmic derivative of the Gamma function, x in [1e-3, 1e8].

    psi(x) = log(x) - 1/(2x) - sum_k B_2k / (2k x^2k) for x >= 6, after psi(x) = psi(x+1) - 1/x.

    >>> round(digamma(1.0), 12)
    -0.577215664902
    """
    distance = (x - _ROOT_HIGH) - _ROOT_LOW
    if -0.03 < distance < 0.03:
        return distance * polynomial(_ROOT_SERIES, distance)
    # The sum of 1/(x+i) is kept as one fraction, so that the recurrence divides once.
    top = 0.0
    bottom = 1.0
    shifted = x
    while shifted < 6.0:
        top = top * shifted + bottom
        bottom = bottom * shifted
        shifted = shifted + 1.0
    inverse = 1.0 / shifted
    t = inverse * inverse
    series = -0.08333333333333333 + t * 0.4432598039215686
    series = -0.007575757575757576 + t * (0.021092796092796094 + t * series)
    series = -0.003968253968253968 + t * (0.004166666666666667 + t * series)
    series = -0.08333333333333333 + t * (0.008333333333333333 + t * series)
    value = math.log(shifted) - 0.5 * inverse + t * series
    if shifted > x:
        value = value - top / bottom
    return value


def _stirling(x: float) -> float:
    """Stirling's remainder: log Gamma(x) - (x - 1/2) log(x) + x - log(2 pi)/2."""
    product = 1.0
    shifted = x
    while shifted < 8.0:
        product = product * shifted
        shifted = shifted + 1.0
    inverse = 1.0 / shifted
    t = inverse * inverse
    series = 0.00641025641025641 - t * 0.029550653594771242
    series = 0.0008417508417508417 + t * (-0.0019175269175269176 + t * series)
    series = 0.0007936507936507937 + t * (-0.0005952380952380953 + t * series)
    value = inverse * (0.08333333333333333 + t * (-0.002777777777777778 + t * series))
    if shifted > x:
        shift = (shifted - 0.5) * math.log(shifted) - (x - 0.5) * math.log(x)
        value = value + (shift - math.log(product) - (shifted - x))
    return value


def log_gamma(x: float) -> float:
    """Logarithm of the Gamma function, x in [1e-3, 2e7], accurate also near its roots 1 and 2.

    log Gamma(2+d) = (1 - euler) d + sum_k (-1)^k (zeta(k) - 1) d^k / k near 2, else Stirling.

    >>> round(log_gamma(5.0), 12) == round(math.log(24.0), 12)
    True
    """
    if x < 0.5:
        return x * polynomial(_ZETA_SERIES, x) - math.log1p(x) - math.log(x)
    if x < 1.5:
        d = x - 1.0
        return d * polynomial(_ZETA_SERIES, d) - math.log1p(d)
    if x < 2.5:
        d = x - 2.0
        return d * polynomial(_ZETA_SERIES, d)
    return (x - 0.5) * math.log(x) - x + HALF_LOG_TWO_PI + _stirling(x)


def _raised(x: float) -> tuple[float, float]:
    """Return x (x+1) .. (x+n-1) for the first x + n >= 8, and log Gamma(x+n) - log(2 pi)/2."""
    product = 1.0
    shifted = x
    while shifted < 8.0:
        product = product * shifted
        shifted = shifted + 1.0
    return product, (shifted - 0.5) * math.log(shifted) - shifted + _stirling(shifted)


def _log_beta_small(a: float, b: float) -> float:
    """Logarithm of B(a, b) for a and b below 8, where no term is large."""
    product_a, high_a = _raised(a)
    product_b, high_b = _raised(b)
    product, high = _raised(a + b)
    return HALF_LOG_TWO_PI + (high_a + high_b - high) + math.log(product / (product_a * product_b))


def log_scale(a: float, b: float) -> float:
    """Logarithm of x0^a (1-x0)^b / B(a, b) at x0 = a/(a+b), without large terms that cancel."""
    total = a + b
    if a < 8.0 and b < 8.0:
        return a * math.log(a / total) + b * math.log(b / total) - _log_beta_small(a, b)
    root = 0.5 * math.log(a * (b / total)) - HALF_LOG_TWO_PI
    return root + (_stirling(total) - _stirling(a) - _stirling(b))


def log_beta(a: float, b: float) -> float:
    """Logarithm of the Beta function, a and b in [1e-3, 1e7].

    log B(a, b) = a log(a/(a+b)) + b log(b/(a+b)) + log(2 pi (a+b)/(a b))/2 + Stirling remainders

    >>> round(log_beta(2.0, 3.0), 12) == round(-math.log(12.0), 12)
    True
    """
    return -a * math.log1p(b / a) - b * math.log1p(a / b) - log_scale(a, b)
