"""Why an arm is chosen: beliefs, scores, terms and probabilities, kept until the trial is recorded.

An agent that is traced plays as its definition says, and before each choice copies what it chose by
into rows of its table. The recorder of the loop then takes all rows down.
"""

import math
from typing import Any, NamedTuple

from armwise.engine.definition import (
    pick_scored,
    probability_of_choice,
    score_all,
    shared_by_arms,
)
from armwise.engine.recording import THETAS, record, take_down
from armwise.engine.ways import Way, defining_way
from armwise.errors import InputError
from armwise.model.agent import Agent
from armwise.model.draws import Stream
from armwise.model.forms import NAMES
from armwise.model.roles import Actor, Policy
from armwise.model.ties import choice_stream
from armwise.numerics.hook import hook

terms = Policy.terms

# Rows of the table; those of the definition, with or without a habit, come first.
SCORE, ALPHA, BETA, PROBABILITY, TERMS = 2, 5, 6, 7, 8


class TracedState(NamedTuple):
    """The state of an agent, and rows for what it knew before its last choice."""

    alpha: Any
    beta: Any
    score: Any
    key: Any
    memory: Any
    habit: Any
    alpha_before: Any
    beta_before: Any
    probability: Any
    terms: Any


def view_traced(table: Any, memory: Any, kept: Any) -> TracedState:
    """The rows of the table by name."""
    return TracedState(
        table[0],
        table[1],
        table[SCORE],
        table[3],
        memory,
        table[4],
        table[ALPHA],
        table[BETA],
        table[PROBABILITY],
        table[TERMS:],
    )


@hook
def note_terms(agent: Any, state: Any, arms: int, shared: Any) -> None:
    """Write down the terms of every score: nothing, for a policy that names none."""


def note_named_terms(agent: Any, state: Any, arms: int, shared: Any) -> None:
    """Write down the terms of every score."""
    for arm in range(arms):
        found = terms(agent.policy, shared, state.alpha[arm], state.beta[arm])
        for place in range(len(found)):
            state.terms[place][arm] = found[place]


@hook
def note_probabilities(agent: Any, state: Any, arms: int) -> None:
    """Write down how probable every choice is: nothing, if there is no closed form."""


def note_known_probabilities(agent: Any, state: Any, arms: int) -> None:
    """Write down how probable every choice is."""
    for arm in range(arms):
        state.probability[arm] = math.exp(probability_of_choice(agent, state, arms, arm))


def act_traced(agent: Any, state: Any, arms: int, trial: int, rng: Stream) -> int:
    """Score every arm, keep what the choice rests on, then choose one."""
    score_all(agent, state, arms, trial, rng)
    for arm in range(arms):
        state.alpha_before[arm] = state.alpha[arm]
        state.beta_before[arm] = state.beta[arm]
    note_terms(agent, state, arms, shared_by_arms(agent, state, arms, trial, rng))
    note_probabilities(agent, state, arms)
    return pick_scored(agent, state, arms, choice_stream(rng))


def record_table(
    line: Any, arm: int, outcome: int, gamma: float, arms: int, thetas: Any, table: Any
) -> None:
    """Write down what `record` does, and then every row of the table."""
    record(line, arm, outcome, gamma, arms, thetas, table)
    for row in range(len(table)):
        for k in range(arms):
            line[THETAS + (1 + row) * arms + k] = table[row][k]


def rows_of(agent: Agent) -> dict[str, int]:
    """The rows of a traced agent's table that are worth seeing, by name.

    >>> from armwise import Agent, ApproximateActiveInference
    >>> rows_of(Agent(ApproximateActiveInference()))
    {'alpha': 5, 'beta': 6, 'score': 2, 'extrinsic': 8, 'intrinsic': 9}
    """
    named = dict.fromkeys(agent.policy.term_names)
    first, second = NAMES[agent.learner.beliefs]
    known = {first: ALPHA, second: BETA, "score": SCORE}
    if has_probabilities(agent):
        known["probability"] = PROBABILITY
    if len(named) != len(agent.policy.term_names) or known.keys() & named.keys():
        raise InputError(
            f"{agent.label}: term_names = {agent.policy.term_names!r} must differ from each other "
            f"and from {', '.join(known)}."
        )
    return known | {name: TERMS + place for place, name in enumerate(named)}


def has_probabilities(agent: Agent) -> bool:
    """Whether the choices of an agent have a probability in closed form."""
    return agent.choice.probabilistic and not agent.policy.stochastic


def way_to_trace(agent: Agent | Actor) -> Way:
    """The definition of an agent, which keeps the reasons of every choice."""
    way = defining_way(agent)
    if not isinstance(agent, Agent):
        return way
    slots: dict[Any, Any] = {take_down: record_table}
    if agent.policy.term_names:
        slots[note_terms] = note_named_terms
    if has_probabilities(agent):
        slots[note_probabilities] = note_known_probabilities
    return way._replace(
        name=f"traced, {way.name}",
        rows=TERMS + len(agent.policy.term_names),
        view=view_traced,
        act=act_traced,
        more=slots,
    )


def width_of_trace(agent: Agent | Actor, arms: int) -> int:
    """The length of a line in which a trial of a traced agent is recorded."""
    rows = way_to_trace(agent).rows if isinstance(agent, Agent) else 0
    return THETAS + arms * (1 + rows)
