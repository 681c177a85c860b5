"""Follow recorded choices with an agent: their likelihood, and the agent's beliefs."""

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from armwise.engine import engine_named
from armwise.engine.free import refuse_without_probability
from armwise.engine.recording import CHANGE, FOLLOWED, LOG_PROBABILITY, followed_place
from armwise.errors import InputError, listed, outcome_of, require, unknown, whole_number
from armwise.model.agent import Agent
from armwise.model.draws import ARMS_MAX

if TYPE_CHECKING:
    import xarray


FOLLOWING = ("cpu", "python")  # devices that can follow recorded choices


def replay(
    agent: Agent,
    choices: Sequence[int],
    outcomes: Sequence[int],
    arms: int,
    *,
    device: str = "cpu",
) -> float:
    """The log-likelihood of recorded choices under an agent with a softmax choice.

    `choices` are the chosen arms, counted from 0 (-1: no choice in that trial); `outcomes` are 0
    or 1; `arms` is the number of all arms, chosen or not.

    >>> from armwise import *
    >>> agent = Agent(ApproximateActiveInference(lam=0.5), Smile(), Softmax(precision=0))
    >>> round(replay(agent, [0, 1, 1], [1, 0, 1], arms=2, device="python"), 6)
    -2.079442
    """
    chosen, lines = _follow(agent, choices, outcomes, arms, device, details=False)
    return math.fsum(lines[chosen >= 0, LOG_PROBABILITY])


def retrace(
    agent: Agent,
    choices: Sequence[int],
    outcomes: Sequence[int],
    arms: int,
    *,
    device: str = "cpu",
) -> "xarray.Dataset":
    """The agent's beliefs and the probability of each choice, trial by trial.

    Beliefs and scores are those before the choice; gamma is the change probability after it.

    >>> from armwise import *
    >>> agent = Agent(ApproximateActiveInference(lam=0.5), Smile(), Softmax(precision=2))
    >>> retrace(agent, [0, 1, 1], [1, 0, 1], arms=2, device="python").alpha.values.tolist()
    [[1.0, 1.0], [2.0, 1.0], [2.0, 1.0]]
    """
    require("xarray")
    import xarray

    chosen, lines = _follow(agent, choices, outcomes, arms, device, details=True)
    beliefs = {
        name: (("trial", "arm"), lines[:, followed_place(name, int(arms))])
        for name in ("alpha", "beta", "score")
    }
    data: dict[str, Any] = {
        "log_probability": ("trial", lines[:, LOG_PROBABILITY]),
        "gamma": ("trial", lines[:, CHANGE]),
        "chosen": ("trial", chosen),
        "outcome": ("trial", np.asarray(outcomes, dtype=np.int64)),
    }
    axes = {"trial": np.arange(1, len(chosen) + 1), "arm": np.arange(int(arms))}
    return xarray.Dataset({**data, **beliefs}, axes, {"agent": str(agent)})


def _follow(
    agent: Agent, choices: Any, outcomes: Any, arms: int, device: str, details: bool
) -> tuple[np.ndarray, np.ndarray]:
    refuse_without_probability(agent)
    count = whole_number("arms", arms, 2, ARMS_MAX)
    chosen = _numbers("choices", choices, lambda arm: whole_number("A choice", arm, -1, ARMS_MAX))
    results = _numbers("outcomes", outcomes, outcome_of)
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
    lines = np.full((len(chosen), FOLLOWED + (3 * count if details else 0)), np.nan)
    if not isinstance(device, str) or device not in FOLLOWING:
        raise unknown("device for recorded choices", device, FOLLOWING)
    engine_named(device).replay(agent, count, chosen, results, lines)
    _refuse_nan(agent, chosen, lines)
    return chosen, lines


def _refuse_nan(agent: Agent, chosen: np.ndarray, lines: np.ndarray) -> None:
    """The first choice that an agent gives no probability, because a score is NaN or infinite."""
    strange = (chosen >= 0) & np.isnan(lines[:, LOG_PROBABILITY])
    if strange.any():
        row = int(strange.argmax())
        raise InputError(
            f"{agent.label} gives the choice of arm {chosen[row]} in trial {row + 1} no "
            "probability: a score is NaN, or the best is infinite."
        )


def _numbers(name: str, values: Any, checked: Callable[[Any], int]) -> np.ndarray:
    """Whole numbers; each value that occurs is checked once."""
    plain = type(values) is np.ndarray and values.ndim == 1
    items = values if plain else listed(name, values, "[0, 1, 1]")
    try:
        found = np.asarray(items)
    except ValueError:  # lists of different lengths
        found = np.array(None)
    if found.ndim != 1 or found.dtype.kind not in "biuf":
        return np.array([checked(value) for value in items], dtype=np.int64)
    known, places = np.unique(found, return_inverse=True)
    return np.array([checked(value) for value in known.tolist()], dtype=np.int64)[places]
