"""What choices look like: learning, win-stay, lose-shift, and what follows a change.

Each measure is a number per person, or a curve over trials; people and their twins are measured by
the same functions.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from armwise.fitting.choices import Choices
from armwise.fitting.task import places_of_rows, since_change

BEFORE, AFTER = 5, 15  # trials around a change

MEASURES = {
    "won": "share of trials with outcome 1",
    "best": "share of choices of the best arm",
    "stay": "share of choices that repeat the last one",
    "win_stay": "share of repeats after outcome 1",
    "lose_shift": "share of changes after outcome 0",
    "outcome": "mean outcome",
    "better_stay": "share of repeats after an outcome above the person's mean",
    "worse_shift": "share of changes after an outcome that is not",
}
CURVES = {
    "learning": "choices of the best arm against the trial",
    "winning": "outcomes 1 against the trial",
    "earning": "mean outcome against the trial",
    "after_change": "choices of the best arm against trials since it became the best",
    "switching": "changes of the arm against trials since the best arm changed",
}


class Layout(NamedTuple):
    """Where rows belong: computed once, used for people and for every copy of their twins."""

    person: np.ndarray  # of every row
    trial: np.ndarray  # in its block, from 0
    inner: np.ndarray  # whether the row before is of the same block
    best: np.ndarray | None  # the best arm; -1 if there is none
    since: np.ndarray | None  # trials since it became the best

    @property
    def people(self) -> int:
        """The number of people."""
        return int(self.person.max()) + 1


def layout_of(data: Choices, best: np.ndarray | None) -> Layout:
    """Where the rows of the data belong."""
    _, trial = places_of_rows(data)
    since = None if best is None else since_change(data, best)
    return Layout(data.persons, trial, trial > 0, best, since)


def per_person(layout: Layout, choices: np.ndarray, outcomes: np.ndarray) -> dict[str, np.ndarray]:
    """Every measure for every person, from `choices[row]` and `outcomes[row]`; NaN without trials.

    Where outcomes are real, won and lost mean above and not above the person's mean.

    >>> from armwise import *
    >>> data = load_choices([([0, 0, 1, 1], [1, 0, 0, 1])])
    >>> found = per_person(layout_of(data, None), data.sequences.choices, data.sequences.outcomes)
    >>> {name: round(float(value[0]), 3) for name, value in found.items()}
    {'won': 0.5, 'stay': 0.667, 'win_stay': 1.0, 'lose_shift': 0.5}
    """
    chosen = choices >= 0
    last, stays = _before(choices, -1), choices == _before(choices, -1)
    pairs = layout.inner & chosen & (last >= 0)
    names, earned = ("won", "win_stay", "lose_shift"), (outcomes == 1).astype(float)
    good = outcomes == 1
    if is_real(outcomes):
        names, earned = ("outcome", "better_stay", "worse_shift"), outcomes
        means = _means(outcomes, chosen, layout.person, layout.people)
        good = np.where(chosen, outcomes, -np.inf) > means[layout.person]
    won = np.append(False, good[:-1])
    asked = {
        "stay": (stays, pairs),
        names[1]: (stays, pairs & won),
        names[2]: (~stays, pairs & ~won),
    }
    if layout.best is not None:
        asked["best"] = (choices == layout.best, chosen & (layout.best >= 0))
    found = {names[0]: _means(earned, chosen, layout.person, layout.people)}
    return found | {
        name: _means(event, among, layout.person, layout.people)
        for name, (event, among) in asked.items()
    }


def is_real(outcomes: np.ndarray) -> bool:
    """Whether outcomes are real numbers, instead of 0 and 1."""
    return outcomes.dtype.kind == "f"


def curves(layout: Layout, choices: np.ndarray, outcomes: np.ndarray) -> dict[str, np.ndarray]:
    """Every curve, over all people; `after_change` begins some trials before the change.

    >>> from armwise import *
    >>> data = load_choices([([0, 0, 1, 1], [1, 0, 0, 1]), ([0, 1], [1, 1])])
    >>> found = curves(layout_of(data, None), data.sequences.choices, data.sequences.outcomes)
    >>> found["winning"].tolist()
    [1.0, 0.5, 0.0, 1.0]
    """
    chosen, longest = choices >= 0, int(layout.trial.max()) + 1
    name, earned = ("earning", outcomes) if is_real(outcomes) else ("winning", outcomes == 1)
    found = {name: _means(earned, chosen, layout.trial, longest)}
    if layout.best is None or layout.since is None:
        return found
    right = chosen & (layout.best >= 0)
    found["learning"] = _means(choices == layout.best, right, layout.trial, longest)
    last = _before(choices, -1)
    pairs = layout.inner & chosen & (last >= 0)
    followed, switched = np.full((2, BEFORE + AFTER), np.nan)
    for place, (changes, rows) in enumerate(_around(layout)):
        arm, there = layout.best[changes], right[rows]
        followed[place] = _share(choices[rows] == arm, there)
        switched[place] = _share(choices[rows] != last[rows], pairs[rows])
    return {**found, "after_change": followed, "switching": switched}


def abscissa(name: str, length: int) -> np.ndarray:
    """The trials of a curve: from 1, or around a change, which is at 0."""
    around = name in ("after_change", "switching")
    return np.arange(length) - BEFORE if around else np.arange(1, length + 1)


def _before(values: np.ndarray, first: int) -> np.ndarray:
    return np.append(first, values[:-1])


def _means(values: np.ndarray, among: np.ndarray, groups: np.ndarray, count: int) -> np.ndarray:
    """The mean of values, or the share of what is true, among some rows, by group."""
    of = np.bincount(groups[among], minlength=count)
    total = np.bincount(groups[among], values[among], minlength=count)
    with np.errstate(invalid="ignore"):
        return total / of


def _share(event: np.ndarray, among: np.ndarray) -> float:
    return float(event[among].mean()) if among.any() else float("nan")


def _around(layout: Layout) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """For every place around a change the changes that have such a row, and these rows."""
    assert layout.since is not None
    changes = np.flatnonzero(layout.since == 0)
    block = np.cumsum(~layout.inner)
    stretch = np.cumsum((layout.since == 0) | ~layout.inner)  # rows between two changes
    for offset in range(-BEFORE, AFTER):
        rows = changes + offset
        there = (rows >= 0) & (rows < len(block))
        home = stretch[changes] - (offset < 0)
        rows = np.where(there, rows, 0)
        there &= (block[rows] == block[changes]) & (stretch[rows] == home)
        yield changes[there], rows[there]
