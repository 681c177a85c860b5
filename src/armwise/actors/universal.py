"""The universal agent, which knows neither how often nor in which way the bandit changes."""

import math
from typing import Any

from armwise.actors._moving import begin_moving
from armwise.actors.moving_best import (
    Moved,
    facts_of_moved,
    grid_of,
    learn_moved,
    moved,
    moved_size,
    rearranged_moved,
    score_moved,
)
from armwise.actors.redrawn_arms import (
    Redrawn,
    begin_redrawn,
    facts_of_redrawn,
    learn_redrawn,
    mixture_of_redrawn,
    rearranged_redrawn,
    redrawn_size,
    score_redrawn,
)
from armwise.actors.separate_arms import (
    Separated,
    begin_separated,
    facts_of_separated,
    learn_separated,
    mixture_of_separated,
    rearranged_separated,
    score_separated,
    separated_size,
)
from armwise.errors import InputError
from armwise.model.component import parameter
from armwise.model.draws import Stream
from armwise.model.ties import choice_stream, largest

REDRAWN, MOVED, SEPARATE = 0, 1, 2  # places of the log evidences
HEAD = 3  # number of these places
UNHEARD = 0.01  # a class with a smaller share has no say
MOST_SEPARATE = 0.6  # largest share of single redraws, of what they have together with common ones


class Universal(Redrawn, Moved, Separated):
    """Three classes of worlds side by side; their scores are averaged by their evidence.

    All arms are drawn again (`all-redrawn`), one better arm moves (`best-moves`), or every arm is
    drawn again on its own (`each-redrawn`). All scores are in units of theta.
    """

    label = "universal"
    equation = "L[c] <- keep L[c] + ln P_c(o); argmax of the sum of softmax(L)[c] score_c[k]"
    reference = "new in armwise"
    tables = ("indices", "entropies", "paces", "hazards", "own_indices", "thetas", "law")

    keep: float = parameter(
        default=0.9998,
        slider=(0.99, 1),
        low=0,
        high=1,
        meaning="fraction of a log evidence that is left after a trial",
    )
    leads: tuple[float, ...] = parameter(
        default=(0.0, 0.0, -5.0),
        low=-1e6,
        high=1e6,
        meaning="initial log evidences: all arms drawn again, best arm moves, each arm on its own",
    )

    def check(self) -> None:
        """The grids are as each class needs them; every class has a lead."""
        super().check()
        if len(self.leads) != HEAD:
            raise InputError(
                f"{self.label}: leads must be {HEAD} numbers, one per class, not {len(self.leads)}."
            )

    def memory_size(self, arms: int) -> int:
        """The log evidences, scores, then one class after the other."""
        return ends(self, arms)[1] + separated_size(self, arms)

    def rearranged(self, memory: Any, arms: int, places: list[int]) -> list[float]:
        """Every class knows nothing of a new arm."""
        a, b = ends(self, arms)
        return [
            *memory[:HEAD],
            *([0.0] * (2 * len(places))),
            *rearranged_redrawn(self, memory[HEAD + 2 * arms : a], arms, places),
            *rearranged_moved(self, memory[a:b], arms, places),
            *rearranged_separated(self, memory[b:], arms, places),
        ]

    def begin(self, memory: Any, arms: int) -> None:
        """Start in every class."""
        a, b = ends(self, arms)
        for place in range(HEAD):
            memory[place] = self.leads[place]
        begin_redrawn(self, memory[HEAD + 2 * arms : a], arms)
        begin_moving(moved(self, memory[a:b], arms), arms, grid_of(self))
        begin_separated(self, memory[b:], arms)

    def mixture(self, memory: Any, arms: int) -> list[tuple[float, list, list]]:
        """Beta beliefs of both classes of redraws, unless one better arm is likelier."""
        a, b = ends(self, arms)
        if leader(memory) == MOVED:
            return []
        _, alone = shares(memory)
        common = mixture_of_redrawn(self, memory[HEAD + 2 * arms : a], arms)
        single = mixture_of_separated(self, memory[b:], arms)
        parts = [((1.0 - alone) * weight, alpha, beta) for weight, alpha, beta in common]
        return parts + [(alone * weight, alpha, beta) for weight, alpha, beta in single]

    def facts(self, memory: Any, arms: int) -> dict[str, Any]:
        """The class of worlds it believes in, and what this says about changes."""
        a, b = ends(self, arms)
        if leader(memory) == MOVED:
            told = facts_of_moved(self, memory[a:b], arms)
            return {"believes": "the best arm moves now and then"} | told
        if leader(memory) == SEPARATE:
            told = facts_of_separated(self, memory[b:], arms)
            return {"believes": "every arm is drawn again on its own now and then"} | told
        told = facts_of_redrawn(self, memory[HEAD + 2 * arms : a], arms)
        return {"believes": "all arms are drawn again now and then"} | told

    def act(self, memory: Any, arms: int, trial: int, rng: Stream) -> int:
        """The arm with the largest score, averaged over classes."""
        scores = memory[HEAD : HEAD + arms]
        average(self, memory, arms, trial, scores)
        return largest(scores, arms, choice_stream(rng))

    def score_arms(self, memory: Any, arms: int, trial: int, scores: Any) -> None:
        """The scores, averaged over classes."""
        average(self, memory, arms, trial, scores)

    def learn(
        self, memory: Any, arms: int, trial: int, arm: int, outcome: int, rng: Stream
    ) -> float:
        """Bayes' rule in every class; return the probability that all arms were drawn again."""
        a, b = ends(self, arms)
        common, gamma = learn_redrawn(self, memory[HEAD + 2 * arms : a], arms, trial, arm, outcome)
        moving = learn_moved(self, memory[a:b], arms, trial, arm, outcome)
        single = learn_separated(self, memory[b:], arms, trial, arm, outcome)
        memory[REDRAWN] = self.keep * memory[REDRAWN] + math.log(common)
        memory[MOVED] = self.keep * memory[MOVED] + math.log(moving)
        memory[SEPARATE] = self.keep * memory[SEPARATE] + math.log(single)
        return gamma


def ends(agent: Any, arms: int) -> tuple[int, int]:
    """Where the memories of the first two classes end."""
    first = HEAD + 2 * arms + redrawn_size(agent, arms)
    return first, first + moved_size(agent, arms)


def leader(memory: Any) -> int:
    """The likeliest class; in a tie, the first."""
    best = MOVED if memory[MOVED] > memory[REDRAWN] else REDRAWN
    return SEPARATE if memory[SEPARATE] > memory[best] else best


def shares(memory: Any) -> tuple[float, float]:
    """The share of one better arm, and of single redraws in what is left."""
    top = memory[leader(memory)]
    common, moving = math.exp(memory[REDRAWN] - top), math.exp(memory[MOVED] - top)
    single = math.exp(memory[SEPARATE] - top)
    alone = min(single / max(common + single, 1e-300), MOST_SEPARATE)
    return moving / (common + moving + single), alone


def average(agent: Any, memory: Any, arms: int, trial: int, scores: Any) -> None:
    """Write the scores of the classes, weighed by their shares."""
    a, b = ends(agent, arms)
    moving, alone = shares(memory)
    others = memory[HEAD + arms : HEAD + 2 * arms]
    if moving > 1.0 - UNHEARD:
        score_moved(agent, memory[a:b], arms, scores)
        return
    score_redrawn(agent, memory[HEAD + 2 * arms : a], arms, scores)
    if alone > UNHEARD:
        score_separated(agent, memory[b:], arms, trial, others)
        add(scores, others, alone, arms)
    if moving > UNHEARD:
        score_moved(agent, memory[a:b], arms, others)
        add(scores, others, moving, arms)


def add(scores: Any, others: Any, share: float, arms: int) -> None:
    """Let other scores have a share in the scores."""
    for arm in range(arms):
        scores[arm] += share * (others[arm] - scores[arm])
