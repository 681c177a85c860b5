"""Small multiples: a measure against the trial or a parameter, in rows and columns by condition."""

from typing import TYPE_CHECKING, Any

import numpy as np

from armwise.analysis.regret import binomial_interval
from armwise.errors import InputError, unknown
from armwise.plotting import style

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MEASURES = {
    "rate": style.LABELS["rate"],
    "regret": style.LABELS["regret"],
    "stuck": "fraction stuck",
}
_COLUMNS = {"rate": ("rate", "rate_low", "rate_high"), "regret": ("regret", "low", "high")}
_COMPUTED = ("trial", "regret", "sem", "low", "high", "rate", "rate_low", "rate_high", "stuck")
_PANEL = 2.3, 1.9  # inches
_SEQUENCE_FROM = 8  # from this many numbers on, colours come from a scale, not from the palette
PANELS_MAX = 144


def draw(
    table: "pandas.DataFrame",
    measure: str = "rate",
    x: str = "trial",
    hue: str | None = "policy",
    row: str | None = None,
    col: str | None = None,
    trial: int | None = None,
) -> "Figure":
    """Draw a panel per value of `row` and `col`, with a curve and 95 % band per value of `hue`.

    `table` is `Results.table()`. If `x` is a parameter, the measure is taken at `trial`, or else at
    the last trial of each cell.
    """
    table = _prepared(table, measure, [x, hue, row, col], trial if x != "trial" else None)
    if x != "trial" and trial is None:
        table = table[table.trial == table.horizon]
    _refuse_mixtures(table, [name for name in (x, hue, row, col) if name])
    rows, cols = _values(table, row), _values(table, col)
    if len(rows) * len(cols) > PANELS_MAX:
        raise InputError(f"{len(rows)} x {len(cols)} panels are too many for one figure.")
    with style.settings():
        return _drawn(table, measure, x, hue, (row, rows), (col, cols))


def conditions_of(table: "pandas.DataFrame") -> list[str]:
    """The columns that describe the cell of a row."""
    return [str(name) for name in table.columns if name not in _COMPUTED]


def _prepared(
    table: "pandas.DataFrame", measure: str, names: list[str | None], trial: int | None
) -> "pandas.DataFrame":
    if measure not in MEASURES:
        raise unknown("measure", measure, MEASURES)
    known = [*conditions_of(table), "trial"]
    for name in filter(None, names):
        if name not in known:
            raise unknown("condition", name, known)
    if measure == "stuck":
        if "stuck" not in table or table.stuck.isna().all():
            raise InputError("Stuck agents need a bandit with epsilon, and this store has none.")
        table = table[table.stuck.notna()]
    if trial is not None:
        marks = sorted(set(table.trial))
        if trial not in marks:
            near = min(marks, key=lambda mark: abs(mark - trial))
            raise InputError(f"--trial must be a checkpoint, such as {near}, not {trial}.")
        table = table[table.trial == trial]
    return table


def _refuse_mixtures(table: "pandas.DataFrame", names: list[str]) -> None:
    """Raise InputError unless every point belongs to one cell; the message says what differs."""
    if "trial" not in names:
        names = [*names, "trial"] if table.trial.nunique() == 1 else names
    groups = table.groupby(names, dropna=False, observed=True)
    if groups.size().max() <= 1:
        return
    counts = groups.nunique(dropna=False).max()
    several = [name for name in conditions_of(table) if name not in names and counts[name] > 1]
    name = several[0] if several else "trial"
    values = ", ".join(f"{value}" for value in _values(table, name)[:6])
    raise InputError(
        f"{name} takes several values ({values}) in one curve: give it to --x, --hue, --row or "
        f"--col, or choose one with --where {name}=..."
    )


def _drawn(
    table: "pandas.DataFrame", measure: str, x: str, hue: str | None, row: Any, col: Any
) -> "Figure":
    from matplotlib.figure import Figure

    (row_name, rows), (col_name, cols) = row, col
    width, height = _PANEL
    size = (max(4.2, 0.9 + width * len(cols)), max(2.8, 1.0 + height * len(rows)))
    figure = Figure(figsize=size, layout="constrained")
    grid = figure.subplots(len(rows), len(cols), sharex=True, sharey=True, squeeze=False)
    hues = _values(table, hue)
    looks = dict(zip(hues, _looks(hue, hues), strict=True))
    for i, upper in enumerate(rows):
        for j, left in enumerate(cols):
            part = _where(_where(table, row_name, upper), col_name, left)
            for value, look in looks.items():
                _curve(grid[i, j], _where(part, hue, value), measure, x, _short(value), look)
            grid[i, j].set_title(_heading((row_name, upper), (col_name, left)))
    _frame(figure, grid, table, measure, x)
    if len(hues) > 1:
        _legend(figure, grid, hue, hues)
    return figure


def _curve(
    axes: "Axes", part: "pandas.DataFrame", measure: str, x: str, label: str, look: dict[str, Any]
) -> None:
    part = part[part[x].notna()].sort_values(x)
    if not len(part):
        return
    places = part[x].tolist()
    middle, low, high = _band(part, measure)
    words = isinstance(places[0], str)
    if words:
        error = np.vstack([middle - low, high - middle])
        axes.errorbar(
            places, middle, np.nan_to_num(error), fmt="o", label=label, color=look["color"]
        )
        return
    mark = "o" if len(places) == 1 else None
    axes.plot(places, middle, label=label, marker=mark, **look)
    axes.fill_between(places, low, high, color=look["color"], alpha=0.2, linewidth=0)


def _band(part: "pandas.DataFrame", measure: str) -> list[np.ndarray]:
    if measure != "stuck":
        return [part[name].to_numpy(dtype=float) for name in _COLUMNS[measure]]
    counts = zip(part.stuck, part.agents, strict=True)
    found = [binomial_interval(round(share * n), int(n))[:3] for share, n in counts]
    return [np.array(column) for column in zip(*found, strict=True)]


def _frame(figure: Any, grid: Any, table: Any, measure: str, x: str) -> None:
    numbers = table[x].dropna()
    steps = np.diff(np.unique(numbers)) if numbers.dtype.kind in "if" else np.array([])
    first = grid[0, 0]
    if x == "trial" and len(steps) and steps.max() > 5 * steps.min():
        first.set_xscale("log")  # shared with all panels
    if measure == "stuck":
        first.set_ylim(-0.02, 1.02)
    elif first.get_ylim()[0] < 0.0 or measure == "regret":
        first.set_ylim(bottom=0.0)
    size = style.SETTINGS["axes.labelsize"]
    figure.supxlabel("trial  $t$" if x == "trial" else x, fontsize=size)
    figure.supylabel(MEASURES[measure], fontsize=size)


def _legend(figure: Any, grid: Any, hue: str | None, hues: list[Any]) -> None:
    found = {label: handle for axes in grid.flat for handle, label in _handles(axes)}
    labels = [_short(value) for value in hues if _short(value) in found]
    words = max(map(len, labels))
    fitting = int(figure.get_figwidth() / (0.75 + 0.08 * words))  # inches of an entry
    handles = [found[label] for label in labels]
    title = None if isinstance(hues[0], str) else hue
    ncols = max(1, min(fitting, len(labels)))
    figure.legend(handles, labels, loc="outside upper center", ncols=ncols, title=title)


def _handles(axes: Any) -> list[tuple[Any, str]]:
    return list(zip(*axes.get_legend_handles_labels(), strict=True))


def _looks(hue: str | None, values: list[Any]) -> list[dict[str, Any]]:
    """The looks of curves: policies have their own colours, many numbers a scale of colours."""
    if hue == "policy":
        return style.looks(values)
    if len(values) >= _SEQUENCE_FROM and not isinstance(values[0], str):
        from matplotlib import colormaps

        shades = colormaps["viridis"](np.linspace(0.0, 0.92, len(values)))
        return [{"color": shade, "linestyle": "-"} for shade in shades]
    palette = list(style.COLOURS.values())
    return [
        {
            "color": palette[i % len(palette)],
            "linestyle": style.LINES[i // len(palette) % len(style.LINES)],
        }
        for i in range(len(values))
    ]


def _values(table: "pandas.DataFrame", name: str | None) -> list[Any]:
    if name is None:
        return [None]
    found = [value for value in table[name].unique().tolist() if value == value]
    return found if found and isinstance(found[0], str) else sorted(found)


def _where(table: "pandas.DataFrame", name: str | None, value: Any) -> "pandas.DataFrame":
    return table if name is None else table[table[name] == value]


def _short(value: Any) -> str:
    return f"{value:g}" if isinstance(value, (int, float)) else str(value)


def _heading(*parts: tuple[str | None, Any]) -> str:
    return ", ".join(
        value if isinstance(value, str) else f"{name} = {_short(value)}"
        for name, value in parts
        if name is not None
    )
