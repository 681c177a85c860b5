"""What choices can say about parameters: what cannot matter, what trades off, what to read."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from armwise.choices.habitual_softmax import HabitualSoftmax
from armwise.choices.softmax import Softmax
from armwise.engine.free import parameter_named
from armwise.errors import InputError
from armwise.fitting.parameters import NINE_IN_TEN, shown
from armwise.fitting.problem import Problem, spread_points
from armwise.model.agent import Agent, Chooser
from armwise.model.component import written
from armwise.policies.approximate_active_inference import ApproximateActiveInference

SAME = 1e-11  # relative difference of log-likelihoods that is rounding
ALONG, AROUND = 5, 3  # points on the scale of a parameter, at so many values of the others
STRONG = 0.8  # correlation from which two parameters are said to trade off


class Combination(NamedTuple):
    """A product of parameters that choices determine better than its factors."""

    name: str
    words: str
    weights: np.ndarray  # of the parameters' logarithms, in the order of the free parameters
    offset: float


def combinations(agent: Agent | Chooser, names: Sequence[str]) -> list[Combination]:
    """The combinations that are known for this agent.

    A-AI with a softmax chooses by precision (2 lam mu + 1 / (2 nu)): `value` is what a mean counts.

    >>> from armwise import *
    >>> agent = Agent(ApproximateActiveInference(), Smile(), Softmax())
    >>> combinations(agent, ["lam", "precision"])[0].words
    'value = 2 lam precision'
    """
    places = [parameter_named(agent, name).full for name in names]
    softmax = isinstance(agent.choice, (Softmax, HabitualSoftmax))
    wanted = ("policy.lam", "choice.precision")
    if not isinstance(agent, Agent) or not softmax:
        return []
    if not isinstance(agent.policy, ApproximateActiveInference):
        return []
    if not all(name in places for name in wanted):
        return []
    weights = np.array([float(place in wanted) for place in places])
    return [Combination("value", "value = 2 lam precision", weights, math.log(2.0))]


def refuse_what_cannot_matter(problem: Problem) -> None:
    """Raise InputError for a parameter over whose typical range no likelihood changes at all."""
    free = problem.free
    d = len(free)
    away = NINE_IN_TEN * np.linspace(-1.0, 1.0, ALONG)
    bases = free.center + free.width * (2.0 * spread_points(AROUND, d) - 1.0)
    points = np.tile(bases, (d, ALONG, 1, 1))  # [parameter, along, around, value]
    for k in range(d):
        points[k, :, :, k] = (free.center[k] + free.width[k] * away)[:, None]
    found = problem(points.reshape(1, -1, d).repeat(problem.people, axis=0))
    found = found.reshape(problem.people, d, ALONG, AROUND)
    found = np.where(np.isfinite(found), found, -1e9)
    range_ = found.max(axis=2) - found.min(axis=2)
    same = (range_ <= SAME * (1.0 + np.abs(found).max(axis=2))).all(axis=(0, 2))
    for each, cannot in zip(free, same, strict=True):
        if cannot:
            low, high = np.sort(each.transform.natural(each.center + each.width * away[[0, -1]]))
            raise InputError(
                f"{each.name} cannot be free: from {shown(low)} to {shown(high)}, the likelihood "
                f"of everybody's choices is exactly the same.{_switched_off(problem)}"
            )


def _switched_off(problem: Problem) -> str:
    """The fixed parameters that are 0, because one of them may switch another off."""
    free = {parameter_named(problem.agent, name).full for name in problem.free.names}
    zero = [
        f"{name}={written(value)}"
        for part in problem.agent.parts
        for name, value in part.parameters().items()
        if value == 0 and not isinstance(value, (bool, tuple)) and f"{part.role}.{name}" not in free
    ]
    return f" It may be switched off by {' or '.join(zero)}." if zero else ""


def trade_offs(agent: Agent | Chooser, names: Sequence[str], correlation: np.ndarray) -> list[str]:
    """A sentence for every pair of parameters that trade off within people."""
    found = []
    known = combinations(agent, names)
    for a in range(len(names)):
        for b in range(a):
            r = correlation[a, b]
            if not abs(r) > STRONG:
                continue
            both = next((c for c in known if c.weights[a] and c.weights[b]), None)
            hint = f"; their choices determine {both.words} much better" if both else ""
            found.append(
                f"{names[b]} and {names[a]} trade off within people (r = {r:.2f}), so neither can "
                f"be read alone{hint}."
            )
    return found


def mean_correlation(covariances: np.ndarray) -> np.ndarray:
    """The typical correlation of parameters within people: averaged on Fisher's scale.

    >>> mean_correlation(np.array([[[1.0, 0.5], [0.5, 1.0]]])).round(6).tolist()
    [[1.0, 0.5], [0.5, 1.0]]
    """
    sd = np.sqrt(np.einsum("pdd->pd", covariances))
    with np.errstate(invalid="ignore", divide="ignore"):
        r = covariances / (sd[:, :, None] * sd[:, None, :])
    r = np.clip(r[np.isfinite(r).all(axis=(1, 2))], -0.999999, 0.999999)
    if not len(r):
        return np.eye(covariances.shape[1])
    found = np.tanh(np.arctanh(r).mean(axis=0))
    np.fill_diagonal(found, 1.0)
    return found
