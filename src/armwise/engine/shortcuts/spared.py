"""Shared by all shortcuts: the values kept from trial to trial, and learning without extra work.

An arm is ruled out only if it falls short by more than `safely_below` allows for rounding and ties.
"""

from typing import Any, NamedTuple

from armwise.engine.definition import begin_plain, change, score, score_all, update
from armwise.model.draws import Stream, for_arm
from armwise.model.roles import Assumed, Learner, Policy
from armwise.model.ties import choice_stream, largest
from armwise.numerics.hook import hook

touches_all_arms = Learner.touches_all_arms
bounds = Policy.bounds

MARGIN = 1e-9  # far above the rounding of a score, and above `ties.TIE`
ALL, NONE = -1, -2  # in place of the one arm whose score is out of date
ROWS = 4  # numbers per arm

# The other values kept between trials: names and types.
KEPT = {
    "stale": int,  # the arm whose score is out of date, or ALL, or NONE
    "gamma": float,  # of the last trial if it changed more than the chosen arm's belief, else 0
    "champion": int,  # the arm chosen last
    "rival": float,  # upper bound of the others' scores
    "until": float,  # the last trial for which the champion is known to stay
    "rho": float,  # the learner's assumptions in the last trial
    "alpha0": float,
    "beta0": float,
}


class SparedState(NamedTuple):
    """The state of an agent that keeps values between trials to save work."""

    alpha: Any
    beta: Any
    score: Any
    key: Any
    memory: Any
    kept: Any


def view_spared(table: Any, memory: Any, kept: Any) -> SparedState:
    """The rows of the table by name."""
    return SparedState(table[0], table[1], table[2], table[3], memory, kept)


def begin_spared(agent: Any, state: Any, arms: int) -> None:
    """Set every belief to the learner's prior; no score is known."""
    kept = state.kept[0]
    begin_plain(agent, state, arms)
    kept.stale = ALL


def learn_spared(
    agent: Any, state: Any, arms: int, trial: int, arm: int, outcome: int, rng: Stream
) -> float:
    """Same as `learn_plain`, but beliefs that cannot change are skipped."""
    kept = state.kept[0]
    gamma = change(agent.learner, state.memory, arm, outcome, state.alpha[arm], state.beta[arm])
    if not touches_all_arms(agent.learner, gamma):
        learn_alone(agent, state, arm, outcome, gamma)
        return gamma
    kept.stale = ALL
    kept.until = 0.0
    kept.gamma = gamma
    alpha, beta = update(
        agent.learner, state.memory, gamma, arm, True, outcome, state.alpha[arm], state.beta[arm]
    )
    for k in range(arms):
        state.alpha[k], state.beta[k] = update(
            agent.learner, state.memory, gamma, k, False, outcome, state.alpha[k], state.beta[k]
        )
    state.alpha[arm] = alpha
    state.beta[arm] = beta
    return gamma


def learn_alone(agent: Any, state: Any, arm: int, outcome: int, gamma: float) -> None:
    """Update only the belief about the chosen arm."""
    kept = state.kept[0]
    kept.stale = arm if kept.stale == NONE else ALL
    kept.gamma = 0.0
    if arm != kept.champion:
        kept.until = 0.0
    state.alpha[arm], state.beta[arm] = update(
        agent.learner, state.memory, gamma, arm, True, outcome, state.alpha[arm], state.beta[arm]
    )


def assumptions_changed(state: Any, assumed: Assumed) -> bool:
    """Whether the learner's assumptions changed, which makes everything kept invalid; note them."""
    kept = state.kept[0]
    if kept.rho == assumed.rho and kept.alpha0 == assumed.alpha0 and kept.beta0 == assumed.beta0:
        return False
    kept.rho = assumed.rho
    kept.alpha0 = assumed.alpha0
    kept.beta0 = assumed.beta0
    return True


@hook
def search(agent: Any, state: Any, arms: int, trial: int, rng: Stream) -> int:
    """The best arm, with every arm scored."""
    score_all(agent, state, arms, trial, rng)
    return largest(state.score, arms, choice_stream(rng))


def exact_score(agent: Any, state: Any, shared: Any, arm: int, rng: Stream) -> float:
    """The score of one arm."""
    return score(agent.policy, shared, arm, state.alpha[arm], state.beta[arm], for_arm(rng, arm))


def safely_below(level: float) -> float:
    """A number slightly below the level: a score below it is certainly lower and does not tie."""
    return level - MARGIN * (1.0 + abs(level))
