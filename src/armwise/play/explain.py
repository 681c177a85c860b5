"""Explain a choice: the scores and their named terms for given beliefs."""

import math
import numbers
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from armwise.engine.python import chances_of_beliefs, score_beliefs
from armwise.engine.ways import is_integrated, lapses
from armwise.errors import InputError, brief, listed, real_number, require, whole_number
from armwise.model.agent import Agent
from armwise.model.component import Range
from armwise.model.draws import AGENT, TRIALS_MAX, stream
from armwise.model.forms import BETA, NAMES, NORMAL, mean_of

if TYPE_CHECKING:
    import xarray

BELIEF = Range(1e-3, 1e8)
# Of the two numbers of a belief, by its form.
BELIEFS = {BETA: (BELIEF, BELIEF), NORMAL: (Range(-1e12, 1e12), Range(0.0, 1e12))}


def explain(
    agent: Agent,
    alpha: Sequence[float],
    beta: Sequence[float],
    trial: int = 1,
    seed: int = 0,
    habit: Sequence[float] | None = None,
) -> "xarray.Dataset":
    """The mean, the score and the policy's named terms of every arm, for beliefs Be(alpha, beta).

    For a policy that reads normal beliefs, `alpha` are their means and `beta` their variances.
    `habit` has a number from 0 to 1 per arm, for a choice that leans on earlier choices: 1 for an
    arm that was always chosen; by default 0 for all. A policy that draws its scores uses the draws
    of agent 0 with this `seed` in this trial; the probabilities of Thompson sampling are those of
    all draws.

    >>> from armwise import *
    >>> terms = explain(Agent(ExactActiveInference(lam=0.25)), alpha=[3, 1], beta=[1, 5], trial=7)
    >>> sorted(terms.data_vars)
    ['ambiguity', 'extrinsic', 'intrinsic', 'mean', 'risk', 'score']
    """
    require("xarray")
    import xarray

    if not isinstance(agent, Agent):
        raise InputError(
            f"Only an Agent(policy, learner) has scores to explain, not {brief(agent)}; `retrace` "
            "shows the scores of an actor with a choice."
        )
    beliefs = _beliefs(alpha, beta, agent.learner.beliefs)
    trial = whole_number("trial", trial, 1, TRIALS_MAX)
    seed = whole_number("seed", seed, 0, 1 << 64)
    habits = _habits(habit, len(beliefs))
    rng = stream(seed, 0, AGENT, trial)
    shared, scores = score_beliefs(agent, beliefs, trial, rng)
    form = agent.learner.beliefs
    columns: dict[str, list[float]] = {"mean": [mean_of(form, *each) for each in beliefs]}
    columns["score"] = scores
    for a, b in beliefs:
        for name, value in agent.policy.named_terms(shared, a, b).items():
            columns.setdefault(name, []).append(value)
    if agent.choice.probabilistic:
        added = leans(agent.choice, range(len(beliefs)), habits)
        columns["probability"] = probabilities(agent.choice, columns["score"], added)
    elif is_integrated(agent) or (lapses(agent.choice) and not agent.policy.stochastic):
        columns["probability"] = chances_of_beliefs(agent, beliefs, trial, rng)
    data: dict[str, Any] = {name: ("arm", values) for name, values in columns.items()}
    axes: dict[str, Any] = {"arm": np.arange(len(beliefs))}
    for name, values in zip(NAMES[form], zip(*beliefs, strict=True), strict=True):
        if name not in columns:
            axes[name] = ("arm", list(values))
    return xarray.Dataset(data, axes, {"agent": str(agent), "trial": trial, "seed": str(seed)})


def leans(choice: Any, arms: Iterable[int], habits: Sequence[float]) -> list[float]:
    """What the choice adds to the log-weights of some arms."""
    return [choice.lean(arm, habits[arm]) for arm in arms]


def probabilities(
    choice: Any, scores: Sequence[float], added: Sequence[float] | None = None
) -> list[float]:
    """The choice probability of every arm; `added` are its `leans`, by default none."""
    logs = [choice.log_weight(score) for score in scores]
    if added is not None:
        logs = [value + lean for value, lean in zip(logs, added, strict=True)]
    best = max(logs)
    weights = [math.exp(value - best) for value in logs]
    total = math.fsum(weights)
    lapse = choice.lapse_rate()
    if lapse == 0.0:
        return [weight / total for weight in weights]
    return [(1.0 - lapse) * weight / total + lapse / len(logs) for weight in weights]


def _habits(habit: Sequence[float] | None, arms: int) -> list[float]:
    habits = [0.0] * arms if habit is None else listed("habit", habit, "[1, 0]")
    if len(habits) != arms:
        raise InputError(f"habit must have a number per arm, {arms}, not {len(habits)}.")
    return [real_number("habit", value, 0.0, 1.0, "[]") for value in habits]


def _beliefs(alpha: Sequence[float], beta: Sequence[float], form: str) -> list[tuple[float, float]]:
    alphas, betas = listed("alpha", alpha, "[1, 2]"), listed("beta", beta, "[1, 2]")
    if len(alphas) != len(betas) or len(alphas) < 2:
        raise InputError(
            f"alpha and beta must be lists of the same length, at least 2, not of "
            f"{len(alphas)} and {len(betas)}."
        )
    given = (alphas, betas)
    for name, values, range_ in zip(NAMES[form], given, BELIEFS[form], strict=True):
        for value in values:
            if not isinstance(value, numbers.Real) or not range_.admits(float(value)):
                raise InputError(f"{name} must be {range_}, not {brief(value)}.")
    return [(float(a), float(b)) for a, b in zip(alphas, betas, strict=True)]
