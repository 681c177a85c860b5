"""Table 1: the time of one trial (choice and learning) of 1000 parallel agents."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from armwise.paper.figures import panels
from armwise.plotting import layout, style

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure


def draw(frame: "pandas.DataFrame", *, note: str = "") -> "Figure":
    """Draw a panel per number of arms: filled dots are ours, hollow dots are published."""
    from matplotlib.figure import Figure

    policies = list(dict.fromkeys(frame.policy))
    counts = sorted(set(frame.arms))
    with style.settings():
        figure = Figure(figsize=(layout.WIDTH, 1.7 + 0.22 * len(policies)), layout="constrained")
        row = figure.subplots(1, len(counts), sharex=True, sharey=True, squeeze=False)[0]
        for axes, count in zip(row, counts, strict=True):
            _panel(axes, panels.rows(frame, arms=count), policies)
            axes.set_title(panels.equals("arms", count))
            axes.set_xlabel("milliseconds")
        row[0].set_yticks(range(len(policies)), policies)
        row[0].set_ylim(len(policies) - 0.5, -0.5)
        row[0].set_xscale("log")
        layout.legend(figure, _keys(frame), title=_title(frame))
        layout.corner(figure, note)
    return figure


def _panel(axes: Any, frame: "pandas.DataFrame", policies: Sequence[str]) -> None:
    for row in frame.itertuples():
        place, colour = policies.index(row.policy), panels.look(row.policy)["color"]
        axes.plot(
            [row.milliseconds, row.published],
            [place, place],
            color="#BBBBBB",
            linewidth=1,
            zorder=1,
        )
        panels.marks(axes, [row.published], [place], colour)
        axes.plot([row.milliseconds], [place], "o", color=colour, markersize=4.5, zorder=4)
    axes.grid(axis="x", color="#EEEEEE")


def _keys(frame: "pandas.DataFrame") -> list[Any]:
    threads = int(frame.threads.iloc[0])
    plural = "s" if threads > 1 else ""
    ours = {"color": "#555555", "linestyle": "none", "marker": "o", "markersize": 4.5}
    return [layout.key(f"measured ({threads} thread{plural})", **ours), panels.published_key()]


def _title(frame: "pandas.DataFrame") -> str:
    return f"choice and learning, one trial of {int(frame.agents.iloc[0])} agents"
