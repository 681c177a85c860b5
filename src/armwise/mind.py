"""An agent composed of learner, policy and choice: begin, act, learn, over the arms.

This is the definition: every arm is scored in every trial. `armwise.swift` makes the same choices
with less work. `prepare`, `score` and the other names bound below stand for the methods of the
components at hand; an engine binds them (see `armwise.engine.binding`) and leaves the rest alone.
"""

import math
from typing import Any, NamedTuple

from armwise.grammar import Choice, Learner, Policy
from armwise.random import CHOICE, EVERY_ARM, NOT_DRAWN, Stream, for_arm, integer

learner_begin = Learner.begin
assume = Learner.assume
change = Learner.change
update = Learner.update
prepare = Policy.prepare
gather = Policy.gather
conclude = Policy.conclude
score = Policy.score
key = Choice.key
log_weight = Choice.log_weight

# Scores closer than this, relative to the best, tie: rounding must not decide.
TIE = 1e-12
ROWS = 4  # of the table that a mind is a view of


class Mind(NamedTuple):
    """What a composed agent remembers: rows of a table with a column per arm, and notes."""

    alpha: Any
    beta: Any
    score: Any
    key: Any
    notes: Any  # what the learner remembers besides the beliefs


def composed_view(table: Any, notes: Any) -> Mind:
    """The rows of the table by name."""
    return Mind(table[0], table[1], table[2], table[3], notes)


def composed_begin(agent: Any, mind: Any, arms: int) -> None:
    """Every belief is the learner's prior."""
    learner_begin(agent.learner, mind.notes, arms)
    assumed = assume(agent.learner, mind.notes)
    for arm in range(arms):
        mind.alpha[arm] = assumed.alpha0
        mind.beta[arm] = assumed.beta0


def overview(agent: Any, mind: Any, arms: int, trial: int, rng: Stream) -> Any:
    """What the arms share in a trial."""
    return prepare(agent.policy, trial, arms, assume(agent.learner, mind.notes), rng)


def gathered(agent: Any, mind: Any, arms: int, trial: int, rng: Stream) -> Any:
    """As `overview`, for a policy that looks at every arm before it scores one."""
    shared = prepare(agent.policy, trial, arms, assume(agent.learner, mind.notes), rng)
    for arm in range(arms):
        shared = gather(agent.policy, shared, arm, mind.alpha[arm], mind.beta[arm])
    return conclude(agent.policy, shared, arms)


def appraise(agent: Any, mind: Any, arms: int, trial: int, rng: Stream) -> None:
    """Write every arm's score."""
    shared = overview(agent, mind, arms, trial, rng)
    for arm in range(arms):
        mind.score[arm] = score(
            agent.policy, shared, arm, mind.alpha[arm], mind.beta[arm], for_arm(rng, arm)
        )


def pick(choice: Any, scores: Any, keys: Any, arms: int, rng: Stream) -> int:
    """The arm with the largest key; ties are broken uniformly."""
    for arm in range(arms):
        keys[arm] = key(choice, scores[arm], for_arm(rng, arm))
    return largest(keys, arms, rng)


def largest(keys: Any, arms: int, rng: Stream) -> int:
    """Where the largest number is; ties are broken uniformly. Loops as a compiler likes them."""
    threshold = tie_below(maximum(keys, arms))
    ties = 0
    total = 0  # of the numbers of the arms that tie: if there is one, its own
    for arm in range(arms):
        tied = 1 if keys[arm] >= threshold else 0
        ties += tied
        total += tied * arm
    if ties == 1:
        return total
    if ties == 0:
        return 0
    rank = integer(for_arm(rng, EVERY_ARM), 0, ties)
    if ties == arms:
        return rank
    for arm in range(arms):
        if keys[arm] >= threshold:
            if rank == 0:
                return arm
            rank -= 1
    return 0


def maximum(numbers: Any, count: int) -> float:
    """The largest number; two halves at a time, since a comparison waits for the one before."""
    half = count >> 1
    last = numbers[count - 1]  # in neither half if the count is odd
    best = last if last > -math.inf else -math.inf
    other = -math.inf
    for place in range(half):
        best = numbers[place] if numbers[place] > best else best
        other = numbers[half + place] if numbers[half + place] > other else other
    return best if best > other else other


def tie_below(best: float) -> float:
    """The least number that ties with the best."""
    return best - TIE * abs(best) if best < math.inf else best


def choice_stream(rng: Stream) -> Stream:
    """The address of the choice rule's own draws."""
    return Stream(rng.seed_low, rng.seed_high, rng.agent, CHOICE, rng.trial, rng.arm, NOT_DRAWN)


def composed_act(agent: Any, mind: Any, arms: int, trial: int, rng: Stream) -> int:
    """Score every arm, then choose."""
    appraise(agent, mind, arms, trial, rng)
    return pick(agent.choice, mind.score, mind.key, arms, choice_stream(rng))


def composed_learn(
    agent: Any, mind: Any, arms: int, trial: int, arm: int, outcome: int, rng: Stream
) -> float:
    """One change probability for the trial, then one update per arm; returns the former."""
    gamma = change(agent.learner, mind.notes, arm, outcome, mind.alpha[arm], mind.beta[arm])
    for k in range(arms):
        mind.alpha[k], mind.beta[k] = update(
            agent.learner, mind.notes, gamma, k, k == arm, outcome, mind.alpha[k], mind.beta[k]
        )
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
