"""One turn of a single agent: it chooses an arm, or learns an outcome that arrived.

A player interprets this function until it is compiled, then calls the machine code. All that lasts
from turn to turn is in the arrays, and draws are addressed by the trial, so it can change over
between any two turns.
"""

import math
from typing import Any

from armwise.engine.definition import pick_scored, score_all
from armwise.engine.loop import act, learn, make_agent, view
from armwise.model.draws import AGENT, EVERY_ARM, NOT_DRAWN, Stream
from armwise.model.ties import choice_stream

NO_ARM = -1  # in place of the arm whose outcome is learned: choose one


def turn(
    numbers: Any,
    table: Any,
    memory: Any,
    kept: Any,
    arms: int,
    seed_low: int,
    seed_high: int,
    trial: int,
    arm: int,
    outcome: int,
) -> int:
    """Choose in a trial, or learn the outcome of `arm` that was chosen in it; return the arm."""
    agent = make_agent(numbers)
    state = view(table, memory, kept)
    rng = Stream(seed_low, seed_high, 0, AGENT, trial, EVERY_ARM, NOT_DRAWN)
    if arm < 0:
        return act(agent, state, arms, trial, rng)
    learn(agent, state, arms, trial, arm, outcome, rng)
    return arm


def turn_among(
    numbers: Any,
    table: Any,
    memory: Any,
    kept: Any,
    allowed: Any,
    arms: int,
    seed_low: int,
    seed_high: int,
    trial: int,
) -> int:
    """Choose in a trial among the arms where `allowed` is 1, as plainly defined.

    Scores and keys are written into the table: it is a copy.
    """
    agent = make_agent(numbers)
    state = view(table, memory, kept)
    rng = Stream(seed_low, seed_high, 0, AGENT, trial, EVERY_ARM, NOT_DRAWN)
    score_all(agent, state, arms, trial, rng)
    for arm in range(arms):
        if allowed[arm] == 0.0:
            state.score[arm] = -math.inf  # never picked
    return pick_scored(agent, state, arms, choice_stream(rng))
