"""Trace one agent trial by trial: what it believed before each choice, and why it chose."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from armwise.engine import engine_named
from armwise.engine.plan import Plan
from armwise.engine.python import score_beliefs
from armwise.engine.reasons import rows_of, way_to_trace, width_of_trace
from armwise.engine.recording import THETAS, place_of
from armwise.engine.rehearsal import rehearse
from armwise.errors import require, unknown, whole_number
from armwise.model.agent import Agent
from armwise.model.draws import AGENT, AGENTS_MAX, stream
from armwise.model.forms import BINARY
from armwise.model.roles import Actor, Bandit
from armwise.play.accessor import register
from armwise.play.checkpoints import every
from armwise.play.simulate import plan_of, refuse_if_too_large

if TYPE_CHECKING:
    import xarray

TRACING = ("cpu", "python")  # devices


class Traced(NamedTuple):
    """The trials of one agent: arrays by name, [trial] or [trial, arm]."""

    plan: Plan
    arrays: dict[str, np.ndarray]


def trace(
    bandit: Bandit,
    agent: Agent | Actor,
    horizon: int = 500,
    seed: int = 0,
    number: int = 0,
    *,
    device: str = "cpu",
) -> "xarray.Dataset":
    """Follow one agent of a simulation trial by trial: beliefs, scores, terms, choices, outcomes.

    `number` says which agent of `simulate` with this `seed`. Theta, beliefs (alpha, beta), scores,
    the policy's named terms and the probability of every arm, if the choice has any, are those
    before the choice; gamma is the change probability after the outcome; regret is cumulative. An
    actor has no beliefs about single arms, and no scores. Normal beliefs are called mean and
    variance, and gamma is their Kalman gain.

    >>> from armwise import *
    >>> agent = Agent(ApproximateActiveInference(lam=0.5), Smile(rho=0.01))
    >>> found = trace(SwitchingBandit(arms=3), agent, horizon=50, seed=1, device="python")
    >>> dict(found.sizes), sorted(found.data_vars)[:5]
    ({'trial': 50, 'arm': 3}, ['alpha', 'beta', 'chosen', 'extrinsic', 'gamma'])
    >>> float(abs(found.score - found.extrinsic - found.intrinsic).max()) < 1e-12
    True
    """
    require("xarray")
    import xarray

    register()
    plan, arrays = traced(bandit, agent, horizon, seed, number, device)
    data: dict[str, Any] = {
        name: (("trial", "arm")[: values.ndim], values) for name, values in arrays.items()
    }
    axes = {"trial": np.arange(1, plan.horizon + 1), "arm": np.arange(bandit.arms)}
    about = {"bandit": str(bandit), "agent": str(agent), "seed": str(plan.seed), "number": number}
    return xarray.Dataset(data, axes, about)


def traced(
    bandit: Bandit, agent: Agent | Actor, horizon: int, seed: int, number: int, device: str
) -> Traced:
    """The arrays of `trace`, which checks its arguments here."""
    first = whole_number("number", number, 0, AGENTS_MAX)
    if not isinstance(device, str) or device not in TRACING:
        raise unknown("device to trace an agent", device, TRACING)
    agents = range(first, first + 1)
    plan = plan_of(bandit, agent, horizon, agents, seed, every(1), threads=1)
    plan = plan._replace(width=width_of_trace(agent, bandit.arms))
    refuse_if_too_large(1, plan.horizon, plan.width)
    rehearse(plan._replace(width=0))
    if isinstance(agent, Agent):
        _refuse_wrong_terms(agent, bandit.arms)
    regrets, records = engine_named(device).run_in(plan, way_to_trace(agent))
    return Traced(plan, _arrays(plan, regrets[0], records[0]))


def _refuse_wrong_terms(agent: Agent, arms: int) -> None:
    """Raise InputError unless the policy gives a number for every name of a term."""
    rows_of(agent)
    prior = 1.0, 1.0
    shared, _ = score_beliefs(agent, [prior] * arms, 1, stream(0, 0, AGENT, 1))
    agent.policy.named_terms(shared, *prior)


def _arrays(plan: Plan, regret: np.ndarray, lines: np.ndarray) -> dict[str, np.ndarray]:
    arms = plan.bandit.arms
    names = ("arm", "outcome", "gamma", "theta")
    chosen, outcome, gamma, theta = (lines[:, place_of(name, arms)] for name in names)
    arrays = {"chosen": chosen.astype(np.int64), "outcome": outcome}
    if plan.bandit.outcomes == BINARY:
        arrays["outcome"] = outcome.astype(np.int64)
    arrays |= {"gamma": gamma, "regret": regret, "theta": theta}
    if isinstance(plan.agent, Agent):
        for name, row in rows_of(plan.agent).items():
            first = THETAS + (1 + row) * arms
            arrays[name] = lines[:, first : first + arms]
    return arrays
