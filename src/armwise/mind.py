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
change = Learner.change
update = Learner.update
prepare = Policy.prepare
score = Policy.score
key = Choice.key
log_weight = Choice.log_weight

# Scores closer than this, relative to the best, tie: rounding must not decide.
TIE = 1e-12


class Mind(NamedTuple):
    """The private memory of a composed agent, as views of one vector."""

    alpha: Any
    beta: Any
    score: Any
    notes: Any


def composed_memory(learner_memory: int, arms: int) -> int:
    """How many numbers the vector holds."""
    return 3 * arms + learner_memory


def composed_view(agent: Any, memory: Any, arms: int) -> Mind:
    """The parts of the vector by name."""
    return Mind(
        memory[:arms], memory[arms : 2 * arms], memory[2 * arms : 3 * arms], memory[3 * arms :]
    )


def composed_begin(agent: Any, mind: Any, arms: int) -> None:
    """Every belief is the learner's prior."""
    learner_begin(agent.learner, mind.notes, arms)
    assumed = assume(agent.learner, mind.notes)
    for arm in range(arms):
        mind.alpha[arm] = assumed.alpha0
        mind.beta[arm] = assumed.beta0


def appraise(agent: Any, mind: Any, arms: int, trial: int, rng: Stream) -> None:
    """Write every arm's score."""
    shared = prepare(agent.policy, trial, arms, assume(agent.learner, mind.notes), rng)
    for arm in range(arms):
        mind.score[arm] = score(
            agent.policy, shared, arm, mind.alpha[arm], mind.beta[arm], for_arm(rng, arm)
        )


def pick(choice: Any, scores: Any, arms: int, rng: Stream) -> int:
    """The arm with the largest key; overwrites the scores with the keys."""
    best = -math.inf
    for arm in range(arms):
        if scores[arm] > -math.inf:  # an arm that may not be chosen now has no key
            scores[arm] = key(choice, scores[arm], for_arm(rng, arm))
        best = max(best, scores[arm])
    threshold = best - TIE * abs(best) if best < math.inf else best
    ties = 0
    first = 0
    for arm in range(arms):
        if scores[arm] >= threshold:
            if ties == 0:
                first = arm
            ties += 1
    if ties == 1:
        return first
    rank = integer(for_arm(rng, EVERY_ARM), 0, ties)
    for arm in range(first, arms):
        if scores[arm] >= threshold:
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
    return pick(agent.choice, mind.score, arms, choice_stream(rng))


def composed_learn(
    agent: Any, mind: Any, arms: int, trial: int, arm: int, outcome: int, rng: Stream
) -> float:
    """One change probability for the trial, then one update per arm; returns the former."""
    gamma = change(agent.learner, mind.notes, arm, outcome, mind.alpha[arm], mind.beta[arm])
    for k in range(arms):
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
