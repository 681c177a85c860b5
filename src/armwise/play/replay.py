"""Follow recorded choices with an agent: their likelihood, and the agent's beliefs."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from armwise.engine import engine_named
from armwise.engine.recording import CHANGE, FOLLOWED, LOG_PROBABILITY, followed_place
from armwise.errors import InputError, outcome_of, require, unknown, whole_number
from armwise.model.agent import Agent
from armwise.model.draws import ARMS_MAX

if TYPE_CHECKING:
    import xarray


FOLLOWING = ("cpu", "python")  # devices that can follow recorded choices


def replay(
    agent: Agent,
    arms: Sequence[int],
    outcomes: Sequence[int],
    *,
    of: int | None = None,
    device: str = "cpu",
) -> float:
    """The log-likelihood of recorded choices under an agent with a softmax choice.

    `arms` are the chosen arms, counted from 0 (-1: no choice in that trial); `outcomes` are 0 or 1;
    `of` is the number of arms, by default one more than the largest arm chosen.

    >>> from armwise import *
    >>> agent = Agent(ApproximateActiveInference(lam=0.5), Smile(), Softmax(precision=0))
    >>> round(replay(agent, [0, 1, 1], [1, 0, 1], device="python"), 6)
    -2.079442
    """
    chosen, lines = _follow(agent, arms, outcomes, of, device, details=False)
    return math.fsum(lines[chosen >= 0, LOG_PROBABILITY])


def retrace(
    agent: Agent,
    arms: Sequence[int],
    outcomes: Sequence[int],
    *,
    of: int | None = None,
    device: str = "cpu",
) -> "xarray.Dataset":
    """The agent's beliefs and the probability of each choice, trial by trial.

    Beliefs and scores are those before the choice; gamma is the change probability after it.

    >>> from armwise import *
    >>> agent = Agent(ApproximateActiveInference(lam=0.5), Smile(), Softmax(precision=2))
    >>> retrace(agent, [0, 1, 1], [1, 0, 1], device="python").alpha.values.tolist()
    [[1.0, 1.0], [2.0, 1.0], [2.0, 1.0]]
    """
    require("xarray")
    import xarray

    chosen, lines = _follow(agent, arms, outcomes, of, device, details=True)
    count = (lines.shape[1] - FOLLOWED) // 3
    beliefs = {
        name: (("trial", "arm"), lines[:, followed_place(name, count)])
        for name in ("alpha", "beta", "score")
    }
    data: dict[str, Any] = {
        "log_probability": ("trial", lines[:, LOG_PROBABILITY]),
        "gamma": ("trial", lines[:, CHANGE]),
        "chosen": ("trial", chosen),
        "outcome": ("trial", np.asarray(outcomes, dtype=np.int64)),
    }
    axes = {"trial": np.arange(1, len(chosen) + 1), "arm": np.arange(count)}
    return xarray.Dataset({**data, **beliefs}, axes, {"agent": str(agent)})


def _follow(
    agent: Agent, arms: Any, outcomes: Any, of: int | None, device: str, details: bool
) -> tuple[np.ndarray, np.ndarray]:
    _refuse_without_probability(agent)
    chosen = np.array([whole_number("An arm", arm, -1, ARMS_MAX) for arm in arms], dtype=np.int64)
    results = np.array([outcome_of(outcome) for outcome in outcomes], dtype=np.int64)
    if len(chosen) != len(results) or len(chosen) == 0:
        raise InputError(
            f"arms and outcomes must have the same length, at least 1, not {len(chosen)} and "
            f"{len(results)}."
        )
    largest = int(chosen.max()) + 1
    count = whole_number("of", of if of is not None else max(2, largest), 2, ARMS_MAX)
    if largest > count:
        raise InputError(f"An arm must be below of = {count}, not {largest - 1}.")
    lines = np.full((len(chosen), FOLLOWED + (3 * count if details else 0)), np.nan)
    if device not in FOLLOWING:
        raise unknown("device for recorded choices", device, FOLLOWING)
    engine_named(device).replay(agent, count, chosen, results, lines)
    return chosen, lines


def _refuse_without_probability(agent: Any) -> None:
    if not isinstance(agent, Agent):
        raise InputError(f"Only an Agent(policy, learner, choice) can be replayed, not {agent!r}.")
    if not agent.choice.probabilistic:
        raise InputError(
            f"Choices by {agent.choice.label} have no probability; replay needs a choice such as "
            "Softmax(precision=5)."
        )
    if agent.policy.stochastic:
        raise InputError(
            f"{agent.label} draws its scores, so its choices have no probability in closed form."
        )
