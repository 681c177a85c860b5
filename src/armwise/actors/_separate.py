"""The class of worlds in which every arm is drawn again on its own, at times of its own.

A filter holds the belief about the theta of every arm on a grid of logits, for a probability of a
redraw in a trial; the filters are weighed by their evidence. Only the chosen arm is brought up to
date. What is known of the others fades, which needs no more than the age of the last outcome.
"""

import math
from typing import Any, NamedTuple

from armwise.actors._indices import TABLE, entropy, index_of, spread_of

POINTS = 32  # of the grid, a multiple of four
WIDTH = 0.3  # between logits
EAGER = 2.0  # knowledge fades that much faster in the worth of an arm than in the belief
PRICE = 2.0  # of information about which filter is true, if the law is U(0, 1)
FLOOR = 1e-6  # the least weight of a filter
LIGHT = 1e-3  # a filter with less weight has no say


class Separate(NamedTuple):
    """The parts of a memory with N filters."""

    belief: Any  # K x N x POINTS
    weight: Any  # N
    last: Any  # K: trial of the last outcome, 0 if there was none
    mean: Any  # K x N: after the last outcome
    square: Any  # K x N: expected theta squared
    worth: Any  # K x N
    score: Any  # K
    blend: Any  # K


def separate_size(arms: int, filters: int) -> int:
    """The length of a memory."""
    return arms * filters * (POINTS + 3) + filters + 3 * arms


def separate(memory: Any, arms: int, filters: int) -> Separate:
    """The parts of a memory by name."""
    square = arms * filters
    a = square * POINTS
    b = a + filters
    c = b + arms
    d = c + 3 * square
    return Separate(
        memory[:a],
        memory[a:b],
        memory[b:c],
        memory[c : c + square],
        memory[c + square : c + 2 * square],
        memory[c + 2 * square : d],
        memory[d : d + arms],
        memory[d + arms : d + 2 * arms],
    )


def thetas_of_grid() -> tuple[float, ...]:
    """The thetas of the grid."""
    middle = 0.5 * (POINTS - 1)
    return tuple(1.0 / (1.0 + math.exp(-WIDTH * (place - middle))) for place in range(POINTS))


def law_of_grid(alpha: float, beta: float) -> tuple[float, ...]:
    """The probabilities of the grid's thetas under Be(alpha, beta)."""
    logs = [alpha * math.log(each) + beta * math.log1p(-each) for each in thetas_of_grid()]
    density = [math.exp(each - max(logs)) for each in logs]
    return tuple(value / math.fsum(density) for value in density)


class Clock(NamedTuple):
    """What filters share: rates, their tables of indices, and the grid."""

    rates: Any
    indices: Any  # a table for every rate
    thetas: Any
    law: Any
    alpha: float  # of the law
    beta: float


def begin_separate(known: Separate, arms: int, clock: Clock) -> None:
    """All filters alike; nothing is known of any arm."""
    filters = len(clock.rates)
    for one in range(filters):
        known.weight[one] = 1.0 / filters
    for place in range(arms * filters):
        for point in range(POINTS):
            known.belief[place * POINTS + point] = clock.law[point]
        known.mean[place], known.square[place] = moments_of(clock.alpha, clock.beta)


def learn_separate(
    known: Separate, arms: int, clock: Clock, trial: int, arm: int, outcome: int
) -> float:
    """Bayes' rule in every filter, for the chosen arm; return the probability of the outcome.

    An outcome that comes late, after that of a later trial, counts as one of that trial.
    """
    age = max(trial - known.last[arm], 0.0) if known.last[arm] > 0.0 else 0.0
    known.last[arm] = max(known.last[arm], trial)
    filters = len(clock.rates)
    evidence = 0.0
    for one in range(filters):
        place = arm * filters + one
        left = math.exp(-clock.rates[one] * age)
        belief = known.belief[place * POINTS : place * POINTS + POINTS]
        chance, mean, square = learn_filter(belief, clock, left, outcome)
        known.mean[place] = mean
        known.square[place] = square
        known.worth[place] = worth_of_moments(mean, square, clock, one)
        known.weight[one] *= chance
        evidence += known.weight[one]
    for one in range(filters):
        known.weight[one] = max(known.weight[one] / evidence, FLOOR)
    return evidence


def learn_filter(
    belief: Any, clock: Clock, left: float, outcome: int
) -> tuple[float, float, float]:
    """Fade, then Bayes' rule; return the outcome's probability and the moments of theta."""
    thetas, law = clock.thetas, clock.law
    base = 0.0 if outcome else 1.0
    sign = 1.0 if outcome else -1.0
    gone = 1.0 - left
    for g in range(POINTS):
        belief[g] = (left * belief[g] + gone * law[g]) * (base + sign * thetas[g])
    s0 = s1 = s2 = s3 = a0 = a1 = a2 = a3 = b0 = b1 = b2 = b3 = 0.0
    for g in range(0, POINTS, 4):
        x0, x1, x2, x3 = belief[g], belief[g + 1], belief[g + 2], belief[g + 3]
        y0, y1 = x0 * thetas[g], x1 * thetas[g + 1]
        y2, y3 = x2 * thetas[g + 2], x3 * thetas[g + 3]
        s0 += x0
        s1 += x1
        s2 += x2
        s3 += x3
        a0 += y0
        a1 += y1
        a2 += y2
        a3 += y3
        b0 += y0 * thetas[g]
        b1 += y1 * thetas[g + 1]
        b2 += y2 * thetas[g + 2]
        b3 += y3 * thetas[g + 3]
    chance = (s0 + s1) + (s2 + s3)
    scale = 1.0 / chance
    for g in range(POINTS):
        belief[g] *= scale
    return chance, ((a0 + a1) + (a2 + a3)) * scale, ((b0 + b1) + (b2 + b3)) * scale


def worth_of_moments(mean: float, square: float, clock: Clock, one: int) -> float:
    """The index of the Beta belief with these moments, minus the priced entropy of an outcome."""
    variance = max(square - mean * mean, 1e-9)
    total = max(mean * (1.0 - mean) / variance - 1.0, 2.0)
    decay = -math.log(1.0 - discounted(clock.rates[one]))
    index = index_of(clock.indices, one * TABLE, mean * total, (1.0 - mean) * total, decay)
    return index - PRICE * spread_of(clock.alpha, clock.beta) * entropy(mean)


def moments_of(alpha: float, beta: float) -> tuple[float, float]:
    """The expected theta, and theta squared, under Be(alpha, beta)."""
    mean = alpha / (alpha + beta)
    return mean, mean * (alpha + 1.0) / (alpha + beta + 1.0)


def discounted(rate: float) -> float:
    """One minus the discount of a filter's indices."""
    return 4.0 * rate


def score_separate(known: Separate, arms: int, clock: Clock, trial: int, scores: Any) -> None:
    """Score every arm: its worth, as far as that is still known, and the information."""
    filters = len(clock.rates)
    price = PRICE * spread_of(clock.alpha, clock.beta)
    mean, _ = moments_of(clock.alpha, clock.beta)
    whole = 0.0
    for one in range(filters):
        whole += known.weight[one] if known.weight[one] > LIGHT else 0.0
    for arm in range(arms):
        scores[arm] = 0.0
        known.blend[arm] = 0.0
    for one in range(filters):
        if known.weight[one] > LIGHT:
            weight = known.weight[one] / whole
            decay = -math.log(1.0 - discounted(clock.rates[one]))
            index = index_of(clock.indices, one * TABLE, clock.alpha, clock.beta, decay)
            fresh = index - price * entropy(mean)
            for arm in range(arms):
                age = trial - known.last[arm]
                left = math.exp(-EAGER * clock.rates[one] * age) if known.last[arm] > 0.0 else 0.0
                place = arm * filters + one
                known.blend[arm] += weight * (mean + left * (known.mean[place] - mean))
                scores[arm] += weight * (fresh + left * (known.worth[place] - fresh))
    for arm in range(arms):
        scores[arm] += price * entropy(known.blend[arm])


def moments_now(
    known: Separate, arms: int, rates: Any, fresh: tuple[float, float]
) -> list[tuple[float, float]]:
    """The expected theta, and theta squared, of every arm at the latest trial (interpreted)."""
    now = max(known.last)
    total = sum(known.weight)
    found = []
    for arm in range(arms):
        mean = square = 0.0
        for one, rate in enumerate(rates):
            place = arm * len(rates) + one
            left = math.exp(-rate * (now - known.last[arm])) if known.last[arm] > 0.0 else 0.0
            share = known.weight[one] / total
            mean += share * (fresh[0] + left * (known.mean[place] - fresh[0]))
            square += share * (fresh[1] + left * (known.square[place] - fresh[1]))
        found.append((mean, square))
    return found
