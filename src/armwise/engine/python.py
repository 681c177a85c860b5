"""The interpreted engine: the loop in plain Python. It is slow, and the oracle for all others."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from armwise.engine import definition, loop
from armwise.engine.binding import Slots, binder, rebind, slots_of_agent, slots_of_bandit
from armwise.engine.fingerprint import stamp
from armwise.engine.memory import interpreted_memory, views
from armwise.engine.plan import Plan
from armwise.engine.recording import slots_of_recording
from armwise.engine.source import is_own
from armwise.engine.watched import watched
from armwise.engine.ways import Way, defining_way, following_way
from armwise.model.agent import Agent
from armwise.model.draws import Stream


def interpreted(
    function: Any,
    agent: Any,
    bandit: Any = None,
    width: int = 0,
    way: Way | None = None,
    more: Slots | None = None,
) -> Any:
    """A function of the loop for the interpreter, bound to an agent and a bandit."""
    slots = slots_of_agent(agent, way or defining_way(agent)) | {loop.make_agent: _always(agent)}
    if bandit is not None:
        slots |= slots_of_bandit(bandit) | {loop.make_bandit: _always(bandit)}
    for component in agent.parts if bandit is None else (bandit, *agent.parts):
        if not is_own(component):
            slots |= watched(component, slots)
    return rebind(function, slots | slots_of_recording(width) | (more or {}))


def _always(thing: Any) -> Callable[[Any], Any]:
    def same(_: Any) -> Any:
        return thing

    return same


def prepare(plan: Plan) -> Callable[[Callable[[int], None]], tuple[np.ndarray, np.ndarray]]:
    """Return the function that plays the plan; there is nothing to compile."""
    return functools.partial(run, plan)


def run(plan: Plan, report: Callable[[int], None]) -> tuple[np.ndarray, np.ndarray]:
    """Play every agent of the plan; return regrets and records."""
    play = interpreted(loop.play, plan.agent, plan.bandit, plan.width)
    regrets, records = plan.outputs()
    checkpoints = [int(trial) for trial in plan.checkpoints]
    arms = plan.bandit.arms
    for row in range(plan.agents):
        end = play(
            None,
            None,
            plan.stretch(row, 1, 1, plan.horizon),
            checkpoints,
            [0.0] * loop.BANDIT_SIZE,
            [0.0] * arms,
            *interpreted_memory(plan.agent, arms),
            memoryview(regrets[row]),
            views(records[row]),
        )
        if end.wrong:
            raise plan.refuse(row, end)
        report(plan.horizon)
    return regrets, records


@functools.lru_cache(maxsize=64)
def _scoring(agent: Agent, stamps: tuple[str, ...]) -> tuple[Any, Any]:
    """The functions that compute an agent's shared values and its scores, bound once."""
    bound = binder(slots_of_agent(agent, defining_way(agent)))
    return bound(definition.shared_by_arms), bound(definition.score_all)


def score_beliefs(
    agent: Agent, beliefs: Sequence[tuple[float, float]], trial: int, rng: Stream
) -> tuple[Any, list[float]]:
    """The values that all arms share, and every arm's score, for given beliefs (alpha, beta)."""
    memory = [0.0] * agent.memory_size(len(beliefs))
    agent.learner.begin(memory, len(beliefs))
    alpha, beta = [a for a, _ in beliefs], [b for _, b in beliefs]
    return score_state(agent, alpha, beta, memory, trial, rng)


def score_state(
    agent: Agent,
    alpha: list[float],
    beta: list[float],
    memory: list[float],
    trial: int,
    rng: Stream,
) -> tuple[Any, list[float]]:
    """Like `score_beliefs`, for a learner with this memory."""
    arms = len(alpha)
    scores = [0.0] * arms
    state = definition.AgentState(alpha, beta, scores, [0.0] * arms, memory)
    share, score = _scoring(agent, tuple(stamp(part) for part in agent.parts))
    shared = share(agent, state, arms, trial, rng)
    score(agent, state, arms, trial, rng)
    return shared, scores


def chances_of_beliefs(
    agent: Agent, beliefs: Sequence[tuple[float, float]], trial: int, rng: Stream
) -> list[float]:
    """The choice probability of every arm for given beliefs, by the way that follows choices."""
    way, arms = following_way(agent), len(beliefs)
    bound = binder(slots_of_agent(agent, way))
    state = bound(loop.view)(*interpreted_memory(agent, arms, way))
    bound(loop.begin)(agent, state, arms)
    for arm, (a, b) in enumerate(beliefs):
        state.alpha[arm], state.beta[arm] = a, b
    bound(definition.score_all)(agent, state, arms, trial, rng)
    bound(definition.chances_of_choice)(agent, state, arms)
    return list(state.key)
