"""An agent composed of learner, policy and choice: begin, act, learn, over the arms.

`start`, `prepare`, `score` and the other names bound below stand for the methods of the components
at hand; an engine binds them (see `armwise.engine.binding`) and leaves the rest of the code alone.
"""

import math
from typing import Any, NamedTuple

from armwise.grammar import Choice, Learner, Policy
from armwise.random import CHOICE, EVERY_ARM, Stream, for_arm, integer

learner_begin = Learner.begin
assume = Learner.assume
spreads = Learner.spreads
change = Learner.change
update = Learner.update
prepare = Policy.prepare
score = Policy.score
lasts = Policy.lasts
key = Choice.key
log_weight = Choice.log_weight

# Scores closer than this, relative to the best, tie: rounding must not decide.
TIE = 1e-12
ALL, NONE = -1, -2  # arms whose scores are out of date, where it is not just one


class Mind(NamedTuple):
    """The private memory of a composed agent, as views of one vector."""

    alpha: Any
    beta: Any
    score: Any
    key: Any
    stale: Any  # one number: the arm whose score is out of date, or ALL, or NONE
    notes: Any


def composed_memory(learner_memory: int, arms: int) -> int:
    """How many numbers the vector holds."""
    return 4 * arms + 1 + learner_memory


def composed_view(agent: Any, memory: Any, arms: int) -> Mind:
    """The parts of the vector by name."""
    return Mind(
        memory[:arms],
        memory[arms : 2 * arms],
        memory[2 * arms : 3 * arms],
        memory[3 * arms : 4 * arms],
        memory[4 * arms : 4 * arms + 1],
        memory[4 * arms + 1 :],
    )


def composed_begin(agent: Any, mind: Any, arms: int) -> None:
    """Every belief is the learner's prior."""
    learner_begin(agent.learner, mind.notes, arms)
    assumed = assume(agent.learner, mind.notes)
    mind.stale[0] = ALL
    for arm in range(arms):
        mind.alpha[arm] = assumed.alpha0
        mind.beta[arm] = assumed.beta0


def appraise(agent: Any, mind: Any, arms: int, trial: int, rng: Stream) -> None:
    """Write every arm's score; one that cannot have changed is left as it is."""
    shared = prepare(agent.policy, trial, arms, assume(agent.learner, mind.notes), rng)
    first, last = 0, arms
    if mind.stale[0] != ALL and lasts(agent.policy):
        first = max(int(mind.stale[0]), 0)
        last = int(mind.stale[0]) + 1
    mind.stale[0] = NONE
    for arm in range(first, last):
        mind.score[arm] = score(
            agent.policy, shared, arm, mind.alpha[arm], mind.beta[arm], for_arm(rng, arm)
        )


def pick(choice: Any, scores: Any, keys: Any, arms: int, rng: Stream) -> int:
    """The arm with the largest key; ties are broken uniformly."""
    best = -math.inf
    for arm in range(arms):
        keys[arm] = key(choice, scores[arm], for_arm(rng, arm))
        if keys[arm] > best:
            best = keys[arm]
    threshold = best - TIE * abs(best) if best < math.inf else best
    ties = 0
    first = 0
    for arm in range(arms):
        if keys[arm] >= threshold:
            if ties == 0:
                first = arm
            ties += 1
    if ties == 1:
        return first
    rank = integer(for_arm(rng, EVERY_ARM), 0, ties)
    for arm in range(first, arms):
        if keys[arm] >= threshold:
            if rank == 0:
                return arm
            rank -= 1
    return first


def choice_stream(rng: Stream) -> Stream:
    """The address of the choice rule's own draws."""
    return Stream(rng.seed_low, rng.seed_high, rng.agent, CHOICE, rng.trial, rng.arm)


def composed_act(agent: Any, mind: Any, arms: int, trial: int, rng: Stream) -> int:
    """Score every arm, then choose."""
    appraise(agent, mind, arms, trial, rng)
    return pick(agent.choice, mind.score, mind.key, arms, choice_stream(rng))


def composed_learn(
    agent: Any, mind: Any, arms: int, trial: int, arm: int, outcome: int, rng: Stream
) -> float:
    """One change probability for the trial, then one update per arm; returns the former."""
    gamma = change(agent.learner, mind.notes, arm, outcome, mind.alpha[arm], mind.beta[arm])
    first, last = 0, arms
    if spreads(agent.learner, gamma):
        mind.stale[0] = ALL
    else:
        first, last = arm, arm + 1
        mind.stale[0] = arm if mind.stale[0] == NONE else ALL
    for k in range(first, last):
        alpha, beta = update(
            agent.learner, mind.notes, gamma, k, k == arm, outcome, mind.alpha[k], mind.beta[k]
        )
        mind.alpha[k] = alpha
        mind.beta[k] = beta
    return gamma


def log_probability(choice: Any, scores: Any, arms: int, arm: int) -> float:
    """The logarithm of the probability that the choice rule gives to `arm`."""
    best = -math.inf
    for k in range(arms):
        best = max(best, log_weight(choice, scores[k]))
    total = 0.0
    for k in range(arms):
        total += math.exp(log_weight(choice, scores[k]) - best)
    return log_weight(choice, scores[arm]) - best - math.log(total)
