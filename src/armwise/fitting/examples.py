"""Recorded choices of people that come with the package, with their sources and licences."""

from importlib import resources
from typing import Any, NamedTuple

from armwise.errors import unknown
from armwise.fitting.choices import Choices
from armwise.fitting.load import load_choices


class Example(NamedTuple):
    """What is known of a set of recorded choices."""

    meaning: str
    reference: str
    source: str
    licence: str
    asked: dict[str, Any]  # for load_choices


EXAMPLES = {
    "reversal": Example(
        "406 people, 90 trials each, three arms; the best arm, which pays with .8 instead of .2, "
        "moves every 15 trials",
        "Zorowitz, Solis, Niv & Bennett (2023), Nature Human Behaviour, "
        "doi:10.1038/s41562-023-01640-7",
        "github.com/nivlab/sciops, 01_Original/data",
        "MIT, Copyright (c) 2020 Niv Lab",
        {},
    ),
    "temporal-reversal": Example(
        "74 people, 1000 trials each, two arms that swap their reward probabilities; 'explore' "
        "asks which of them is the right one",
        "Marković, Reiter & Kiebel (2022), Frontiers in Behavioral Neuroscience 16, "
        "doi:10.3389/fnbeh.2022.962494",
        "github.com/dimarkov/pybefit, examples/temporal_rev_learn/behavioral_data",
        "MIT, Copyright (c) 2016 Dimitrije Markovic",
        {"ignore": ["explore"]},
    ),
}


def example(name: str = "reversal") -> Choices:
    """Recorded choices that come with the package; `armwise list` describes them.

    >>> from armwise import *
    >>> example("reversal")
    Choices of 406 people: 36,540 choices among 3 arms (0, 1, 2), from reversal.
    """
    if name not in EXAMPLES:
        raise unknown("example", name, EXAMPLES)
    found = resources.files("armwise.fitting") / "data" / f"{name}.csv.xz"
    with resources.as_file(found) as path:
        data = load_choices(path, **EXAMPLES[name].asked)
    return Choices(**{**vars(data), "source": name})
