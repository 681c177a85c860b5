"""One turn of a single agent: it chooses an arm, or learns an outcome that arrived.

A player interprets this function until it is compiled, then calls the machine code. All that lasts
from turn to turn is in the arrays, and draws are addressed by the trial, so it can change over
between any two turns.
"""

from typing import Any

from armwise.engine.loop import act, learn, make_agent, view
from armwise.model.draws import AGENT, EVERY_ARM, NOT_DRAWN, Stream

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
