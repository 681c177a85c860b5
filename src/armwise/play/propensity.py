"""How probable a choice was, given what the agent believed then: its propensity.

Under a softmax it has a closed form. Without draws it is 1, or 1 / ties where scores tie. Where a
policy draws its scores, it is the probability that the arm has the largest.
"""

from collections.abc import Set
from typing import Any

import numpy as np

from armwise.engine.python import score_state
from armwise.engine.ways import is_habitual
from armwise.model.agent import Agent
from armwise.model.draws import AGENT, stream
from armwise.model.ties import maximum, tie_below
from armwise.play.explain import leans, probabilities


def propensity(
    trial: int, agent: Any, arms: int, chosen: int, allowed: Set[int] | None, numbers: bytes
) -> float | None:
    """The probability of the arm at a place, of all arms or of those allowed; None if unknown.

    `numbers` are the lasting numbers of the agent before the choice.
    """
    if not isinstance(agent, Agent) or agent.policy.stochastic:
        return None
    size, whole = agent.memory_size(arms), np.frombuffer(numbers)
    rows = whole[size:].reshape(-1, arms).tolist()
    memory = whole[:size].tolist()
    scores = score_state(agent, rows[0], rows[1], memory, trial, stream(0, 0, AGENT, trial))[1]
    places = list(range(arms)) if allowed is None else sorted(allowed)
    found = [scores[place] for place in places]
    at = places.index(chosen)
    if agent.choice.probabilistic:
        habits = rows[4] if is_habitual(agent.choice) else [0.0] * arms
        return probabilities(agent.choice, found, leans(agent.choice, places, habits))[at]
    if agent.choice.greedy:
        least = tie_below(maximum(found, len(found)))
        return 1.0 / sum(score >= least for score in found) if found[at] >= least else 0.0
    return None
