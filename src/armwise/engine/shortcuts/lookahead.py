"""Looking ahead: for scores that compare an arm with all others.

Such a score may change in every trial, though one arm alone learned. But the champion can look
ahead: if it stays the best at the worst of what may come in the next trials, it is chosen in all of
them without a look at the others, as long as it does no worse.
"""

import math
from typing import Any

from armwise.engine.definition import assume, shared_by_arms
from armwise.engine.shortcuts.screened import act_screened
from armwise.engine.shortcuts.spared import (
    KEPT,
    MARGIN,
    assumes_anew,
    bounds,
    exact_score,
    safely_below,
)
from armwise.model.draws import Stream
from armwise.model.roles import Policy

lookahead_floor = Policy.lookahead_floor

SOON = 4  # for how many trials a champion looks ahead at least
FAR = 0.5  # and at most, as a part of the trials so far

KEPT_AHEAD = KEPT | {
    "mean": float,  # the least mean with which the champion stays until then
    "evidence": float,  # and the most evidence
    "ahead": float,  # how far it looked last, as a part of the trials so far
    "retry": float,  # the first trial in which it looks ahead again
    "wait": float,  # for how many trials it did not, after it failed
}


def act_lookahead(agent: Any, state: Any, arms: int, trial: int, rng: Stream) -> int:
    """The best arm: as `act_screened`, unless the champion is known to stay."""
    kept = state.kept[0]
    anew = assumes_anew(state, assume(agent.learner, state.memory))
    champion = kept.champion
    if not anew and trial <= kept.until and does_no_worse(state, champion, trial):
        return champion
    tries = kept.gamma == 0.0 and trial >= kept.retry
    if tries and stays(agent, state, arms, trial, champion, rng):
        return champion
    return act_screened(agent, state, arms, trial, rng)


def does_no_worse(state: Any, champion: int, trial: int) -> bool:
    """Whether the champion's mean and evidence are what it was known to stay with."""
    kept = state.kept[0]
    evidence = state.alpha[champion] + state.beta[champion]
    left = kept.until - trial
    return state.alpha[champion] >= kept.mean * evidence and evidence + left <= kept.evidence


def stays(agent: Any, state: Any, arms: int, trial: int, champion: int, rng: Stream) -> bool:
    """Whether the champion surely stays the best for some trials, with the luck to be expected.

    Its score is taken at the worst of what may come: in the last of these trials, with all
    their evidence, and with a mean that is two standard errors lower.
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
        kept.wait = min(2.0 * kept.wait + 1.0, FAR * trial)
        kept.retry = trial + kept.wait
    return sure


def no_rival(
    agent: Any, state: Any, arms: int, shared: Any, champion: int, level: float, rng: Stream
) -> bool:
    """Whether all other arms are below the level."""
    for arm in range(arms):
        if arm != champion:
            _, most = bounds(agent.policy, shared, arm, state.alpha[arm], state.beta[arm])
            if most >= level and exact_score(agent, state, shared, arm, rng) >= level:
                return False
    return True
