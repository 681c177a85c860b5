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
TOGETHER = 512  # points that are passed over several times while they are near the processor


def integrate(
    x: Any,
    weights: Any,
    begins: Any,
    kernels: Any,
    mean: Any,
    covariance: Any,
    moments: bool,
    term: Any,
    small: Any,
    value: Any,
    effective: Any,
    in_mean: Any,
    in_covariance: Any,
) -> None:
    """Fill `value[person]` with log-likelihoods, and, if `moments` are asked for, their gradients.

    Person i has the points from `begins[i]` to `begins[i + 1]` of `x[parameter, point]` and
    `weights[point]`; `mean[person, parameter]`. The gradients are `in_mean[person, parameter]`, and
    `in_covariance[parameter, parameter]` summed over people. `effective[person]` is the number of
    points that count, and `term[point]` says how much each does. `small` has room for three small
    matrices. The exponential is a polynomial, which becomes vector instructions: its relative
    error is y^3 / 10^8.
    """
    people, size = mean.shape
    precision, second, first = small[0], small[1], small[2, 0]
    for a in range(size):
        for b in range(size):
            in_covariance[a, b] = 0.0
    for i in range(people):
        half = half_log_determinant(covariance, kernels[i], precision, small[2])
        for a in range(size):
            first[a] = 0.0
            for b in range(size):
                second[a, b] = 0.0
        total, squares = 0.0, 0.0
        for begin in range(begins[i], begins[i + 1], TOGETHER):
            end = min(begin + TOGETHER, begins[i + 1])
            part = term[begin:end]
            add_squares(x, begin, end, mean[i], precision, part)
            weight = weights[begin:end]
            for m in range(len(part)):
                y = weight[m] * fallen(part[m])
                part[m] = y
                total += y
                squares += y * y
            if moments:
                add_moments(x, begin, end, part, mean[i], first, second)
        total = total if total > 1e-300 else 1e-300
        value[i] = math.log(total / (begins[i + 1] - begins[i])) - half
        effective[i] = total * total / (squares if squares > 1e-300 else 1e-300)
        if moments:
            share = 1.0 / total
            for a in range(size):
                first[a] *= share
                for b in range(a + 1):
                    second[a, b] *= share
            for a in range(size):
                in_mean[i, a] = 0.0
                for b in range(size):
                    in_mean[i, a] += precision[a, b] * first[b]
            add_turned(precision, second, small[2], in_covariance)
    for a in range(size):
        for b in range(a):
            in_covariance[b, a] = in_covariance[a, b]


def add_squares(x: Any, begin: int, end: int, mean: Any, precision: Any, part: Any) -> None:
    """Fill `part` with half the squared distances of some points from `mean`."""
    for m in range(len(part)):
        part[m] = 0.0
    for a in range(len(mean)):
        x_a = x[a, begin:end]
        middle_a = mean[a]
        for b in range(a + 1):
            x_b = x[b, begin:end]
            middle_b = mean[b]
            factor = precision[a, b] if a != b else 0.5 * precision[a, a]
            for m in range(len(part)):
                part[m] += factor * (x_a[m] - middle_a) * (x_b[m] - middle_b)


def add_moments(
    x: Any, begin: int, end: int, part: Any, mean: Any, first: Any, second: Any
) -> None:
    """Add first and second moments around `mean` of some points, which count as `part` says."""
    for a in range(len(mean)):
        x_a = x[a, begin:end]
        middle_a = mean[a]
        moment = 0.0
        for m in range(len(part)):
            moment += part[m] * (x_a[m] - middle_a)
        first[a] += moment
        for b in range(a + 1):
            x_b = x[b, begin:end]
            middle_b = mean[b]
            moment = 0.0
            for m in range(len(part)):
                moment += part[m] * (x_a[m] - middle_a) * (x_b[m] - middle_b)
            second[a, b] += moment


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
        at = picked(term[begins[i] : begins[i + 1]], uniform[i]) + begins[i]
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


def picked(part: Any, uniform: float) -> int:
    """The place at which this share of the sum of `part` is reached."""
    left, at = uniform * summed(part), 0
    while at + TOGETHER < len(part):
        some = summed(part[at : at + TOGETHER])
        if left < some:
            break
        left -= some
        at += TOGETHER
    while at < len(part) - 1 and left > part[at]:
        left -= part[at]
        at += 1
    return at


def summed(part: Any) -> float:
    """The sum."""
    total = 0.0
    for m in range(len(part)):
        total += part[m]
    return total


def half_log_determinant(covariance: Any, kernel: Any, precision: Any, root: Any) -> float:
    """Half the logarithm of the determinant of covariance + kernel; fills its inverse.

    `root` becomes the inverse of the Cholesky factor, which takes few divisions.
    """
    size, product = covariance.shape[0], 1.0
    for a in range(size):
        for b in range(a + 1):
            rest = covariance[a, b] + kernel[a, b]
            for c in range(b):
                rest -= precision[a, c] * precision[b, c]
            if a == b:
                rest = math.sqrt(rest if rest > 1e-300 else 1e-300)
                product *= rest
                root[a, a] = 1.0 / rest
            else:
                precision[a, b] = rest * root[b, b]
    for a in range(size):
        for b in range(a):
            rest = 0.0
            for c in range(b, a):
                rest -= precision[a, c] * root[c, b]
            root[a, b] = rest * root[a, a]
    for a in range(size):
        for b in range(a + 1):
            total = 0.0
            for c in range(a, size):
                total += root[c, a] * root[c, b]
            precision[a, b] = total
            precision[b, a] = total
    return math.log(product if product > 1e-300 else 1e-300)


def add_turned(precision: Any, second: Any, room: Any, total: Any) -> None:
    """Add (P S P - P) / 2, the gradient of a person's log-likelihood in the covariance.

    The lower half of S is that of `second`, and so is the lower half of the sum.
    """
    size = precision.shape[0]
    for a in range(size):
        for b in range(a):
            second[b, a] = second[a, b]
    for a in range(size):
        for b in range(size):
            room[a, b] = 0.0
            for c in range(size):
                room[a, b] += precision[a, c] * second[c, b]
    for a in range(size):
        for b in range(a + 1):
            found = -precision[a, b]
            for c in range(size):
                found += room[a, c] * precision[c, b]
            total[a, b] += 0.5 * found
