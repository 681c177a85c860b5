"""Trace recorded choices: beliefs, scores and probabilities of all arms, trial by trial."""

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

import numpy as np

from armwise.engine.announce import compiling, described
from armwise.engine.arrays import plain_array
from armwise.engine.cpu import agent_kernel
from armwise.engine.follow import trace_people
from armwise.engine.free import places_of, refuse_without_probability
from armwise.engine.memory import compiled_memory, interpreted_memory
from armwise.engine.mishaps import compiler_in_words, failing_in_words
from armwise.engine.python import interpreted
from armwise.engine.recording import (
    CHANGE,
    FOLLOWED,
    LOG_PROBABILITY,
    RHO,
    TRACED,
    followed_place,
)
from armwise.engine.records import packed
from armwise.engine.sequences import Sequences, arrays_of, slots_of
from armwise.engine.ways import folds_over_arms, following_way, has
from armwise.errors import InputError
from armwise.model.agent import Agent
from armwise.model.draws import AGENT, stream
from armwise.model.forms import BETA, mean_of
from armwise.model.roles import Assumed, Policy


class Trace(NamedTuple):
    """What an agent made of recorded choices; a row per trial, NaN where nothing was chosen.

    Beliefs, scores and probabilities are those before the choice, with a column per arm.
    """

    log_probability: np.ndarray
    gamma: np.ndarray
    alpha: np.ndarray
    beta: np.ndarray
    score: np.ndarray
    probability: np.ndarray
    assumed: np.ndarray  # rho, alpha0 and beta0 of the learner


def trace_choices(
    agent: Any,
    data: Sequences,
    free: Sequence[str] = (),
    values: Any = None,
    *,
    details: bool = True,
    device: str = "cpu",
) -> Trace:
    """Follow everybody's choices, with `values[person, parameter]` in place of `free` parameters.

    Without `details` the columns of arms are empty.

    >>> from armwise import *
    >>> from armwise.engine.sequences import Sequences
    >>> import numpy as np
    >>> played = np.array([0, 1, 1]), np.array([1, 0, 1]), np.array([True, True, True])
    >>> data = Sequences(*played, begins=np.array([0]), people=np.array([0]), arms=2)
    >>> agent = Agent(ApproximateActiveInference(), Smile(), Softmax(precision=2))
    >>> trace_choices(agent, data, device="python").alpha.tolist()
    [[1.0, 1.0], [2.0, 1.0], [2.0, 1.0]]
    """
    refuse_without_probability(agent)
    arms, trials = int(data.arms), len(data.choices)
    places = places_of(agent, free)
    numbers = np.zeros((data.number_of_people, 0)) if values is None else values
    numbers = plain_array("values", numbers, np.float64)
    if numbers.shape != (data.number_of_people, len(places)):
        raise InputError(
            f"values must be {data.number_of_people} x {len(places)}: a row per person, a column "
            "per free parameter."
        )
    lines = np.full((trials, FOLLOWED + (len(TRACED) * arms if details else 0)), np.nan)
    if device == "python":
        _interpret(agent, data, lines)
    else:
        _run(agent, data, places, numbers, lines)
    alpha, beta, score, probability = (lines[:, followed_place(name, arms)] for name in TRACED)
    single = lines[:, LOG_PROBABILITY], lines[:, CHANGE]
    return Trace(*single, alpha, beta, score, probability, lines[:, RHO:FOLLOWED])


def _run(agent: Any, data: Sequences, places: Any, values: Any, lines: np.ndarray) -> None:
    way = following_way(agent)
    kernel = agent_kernel(trace_people, agent, way, more=slots_of(agent, data, way))
    table, memory, kept = compiled_memory(agent, way, int(data.arms), 1)
    what = f"{described(agent)} to trace recorded choices"
    people, trials = range(data.number_of_people), range(1, len(lines) + 1)
    choices, outcomes, _, *rest = arrays_of(agent, data)
    numbers = np.array([*packed(*agent.parts), 0.0])
    in_words = failing_in_words(agent.parts, people, trials)
    with compiling(what, kernel), compiler_in_words(agent.parts), in_words:
        state = table[0], memory[0], kept
        kernel(numbers, places, values, int(data.arms), choices, outcomes, *rest, *state, lines)


def _interpret(agent: Any, data: Sequences, lines: np.ndarray) -> None:
    way = following_way(agent)
    kernel = interpreted(trace_people, agent, way=way, more=slots_of(agent, data, way))
    choices, outcomes, _, available, shown, begins, blocks = arrays_of(agent, data)
    rows = choices.tolist(), outcomes.tolist(), available.tolist(), shown.tolist()
    own = interpreted_memory(agent, int(data.arms), way)
    kernel(None, [], None, int(data.arms), *rows, begins.tolist(), blocks.tolist(), *own, lines)


def prediction_errors(data: Sequences, told: Trace, form: str = BETA) -> np.ndarray:
    """The outcome minus its expectation under beliefs of a form; NaN where nothing was chosen."""
    rows = np.flatnonzero(data.choices >= 0)
    arms = data.choices[rows]
    alpha, beta = told.alpha[rows, arms], told.beta[rows, arms]
    errors = np.full(len(data.choices), np.nan)
    errors[rows] = data.outcomes[rows] - mean_of(form, alpha, beta)
    return errors


def terms_of(agent: Agent, data: Sequences, told: Trace) -> dict[str, np.ndarray]:
    """The policy's named terms [trial, arm]; none if the policy draws its scores.

    `terms` is written for numbers. Plain arithmetic takes whole arrays as well; what does not is
    called for every belief.
    """
    if agent.policy.stochastic:
        return {}
    shared, terms = _shared_by_trial(agent.policy, data, told), cast(Any, agent.policy.terms)
    try:
        found = terms(_stacked(shared), told.alpha, told.beta)
    except (TypeError, ValueError):  # a branch or a function that wants one number
        return _terms_one_by_one(agent.policy, shared, told)
    shape, named = told.alpha.shape, zip(agent.policy.term_names, found, strict=True)
    return {name: np.broadcast_to(value, shape).copy() for name, value in named}


def _terms_one_by_one(policy: Policy, shared: list[Any], told: Trace) -> dict[str, np.ndarray]:
    """The terms of every belief; those of equal beliefs are computed once."""
    known: dict[Any, dict[str, float]] = {}
    alpha, beta = told.alpha.tolist(), told.beta.tolist()
    rows = []
    for row, common in enumerate(shared):
        for case in zip(alpha[row], beta[row], strict=True):
            if (common, *case) not in known:
                known[common, *case] = policy.named_terms(common, *case)
            rows.append(known[common, *case])
    names = list(rows[0])
    return {name: np.reshape([terms[name] for terms in rows], told.alpha.shape) for name in names}


def _stacked(shared: list[Any]) -> Any:
    """What the arms share, trial by trial, as columns: arrays in place of numbers."""
    if not isinstance(shared[0], tuple):
        return np.array(shared)[:, None]
    columns = [np.array(column, dtype=float)[:, None] for column in zip(*shared, strict=True)]
    if any(column.ndim > 2 for column in columns):
        raise TypeError("tuples of tuples have no columns")
    kind = type(shared[0])
    return kind(columns) if kind is tuple else kind(*columns)


def _shared_by_trial(policy: Policy, data: Sequences, told: Trace) -> list[Any]:
    """What all arms share in each trial, as `definition.shared_by_arms` computes it."""
    trials, arms = told.alpha.shape
    folds, found = folds_over_arms(type(policy)), []
    if not folds and not has(type(policy), "prepare"):
        return [policy.prepare(1, arms, Assumed(*told.assumed[0]), stream(0, 0, AGENT, 1))] * trials
    alpha, beta, assumed = told.alpha.tolist(), told.beta.tolist(), told.assumed.tolist()
    for row, trial in enumerate(_trials(data)):
        shared = policy.prepare(trial, arms, Assumed(*assumed[row]), stream(0, 0, AGENT, trial))
        for arm in range(arms if folds else 0):
            shared = policy.gather(shared, arm, alpha[row][arm], beta[row][arm])
        found.append(policy.conclude(shared, arms))
    return found


def _trials(data: Sequences) -> list[int]:
    """The number of every trial in its block, from 1."""
    ends = np.append(data.begins[1:], len(data.choices))
    return np.concatenate([np.arange(1, n + 1) for n in ends - data.begins]).tolist()
