"""Pledges: the choices of `armwise.engine.definition` for scores that compare an arm with all others.

Such a score may change in every trial, though one arm alone learned. But the champion can look
ahead: if it stays the best at the worst of what may come in the next trials, it is chosen in all of
them without a look at the others, as long as it does no worse.
"""

import math
from typing import Any

from armwise.engine.definition import assume, overview
from armwise.engine.shortcuts.kept import (
    AGAIN,
    AHEAD,
    CHAMPION,
    EVIDENCE,
    MARGIN,
    MEAN,
    RESTLESS,
    STANDS,
    WAIT,
    assumes_anew,
    ceiling,
    exact_score,
    safely_below,
    screened,
)
from armwise.model.draws import Stream
from armwise.model.roles import Policy

pledge = Policy.pledge

SOON = 4  # for how many trials a champion pledges at least
FAR = 0.5  # and at most, as a part of the trials so far


def pledged_act(agent: Any, mind: Any, arms: int, trial: int, rng: Stream) -> int:
    """The best arm: as `screened`, unless the champion keeps a pledge that no other can reach."""
    anew = assumes_anew(mind, assume(agent.learner, mind.memory))
    champion = int(mind.state[CHAMPION])
    if not anew and trial <= mind.state[STANDS] and keeps_pledge(mind, champion, trial):
        return champion
    tries = mind.state[RESTLESS] == 0.0 and trial >= mind.state[AGAIN]
    if tries and pledges(agent, mind, arms, trial, champion, rng):
        return champion
    return screened(agent, mind, arms, trial, rng)


def keeps_pledge(mind: Any, champion: int, trial: int) -> bool:
    """Whether the champion's mean and evidence are no worse than in the trial it pledged for."""
    evidence = mind.alpha[champion] + mind.beta[champion]
    left = mind.state[STANDS] - trial
    return (
        mind.alpha[champion] >= mind.state[MEAN] * evidence
        and evidence + left <= mind.state[EVIDENCE]
    )


def pledges(agent: Any, mind: Any, arms: int, trial: int, champion: int, rng: Stream) -> bool:
    """Whether the champion surely stays the best for some trials, with the luck to be expected.

    What it pledges is taken at the worst of what may come: in the last of these trials, with all
    their evidence, and with a mean that is two standard errors lower.
    """
    ahead = max(math.floor(mind.state[AHEAD] * trial), SOON)
    alpha, beta = mind.alpha[champion], mind.beta[champion]
    evidence = (1.0 + MARGIN) * (alpha + beta + ahead)
    mean = max(alpha / (alpha + beta) - math.sqrt(ahead) / evidence, 0.0)
    mind.alpha[champion] = mean * evidence
    mind.beta[champion] = evidence - mean * evidence
    shared = overview(agent, mind, arms, trial + ahead, rng)
    pledged = pledge(agent.policy, shared, champion, mind.alpha[champion], mind.beta[champion])
    kept = no_rival(agent, mind, arms, shared, champion, safely_below(pledged), rng)
    mind.alpha[champion], mind.beta[champion] = alpha, beta
    if kept:
        mind.state[STANDS] = trial + ahead
        mind.state[MEAN] = mean
        mind.state[EVIDENCE] = evidence
        mind.state[AHEAD] = min(2.0 * mind.state[AHEAD] + 1.0 / trial, FAR)
        mind.state[WAIT] = 0.0
    else:
        mind.state[STANDS] = 0.0
        mind.state[AHEAD] *= 0.5
        mind.state[WAIT] = min(2.0 * mind.state[WAIT] + 1.0, FAR * trial)
        mind.state[AGAIN] = trial + mind.state[WAIT]
    return kept


def no_rival(
    agent: Any, mind: Any, arms: int, shared: Any, champion: int, level: float, rng: Stream
) -> bool:
    """Whether all other arms are below the level."""
    for arm in range(arms):
        if arm != champion:
            most = ceiling(agent.policy, shared, arm, mind.alpha[arm], mind.beta[arm])
            if most >= level and exact_score(agent, mind, shared, arm, rng) >= level:
                return False
    return True
