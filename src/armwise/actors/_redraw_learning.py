"""Bayes' rule for redraws of all arms: weights of births, laws and timings after an outcome."""

import math
from typing import Any

from armwise.actors._redraws import (
    FRESH,
    LAW,
    RATE,
    ROWS,
    USED,
    Redraws,
    Timing,
    appraise_redraws,
)

NEGLIGIBLE = 1e-7  # a row with less weight is left out


def learn_redraws(
    known: Redraws,
    arms: int,
    most: int,
    timing: Timing,
    least: float,
    tables: Any,
    trial: int,
    arm: int,
    outcome: int,
) -> tuple[float, float]:
    """Bayes' rule, then a possible redraw. Return the probabilities of the outcome and a redraw.

    The redraw is one just before the outcome, and its probability is that after the outcome. An
    outcome that comes late, after those of later trials, counts as one of now: births are in order.
    """
    if known.head[FRESH] >= 0.0:
        trial = max(trial, int(known.birth[int(known.head[FRESH])]))
    predict(known, most, arm, outcome)
    evidence, gamma = weigh(known, most)
    known.successes[arm] += outcome
    known.failures[arm] += 1 - outcome
    fresh = place_for_birth(known, most, trial)
    enter_birth(known, arms, most, timing, fresh, trial, 1.0 / evidence)
    changed = hold_likeliest(known, most, timing)
    if changed:
        for every in range(arms):
            appraise_redraws(known, most, every, timing.rates, least, tables)
    else:
        appraise_redraws(known, most, arm, timing.rates, least, tables)
        at = arm * most + fresh
        for every in range(arms):  # nothing is known of any arm
            known.mean[every * most + fresh] = known.mean[at]
            known.worth[every * most + fresh] = known.worth[at]
    return evidence, gamma / evidence


def predict(known: Redraws, most: int, arm: int, outcome: int) -> None:
    """The probability of an outcome under every law that is alive, and every birth."""
    for law in range(len(known.belief)):
        if known.belief[law] > 0.0:
            alpha, beta = known.alpha[law], known.beta[law]
            chance = known.chance[law * most : law * most + most]
            for birth in range(int(known.head[USED])):
                place = arm * most + birth
                a = alpha + known.successes[arm] - known.before[place]
                b = beta + known.failures[arm] - known.missed[place]
                chance[birth] = (a if outcome else b) / (a + b)


def weigh(known: Redraws, most: int) -> tuple[float, float]:
    """Multiply all weights by the chances; return their sum, and that of the youngest birth."""
    evidence = gamma = 0.0
    fresh = int(known.head[FRESH])
    for row in range(int(known.head[ROWS])):
        law = int(known.law[row])
        weight = known.rows[row * most : row * most + most]
        chance = known.chance[law * most : law * most + most]
        a = b = c = d = 0.0
        for j in range(0, most, 4):
            w = weight[j] * chance[j]
            x = weight[j + 1] * chance[j + 1]
            y = weight[j + 2] * chance[j + 2]
            z = weight[j + 3] * chance[j + 3]
            weight[j] = w
            weight[j + 1] = x
            weight[j + 2] = y
            weight[j + 3] = z
            a += w
            b += x
            c += y
            d += z
        known.share[row] = (a + b) + (c + d)
        evidence += known.share[row]
        if fresh >= 0:
            gamma += weight[fresh]
    return evidence, gamma


def place_for_birth(known: Redraws, most: int, trial: int) -> int:
    """An empty place, or that of a birth which is merged into the next younger one."""
    used = int(known.head[USED])
    if used < most:
        known.order[used] = used
        known.head[USED] = used + 1
        return used
    least, where = math.inf, 0
    for rank in range(used - 2):
        old, young = int(known.order[rank]), int(known.order[rank + 1])
        gap = known.birth[young] - known.birth[old]
        harm = known.total[old] * gap / (trial - known.birth[young] + 1.0)
        if harm < least:
            least, where = harm, rank
    place, heir = int(known.order[where]), int(known.order[where + 1])
    for row in range(int(known.head[ROWS])):
        known.rows[row * most + heir] += known.rows[row * most + place]
    for rank in range(where, used - 1):
        known.order[rank] = known.order[rank + 1]
    known.order[used - 1] = place
    return place


def enter_birth(
    known: Redraws, arms: int, most: int, timing: Timing, fresh: int, trial: int, scale: float
) -> None:
    """Normalise the weights by `scale`, give the fresh birth its part, leave light rows out."""
    known.birth[fresh] = trial
    known.head[FRESH] = fresh
    for birth in range(most):
        known.total[birth] = 0.0
    for law in range(len(known.belief)):
        known.belief[law] = 0.0
    row = 0
    while row < int(known.head[ROWS]):
        share = known.share[row] * scale
        if share < NEGLIGIBLE:
            drop_row(known, most, row)
            continue
        weight = known.rows[row * most : row * most + most]
        weight[fresh] = 0.0
        pace = int(known.rate[row])
        if pace < len(timing.rates):
            left = scale * (1.0 - timing.rates[pace])
            for birth in range(most):
                weight[birth] *= left
            weight[fresh] = timing.rates[pace] * share
        else:
            weight[fresh] = leave(known, weight, pace, timing, trial, scale)
        for birth in range(most):
            known.total[birth] += weight[birth]
        known.share[row] = share
        known.belief[int(known.law[row])] += share
        row += 1
    for arm in range(arms):
        known.before[arm * most + fresh] = known.successes[arm]
        known.missed[arm * most + fresh] = known.failures[arm]


def leave(
    known: Redraws, weight: Any, pace: int, timing: Timing, trial: int, scale: float
) -> float:
    """Normalise a row of a regular timing; return the weight that leaves for a fresh birth."""
    rates = len(timing.rates)
    total = 0.0
    length = len(timing.hazards) // (len(timing.paces) - rates)
    first = (pace - rates) * length
    for birth in range(int(known.head[USED])):
        age = min(trial - int(known.birth[birth]), length - 1)
        hazard = timing.hazards[first + age]
        total += hazard * weight[birth]
        weight[birth] *= scale * (1.0 - hazard)
    return scale * total


def drop_row(known: Redraws, most: int, row: int) -> None:
    """Put the last row in place of a row."""
    last = int(known.head[ROWS]) - 1
    known.head[ROWS] = last
    known.law[row] = known.law[last]
    known.rate[row] = known.rate[last]
    known.share[row] = known.share[last]
    for birth in range(most):
        known.rows[row * most + birth] = known.rows[last * most + birth]


def hold_likeliest(known: Redraws, most: int, timing: Timing) -> bool:
    """Hold the likeliest law, and the likeliest rate given it; return whether either is new.

    The held one is kept unless another is twice as likely: a change costs work.
    """
    law = int(known.head[LAW])
    belief = 2.0 * known.belief[law]
    for every in range(len(known.belief)):
        if known.belief[every] > belief:
            law, belief = every, known.belief[every]
    rate = nearest_rate(known, timing)
    changed = law != int(known.head[LAW]) or rate != int(known.head[RATE])
    known.head[LAW], known.head[RATE] = law, rate
    for birth in range(most):
        known.weight[birth] = 0.0
    scale = 1.0 / known.belief[law]
    for row in range(int(known.head[ROWS])):
        if int(known.law[row]) == law:
            weight = known.rows[row * most : row * most + most]
            for birth in range(most):
                known.weight[birth] += scale * weight[birth]
    return changed


def nearest_rate(known: Redraws, timing: Timing) -> int:
    """The rate that is nearest to the expected one; the held one unless another is much nearer."""
    mean = 0.0
    for row in range(int(known.head[ROWS])):
        mean += known.share[row] * timing.paces[int(known.rate[row])]
    rates = timing.rates
    log = math.log(mean)
    rate = int(known.head[RATE])
    least = 0.7 * abs(math.log(rates[rate]) - log)
    for every in range(len(rates)):
        distance = abs(math.log(rates[every]) - log)
        if distance < least:
            rate, least = every, distance
    return rate
