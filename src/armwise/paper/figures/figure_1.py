"""Figure 1: the generative model, and how beliefs lead to choices, as a graph."""

from typing import TYPE_CHECKING, Any

from armwise.plotting import layout, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

RADIUS = 0.36
OBSERVED, LATENT, BELIEF = "#C9C9C9", "#FFFFFF", "#F7E1D4"
RED, GREY = "#CC3311", "#777777"
DASHES: Any = (0, (4, 2))
Point = tuple[float, float]

# Name: (x, y, text, colour). Circles are random variables, boxes are beliefs.
NODES: dict[str, tuple[float, float, str, str]] = {
    "j0": (1.3, 4.5, r"$j_{t-1}$", LATENT),
    "theta0": (1.3, 3.2, r"$\vec{\theta}_{t-1}$", LATENT),
    "o0": (1.3, 1.9, r"$o_{t-1}$", OBSERVED),
    "a0": (2.5, 1.2, r"$a_{t-1}$", OBSERVED),
    "j1": (5.0, 4.5, r"$j_t$", LATENT),
    "theta1": (5.0, 3.2, r"$\vec{\theta}_t$", LATENT),
    "o1": (5.0, 1.9, r"$o_t$", OBSERVED),
    "a1": (6.2, 1.2, r"$a_t$", OBSERVED),
}
BELIEFS = {"b0": (2.5, 0.0, r"$p(\vec{\theta}_{t-1}, j_{t-1} \mid o_{1:t-2}, a_{1:t-2})$")}
BELIEFS["b1"] = (6.2, 0.0, r"$p(\vec{\theta}_t, j_t \mid o_{1:t-1}, a_{1:t-1})$")
CAUSES = [
    (f"{a}{i}", f"{b}{i}") for i in (0, 1) for a, b in (("j", "theta"), ("theta", "o"), ("a", "o"))
]
CAUSES.append(("theta0", "theta1"))


def draw(results: Any = None, *, note: str = "") -> "Figure":
    """Draw two trials of the model: observed nodes are shaded, choices by beliefs are dashed."""
    from matplotlib.figure import Figure

    with style.settings():
        figure = Figure(figsize=(5.6, 4.2), layout="constrained")
        axes = figure.subplots()
        for name, (x, y, text, colour) in NODES.items():
            _circle(axes, x, y, text, colour, name)
        for name, (x, y, text) in BELIEFS.items():
            _box(axes, x, y, text, name)
        for start, end in CAUSES:
            _arrow(axes, _rim(start, _place(end)), _rim(end, _place(start)))
        _beliefs(axes)
        _ends(axes)
        axes.set(xlim=(-0.2, 8.2), ylim=(-0.4, 4.95), aspect="equal")
        axes.axis("off")
        layout.legend(figure, _keys(), ncols=3)
        layout.corner(figure, note)
    return figure


def _place(name: str) -> Point:
    return NODES[name][:2]


def _circle(axes: "Axes", x: float, y: float, text: str, colour: str, name: str) -> None:
    from matplotlib.patches import Circle

    patch = Circle((x, y), RADIUS, facecolor=colour, edgecolor="black", linewidth=1.2, zorder=2)
    patch.set_gid(name)
    axes.add_patch(patch)
    axes.text(x, y, text, ha="center", va="center", fontsize=12, zorder=3)


def _box(axes: "Axes", x: float, y: float, text: str, name: str) -> None:
    box = {"boxstyle": "round,pad=0.45", "facecolor": BELIEF, "edgecolor": RED}
    found = axes.text(x, y, text, ha="center", va="center", fontsize=9.5, bbox=box, zorder=3)
    found.set_gid(name)


def _arrow(axes: "Axes", start: Point, end: Point, **options: Any) -> None:
    from matplotlib.patches import FancyArrowPatch

    look: dict[str, Any] = {
        "arrowstyle": "-|>",
        "mutation_scale": 13,
        "linewidth": 1.2,
        "color": "black",
    }
    axes.add_patch(FancyArrowPatch(start, end, shrinkA=0, shrinkB=0, **(look | options)))


def _rim(name: str, towards: Point) -> Point:
    """The point of a circle that is nearest to another point."""
    x, y = _place(name)
    dx, dy = towards[0] - x, towards[1] - y
    share = RADIUS / (dx * dx + dy * dy) ** 0.5
    return x + share * dx, y + share * dy


def _beliefs(axes: "Axes") -> None:
    """Draw arrows from beliefs to choices, and from earlier beliefs and outcomes to beliefs."""
    past = {"color": GREY, "linewidth": 1.0}
    for number in (0, 1):
        below = (_place(f"a{number}")[0], 0.3)
        _arrow(axes, below, _rim(f"a{number}", below), color=RED, linestyle=DASHES)
    above = (5.75, 0.3)
    _arrow(axes, _rim("o0", (3.0, 1.95)), above, connectionstyle="arc3,rad=-0.3", **past)
    _arrow(axes, _rim("a0", (5.15, 0.3)), (5.15, 0.3), **past)
    _arrow(axes, (4.0, 0.0), (4.93, 0.0), **past)


def _ends(axes: "Axes") -> None:
    """Draw dots on both sides, where the chain goes on."""
    y = _place("theta0")[1]
    for x, start, end in (
        (-0.1, (0.1, y), _rim("theta0", (0.0, y))),
        (7.05, _rim("theta1", (7.0, y)), (6.85, y)),
    ):
        _arrow(axes, start, end)
        axes.text(x, y, r"$\cdots$", ha="center", va="center", fontsize=12)


def _keys() -> list[Any]:
    circle = {"linestyle": "none", "marker": "o", "markersize": 9, "markeredgecolor": "black"}
    return [
        layout.key("observed", markerfacecolor=OBSERVED, **circle),
        layout.key("latent", markerfacecolor=LATENT, **circle),
        layout.key("causes", color="black", linewidth=1.2),
        layout.key("chosen from beliefs", color=RED, linewidth=1.2, linestyle=DASHES),
        layout.key("learnt from the past", color=GREY, linewidth=1.0),
    ]
