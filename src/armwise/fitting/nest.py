"""Sessions of people: which choices belong to which session, and which session to whom."""

from typing import NamedTuple

import numpy as np

from armwise.errors import InputError, unknown
from armwise.fitting.choices import Choices, assembled, of_rows
from armwise.fitting.labels import text_of


class Nest(NamedTuple):
    """The sessions of people: parts of their choices with values of their own."""

    column: str
    units: Choices  # the same choices, in which every session counts as a person
    owners: np.ndarray  # [session]: the person, ascending
    labels: tuple[str, ...]  # [session]
    blocks: np.ndarray  # [block of the data]: the session that it belongs to
    rows: np.ndarray  # [row of the units]: the row of the data

    @property
    def places(self) -> np.ndarray:
        """The number of every session among those of its person, from 0."""
        first = np.searchsorted(self.owners, self.owners)
        return np.arange(len(self.owners)) - first


def nest_of(data: Choices, column: str) -> Nest:
    """The sessions that a column tells apart; it has one value wherever beliefs go on.

    >>> from armwise import *
    >>> import pandas
    >>> played = {"subject": list("aaaabb"), "session": [1, 1, 2, 2, 1, 2], "choice": [0, 1] * 3}
    >>> data = load_choices(pandas.DataFrame(played | {"outcome": 1}))
    >>> nest = nest_of(data, "session")
    >>> nest.units.subjects, nest.owners.tolist()
    (('a, session 1', 'a, session 2', 'b, session 1', 'b, session 2'), [0, 0, 1, 1])
    """
    labels = _labels(data, column)
    people = data.sequences.people
    names = [
        f"{data.subjects[p]}, {column} {label}" for p, label in zip(people, labels, strict=True)
    ]
    first = {name: at for at, name in reversed(list(enumerate(names)))}
    order = sorted(first, key=lambda name: (people[first[name]], first[name]))
    number = {name: at for at, name in enumerate(order)}
    blocks = np.array([number[name] for name in names])
    owners = np.array([people[first[name]] for name in order])
    if len(np.unique(owners[1:][np.diff(owners) == 0])) < 2:
        raise InputError(f"nested='{column}' needs two people or more with several values of it.")
    unit = of_rows(data.sequences, blocks)
    rows = np.argsort(unit, kind="stable")
    frame = data.frame.assign(subject=np.array(order, dtype=object)[unit]).iloc[rows]
    units = assembled(frame, data.arms, (), data.source, data.carry)
    return Nest(column, units, owners, tuple(labels[first[name]] for name in order), blocks, rows)


def _labels(data: Choices, column: str) -> list[str]:
    """The value of every block."""
    import pandas

    if column not in data.frame.columns or column == "subject":
        others = [name for name in data.frame.columns if name != "subject"]
        raise unknown("column", column, others, where=f" in {data.source}")
    values, begins = data.frame[column].to_numpy(object), data.sequences.begins
    if pandas.isna(values).any():
        raise InputError(f"nested='{column}' needs a value in every row of {data.source}.")
    own = of_rows(data.sequences, begins)
    differs = np.flatnonzero(values != values[own])
    if len(differs):
        at = differs[0]
        raise InputError(
            f"nested='{column}' must have one value as long as beliefs go on, and subject "
            f"{data.frame['subject'].iloc[at]} has {text_of(values[own[at]])} and "
            f"{text_of(values[at])} in one block."
        )
    return [text_of(value) for value in values[begins]]
