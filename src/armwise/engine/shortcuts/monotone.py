"""Ceilings over boxes: the choices of `armwise.engine.definition` for a score that is monotone.

More alpha, less beta or a later trial never lower a monotone score. So a score taken at the far
corner of a box of beliefs and trials is a ceiling for as long as the arm stays inside the box, and
one taken at the near corner is a floor. An arm whose ceiling is below another's score is not
scored; a champion whose floor is above all ceilings is chosen without a look at the others.
"""

import math
from typing import Any, NamedTuple

from armwise.engine.definition import assume, prepare, score
from armwise.engine.shortcuts.kept import (
    AFFORD,
    ALPHA0,
    BETA0,
    CHAMPION,
    FLOOR,
    FLOOR_ALPHA,
    FLOOR_BETA,
    RESTLESS,
    RHO,
    RIVAL,
    STANDS,
    assumes_anew,
    exact_score,
    highest,
    safely_below,
    swift_begin,
)
from armwise.model.draws import Stream, for_arm
from armwise.model.roles import Assumed, Policy
from armwise.model.ties import choice_stream, largest

below = Policy.below

WIDEST = 0.5  # a box never spans more than this part of the way to the prior, or of the trials
FIRST = 0.05  # how wide the first box of an arm is
AFFORDED = 1.0  # of the way to the rival, if a failure costs one trial's share of the mean
ROWS = 11  # of the table


class Boxed(NamedTuple):
    """A mind with a box per arm: while trial, alpha and beta are inside, the ceiling holds."""

    alpha: Any
    beta: Any
    score: Any
    key: Any
    memory: Any
    state: Any
    ceiling: Any
    most_alpha: Any
    least_beta: Any
    until: Any  # the last trial in the box; 0 where there is none
    width: Any  # of the last box
    rise: Any  # of the ceiling with the width


def boxed_view(table: Any, memory: Any) -> Boxed:
    """The rows of the table by name."""
    return Boxed(
        table[0],
        table[1],
        table[2],
        table[3],
        memory,
        table[4],
        table[5],
        table[6],
        table[7],
        table[8],
        table[9],
        table[10],
    )


def boxed_begin(agent: Any, mind: Any, arms: int) -> None:
    """No floor and no box."""
    swift_begin(agent, mind, arms)
    mind.state[FLOOR] = -math.inf
    for arm in range(arms):
        mind.ceiling[arm] = math.inf
        mind.width[arm] = FIRST
        mind.rise[arm] = 1.0


def boxed_act(agent: Any, mind: Any, arms: int, trial: int, rng: Stream) -> int:
    """The best arm; those whose ceilings are too low are not scored."""
    assumed = assume(agent.learner, mind.memory)
    if assumes_anew(mind, assumed):
        void(mind, arms)
    champion = int(mind.state[CHAMPION])
    level = standing_floor(mind, champion)
    stands = trial <= mind.state[STANDS]
    if stands and mind.state[RIVAL] < safely_below(level):
        return champion
    shared = prepare(agent.policy, trial, arms, assumed, rng)
    if stands and level == -math.inf and renewed(agent, mind, shared, champion, rng):
        return champion
    if mind.state[RESTLESS] != 0.0:
        return restless_act(agent, mind, arms, shared, champion, rng)
    scored = level == -math.inf
    if scored:
        champion = front_runner(agent, mind, arms, shared, champion, rng)
        level = mind.ceiling[champion]
    if mark_challengers(mind, arms, trial, champion, level) > 0:
        serious = contest(agent, mind, arms, trial, shared, safely_below(level), rng)
        if serious > 0:
            if not scored:
                mind.score[champion] = exact_score(agent, mind, shared, champion, rng)
                scored = True
            champion = largest(mind.score, arms, choice_stream(rng))
    mind.state[CHAMPION] = champion
    if mind.state[RESTLESS] == 0.0:
        survey(mind, arms, champion)
        if scored:
            lay_floor(agent, mind, shared, champion, rng)
    return champion


def restless_act(agent: Any, mind: Any, arms: int, shared: Any, champion: int, rng: Stream) -> int:
    """The best arm where all beliefs change, and boxes would not last.

    An arm that is below the level rules out all with no more alpha and no less beta.
    """
    champion = front_runner(agent, mind, arms, shared, champion, rng)
    level = safely_below(mind.ceiling[champion])
    for arm in range(arms):
        mind.score[arm] = math.inf
    mind.score[champion] = mind.ceiling[champion]
    serious = 0
    twin = -1  # the arm scored last: one with equal beliefs is not scored again
    for arm in range(arms):
        if mind.score[arm] == math.inf:
            if twin >= 0 and same_belief(mind, arm, twin):
                mind.score[arm] = mind.score[twin]
            elif falls_short(agent, mind, shared, arm, level, rng):
                rule_out(mind, arms, mind.alpha[arm], mind.beta[arm])
            else:
                mind.score[arm] = exact_score(agent, mind, shared, arm, rng)
                mind.ceiling[arm] = mind.score[arm]  # a good guess who comes next
                mind.until[arm] = 0.0
                level = max(level, safely_below(mind.score[arm]))
                serious += 1
                twin = arm
    if serious > 0:
        champion = largest(mind.score, arms, choice_stream(rng))
    mind.state[CHAMPION] = champion
    return champion


def same_belief(mind: Any, arm: int, other: int) -> bool:
    """Whether two arms are alike, which is common."""
    return mind.alpha[arm] == mind.alpha[other] and mind.beta[arm] == mind.beta[other]


def rule_out(mind: Any, arms: int, alpha: float, beta: float) -> None:
    """Score -inf for the arms that cannot be better than this belief, unless they are scored."""
    for arm in range(arms):
        worse = mind.alpha[arm] <= alpha and mind.beta[arm] >= beta
        mind.score[arm] = -math.inf if worse and mind.score[arm] == math.inf else mind.score[arm]


def void(mind: Any, arms: int) -> None:
    """Forget what rests on other assumptions of the learner."""
    mind.state[FLOOR] = -math.inf
    mind.state[STANDS] = 0.0
    for arm in range(arms):
        mind.until[arm] = 0.0


def standing_floor(mind: Any, champion: int) -> float:
    """The floor of the champion, if its belief has kept the bounds, else -inf."""
    kept = (
        mind.alpha[champion] >= mind.state[FLOOR_ALPHA]
        and mind.beta[champion] <= mind.state[FLOOR_BETA]
    )
    return mind.state[FLOOR] if kept else -math.inf


def front_runner(agent: Any, mind: Any, arms: int, shared: Any, champion: int, rng: Stream) -> int:
    """The better of the champion and the most promising other; the ceilings of both are scores."""
    mind.ceiling[champion] = exact_score(agent, mind, shared, champion, rng)
    mind.until[champion] = 0.0
    other = highest(mind.ceiling, arms)
    if other != champion:
        mind.ceiling[other] = exact_score(agent, mind, shared, other, rng)
        mind.until[other] = 0.0
        if mind.ceiling[other] > mind.ceiling[champion]:
            return other
    return champion


def mark_challengers(mind: Any, arms: int, trial: int, champion: int, level: float) -> int:
    """Score -inf for those whose boxes keep them below the level, inf for the others: how many."""
    low = safely_below(level)
    challengers = 0
    for arm in range(arms):
        held = (
            mind.ceiling[arm] < low
            and trial <= mind.until[arm]
            and mind.alpha[arm] <= mind.most_alpha[arm]
            and mind.beta[arm] >= mind.least_beta[arm]
        )
        mind.score[arm] = -math.inf if held else math.inf
        challengers += 0 if held else 1
    if mind.score[champion] == math.inf:
        challengers -= 1
    mind.score[champion] = level
    return challengers


def contest(
    agent: Any, mind: Any, arms: int, trial: int, shared: Any, level: float, rng: Stream
) -> int:
    """Let the challengers try; how many reach the level, which rises with them."""
    serious = 0
    twin = -1  # the challenger before
    for arm in range(arms):
        if mind.score[arm] == math.inf:
            if twin >= 0 and same_belief(mind, arm, twin):
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
    return serious


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


def falls_short(agent: Any, mind: Any, shared: Any, arm: int, level: float, rng: Stream) -> bool:
    """Whether an arm is below the level now."""
    own = for_arm(rng, arm)
    return below(agent.policy, shared, arm, mind.alpha[arm], mind.beta[arm], level, own)


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
    afford = affordable(mind, champion, mind.score[champion])
    mind.state[FLOOR] = -math.inf
    mind.state[AFFORD] = afford
    if afford >= 1.0:
        lower_floor(agent, mind, shared, champion, afford, rng)


def renewed(agent: Any, mind: Any, shared: Any, champion: int, rng: Stream) -> bool:
    """Whether the champion has a new floor above its rival, where the old one was passed."""
    if mind.state[FLOOR] == -math.inf:
        return False
    level = lower_floor(agent, mind, shared, champion, mind.state[AFFORD], rng)
    if mind.state[RIVAL] < safely_below(level):
        mind.state[AFFORD] += affordable(mind, champion, level)
        return True
    mind.state[FLOOR] = -math.inf
    return False


def affordable(mind: Any, champion: int, level: float) -> float:
    """How many failures may take the champion from this level most of the way to its rival."""
    trials = mind.alpha[champion] + mind.beta[champion]
    return min(AFFORDED * (level - mind.state[RIVAL]) * trials, 1e6)


def lower_floor(
    agent: Any, mind: Any, shared: Any, champion: int, failures: float, rng: Stream
) -> float:
    """What the champion reaches, from now on, until it has failed so often."""
    alpha = mind.alpha[champion]
    beta = mind.beta[champion] + math.floor(failures)
    mind.state[FLOOR] = score(agent.policy, shared, champion, alpha, beta, for_arm(rng, champion))
    mind.state[FLOOR_ALPHA] = alpha
    mind.state[FLOOR_BETA] = beta
    return mind.state[FLOOR]
