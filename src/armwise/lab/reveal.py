"""After a run: agents in the very same bandit, and how probable they find the choices."""

import math
from typing import Any, NamedTuple

import numpy as np

from armwise.choices import Softmax
from armwise.engine.free import refuse_without_probability
from armwise.errors import InputError, brief
from armwise.lab.parts import AGENTS, Shelf
from armwise.lab.words import in_short
from armwise.model.agent import Agent, Chooser
from armwise.model.roles import Actor
from armwise.play.replay import retrace
from armwise.play.trace import traced

PRECISE = 1e4  # the largest precision that is tried
USUAL = ("a-ai", "g-ai", "b-ucb", "o-ts", "rc", "universal")


class Played(NamedTuple):
    """A run of Play as plain data: what the workers are sent."""

    bandit: dict[str, Any]
    seed: int
    number: int
    choices: list[int]
    outcomes: list[int]


def usual(rho: float) -> list[dict[str, Any]]:
    """Agents to be compared with, unless others are asked for."""
    learner = {"name": "smile", "rho": rho}
    return [{"policy": {"name": name}, "learner": learner} for name in USUAL]


def rows_of(shelf: Shelf, asked: dict[str, Any], played: Played) -> list[Any]:
    """A row per agent: (plain data, surprise by trial or None)."""
    bandit = shelf.bandit(played.bandit)
    given = asked.get("agents") or usual(bandit.assumed_rho())
    if not isinstance(given, list) or len(given) > AGENTS:
        raise InputError(f"agents must be a list of at most {AGENTS}, not {brief(given)}.")
    rows = []
    for each in given:
        agent = shelf.agent(each, bandit.arms)
        label = each.get("label") if isinstance(each.get("label"), str) else None
        rows.append(_row(agent, label or agent.label, bandit, played))
    known = [row["log_likelihood"] for row, _ in rows if row["log_likelihood"] is not None]
    known.append(_of_random_choice(played, bandit.arms))
    for row, _ in rows:
        found = row["log_likelihood"]
        row["difference"] = None if found is None else found - max(known)
    return [(max(known), None), *rows]


def _of_random_choice(played: Played, arms: int) -> float:
    return -math.log(arms) * sum(arm >= 0 for arm in played.choices)


def _row(agent: Agent | Actor, label: str, bandit: Any, played: Played) -> Any:
    found = traced(bandit, agent, len(played.choices), played.seed, played.number, "python")
    row: dict[str, Any] = {
        "label": label,
        "agent": str(agent),
        "in_short": in_short(*agent.parts),
        "regret": float(found.arrays["regret"][-1]),
        "log_likelihood": None,
        "per_trial": None,
        "difference": None,
        "precision": None,
        "why": None,
    }
    try:
        fitted = with_best_precision(agent, played.choices, played.outcomes, bandit.arms)
        refuse_without_probability(fitted)
    except InputError as problem:
        return row | {"why": str(problem)}, None
    assert not isinstance(fitted, Actor)
    told = retrace(fitted, played.choices, played.outcomes, bandit.arms, device="python")
    each = told.log_probability.values
    total = math.fsum(each[np.isfinite(each)])
    chosen = sum(arm >= 0 for arm in played.choices)
    row |= {"agent": str(fitted), "in_short": in_short(*fitted.parts)}
    row |= {"log_likelihood": total, "per_trial": total / max(chosen, 1)}
    if isinstance(fitted.choice, Softmax):
        row["precision"] = fitted.choice.precision
    return row, -each


def with_best_precision(
    agent: Agent | Actor, choices: list[int], outcomes: list[int], arms: int
) -> Agent | Actor | Chooser:
    """The agent; one that chooses the best score does so by softmax, as precise as fits best.

    Scores do not depend on the choice rule once choices are given, and the log-likelihood is
    concave in the precision. An actor without scores is returned as it is.
    """
    if isinstance(agent, Actor):
        if type(agent).score_arms is Actor.score_arms:
            return agent
    elif not agent.choice.greedy or agent.policy.stochastic:
        return agent
    told = retrace(_soft(agent, 1.0), choices, outcomes, arms, device="python")
    rows = np.flatnonzero(np.asarray(choices) >= 0)
    scores = told.score.values[rows]
    gaps = scores - scores[np.arange(len(rows)), np.asarray(choices)[rows]][:, None]
    return _soft(agent, best_precision(gaps))


def _soft(agent: Agent | Actor, precision: float) -> Agent | Chooser:
    choice = Softmax(precision=precision)
    if isinstance(agent, Actor):
        return Chooser(agent, choice)
    return Agent(agent.policy, agent.learner, choice)


def best_precision(gaps: np.ndarray) -> float:
    """The precision that maximises sum -ln sum exp(precision gap), by halving on its slope.

    `gaps[trial, arm]` is the score of an arm minus that of the chosen one.

    >>> best_precision(np.array([[0.0, 1.0], [0.0, -1.0], [0.0, -1.0]])) - math.log(2) < 1e-9
    True
    """

    def slope(precision: float) -> float:
        weights = np.exp(precision * gaps - (precision * gaps).max(axis=1, keepdims=True))
        return -float(((weights * gaps).sum(axis=1) / weights.sum(axis=1)).sum())

    low, high = 0.0, 1.0
    if len(gaps) == 0 or slope(low) <= 0.0:
        return 0.0
    while slope(high) > 0.0 and high < PRECISE:
        low, high = high, 2.0 * high
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if slope(middle) > 0.0 else (low, middle)
    return min(0.5 * (low + high), PRECISE)
