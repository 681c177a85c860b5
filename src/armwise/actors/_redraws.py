"""The class of worlds in which all arms are drawn again now and then, by an unknown law.

A hypothesis is a birth, the last trial at which all arms were drawn, with a law Be(alpha, beta) of
the draws and a rate of redraws: Bayesian change-point detection (Adams and MacKay 2007) over laws
and rates as well. A row holds the weights of all births for one law and one rate. Outcomes since a
birth are differences of running counts. If all places are taken, a birth is merged into the next
younger one, where this does least harm: no weight is lost, and old births become sparse.

Means and worths are kept for the likeliest law and rate, the held ones; an outcome changes them for
the chosen arm alone. Sums run over four lanes, which processors add at once.
"""

import math
from typing import Any, NamedTuple

from armwise.actors._indices import TABLE, entropy, spread_of, worth_of

USED, FRESH, ROWS, LAW, RATE = 0, 1, 2, 3, 4  # places in the head
HEAD = 8  # number of these places
FIRST_SHARE = 0.9  # weight of the first law, before the first trial
REGULAR_SHARE = 0.03  # part of it that is on regular timings


class Timing(NamedTuple):
    """When redraws come: without memory, at each of the `rates`, or more or less regularly.

    `hazards` has a row for every regular timing: the probability of a redraw 0, 1, ... trials after
    the last; the last number of a row serves all later times. `paces` are all rates: the memoryless
    ones, then redraws per trial of the regular ones.
    """

    rates: Any
    paces: Any
    hazards: Any


class Redraws(NamedTuple):
    """The parts of a memory with J births, Q laws, and up to Z rows."""

    head: Any
    successes: Any  # K: of every arm since the first trial
    failures: Any
    score: Any  # K
    weight: Any  # J: of every birth, given the held law
    birth: Any  # J: the trial before the arms were drawn
    order: Any  # J: places of births, from old to young
    total: Any  # J: weight over all laws and rates
    alpha: Any  # Q
    beta: Any
    belief: Any  # Q: probability of every law
    law: Any  # Z: of every row
    rate: Any
    share: Any  # Z: weight of every row
    chance: Any  # Q x J: probability of the last outcome
    rows: Any  # Z x J
    before: Any  # K x J: successes before a birth
    missed: Any  # K x J: failures before a birth
    mean: Any  # K x J
    worth: Any  # K x J


def redraws_size(arms: int, most: int, laws: int, rows: int) -> int:
    """The length of a memory."""
    return HEAD + 3 * arms + 4 * most + 3 * laws + 3 * rows + (laws + rows + 4 * arms) * most


def redraws(memory: Any, arms: int, most: int, laws: int, rows: int) -> Redraws:
    """The parts of a memory by name."""
    a = HEAD
    b = a + 3 * arms
    c = b + 4 * most
    d = c + 3 * laws
    e = d + 3 * rows
    f = e + laws * most
    g = f + rows * most
    square = arms * most
    return Redraws(
        memory[:a],
        memory[a : a + arms],
        memory[a + arms : a + 2 * arms],
        memory[a + 2 * arms : b],
        memory[b : b + most],
        memory[b + most : b + 2 * most],
        memory[b + 2 * most : b + 3 * most],
        memory[b + 3 * most : c],
        memory[c : c + laws],
        memory[c + laws : c + 2 * laws],
        memory[c + 2 * laws : d],
        memory[d : d + rows],
        memory[d + rows : d + 2 * rows],
        memory[d + 2 * rows : e],
        memory[e:f],
        memory[f:g],
        memory[g : g + square],
        memory[g + square : g + 2 * square],
        memory[g + 2 * square : g + 3 * square],
        memory[g + 3 * square : g + 4 * square],
    )


def begin_redraws(known: Redraws, most: int, first: Any, others: Any, timing: Timing) -> None:
    """One birth, before the first trial; laws are the `first` and the `others` (alphas, betas)."""
    alphas, betas = others
    laws, rates = len(alphas) + 1, len(timing.rates)
    known.alpha[0], known.beta[0] = first
    for law in range(1, laws):
        known.alpha[law], known.beta[law] = alphas[law - 1], betas[law - 1]
    known.head[USED] = 1.0
    known.head[FRESH] = -1.0
    known.head[RATE] = rates // 2
    known.weight[0] = 1.0
    known.total[0] = 1.0
    regular = len(timing.paces) - rates
    for law in range(laws):
        share = FIRST_SHARE if law == 0 else (1.0 - FIRST_SHARE) / (laws - 1)
        share = share if laws > 1 else 1.0
        known.belief[law] = share
        spared = REGULAR_SHARE if law == 0 and regular > 0 else 0.0
        for rate in range(rates):
            add_row(known, most, law, rate, share * (1.0 - spared) / rates)
    for pace in range(rates, rates + regular):
        add_row(known, most, 0, pace, known.belief[0] * REGULAR_SHARE / regular)


def add_row(known: Redraws, most: int, law: int, pace: int, share: float) -> None:
    """A row with all its weight on the first birth."""
    row = int(known.head[ROWS])
    known.head[ROWS] = row + 1
    known.law[row] = law
    known.rate[row] = pace
    known.share[row] = share
    known.rows[row * most] = share


def appraise_redraws(
    known: Redraws, most: int, arm: int, rates: Any, least: float, tables: Any
) -> None:
    """Set means and worths of an arm under the held law and rate."""
    law, rate = int(known.head[LAW]), int(known.head[RATE])
    alpha, beta = known.alpha[law], known.beta[law]
    price = spread_of(alpha, beta)
    decay = -math.log(1.0 - max(rates[rate], least))
    indices, entropies = tables
    for birth in range(int(known.head[USED])):
        place = arm * most + birth
        a = alpha + known.successes[arm] - known.before[place]
        b = beta + known.failures[arm] - known.missed[place]
        known.mean[place] = a / (a + b)
        known.worth[place] = worth_of(indices, rate * TABLE, entropies, a, b, decay, price)


def score_redraws(known: Redraws, arms: int, most: int, scores: Any) -> None:
    """Score every arm: average Gittins index, and the information about the birth."""
    law = int(known.head[LAW])
    price = spread_of(known.alpha[law], known.beta[law])
    weight = known.weight
    for arm in range(arms):
        mean = known.mean[arm * most : arm * most + most]
        worth = known.worth[arm * most : arm * most + most]
        m0 = m1 = m2 = m3 = x0 = x1 = x2 = x3 = 0.0
        for j in range(0, most, 4):
            m0 += weight[j] * mean[j]
            m1 += weight[j + 1] * mean[j + 1]
            m2 += weight[j + 2] * mean[j + 2]
            m3 += weight[j + 3] * mean[j + 3]
            x0 += weight[j] * worth[j]
            x1 += weight[j + 1] * worth[j + 1]
            x2 += weight[j + 2] * worth[j + 2]
            x3 += weight[j + 3] * worth[j + 3]
        blend = (m0 + m1) + (m2 + m3)
        scores[arm] = (x0 + x1) + (x2 + x3) + price * entropy(blend)
