"""Shared parts of the paper's figures: a grid of panels, bands, published marks, keys."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from armwise.model.roles import Bandit
from armwise.paper import published
from armwise.plotting import style
from armwise.plotting.layout import WIDTH, corner, key, legend
from armwise.sweeps.results import Results

if TYPE_CHECKING:
    import pandas
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes


SYMBOLS = {"arms": "K", "epsilon": r"\epsilon", "rho": r"\rho", "lam": r"\lambda"}
RANDOM: dict[str, Any] = {"color": "#000000", "linestyle": "--", "linewidth": 1.1, "zorder": 1}
GUIDE: dict[str, Any] = {"color": "#AA4499", "linestyle": ":", "linewidth": 1.2, "zorder": 1}
MARK: dict[str, Any] = {
    "linestyle": "none",
    "marker": "o",
    "markersize": 3.4,
    "markeredgewidth": 0.8,
}
_FIRST, _ROW = 0.9, 1.55  # height in inches: a constant part, and a part per row


class Grid:
    """Panels in rows and columns, each for one value of two parameters of the bandit."""

    def __init__(self, results: Results, row: str, column: str) -> None:
        from matplotlib.figure import Figure

        self.row, self.column = row, column
        self.rows, self.columns = sorted(results.values(row)), sorted(results.values(column))
        self.height = _FIRST + _ROW * len(self.rows)
        self.figure = Figure(figsize=(WIDTH, self.height), layout="constrained")
        shape = len(self.rows), len(self.columns)
        self.axes = self.figure.subplots(*shape, sharex=True, sharey="row", squeeze=False)
        self._titles()

    def __iter__(self) -> "Iterator[tuple[Axes, dict[str, Any]]]":
        """Every panel with its condition, such as `{"arms": 10, "rho": 0.01}`."""
        for i, row in enumerate(self.rows):
            for j, column in enumerate(self.columns):
                yield self.axes[i, j], {self.row: row, self.column: column}

    def from_zero(self, room: float = 1.0) -> None:
        """Let the axes of all rows begin at 0 once panels are drawn; `room` stretches the top."""
        for axes in self.axes[:, 0]:
            axes.set_ylim(0.0, room * axes.get_ylim()[1])

    def finish(self, x: str, y: str, handles: "Sequence[Artist]", note: str) -> Any:
        """Add labels, the legend and the note in the corner; return the figure."""
        for axes in self.axes[-1]:
            axes.set_xlabel(x)
        self.figure.supylabel(y, fontsize=style.SETTINGS["axes.labelsize"])
        legend(self.figure, handles)
        corner(self.figure, note)
        return self.figure

    def _titles(self) -> None:
        for axes, value in zip(self.axes[0], self.columns, strict=True):
            axes.set_title(equals(self.column, value))
        for axes, value in zip(self.axes[:, -1], self.rows, strict=True):
            place = {"transform": axes.transAxes, "rotation": 270, "ha": "left", "va": "center"}
            axes.text(1.07, 0.5, equals(self.row, value), **place)


def equals(name: str, value: Any) -> str:
    r"""A condition as text for a figure.

    >>> equals("epsilon", 0.05)
    '$\\epsilon = 0.05$'
    """
    return f"${SYMBOLS[name]} = {value:g}$"


def power(trial: int) -> str:
    """A trial as text, as a power of ten if it is one.

    >>> power(1000), power(2500)
    ('10^{3}', '2500')
    """
    exponent = len(str(trial)) - 1
    return f"10^{{{exponent}}}" if trial == 10**exponent else str(trial)


def computed(results: Results) -> Results:
    """The results without cells that are not in the store, so that a partial sweep can be drawn."""
    cells = [cell for cell in results.cells if results.store.has(cell)]
    return results if len(cells) == len(results.cells) else Results(cells, results.store)


def rows(frame: "pandas.DataFrame", **wanted: Any) -> "pandas.DataFrame":
    """The rows that meet all conditions; numbers to a relative 1e-9."""
    chosen = np.ones(len(frame), dtype=bool)
    for name, value in wanted.items():
        column = frame[name].to_numpy()
        number = isinstance(value, (int, float))
        chosen &= np.isclose(column.astype(float), value, rtol=1e-9) if number else column == value
    return frame[chosen]


def bandit_of(results: Results, **condition: Any) -> Bandit | None:
    """The bandit of a panel, or None if the panel is empty."""
    cells = results.select(**condition)
    return cells[0].bandit if cells else None


def band(axes: "Axes", x: Any, frame: "pandas.DataFrame", names: Sequence[str], look: Any) -> None:
    """Draw a mean with its 95 % band; `names` are the columns of mean, low and high."""
    if frame.empty:
        return
    middle, low, high = (frame[name] for name in names)
    axes.plot(x, middle, marker="o" if len(frame) == 1 else None, markersize=4, **look)
    axes.fill_between(x, low, high, color=look["color"], alpha=0.22, linewidth=0)


def published_values(figure: str, last: int) -> "pandas.DataFrame":
    """The published values up to a trial."""
    found = published.values(figure)
    return found[found.trial <= last]


def marks(axes: "Axes", x: Any, y: Any, colour: Any) -> None:
    """Draw published values as hollow, light marks in the colour of the policy."""
    axes.plot(x, y, color=_light(colour), markerfacecolor="white", zorder=3, **MARK)


def policy_keys(results: Results, policies: Sequence[str]) -> "list[Artist]":
    """Entries of the legend for policies, with lam if it is equal in all panels."""
    found = []
    for policy in policies:
        if not results.select(policy=policy):
            continue
        lams = results.values("lam", policy=policy)
        label = f"{policy} (${SYMBOLS['lam']} = {lams[0]:g}$)" if len(lams) == 1 else policy
        found.append(key(label, **look(policy)))
    return found


def published_key() -> "Artist":
    """The entry of the legend for published values."""
    return key("published", color="#777777", markerfacecolor="white", **MARK)


def look(policy: str) -> dict[str, Any]:
    """The colour and line style of a policy; random choice is dashed."""
    return RANDOM | {"zorder": 2} if policy == "RC" else style.looks([policy])[0]


def _light(colour: Any) -> tuple[float, ...]:
    """A colour halfway to white."""
    from matplotlib.colors import to_rgb

    return tuple(0.45 + 0.55 * part for part in to_rgb(colour))
