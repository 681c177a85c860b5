"""Hypotheses about the last change: Bayesian change-point detection if all thetas change together.

Every hypothesis says when all arms last changed. It has a weight for each change probability that
is considered (a single one if it is known). It knows each arm's outcomes since the change: those of
all trials minus those before the change. Callers keep a worth of every arm under each hypothesis;
it changes only for the arm that had an outcome.
"""

import math
from typing import Any, NamedTuple

# Places in the head.
USED = 0  # number of hypotheses
FRESH = 1  # the newest hypothesis, or -1
PRIOR = 2  # alpha and beta of an arm of which nothing is known
HEAD = 4  # number of these places


class Hypotheses(NamedTuple):
    """The parts of a memory, which has room for `most` hypotheses."""

    head: Any
    successes: Any  # of every arm since the first trial
    failures: Any
    score: Any  # of every arm
    blend: Any  # expected theta of every arm
    weight: Any  # of every hypothesis
    chance: Any  # probability of the last outcome, for every hypothesis
    share: Any  # part of the weight, for every change probability and hypothesis
    belief: Any  # probability of every change probability
    before: Any  # successes before the change, for every arm and hypothesis
    missed: Any  # failures before the change, for every arm and hypothesis
    mean: Any  # expected theta, for every hypothesis and arm
    worth: Any  # set by callers, for every hypothesis and arm


def room_for(arms: int, most: int, rates: int) -> int:
    """The length of a memory."""
    return HEAD + 4 * arms + (2 + rates) * most + rates + 4 * arms * most


def laid_out(memory: Any, arms: int, most: int, rates: int) -> Hypotheses:
    """The parts of a memory by name."""
    a = HEAD
    b = a + 4 * arms
    c = b + (2 + rates) * most
    d = c + rates
    square = arms * most
    return Hypotheses(
        memory[:a],
        memory[a : a + arms],
        memory[a + arms : a + 2 * arms],
        memory[a + 2 * arms : a + 3 * arms],
        memory[a + 3 * arms : b],
        memory[b : b + most],
        memory[b + most : b + 2 * most],
        memory[b + 2 * most : c],
        memory[c:d],
        memory[d : d + square],
        memory[d + square : d + 2 * square],
        memory[d + 2 * square : d + 3 * square],
        memory[d + 3 * square : d + 4 * square],
    )


def start(
    known: Hypotheses,
    arms: int,
    most: int,
    rates: int,
    prior: tuple[float, float],
    fresh: float,
) -> None:
    """Start with one hypothesis: no change so far. `fresh` is the worth of an unknown arm."""
    known.head[USED] = 1.0
    known.head[FRESH] = -1.0
    known.head[PRIOR], known.head[PRIOR + 1] = prior
    known.weight[0] = 1.0
    for rate in range(rates):
        known.share[rate * most] = 1.0 / rates
        known.belief[rate] = 1.0 / rates
    for arm in range(arms):
        known.mean[arm] = prior[0] / (prior[0] + prior[1])
        known.worth[arm] = fresh


def observe(known: Hypotheses, arms: int, most: int, rates: int, arm: int, outcome: int) -> float:
    """Update the weights and counts with an outcome; return its predictive probability.

    Callers must update `worth`.
    """
    used = int(known.head[USED])
    evidence = 0.0
    for number in range(used):
        mean = known.mean[number * arms + arm]
        known.chance[number] = mean if outcome else 1.0 - mean
        evidence += known.weight[number] * known.chance[number]
    for number in range(used):
        known.chance[number] /= evidence
        known.weight[number] *= known.chance[number]
    for rate in range(rates):
        share = known.share[rate * most : rate * most + most]
        for number in range(used):
            share[number] *= known.chance[number]
    known.successes[arm] += outcome
    known.failures[arm] += 1 - outcome
    weight = known.head[PRIOR] + known.head[PRIOR + 1]
    for number in range(used):
        successes, failures = since(known, most, arm, number)
        alpha = known.head[PRIOR] + successes
        known.mean[number * arms + arm] = alpha / (weight + successes + failures)
    return evidence


def since(known: Hypotheses, most: int, arm: int, number: int) -> tuple[float, float]:
    """Successes and failures of an arm since a hypothetical change."""
    place = arm * most + number
    return (
        known.successes[arm] - known.before[place],
        known.failures[arm] - known.missed[place],
    )


def expect_change(known: Hypotheses, arms: int, most: int, rates: Any, fresh: float) -> None:
    """Add the hypothesis that all arms change before the next trial; drop the lightest if full."""
    slot, used = slot_for_change(known, most)
    for rate in range(len(rates)):
        share = known.share[rate * most : rate * most + most]
        total = 0.0
        for number in range(used):
            total += share[number]
            share[number] *= 1.0 - rates[rate]
        share[slot] = rates[rate] * total
        known.belief[rate] = total
    enter_change(known, arms, most, len(rates), slot, used, fresh)


def expect_change_by_age(
    known: Hypotheses,
    born: Any,
    trial: int,
    arms: int,
    most: int,
    models: int,
    hazards: Any,
    fresh: float,
) -> None:
    """Like `expect_change`, with a probability of a change that depends on the time since the last.

    `born` is the trial before each hypothesis began. `hazards` holds a row for each model; the last
    number of a row serves all later times. An outcome that comes late, after those of later trials,
    counts as one of now.
    """
    if known.head[FRESH] >= 0.0:
        trial = max(trial, int(born[int(known.head[FRESH])]))
    slot, used = slot_for_change(known, most)
    last = len(hazards) // models - 1
    for model in range(models):
        share = known.share[model * most : model * most + most]
        row = model * (last + 1)
        total = 0.0
        leaving = 0.0
        for number in range(used):
            hazard = hazards[row + min(trial - int(born[number]), last)]
            total += share[number]
            leaving += hazard * share[number]
            share[number] *= 1.0 - hazard
        share[slot] = leaving
        known.belief[model] = total
    born[slot] = trial
    enter_change(known, arms, most, models, slot, used, fresh)


def slot_for_change(known: Hypotheses, most: int) -> tuple[int, int]:
    """The place of the next hypothesis, and how many there are with it."""
    used = int(known.head[USED])
    slot = used if used < most else lightest(known.weight, most)
    return slot, max(used, slot + 1)


def enter_change(
    known: Hypotheses, arms: int, most: int, rates: int, slot: int, used: int, fresh: float
) -> None:
    """Renew the weights from the shares, and let nothing be known under the hypothesis `slot`."""
    for number in range(used):
        known.weight[number] = 0.0
    for rate in range(rates):
        share = known.share[rate * most : rate * most + most]
        for number in range(used):
            known.weight[number] += share[number]
    whole = 0.0
    for number in range(used):
        whole += known.weight[number]
    scale = 1.0 / whole
    for number in range(used):
        known.weight[number] *= scale
    for rate in range(rates):
        share = known.share[rate * most : rate * most + most]
        for number in range(used):
            share[number] *= scale
    known.head[USED] = used
    known.head[FRESH] = slot
    mean = known.head[PRIOR] / (known.head[PRIOR] + known.head[PRIOR + 1])
    for arm in range(arms):
        known.before[arm * most + slot] = known.successes[arm]
        known.missed[arm * most + slot] = known.failures[arm]
        known.mean[slot * arms + arm] = mean
        known.worth[slot * arms + arm] = fresh


def lightest(weights: Any, count: int) -> int:
    """The index of the smallest weight."""
    place = 0
    for number in range(1, count):
        if weights[number] < weights[place]:
            place = number
    return place


def change_now(known: Hypotheses) -> float:
    """The probability that all arms changed just before the last outcome."""
    fresh = int(known.head[FRESH])
    return known.weight[fresh] if fresh >= 0 else 0.0


def likeliest_rate(known: Hypotheses, rates: int, held: int) -> int:
    """The index of the most probable rate, or `held` if no other is twice as probable.

    This avoids switching (which costs work) in every trial between two rates that are close.
    """
    best = held
    belief = 2.0 * known.belief[held]
    for rate in range(rates):
        if known.belief[rate] > belief:
            best = rate
            belief = known.belief[rate]
    return best


def appraise(known: Hypotheses, arms: int) -> None:
    """Score every arm: its average worth plus the entropy of its next outcome."""
    for arm in range(arms):
        known.score[arm] = 0.0
        known.blend[arm] = 0.0
    for number in range(int(known.head[USED])):
        weight = known.weight[number]
        mean = known.mean[number * arms : number * arms + arms]
        worth = known.worth[number * arms : number * arms + arms]
        for arm in range(arms):
            known.blend[arm] += weight * mean[arm]
            known.score[arm] += weight * worth[arm]
    for arm in range(arms):
        mu = known.blend[arm]
        known.score[arm] -= mu * math.log(mu) + (1.0 - mu) * math.log(1.0 - mu)


def score_by_hypotheses(known: Hypotheses, arms: int, scores: Any) -> None:
    """Write the scores that `appraise` computes."""
    appraise(known, arms)
    for arm in range(arms):
        scores[arm] = known.score[arm]
