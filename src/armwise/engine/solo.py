"""A single interpreted agent that acts and learns on demand."""

import math
from types import SimpleNamespace
from typing import Any

from armwise.engine import definition, loop
from armwise.engine.binding import binder, slots_of_agent
from armwise.engine.checks import is_own
from armwise.engine.memory import interpreted_memory
from armwise.engine.ways import PLAIN, is_habitual, way_of
from armwise.model.agent import Agent
from armwise.model.draws import Stream
from armwise.model.roles import Actor
from armwise.model.ties import choice_stream


class Solo:
    """An agent with its memory. If a method of a user's component fails, the memory is restored."""

    def __init__(self, agent: Agent | Actor, arms: int) -> None:
        self.agent: Any = agent
        self.arms = arms
        way = PLAIN if isinstance(agent, Actor) else way_of(agent)
        bound = binder(slots_of_agent(agent, way))
        self._act, self._learn = bound(loop.act), bound(loop.learn)
        self.parts = interpreted_memory(agent, arms, way)
        self.state = bound(loop.view)(*self.parts)
        self._trusted = all(is_own(part) for part in agent.parts)
        if not isinstance(agent, Actor):
            self._score_all, self._pick = bound(definition.score_all), bound(definition.pick_scored)
        bound(loop.begin)(agent, self.state, arms)

    def act(self, trial: int, rng: Stream) -> int:
        """The arm to choose."""
        return self._unharmed(self._act, trial, rng)

    def act_among(self, trial: int, rng: Stream, allowed: set[int]) -> tuple[int, list[float]]:
        """The arm to choose among those allowed, and all scores; those not allowed score -inf."""
        scores, keys = [0.0] * self.arms, [0.0] * self.arms
        state = self.state._replace(score=scores, key=keys)
        self._score_all(self.agent, state, self.arms, trial, rng)
        for place in set(range(self.arms)) - allowed:
            scores[place] = -math.inf  # `pick` never chooses these
        own = choice_stream(rng)
        return self._pick(self.agent, state, self.arms, own), scores

    def habits(self) -> list[float]:
        """The habit of every arm; zeros if the choice has none."""
        return list(getattr(self.state, "habit", [0.0] * self.arms))

    def learn(self, trial: int, arm: int, outcome: int, rng: Stream) -> None:
        """Update the memory with an outcome."""
        self._unharmed(self._learn, trial, arm, outcome, rng)

    def lasting(self) -> dict[str, Any]:
        """The state that must be saved between trials; the rest follows from it."""
        if isinstance(self.agent, Actor):
            return {"memory": self.parts.memory}
        names = ["alpha", "beta"] if isinstance(self.agent, Agent) else []
        names += ["memory", *(["habit"] if is_habitual(self.agent.choice) else [])]
        return {name: getattr(self.state, name) for name in names}

    def _unharmed(self, call: Any, *given: Any) -> Any:
        if self._trusted:
            return call(self.agent, self.state, self.arms, *given)
        rows = [*self.parts.table, self.parts.memory]
        before = [row.tolist() for row in rows], vars(self.parts.kept[0]).copy()
        try:
            return call(self.agent, self.state, self.arms, *given)
        except BaseException:
            for row, values in zip(rows, before[0], strict=True):
                for place, value in enumerate(values):
                    row[place] = value
            _restore(self.parts.kept[0], before[1])
            raise


def _restore(kept: SimpleNamespace, values: dict[str, Any]) -> None:
    for name, value in values.items():
        setattr(kept, name, value)
