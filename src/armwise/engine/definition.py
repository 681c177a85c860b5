"""The definition of an agent composed of learner, policy and choice: begin, act and learn.

Here every arm is updated and scored in every trial. The files in `shortcuts` make the same choices
with less work. The names below stand for methods of the agent's components; an engine binds them
(see `armwise.engine.binding`).
"""

import math
from typing import Any, NamedTuple

from armwise.model.draws import Stream, for_arm, luck
from armwise.model.quantile_policy import QuantilePolicy
from armwise.model.roles import Choice, Learner, Policy
from armwise.model.ties import choice_stream, largest
from armwise.numerics.beta_quantiles import beta_quantile, beta_upper_quantile
from armwise.numerics.hook import hook

learner_begin = Learner.begin
assume = Learner.assume
change = Learner.change
update = Learner.update
prepare = Policy.prepare
gather = Policy.gather
conclude = Policy.conclude
score = Policy.score
probability = QuantilePolicy.probability
belief = QuantilePolicy.belief
floor = QuantilePolicy.floor
key = Choice.key
log_weight = Choice.log_weight


class AgentState(NamedTuple):
    """The state of an agent: rows with a number per arm, and the learner's memory."""

    alpha: Any
    beta: Any
    score: Any
    key: Any
    memory: Any


ROWS = 4  # number of rows


def view_plain(table: Any, memory: Any, kept: Any) -> AgentState:
    """The rows of the table by name."""
    return AgentState(table[0], table[1], table[2], table[3], memory)


def begin_plain(agent: Any, state: Any, arms: int) -> None:
    """Set every belief to the learner's prior."""
    learner_begin(agent.learner, state.memory, arms)
    assumed = assume(agent.learner, state.memory)
    for arm in range(arms):
        state.alpha[arm] = assumed.alpha0
        state.beta[arm] = assumed.beta0


@hook
def shared_by_arms(agent: Any, state: Any, arms: int, trial: int, rng: Stream) -> Any:
    """The values that all arms share in a trial."""
    return prepare(agent.policy, trial, arms, assume(agent.learner, state.memory), rng)


def shared_folded(agent: Any, state: Any, arms: int, trial: int, rng: Stream) -> Any:
    """Like `shared_by_arms`, for a policy that looks at every arm before it scores one."""
    shared = prepare(agent.policy, trial, arms, assume(agent.learner, state.memory), rng)
    for arm in range(arms):
        shared = gather(agent.policy, shared, arm, state.alpha[arm], state.beta[arm])
    return conclude(agent.policy, shared, arms)


@hook
def score_all(agent: Any, state: Any, arms: int, trial: int, rng: Stream) -> None:
    """Write every arm's score."""
    shared = shared_by_arms(agent, state, arms, trial, rng)
    for arm in range(arms):
        state.score[arm] = score(
            agent.policy, shared, arm, state.alpha[arm], state.beta[arm], for_arm(rng, arm)
        )


def drawn_score(
    policy: Any, shared: Any, arm: int, alpha: float, beta: float, rng: Stream
) -> float:
    """The score of a stochastic `QuantilePolicy`: the quantile at the arm's luck."""
    a, b = belief(policy, shared, alpha, beta)
    return max(floor(policy, shared, alpha, beta), beta_quantile(luck(rng), a, b))


def lower_quantile_score(
    policy: Any, shared: Any, arm: int, alpha: float, beta: float, rng: Stream
) -> float:
    """The score of a `QuantilePolicy` that gives the probability of the lower tail."""
    a, b = belief(policy, shared, alpha, beta)
    quantile = beta_quantile(probability(policy, shared), a, b)
    return max(floor(policy, shared, alpha, beta), quantile)


def upper_quantile_score(
    policy: Any, shared: Any, arm: int, alpha: float, beta: float, rng: Stream
) -> float:
    """The score of a `QuantilePolicy` that gives the probability of the upper tail."""
    a, b = belief(policy, shared, alpha, beta)
    quantile = beta_upper_quantile(probability(policy, shared), a, b)
    return max(floor(policy, shared, alpha, beta), quantile)


def pick(choice: Any, scores: Any, keys: Any, arms: int, rng: Stream) -> int:
    """The arm with the largest key; ties are broken uniformly."""
    for arm in range(arms):
        keys[arm] = key(choice, scores[arm], for_arm(rng, arm))
    return largest(keys, arms, rng)


def act_plain(agent: Any, state: Any, arms: int, trial: int, rng: Stream) -> int:
    """Score every arm, then choose one."""
    score_all(agent, state, arms, trial, rng)
    return pick(agent.choice, state.score, state.key, arms, choice_stream(rng))


def learn_plain(
    agent: Any, state: Any, arms: int, trial: int, arm: int, outcome: int, rng: Stream
) -> float:
    """Compute the change probability of the trial, update every arm; return the probability."""
    gamma = change(agent.learner, state.memory, arm, outcome, state.alpha[arm], state.beta[arm])
    for k in range(arms):
        state.alpha[k], state.beta[k] = update(
            agent.learner, state.memory, gamma, k, k == arm, outcome, state.alpha[k], state.beta[k]
        )
    return gamma


@hook
def probability_of_choice(agent: Any, state: Any, arms: int, arm: int) -> float:
    """The logarithm of the probability that the agent chooses `arm`, once every arm is scored."""
    return log_probability(agent.choice, state.score, arms, arm)


@hook
def chances_of_choice(agent: Any, state: Any, arms: int) -> None:
    """Write the probability of every arm into its key, once every arm is scored."""
    best = -math.inf
    for arm in range(arms):
        state.key[arm] = log_weight(agent.choice, state.score[arm])
        best = max(best, state.key[arm])
    total = 0.0
    for arm in range(arms):
        state.key[arm] = math.exp(state.key[arm] - best)
        total += state.key[arm]
    for arm in range(arms):
        state.key[arm] /= total


@hook
def pick_scored(agent: Any, state: Any, arms: int, rng: Stream) -> int:
    """The arm that the agent chooses, once every arm is scored."""
    return pick(agent.choice, state.score, state.key, arms, rng)


def log_probability(choice: Any, scores: Any, arms: int, arm: int) -> float:
    """The logarithm of the probability that the choice rule chooses `arm`."""
    best = -math.inf
    for k in range(arms):
        best = max(best, log_weight(choice, scores[k]))
    total = 0.0
    for k in range(arms):
        total += math.exp(log_weight(choice, scores[k]) - best)
    return log_weight(choice, scores[arm]) - best - math.log(total)
