"""Parts of a figure's layout: a legend above the panels, and a note in the corner."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.artist import Artist

WIDTH = 7.0  # inches, the width of a page
_NOTE_ROOM = 0.24  # inches below the panels


def key(label: str, **look: Any) -> "Artist":
    """An entry of the legend."""
    from matplotlib.lines import Line2D

    return Line2D([], [], label=label, **look)


def legend(figure: Any, handles: "Sequence[Artist]", ncols: int = 6, title: str = "") -> None:
    """Add a legend above the panels, in lines of at most `ncols` entries."""
    lines = math.ceil(len(handles) / ncols)
    figure.legend(
        handles=list(handles),
        loc="outside upper center",
        ncols=math.ceil(len(handles) / lines),
        columnspacing=1.4,
        title=title or None,
        handlelength=2.2,
    )


def corner(figure: Any, note: str) -> None:
    """Add a note in the lower right corner, below the panels."""
    if not note:
        return
    share = _NOTE_ROOM / figure.get_figheight()
    figure.get_layout_engine().set(rect=(0.0, share, 1.0, 1.0 - share))
    place = {"ha": "right", "va": "bottom", "fontsize": 8, "color": "#555555"}
    figure.text(0.995, 0.2 * share, note, **place)
