"""Explain a choice: the scores and their named terms for given beliefs."""

import math
import numbers
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from armwise.engine.python import score_beliefs
from armwise.errors import InputError, brief, listed, require, whole_number
from armwise.model.agent import Agent
from armwise.model.component import Range
from armwise.model.draws import AGENT, TRIALS_MAX, stream

if TYPE_CHECKING:
    import xarray

BELIEF = Range(1e-3, 1e8)


def explain(
    agent: Agent,
    alpha: Sequence[float],
    beta: Sequence[float],
    trial: int = 1,
    seed: int = 0,
) -> "xarray.Dataset":
    """The mean, the score and the policy's named terms of every arm, for beliefs Be(alpha, beta).

    A policy that draws its scores uses the draws of agent 0 with this `seed` in this trial.

    >>> from armwise import *
    >>> terms = explain(Agent(ExactActiveInference(lam=0.25)), alpha=[3, 1], beta=[1, 5], trial=7)
    >>> sorted(terms.data_vars)
    ['ambiguity', 'extrinsic', 'intrinsic', 'mean', 'risk', 'score']
    """
    require("xarray")
    import xarray

    if not isinstance(agent, Agent):
        raise InputError(
            f"Only an Agent(policy, learner) has scores to explain, not {brief(agent)}."
        )
    beliefs = _beliefs(alpha, beta)
    trial = whole_number("trial", trial, 1, TRIALS_MAX)
    seed = whole_number("seed", seed, 0, 1 << 64)
    rng = stream(seed, 0, AGENT, trial)
    shared, scores = score_beliefs(agent, beliefs, trial, rng)
    columns: dict[str, list[float]] = {"mean": [a / (a + b) for a, b in beliefs], "score": scores}
    for a, b in beliefs:
        for name, value in agent.policy.terms(shared, a, b).items():
            columns.setdefault(name, []).append(float(value))
    if agent.choice.probabilistic:
        columns["probability"] = probabilities(agent.choice, columns["score"])
    data: dict[str, Any] = {name: ("arm", values) for name, values in columns.items()}
    axes = {"arm": np.arange(len(beliefs)), "alpha": ("arm", [a for a, _ in beliefs])}
    axes["beta"] = ("arm", [b for _, b in beliefs])
    return xarray.Dataset(data, axes, {"agent": str(agent), "trial": trial, "seed": str(seed)})


def probabilities(choice: Any, scores: Sequence[float]) -> list[float]:
    """The choice probability of every arm."""
    logs = [choice.log_weight(score) for score in scores]
    best = max(logs)
    weights = [math.exp(value - best) for value in logs]
    total = math.fsum(weights)
    return [weight / total for weight in weights]


def _beliefs(alpha: Sequence[float], beta: Sequence[float]) -> list[tuple[float, float]]:
    alphas, betas = listed("alpha", alpha, "[1, 2]"), listed("beta", beta, "[1, 2]")
    if len(alphas) != len(betas) or len(alphas) < 2:
        raise InputError(
            f"alpha and beta must be lists of the same length, at least 2, not of "
            f"{len(alphas)} and {len(betas)}."
        )
    for name, values in (("alpha", alphas), ("beta", betas)):
        for value in values:
            if not isinstance(value, numbers.Real) or not BELIEF.admits(float(value)):
                raise InputError(f"{name} must be {BELIEF}, not {brief(value)}.")
    return [(float(a), float(b)) for a, b in zip(alphas, betas, strict=True)]
