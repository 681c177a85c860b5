"""Monotone scores: a champion that is known to stay, or a contest with the few that may be better.

A ceiling over a box of beliefs and trials (`boxes`) rules out most arms: an arm whose ceiling is
below another's score is not scored. A champion has a floor, its score at the lower corner of a box;
if the floor is above all ceilings, the champion is chosen without a look at the others.
"""

import math
from typing import Any

from armwise.engine.definition import assume, prepare, score
from armwise.engine.shortcuts.boxes import contest, falls_short, same_belief
from armwise.engine.shortcuts.screened import highest
from armwise.engine.shortcuts.spared import (
    assumptions_changed,
    exact_score,
    safely_below,
)
from armwise.model.draws import Stream, for_arm
from armwise.model.ties import choice_stream, largest

AFFORDED = 1.0  # fraction of the way to the rival, if a failure lowers the score by 1 / nu


def act_monotone(agent: Any, state: Any, arms: int, trial: int, rng: Stream) -> int:
    """The best arm; arms whose ceilings are too low are not scored."""
    kept = state.kept[0]
    assumed = assume(agent.learner, state.memory)
    if assumptions_changed(state, assumed):
        forget_bounds(state, arms)
    champion = kept.champion
    level = standing_floor(state, champion)
    stands = trial <= kept.until
    if stands and kept.rival < safely_below(level):
        return champion
    shared = prepare(agent.policy, trial, arms, assumed, rng)
    if stands and level == -math.inf and renewed(agent, state, shared, champion, rng):
        return champion
    if kept.gamma != 0.0:
        return act_unsettled(agent, state, arms, shared, champion, rng)
    scored = level == -math.inf
    if scored:
        champion = front_runner(agent, state, arms, shared, champion, rng)
        level = state.ceiling[champion]
    if mark_challengers(state, arms, trial, champion, level) > 0:
        serious = contest(agent, state, arms, trial, shared, safely_below(level), rng)
        if serious > 0:
            if not scored:
                state.score[champion] = exact_score(agent, state, shared, champion, rng)
                scored = True
            champion = largest(state.score, arms, choice_stream(rng))
    kept.champion = champion
    if kept.gamma == 0.0:
        note_others(state, arms, champion)
        if scored:
            lay_floor(agent, state, shared, champion, rng)
    return champion


def act_unsettled(
    agent: Any, state: Any, arms: int, shared: Any, champion: int, rng: Stream
) -> int:
    """The best arm when all beliefs change, so that boxes would not last.

    An arm below the level rules out all arms with at most its alpha and at least its beta.
    """
    kept = state.kept[0]
    champion = front_runner(agent, state, arms, shared, champion, rng)
    level = safely_below(state.ceiling[champion])
    for arm in range(arms):
        state.score[arm] = math.inf
    state.score[champion] = state.ceiling[champion]
    serious = 0
    twin = -1  # the arm scored last: one with equal beliefs is not scored again
    for arm in range(arms):
        if state.score[arm] == math.inf:
            if twin >= 0 and same_belief(state, arm, twin):
                state.score[arm] = state.score[twin]
            elif falls_short(agent, state, shared, arm, level):
                rule_out(state, arms, state.alpha[arm], state.beta[arm])
            else:
                state.score[arm] = exact_score(agent, state, shared, arm, rng)
                state.ceiling[arm] = state.score[arm]  # a good guess of the next front runner
                state.until[arm] = 0.0
                level = max(level, safely_below(state.score[arm]))
                serious += 1
                twin = arm
    if serious > 0:
        champion = largest(state.score, arms, choice_stream(rng))
    kept.champion = champion
    return champion


def rule_out(state: Any, arms: int, alpha: float, beta: float) -> None:
    """Score -inf for all arms not yet scored that cannot be better than this belief."""
    for arm in range(arms):
        worse = state.alpha[arm] <= alpha and state.beta[arm] >= beta
        state.score[arm] = -math.inf if worse and state.score[arm] == math.inf else state.score[arm]


def forget_bounds(state: Any, arms: int) -> None:
    """Forget all bounds, which rest on earlier assumptions of the learner."""
    kept = state.kept[0]
    kept.floor = -math.inf
    kept.until = 0.0
    for arm in range(arms):
        state.until[arm] = 0.0


def standing_floor(state: Any, champion: int) -> float:
    """The floor of the champion, if its belief has kept the bounds, else -inf."""
    kept = state.kept[0]
    inside = state.alpha[champion] >= kept.floor_alpha and state.beta[champion] <= kept.floor_beta
    return kept.floor if inside else -math.inf


def front_runner(agent: Any, state: Any, arms: int, shared: Any, champion: int, rng: Stream) -> int:
    """The better of the champion and the most promising other arm; sets both ceilings to scores."""
    state.ceiling[champion] = exact_score(agent, state, shared, champion, rng)
    state.until[champion] = 0.0
    other = highest(state.ceiling, arms)
    if other != champion:
        state.ceiling[other] = exact_score(agent, state, shared, other, rng)
        state.until[other] = 0.0
        if state.ceiling[other] > state.ceiling[champion]:
            return other
    return champion


def mark_challengers(state: Any, arms: int, trial: int, champion: int, level: float) -> int:
    """Score -inf for arms whose boxes keep them below the level, inf for challengers.

    Return the number of challengers.
    """
    low = safely_below(level)
    challengers = 0
    for arm in range(arms):
        held = (
            state.ceiling[arm] < low
            and trial <= state.until[arm]
            and state.alpha[arm] <= state.most_alpha[arm]
            and state.beta[arm] >= state.least_beta[arm]
        )
        state.score[arm] = -math.inf if held else math.inf
        challengers += 0 if held else 1
    if state.score[champion] == math.inf:
        challengers -= 1
    state.score[champion] = level
    return challengers


def note_others(state: Any, arms: int, champion: int) -> None:
    """Note the highest ceiling of all others, and how long the ceilings hold."""
    kept = state.kept[0]
    until = math.inf
    rival = -math.inf
    for arm in range(arms):
        if arm != champion:
            until = min(until, state.until[arm])
            rival = max(rival, state.ceiling[arm])
    kept.until = until
    kept.rival = rival


def lay_floor(agent: Any, state: Any, shared: Any, champion: int, rng: Stream) -> None:
    """Lower-bound the champion's score for as many failures as it can probably afford."""
    kept = state.kept[0]
    afford = affordable(state, champion, state.score[champion])
    kept.floor = -math.inf
    kept.failures = afford
    if afford >= 1.0:
        lower_floor(agent, state, shared, champion, afford, rng)


def renewed(agent: Any, state: Any, shared: Any, champion: int, rng: Stream) -> bool:
    """Whether the champion gets a new floor above its rival, after it left the old one."""
    kept = state.kept[0]
    if kept.floor == -math.inf:
        return False
    level = lower_floor(agent, state, shared, champion, kept.failures, rng)
    if kept.rival < safely_below(level):
        kept.failures += affordable(state, champion, level)
        return True
    kept.floor = -math.inf
    return False


def affordable(state: Any, champion: int, level: float) -> float:
    """The number of failures that take the champion from this level about to its rival's."""
    kept = state.kept[0]
    trials = state.alpha[champion] + state.beta[champion]
    return min(AFFORDED * (level - kept.rival) * trials, 1e6)


def lower_floor(
    agent: Any, state: Any, shared: Any, champion: int, failures: float, rng: Stream
) -> float:
    """Set and return a lower bound of the champion's score for its next `failures` failures."""
    kept = state.kept[0]
    alpha = state.alpha[champion]
    beta = state.beta[champion] + math.floor(failures)
    kept.floor = score(agent.policy, shared, champion, alpha, beta, for_arm(rng, champion))
    kept.floor_alpha = alpha
    kept.floor_beta = beta
    return kept.floor
