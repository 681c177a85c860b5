"""Recorded choices of people that come with the package, with their sources and licences."""

from importlib import resources
from typing import TYPE_CHECKING, Any, NamedTuple

from armwise.errors import unknown
from armwise.fitting.choices import Choices
from armwise.fitting.load import load_choices
from armwise.fitting.task import CHANCE

if TYPE_CHECKING:
    import pandas


class Example(NamedTuple):
    """What is known of a set of recorded choices."""

    meaning: str
    reference: str
    source: str
    licence: str
    asked: tuple[tuple[str, Any], ...] = ()  # of load_choices
    best: tuple[str, float, float] | None = None  # the column of the best arm, what all arms pay


EXAMPLES = {
    "reversal": Example(
        "406 people, 90 trials each, three arms; the best arm, which pays with .8 instead of .2, "
        "moves every 15 trials",
        "Zorowitz, Solis, Niv & Bennett (2023), Nature Human Behaviour, "
        "doi:10.1038/s41562-023-01640-7",
        "github.com/nivlab/sciops, 01_Original/data",
        "MIT, Copyright (c) 2020 Niv Lab",
        best=("best", 0.8, 0.2),
    ),
    "temporal-reversal": Example(
        "74 people, 1000 trials each, two arms that swap their reward probabilities; 'explore' "
        "asks which of them is the right one",
        "Marković, Reiter & Kiebel (2022), Frontiers in Behavioral Neuroscience 16, "
        "doi:10.3389/fnbeh.2022.962494",
        "github.com/dimarkov/pybefit, examples/temporal_rev_learn/behavioral_data",
        "MIT, Copyright (c) 2016 Dimitrije Markovic",
        (("ignore", ["explore"]),),
    ),
}


def example(name: str = "reversal") -> Choices:
    """Recorded choices that come with the package; `armwise list` describes them.

    Where it is known how arms pay, columns such as chance_0 say so.

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
    frame = data.frame if known.best is None else _with_chances(data, *known.best)
    return Choices(**{**vars(data), "source": name, "frame": frame})


def _with_chances(data: Choices, column: str, high: float, low: float) -> "pandas.DataFrame":
    """The frame with a column of reward probabilities per arm."""
    best = data.frame[column].astype(str)
    chances = {f"{CHANCE}{arm}": (best == arm).map({True: high, False: low}) for arm in data.arms}
    return data.frame.assign(**chances)
