"""Everything that can be played, and actors: agents that do not factor into parts."""

import os
from collections.abc import Iterable
from typing import Any, ClassVar

from armwise.model.component import Component
from armwise.model.draws import Stream
from armwise.model.forms import BINARY
from armwise.model.upstairs import upstairs
from armwise.numerics.hook import hook


class AbstractAgent:
    """Base of everything that can be played: an `Agent` made of parts, or an `Actor`."""

    label: ClassVar[str]

    @property
    def outcomes(self) -> str:
        """What outcomes it learns from: 0 and 1 ("binary"), or "real" numbers."""
        return BINARY

    @property
    def parts(self) -> tuple[Component, ...]:
        """The components, in the order in which their parameters are packed."""
        raise NotImplementedError

    def memory_size(self, arms: int) -> int:
        """The number of values it remembers besides Beta beliefs (interpreted only)."""
        raise NotImplementedError

    def start(self, arms: "Iterable[str | int]", seed: int = 0, **settings: Any) -> Any:
        """Return an `armwise.Player`, which decides online between arms with names.

        `settings` are those of `Player`: expires, clock, compile.

        >>> from armwise import Agent, ApproximateActiveInference, Softmax
        >>> agent = Agent(ApproximateActiveInference(lam=0.5), choice=Softmax(precision=2))
        >>> player = agent.start(["red", "green", "blue"], seed=7)
        >>> early, late = player.choose(), player.choose(among=["red", "blue"])
        >>> early.number, late.number, round(late.probability, 3)
        (1, 2, 0.5)
        >>> player.observe(late, 1)
        >>> player.observe(late, 1)
        Traceback (most recent call last):
        armwise.errors.InputError: Ticket 2 is closed: it was observed, forgotten, or expired.
        >>> player.add_arm("black")
        >>> player.open, player.beliefs()["black"]
        ([1], (1.0, 1.0))
        """
        return upstairs("play.player", "Player")(self, arms, seed, **settings)

    def open(
        self,
        path: "str | os.PathLike[str]",
        arms: "Iterable[str | int]",
        seed: int = 0,
        **settings: Any,
    ) -> Any:
        """Return the player that lives in a file, which is made if there is none.

        Any number of processes and threads may open it: an `armwise.SharedPlayer`. `settings` are
        those of `open_player`: expires, durable, compile.

        >>> import tempfile
        >>> from armwise import Agent, HorizonActiveInference
        >>> folder = tempfile.mkdtemp()
        >>> player = Agent(HorizonActiveInference()).open(f"{folder}/a.db", ["red", "green"])
        >>> ticket = player.choose()
        >>> player.observe(ticket.number, 1)  # here, or in another process
        >>> player.close()
        """
        return upstairs("play.opening", "open_player")(path, self, arms, seed, **settings)


class Actor(Component, AbstractAgent):
    """An agent that does not factor into learner, policy and choice.

    It owns a memory of fixed size (a vector of floats, zeros at first) and may loop over arms.
    """

    role: ClassVar[str] = "actor"

    @property
    def parts(self) -> tuple[Component, ...]:
        """The actor alone."""
        return (self,)

    @hook
    def begin(self, memory: Any, arms: int) -> None:
        """Prepare `memory` (all zeros) before the first trial."""

    def rearranged(self, memory: Any, arms: int, places: list[int]) -> list[float]:
        """The memory once arms came or went: arm k was at places[k], or is new if that is -1.

        NotImplementedError says that arms cannot change (interpreted only).
        """
        raise NotImplementedError

    def mixture(self, memory: Any, arms: int) -> list[tuple[float, list[float], list[float]]]:
        """The belief about the arms, as a mixture of Beta beliefs, for `Player.explain`.

        Each part is (weight, alpha of every arm, beta of every arm); none if it believes otherwise
        (interpreted only).
        """
        return []

    def facts(self, memory: Any, arms: int) -> dict[str, Any]:
        """What else it believes, for `Player.explain`: by name a list with a number per arm, or one
        value (interpreted only).
        """
        return {}

    def chance_of(self, memory: Any, arms: int, trial: int, arm: int) -> float | None:
        """The probability that an actor that draws chooses `arm`; None if unknown (interpreted
        only).
        """
        return None

    @hook
    def act(self, memory: Any, arms: int, trial: int, rng: Stream) -> int:
        """The arm to choose, from 0 to arms - 1."""
        raise NotImplementedError

    @hook
    def learn(
        self, memory: Any, arms: int, trial: int, arm: int, outcome: int, rng: Stream
    ) -> float:
        """Update `memory` with an outcome; return the probability of a change, or 0.0."""
        raise NotImplementedError

    @hook
    def score_arms(self, memory: Any, arms: int, trial: int, scores: Any) -> None:
        """Optional: fill `scores` with a number per arm, of which `act` chooses the largest.

        With scores, an actor can have a choice rule of its own: `Chooser(actor, choice)`.
        """
        raise NotImplementedError
