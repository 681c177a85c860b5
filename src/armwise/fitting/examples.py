"""Recorded choices of people that come with the package, with their sources and licences."""

from importlib import resources
from typing import TYPE_CHECKING

from armwise.errors import unknown
from armwise.fitting.choices import Choices
from armwise.fitting.known import EXAMPLES
from armwise.fitting.load import load_choices
from armwise.fitting.task import THETA

if TYPE_CHECKING:
    import pandas


def example(name: str = "reversal") -> Choices:
    """Recorded choices that come with the package; `armwise list` describes them.

    Where it is known how arms pay, columns such as theta_0 say so.

    >>> from armwise import *
    >>> example("reversal")
    Choices of 406 people: 36,540 choices among 3 arms (0, 1, 2), from reversal.
    """
    if name not in EXAMPLES:
        raise unknown("example", name, EXAMPLES)
    found = resources.files("armwise.fitting") / "data" / f"{name}.csv.xz"
    known = EXAMPLES[name]
    with resources.as_file(found) as path:
        data = load_choices(path, **dict(known.asked))
    frame = data.frame if known.best is None else _with_thetas(data, *known.best)
    return Choices(**{**vars(data), "source": name, "frame": frame})


def _with_thetas(data: Choices, column: str, high: float, low: float) -> "pandas.DataFrame":
    """The frame with a column of reward probabilities per arm."""
    best = data.frame[column].astype(str)
    thetas = {f"{THETA}{arm}": (best == arm).map({True: high, False: low}) for arm in data.arms}
    return data.frame.assign(**thetas)
