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
SMALL, LARGE = (
    1e-4,
    1e2,
)  # beyond them rounding errors would grow
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
    low: Any  # of every base
    high: Any  # of every base and gap
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
    return HEAD + models * (arms + 3) + grid.bases * (1 + len(grid.gaps)) + 2 * arms


def moving(memory: Any, arms: int, grid: Grid) -> Moving:
    """The parts of a memory by name."""
    models = grid.bases * len(grid.gaps) * len(grid.moves)
    a = HEAD
    b = a + models * arms
    c = b + 3 * models
    d = c + grid.bases
    e = d + grid.bases * len(grid.gaps)
    return Moving(
        memory[:a],
        memory[a:b],
        memory[b : b + models],
        memory[b + models : b + 2 * models],
        memory[b + 2 * models : c],
        memory[c:d],
        memory[d:e],
        memory[e : e + arms],
        memory[e + arms : e + 2 * arms],
    )


def logistic(logit: float) -> float:
    """The probability with a logit."""
    return 1.0 / (1.0 + math.exp(-logit))


def set_levels(known: Moving, grid: Grid) -> None:
    """Compute the probabilities of all bases and gaps."""
    for base in range(grid.bases):
        logit = known.head[FIRST] + known.head[STEP] * base
        known.low[base] = logistic(logit)
        for gap in range(len(grid.gaps)):
            known.high[base * len(grid.gaps) + gap] = logistic(logit + grid.gaps[gap])


def begin_moving(known: Moving, arms: int, grid: Grid) -> None:
    """All bases alike, all arms alike; rare moves are less probable than frequent ones."""
    known.head[STEP] = FIRST_STEP
    known.head[FIRST] = -0.5 * FIRST_STEP * (grid.bases - 1)
    set_levels(known, grid)
    gaps, moves = len(grid.gaps), len(grid.moves)
    for model in range(grid.bases * gaps * moves):
        share = RARE if grid.gaps[model // moves % gaps] > RARE_GAP else 1.0
        known.weight[model] = share * math.sqrt(grid.moves[model % moves])
        known.factor[model] = 1.0
    normalise(known)
    for place in range(len(known.belief)):
        known.belief[place] = 1.0 / arms


def normalise(known: Moving) -> None:
    """Let the weights sum to 1."""
    total = 0.0
    for model in range(len(known.weight)):
        total += known.weight[model]
    for model in range(len(known.weight)):
        known.weight[model] /= total


def learn_moving(known: Moving, arms: int, grid: Grid, trial: int, arm: int, outcome: int) -> float:
    """Bayes' rule in every model and over models, then the possible move.

    Return the probability of the outcome.
    """
    done = int(known.head[REFINED])
    if trial % REFINE_EVERY == 0 and done < len(REFINE_AT) and trial >= REFINE_AT[done]:
        refine(known, arms, grid)
    evidence = 0.0
    gaps, moves = len(grid.gaps), len(grid.moves)
    for base in range(grid.bases):
        low = known.low[base] if outcome else 1.0 - known.low[base]
        for gap in range(gaps):
            place = base * gaps + gap
            high = known.high[place] if outcome else 1.0 - known.high[place]
            for move in range(moves):
                model = place * moves + move
                if known.weight[model] > 0.0:
                    chance = learn_model(known, arms, model, grid.moves[move], arm, high, low)
                    known.weight[model] *= chance
                    evidence += known.weight[model]
    forget_and_shift(known, arms, grid, evidence)
    return evidence


def learn_model(
    known: Moving, arms: int, model: int, move: float, arm: int, high: float, low: float
) -> float:
    """Bayes' rule in one model; return the probability of the outcome."""
    place = model * arms + arm
    factor = known.factor[model]
    before = factor * known.belief[place] + known.offset[model]
    chance = before * high + (1.0 - before) * low
    arrives = move / (arms - 1.0)
    scale = (1.0 - move - arrives) / chance
    factor *= scale * low
    offset = scale * low * known.offset[model] + arrives
    after = scale * before * high + arrives
    known.belief[place] = (after - offset) / factor
    if factor < SMALL or offset > LARGE:
        write_out(known, arms, model, factor, offset)
        factor, offset = 1.0, 0.0
    known.factor[model] = factor
    known.offset[model] = offset
    return chance


def write_out(known: Moving, arms: int, model: int, factor: float, offset: float) -> None:
    """Apply a factor and an offset to the beliefs about all arms, and let these sum to 1."""
    total = 0.0
    for place in range(model * arms, model * arms + arms):
        known.belief[place] = max(factor * known.belief[place] + offset, 0.0)
        total += known.belief[place]
    for place in range(model * arms, model * arms + arms):
        known.belief[place] /= total


def forget_and_shift(known: Moving, arms: int, grid: Grid, evidence: float) -> None:
    """Normalise the weights, leave light models out, and follow the evidence beyond an end."""
    rows = len(grid.gaps) * len(grid.moves)
    last = (grid.bases - 1) * rows
    lower = upper = 0.0
    scale = 1.0 / evidence
    for model in range(grid.bases * rows):
        weight = known.weight[model] * scale
        weight = weight if weight > FORGOTTEN else 0.0
        known.weight[model] = weight
        lower += weight if model < rows else 0.0
        upper += weight if model >= last else 0.0
    if lower > 0.5 and known.head[FIRST] > -FARTHEST:
        shift(known, arms, grid, -1)
    elif upper > 0.5 and known.head[FIRST] + known.head[STEP] * grid.bases < FARTHEST:
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
    rows = len(grid.gaps) * len(grid.moves)
    most, best = -1.0, 0
    for base in range(grid.bases):
        total = 0.0
        for model in range(base * rows, base * rows + rows):
            total += known.weight[model]
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
    rows = len(grid.gaps) * len(grid.moves)
    for place in range(rows * arms):
        known.belief[base * rows * arms + place] = known.belief[source * rows * arms + place]
    for row in range(rows):
        known.weight[base * rows + row] = known.weight[source * rows + row]
        known.factor[base * rows + row] = known.factor[source * rows + row]
        known.offset[base * rows + row] = known.offset[source * rows + row]


def score_moving(known: Moving, arms: int, grid: Grid, scores: Any) -> None:
    """Score every arm: the expected theta, and curiosity as far as nothing seems to move."""
    curiosity = CURIOSITY * calm_weight(known, grid)
    if curiosity < DOUBTFUL * CURIOSITY:
        curiosity = 0.0
    for arm in range(arms):
        scores[arm] = 0.0
        known.blend[arm] = 0.0
    gaps, moves = len(grid.gaps), len(grid.moves)
    for place in range(grid.bases * gaps):
        low, high = known.low[place // gaps], known.high[place]
        for model in range(place * moves, place * moves + moves):
            if known.weight[model] > FORGOTTEN:
                add_model(known, arms, model, low, high, curiosity > 0.0, scores)
    if curiosity > 0.0:
        for arm in range(arms):
            scores[arm] += curiosity * (entropy(scores[arm]) - known.blend[arm])


def add_model(
    known: Moving, arms: int, model: int, low: float, high: float, curious: bool, scores: Any
) -> None:
    """Add a model's expected thetas to the scores, and its expected entropies to the blend."""
    weight = known.weight[model]
    factor, offset = weight * known.factor[model], weight * known.offset[model]
    gain, least = high - low, weight * low
    belief = known.belief[model * arms : model * arms + arms]
    for arm in range(arms):
        scores[arm] += gain * (factor * belief[arm] + offset) + least
    if curious:
        least = entropy(low)
        gain = entropy(high) - least
        for arm in range(arms):
            known.blend[arm] += gain * (factor * belief[arm] + offset) + weight * least


def calm_weight(known: Moving, grid: Grid) -> float:
    """The probability that the good arm moves hardly ever."""
    moves = len(grid.moves)
    total = 0.0
    for model in range(len(known.weight)):
        total += known.weight[model] if grid.moves[model % moves] < CALM else 0.0
    return total
