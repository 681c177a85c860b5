"""The style of figures: colours for colour-blind readers, sizes, labels, saving."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from armwise.errors import require

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito 2008; the first four as published.
COLOURS = {
    "B-UCB": "#0072B2",  # blue
    "O-TS": "#E69F00",  # orange
    "A-AI": "#009E73",  # green
    "G-AI": "#D55E00",  # vermilion
    "TS": "#CC79A7",  # reddish purple
    "UCB": "#56B4E9",  # sky blue
    "RC": "#000000",
}
SPARE = ("#882255", "#6E6E6E", "#997700", "#332288")  # for all other policies
LINES: tuple[Any, ...] = ("-", "-.", ":", (0, (6, 1, 1, 1, 1, 1)))  # dashed is reserved for bounds
BOUND = {"color": "#555555", "linestyle": "--", "linewidth": 1.2, "zorder": 1}
LABELS = {"rate": "regret rate  $R_t / t$", "regret": "cumulative regret  $R_t$"}
ENDINGS = (".png", ".svg", ".pdf")

SETTINGS: Any = {
    "font.size": 10,
    "axes.titlesize": 10,
    "axes.labelsize": 10,
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
    "legend.fontsize": 9,
    "legend.frameon": False,
    "lines.linewidth": 1.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "pdf.fonttype": 42,
    "svg.hashsalt": "armwise",  # equal figures give equal files
}


def looks(policies: Sequence[str]) -> list[dict[str, Any]]:
    """Colour and line style of every curve: a colour per policy, a line style per variant of it.

    >>> [look["linestyle"] for look in looks(["A-AI", "O-TS", "A-AI"])]
    ['-', '-', '-.']
    """
    strangers = [name for name in dict.fromkeys(policies) if name not in COLOURS]
    spare = {name: SPARE[i % len(SPARE)] for i, name in enumerate(strangers)}
    found = []
    for i, name in enumerate(policies):
        line = LINES[policies[:i].count(name) % len(LINES)]
        found.append({"color": COLOURS.get(name) or spare[name], "linestyle": line})
    return found


def panel(width: float = 5.6, height: float = 3.6) -> "tuple[Figure, Axes]":
    """A figure with one panel; call this and draw inside `settings()`."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots()


def settings() -> Any:
    """The context in which figures are drawn."""
    require("matplotlib")
    import matplotlib

    return matplotlib.rc_context(SETTINGS)


def save(figure: "Figure", path: str | Path) -> Path:
    """Write a figure in the format of the path's ending (.png, .svg or .pdf); return the path."""
    path = Path(path)
    undated = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
    with settings():
        figure.savefig(path, dpi=200, metadata=undated.get(path.suffix.lower()))
    return path
