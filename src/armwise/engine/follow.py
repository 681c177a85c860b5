"""Follow the recorded choices of many people, or let many people play: only numbers differ.

A person's trials come in blocks; beliefs begin anew with each. A trial without a choice is passed
over. A forced choice is learned from, but has no part in the likelihood. From one person, or one
vector of parameters, to the next only numbers change, so one kernel serves all.
"""

import math
from typing import Any

from armwise.engine.definition import probability_of_choice, score_all
from armwise.engine.loop import begin, face, learn, make_agent, view
from armwise.engine.stretch import CHOICE, FINE, End
from armwise.model.draws import AGENT, BANDIT, EVERY_ARM, NOT_DRAWN, Stream, uniform

FREE = -2  # in place of an arm that is given: the person chooses


def follow_people(
    packed: Any,
    places: Any,
    values: Any,
    task: Any,
    choices: Any,
    outcomes: Any,
    scored: Any,
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
                total += follow_block(
                    agent,
                    state,
                    task[0],
                    choices,
                    outcomes,
                    scored,
                    begins[block],
                    begins[block + 1],
                    each,
                )
        totals[person, vector] = total if total == total else -math.inf


def follow_block(
    agent: Any,
    state: Any,
    arms: int,
    choices: Any,
    outcomes: Any,
    scored: Any,
    first: int,
    last: int,
    each: Any,
) -> float:
    """The log-likelihood of the trials from `first` to `last` (excluded), from the prior on."""
    begin(agent, state, arms)
    total = 0.0
    for row in range(first, last):
        arm = choices[row]
        if arm >= 0:
            trial = row - first + 1
            rng = Stream(0, 0, 0, AGENT, trial, EVERY_ARM, NOT_DRAWN)
            if scored[row]:
                score_all(agent, state, arms, trial, rng)
                value = probability_of_choice(agent, state, arms, arm)
                total += value
                if len(each) > 0:
                    each[row] = value
            learn(agent, state, arms, trial, arm, outcomes[row], rng)
    return total


def forget(memory: Any) -> None:
    """All zeros, as a learner finds its memory before its first trial."""
    for place in range(len(memory)):
        memory[place] = 0.0


def play_people(
    packed: Any,
    places: Any,
    values: Any,
    task: Any,
    thetas: Any,
    given: Any,
    table: Any,
    memory: Any,
    kept: Any,
    choices: Any,
    outcomes: Any,
) -> End:
    """Let people play: fill `choices[person, trial]` and `outcomes[person, trial]`.

    `task` holds the number of arms, the first and the last (excluded) of the people to do, and the
    two halves of the seed. `thetas[person, trial, arm]` may have one row for everybody.
    """
    for person in range(task[1], task[2]):
        for place in range(len(places)):
            packed[places[place]] = values[person, place]
        agent = make_agent(packed)
        state = view(table, memory, kept)
        forget(memory)
        begin(agent, state, task[0])
        seen = thetas[person if thetas.shape[0] > 1 else 0]
        for row in range(given.shape[1]):
            if given[person, row] == -1:
                continue
            trial = row + 1
            luck = uniform(Stream(task[3], task[4], person, BANDIT, trial, EVERY_ARM, NOT_DRAWN), 0)
            rng = Stream(task[3], task[4], person, AGENT, trial, EVERY_ARM, NOT_DRAWN)
            arm = given[person, row]
            if arm >= 0:
                outcome = 1 if luck < seen[row, arm] else 0
                learn(agent, state, task[0], trial, arm, outcome, rng)
            else:
                arm, outcome, _ = face(agent, state, task[0], trial, luck, seen[row], rng)
            if outcome < 0:
                return End(trial, CHOICE, person, arm)
            choices[person, row] = arm
            outcomes[person, row] = outcome
    return End(0, FINE, 0, 0)
