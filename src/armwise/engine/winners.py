"""The probability that an arm is chosen, where an agent draws or breaks ties.

Draws from Beta beliefs are integrated by `numerics.best_arm`, compiled once there is machine code;
those of other policies that say how they draw, by `engine.drawn`. An actor may state it itself.
For any other actor the choice is made again, interpreted: what it draws and what it breaks ties
among can then be watched.
"""

import contextlib
import importlib.util
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from armwise.engine import background, loop
from armwise.engine.binding import binder, slots_of_agent
from armwise.engine.drawn import of_lines
from armwise.engine.memory import views
from armwise.engine.python import score_state
from armwise.engine.source import is_own
from armwise.engine.ways import PLAIN
from armwise.errors import InputError, brief, real_number
from armwise.model.agent import Agent
from armwise.model.component import Component
from armwise.model.draws import AGENT, philox, stream
from armwise.model.quantile_policy import QuantilePolicy
from armwise.model.roles import Actor, Drawn, Policy
from armwise.model.ties import first_strange, largest, maximum, tie_below
from armwise.numerics.best_arm import ROWS, best_arm
from armwise.numerics.best_normal import best_normal_probabilities

_KIND = "best_arm"


def best_of(alpha: Sequence[float], beta: Sequence[float], level: float = 0.0) -> list[float]:
    """The probability that each draw is the largest and above a level; last, that none is above.

    >>> [round(each, 6) for each in best_of([1, 2], [1, 1])]
    [0.333333, 0.666667, 0.0]
    """
    arms = len(alpha)
    entry = background.ready(_KIND)
    if entry is None:
        background.request(_KIND, _compile)
        best, work = [0.0] * arms, [[0.0] * arms for _ in range(ROWS)]
        nobody = best_arm(alpha, beta, arms, level, work, best)
        return [*best, nobody]
    rows = np.empty((ROWS + 3, arms))
    rows[0], rows[1] = alpha, beta
    nobody = entry(rows[0], rows[1], arms, float(level), rows[3:], rows[2])
    return [*rows[2].tolist(), nobody]


def _compile() -> background.Entry:
    row = np.zeros(1)
    return background.entry_of(best_arm, {}, (row, row, 0, 0.0, np.zeros((1, 1)), row))


def of_drawn(
    agent: Agent, places: Sequence[int], alpha: Any, beta: Any, memory: Any, trial: int
) -> list[float] | None:
    """The probability of every arm at these places to have the largest draw; None if unknown.

    Known for scores that are quantiles of beliefs, where no other draws are read, and for policies
    that say how they draw.
    """
    policy, rng = agent.policy, stream(0, 0, AGENT, trial)
    if not agent.choice.greedy:
        return None
    if _describes(policy, "normal_draw", "score", "prepare", "gather", "conclude"):
        shared, _ = score_state(agent, alpha, beta, memory, trial, rng)
        draws = [policy.normal_draw(shared, alpha[place], beta[place]) for place in places]
        return best_normal_probabilities([m for m, _ in draws], [sd for _, sd in draws])
    if not (isinstance(policy, QuantilePolicy) and is_own(policy)):
        return _of_lines(agent, places, alpha, beta, memory, trial)
    assumed, arms = agent.learner.assume(memory), len(alpha)
    shared = policy.prepare(trial, arms, assumed, rng)
    floors = [policy.floor(shared, alpha[place], beta[place]) for place in places]
    level = max(floors)
    leaders = [0.0 if floor < tie_below(level) else 1.0 for floor in floors]
    found = [0.0] * len(places)
    # One draw for all arms decides whether beliefs are replaced by the prior.
    for changed, weight in ((0.0, 1.0 - assumed.rho), (1.0, assumed.rho)):
        if weight == 0.0:
            continue
        shared = policy.prepare(trial, arms, assumed._replace(rho=changed), rng)
        beliefs = [policy.belief(shared, alpha[place], beta[place]) for place in places]
        a, b = [each[0] for each in beliefs], [each[1] for each in beliefs]
        *best, nobody = best_of(a, b, max(level, 0.0))
        share = nobody / sum(leaders)
        for place, each in enumerate(best):
            found[place] += weight * (each + leaders[place] * share)
    return found


def _of_lines(
    agent: Agent, places: Sequence[int], alpha: Any, beta: Any, memory: Any, trial: int
) -> list[float] | None:
    """The same for a policy that says how it draws; it takes SciPy."""
    if not _describes(agent.policy, "drawn", "score", "prepare", "gather", "conclude"):
        return None
    rng = stream(0, 0, AGENT, trial)
    shared, _ = score_state(agent, alpha, beta, memory, trial, rng)
    drawn = []
    for place in places:
        line = agent.policy.drawn(shared, alpha[place], beta[place])
        if line is None or importlib.util.find_spec("scipy") is None:
            return None
        drawn.append(_checked(agent.policy, line))
    return of_lines([alpha[each] for each in places], [beta[each] for each in places], drawn)


def _describes(component: Component, method: str, *others: str) -> bool:
    """Whether a method is about these others: a subclass may have replaced them, and not it."""

    def depth(name: str) -> int:
        homes = (place for place, kind in enumerate(type(component).__mro__) if name in vars(kind))
        return next(homes, 0)

    return all(depth(method) <= depth(other) for other in others)


def _checked(policy: Policy, line: Drawn) -> Drawn:
    """What a policy says of a score, once it is known to make sense."""
    with contextlib.suppress(TypeError):
        weight, start, slope, _ = line
        if 0.0 <= weight <= 1.0 and math.isfinite(start) and (0.0 < slope < math.inf or not weight):
            return line
    raise InputError(
        f"{policy.label}.drawn must return a Drawn with a weight from 0 to 1, a finite start and a "
        f"positive slope, not {brief(line)}."
    )


class _DrawnError(Exception):
    """An actor draws for more than to break ties."""


def of_actor(actor: Actor, memory: np.ndarray, arms: int, trial: int) -> list[float] | None:
    """The probability of every arm under an actor: as it states it, 1, or 1 / ties; None: unknown.

    >>> from armwise import EXP3S
    >>> of_actor(EXP3S(), np.array([0.5, 0.5]), 2, 1)
    [0.5, 0.5]
    """
    known = _describes(actor, "chance_of", "act")
    stated = (
        [actor.chance_of(memory.tolist(), arms, trial, k) for k in range(arms)] if known else []
    )
    if stated and None not in stated:
        return [real_number(f"{actor.label}.chance_of", each, 0.0, 1.0) for each in stated]
    tied: list[list[int]] = []

    def watch(keys: Any, count: int, rng: Any) -> int:
        threshold = tie_below(maximum(keys, count))
        tied.append([place for place in range(count) if keys[place] >= threshold])
        return tied[-1][0] if first_strange(keys, count) < 0 else -1

    def refuse(*_: Any) -> Any:
        raise _DrawnError

    act = binder(slots_of_agent(actor, PLAIN) | {largest: watch, philox: refuse})(loop.act)
    try:
        again = act(actor, views(memory[None].copy())[0], arms, trial, stream(0, 0, AGENT, trial))
    except _DrawnError:
        return None
    winners = tied[0] if tied else [again]
    if len(tied) > 1 or again not in winners:
        return None
    return [1.0 / len(winners) if arm in winners else 0.0 for arm in range(arms)]
