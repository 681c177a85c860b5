"""The choices of `armwise.engine.definition`, to the last tie, with less work.

By what the components say of themselves (the hints of `armwise.model.roles`):

- `settled_act`: scores depend on beliefs alone (`lasts`), and only the chosen arm learned. The
  champion stays as long as it beats the best of the others, whose scores stand.
- `screened`: the policy has a cheap `ceiling` of the score, and perhaps a cheap `floor`; an arm
  that cannot be the best is not scored, nor one that must be.
- `armwise.engine.shortcuts.thompson`: the score grows with luck, and the policy knows the `odds` of an arm.
- `armwise.engine.shortcuts.lookahead`: a score depends on all arms, and the champion can `pledge` to stay the best.
- `armwise.engine.shortcuts.monotone`: the score is `monotone` in belief and trial.
- `search`: none of these; every arm is scored.

An arm is ruled out only if it falls short by more than `safely_below` allows for rounding and ties.
"""

import math
from typing import Any, NamedTuple

from armwise.engine.definition import (
    appraise,
    assume,
    change,
    composed_begin,
    overview,
    prepare,
    score,
    update,
)
from armwise.model.draws import Stream, for_arm
from armwise.model.roles import Assumed, Learner, Policy
from armwise.model.ties import choice_stream, largest, maximum, tie_below

spreads = Learner.spreads
ceiling = Policy.ceiling
floor = Policy.floor

MARGIN = 1e-9  # far above the rounding of a score, and above mind.TIE
ALL, NONE = -1, -2  # arms whose scores are out of date, where it is not just one
ROWS = 5  # of the table

# Places in the row `state`.
STALE = 0  # the arm whose score is out of date, or ALL, or NONE
RESTLESS = 1  # gamma of the last trial if it changed more than the chosen arm's belief, else 0
CHAMPION = 2  # the arm chosen last
RIVAL = 3  # what the others reach at most
STANDS = 4  # the last trial for which that is known (of boxes)
RHO = 5  # what the learner assumed in the last trial
ALPHA0 = 6
BETA0 = 7
FLOOR = 8  # what the champion reaches as long as alpha and beta keep these bounds (of boxes)
FLOOR_ALPHA = 9
FLOOR_BETA = 10
AFFORD = 11  # over how many failures its next floor is tried (of boxes)
LEADER = 12  # the arm whose floor sets the level (of chances)
LEVEL = 13  # for which the odds stand (of chances)
MEAN = 14  # the least mean with which the champion keeps its pledge
EVIDENCE = 15  # and the most evidence
AHEAD = 16  # how far it pledged last, as a part of the trials so far
AGAIN = 17  # the first trial in which it tries again
WAIT = 18  # for how many trials it did not, after it failed
STATES = 19


class Swift(NamedTuple):
    """A mind that remembers what it need not compute again."""

    alpha: Any
    beta: Any
    score: Any
    key: Any
    memory: Any
    state: Any


def swift_view(table: Any, memory: Any) -> Swift:
    """The rows of the table by name."""
    return Swift(table[0], table[1], table[2], table[3], memory, table[4])


def swift_begin(agent: Any, mind: Any, arms: int) -> None:
    """Every belief is the learner's prior, and no score is known."""
    composed_begin(agent, mind, arms)
    mind.state[STALE] = ALL


def swift_learn(
    agent: Any, mind: Any, arms: int, trial: int, arm: int, outcome: int, rng: Stream
) -> float:
    """As `composed_learn`; beliefs that cannot change are left alone."""
    gamma = change(agent.learner, mind.memory, arm, outcome, mind.alpha[arm], mind.beta[arm])
    if spreads(agent.learner, gamma):
        mind.state[STALE] = ALL
        mind.state[STANDS] = 0.0
        mind.state[RESTLESS] = gamma
        alpha, beta = update(
            agent.learner, mind.memory, gamma, arm, True, outcome, mind.alpha[arm], mind.beta[arm]
        )
        for k in range(arms):
            mind.alpha[k], mind.beta[k] = update(
                agent.learner, mind.memory, gamma, k, False, outcome, mind.alpha[k], mind.beta[k]
            )
        mind.alpha[arm] = alpha
        mind.beta[arm] = beta
    else:
        learn_alone(agent, mind, arm, outcome, gamma)
    return gamma


def settled_learn(
    agent: Any, mind: Any, arms: int, trial: int, arm: int, outcome: int, rng: Stream
) -> float:
    """As `swift_learn`; where all beliefs change, lasting scores are written along with them."""
    gamma = change(agent.learner, mind.memory, arm, outcome, mind.alpha[arm], mind.beta[arm])
    if not spreads(agent.learner, gamma):
        learn_alone(agent, mind, arm, outcome, gamma)
        return gamma
    mind.state[STALE] = NONE
    mind.state[RESTLESS] = gamma
    assumed = assume(agent.learner, mind.memory)
    assumes_anew(mind, assumed)
    shared = prepare(agent.policy, trial, arms, assumed, rng)
    alpha, beta = update(
        agent.learner, mind.memory, gamma, arm, True, outcome, mind.alpha[arm], mind.beta[arm]
    )
    for k in range(arms):
        mind.alpha[k], mind.beta[k] = update(
            agent.learner, mind.memory, gamma, k, False, outcome, mind.alpha[k], mind.beta[k]
        )
        mind.score[k] = exact_score(agent, mind, shared, k, rng)
    mind.alpha[arm] = alpha
    mind.beta[arm] = beta
    mind.score[arm] = exact_score(agent, mind, shared, arm, rng)
    return gamma


def learn_alone(agent: Any, mind: Any, arm: int, outcome: int, gamma: float) -> None:
    """The chosen arm alone learns."""
    mind.state[STALE] = arm if mind.state[STALE] == NONE else ALL
    mind.state[RESTLESS] = 0.0
    if arm != mind.state[CHAMPION]:
        mind.state[STANDS] = 0.0
    mind.alpha[arm], mind.beta[arm] = update(
        agent.learner, mind.memory, gamma, arm, True, outcome, mind.alpha[arm], mind.beta[arm]
    )


def safely_below(level: float) -> float:
    """What is below this is below the level, and does not tie with it, whatever the rounding."""
    return level - MARGIN * (1.0 + abs(level))


def search(agent: Any, mind: Any, arms: int, trial: int, rng: Stream) -> int:
    """Score every arm; the best one."""
    appraise(agent, mind, arms, trial, rng)
    return largest(mind.score, arms, choice_stream(rng))


def settled_act(agent: Any, mind: Any, arms: int, trial: int, rng: Stream) -> int:
    """The best arm, where scores depend on beliefs alone."""
    assumed = assume(agent.learner, mind.memory)
    stale = ALL if assumes_anew(mind, assumed) else int(mind.state[STALE])
    if stale == ALL and mind.state[RESTLESS] != 0.0:
        return search(agent, mind, arms, trial, rng)
    mind.state[STALE] = NONE
    if stale == ALL:
        appraise(agent, mind, arms, trial, rng)
    elif stale != NONE:
        shared = prepare(agent.policy, trial, arms, assumed, rng)
        mind.score[stale] = exact_score(agent, mind, shared, stale, rng)
        if stale == mind.state[CHAMPION] and mind.state[RIVAL] < tie_below(mind.score[stale]):
            return stale
    arm = largest(mind.score, arms, choice_stream(rng))
    mind.state[CHAMPION] = arm
    restless = mind.state[RESTLESS] != 0.0
    mind.state[RIVAL] = math.inf if restless else best_other(mind.score, arm, arms)
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
    """The best arm: that with the highest ceiling, if its floor is above all others' ceilings.

    Else it is scored, and then those whose ceiling is not below the best score.
    """
    shared = overview(agent, mind, arms, trial, rng)
    for arm in range(arms):
        mind.key[arm] = ceiling(agent.policy, shared, arm, mind.alpha[arm], mind.beta[arm])
        mind.score[arm] = -math.inf
    first = int(mind.state[CHAMPION])  # most often
    most = mind.key[first]
    mind.key[first] = -math.inf
    others = maximum(mind.key, arms)
    if others >= most:
        mind.key[first] = most
        first = highest(mind.key, arms)
        mind.key[first] = -math.inf
        others = maximum(mind.key, arms)
    mind.state[CHAMPION] = first
    least = floor(agent.policy, shared, first, mind.alpha[first], mind.beta[first])
    if others < safely_below(least):
        return first
    mind.score[first] = exact_score(agent, mind, shared, first, rng)
    level = safely_below(mind.score[first])
    if others < level:
        return first
    second = highest(mind.key, arms)
    for place in range(-1, arms):
        arm = second if place < 0 else place
        if mind.key[arm] >= level:
            mind.key[arm] = -math.inf
            mind.score[arm] = exact_score(agent, mind, shared, arm, rng)
            level = max(level, safely_below(mind.score[arm]))
    arm = largest(mind.score, arms, choice_stream(rng))
    mind.state[CHAMPION] = arm
    return arm


def exact_score(agent: Any, mind: Any, shared: Any, arm: int, rng: Stream) -> float:
    """The score of one arm."""
    return score(agent.policy, shared, arm, mind.alpha[arm], mind.beta[arm], for_arm(rng, arm))


def highest(numbers: Any, arms: int) -> int:
    """Where the first of the largest numbers is."""
    best = -math.inf
    place = 0
    for arm in range(arms):
        if numbers[arm] > best:
            best = numbers[arm]
            place = arm
    return place
