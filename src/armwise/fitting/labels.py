"""Labels as text, their natural order, and which of them are arms."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from armwise.errors import InputError, listed, whole_number
from armwise.fitting.sources import MISSING
from armwise.model.draws import ARMS_MAX

if TYPE_CHECKING:
    import pandas

SHOWN = 12  # labels that a message lists


class StrayLabel(InputError):  # noqa: N818 - a label that is wrong, and may be a slip in one row
    """Labels are no arms as they stand; `label` is the one whose row a message should name."""

    def __init__(self, label: str, sentence: str) -> None:
        super().__init__(sentence)
        self.label = label


def coded(column: "pandas.Series") -> tuple[np.ndarray, list[str]]:
    """A number for every value of a column, -1 where it is missing, and the labels as text.

    >>> import pandas
    >>> codes, labels = coded(pandas.Series(["b", 1, 1.0, None, " b"]))
    >>> codes.tolist(), labels
    ([0, 1, 1, -1, 0], ['b', '1'])
    """
    import pandas

    plain = column.astype(object).to_numpy()
    first, values = pandas.factorize(plain)
    texts = np.array([None if gone(value) else text_of(value) for value in values], dtype=object)
    second, labels = pandas.factorize(texts)
    return np.append(second, -1)[first], list(labels)


def gone(value: Any) -> bool:
    """Whether a value stands for none."""
    return isinstance(value, str) and value.strip() in MISSING


def text_of(value: Any) -> str:
    """A label as text; 1, 1.0, "1" and "1.0" are the same label.

    >>> [text_of(value) for value in (1, 1.0, " 1.0", "left", True)]
    ['1', '1', '1', 'left', '1']
    """
    if isinstance(value, (bool, np.bool_)):
        return str(int(value))
    text = str(value).strip()
    return text[:-2] if re.fullmatch(r"-?\d+\.0", text) else text


def natural(labels: Sequence[str]) -> list[int]:
    """The order of labels: numbers by their size, text with the numbers in it.

    >>> natural(["ses-10", "ses-2", "ses-1"])
    [2, 1, 0]
    """

    def key(at: int) -> tuple:
        try:
            return (0, float(labels[at]), "")
        except ValueError:
            parts = re.split(r"(\d+)", labels[at].casefold())
            return (1, *((0, int(p), "") if p.isdigit() else (1, 0, p) for p in parts), labels[at])

    return sorted(range(len(labels)), key=key)


def arms_among(found: Sequence[str], arms: Any) -> tuple[tuple[str, ...], list[str]]:
    """The labels of all arms in their order, and what was recognised, in sentences.

    `arms` is their number, their labels, or None. A label that is no arm is refused elsewhere.

    >>> arms_among(["2", "1", "3"], None)
    (('1', '2', '3'), ['Arms are counted from 1 (1 to 3).'])
    >>> arms_among(["right", "left"], None)[0]
    ('left', 'right')
    """
    if arms is not None and not _is_number(arms):
        return _named(arms), []
    count = None if arms is None else whole_number("arms", arms, 2, ARMS_MAX)
    if not found:
        raise InputError("There is no choice at all.")
    if all(re.fullmatch(r"-?\d+", label) for label in found):
        return _numbered(sorted(map(int, found)), count)
    names = [found[at] for at in natural(found)]
    _refuse_alike(names, found)
    if len(names) != (count or max(2, len(names))):
        raise InputError(
            f"Choices name {len(names)} of {count or 'at least two'} arms, {shown(names)}: name "
            "all of them, such as arms=['left', 'right']."
        )
    return tuple(names), [f"Arms are {shown(names)}, in this order."]


def shown(labels: Sequence[str]) -> str:
    """A few labels, and how many more there are."""
    more = f" and {len(labels) - SHOWN} more" if len(labels) > SHOWN else ""
    return ", ".join(labels[:SHOWN]) + more


def _is_number(arms: Any) -> bool:
    return isinstance(arms, (int, float, np.integer, np.floating))


def _named(arms: Any) -> tuple[str, ...]:
    names = tuple(text_of(label) for label in listed("arms", arms, "['left', 'right']"))
    if not 2 <= len(names) < ARMS_MAX or len(set(names)) < len(names) or "" in names:
        raise InputError(
            f"arms must be two or more different labels, not {shown(names) or 'none'}."
        )
    return names


def _numbered(found: list[int], count: int | None) -> tuple[tuple[str, ...], list[str]]:
    """Arms that are numbers, counted from 0 or from 1."""
    low, high = found[0], found[-1]
    if low < 0:
        raise StrayLabel(
            str(low),
            f"arms are counted from 0 or 1, and a choice is {low}: ignore=[{low}] passes over "
            "such trials.",
        )
    if count is None:
        _refuse_gaps(found)
        count = len(found)
    elif low > 0 and high < count:
        raise InputError(
            f"Choices name the arms {low} to {high} of {count}, counted from 0 or from 1: name "
            f"them (arms=range({count}) or arms=range(1, {count + 1}))."
        )
    begin = 1 if low > 0 else 0
    names = tuple(str(arm) for arm in range(begin, begin + count))
    return names, [f"Arms are counted from 1 (1 to {count})."] if begin else []


def _refuse_gaps(found: list[int]) -> None:
    """Refuse numbers that leave one out: it may be an arm that nobody chose, or a slip."""
    before = 0 if found[0] else -1  # counted from 1 or from 0
    label = next((each for at, each in enumerate(found, before + 1) if each != at), None)
    ask = f"say how many arms there are (arms={max(2, found[-1] + 1)}), or name them all"
    if label is not None:
        names = shown([str(arm) for arm in found])
        raise StrayLabel(
            str(label),
            f"there is arm {label}, and no arm {label - 1} (choices name {names}): correct it, or "
            f"{ask} (arms=['1', '2', '4']).",
        )
    if len(found) == 1:
        raise InputError(f"Choices name one arm alone, {found[0]}: {ask} (arms=['0', '1']).")


def _refuse_alike(names: Sequence[str], found: Sequence[str]) -> None:
    """Refuse labels that differ in capitals alone; the one that came later is in question."""
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(name.casefold(), name)
        if other != name:
            raise StrayLabel(
                max(name, other, key=found.index),
                f"'{other}' and '{name}' look like one arm: write them alike, or name all arms "
                f"(arms={list(names)[:SHOWN]}).",
            )
