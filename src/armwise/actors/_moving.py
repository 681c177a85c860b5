"""The class of worlds in which one arm pays more than all others, and moves.

A model says with which logit the others pay (a base), by how much more the good arm pays (a gap),
and how probable it is to move in a trial. Each keeps the exact belief about which arm is the good
one. Bases are a grid of logits that follows the evidence: it is refined about the likeliest base,
and moves on when an end becomes likely.

An outcome does the same to the belief about all arms that were not chosen: multiply, then add. So a
model keeps these two numbers, and writes the belief about the chosen arm alone. Learning costs a
few operations for each model, however many arms there are.
"""

import math
from typing import Any, NamedTuple

from armwise.actors._indices import entropy

STEP, FIRST, REFINED = 0, 1, 2  # places in the head: distance of bases, first base, refinements
HEAD = 3  # number of these places
FIRST_STEP = 0.3  # between bases, in logits
REFINE_AT = (100, 500)  # trials from which the step is halved, once or twice
REFINE_EVERY = 100  # trials at which this is considered
FARTHEST = 7.0  # logits of bases stay between plus and minus this
FORGOTTEN = 1e-7  # a model with less weight is left out
SMALL, LARGE = 1e-4, 1e2  # beyond them rounding errors would grow
CALM = 0.002  # below this probability of a move, exploring pays
DOUBTFUL = 0.01  # the weight of calm models from which exploring is considered
CURIOSITY = 6.0  # trials' worth of a nat, if nothing moves
RARE_GAP, RARE = 1.0, 0.2  # gaps above the one have this prior weight


class Moving(NamedTuple):
    """The parts of a memory with G models: bases x gaps x moves."""

    head: Any
    belief: Any  # G x K: to be multiplied by the factor, then the offset added
    weight: Any  # G
    factor: Any  # G
    offset: Any  # G
    low: Any  # G: what all arms but the good one pay
    high: Any  # G: what the good arm pays
    dull: Any  # G: entropy of an outcome of the others
    lively: Any  # G: how much larger it is for the good arm
    stays: Any  # G
    arrives: Any  # G: probability of a move to a certain arm
    chosen: Any  # G: belief about the arm at hand
    score: Any  # K
    blend: Any  # K


class Grid(NamedTuple):
    """The grids of the models."""

    bases: int
    gaps: Any
    moves: Any


def moving_size(arms: int, grid: Grid) -> int:
    """The length of a memory."""
    models = grid.bases * len(grid.gaps) * len(grid.moves)
    return HEAD + models * (arms + 10) + 2 * arms


def moving(memory: Any, arms: int, grid: Grid) -> Moving:
    """The parts of a memory by name."""
    models = grid.bases * len(grid.gaps) * len(grid.moves)
    a = HEAD
    b = a + models * arms
    c = b + 10 * models
    return Moving(
        memory[:a],
        memory[a:b],
        memory[b : b + models],
        memory[b + models : b + 2 * models],
        memory[b + 2 * models : b + 3 * models],
        memory[b + 3 * models : b + 4 * models],
        memory[b + 4 * models : b + 5 * models],
        memory[b + 5 * models : b + 6 * models],
        memory[b + 6 * models : b + 7 * models],
        memory[b + 7 * models : b + 8 * models],
        memory[b + 8 * models : b + 9 * models],
        memory[b + 9 * models : c],
        memory[c : c + arms],
        memory[c + arms : c + 2 * arms],
    )


def logistic(logit: float) -> float:
    """The probability with a logit."""
    return 1.0 / (1.0 + math.exp(-logit))


def set_levels(known: Moving, grid: Grid) -> None:
    """Compute what arms pay, and its entropy, for all bases and gaps."""
    moves, row = len(grid.moves), len(known.weight) // grid.bases
    for base in range(grid.bases):
        logit = known.head[FIRST] + known.head[STEP] * base
        for place in range(row):
            model = base * row + place
            low, high = logistic(logit), logistic(logit + grid.gaps[place // moves])
            known.low[model] = low
            known.high[model] = high
            known.dull[model] = entropy(low)
            known.lively[model] = entropy(high) - entropy(low)


def begin_moving(known: Moving, arms: int, grid: Grid) -> None:
    """All bases alike, all arms alike; rare moves are less probable than frequent ones."""
    known.head[STEP] = FIRST_STEP
    known.head[FIRST] = -0.5 * FIRST_STEP * (grid.bases - 1)
    gaps, moves = len(grid.gaps), len(grid.moves)
    for model in range(len(known.weight)):
        move = grid.moves[model % moves]
        share = RARE if grid.gaps[model // moves % gaps] > RARE_GAP else 1.0
        known.weight[model] = share * math.sqrt(move)
        known.factor[model] = 1.0
        known.arrives[model] = move / (arms - 1.0)
        known.stays[model] = 1.0 - move - known.arrives[model]
    set_levels(known, grid)
    normalise(known)
    for place in range(len(known.belief)):
        known.belief[place] = 1.0 / arms


def total_of(values: Any, first: int, last: int) -> float:
    """The sum of values, in four lanes."""
    a = b = c = d = 0.0
    ends = first + (last - first) // 4 * 4
    for place in range(first, ends, 4):
        a += values[place]
        b += values[place + 1]
        c += values[place + 2]
        d += values[place + 3]
    for place in range(ends, last):
        a += values[place]
    return (a + b) + (c + d)


def normalise(known: Moving) -> None:
    """Let the weights sum to 1."""
    total = total_of(known.weight, 0, len(known.weight))
    for model in range(len(known.weight)):
        known.weight[model] /= total


def learn_moving(known: Moving, arms: int, grid: Grid, trial: int, arm: int, outcome: int) -> float:
    """Bayes' rule, then the possible move; return the probability of the outcome."""
    done = int(known.head[REFINED])
    if trial % REFINE_EVERY == 0 and done < len(REFINE_AT) and trial >= REFINE_AT[done]:
        refine(known, arms, grid)
    models = len(known.weight)
    for model in range(models):
        known.chosen[model] = known.belief[model * arms + arm]
    learn_models(known, outcome)
    evidence = total_of(known.weight, 0, models)
    for model in range(models):
        known.belief[model * arms + arm] = known.chosen[model]
        if known.factor[model] < SMALL or known.offset[model] > LARGE:
            write_out(known, arms, model)
    forget_and_shift(known, arms, grid, evidence)
    return evidence


def learn_models(known: Moving, outcome: int) -> None:
    """Bayes' rule in every model, written so that processors do it for several models at once."""
    base = 0.0 if outcome else 1.0
    sign = 1.0 if outcome else -1.0
    for model in range(len(known.weight)):
        factor, offset = known.factor[model], known.offset[model]
        low, high = base + sign * known.low[model], base + sign * known.high[model]
        arrives = known.arrives[model]
        before = factor * known.chosen[model] + offset
        chance = before * high + (1.0 - before) * low
        scale = known.stays[model] / chance
        factor *= scale * low
        offset = scale * low * offset + arrives
        known.chosen[model] = (scale * before * high + arrives - offset) / factor
        known.factor[model] = factor
        known.offset[model] = offset
        known.weight[model] *= chance


def write_out(known: Moving, arms: int, model: int) -> None:
    """Apply factor and offset to the beliefs about all arms, and let these sum to 1."""
    total = 0.0
    for place in range(model * arms, model * arms + arms):
        value = known.factor[model] * known.belief[place] + known.offset[model]
        known.belief[place] = max(value, 0.0)
        total += known.belief[place]
    for place in range(model * arms, model * arms + arms):
        known.belief[place] /= total
    known.factor[model] = 1.0
    known.offset[model] = 0.0


def forget_and_shift(known: Moving, arms: int, grid: Grid, evidence: float) -> None:
    """Normalise the weights, leave light models out, and follow the evidence beyond an end."""
    models, row = len(known.weight), len(known.weight) // grid.bases
    scale = 1.0 / evidence
    for model in range(models):
        weight = known.weight[model] * scale
        known.weight[model] = weight if weight > FORGOTTEN else 0.0
    beyond = known.head[FIRST] + known.head[STEP] * grid.bases
    if total_of(known.weight, 0, row) > 0.5 and known.head[FIRST] > -FARTHEST:
        shift(known, arms, grid, -1)
    elif total_of(known.weight, models - row, models) > 0.5 and beyond < FARTHEST:
        shift(known, arms, grid, 1)


def shift(known: Moving, arms: int, grid: Grid, way: int) -> None:
    """Move the grid of bases by one step; the new end is a copy of the old one."""
    known.head[FIRST] += way * known.head[STEP]
    for place in range(grid.bases - 1):
        base = place if way > 0 else grid.bases - 1 - place
        copy_base(known, arms, grid, base, base + way)
    normalise(known)
    set_levels(known, grid)


def refine(known: Moving, arms: int, grid: Grid) -> None:
    """Halve the step, about the likeliest base, unless it is an end: then the grid moves first."""
    row = len(known.weight) // grid.bases
    most, best = -1.0, 0
    for base in range(grid.bases):
        total = total_of(known.weight, base * row, base * row + row)
        if total > most:
            most, best = total, base
    if best == 0 or best == grid.bases - 1:
        return
    known.head[REFINED] += 1.0
    for base in range(grid.bases - 1, best, -1):
        copy_base(known, arms, grid, base, best + (base - best) // 2)
    for base in range(best):
        copy_base(known, arms, grid, base, best - (best - base) // 2)
    known.head[FIRST] += 0.5 * known.head[STEP] * best
    known.head[STEP] *= 0.5
    normalise(known)
    set_levels(known, grid)


def copy_base(known: Moving, arms: int, grid: Grid, base: int, source: int) -> None:
    """Let the models of a base be as those of another one."""
    row = len(known.weight) // grid.bases
    for place in range(row * arms):
        known.belief[base * row * arms + place] = known.belief[source * row * arms + place]
    for place in range(row):
        to, of = base * row + place, source * row + place
        known.weight[to] = known.weight[of]
        known.factor[to] = known.factor[of]
        known.offset[to] = known.offset[of]


def score_moving(known: Moving, arms: int, grid: Grid, scores: Any) -> None:
    """Score every arm: the expected theta, and curiosity as far as nothing seems to move."""
    calm = calm_weight(known, grid)
    curious = calm > DOUBTFUL
    for arm in range(arms):
        scores[arm] = 0.0
        known.blend[arm] = 0.0
    least = dullest = 0.0
    for model in range(len(known.weight)):
        weight = known.weight[model]
        if weight > 0.0:
            gain = weight * (known.high[model] - known.low[model])
            least += weight * known.low[model] + gain * known.offset[model]
            add_model(known, arms, model, gain, scores)
            if curious:
                gain = weight * known.lively[model]
                dullest += weight * known.dull[model] + gain * known.offset[model]
                add_model(known, arms, model, gain, known.blend)
    for arm in range(arms):
        scores[arm] += least
        if curious:
            news = entropy(scores[arm]) - known.blend[arm] - dullest
            scores[arm] += CURIOSITY * calm * news


def add_model(known: Moving, arms: int, model: int, gain: float, sums: Any) -> None:
    """Add what a model's belief about every arm is worth."""
    scale = gain * known.factor[model]
    belief = known.belief[model * arms : model * arms + arms]
    for arm in range(arms):
        sums[arm] += scale * belief[arm]


def calm_weight(known: Moving, grid: Grid) -> float:
    """The probability that the good arm moves hardly ever."""
    moves = len(grid.moves)
    total = 0.0
    for move in range(moves):
        if grid.moves[move] < CALM:
            for model in range(move, len(known.weight), moves):
                total += known.weight[model]
    return total
