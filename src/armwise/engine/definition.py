"""An agent composed of learner, policy and choice: begin, act, learn, over the arms.

This is the definition: every arm is scored in every trial. `armwise.engine.shortcuts.kept` makes the same choices
with less work. `prepare`, `score` and the other names bound below stand for the methods of the
components at hand; an engine binds them (see `armwise.engine.binding`) and leaves the rest alone.
"""

import math
from typing import Any, NamedTuple

from armwise.model.draws import Stream, for_arm
from armwise.model.roles import Choice, Learner, Policy
from armwise.model.ties import choice_stream, largest

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

ROWS = 4  # of the table that a mind is a view of


class Mind(NamedTuple):
    """What a composed agent remembers: rows of a table with a column per arm, and memory."""

    alpha: Any
    beta: Any
    score: Any
    key: Any
    memory: Any  # what the learner remembers besides the beliefs


def composed_view(table: Any, memory: Any) -> Mind:
    """The rows of the table by name."""
    return Mind(table[0], table[1], table[2], table[3], memory)


def composed_begin(agent: Any, mind: Any, arms: int) -> None:
    """Every belief is the learner's prior."""
    learner_begin(agent.learner, mind.memory, arms)
    assumed = assume(agent.learner, mind.memory)
    for arm in range(arms):
        mind.alpha[arm] = assumed.alpha0
        mind.beta[arm] = assumed.beta0


def overview(agent: Any, mind: Any, arms: int, trial: int, rng: Stream) -> Any:
    """What the arms share in a trial."""
    return prepare(agent.policy, trial, arms, assume(agent.learner, mind.memory), rng)


def gathered(agent: Any, mind: Any, arms: int, trial: int, rng: Stream) -> Any:
    """As `overview`, for a policy that looks at every arm before it scores one."""
    shared = prepare(agent.policy, trial, arms, assume(agent.learner, mind.memory), rng)
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


def composed_act(agent: Any, mind: Any, arms: int, trial: int, rng: Stream) -> int:
    """Score every arm, then choose."""
    appraise(agent, mind, arms, trial, rng)
    return pick(agent.choice, mind.score, mind.key, arms, choice_stream(rng))


def composed_learn(
    agent: Any, mind: Any, arms: int, trial: int, arm: int, outcome: int, rng: Stream
) -> float:
    """One change probability for the trial, then one update per arm; returns the former."""
    gamma = change(agent.learner, mind.memory, arm, outcome, mind.alpha[arm], mind.beta[arm])
    for k in range(arms):
        mind.alpha[k], mind.beta[k] = update(
            agent.learner, mind.memory, gamma, k, k == arm, outcome, mind.alpha[k], mind.beta[k]
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
