"""What else a trial can say of arms: which could be chosen, and what others would have paid."""

from typing import TYPE_CHECKING

import numpy as np

from armwise.fitting.labels import coded, text_of

if TYPE_CHECKING:
    import pandas

BETWEEN = "|"  # in a column of arms that could be chosen, such as 0|2
SHOWN = "outcome_"  # the columns of outcomes per arm
UNSEEN = -1


def offered(text: str) -> list[str]:
    """The labels in a list of arms.

    >>> offered("0 | 2.0")
    ['0', '2']
    """
    return [text_of(label) for label in text.split(BETWEEN)]


def available_of(frame: "pandas.DataFrame", arms: tuple[str, ...]) -> np.ndarray | None:
    """Which arms could be chosen, [row, arm]; None if it was always all of them.

    An empty list means all arms.
    """
    if "available" not in frame.columns:
        return None
    codes, found = coded(frame["available"])
    lines = [[label in offered(text) for label in arms] for text in found]
    table = np.array([*lines, [True] * len(arms)], dtype=bool)
    return None if table[codes].all() else table[codes]


def shown_of(frame: "pandas.DataFrame", arms: tuple[str, ...]) -> np.ndarray | None:
    """The outcomes that were shown, [row, arm], -1 where there was none; None if never."""
    columns = [f"{SHOWN}{label}" for label in arms]
    if not any(column in frame.columns for column in columns):
        return None
    found = np.full((len(frame), len(arms)), UNSEEN, dtype=np.int64)
    for place, column in enumerate(columns):
        if column in frame.columns:
            found[:, place] = frame[column].fillna(UNSEEN).to_numpy(np.int64)
    return found
