"""Recorded choices of people as arrays, checked against each other and against an agent."""

from typing import Any, NamedTuple

import numpy as np

from armwise.engine.arrays import plain_array, shape_of
from armwise.engine.follow import note_beliefs, note_nothing, slots_of_data
from armwise.engine.shown import UNSEEN
from armwise.engine.ways import Way
from armwise.errors import InputError
from armwise.model.agent import Agent
from armwise.model.forms import BINARY, REAL
from armwise.model.roles import Learner


class Sequences(NamedTuple):
    """Recorded choices of people, checked: flat arrays, sorted by person, block and trial."""

    choices: np.ndarray  # int64, -1 = no choice in that trial
    outcomes: np.ndarray  # int64 0/1, or float64 if real (0 where there was no choice)
    scored: np.ndarray  # bool: counts for the likelihood (False: missed or forced)
    begins: np.ndarray  # int64, first trial of every block, ascending, begins[0] == 0
    people: np.ndarray  # int64, for every block the person it belongs to (0..P-1), ascending
    arms: int
    available: np.ndarray | None = None  # bool [trial, arm]: could be chosen (None: all arms)
    shown: np.ndarray | None = None  # int64 [trial, arm]: outcome shown, -1 = none (None: no arm)

    @property
    def number_of_people(self) -> int:
        """The number of people."""
        return int(self.people[-1]) + 1


def arrays_of(agent: Any, data: Sequences) -> tuple[np.ndarray, ...]:
    """The data as a kernel of the agent reads them, and the blocks of every person."""
    trials = len(data.choices)
    return (
        plain_array("choices", data.choices, np.int64),
        _outcomes(agent, data),
        plain_array("scored", data.scored, np.bool_),
        _per_arm("available", data.available, data, np.bool_),
        _per_arm("shown", data.shown, data, np.int64),
        plain_array("begins", [*data.begins, trials], np.int64),
        np.searchsorted(data.people, np.arange(data.number_of_people + 1)).astype(np.int64),
    )


def slots_of(agent: Any, data: Sequences, way: Way) -> dict[Any, Any]:
    """What is bound for these data; raise InputError if the agent cannot follow them."""
    available, shown = data.available is not None, data.shown is not None
    if available:
        _refuse_unless_offered(data)
    if shown:
        _refuse_unless_outcomes(data)
        refuse_unless_shown(agent)
    slots = slots_of_data(way, available, shown)
    return slots if isinstance(agent, Agent) else slots | {note_beliefs: note_nothing}


def refuse_unless_shown(agent: Any) -> None:
    """Raise InputError unless an agent learns from outcomes of arms that it did not choose."""
    if not isinstance(agent, Agent):
        raise InputError(f"{agent.label} learns from the arm that it chose, not from others.")
    if agent.outcomes == REAL:
        raise InputError(
            f"{agent.learner.label} learns from the chosen arm only: outcomes of other arms can be "
            "shown where they are 0 or 1."
        )
    if type(agent.learner).update_shown is Learner.update_shown:
        raise InputError(
            f"{agent.learner.label} learns from the chosen arm only, and the data show outcomes of "
            "other arms: take a learner with update_shown, such as RescorlaWagner, or leave them "
            "out."
        )


def _outcomes(agent: Any, data: Sequences) -> np.ndarray:
    """The outcomes, of the type of those that the agent learns from: whole numbers, or floats."""
    if agent.outcomes == REAL:
        array = plain_array("outcomes", data.outcomes, np.float64)
        wrong = np.flatnonzero(~np.isfinite(array))
    else:
        array = np.asarray(data.outcomes)
        wrong = np.flatnonzero((array != 0) & (array != 1))
    if len(wrong):
        allowed = {BINARY: "be 0 or 1", REAL: "be finite"}[agent.outcomes]
        raise InputError(
            f"{agent.label}: outcomes must {allowed}, and that of row {wrong[0]} is "
            f"{array[wrong[0]]:g}."
        )
    return array if agent.outcomes == REAL else plain_array("outcomes", array, np.int64)


def _per_arm(name: str, values: Any, data: Sequences, kind: Any) -> np.ndarray:
    """An array with a row per trial: empty rows if nothing is given."""
    trials = len(data.choices)
    if values is None:
        return np.zeros((trials, 0), dtype=kind)
    array = plain_array(name, values, kind)
    if array.shape != (trials, data.arms):
        raise InputError(f"{name} must be {trials} x {data.arms}, not {shape_of(array)}.")
    return array


def _refuse_unless_offered(data: Sequences) -> None:
    rows = np.flatnonzero(data.choices >= 0)
    available = _per_arm("available", data.available, data, np.bool_)
    wrong = rows[~available[rows, data.choices[rows]]]
    if len(wrong):
        raise InputError(
            f"The arm {data.choices[wrong[0]]} was chosen in row {wrong[0]}, where it was not "
            "available."
        )


def _refuse_unless_outcomes(data: Sequences) -> None:
    shown = _per_arm("shown", data.shown, data, np.int64)
    if shown.size and not UNSEEN <= shown.min() <= shown.max() <= 1:
        raise InputError("shown must hold 0, 1, or -1 for an arm that was not shown.")
