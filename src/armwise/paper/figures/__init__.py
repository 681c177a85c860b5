"""Figures: one file each, `draw(results) -> Figure`. They read results and do not simulate.

`FIGURES` lists those of the paper in its order; nothing is imported before it is drawn.
"""

import importlib
from collections.abc import Callable
from typing import Any, NamedTuple

from armwise.errors import unknown


class Entry(NamedTuple):
    """A figure of the paper: the sweep that it shows (or None), its function, its title."""

    sweep: str | None
    path: str
    title: str


FIGURES: dict[str, Entry] = {
    "1": Entry(None, "figure_1:draw", "The generative model"),
    "2": Entry("figure-2", "figure_2:draw", "Stationary bandit: regret rate against lambda"),
    "3": Entry("figure-3", "figure_3:draw", "Stationary bandit: cumulative regret"),
    "4": Entry("figure-4", "figure_4:draw", "Switching bandit, epsilon = .1: regret rate"),
    "5": Entry("figure-5", "figure_5:draw", "Switching bandit, 40 arms: regret rate"),
    "6": Entry("figure-6", "figure_6:draw", "Bandit of varying difficulty: regret rate"),
    "S1": Entry("figure-3", "figure_s1:draw", "Stationary bandit: regret at the horizon"),
    "S2": Entry("figure-s2", "figure_s2:draw", "Switching bandit: regret rate against lambda"),
    "S3": Entry("figure-s3", "figure_s3:draw", "Varying difficulty: regret rate against lambda"),
    "table1": Entry(None, "table_1:draw", "Time of one trial of 1000 agents"),
}


def file_of(figure: str) -> str:
    """The file name of a figure.

    >>> file_of("S2"), file_of("table1")
    ('figure-s2.png', 'table-1.png')
    """
    return "table-1.png" if figure == "table1" else f"figure-{figure.lower()}.png"


def name_of(figure: str) -> str:
    """The name of a figure in texts.

    >>> name_of("S2"), name_of("table1")
    ('Figure S2', 'Table 1')
    """
    return "Table 1" if figure == "table1" else f"Figure {figure}"


def drawer(figure: str) -> Callable[..., Any]:
    """The function that draws a figure: `draw(results, *, note="")`.

    Figure 1 needs no results; table 1 takes the frame that `timing.measure` returns.

    >>> drawer("S2").__module__
    'armwise.paper.figures.figure_s2'
    """
    if figure not in FIGURES:
        raise unknown("figure", figure, FIGURES)
    module, _, name = FIGURES[figure].path.partition(":")
    return getattr(importlib.import_module(f"{__name__}.{module}"), name)
