"""People integrated out: the likelihood of a group from weighted points of every person.

Person i has points x[m] from a distribution q, weights w[m] = p(choices | x[m]) / q(x[m]), and a
narrow normal kernel around each point, so that the likelihood is smooth however alike people are:

    p(choices | group) = mean over m of w[m] normal(x[m]; mean, covariance + kernel).

Its derivatives in the group's numbers are moments of the points under these terms. The function is
compiled by the engine; it runs as it is, too.
"""

import math
from typing import Any

SLICES = 4096.0  # exp(-y) is the SLICES-th power of exp(-y / SLICES), by squaring twelve times
FARTHEST = 60.0  # a larger exponent counts as this


def integrate(
    x: Any,
    weights: Any,
    begins: Any,
    kernels: Any,
    mean: Any,
    covariance: Any,
    term: Any,
    small: Any,
    value: Any,
    effective: Any,
    in_mean: Any,
    in_covariance: Any,
) -> None:
    """Fill `value[person]` with log-likelihoods, and their gradients.

    Person i has the points from `begins[i]` to `begins[i + 1]` of `x[parameter, point]` and
    `weights[point]`; `mean[person, parameter]`. The gradients are `in_mean[person, parameter]`, and
    `in_covariance[parameter, parameter]` summed over people. `effective[person]` is the number of
    points that count, and `term[point]` says how much each does. `small` has room for three small
    matrices. The exponential is a polynomial, which becomes vector instructions: its relative
    error is y^3 / 10^8.
    """
    people, size = mean.shape
    precision, second = small[0], small[1]
    for a in range(size):
        for b in range(size):
            in_covariance[a, b] = 0.0
    for i in range(people):
        share = weights[begins[i] : begins[i + 1]]
        part = term[begins[i] : begins[i + 1]]
        points = len(part)
        half = half_log_determinant(covariance, kernels[i], precision, small[2])
        for m in range(points):
            part[m] = 0.0
        for a in range(size):
            x_a = x[a, begins[i] : begins[i + 1]]
            middle_a = mean[i, a]
            for b in range(a + 1):
                x_b = x[b, begins[i] : begins[i + 1]]
                middle_b = mean[i, b]
                factor = precision[a, b] if a != b else 0.5 * precision[a, a]
                for m in range(points):
                    part[m] += factor * (x_a[m] - middle_a) * (x_b[m] - middle_b)
        total = 0.0
        squares = 0.0
        for m in range(points):
            y = fallen(part[m])
            y *= share[m]
            part[m] = y
            total += y
            squares += y * y
        total = total if total > 1e-300 else 1e-300
        value[i] = math.log(total / points) - half
        effective[i] = total * total / (squares if squares > 1e-300 else 1e-300)
        take_moments(x, begins[i], begins[i + 1], part, mean[i], total, small[2, 0], second)
        for a in range(size):
            pulled = 0.0
            for b in range(size):
                pulled += precision[a, b] * small[2, 0, b]
            in_mean[i, a] = pulled
        add_turned(precision, second, small[2], in_covariance)


def take_moments(
    x: Any, begin: int, end: int, part: Any, mean: Any, total: float, first: Any, second: Any
) -> None:
    """First and second moments around `mean` of a person's points, which count as `part` says."""
    for a in range(len(mean)):
        x_a = x[a, begin:end]
        moment = 0.0
        for m in range(len(part)):
            moment += part[m] * (x_a[m] - mean[a])
        first[a] = moment / total
        for b in range(a + 1):
            x_b = x[b, begin:end]
            moment = 0.0
            for m in range(len(part)):
                moment += part[m] * (x_a[m] - mean[a]) * (x_b[m] - mean[b])
            second[a, b] = moment / total
            second[b, a] = moment / total


def fallen(y: float) -> float:
    """exp(-y), by a polynomial to a high power: instructions that a compiler makes vectors of."""
    y = y if y < FARTHEST else FARTHEST
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
    return y


def draw_people(
    x: Any,
    begins: Any,
    kernels: Any,
    mean: Any,
    covariance: Any,
    term: Any,
    small: Any,
    uniform: Any,
    prior: Any,
    noise: Any,
    found: Any,
) -> None:
    """Fill `found[person, parameter]` with a draw of everybody, given the group of `integrate`.

    A point is picked by its term. It saw the person through the kernel: so a draw `prior` from the
    group, with a draw `noise` of the kernel, is corrected by what the point says.
    """
    people, size = mean.shape
    for i in range(people):
        left = 0.0
        for m in range(begins[i], begins[i + 1]):
            left += term[m]
        left *= uniform[i]
        at = begins[i]
        while at < begins[i + 1] - 1 and left > term[at]:
            left -= term[at]
            at += 1
        half_log_determinant(covariance, kernels[i], small[0], small[2])
        for a in range(size):
            small[1, 0, a] = 0.0
            for b in range(size):
                gap = x[b, at] - prior[i, b] - noise[i, b]
                small[1, 0, a] += small[0, a, b] * gap
        for a in range(size):
            value = prior[i, a]
            for b in range(size):
                value += covariance[a, b] * small[1, 0, b]
            found[i, a] = value


def half_log_determinant(covariance: Any, kernel: Any, precision: Any, root: Any) -> float:
    """Half the logarithm of the determinant of covariance + kernel; fills its inverse."""
    size = covariance.shape[0]
    half = 0.0
    for a in range(size):
        for b in range(a + 1):
            rest = covariance[a, b] + kernel[a, b]
            for c in range(b):
                rest -= root[a, c] * root[b, c]
            if a == b:
                root[a, a] = math.sqrt(rest if rest > 1e-300 else 1e-300)
                half += math.log(root[a, a])
            else:
                root[a, b] = rest / root[b, b]
    for column in range(size):  # solve root root' z = e, first downwards, then upwards
        for a in range(size):
            rest = 1.0 if a == column else 0.0
            for c in range(a):
                rest -= root[a, c] * precision[c, column]
            precision[a, column] = rest / root[a, a]
        for step in range(size):
            a = size - 1 - step
            rest = precision[a, column]
            for c in range(a + 1, size):
                rest -= root[c, a] * precision[c, column]
            precision[a, column] = rest / root[a, a]
    return half


def add_turned(precision: Any, second: Any, room: Any, total: Any) -> None:
    """Add (P S P - P) / 2, the gradient of a person's log-likelihood in the covariance."""
    size = precision.shape[0]
    for a in range(size):
        for b in range(size):
            room[a, b] = 0.0
            for c in range(size):
                room[a, b] += precision[a, c] * second[c, b]
    for a in range(size):
        for b in range(size):
            found = -precision[a, b]
            for c in range(size):
                found += room[a, c] * precision[c, b]
            total[a, b] += 0.5 * found
