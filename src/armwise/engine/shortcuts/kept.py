"""Kept scores: for a score that depends only on the belief.

If only the chosen arm learned, only its score changed. The champion stays as long as it beats the
best of the others, whose scores are still valid. Then there is no loop over the arms.
"""

import math
from typing import Any

from armwise.engine.definition import assume, change, prepare, score_all, update
from armwise.engine.shortcuts.spared import (
    ALL,
    NONE,
    assumptions_changed,
    exact_score,
    learn_alone,
    search,
    touches_all_arms,
)
from armwise.model.draws import Stream
from armwise.model.ties import choice_stream, largest, maximum, tie_below


def act_kept(agent: Any, state: Any, arms: int, trial: int, rng: Stream) -> int:
    """The best arm, if scores depend only on beliefs."""
    kept = state.kept[0]
    assumed = assume(agent.learner, state.memory)
    stale = ALL if assumptions_changed(state, assumed) else kept.stale
    if stale == ALL and kept.gamma != 0.0:
        return search(agent, state, arms, trial, rng)
    kept.stale = NONE
    if stale == ALL:
        score_all(agent, state, arms, trial, rng)
    elif stale != NONE:
        shared = prepare(agent.policy, trial, arms, assumed, rng)
        state.score[stale] = exact_score(agent, state, shared, stale, rng)
        if stale == kept.champion and kept.rival < tie_below(state.score[stale]):
            return stale
    arm = largest(state.score, arms, choice_stream(rng))
    if arm < 0:  # a score is NaN
        return arm
    kept.champion = arm
    unsettled = kept.gamma != 0.0
    kept.rival = math.inf if unsettled else best_other(state.score, arm, arms)
    return arm


def learn_kept(
    agent: Any, state: Any, arms: int, trial: int, arm: int, outcome: int, rng: Stream
) -> float:
    """Same as `learn_spared`; if all beliefs change, the new scores are written along with them.

    Scores depend only on beliefs, so they are already those of the next trial.
    """
    kept = state.kept[0]
    gamma = change(agent.learner, state.memory, arm, outcome, state.alpha[arm], state.beta[arm])
    if not touches_all_arms(agent.learner, gamma):
        learn_alone(agent, state, arm, outcome, gamma)
        return gamma
    kept.stale = NONE
    kept.gamma = gamma
    assumed = assume(agent.learner, state.memory)
    assumptions_changed(state, assumed)
    shared = prepare(agent.policy, trial, arms, assumed, rng)
    alpha, beta = update(
        agent.learner, state.memory, gamma, arm, True, outcome, state.alpha[arm], state.beta[arm]
    )
    for k in range(arms):
        state.alpha[k], state.beta[k] = update(
            agent.learner, state.memory, gamma, k, False, outcome, state.alpha[k], state.beta[k]
        )
        state.score[k] = exact_score(agent, state, shared, k, rng)
    state.alpha[arm] = alpha
    state.beta[arm] = beta
    state.score[arm] = exact_score(agent, state, shared, arm, rng)
    return gamma


def best_other(scores: Any, champion: int, arms: int) -> float:
    """The best score of all arms but the champion."""
    saved = scores[champion]
    scores[champion] = -math.inf
    best = maximum(scores, arms)
    scores[champion] = saved
    return best
