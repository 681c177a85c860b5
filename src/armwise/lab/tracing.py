"""The answer to "trace": one agent in one bandit, trial by trial."""

import time
from typing import Any

import numpy as np

from armwise.errors import InputError
from armwise.lab.parts import Shelf, horizon_of, numbers_of
from armwise.lab.wire import packed
from armwise.model.agent import Agent
from armwise.play.trace import traced

ENGINES = {"cpu": "compiled", "python": "interpreted"}


def trace_of(shelf: Shelf, asked: dict[str, Any], device: str) -> bytes:
    """The whole answer, ready to send."""
    began = time.perf_counter()
    bandit, agent, horizon, seed, number = question(shelf, asked)
    found = traced(bandit, agent, horizon, seed, number, device).arrays
    header = {
        "id": asked.get("id"),
        "kind": "trace",
        "slot": slot_of(asked),
        "arms": bandit.arms,
        "horizon": horizon,
        "agent": str(agent),
        "bandit": str(bandit),
        "label": agent.label,
        "terms": list(agent.policy.term_names) if isinstance(agent, Agent) else [],
        "assumed": {"agent": rho_of(agent, bandit.arms), "bandit": bandit.assumed_rho()},
        "engine": ENGINES[device],
        "ms": 1e3 * (time.perf_counter() - began),
    }
    return packed(header, found)


def question(shelf: Shelf, asked: dict[str, Any]) -> tuple[Any, Any, int, int, int]:
    """The arguments of a trace, checked: bandit, agent, horizon, seed and number."""
    bandit = shelf.bandit(asked.get("bandit"))
    agent = shelf.agent(asked.get("agent"), bandit.arms)
    return bandit, agent, horizon_of(asked, bandit.arms), *numbers_of(asked)


def slot_of(asked: dict[str, Any]) -> str:
    """The line in which a question about a trace waits."""
    slot = asked.get("slot", "a")
    if not isinstance(slot, str) or len(slot) > 20:
        raise InputError("slot must be a text of at most 20 characters.")
    return slot


def rho_of(agent: Any, arms: int) -> float | None:
    """How often an agent assumes at first that the bandit changes; None if it is not said."""
    if not isinstance(agent, Agent):
        return getattr(agent, "rho", None)
    memory = np.zeros(agent.learner.memory_size(arms))
    agent.learner.begin(memory, arms)
    return float(agent.learner.assume(memory).rho)
