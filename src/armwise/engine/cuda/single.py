"""A single thread per agent, and one pass over its arms per trial.

For policies whose scores depend only on beliefs, with the largest score chosen. Learning writes the
new beliefs and finds the best arm in the same pass. Scores are kept where they last: if only the
chosen arm learned, it alone is scored, and the pass compares what is kept. If scores tie, they are
kept, too, and the tie is broken as always. Neighbouring threads wait for one that scores all arms
once more, so nothing does so twice.
"""

import math
from typing import Any, NamedTuple

from armwise.engine.definition import assume, change, learner_begin, prepare, score, update
from armwise.engine.shortcuts.spared import touches_all_arms
from armwise.model.draws import EVERY_ARM, Stream, for_arm, integer
from armwise.model.ties import choice_stream, tie_below
from armwise.numerics.hook import hook

# Places in the state: the best arm, whether all scores are kept, the best score, and the learner's
# assumptions that scores rest on.
CHOICE, KEPT, BEST, RHO, ALPHA0, BETA0 = range(6)
STATES = 6
ROWS = 3  # of numbers per arm: beliefs and scores
OPEN = -1  # in place of the best arm: scores tie, or are not known


@hook
def known_arms() -> int:
    """The number of arms (bound by the engine as a constant of the compiled code)."""
    raise NotImplementedError


@hook
def threads() -> int:
    """The number of threads in a block, which share its memory (bound by the engine)."""
    raise NotImplementedError


class SingleState(NamedTuple):
    """The state of an agent: its beliefs, their scores, and its next choice."""

    alpha: Any
    beta: Any
    score: Any
    memory: Any
    chosen: Any  # at the places above


class Lead(NamedTuple):
    """The best of some scores, the second best, and the arm with the best."""

    best: float
    second: float
    arm: int


def view_single(table: Any, memory: Any, kept: Any) -> SingleState:
    """The parts of the table by name."""
    return SingleState(table[0], table[1], table[2], memory, table[3])


def begin_single(agent: Any, state: Any, arms: int) -> None:
    """Same as `begin_plain`; no score is known."""
    learner_begin(agent.learner, state.memory, arms)
    assumed = assume(agent.learner, state.memory)
    for arm in range(arms):
        state.alpha[arm] = assumed.alpha0
        state.beta[arm] = assumed.beta0
    state.chosen[CHOICE] = OPEN
    state.chosen[KEPT] = 0.0


def act_single(agent: Any, state: Any, arms: int, trial: int, rng: Stream) -> int:
    """The arm found best while learning, or one of those that tie."""
    if state.chosen[CHOICE] >= 0.0:
        return int(state.chosen[CHOICE])
    if state.chosen[KEPT] == 0.0:
        assumed = assume(agent.learner, state.memory)
        note_assumed(state, assumed)
        shared = prepare(agent.policy, trial, arms, assumed, rng)
        best = -math.inf
        for arm in range(arms):
            state.score[arm] = arm_score(agent, state, shared, arm, rng)
            best = max(best, state.score[arm])
        state.chosen[KEPT] = 1.0
        state.chosen[BEST] = best
    threshold = tie_below(state.chosen[BEST])
    ties = 0
    for arm in range(arms):
        ties += 1 if state.score[arm] >= threshold else 0
    own = choice_stream(rng)
    rank = integer(for_arm(own, EVERY_ARM), 0, ties) if ties > 1 else 0
    for arm in range(arms):
        if state.score[arm] >= threshold:
            if rank == 0:
                return arm
            rank -= 1
    return -1


def arm_score(agent: Any, state: Any, shared: Any, arm: int, rng: Stream) -> float:
    """The score of one arm."""
    return score(agent.policy, shared, arm, state.alpha[arm], state.beta[arm], for_arm(rng, arm))


def learn_single(
    agent: Any, state: Any, arms: int, trial: int, arm: int, outcome: int, rng: Stream
) -> float:
    """Same as `learn_plain`; it also finds the best arm."""
    gamma = change(agent.learner, state.memory, arm, outcome, state.alpha[arm], state.beta[arm])
    assumed = assume(agent.learner, state.memory)
    shared = prepare(agent.policy, trial, arms, assumed, rng)
    every = touches_all_arms(agent.learner, gamma) or differs(state, assumed)
    note_assumed(state, assumed)
    state.chosen[CHOICE] = OPEN
    lead = Lead(-math.inf, -math.inf, 0)
    if every:
        for k in range(arms):
            update_single(agent, state, gamma, k, k == arm, outcome)
            lead = led(lead, k, arm_score(agent, state, shared, k, rng))
        state.chosen[KEPT] = 0.0
    else:  # not inside a loop, where threads would wait for those with other arms
        update_single(agent, state, gamma, arm, True, outcome)
        if state.chosen[KEPT] == 0.0:
            return gamma
        state.score[arm] = arm_score(agent, state, shared, arm, rng)
        for k in range(arms):
            lead = led(lead, k, state.score[k])
    state.chosen[BEST] = lead.best
    if lead.second < tie_below(lead.best):
        state.chosen[CHOICE] = lead.arm
    return gamma


def update_single(
    agent: Any, state: Any, gamma: float, arm: int, chosen: bool, outcome: int
) -> None:
    """Update the belief about one arm."""
    alpha, beta = state.alpha[arm], state.beta[arm]
    state.alpha[arm], state.beta[arm] = update(
        agent.learner, state.memory, gamma, arm, chosen, outcome, alpha, beta
    )


def led(lead: Lead, arm: int, value: float) -> Lead:
    """The lead once the score of another arm is known."""
    if value > lead.best:
        return Lead(value, lead.best, arm)
    return Lead(lead.best, max(lead.second, value), lead.arm)


def differs(state: Any, assumed: Any) -> bool:
    """Whether the learner assumes anything else than what the kept scores rest on."""
    rho, alpha0, beta0 = state.chosen[RHO], state.chosen[ALPHA0], state.chosen[BETA0]
    return rho != assumed.rho or alpha0 != assumed.alpha0 or beta0 != assumed.beta0


def note_assumed(state: Any, assumed: Any) -> None:
    """Write down what the learner assumes, for scores that are computed with it."""
    state.chosen[RHO] = assumed.rho
    state.chosen[ALPHA0] = assumed.alpha0
    state.chosen[BETA0] = assumed.beta0
