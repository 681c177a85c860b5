"""What recorded choices come with the package, by name."""

from typing import Any, NamedTuple


class Example(NamedTuple):
    """What is known of a set of recorded choices."""

    meaning: str
    reference: str
    source: str
    licence: str
    asked: tuple[tuple[str, Any], ...] = ()  # of load_choices
    best: tuple[str, float, float] | None = None  # the column of the best arm, what all arms pay

    def described(self) -> dict[str, str]:
        """What a reader wants to know of it."""
        names = ("meaning", "reference", "source", "licence")
        return {name: str(getattr(self, name)) for name in names}


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
