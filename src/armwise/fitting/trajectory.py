"""One trajectory of the No-U-Turn sampler, as a function that the engine compiles.

Hoffman and Gelman 2014, with draws by their weights and the turning criterion of Betancourt 2017.
The places of a trajectory form a tree of doublings. A branch is kept as a few vectors: the first
and last momentum, the sum of the momenta, and the draw from it. Two branches of equal length join
as soon as both are there, as when a binary number is counted up, so there is one of every length.
Momenta and slopes are those of coordinates in which the covariance `root root'` is the identity.
"""

import math
from typing import Any

from armwise.numerics.hook import hook

DEEPEST = 8  # doublings of a trajectory
WRONG = 1000.0  # error of the energy at which a trajectory diverges
FIRST, LAST, SUM, PLACE, SLOPE, ROWS = 0, 1, 2, 3, 4, 5  # vectors of a branch
WEIGHT, HEIGHT, ENERGY, COLUMNS = 0, 1, 2, 3  # numbers of a branch: logarithms
NEW, WHOLE, BRANCHES = DEEPEST + 1, DEEPEST + 2, DEEPEST + 3  # the branch of a step, and the tree
WHERE, MOMENTUM, HERE = 0, 1, 2  # vectors of an end: its place, and momentum and slope there
ACCEPTED, STEPS, DEPTH, DIVERGING, DRAWN, TOLD = 0, 1, 2, 3, 4, 5  # what is told; uniforms used
UNIFORMS = 2 ** (DEEPEST + 1)  # that a trajectory may use


@hook
def height(data: Any, place: Any, gradient: Any) -> float:
    """The log-density at a place; fills its gradient. The engine puts another in its stead."""
    raise NotImplementedError


def trajectory(
    data: Any,
    root: Any,
    pace: float,
    begin: Any,
    uniform: Any,
    ends: Any,
    branches: Any,
    numbers: Any,
    told: Any,
) -> None:
    """From `begin[row, number]`, an end with its momentum, draw the next place into WHOLE.

    `numbers[WHOLE, HEIGHT]` is the log-density at the beginning, and then at the draw. The other
    arrays are room: `ends[2, row, number]`, `branches[BRANCHES, ROWS, number]`.
    """
    size = begin.shape[1]
    start = 0.5 * along(begin[MOMENTUM], begin[MOMENTUM]) - numbers[WHOLE, HEIGHT]
    for a in range(size):
        for row in range(3):
            ends[0, row, a] = begin[row, a]
            ends[1, row, a] = begin[row, a]
        branches[WHOLE, SUM, a] = begin[MOMENTUM, a]
        branches[WHOLE, PLACE, a] = begin[WHERE, a]
        branches[WHOLE, SLOPE, a] = begin[HERE, a]
    numbers[WHOLE, WEIGHT] = 0.0
    numbers[WHOLE, ENERGY] = start
    for k in range(TOLD):
        told[k] = 0.0
    going = True
    while going and told[DEPTH] < DEEPEST:
        side = 1 if uniform_of(uniform, told) < 0.5 else 0
        for a in range(size):
            branches[WHOLE, FIRST, a] = ends[1 - side, MOMENTUM, a]
            branches[WHOLE, LAST, a] = ends[side, MOMENTUM, a]
        depth = int(told[DEPTH])
        step = pace if side == 1 else -pace
        going = grown(data, root, step, depth, start, uniform, ends[side], branches, numbers, told)
        if going:
            odds = numbers[depth, WEIGHT] - numbers[WHOLE, WEIGHT]
            going = joined(branches, numbers, WHOLE, depth, odds, uniform_of(uniform, told))
        told[DEPTH] += 1.0


def grown(
    data: Any,
    root: Any,
    step: float,
    depth: int,
    start: float,
    uniform: Any,
    end: Any,
    branches: Any,
    numbers: Any,
    told: Any,
) -> bool:
    """Make the branch of 2^depth steps from an end; False if it turns back or diverges."""
    for n in range(1 << depth):
        numbers[NEW, HEIGHT] = leapt(data, root, step, end, branches[NEW, SUM])
        energy = 0.5 * along(end[MOMENTUM], end[MOMENTUM]) - numbers[NEW, HEIGHT]
        error = energy - start
        told[STEPS] += 1.0
        if not error < WRONG:
            told[DIVERGING] = 1.0
            return False
        told[ACCEPTED] += math.exp(-error) if error > 0.0 else 1.0
        numbers[NEW, WEIGHT], numbers[NEW, ENERGY] = -error, energy
        for a in range(end.shape[1]):
            for row in (FIRST, LAST, SUM):
                branches[NEW, row, a] = end[MOMENTUM, a]
            branches[NEW, PLACE, a], branches[NEW, SLOPE, a] = end[WHERE, a], end[HERE, a]
        level = 0
        while (n >> level) & 1:
            chance = uniform_of(uniform, told)
            both = log_sum(numbers[level, WEIGHT], numbers[NEW, WEIGHT])
            odds = numbers[NEW, WEIGHT] - both
            if not joined(branches, numbers, level, NEW, odds, chance):
                return False
            copied(branches, numbers, NEW, level)
            level += 1
        copied(branches, numbers, level, NEW)
    return True


def leapt(data: Any, root: Any, step: float, end: Any, gradient: Any) -> float:
    """Move an end by one leapfrog step; return the log-density there."""
    size = end.shape[1]
    for a in range(size):
        end[MOMENTUM, a] += 0.5 * step * end[HERE, a]
    for a in range(size):
        for b in range(a + 1):
            end[WHERE, a] += step * root[a, b] * end[MOMENTUM, b]
    found = height(data, end[WHERE], gradient)
    for a in range(size):
        end[HERE, a] = 0.0
        for b in range(a, size):
            end[HERE, a] += root[b, a] * gradient[b]
        end[MOMENTUM, a] += 0.5 * step * end[HERE, a]
    return found


def joined(branches: Any, numbers: Any, old: int, new: int, odds: float, chance: float) -> bool:
    """Add a branch to the one before it; its draw is taken with these log-odds.

    False if the two together turn back, or either of them together with its neighbour.
    """
    first, second = branches[old], branches[new]
    going = onward(first[SUM], second[SUM], first[FIRST], second[LAST])
    going = going and onward(first[SUM], second[FIRST], first[FIRST], second[FIRST])
    going = going and onward(second[SUM], first[LAST], first[LAST], second[LAST])
    for a in range(first.shape[1]):
        first[SUM, a] += second[SUM, a]
        first[LAST, a] = second[LAST, a]
    numbers[old, WEIGHT] = log_sum(numbers[old, WEIGHT], numbers[new, WEIGHT])
    if math.log(chance + 1e-300) < odds:
        for a in range(first.shape[1]):
            first[PLACE, a], first[SLOPE, a] = second[PLACE, a], second[SLOPE, a]
        numbers[old, HEIGHT], numbers[old, ENERGY] = numbers[new, HEIGHT], numbers[new, ENERGY]
    return going


def onward(some: Any, more: Any, left: Any, right: Any) -> bool:
    """Whether two sums of momenta together point forwards at both ends."""
    behind, ahead = 0.0, 0.0
    for a in range(len(some)):
        behind += (some[a] + more[a]) * left[a]
        ahead += (some[a] + more[a]) * right[a]
    return behind > 0.0 and ahead > 0.0


def copied(branches: Any, numbers: Any, to: int, source: int) -> None:
    """Copy a branch."""
    for row in range(ROWS):
        for a in range(branches.shape[2]):
            branches[to, row, a] = branches[source, row, a]
    for column in range(COLUMNS):
        numbers[to, column] = numbers[source, column]


def uniform_of(uniform: Any, told: Any) -> float:
    """The next of the uniform numbers."""
    used = int(told[DRAWN])
    told[DRAWN] += 1.0
    return float(uniform[used])


def along(some: Any, more: Any) -> float:
    """The inner product."""
    total = 0.0
    for a in range(len(some)):
        total += some[a] * more[a]
    return total


def log_sum(a: float, b: float) -> float:
    """log(exp(a) + exp(b))."""
    top = a if a > b else b
    return top + math.log(math.exp(a - top) + math.exp(b - top))
