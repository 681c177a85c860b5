"""Looking ahead: for scores that compare an arm with all others.

Such a score may change in every trial, even if only one arm learned. But the champion can look
ahead: if it stays the best in a bad case for the next trials, it is chosen in all of them without a
look at the others, as long as it does not fare worse than in that case.
"""

import math
from typing import Any

from armwise.engine.definition import assume, shared_by_arms
from armwise.engine.shortcuts.screened import act_screened
from armwise.engine.shortcuts.spared import (
    KEPT,
    MARGIN,
    assumptions_changed,
    bounds,
    exact_score,
    safely_below,
)
from armwise.model.draws import Stream
from armwise.model.roles import Policy
from armwise.model.ties import maximum

lookahead_floor = Policy.lookahead_floor

SOON = 4  # fewest trials that a champion looks ahead
FAR = 0.5  # most trials, as a fraction of the trials so far
LONGEST = 8.0  # most trials to wait after failures

KEPT_AHEAD = KEPT | {
    "mean": float,  # the lowest mean with which the champion stays until then
    "evidence": float,  # the most evidence with which it stays
    "ahead": float,  # how far it looked ahead last, as a fraction of the trials so far
    "retry": float,  # the first trial in which it may look ahead again
    "wait": float,  # trials to wait after a failure
}


def act_lookahead(agent: Any, state: Any, arms: int, trial: int, rng: Stream) -> int:
    """The best arm: that of `act_screened`, unless the champion is known to stay."""
    kept = state.kept[0]
    changed = assumptions_changed(state, assume(agent.learner, state.memory))
    champion = kept.champion
    if not changed and trial <= kept.until and does_no_worse(state, champion, trial):
        return champion
    tries = kept.gamma == 0.0 and trial >= kept.retry
    if tries and stays(agent, state, arms, trial, champion, rng):
        return champion
    return act_screened(agent, state, arms, trial, rng)


def does_no_worse(state: Any, champion: int, trial: int) -> bool:
    """Whether the champion's mean and evidence are within the limits with which it stays."""
    kept = state.kept[0]
    evidence = state.alpha[champion] + state.beta[champion]
    left = kept.until - trial
    return state.alpha[champion] >= kept.mean * evidence and evidence + left <= kept.evidence


def stays(agent: Any, state: Any, arms: int, trial: int, champion: int, rng: Stream) -> bool:
    """Whether the champion certainly stays the best for some trials, unless it has bad luck.

    Its score is taken in a bad case: in the last of these trials, with all their evidence, and with
    a mean that is two standard errors lower.
    """
    kept = state.kept[0]
    ahead = max(math.floor(kept.ahead * trial), SOON)
    alpha, beta = state.alpha[champion], state.beta[champion]
    evidence = (1.0 + MARGIN) * (alpha + beta + ahead)
    mean = max(alpha / (alpha + beta) - math.sqrt(ahead) / evidence, 0.0)
    state.alpha[champion] = mean * evidence
    state.beta[champion] = evidence - mean * evidence
    shared = shared_by_arms(agent, state, arms, trial + ahead, rng)
    worst = state.alpha[champion], state.beta[champion]
    level = safely_below(lookahead_floor(agent.policy, shared, champion, worst[0], worst[1]))
    sure = no_rival(agent, state, arms, shared, champion, level, rng)
    state.alpha[champion], state.beta[champion] = alpha, beta
    if sure:
        kept.until = trial + ahead
        kept.mean = mean
        kept.evidence = evidence
        kept.ahead = min(2.0 * kept.ahead + 1.0 / trial, FAR)
        kept.wait = 0.0
    else:
        kept.until = 0.0
        kept.ahead *= 0.5
        kept.wait = min(kept.wait + 1.0, LONGEST)
        kept.retry = trial + kept.wait
    return sure


def no_rival(
    agent: Any, state: Any, arms: int, shared: Any, champion: int, level: float, rng: Stream
) -> bool:
    """Whether all other arms are below the level."""
    for arm in range(arms):
        state.key[arm] = bounds(agent.policy, shared, arm, state.alpha[arm], state.beta[arm])[1]
    state.key[champion] = -math.inf
    if not maximum(state.key, arms) >= level:
        return True
    for arm in range(arms):
        if state.key[arm] >= level and exact_score(agent, state, shared, arm, rng) >= level:
            return False
    return True
