"""The definition of an agent whose choice leans on its own earlier choices, or lapses.

It differs from the plain definition in what a choice adds to the scores. A habit is a number per
arm that follows what was chosen: 0 at first, 1 for an arm that was always chosen. The other agents
have no habit, and their code does not contain any of this.
"""

import math
from typing import Any, NamedTuple

from armwise.engine.definition import begin_plain, key, learn_plain, log_weight, score_all
from armwise.model.draws import Stream, for_arm, uniform
from armwise.model.roles import Choice
from armwise.model.ties import choice_stream, largest

lean = Choice.lean
habit_pace = Choice.habit_pace
lapse_rate = Choice.lapse_rate

ROWS = 5  # numbers per arm
LAPSE = 1  # the draw that decides whether a choice lapses; draw 0 breaks ties


class HabitualState(NamedTuple):
    """The state of an agent: rows with a number per arm, and the learner's memory."""

    alpha: Any
    beta: Any
    score: Any
    key: Any
    memory: Any
    habit: Any


def view_habitual(table: Any, memory: Any, kept: Any) -> HabitualState:
    """The rows of the table by name."""
    return HabitualState(table[0], table[1], table[2], table[3], memory, table[4])


def begin_habitual(agent: Any, state: Any, arms: int) -> None:
    """Set every belief to the learner's prior, and every habit to zero."""
    begin_plain(agent, state, arms)
    for arm in range(arms):
        state.habit[arm] = 0.0


def pick_habitual(agent: Any, state: Any, arms: int, rng: Stream) -> int:
    """The arm with the largest key and lean; if the choice lapses, any arm that may be chosen."""
    share = lapse_rate(agent.choice)
    lapses = share > 0.0 and uniform(rng, LAPSE) < share
    for arm in range(arms):
        own = key(agent.choice, state.score[arm], for_arm(rng, arm))
        own += lean(agent.choice, arm, state.habit[arm])
        state.key[arm] = 0.0 if lapses and state.score[arm] > -math.inf else own
    return largest(state.key, arms, rng)


def act_habitual(agent: Any, state: Any, arms: int, trial: int, rng: Stream) -> int:
    """Score every arm, then choose one."""
    score_all(agent, state, arms, trial, rng)
    return pick_habitual(agent, state, arms, choice_stream(rng))


def follow_choice(agent: Any, state: Any, arms: int, arm: int) -> None:
    """Move every habit toward what was chosen."""
    pace = habit_pace(agent.choice)
    for k in range(arms):
        state.habit[k] += pace * ((1.0 if k == arm else 0.0) - state.habit[k])


def learn_habitual(
    agent: Any, state: Any, arms: int, trial: int, arm: int, outcome: int, rng: Stream
) -> float:
    """The habit follows the choice; then learn as every agent does."""
    follow_choice(agent, state, arms, arm)
    return learn_plain(agent, state, arms, trial, arm, outcome, rng)


def log_probability_habitual(agent: Any, state: Any, arms: int, arm: int) -> float:
    """The logarithm of the probability that the choice rule chooses `arm`."""
    if state.score[arm] == -math.inf:
        return -math.inf
    best = -math.inf
    for k in range(arms):
        state.key[k] = log_weight(agent.choice, state.score[k])
        state.key[k] += lean(agent.choice, k, state.habit[k])
        best = max(best, state.key[k])
    total = 0.0
    allowed = 0
    for k in range(arms):
        total += math.exp(state.key[k] - best)
        allowed += 0 if state.score[k] == -math.inf else 1
    share = lapse_rate(agent.choice)
    if share == 0.0:
        return state.key[arm] - best - math.log(total)
    return math.log((1.0 - share) * math.exp(state.key[arm] - best) / total + share / allowed)


def chances_habitual(agent: Any, state: Any, arms: int) -> None:
    """Write the probability of every arm into its key, once every arm is scored."""
    best = -math.inf
    for arm in range(arms):
        state.key[arm] = log_weight(agent.choice, state.score[arm])
        state.key[arm] += lean(agent.choice, arm, state.habit[arm])
        best = max(best, state.key[arm])
    total = 0.0
    allowed = 0
    for arm in range(arms):
        state.key[arm] = math.exp(state.key[arm] - best)
        total += state.key[arm]
        allowed += 0 if state.score[arm] == -math.inf else 1
    share = lapse_rate(agent.choice)
    for arm in range(arms):
        lapsed = share / allowed if state.score[arm] > -math.inf else 0.0
        state.key[arm] = (1.0 - share) * state.key[arm] / total + lapsed
