"""Every figure of the paper draws from results: its panels, labels, lines, marks and legend."""

import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import xarray

from armwise import InputError
from armwise.paper import figures, published, timing
from armwise.paper.figures import FIGURES, drawer
from armwise.plotting import style
from armwise.sweeps.results import Results
from armwise.sweeps.store import Store
from armwise.sweeps.sweep import Sweep

LAMS = [0.0, 0.1, 0.25, 0.5, 1.0]
THREE = [{"policy": {"name": "a-ai"}}, {"policy": {"name": "o-ts"}}, {"policy": {"name": "b-ucb"}}]
BOTH = [{"policy": {"name": name, "lam": LAMS}} for name in ("a-ai", "g-ai")]
FIVE = [*THREE, {"policy": {"name": "g-ai", "lam": 0.25}}, {"policy": {"name": "rc"}}]
STATIONARY = {"name": "stationary", "arms": [10, 20], "epsilon": [0.05, 0.2]}
SWITCHING = {"name": "switching", "arms": [10, 20], "epsilon": 0.1, "rho": [0.005, 0.01]}
VARYING = {"name": "varying", "arms": [10, 20], "rho": [0.005, 0.01]}
HARDER = {"name": "switching", "epsilon": [0.05, 0.2], "rho": [0.005, 0.01]}
# Bandit and agents of every sweep, and the horizon at which published values exist.
SWEEPS = {
    "2": (STATIONARY, BOTH, 10_000),
    "3": (STATIONARY, THREE, 1_000_000),
    "4": (SWITCHING, THREE, 10_000),
    "5": (HARDER | {"arms": 40}, THREE, 10_000),
    "6": (VARYING, FIVE, 10_000),
    "S1": (STATIONARY, THREE, 1_000_000),
    "S2": (HARDER | {"arms": 10}, BOTH, 10_000),
    "S3": (VARYING, BOTH, 10_000),
}
ROWS = {"2": "epsilon", "3": "epsilon", "4": "K", "5": "epsilon", "6": "K"}
ROWS |= {"S1": "epsilon", "S2": "epsilon", "S3": "K"}
COLUMNS = {"2": "K", "3": "K", "S1": "K"}
WITH_MARKS = [name for name in SWEEPS if name != "S1"]


class Planted(Store):
    """Results at horizons too long for a test: about half of what random choice loses."""

    def has(self, cell):
        return True

    def regret(self, cell):
        rate = cell.bandit.random_rate() / 2 * np.linspace(0.8, 1.2, cell.agents)[:, None]
        trials = np.array(cell.checkpoints)
        return xarray.DataArray(rate * trials, {"trial": trials}, ("agent", "trial"))


def sweep(figure, horizon, agents, **more):
    bandit, minds, _ = SWEEPS[figure]
    data = {"horizon": horizon, "agents": agents, "bandit": [bandit], "agent": minds}
    return Sweep.of(data | more)


def planted(figure, horizon=None):
    horizon = horizon or SWEEPS[figure][2]
    return Results(sweep(figure, horizon, 10).cells(), Planted("nowhere"))


@pytest.fixture(scope="module")
def drawn():
    return {figure: drawer(figure)(planted(figure)) for figure in SWEEPS}


def labels(figure):
    [legend] = figure.legends
    return [text.get_text() for text in legend.get_texts()]


def marks(axes):
    return [line for line in axes.lines if line.get_marker() == "o"]


def test_the_list_is_in_the_order_of_the_paper():
    assert list(FIGURES) == ["1", "2", "3", "4", "5", "6", "S1", "S2", "S3", "table1"]
    assert all(entry.title for entry in FIGURES.values())
    assert [FIGURES[name].sweep for name in ("1", "2", "S1", "table1")] == [
        None,
        "figure-2",
        "figure-3",
        None,
    ]


def test_an_unknown_figure_is_named():
    with pytest.raises(InputError, match="7"):
        drawer("7")


def test_importing_the_figures_loads_nothing_heavy():
    heavy = ("numba", "xarray", "matplotlib", "pandas", "scipy")
    names = ", ".join(
        f"armwise.paper.figures.{entry.path.split(':')[0]}" for entry in FIGURES.values()
    )
    code = f"import {names}, sys; print(*(m for m in {heavy} if m in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_no_figure_simulates():
    files = list(Path(figures.__file__).parent.glob("*.py"))
    assert len(files) > len(FIGURES)
    assert not [file.name for file in files if "armwise.play" in file.read_text()]


@pytest.mark.parametrize("figure", SWEEPS)
def test_a_panel_for_every_condition(drawn, figure):
    axes = drawn[figure].axes
    assert len(axes) == 4
    column = COLUMNS.get(figure, "rho")
    assert all(one.get_title().strip("$\\").startswith(column) for one in axes[:2])
    sides = [
        text.get_text()
        for one in (axes[1], axes[3])
        for text in one.texts
        if "=" in text.get_text()
    ]
    assert len(sides) == 2
    assert all(side.strip("$\\").startswith(ROWS[figure]) for side in sides)
    assert all(one.get_xlabel() for one in axes[2:])
    assert drawn[figure].get_supylabel()


@pytest.mark.parametrize("figure", SWEEPS)
def test_one_legend_names_what_is_drawn(drawn, figure):
    found = labels(drawn[figure])
    policies = {str(c.agent.label) for c in planted(figure).cells}
    assert policies <= {label.split(" ")[0] for label in found}
    assert ("published" in found) == (figure in WITH_MARKS)
    assert len(found) == len(set(found))


@pytest.mark.parametrize("figure", WITH_MARKS)
def test_marks_are_published_values_by_the_definition(drawn, figure):
    known = published.values(figure).definition.to_numpy()
    heights = [y for axes in drawn[figure].axes for line in marks(axes) for y in line.get_ydata()]
    assert len(heights) >= 8
    assert all(np.abs(known - height).min() < 1e-12 for height in heights)


@pytest.mark.parametrize("figure", ["2", "S2", "S3"])
def test_no_marks_where_the_published_trial_was_not_reached(figure):
    found = drawer(figure)(planted(figure, 1_000))
    assert "published" not in labels(found)
    assert not any(marks(axes) for axes in found.axes)


def test_figure_2_has_a_line_for_every_trial(drawn):
    axes = drawn["2"].axes[0]
    curves = [line for line in axes.lines if len(line.get_xdata()) == len(LAMS)]
    styles = [line.get_linestyle() for line in curves if line.get_linestyle() in (":", "-.", "-")]
    assert sorted(styles) == sorted(2 * [":", "-.", "-"])
    assert axes.get_xlim() == (0.0, 1.0)
    assert axes.get_ylim() == drawn["2"].axes[1].get_ylim()
    assert {"$T = 10^{2}$", "$T = 10^{3}$", "$T = 10^{4}$"} <= set(labels(drawn["2"]))
    guides = [line.get_xdata()[0] for line in axes.lines if list(line.get_ydata()) == [0, 1]]
    assert guides == [0.1]


@pytest.mark.parametrize(("figure", "guide"), [("S2", 0.5), ("S3", 0.25)])
def test_the_guides_of_the_supplement(drawn, figure, guide):
    for axes in drawn[figure].axes:
        found = [line.get_xdata()[0] for line in axes.lines if list(line.get_ydata()) == [0, 1]]
        assert found == [guide]
    assert drawn["S2"].axes[0].get_xlim() == (0.0, 2.0) if figure == "S2" else (0.0, 1.0)


def test_figure_3_has_the_published_limits_and_the_bound(drawn):
    axes = drawn["3"].axes
    assert [one.get_ylim() for one in axes[::2]] == [(0.0, 11_000.0), (0.0, 3_000.0)]
    assert axes[0].get_xscale() == "log"
    [bound] = [line for line in axes[0].lines if line.get_linestyle() == ":"]
    omega = 2 * 0.05 * 9 / -math.log(1 - 4 * 0.05**2)
    assert bound.get_ydata()[-1] == pytest.approx(omega * math.log(1e6))


def test_figure_3_scales_itself_at_other_horizons():
    found = drawer("3")(planted("3", 2_000))
    assert found.axes[0].get_ylim()[1] == pytest.approx(1.08 * 57.5, rel=0.1)


@pytest.mark.parametrize("figure", ["4", "6"])
def test_bands_and_random_choice(drawn, figure):
    axes = drawn[figure].axes[0]
    assert len(axes.collections) == len(SWEEPS[figure][1])
    [dashed] = [line for line in axes.lines if line.get_linestyle() == "--"]
    expected = 0.09 if figure == "4" else (10 / 11 - 0.5) / 2  # analytic; as planted
    assert dashed.get_ydata()[-1] == pytest.approx(expected)


def test_figure_s1_counts_every_agent(drawn):
    axes = drawn["S1"].axes[0]
    [line] = axes.lines
    assert line.get_xdata()[0] == pytest.approx(math.log(1e6 * 0.05 * 9 / 10))
    bars = [patch for patch in axes.patches if patch.get_fill()]
    assert len(bars) == 3
    assert all(np.sum(bar.get_data().values) == pytest.approx(1.0) for bar in bars)
    words = " ".join(text.get_text() for text in axes.texts)
    assert "published: 31.4 %" in words
    assert "stuck: 20 %" in words  # planted: .45 epsilon T times .8 ... 1.2, so two of ten


def test_a_note_stands_in_the_corner(drawn):
    found = drawer("4")(planted("4"), note="quick profile: 10 agents")
    assert "quick profile: 10 agents" in [text.get_text() for text in found.texts]
    assert not any("quick" in text.get_text() for text in drawn["4"].texts)


@pytest.mark.parametrize("ending", [".png", ".svg"])
def test_figures_are_saved(drawn, tmp_path, ending):
    path = style.save(drawn["2"], tmp_path / f"figure{ending}")
    assert path.stat().st_size > 10_000
    assert path.read_bytes().startswith(b"\x89PNG" if ending == ".png" else b"<?xml")


def test_an_unfinished_sweep_is_drawn_from_a_real_store(tmp_path):
    store = Store(tmp_path)
    cells = sweep("4", 100, 2, checkpoints=[50, 100]).cells()
    for cell in cells[:5]:
        store.write(cell, cell.run(device="python"))
    found = drawer("4")(Results(cells, store))
    assert [len(axes.collections) for axes in found.axes] == [3, 2]  # a row, its second panel begun
    style.save(found, tmp_path / "figure.png")


def test_figure_1_shades_what_is_observed():
    found = drawer("1")()
    [axes] = found.axes
    circles = {p.get_gid(): p.get_facecolor()[:3] for p in axes.patches if p.get_gid()}
    assert len(circles) == 8
    shaded = {name for name, colour in circles.items() if colour != (1.0, 1.0, 1.0)}
    assert shaded == {"o0", "o1", "a0", "a1"}
    assert "observed" in labels(found)


def test_table_1_is_measured_beside_the_published_times():
    frame = timing.measure(["UCB", "A-AI"], [10, 20], trials=5, repeats=2, agents=20, threads=1)
    assert len(frame) == 4
    assert (frame.seconds > 0.0).all()
    assert np.allclose(frame.milliseconds, 1e3 * frame.seconds)
    assert frame.published.tolist() == [0.038, 0.039, 0.034, 0.036]
    assert set(frame.threads) == {1}
    assert frame.machine.str.contains("Python").all()
    found = drawer("table1")(frame)
    assert len(found.axes) == 2
    assert found.axes[0].get_xscale() == "log"
    assert "published" in labels(found)
