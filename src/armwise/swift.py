"""The choices of `armwise.mind`, to the last tie, with less work.

Four ways, by what the components say of themselves:

- `settled_act`: scores depend on beliefs alone (`lasts`), and only the chosen arm learned. The
  champion stays as long as it beats the best of the others, whose scores stand.
- `screened`: the policy can tell cheaply that there is no `hope` for an arm; the rest is scored.
- `boxed_act`: the score is `monotone` in belief and trial. A score taken at the far corner of a box
  of beliefs and trials is a ceiling for as long as the arm stays inside the box.
- `search`: none of these; every arm is scored.

An arm is ruled out only if it falls short by more than `safely_below` allows for rounding and ties.
"""

import math
from typing import Any, NamedTuple

from armwise.grammar import Assumed, Learner, Policy
from armwise.mind import (
    appraise,
    assume,
    change,
    choice_stream,
    composed_begin,
    largest,
    maximum,
    prepare,
    score,
    tie_below,
    update,
)
from armwise.random import Stream, for_arm

spreads = Learner.spreads
floor = Policy.floor
hope = Policy.hope
below = Policy.below

MARGIN = 1e-9  # far above the rounding of a score, and above mind.TIE
ALL, NONE = -1, -2  # arms whose scores are out of date, where it is not just one
WIDEST = 0.5  # a box never spans more than this part of the way to the prior, or of the trials
FIRST = 0.05  # how wide the first box of an arm is

# Places in the row `state`.
STALE = 0  # the arm whose score is out of date, or ALL, or NONE
RESTLESS = 1  # gamma of the last trial if it changed more than the chosen arm's belief, else 0
CHAMPION = 2  # the arm chosen last
RIVAL = 3  # the best score of the others
FLOOR = 4  # what the champion's score reaches as long as alpha and beta keep these bounds
FLOOR_ALPHA = 5
FLOOR_BETA = 6
RHO = 7  # what the learner assumed in the last trial
ALPHA0 = 8
BETA0 = 9
STANDS = 10  # the last trial in which the boxes of all others hold, as RIVAL says how high
STATES = 11

ROWS, BOXED_ROWS = 5, 11  # of the tables


class Swift(NamedTuple):
    """A mind that remembers what it need not compute again."""

    alpha: Any
    beta: Any
    score: Any
    key: Any
    notes: Any
    state: Any


class Boxed(NamedTuple):
    """A mind with a box per arm: while trial, alpha and beta are inside, the ceiling holds."""

    alpha: Any
    beta: Any
    score: Any
    key: Any
    notes: Any
    state: Any
    ceiling: Any
    most_alpha: Any
    least_beta: Any
    until: Any
    width: Any
    rise: Any


def swift_view(table: Any, notes: Any) -> Swift:
    """The rows of the table by name."""
    return Swift(table[0], table[1], table[2], table[3], notes, table[4])


def boxed_view(table: Any, notes: Any) -> Boxed:
    """The rows of the table by name."""
    return Boxed(
        table[0],
        table[1],
        table[2],
        table[3],
        notes,
        table[4],
        table[5],
        table[6],
        table[7],
        table[8],
        table[9],
        table[10],
    )


def swift_begin(agent: Any, mind: Any, arms: int) -> None:
    """Every belief is the learner's prior, and no score is known."""
    composed_begin(agent, mind, arms)
    mind.state[STALE] = ALL
    mind.state[FLOOR] = -math.inf


def boxed_begin(agent: Any, mind: Any, arms: int) -> None:
    """No box holds."""
    swift_begin(agent, mind, arms)
    for arm in range(arms):
        mind.ceiling[arm] = math.inf
        mind.width[arm] = FIRST
        mind.rise[arm] = 1.0


def swift_learn(
    agent: Any, mind: Any, arms: int, trial: int, arm: int, outcome: int, rng: Stream
) -> float:
    """As `composed_learn`; beliefs that cannot change are left alone."""
    gamma = change(agent.learner, mind.notes, arm, outcome, mind.alpha[arm], mind.beta[arm])
    if spreads(agent.learner, gamma):
        mind.state[STALE] = ALL
        mind.state[STANDS] = 0.0
        mind.state[RESTLESS] = gamma
        alpha, beta = update(
            agent.learner, mind.notes, gamma, arm, True, outcome, mind.alpha[arm], mind.beta[arm]
        )
        for k in range(arms):
            mind.alpha[k], mind.beta[k] = update(
                agent.learner, mind.notes, gamma, k, False, outcome, mind.alpha[k], mind.beta[k]
            )
        mind.alpha[arm] = alpha
        mind.beta[arm] = beta
    else:
        mind.state[STALE] = arm if mind.state[STALE] == NONE else ALL
        mind.state[RESTLESS] = 0.0
        if arm != mind.state[CHAMPION]:
            mind.state[STANDS] = 0.0
        mind.alpha[arm], mind.beta[arm] = update(
            agent.learner, mind.notes, gamma, arm, True, outcome, mind.alpha[arm], mind.beta[arm]
        )
    return gamma


def safely_below(level: float) -> float:
    """What is below this is below the level, and does not tie with it, whatever the rounding."""
    return level - MARGIN * (1.0 + abs(level))


def search(agent: Any, mind: Any, arms: int, trial: int, rng: Stream) -> int:
    """Score every arm; the best one."""
    appraise(agent, mind, arms, trial, rng)
    return largest(mind.score, arms, choice_stream(rng))


def settled_act(agent: Any, mind: Any, arms: int, trial: int, rng: Stream) -> int:
    """The best arm, where scores depend on beliefs alone."""
    assumed = assume(agent.learner, mind.notes)
    stale = ALL if assumes_anew(mind, assumed) else int(mind.state[STALE])
    if stale == ALL and mind.state[RESTLESS] != 0.0:
        return search(agent, mind, arms, trial, rng)
    mind.state[STALE] = NONE
    if stale == ALL:
        appraise(agent, mind, arms, trial, rng)
    elif stale != NONE:
        shared = prepare(agent.policy, trial, arms, assumed, rng)
        mind.score[stale] = score(
            agent.policy, shared, stale, mind.alpha[stale], mind.beta[stale], for_arm(rng, stale)
        )
        if stale == mind.state[CHAMPION] and mind.state[RIVAL] < tie_below(mind.score[stale]):
            return stale
    arm = largest(mind.score, arms, choice_stream(rng))
    mind.state[CHAMPION] = arm
    mind.state[RIVAL] = best_other(mind.score, arm, arms)
    return arm


def assumes_anew(mind: Any, assumed: Assumed) -> bool:
    """Whether the learner assumes something else than before: what was known is void."""
    if (
        mind.state[RHO] == assumed.rho
        and mind.state[ALPHA0] == assumed.alpha0
        and mind.state[BETA0] == assumed.beta0
    ):
        return False
    mind.state[RHO] = assumed.rho
    mind.state[ALPHA0] = assumed.alpha0
    mind.state[BETA0] = assumed.beta0
    return True


def best_other(scores: Any, champion: int, arms: int) -> float:
    """The best score but one."""
    kept = scores[champion]
    scores[champion] = -math.inf
    best = maximum(scores, arms)
    scores[champion] = kept
    return best


def screened(agent: Any, mind: Any, arms: int, trial: int, rng: Stream) -> int:
    """The best arm: the most promising one is scored, then those that may still be better."""
    shared = prepare(agent.policy, trial, arms, assume(agent.learner, mind.notes), rng)
    for arm in range(arms):
        mind.key[arm] = floor(agent.policy, shared, arm, mind.alpha[arm], mind.beta[arm])
    level = maximum(mind.key, arms)
    known = -1
    exact = 0.0
    if level == -math.inf:  # no floor: the arm chosen last sets the level
        known = int(mind.state[CHAMPION])
        exact = exact_score(agent, mind, shared, known, rng)
        level = exact
    level = safely_below(level)
    hopes = 0
    total = 0
    for arm in range(arms):
        mind.key[arm] = hope_of(agent, mind, shared, arm, level, rng)
    for arm in range(arms):
        mind.score[arm] = -math.inf
        hopeful = 1 if mind.key[arm] >= 0.0 else 0
        hopes += hopeful
        total += hopeful * arm
    if hopes == 1:
        mind.state[CHAMPION] = total
        return total
    if known >= 0:
        mind.score[known] = exact
        mind.key[known] = -1.0
    first = highest(mind.key, arms)
    for place in range(-1, arms):
        arm = first if place < 0 else place
        if mind.key[arm] >= 0.0:
            mind.key[arm] = -1.0
            if place < 0 or not falls_short(agent, mind, shared, arm, level, rng):
                mind.score[arm] = exact_score(agent, mind, shared, arm, rng)
                level = max(level, safely_below(mind.score[arm]))
    arm = largest(mind.score, arms, choice_stream(rng))
    mind.state[CHAMPION] = arm
    return arm


def falls_short(agent: Any, mind: Any, shared: Any, arm: int, level: float, rng: Stream) -> bool:
    """Whether an arm is below the level, by its cheap test or by the sharp one."""
    if hope_of(agent, mind, shared, arm, level, rng) < 0.0:
        return True
    return below(
        agent.policy, shared, arm, mind.alpha[arm], mind.beta[arm], level, for_arm(rng, arm)
    )


def hope_of(agent: Any, mind: Any, shared: Any, arm: int, level: float, rng: Stream) -> float:
    """The hope of one arm."""
    return hope(
        agent.policy, shared, arm, mind.alpha[arm], mind.beta[arm], level, for_arm(rng, arm)
    )


def exact_score(agent: Any, mind: Any, shared: Any, arm: int, rng: Stream) -> float:
    """The score of one arm."""
    return score(agent.policy, shared, arm, mind.alpha[arm], mind.beta[arm], for_arm(rng, arm))


def boxed_act(agent: Any, mind: Any, arms: int, trial: int, rng: Stream) -> int:
    """The best arm, where the score is monotone; arms whose ceilings are too low are not scored."""
    assumed = assume(agent.learner, mind.notes)
    if assumes_anew(mind, assumed):
        mind.state[FLOOR] = -math.inf
        mind.state[STANDS] = 0.0
        for arm in range(arms):
            mind.until[arm] = 0.0
    shared = prepare(agent.policy, trial, arms, assumed, rng)
    champion = int(mind.state[CHAMPION])
    level = -math.inf
    if (
        mind.alpha[champion] >= mind.state[FLOOR_ALPHA]
        and mind.beta[champion] <= mind.state[FLOOR_BETA]
    ):
        level = mind.state[FLOOR]
    floored = level > -math.inf
    if trial <= mind.state[STANDS] and mind.state[RIVAL] < safely_below(level):
        return champion
    if not floored:
        level = exact_score(agent, mind, shared, champion, rng)
        mind.ceiling[champion] = level
        mind.until[champion] = 0.0
        next_best = highest(mind.ceiling, arms)
        if next_best != champion:
            exact = exact_score(agent, mind, shared, next_best, rng)
            mind.ceiling[next_best] = exact
            mind.until[next_best] = 0.0
            if exact > level:
                champion, level = next_best, exact
    top = level
    level = safely_below(level)
    challengers = 0
    for arm in range(arms):
        held = (
            mind.ceiling[arm] < level
            and trial <= mind.until[arm]
            and mind.alpha[arm] <= mind.most_alpha[arm]
            and mind.beta[arm] >= mind.least_beta[arm]
        )
        mind.score[arm] = -math.inf if held else math.inf
        challengers += 0 if held else 1
    if mind.score[champion] == -math.inf:
        challengers += 1
    mind.score[champion] = top
    if challengers > 1:
        serious = 0
        twin = -1  # the arm before, if its score is new
        for arm in range(arms):
            if mind.score[arm] == math.inf:
                if (
                    twin >= 0
                    and mind.alpha[arm] == mind.alpha[twin]
                    and mind.beta[arm] == mind.beta[twin]
                ):
                    mind.score[arm] = mind.score[twin]
                    mind.ceiling[arm] = mind.ceiling[twin]
                    mind.most_alpha[arm] = mind.most_alpha[twin]
                    mind.least_beta[arm] = mind.least_beta[twin]
                    mind.until[arm] = mind.until[twin]
                else:
                    mind.score[arm] = challenge(agent, mind, arms, trial, arm, shared, level, rng)
                twin = arm
                if mind.score[arm] >= level:
                    serious += 1
                    level = max(level, safely_below(mind.score[arm]))
        if floored and serious > 0:
            mind.score[champion] = exact_score(agent, mind, shared, champion, rng)
            floored = False
        if serious > 0:
            champion = largest(mind.score, arms, choice_stream(rng))
    mind.state[CHAMPION] = champion
    if mind.state[RESTLESS] == 0.0:
        survey(mind, arms, champion)
        if not floored:
            lay_floor(agent, mind, shared, champion, rng)
    return champion


def highest(numbers: Any, arms: int) -> int:
    """Where the first of the largest numbers is."""
    best = -math.inf
    place = 0
    for arm in range(arms):
        if numbers[arm] > best:
            best = numbers[arm]
            place = arm
    return place


def challenge(
    agent: Any, mind: Any, arms: int, trial: int, arm: int, shared: Any, level: float, rng: Stream
) -> float:
    """The score of an arm, or -inf (and a new box) if it is below the level for some time."""
    width = min(2.0 * mind.width[arm], WIDEST)
    if mind.ceiling[arm] < level and worthwhile(mind, trial, width):
        if box(agent, mind, arms, trial, arm, width, rng) < level:
            mind.width[arm] = width
            return -math.inf
    elif mind.ceiling[arm] < level and falls_short(agent, mind, shared, arm, level, rng):
        mind.width[arm] = width
        return -math.inf
    exact = exact_score(agent, mind, shared, arm, rng)
    mind.ceiling[arm] = exact  # no ceiling, but a good guess who comes next
    mind.until[arm] = 0.0
    if exact < level:
        # Half the way to the level, if the ceiling rises in proportion.
        width = min(0.5 * (level - exact) / mind.rise[arm], WIDEST)
        if worthwhile(mind, trial, width):
            above = box(agent, mind, arms, trial, arm, width, rng)
            mind.rise[arm] = max((above - exact) / width, 1e-9)
        mind.width[arm] = width
    return exact


def worthwhile(mind: Any, trial: int, width: float) -> bool:
    """Whether a box would hold for longer than the next trial."""
    return width > 2.0 * mind.state[RESTLESS] and width * trial >= 1.0


def box(agent: Any, mind: Any, arms: int, trial: int, arm: int, width: float, rng: Stream) -> float:
    """Make the box that spans `width` of the trials so far, and of the way to the prior."""
    assumed = Assumed(mind.state[RHO], mind.state[ALPHA0], mind.state[BETA0])
    reach = width if mind.state[RESTLESS] != 0.0 else 0.0
    alpha = mind.alpha[arm]
    beta = mind.beta[arm]
    most_alpha = alpha + reach * max(assumed.alpha0 - alpha, 0.0)
    least_beta = beta - reach * max(beta - assumed.beta0, 0.0)
    until = trial + int(width * trial)
    shared = prepare(agent.policy, until, arms, assumed, rng)
    mind.ceiling[arm] = score(agent.policy, shared, arm, most_alpha, least_beta, for_arm(rng, arm))
    mind.most_alpha[arm] = most_alpha
    mind.least_beta[arm] = least_beta
    mind.until[arm] = until
    return mind.ceiling[arm]


def survey(mind: Any, arms: int, champion: int) -> None:
    """How high the ceilings of all others are, and how long they hold."""
    until = math.inf
    rival = -math.inf
    for arm in range(arms):
        if arm != champion:
            until = min(until, mind.until[arm])
            rival = max(rival, mind.ceiling[arm])
    mind.state[STANDS] = until
    mind.state[RIVAL] = rival


def lay_floor(agent: Any, mind: Any, shared: Any, champion: int, rng: Stream) -> None:
    """A floor for the champion over so many failures as it can probably afford."""
    alpha = mind.alpha[champion]
    beta = mind.beta[champion]
    afford = 0.5 * (mind.score[champion] - mind.state[RIVAL]) * (alpha + beta)
    mind.state[FLOOR] = -math.inf
    if afford >= 1.0:
        failures = math.floor(min(afford, 1e6))
        mind.state[FLOOR] = score(
            agent.policy, shared, champion, alpha, beta + failures, for_arm(rng, champion)
        )
        mind.state[FLOOR_ALPHA] = alpha
        mind.state[FLOOR_BETA] = beta + failures
