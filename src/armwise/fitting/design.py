"""What is known of people besides their choices: groups to compare, numbers to regress on."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from armwise.errors import InputError, brief, listed
from armwise.fitting.choices import Choices


class Design(NamedTuple):
    """Columns [person, effect] that shift the means of people: x ~ normal(mu + B row, Sigma).

    Every column has mean 0, so mu is the mean of a person like those in the data.
    """

    names: tuple[str, ...]
    columns: np.ndarray
    notes: tuple[str, ...] = ()


def design_of(data: Choices, by: str | None = None, regress: Sequence[str] | str = ()) -> Design:
    """The design for a column of groups and for columns of numbers.

    >>> from armwise import *
    >>> data = example("reversal")
    >>> design_of(data, by="platform").names
    ('platform=prolific',)
    """
    names: list[str] = []
    columns: list[np.ndarray] = []
    notes: list[str] = []
    if by is not None:
        labels = _present(data, by).astype(str)
        levels = sorted(set(labels))
        if len(levels) < 2 or len(levels) > max(2, len(data) // 2):
            raise InputError(
                f"by='{by}' must make at least two groups of two people, and the column has "
                f"{len(levels)} value{'s' * (len(levels) != 1)} among {len(data)} people."
            )
        names += [f"{by}={level}" for level in levels[1:]]
        columns += [(labels == level).astype(float) for level in levels[1:]]
        counts = ", ".join(f"{level} ({(labels == level).sum()})" for level in levels)
        notes.append(
            f"People are compared by {by}: {counts}; effects are differences from {levels[0]} on "
            "the real line."
        )
    wanted = [regress] if isinstance(regress, str) else listed("regress", regress, '["age"]')
    for name in wanted:
        values = _numbers(data, name)
        names.append(str(name))
        columns.append(values / values.std())
    if wanted:
        notes.append(
            f"Effects of {', '.join(map(str, wanted))} are those of one standard deviation, on "
            "the real line."
        )
    matrix = np.stack(columns, axis=1) if columns else np.zeros((len(data), 0))
    matrix = matrix - matrix.mean(axis=0) if len(data) else matrix
    if np.linalg.matrix_rank(np.column_stack([np.ones(len(data)), matrix])) <= len(names):
        raise InputError(
            f"{', '.join(names)} say the same about {len(data)} people: leave some of them out."
        )
    return Design(tuple(names), matrix, tuple(notes))


def _present(data: Choices, name: Any) -> np.ndarray:
    """A value for every person; raise InputError where there is none."""
    import pandas

    values = data.of_person(str(name))
    absent = np.flatnonzero(pandas.isna(values))
    if len(absent):
        raise InputError(
            f"'{name}' has no value for subject {data.subjects[absent[0]]}"
            + (f" and {len(absent) - 1} more" if len(absent) > 1 else "")
            + ": leave these people out with data.only(...)."
        )
    return np.asarray(values)


def _numbers(data: Choices, name: Any) -> np.ndarray:
    found = _present(data, name)
    try:
        values = found.astype(float)
    except (TypeError, ValueError):
        raise InputError(
            f"'{name}' must hold numbers to regress on, not {brief(found[0])}; by='{name}' "
            "compares groups."
        ) from None
    if not np.isfinite(values).all() or values.std() == 0.0:
        raise InputError(f"'{name}' must hold finite numbers that differ between people.")
    return values
