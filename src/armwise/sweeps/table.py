"""Rows by cell and checkpoint: what distinguishes a cell, and what its regrets say."""

from typing import Any

import numpy as np

from armwise.analysis.regret import Interval, mean_interval, stuck
from armwise.sweeps.cell import Cell

MEASURES = ("trial", "regret", "sem", "low", "high", "rate", "rate_low", "rate_high", "stuck")
_SPEAKING = ("policy", "actor")  # the parts whose parameters go by their own names


def condition(cell: Cell) -> dict[str, Any]:
    """What distinguishes a cell, flat: bandit, arms, epsilon, rho, policy, lam, ...

    Parameters of the bandit and the policy go by their own names; those of the learner and the
    choice carry their role (`learner_rho`, `choice_precision`).
    """
    first, *others = cell.agent.parts
    names: dict[str, Any] = {"bandit": cell.bandit.label, **cell.bandit.parameters()}
    names |= {"policy": cell.agent.label, **first.parameters()}
    for part in others:
        names[part.role] = part.label
        names |= {f"{part.role}_{name}": v for name, v in part.parameters().items()}
    return names | {"horizon": cell.horizon, "agents": cell.agents, "seed": cell.seed}


def condition_of(description: dict[str, Any]) -> dict[str, Any]:
    """The same from the description in a file, which needs no code of the components.

    >>> from armwise import Agent, StationaryBandit, UCB
    >>> cell = Cell(StationaryBandit(), Agent(UCB()), 100, 10, 1, (10, 100))
    >>> import json
    >>> condition_of(json.loads(cell.text)) == condition(cell)
    True
    """
    names: dict[str, Any] = {"bandit": description["bandit"]["name"]}
    names |= _parameters(description["bandit"])
    for part in description["agent"]:
        if part["role"] in _SPEAKING:
            names |= {"policy": part["name"], **_parameters(part)}
        else:
            names[part["role"]] = part["name"]
            names |= {f"{part['role']}_{name}": v for name, v in _parameters(part).items()}
    first, last = description["agents"]
    horizon, seed = description["horizon"], description["seed"]
    return names | {"horizon": horizon, "agents": last - first, "seed": seed}


def _parameters(part: dict[str, Any]) -> dict[str, Any]:
    return {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in part.items()
        if name not in ("name", "role")
    }


def measured(regret: np.ndarray, trial: np.ndarray, epsilon: Any) -> dict[str, np.ndarray]:
    """What regret[agent, row] says at the trials of the rows; `stuck` is NaN without an epsilon."""
    interval = _interval(regret)
    found = {"trial": trial, "regret": interval.mean, "sem": interval.sem}
    found |= {"low": interval.low, "high": interval.high, "rate": interval.mean / trial}
    found |= {"rate_low": interval.low / trial, "rate_high": interval.high / trial}
    share = stuck(regret, epsilon, trial).mean(axis=0)
    return found | {"stuck": np.where(np.isnan(epsilon), np.nan, share)}


def _interval(values: np.ndarray) -> Interval:
    if len(values) > 1:
        return mean_interval(values)
    nothing = np.full(values.shape[1], np.nan)  # one agent has no spread
    return Interval(values[0], nothing, nothing, nothing)
