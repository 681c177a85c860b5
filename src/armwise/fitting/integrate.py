"""People integrated out: the likelihood of a group from weighted points of every person.

For person i with points x[m] from a distribution q, and weights w[m] = p(choices | x[m]) / q(x[m]),

    p(choices | group) = mean over m of w[m] normal(x[m]; mean, covariance),

and the derivatives in the group's numbers are moments of the points under these terms. The
function below is compiled by the engine; it runs as it is, too.
"""

import math
from typing import Any

SLICES = 4096.0  # exp(-y) is the SLICES-th power of exp(-y / SLICES), by squaring twelve times
FARTHEST = 60.0  # a smaller exponent counts as this


def integrate(
    x: Any,
    weights: Any,
    mean: Any,
    precision: Any,
    half: float,
    term: Any,
    value: Any,
    first: Any,
    second: Any,
    square: Any,
) -> None:
    """Fill `value[person]` with log-likelihoods, and the moments around `mean` of every person.

    `x[person, parameter, point]`; `mean[person, parameter]`; `half` is half the logarithm of the
    covariance's determinant; `first[person, parameter]` are means; `second[parameter, parameter]`
    is the sum over people; `square[person]` takes the effective number of points; `term` has room
    for a number per point. The exponential is a polynomial, which becomes vector instructions: its
    relative error is y^3 / 10^8, so 10^-5 at y = 10.
    """
    people, size, points = x.shape
    for a in range(size):
        for b in range(size):
            second[a, b] = 0.0
    for i in range(people):
        for m in range(points):
            term[m] = 0.0
        for a in range(size):
            for b in range(a + 1):
                factor = precision[a, b] if a != b else 0.5 * precision[a, a]
                middle_a = mean[i, a]
                middle_b = mean[i, b]
                for m in range(points):
                    term[m] += factor * (x[i, a, m] - middle_a) * (x[i, b, m] - middle_b)
        total = 0.0
        squares = 0.0
        for m in range(points):
            y = term[m] if term[m] < FARTHEST else FARTHEST
            y = -y / SLICES
            y = 1.0 + y + 0.5 * y * y
            y *= y
            y *= y
            y *= y
            y *= y
            y *= y
            y *= y
            y *= y
            y *= y
            y *= y
            y *= y
            y *= y
            y *= y
            y *= weights[i, m]
            term[m] = y
            total += y
            squares += y * y
        total = total if total > 1e-300 else 1e-300
        value[i] = math.log(total / points) - half
        square[i] = total * total / (squares if squares > 1e-300 else 1e-300)
        for a in range(size):
            middle_a = mean[i, a]
            moment = 0.0
            for m in range(points):
                moment += term[m] * (x[i, a, m] - middle_a)
            first[i, a] = moment / total
            for b in range(a + 1):
                middle_b = mean[i, b]
                moment = 0.0
                for m in range(points):
                    moment += term[m] * (x[i, a, m] - middle_a) * (x[i, b, m] - middle_b)
                second[a, b] += moment / total
                if a != b:
                    second[b, a] += moment / total
