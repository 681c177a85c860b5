"""Follow recorded choices with an agent: their likelihood, and the agent's beliefs."""

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from armwise.engine.free import refuse_without_probability
from armwise.engine.sequences import Sequences
from armwise.engine.trace import Trace, prediction_errors, terms_of, trace_choices
from armwise.errors import InputError, listed, outcome_of, require, unknown, whole_number
from armwise.model.agent import Agent, Chooser
from armwise.model.draws import ARMS_MAX
from armwise.model.forms import NAMES, REAL, finite
from armwise.model.roles import AbstractAgent

if TYPE_CHECKING:
    import xarray


FOLLOWING = ("cpu", "python")  # devices that can follow recorded choices


def replay(
    agent: Agent | Chooser,
    choices: Sequence[int],
    outcomes: Sequence[int],
    arms: int,
    *,
    available: Any = None,
    shown: Any = None,
    device: str = "cpu",
) -> float:
    """The log-likelihood of recorded choices under an agent whose choices have a probability.

    `choices` are the chosen arms, counted from 0 (-1: no choice in that trial); `outcomes` are 0
    or 1, or real numbers for an agent with normal beliefs; `arms` is the number of all arms, chosen
    or not. `available[trial, arm]` is true for an arm that could be chosen; `shown[trial, arm]` is
    the outcome of an arm that was not chosen, or -1 if it was not shown.

    >>> from armwise import *
    >>> agent = Agent(ApproximateActiveInference(lam=0.5), Smile(), Softmax(precision=0))
    >>> round(replay(agent, [0, 1, 1], [1, 0, 1], arms=2, device="python"), 6)
    -2.079442
    """
    data = _data(agent, choices, outcomes, arms, available, shown, device)
    told = trace_choices(agent, data, details=False, device=device)
    _refuse_nan(agent, data, told)
    return math.fsum(told.log_probability[data.choices >= 0])


def retrace(
    agent: Agent | Chooser,
    choices: Sequence[int],
    outcomes: Sequence[int],
    arms: int,
    *,
    available: Any = None,
    shown: Any = None,
    device: str = "cpu",
) -> "xarray.Dataset":
    """What the agent believed and how probable every arm was, trial by trial; see `replay`.

    Beliefs, scores, probabilities and the policy's named terms are those before the choice, the
    prediction error is the outcome minus its expectation, and gamma is the change probability after
    the outcome. Normal beliefs are called mean and variance, and gamma is their Kalman gain.

    >>> from armwise import *
    >>> agent = Agent(ApproximateActiveInference(lam=0.5), Smile(), Softmax(precision=2))
    >>> told = retrace(agent, [0, 1, 1], [1, 0, 1], arms=2, device="python")
    >>> told.alpha.values.tolist(), told.prediction_error.values.tolist()
    ([[1.0, 1.0], [2.0, 1.0], [2.0, 1.0]], [0.5, -0.5, 0.6666666666666667])
    """
    require("xarray")
    import xarray

    data = _data(agent, choices, outcomes, arms, available, shown, device)
    told = trace_choices(agent, data, device=device)
    _refuse_nan(agent, data, told)
    columns: dict[str, Any] = {
        "log_probability": told.log_probability,
        "gamma": told.gamma,
        "chosen": data.choices,
        "outcome": data.outcomes,
        "score": told.score,
        "probability": told.probability,
    }
    if isinstance(agent, Agent):
        form = agent.learner.beliefs
        columns |= dict(zip(NAMES[form], (told.alpha, told.beta), strict=True))
        columns["prediction_error"] = prediction_errors(data, told, form)
        columns |= terms_of(agent, data, told)
    axes = {"trial": np.arange(1, len(data.choices) + 1), "arm": np.arange(int(arms))}
    named = {name: (("trial", "arm")[: array.ndim], array) for name, array in columns.items()}
    return xarray.Dataset(named, axes, {"agent": str(agent)})


def _data(
    agent: Any,
    choices: Any,
    outcomes: Any,
    arms: int,
    available: Any,
    shown: Any,
    device: str,
) -> Sequences:
    """One person's choices, checked, in one block."""
    refuse_without_probability(agent)
    count = whole_number("arms", arms, 2, ARMS_MAX)
    chosen = _numbers("choices", choices, lambda arm: whole_number("A choice", arm, -1, ARMS_MAX))
    real = agent.outcomes == REAL
    results = _numbers("outcomes", outcomes, finite if real else outcome_of, float if real else int)
    if len(chosen) != len(results) or len(chosen) == 0:
        raise InputError(
            f"choices and outcomes must have the same length, at least 1, not {len(chosen)} and "
            f"{len(results)}."
        )
    if chosen.max() >= count:
        raise InputError(
            f"A choice must be below arms = {count}, since arms are counted from 0, not "
            f"{chosen.max()}."
        )
    if not isinstance(device, str) or device not in FOLLOWING:
        raise unknown("device for recorded choices", device, FOLLOWING)
    one = np.zeros(1, dtype=np.int64)
    return Sequences(chosen, results, chosen >= 0, one, one, count, available, shown)


def _refuse_nan(agent: AbstractAgent, data: Sequences, told: Trace) -> None:
    """The first choice that an agent gives no probability, because a score is NaN or infinite."""
    strange = (data.choices >= 0) & np.isnan(told.log_probability)
    if strange.any():
        row = int(strange.argmax())
        raise InputError(
            f"{agent.label} gives the choice of arm {data.choices[row]} in trial {row + 1} no "
            "probability: a score is NaN, or the best is infinite."
        )


def _numbers(name: str, values: Any, checked: Callable[[Any], Any], kind: type = int) -> np.ndarray:
    """Numbers of a kind; each value that occurs is checked once."""
    plain = type(values) is np.ndarray and values.ndim == 1
    items = values if plain else listed(name, values, "[0, 1, 1]")
    try:
        found = np.asarray(items)
    except ValueError:  # lists of different lengths
        found = np.array(None)
    if found.ndim != 1 or found.dtype.kind not in "biuf":
        return np.array([checked(value) for value in items], dtype=kind)
    known, places = np.unique(found, return_inverse=True)
    return np.array([checked(value) for value in known.tolist()], dtype=kind)[places]
