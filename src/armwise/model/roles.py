"""The grammar of components: once per trial, then once per arm, in scalars.

A component is a frozen record of parameters with the methods below. A method sees numbers, never
arrays of arms; the engine owns the loops over arms, trials, agents and devices. A method may call
module-level functions (from `armwise.numerics.beta`, `armwise.model.draws`, or the author's own file), not
other methods of `self`: the same code is interpreted by Python and compiled for every engine.

`rng` is an address (`armwise.model.draws.Stream`); `uniform(rng, 0)`, `uniform(rng, 1)` are its draws.
"""

import math
from collections.abc import Iterable
from typing import Any, ClassVar, NamedTuple

from armwise.model.component import Component
from armwise.model.draws import Stream
from armwise.model.upstairs import upstairs


class Assumed(NamedTuple):
    """What a learner takes for granted: a policy reads the change probability here."""

    rho: float  # probability that the world changes in a trial
    alpha0: float  # the belief about an arm after a change: Be(alpha0, beta0)
    beta0: float


class Bandit(Component):
    """The world. Its state is one number; every arm has a reward probability theta."""

    role: ClassVar[str] = "bandit"

    arms: int

    def start(self, rng: Stream) -> float:
        """The state before the first trial."""
        raise NotImplementedError

    def move(self, state: float, trial: int, rng: Stream) -> float:
        """The state in `trial`. Thetas are computed anew whenever it differs from `state`.

        Draw 0 of `rng` decides the outcome of the trial; a world uses draws 1 and up.
        """
        raise NotImplementedError

    def theta(self, state: float, arm: int, previous: float, rng: Stream) -> float:
        """The reward probability of `arm` under `state`; `previous` is what it was before."""
        raise NotImplementedError

    def random_rate(self) -> float:
        """The expected regret of a trial with a uniformly random choice (interpreted only)."""
        raise NotImplementedError

    def assumed_rho(self) -> float:
        """The change probability that a well-informed learner assumes (interpreted only)."""
        return getattr(self, "rho", 0.0)


class Learner(Component):
    """Beliefs from outcomes. The belief about an arm is Be(alpha, beta).

    A learner that must remember more declares the size of a private `memory`.
    """

    role: ClassVar[str] = "learner"

    def memory_size(self, arms: int) -> int:
        """How many numbers `memory` holds (interpreted only)."""
        return 0

    def begin(self, memory: Any, arms: int) -> None:
        """Prepare `memory` (all zeros) before the first trial."""

    def assume(self, memory: Any) -> Assumed:
        """What the learner takes for granted now. Its prior is the first belief about an arm."""
        raise NotImplementedError

    def spreads(self, gamma: float) -> bool:
        """A hint: whether a trial changes more than the belief about the chosen arm."""
        return True

    def change(self, memory: Any, arm: int, outcome: int, alpha: float, beta: float) -> float:
        """Once per trial: the probability of a change (gamma), from the chosen arm's belief."""
        raise NotImplementedError

    def update(
        self,
        memory: Any,
        gamma: float,
        arm: int,
        chosen: bool,
        outcome: int,
        alpha: float,
        beta: float,
    ) -> tuple[float, float]:
        """Once per arm: the new (alpha, beta). It reads `memory` and does not write them."""
        raise NotImplementedError


class Policy(Component):
    """A score for every arm from the belief about it; the choice rule turns scores into an arm."""

    role: ClassVar[str] = "policy"
    stochastic: ClassVar[bool] = False  # whether a score depends on draws

    # Hints, which spare work and change no choice:
    lasts: ClassVar[bool] = False  # whether a score depends on the belief alone
    monotone: ClassVar[bool] = False  # whether more alpha, less beta, more trials never lower it

    def prepare(self, trial: int, arms: int, assumed: Assumed, rng: Stream) -> Any:
        """Once per trial: whatever the arms share (a number or a tuple of numbers)."""
        return 0.0

    def gather(self, shared: Any, arm: int, alpha: float, beta: float) -> Any:
        """Once per arm, before any is scored: `shared` with what this arm adds to it.

        For scores that compare an arm with the others. It returns as many numbers, of the same
        kinds, as it is given.
        """
        return shared

    def conclude(self, shared: Any, arms: int) -> Any:
        """Once per trial, after `gather`: what the arms share in the end."""
        return shared

    def score(self, shared: Any, arm: int, alpha: float, beta: float, rng: Stream) -> float:
        """Once per arm: the larger, the better. What ties in exact arithmetic should tie here."""
        raise NotImplementedError

    def floor(self, shared: Any, arm: int, alpha: float, beta: float) -> float:
        """A hint: what the score certainly reaches."""
        return -math.inf

    def ceiling(self, shared: Any, arm: int, alpha: float, beta: float) -> float:
        """A hint: what the score certainly does not exceed.

        It should cost much less than the score, best without a branch or a logarithm.
        """
        return math.inf

    def pledge(self, shared: Any, arm: int, alpha: float, beta: float) -> float:
        """A hint, for scores that compare an arm with the others, and a policy with a `ceiling`.

        What the arm reaches also in the trials before, if they gave it one outcome each, with the
        same mean or a better one, while the others do not change; nor may those have had a higher
        score then. -inf where this is not sure.
        """
        return -math.inf

    def odds(self, shared: Any, arm: int, alpha: float, beta: float, level: float) -> float:
        """A hint, where the score grows with `armwise.model.draws.luck` and depends on no other draw.

        The score is below `level` if (1 - luck) * odds > 1: of so many trials, one at most lets
        the arm reach the level. As cheap as `ceiling`.
        """
        return 1.0

    def steady(self, shared: Any) -> bool:
        """A hint: whether `floor` and `odds` are as in all other trials of which this is true.

        For equal beliefs, that is, and while the learner assumes the same.
        """
        return False

    def below(
        self, shared: Any, arm: int, alpha: float, beta: float, level: float, rng: Stream
    ) -> bool:
        """A hint: true only if the score is below `level`; cheaper to tell than the score."""
        return False

    def terms(self, shared: Any, alpha: float, beta: float) -> dict[str, float]:
        """The named parts of a score, for `explain` (interpreted only)."""
        return {}


class Choice(Component):
    """How scores become an arm: the one with the largest key, ties broken uniformly."""

    role: ClassVar[str] = "choice"
    probabilistic: ClassVar[bool] = False  # whether `log_weight` exists
    greedy: ClassVar[bool] = False  # a hint: whether the key is the score

    def key(self, score: float, rng: Stream) -> float:
        """Once per arm: what is compared."""
        raise NotImplementedError

    def log_weight(self, score: float) -> float:
        """Once per arm: the logarithm of an unnormalised choice probability."""
        raise NotImplementedError


class AbstractAgent:
    """What can be simulated and let loose: an `Agent` made of parts, or an `Actor`."""

    label: ClassVar[str]

    @property
    def parts(self) -> tuple[Component, ...]:
        """The components, in the order in which their parameters are packed."""
        raise NotImplementedError

    def memory_size(self, arms: int) -> int:
        """How many numbers it remembers besides Beta beliefs (interpreted only)."""
        raise NotImplementedError

    def start(self, arms: "Iterable[str | int]", seed: int = 0) -> Any:
        """Let the agent decide online, about arms with names: returns an `armwise.Player`.

        >>> from armwise import Agent, ApproximateActiveInference, Softmax
        >>> agent = Agent(ApproximateActiveInference(lam=0.5), choice=Softmax(precision=2))
        >>> player = agent.start(["red", "green", "blue"], seed=7)
        >>> early, late = player.choose(), player.choose(among=["red", "blue"])
        >>> early.number, late.number, round(late.probability, 3)
        (1, 2, 0.5)
        >>> player.observe(late, 1)
        >>> player.observe(late, 1)
        Traceback (most recent call last):
        armwise.errors.InputError: Ticket 2 is closed: it was observed or forgotten.
        >>> player.add_arm("black")
        >>> player.open, player.beliefs()["black"]
        ([1], (1.0, 1.0))
        """
        return upstairs("play.player", "Player")(self, arms, seed)


class Actor(Component, AbstractAgent):
    """An agent that does not factor into learner, policy and choice.

    It owns a memory of fixed size (a vector of floats, zeros at first) and may loop over arms.
    """

    role: ClassVar[str] = "actor"

    @property
    def parts(self) -> tuple[Component, ...]:
        """The actor alone."""
        return (self,)

    def begin(self, memory: Any, arms: int) -> None:
        """Before the first trial."""

    def act(self, memory: Any, arms: int, trial: int, rng: Stream) -> int:
        """The arm to choose, from 0 to arms - 1."""
        raise NotImplementedError

    def learn(
        self, memory: Any, arms: int, trial: int, arm: int, outcome: int, rng: Stream
    ) -> float:
        """Take in an outcome; returns the probability of a change, or 0.0."""
        raise NotImplementedError
