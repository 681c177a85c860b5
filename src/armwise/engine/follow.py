"""Follow the recorded choices of many people: from one to the next only numbers differ.

A person's trials come in blocks; beliefs begin anew with each. A trial without a choice is passed
over. A forced choice is learned from, but has no part in the likelihood. From one person, or one
vector of parameters, to the next only numbers change, so one kernel serves all.

Some data say which arms could be chosen, or what other arms would have paid. `slots_of_data` binds
what that needs; kernels for all other data do not contain it.
"""

import math
from typing import Any

from armwise.engine.definition import (
    assume,
    chances_of_choice,
    probability_of_choice,
    score_all,
)
from armwise.engine.loop import begin, learn, make_agent, view
from armwise.engine.recording import ALPHA0, BETA0, CHANGE, FOLLOWED, LOG_PROBABILITY, RHO
from armwise.model.draws import AGENT, EVERY_ARM, NOT_DRAWN, Stream
from armwise.numerics.hook import hook


@hook
def hide(state: Any, arms: int, available: Any) -> None:
    """Leave out arms that could not be chosen: none, unless the data say so."""


def hide_others(state: Any, arms: int, available: Any) -> None:
    """The score of an arm that is not available is -inf."""
    for arm in range(arms):
        if not available[arm]:
            state.score[arm] = -math.inf


@hook
def learn_trial(
    agent: Any, state: Any, arms: int, trial: int, arm: int, outcome: int, seen: Any, rng: Stream
) -> float:
    """Learn from a trial: from the chosen arm, unless the data show others, too."""
    return learn(agent, state, arms, trial, arm, outcome, rng)


@hook
def note_beliefs(agent: Any, state: Any, arms: int, line: Any) -> None:
    """Write down the beliefs about all arms, and what the learner assumes."""
    assumed = assume(agent.learner, state.memory)
    line[RHO], line[ALPHA0], line[BETA0] = assumed.rho, assumed.alpha0, assumed.beta0
    for arm in range(arms):
        line[FOLLOWED + arm] = state.alpha[arm]
        line[FOLLOWED + arms + arm] = state.beta[arm]


def note_nothing(agent: Any, state: Any, arms: int, line: Any) -> None:
    """An actor has no beliefs about single arms."""


def slots_of_data(way: Any, available: bool, shown: bool) -> dict[Any, Any]:
    """Bind what is needed if data say which arms were available, or show other outcomes."""
    slots = {hide: hide_others} if available else {}
    return slots | ({learn_trial: way.learn_shown} if shown else {})


def follow_people(
    packed: Any,
    places: Any,
    values: Any,
    task: Any,
    choices: Any,
    outcomes: Any,
    scored: Any,
    available: Any,
    shown: Any,
    begins: Any,
    blocks: Any,
    table: Any,
    memory: Any,
    kept: Any,
    totals: Any,
    each: Any,
) -> None:
    """Fill `totals[person, vector]` with log-likelihoods, and `each[trial]` if there is room.

    `task` holds the number of arms and the first and the last (excluded) of the pairs of a person
    and a vector to do. `values[person, vector]` replace the numbers of `packed` at `places`; one
    row of them serves everybody. Person p has the blocks from `blocks[p]` to `blocks[p + 1]`.
    """
    vectors = values.shape[1]
    for pair in range(task[1], task[2]):
        person = pair // vectors
        vector = pair - person * vectors
        row = person if values.shape[0] > 1 else 0
        total = 0.0
        for place in range(len(places)):
            value = values[row, vector, place]
            packed[places[place]] = value
            total += value - value  # not a number unless all values are finite
        if total == 0.0:
            agent = make_agent(packed)
            state = view(table, memory, kept)
            for block in range(blocks[person], blocks[person + 1]):
                forget(memory)
                begin(agent, state, task[0])
                total += follow_rows(
                    agent,
                    state,
                    task[0],
                    choices,
                    outcomes,
                    scored,
                    available,
                    shown,
                    begins[block],
                    begins[block],
                    begins[block + 1],
                    0.0,
                    each,
                )
        totals[person, vector] = total if total == total else -math.inf


def follow_rows(
    agent: Any,
    state: Any,
    arms: int,
    choices: Any,
    outcomes: Any,
    scored: Any,
    available: Any,
    shown: Any,
    origin: int,
    first: int,
    last: int,
    total: float,
    each: Any,
) -> float:
    """The `total` and the log-likelihood of rows `first` to `last` (excluded) of a block.

    Row `origin` is the first of the block. The agent has begun and followed the rows before.
    """
    for row in range(first, last):
        arm = choices[row]
        if arm >= 0:
            trial = row - origin + 1
            rng = Stream(0, 0, 0, AGENT, trial, EVERY_ARM, NOT_DRAWN)
            if scored[row]:
                score_all(agent, state, arms, trial, rng)
                hide(state, arms, available[row])
                value = probability_of_choice(agent, state, arms, arm)
                total += value
                if len(each) > 0:
                    each[row] = value
            learn_trial(agent, state, arms, trial, arm, outcomes[row], shown[row], rng)
    return total


def forget(memory: Any) -> None:
    """All zeros, as a learner finds its memory before its first trial."""
    for place in range(len(memory)):
        memory[place] = 0.0


def trace_people(
    packed: Any,
    places: Any,
    values: Any,
    arms: int,
    choices: Any,
    outcomes: Any,
    available: Any,
    shown: Any,
    begins: Any,
    blocks: Any,
    table: Any,
    memory: Any,
    kept: Any,
    lines: Any,
) -> None:
    """Fill a line per trial: with beliefs, scores and probabilities of all arms if there is room.

    Person p has `values[p]` in place of the numbers of `packed` at `places`.
    """
    for person in range(len(blocks) - 1):
        for place in range(len(places)):
            packed[places[place]] = values[person, place]
        agent = make_agent(packed)
        state = view(table, memory, kept)
        for block in range(blocks[person], blocks[person + 1]):
            forget(memory)
            begin(agent, state, arms)
            for row in range(begins[block], begins[block + 1]):
                trial = row - begins[block] + 1
                rng = Stream(0, 0, 0, AGENT, trial, EVERY_ARM, NOT_DRAWN)
                line = lines[row]
                arm = choices[row]
                score_all(agent, state, arms, trial, rng)
                hide(state, arms, available[row])
                if len(line) > FOLLOWED:
                    note_beliefs(agent, state, arms, line)
                    for k in range(arms):
                        line[FOLLOWED + 2 * arms + k] = state.score[k]
                    chances_of_choice(agent, state, arms)
                    for k in range(arms):
                        line[FOLLOWED + 3 * arms + k] = state.key[k]
                if arm >= 0:
                    line[LOG_PROBABILITY] = probability_of_choice(agent, state, arms, arm)
                    line[CHANGE] = learn_trial(
                        agent, state, arms, trial, arm, outcomes[row], shown[row], rng
                    )
