"""Recorded choices of people: checked, sorted, and as the kernels read them."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from armwise.engine.batch import Sequences
from armwise.errors import InputError, unknown
from armwise.fitting.labels import text_of
from armwise.fitting.offers import available_of, shown_of

if TYPE_CHECKING:
    import pandas

TAKEN = re.compile(r"[\d,]+ of ([\d,]+) people were taken\.")


@dataclass(frozen=True, repr=False, eq=False)
class Choices:
    """Recorded choices of people, checked; `load_choices` makes them.

    `frame` has one row per trial: subject, session (if there are several), block, trial, choice
    (the label of an arm, missing where none was chosen), outcome, and the further columns of the
    source. `sequences` holds the same rows as numbers, in the same order.

    >>> from armwise import *
    >>> data = load_choices([([0, 1, 1], [1, 0, 1]), ([1, 0, None], [1, 1, None])])
    >>> data
    Choices of 2 people: 5 choices among 2 arms (0, 1), from the list.
    >>> data.only(["2"]).sequences.choices.tolist()
    [1, 0, -1]
    """

    sequences: Sequences
    subjects: tuple[str, ...]
    arms: tuple[str, ...]
    frame: "pandas.DataFrame"
    notes: tuple[str, ...]
    source: str
    carry: bool = False  # whether beliefs carry over from block to block

    def __len__(self) -> int:
        return len(self.subjects)

    def __repr__(self) -> str:
        chosen = int((self.sequences.choices >= 0).sum())
        names = self.arms if len(self.arms) <= 6 else (*self.arms[:5], "...", self.arms[-1])
        people = "1 person" if len(self) == 1 else f"{len(self):,} people"
        return (
            f"Choices of {people}: {chosen:,} choices among {len(self.arms)} arms "
            f"({', '.join(names)}), from {self.source}."
        )

    def _repr_html_(self) -> str:
        notes = "".join(f"<li>{escape(note)}</li>" for note in self.notes)
        return f"<p>{escape(repr(self))}</p>" + (f"<ul>{notes}</ul>" if notes else "")

    @property
    def real(self) -> bool:
        """Whether outcomes are real numbers, instead of 0 and 1."""
        return self.sequences.outcomes.dtype.kind == "f"

    @property
    def persons(self) -> np.ndarray:
        """For every row of the frame the person, from 0 up."""
        return of_rows(self.sequences, self.sequences.people)

    def of_person(self, column: str) -> np.ndarray:
        """The one value that a column has for each person.

        >>> from armwise import *
        >>> example("reversal").of_person("platform")[:2].tolist()
        ['mturk', 'mturk']
        """
        if column not in self.frame.columns:
            raise unknown("column", column, self.frame.columns, where=f" in {self.source}")
        groups = self.frame.groupby(self.persons)[column]
        varying = np.flatnonzero(groups.nunique(dropna=False).to_numpy() > 1)
        if len(varying):
            one = self.frame[column][self.persons == varying[0]].unique()[:2]
            raise InputError(
                f"'{column}' must have one value per person, and subject "
                f"{self.subjects[varying[0]]} has {one[0]} and {one[1]}."
            )
        return groups.nth(0).to_numpy()

    def only(self, subjects: Iterable[Any]) -> "Choices":
        """The choices of some people: their labels, or True and False for everybody.

        >>> from armwise import *
        >>> data = example("reversal")
        >>> len(data.only(data.of_person("attentive") == 1))
        301
        """
        chosen = self._mask(list(subjects))
        if not chosen.any():
            raise InputError(f"Nobody of the {len(self)} people is left.")
        frame = self.frame[chosen[self.persons]]
        before = [TAKEN.fullmatch(note) for note in self.notes]
        everybody = next((found[1] for found in before if found), f"{len(self):,}")
        notes = [n for n, found in zip(self.notes, before, strict=True) if not found]
        notes.append(f"{int(chosen.sum()):,} of {everybody} people were taken.")
        return assembled(frame, self.arms, notes, self.source, self.carry)

    def people(self) -> "pandas.DataFrame":
        """One row per person: how much was chosen, missed and won, and the arm taken most.

        Where outcomes are real, `won` is their mean.

        >>> from armwise import *
        >>> load_choices([([0, 1, 1], [1, 0, 1])]).people().round(2).iloc[0].to_dict()
        {'trials': 3, 'free': 3, 'missed': 0, 'won': 0.67, 'most': '1', 'share': 0.67, 'stay': 0.5}
        """
        import pandas

        data, persons = self.sequences, self.persons
        count = np.zeros((len(self), len(self.arms)))
        np.add.at(count, (persons[data.choices >= 0], data.choices[data.choices >= 0]), 1)
        chosen = count.sum(axis=1)
        same, pairs = repeats(data)

        def total(mask: np.ndarray) -> np.ndarray:
            return np.bincount(persons[mask], minlength=len(self))

        columns = {
            "trials": total(np.full(len(persons), True)),
            "free": total(data.scored),
            "missed": total(data.choices < 0),
            "won": np.bincount(persons, np.where(data.choices >= 0, data.outcomes, 0)) / chosen,
            "most": [self.arms[arm] for arm in count.argmax(axis=1)],
            "share": count.max(axis=1) / chosen,
            "stay": total(same) / np.maximum(1, total(pairs)),
        }
        return pandas.DataFrame(columns, index=pandas.Index(self.subjects, name="subject"))

    def _mask(self, wanted: list[Any]) -> np.ndarray:
        if wanted and all(isinstance(each, (bool, np.bool_)) for each in wanted):
            if len(wanted) != len(self):
                raise InputError(f"{len(self)} people need as many answers, not {len(wanted)}.")
            return np.array(wanted, dtype=bool)
        labels = [text_of(each) for each in wanted]
        for label in labels:
            if label not in self.subjects:
                raise unknown("subject", label, self.subjects, where=f" in {self.source}")
        return np.isin(self.subjects, labels)


def same_choices(one: Choices, other: Choices) -> bool:
    """Whether two sets of choices are the same to the last trial."""
    pairs: Any = zip(one.sequences, other.sequences, strict=True)
    return all(np.array_equal(a, b) for a, b in pairs)


def one_armed(data: Choices) -> np.ndarray:
    """Who chose one arm in all trials that count, if these are ten or more, [person].

    >>> from armwise import *
    >>> one_armed(load_choices([([0] * 12, [1] * 12), ([0, 1] * 6, [1] * 12)])).tolist()
    [True, False]
    """
    found, persons = data.sequences, data.persons
    count = np.zeros((len(data), len(data.arms)))
    np.add.at(count, (persons[found.scored], found.choices[found.scored]), 1)
    return (count.max(axis=1) == count.sum(axis=1)) & (count.sum(axis=1) >= 10)


def of_rows(data: Sequences, per_block: np.ndarray) -> np.ndarray:
    """What is known of every block, for every row."""
    lengths = np.diff(np.append(data.begins, len(data.choices)))
    return np.repeat(per_block, lengths)


def repeats(data: Sequences) -> tuple[np.ndarray, np.ndarray]:
    """Rows whose choice is that of the row before, and rows that can be compared so."""
    before = np.append(-1, data.choices[:-1])
    before[data.begins] = -1
    pairs = (before >= 0) & (data.choices >= 0)
    return pairs & (before == data.choices), pairs


def assembled(
    frame: "pandas.DataFrame",
    arms: tuple[str, ...],
    notes: Iterable[str],
    source: str,
    carry: bool = False,
) -> Choices:
    """Choices from rows that are checked and sorted; `choice` is a category with all arms."""
    subjects = tuple(dict.fromkeys(frame["subject"]))
    levels = [name for name in ("subject", "session", "block") if name in frame.columns]
    levels = [name for name in levels if not (carry and name == "block")]
    changes = (frame[levels] != frame[levels].shift()).any(axis=1).to_numpy()
    begins = np.union1d(0, np.flatnonzero(changes))
    person = {label: number for number, label in enumerate(subjects)}
    chosen = frame["choice"].cat.codes.to_numpy(np.int64)
    real = frame["outcome"].dtype.kind == "f"
    forced = frame["forced"].to_numpy() == 1 if "forced" in frame.columns else False
    data = Sequences(
        choices=chosen,
        outcomes=frame["outcome"].fillna(0).to_numpy(float if real else np.int64),
        scored=(chosen >= 0) & ~np.asarray(forced),
        begins=begins.astype(np.int64),
        people=np.array([person[label] for label in frame["subject"].iloc[begins]], dtype=np.int64),
        arms=len(arms),
        available=available_of(frame, arms),
        shown=shown_of(frame, arms),
    )
    return Choices(data, subjects, arms, frame, tuple(notes), source, carry)
