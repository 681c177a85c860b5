"""A rehearsal: the first use of a component that does not come with armwise, interpreted.

Before anything is compiled, a few agents play a few trials, and the result of every method is
checked. A mistake then gives a message that names the method, not a compiler error. The choices of
the way that the engine will take are compared with those of the plain definition, which finds wrong
hints.
"""

import time
from typing import Any

import numpy as np

from armwise.engine import loop
from armwise.engine.binding import binder, slots_of_agent, slots_of_bandit
from armwise.engine.fingerprint import stamp
from armwise.engine.memory import interpreted_memory
from armwise.engine.plan import Plan
from armwise.engine.recording import ARM, slots_of_recording, width_of
from armwise.engine.source import is_own
from armwise.engine.stretch import End
from armwise.engine.watched import watched
from armwise.engine.ways import Way, defining_way, way_of
from armwise.errors import InputError
from armwise.model.component import Component
from armwise.model.draws import for_arm
from armwise.model.roles import Actor

TRIALS, AGENTS = 30, 2
REPEATS = 8  # a few trials of a component that draws elsewhere may be equal by chance
LOOKED_AT = 200  # trials after which arms that never differed are taken to be equal
LONG = 0.5  # seconds after which the rehearsal ends

_rehearsed: set[Any] = set()


def rehearse(plan: Plan) -> None:
    """Raise InputError if a user's component breaks the rules of its role."""
    own = [part for part in plan.parts if not is_own(part)]
    key = (plan.bandit, plan.agent, *((type(part), stamp(part)) for part in own))
    if not own or key in _rehearsed:
        return
    started = time.perf_counter()
    for row in range(min(AGENTS, plan.agents)):
        for trials in (1, 5, TRIALS):
            if trials <= plan.horizon and time.perf_counter() - started < LONG:
                _compare_ways(plan._replace(horizon=trials), row, own)
    _rehearsed.add(key)


def never_differ(plan: Plan) -> bool:
    """Whether all arms of a user's bandit are equally good in all trials that are looked at."""
    bandit, arms = plan.bandit, plan.bandit.arms
    if is_own(bandit):
        return False
    stretch = plan.stretch(0, 1, 1, plan.horizon)
    rng = loop.bandit_stream(stretch, 0, 0)
    state, thetas = bandit.start(rng), [0.0] * arms
    for trial in range(min(plan.horizon, LOOKED_AT) + 1):
        if trial > 0:
            rng = loop.bandit_stream(stretch, 0, trial)
            state = bandit.move(state, trial, rng)
        thetas = [bandit.theta(state, k, thetas[k], for_arm(rng, k)) for k in range(arms)]
        if min(thetas) != max(thetas):
            return False
    return True


def _compare_ways(plan: Plan, row: int, own: list[Component]) -> None:
    defining = defining_way(plan.agent)
    plain = _played(plan, row, defining, own)
    if isinstance(plan.agent, Actor) or way_of(plan.agent) == defining:
        return
    short = _played(plan, row, way_of(plan.agent), own)
    for trial, (expected, found) in enumerate(zip(plain, short, strict=True), start=1):
        if expected != found:
            if any(_played(plan, row, defining, own) != plain for _ in range(REPEATS)):
                raise InputError(
                    f"{plan.agent.label} does not repeat itself: the results of a method may "
                    "depend only on its arguments, and draws must come from `rng`."
                )
            raise InputError(
                f"{plan.agent.label}: a hint is wrong. Arm {expected} has the best score in trial "
                f"{trial} of agent {plan.first + row}, and arm {found} was chosen by the bounds."
            )


def _played(plan: Plan, row: int, way: Way, own: list[Component]) -> list[int]:
    """The arms that an agent chooses when interpreted."""
    slots = slots_of_bandit(plan.bandit) | slots_of_agent(plan.agent, way)
    for component in own:
        slots |= watched(component, slots)
    slots |= {loop.make_bandit: lambda _: plan.bandit, loop.make_agent: lambda _: plan.agent}
    width, arms = width_of(["arm"], plan.bandit.arms), plan.bandit.arms
    play = binder(slots | slots_of_recording(width))(loop.play)
    records = [[0.0] * width for _ in range(plan.horizon)]
    end: End = play(
        None,
        None,
        plan._replace(checkpoints=np.arange(1, plan.horizon + 1)).stretch(row, 1, 1, plan.horizon),
        list(range(1, plan.horizon + 1)),
        [0.0] * loop.BANDIT_SIZE,
        [0.0] * arms,
        *interpreted_memory(plan.agent, arms, way),
        [0.0] * plan.horizon,
        records,
    )
    if end.wrong:
        raise plan.refuse(row, end)
    return [int(line[ARM]) for line in records]
