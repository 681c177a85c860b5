"""A single agent that acts and learns on demand: interpreted at first, then by machine code.

Both read and write the same arrays. Decisions are worth compiling only where there are many, so the
machine code is asked for after some turns; where it was made before, it is used at once.
"""

import contextlib
import copy
import functools
import math
from collections.abc import Callable, Iterator, Set
from types import SimpleNamespace
from typing import Any

import numpy as np

from armwise.engine import background, definition, habits, loop
from armwise.engine.announce import compiling, described
from armwise.engine.binding import binder, slots_of_agent
from armwise.engine.follow import hide, slots_of_data
from armwise.engine.memory import Memory, kept_of, memory_size_of, record_type, rows_of, views
from armwise.engine.records import packed
from armwise.engine.source import is_own
from armwise.engine.turn import NO_ARM
from armwise.engine.ways import PLAIN, defining_way, following_way, is_habitual, way_of
from armwise.model.agent import Agent
from armwise.model.component import Component
from armwise.model.draws import AGENT, stream
from armwise.model.roles import AbstractAgent, Actor
from armwise.model.ties import choice_stream

_BETA = 1  # the row of the table with the failures
PATIENCE = 100  # interpreted turns before an agent is worth compiling

Turn = Callable[[int, int, float], int]


class Solo:
    """An agent with its memory; `turn(trial, arm, outcome)` chooses (arm -1) or learns an outcome.

    A turn that fails changes nothing.
    """

    turn: Turn

    def __init__(self, agent: AbstractAgent, arms: int, seed: int, patience: float) -> None:
        self.agent: Any = agent
        self.arms, self.seed = arms, seed
        self.patience = patience  # turns until it is compiled, math.inf for never
        self.way = PLAIN if isinstance(agent, Actor) else way_of(agent)
        size, rows = memory_size_of(agent, arms), rows_of(agent, self.way)
        # The memory is followed by alpha and beta, so that one slice has all that must last.
        self.whole = np.zeros(size + rows * arms)
        self.memory, self.table = self.whole[:size], self.whole[size:].reshape(rows, arms)
        self.kept = np.zeros(1, record_type(agent, self.way))
        defining = defining_way(agent)
        self._nothing, self._rows = np.zeros(1, record_type(agent, defining)), defining.rows
        self._among: background.Entry | None = None
        self.trusted = all(is_own(part) for part in agent.parts)
        self.snapshot = self.whole[: _lasting(agent, size, arms)].tobytes
        self._interpret()
        self._kind: Any = None
        if self.trusted and patience < math.inf:  # what a user's code is may take long to find out
            self._adopt(background.ready(self.kind))

    @property
    def compiled(self) -> bool:
        """Whether turns run as machine code."""
        return self._namespace is None

    @property
    def kind(self) -> Any:
        """What its machine code depends on."""
        if self._kind is None:
            self._kind = background.kind_of_kernel(self.agent, self.way)
        return self._kind

    def compile(self) -> None:
        """Compile the agent, or load what was compiled before, and wait for it."""
        if not self.compiled:
            with compiling(f"{described(self.agent)} to act"):
                self._adopt(background.make(self.kind, self._compile))

    def act_among(
        self, trial: int, allowed: Set[int] | None, failures: list[float] | None = None
    ) -> int:
        """The arm to choose among those allowed, with more failures of every arm than learned."""
        entry = self._among_entry() if self.compiled else None
        if entry is not None:
            table, mask = self.table[: self._rows].copy(), np.ones(self.arms)
            if allowed is not None:
                mask[:] = 0.0
                mask[list(allowed)] = 1.0
            if failures is not None:
                table[_BETA] += failures
            return entry(table, self.memory, self._nothing, mask, trial)
        rng, scores = stream(self.seed, 0, AGENT, trial), [0.0] * self.arms
        state = self.state._replace(score=scores, key=[0.0] * self.arms)
        if failures is not None:
            beta = [b + more for b, more in zip(state.beta, failures, strict=True)]
            state = state._replace(beta=beta)
        self._score_all(self.agent, state, self.arms, trial, rng)
        for place in set(range(self.arms)) - allowed if allowed is not None else ():
            scores[place] = -math.inf  # `pick` never chooses these
        return self._pick(self.agent, state, self.arms, choice_stream(rng))

    def snapshot_with(self, failures: list[float] | None) -> bytes:
        """The numbers that last, with more failures of every arm than learned."""
        if failures is None:
            return self.snapshot()
        found = np.frombuffer(self.snapshot()).copy()
        found[len(self.memory) + _BETA * self.arms :][: self.arms] += failures
        return found.tobytes()

    def chances(self, trial: int, places: list[int]) -> list[float]:
        """The probability of choosing each of these arms, for an agent whose choices have one."""
        way = following_way(self.agent)
        bound = binder(slots_of_agent(self.agent, way) | slots_of_data(way, True, False))
        state = self.state._replace(score=[0.0] * self.arms, key=[0.0] * self.arms)
        rng = stream(self.seed, 0, AGENT, trial)
        bound(definition.score_all)(self.agent, state, self.arms, trial, rng)
        bound(hide)(state, self.arms, [place in places for place in range(self.arms)])
        bound(definition.chances_of_choice)(self.agent, state, self.arms)
        return [state.key[place] for place in places]

    def _among_entry(self) -> background.Entry | None:
        """Machine code that chooses as plainly defined, from a table that it may write to."""
        if self._among is None:
            kind = ("among", *self.kind[1:])
            found = background.ready(kind)
            if found is None:
                background.request(kind, functools.partial(background.among_of, self.agent))
                return None
            numbers, seed = _numbers(*self.agent.parts), (self.seed & 0xFFFFFFFF, self.seed >> 32)

            def among(table: Any, memory: Any, kept: Any, mask: Any, trial: int) -> int:
                return found(numbers, table, memory, kept, mask, self.arms, *seed, trial)

            self._among = among
        return self._among

    def habits(self) -> list[float]:
        """The habit of every arm; zeros if the choice has none."""
        return list(getattr(self.state, "habit", [0.0] * self.arms))

    def lasting(self) -> dict[str, memoryview]:
        """The state that must be saved between trials; the rest follows from it."""
        if isinstance(self.agent, Actor):
            return {"memory": views(self.memory[None])[0]}
        names = ["alpha", "beta"] if isinstance(self.agent, Agent) else []
        names += ["memory", *(["habit"] if is_habitual(self.agent.choice) else [])]
        return {name: getattr(self.state, name) for name in names}

    def _interpret(self) -> None:
        agent, slots = self.agent, slots_of_agent(self.agent, self.way)
        bound = binder(slots)
        self._act, self._learn = bound(loop.act), bound(loop.learn)
        if not isinstance(agent, Actor):
            self._score_all, self._pick = bound(definition.score_all), bound(definition.pick_scored)
        kept = kept_of(agent, self.way)
        self._namespace: SimpleNamespace | None = SimpleNamespace(
            **{
                name: [0.0] * kind if isinstance(kind, int) else kind()
                for name, kind in kept.items()
            }
        )
        parts = Memory(views(self.table), views(self.memory[None])[0], [self._namespace])
        self.state = bound(loop.view)(*parts)
        bound(loop.begin)(agent, self.state, self.arms)
        self.turn = self._interpreted

    def _interpreted(self, trial: int, arm: int, outcome: float) -> int:
        self.patience -= 1
        if self.patience < 0:
            background.request(self.kind, self._compile)
            if self._adopt(background.ready(self.kind)):
                return self.turn(trial, arm, outcome)
        rng = stream(self.seed, 0, AGENT, trial)
        if arm == NO_ARM:
            act = self._act if self.trusted else self._guarded(self._act)
            return act(self.agent, self.state, self.arms, trial, rng)
        self._guarded(self._learn)(self.agent, self.state, self.arms, trial, arm, outcome, rng)
        return arm

    def _compile(self) -> background.Entry:
        return background.turn_of(self.agent, self.way)

    def _adopt(self, entry: background.Entry | None) -> bool:
        """Change over to machine code, if there is any: what is kept becomes a record."""
        if entry is None or self._namespace is None:
            return False
        for name, value in vars(self._namespace).items():
            self.kept[name] = value
        self._namespace = None
        numbers = _numbers(*self.agent.parts)
        arrays = numbers, self.table, self.memory, self.kept
        low, high = self.seed & 0xFFFFFFFF, self.seed >> 32
        now: Turn = functools.partial(entry, *arrays, self.arms, low, high)
        self.turn = now if self.trusted else self._guarded(now)
        return True

    @contextlib.contextmanager
    def unharmed(self) -> Iterator[None]:
        """If what is done inside fails, the memory becomes what it was before."""
        kept = self._namespace
        before = self.whole.copy(), self.kept.copy(), copy.deepcopy(vars(kept)) if kept else {}
        try:
            yield
        except BaseException:
            self.whole[:], self.kept[:] = before[:2]
            if kept:
                vars(kept).update(before[2])
            raise

    def _guarded(self, call: Any) -> Any:
        """The call, but if it fails, the memory is what it was."""

        def guarded(*given: Any) -> Any:
            with self.unharmed():
                return call(*given)

        return guarded


def _lasting(agent: Any, size: int, arms: int) -> int:
    """How many numbers determine the beliefs of an agent; of an actor none is handed out."""
    if not isinstance(agent, Agent):
        return 0
    return size + (habits.ROWS if is_habitual(agent.choice) else 2) * arms


@functools.lru_cache(maxsize=16)  # an agent's tables may be long
def _numbers(*parts: Component) -> np.ndarray:
    return np.array([*packed(*parts), 0.0])  # never empty
