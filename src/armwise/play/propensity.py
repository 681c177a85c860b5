"""How probable a choice was, given what the agent believed then: its propensity.

Under a softmax it has a closed form. Without draws it is 1, or 1 / ties where scores tie. Where a
policy draws its scores, it is the probability that the arm has the largest.
"""

from collections.abc import Sequence, Set
from typing import Any, NamedTuple

import numpy as np

from armwise.engine.python import score_state
from armwise.engine.ways import is_habitual
from armwise.engine.winners import of_actor, of_drawn
from armwise.errors import InputError
from armwise.model.agent import Agent, Chooser
from armwise.model.draws import AGENT, stream
from armwise.model.roles import Choice
from armwise.model.ties import maximum, tie_below
from armwise.play.explain import leans, probabilities


class Believed(NamedTuple):
    """What an agent believed, and what it could choose from: places of arms, or None for all."""

    agent: Agent
    arms: int
    allowed: Set[int] | None
    numbers: bytes  # that last: the learner's memory, alpha, beta, and perhaps the habit

    def unpacked(self) -> tuple[list[float], list[list[float]]]:
        """The learner's memory, and rows with a number per arm."""
        size, whole = self.agent.memory_size(self.arms), np.frombuffer(self.numbers)
        return whole[:size].tolist(), whole[size:].reshape(-1, self.arms).tolist()


def propensities(believed: Believed, trial: int) -> tuple[Sequence[int], list[float] | None]:
    """The places that could be chosen, and the probability of each; None if it is unknown."""
    agent, arms, allowed, _ = believed
    memory, rows = believed.unpacked()
    places = range(arms) if allowed is None else sorted(allowed)
    if agent.policy.stochastic:
        drawn = of_drawn(agent, places, rows[0], rows[1], memory, trial)
        return places, None if drawn is None else lapsing(agent.choice, drawn)
    rng = stream(0, 0, AGENT, trial)
    scores = score_state(agent, rows[0], rows[1], memory, trial, rng)[1]
    found = [scores[place] for place in places]
    if agent.choice.probabilistic:
        habits = rows[4] if is_habitual(agent.choice) else [0.0] * arms
        return places, probabilities(agent.choice, found, leans(agent.choice, places, habits))
    if not agent.choice.greedy:
        return places, None
    least = tie_below(maximum(found, len(found)))
    tied = [score >= least for score in found]
    return places, lapsing(agent.choice, [each / sum(tied) for each in tied])


def lapsing(choice: Choice, chances: list[float]) -> list[float]:
    """The probabilities of a choice by the largest score that lapses now and then."""
    lapse = choice.lapse_rate()
    return [(1.0 - lapse) * each + lapse / len(chances) for each in chances] if lapse else chances


def propensity(number: int, about: Any) -> float | None:
    """The probability of the choice of a ticket, from what its player left in it."""
    if about is None or isinstance(about, float):
        return about
    if isinstance(about[0], Agent):
        agent, arms, allowed, numbers, chosen = about
        places, found = propensities(Believed(agent, arms, allowed, numbers), number)
        return None if found is None else found[places.index(chosen)]
    player, version, allowed, chosen = about
    with player._lock:
        if player._version != version:
            raise InputError(
                f"The probability of ticket {number} is no longer known: ask an actor's ticket "
                "before the next outcome is learned."
            )
        if isinstance(player.agent, Chooser):
            places = sorted(range(len(player.arms)) if allowed is None else allowed)
            return player._solo.chances(number, places)[places.index(chosen)]
        found = of_actor(player.agent, player._solo.memory, len(player.arms), number)
        return None if found is None else found[chosen] or None
