"""The roles of components: once per trial, then once per arm, in scalars.

A component is a frozen record of parameters with the methods below. A method sees numbers, never
arrays of arms; the engine owns the loops over arms, trials, agents and devices. A method may call
module-level functions (of `armwise.numerics`, `armwise.draws` or the author's own file), not other
methods of `self`: the same code is interpreted by Python and compiled for every engine.

`rng` is an address (`armwise.draws.Stream`); `uniform(rng, 0)` and `uniform(rng, 1)` are its draws.
"""

import math
from typing import Any, ClassVar, NamedTuple

from armwise.errors import InputError, brief
from armwise.model.actor import AbstractAgent, Actor
from armwise.model.assumed import Assumed
from armwise.model.component import Component
from armwise.model.draws import Stream, uniform
from armwise.model.forms import ANY, BETA, BINARY, NORMAL, REAL
from armwise.numerics.hook import hook

__all__ = [
    "ANY",
    "BETA",
    "BINARY",
    "NORMAL",
    "REAL",
    "AbstractAgent",
    "Actor",
    "Assumed",
    "Bandit",
    "Choice",
    "Drawn",
    "Learner",
    "Policy",
]


class Bandit(Component):
    """A bandit. Its state is one number; every arm has a reward probability theta.

    Where `outcomes` are real, theta is the mean outcome of an arm, any finite number.
    """

    role: ClassVar[str] = "bandit"
    outcomes: ClassVar[str] = BINARY  # or REAL

    arms: int

    @hook
    def start(self, rng: Stream) -> float:
        """The state before the first trial."""
        raise NotImplementedError

    @hook
    def move(self, state: float, trial: int, rng: Stream) -> float:
        """The state in `trial`. Thetas are computed again whenever it differs from `state`.

        Draw 0 of `rng` decides the outcome of the trial; a bandit uses draws 1 and up.
        """
        raise NotImplementedError

    @hook
    def theta(self, state: float, arm: int, previous: float, rng: Stream) -> float:
        """The reward probability of `arm` under `state`; `previous` is the one before."""
        raise NotImplementedError

    @hook
    def luck(self, rng: Stream) -> float:
        """Once per trial: what decides the outcome of the arm that is chosen.

        The arm pays 1 if its theta is above this number, a uniform one, else 0. Real outcomes are
        the sum of both: a bandit that has them draws its noise here.
        """
        return uniform(rng, 0)

    def random_rate(self) -> float:
        """The expected regret of a trial with a uniformly random choice (interpreted only)."""
        raise NotImplementedError

    def assumed_rho(self) -> float:
        """The change probability that a well-informed learner assumes (interpreted only)."""
        return getattr(self, "rho", 0.0)


class Learner(Component):
    """Beliefs from outcomes. The belief about an arm is Be(alpha, beta).

    A learner with normal beliefs keeps a mean and a variance instead, in the places of alpha and
    beta, and its outcomes are real numbers. One that must remember more declares the size of a
    private `memory`.
    """

    role: ClassVar[str] = "learner"
    beliefs: ClassVar[str] = BETA  # or NORMAL

    def memory_size(self, arms: int) -> int:
        """The length of `memory` (interpreted only)."""
        return 0

    def rearranged(self, memory: Any, arms: int, places: list[int]) -> list[float]:
        """The memory once arms came or went: arm k was at places[k], or is new if that is -1.

        NotImplementedError says that arms cannot change (interpreted only).
        """
        if self.memory_size(arms) == 0:
            return []
        raise NotImplementedError

    @hook
    def begin(self, memory: Any, arms: int) -> None:
        """Prepare `memory` (all zeros) before the first trial."""

    @hook
    def assume(self, memory: Any) -> Assumed:
        """The learner's current assumptions. Their prior is the first belief about an arm."""
        raise NotImplementedError

    @hook
    def touches_all_arms(self, gamma: float) -> bool:
        """A hint: whether a trial may change more than the belief about the chosen arm."""
        return True

    @hook
    def change(self, memory: Any, arm: int, outcome: int, alpha: float, beta: float) -> float:
        """Once per trial: gamma, the probability of a change, from the chosen arm's belief."""
        raise NotImplementedError

    @hook
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
        """Once per arm: the new (alpha, beta). It may read `memory` but must not write to it."""
        raise NotImplementedError

    @hook
    def change_shown(
        self, memory: Any, gamma: float, arm: int, outcome: int, alpha: float, beta: float
    ) -> float:
        """Once per arm that was not chosen but shown, after `change`: gamma, given that, too."""
        return gamma

    @hook
    def update_shown(
        self, memory: Any, gamma: float, arm: int, outcome: int, alpha: float, beta: float
    ) -> tuple[float, float]:
        """Instead of `update` for an arm that was not chosen, but whose outcome was shown.

        A learner without this method learns from the chosen arm only.
        """
        raise NotImplementedError


class Drawn(NamedTuple):
    """How a score is drawn: start + slope * theta with probability `weight`, else it is `rest`.

    Here theta is a draw from the belief about the arm, and slope is positive.
    """

    weight: float = 1.0
    start: float = 0.0
    slope: float = 1.0
    rest: float = -math.inf


class Policy(Component):
    """A score for every arm from the belief about it; the choice rule turns scores into an arm.

    The belief is that of a learner whose `beliefs` have the same form. `bounds` and
    `lookahead_floor` are hints: they save work and change no choice. The engine finds out by itself
    whether a score depends on the trial.
    """

    role: ClassVar[str] = "policy"
    beliefs: ClassVar[str] = BETA  # or NORMAL, or ANY for a policy that does not read them
    stochastic: ClassVar[bool] = False  # whether a score depends on draws
    term_names: ClassVar[tuple[str, ...]] = ()  # of what `terms` returns

    @hook
    def prepare(self, trial: int, arms: int, assumed: Assumed, rng: Stream) -> Any:
        """Once per trial: the values that all arms share (a number or a tuple of numbers)."""
        return 0.0

    @hook
    def gather(self, shared: Any, arm: int, alpha: float, beta: float) -> Any:
        """Once per arm, before any is scored: `shared` with what this arm adds to it.

        For scores that compare an arm with the others. The result must have as many numbers as
        `shared`, of the same types.
        """
        return shared

    @hook
    def conclude(self, shared: Any, arms: int) -> Any:
        """Once per trial, after `gather`: the final values that all arms share."""
        return shared

    @hook
    def score(self, shared: Any, arm: int, alpha: float, beta: float, rng: Stream) -> float:
        """Once per arm: the score; larger is better. Exact ties should also tie after rounding."""
        raise NotImplementedError

    @hook
    def bounds(self, shared: Any, arm: int, alpha: float, beta: float) -> tuple[float, float]:
        """A hint: a lower and an upper bound of the score (-inf or inf if there is none).

        They should cost much less than the score; ideally they need no branch and no logarithm.
        """
        return -math.inf, math.inf

    @hook
    def lookahead_floor(self, shared: Any, arm: int, alpha: float, beta: float) -> float:
        """A hint, for a policy that gathers and has an upper bound.

        A lower bound of this arm's score that held in every earlier trial too, assuming that (1)
        since then the arm had one outcome per trial and its mean was never lower than now, and (2)
        no other belief changed. Also required: no other arm's score was higher then than now.
        Return -inf if unsure.
        """
        return -math.inf

    def drawn(self, shared: Any, alpha: float, beta: float) -> Drawn | None:
        """How a stochastic policy draws an arm's score, for the probability of a choice.

        Each arm draws on its own, and `prepare` does not; None if unknown (interpreted only).
        """
        return None

    @hook
    def normal_draw(self, shared: Any, mean: float, variance: float) -> tuple[float, float]:
        """How a stochastic policy with normal beliefs draws an arm's score: mean and deviation.

        Each arm draws on its own, and `prepare` does not; for the probability of a choice.
        """
        raise NotImplementedError

    @hook
    def terms(self, shared: Any, alpha: float, beta: float) -> tuple[float, ...]:
        """Once per arm: parts of the score, one for each of `term_names`; for `explain`."""
        return ()

    def named_terms(self, shared: Any, alpha: float, beta: float) -> dict[str, float]:
        """The terms by name (interpreted only).

        >>> from armwise import ApproximateActiveInference
        >>> ApproximateActiveInference(lam=0.5).named_terms(0.0, 1.0, 1.0)
        {'extrinsic': 0.5, 'intrinsic': 0.25}
        """
        found = self.terms(shared, alpha, beta)
        if not isinstance(found, tuple) or len(found) != len(self.term_names):
            raise InputError(
                f"{self.label}.terms must return a number for each of term_names = "
                f"{self.term_names!r}, not {brief(found)}."
            )
        return dict(zip(self.term_names, map(float, found), strict=True))


class Choice(Component):
    """A rule that turns scores into an arm: the one with the largest key, ties broken uniformly."""

    role: ClassVar[str] = "choice"
    probabilistic: ClassVar[bool] = False  # whether `log_weight` exists
    greedy: ClassVar[bool] = False  # a hint: whether the key is the score

    @hook
    def key(self, score: float, rng: Stream) -> float:
        """Once per arm: the number that is compared."""
        raise NotImplementedError

    @hook
    def log_weight(self, score: float) -> float:
        """Once per arm: the logarithm of an unnormalised choice probability."""
        raise NotImplementedError

    @hook
    def lean(self, arm: int, habit: float) -> float:
        """Once per arm: what is added to the key and to `log_weight`, besides the score.

        `habit` follows the agent's own choices: it moves to 1 for the chosen arm and to 0 for the
        others, a share of `habit_pace()` of the way in every trial.
        """
        return 0.0

    @hook
    def habit_pace(self) -> float:
        """How fast a habit follows choices: 1 keeps the last choice only."""
        return 1.0

    @hook
    def lapse_rate(self) -> float:
        """The share of choices that are made at random."""
        return 0.0
