"""The confusion matrix: which model is picked when it is known which one made the choices."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from armwise.fitting.fitted import Fitted
from armwise.fitting.recover import known_values, twins_of
from armwise.fitting.scores import scores_of

RESAMPLED = 2_000  # groups drawn from each simulated one
SEEN = 20  # as how many groups a simulated one counts, since those drawn from it are alike


class Confusion(NamedTuple):
    """Shares [made by, picked]: rows sum to 1."""

    names: tuple[str, ...]
    persons: np.ndarray  # by the evidence of one person
    groups: np.ndarray  # by the score of as many people as the data have
    repeats: int

    def makers(self, picked: str) -> dict[str, float]:
        """The probability of each model to have made what `picked` was picked for.

        All models are taken to be as likely beforehand, and one pick is added to every cell, since
        shares of 0 and 1 are never known.
        """
        column = self.names.index(picked)
        picks = self.repeats * SEEN * self.groups + 1.0 / len(self.names)
        shares = (picks / picks.sum(axis=1, keepdims=True))[:, column]
        return dict(zip(self.names, (shares / shares.sum()).tolist(), strict=True))

    def sentence(self, picked: str) -> str:
        """How often the model that is picked made the choices."""
        at = self.names.index(picked)
        return (
            f"Groups made by {picked} are recognised in {self.groups[at, at]:.0%} of cases, and "
            f"single people in {self.persons[at, at]:.0%}; if {picked} is picked for a group, "
            f"it made it with probability {self.makers(picked)[picked]:.2f}."
        )


def confuse(
    fits: Mapping[str, Fitted],
    repeats: int = 1,
    seed: int = 0,
    bandit: Any = None,
    method: str | None = None,
    threads: int | None = None,
    device: str = "cpu",
    say: Callable[[str], None] | None = None,
) -> Confusion:
    """Let every fitted model make groups of the sizes of the data, and fit all models to them.

    How a group of other people would have come out is found by drawing people anew from those that
    were simulated, so that a few groups of each model are enough.
    """
    say = say or (lambda _: None)
    models = len(fits)
    persons, groups = np.zeros((models, models)), np.zeros((models, models))
    for row, (name, maker) in enumerate(fits.items()):
        for repeat in range(repeats):
            number = seed + 1 + row + models * repeat
            say(f"group {repeat + 1} of {repeats} made by {name}")
            scores, evidence = _scored(fits, maker, number, bandit, method, threads, device)
            persons[row] += picks(evidence)
            groups[row] += picks(_resampled(scores, number))
    return Confusion(tuple(fits), persons / repeats, groups / repeats, repeats)


def picks(scores: np.ndarray) -> np.ndarray:
    """How often each column is the largest of its row; rows with ties are shared out.

    >>> picks(np.array([[1.0, 0.0], [2.0, 3.0], [1.0, 1.0], [5.0, 0.0]])).tolist()
    [0.625, 0.375]
    """
    best = scores == scores.max(axis=1, keepdims=True)
    return (best / best.sum(axis=1, keepdims=True)).mean(axis=0)


def _scored(
    fits: Mapping[str, Fitted],
    maker: Fitted,
    seed: int,
    bandit: Any,
    method: str | None,
    threads: int | None,
    device: str,
) -> tuple[np.ndarray, np.ndarray]:
    """Scores and evidences [person, model] of choices that one model made."""
    from armwise.fitting.fit import fit

    values = known_values(maker, len(maker.data), seed)
    made = twins_of(maker, values, maker.data, seed, bandit, threads)
    again = {
        name: fit(
            each.agent,
            made,
            each.free,
            method=method or each.method,
            nested=each.nested,
            threads=threads,
            device=device,
        )
        for name, each in fits.items()
    }
    evidence = np.column_stack([each.log_evidence() for each in again.values()])
    return scores_of(again)[0], evidence


def _resampled(scores: np.ndarray, seed: int) -> np.ndarray:
    """Total scores [group, model] of groups drawn from these people."""
    people = len(scores)
    counts = np.random.default_rng(seed).multinomial(people, np.full(people, 1 / people), RESAMPLED)
    return counts @ scores
