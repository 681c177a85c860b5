"""The house: who may import whom, one table for all of it, and an import that stays light."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import armwise

ROOT = Path(armwise.__file__).parent
HALL = {"__init__", "errors", "version", "registry", "testing"}
COMPONENTS = {"bandits", "learners", "policies", "choices", "actors"}
PLAY = {"play", "registry", "engine", "model", "numerics", "errors", "version"}

# Whom a room may import, besides itself.
MAY_IMPORT: dict[str, set[str]] = {
    "errors": set(),
    "version": set(),
    "numerics": set(),
    "model": {"numerics", "errors"},
    **{room: {"model", "numerics", "errors"} for room in COMPONENTS},
    "engine": {"model", "numerics", "errors"},
    "registry": COMPONENTS | {"model", "errors"},
    "analysis": {"model", "numerics", "errors"},
    "plotting": {"analysis", "errors"},
    "play": PLAY - {"play"} | {"analysis", "bandits"},
    "testing": PLAY | COMPONENTS,
    "sweeps": PLAY | {"analysis"},
    "paper": PLAY | COMPONENTS | {"analysis", "plotting", "sweeps"},
    "leaderboard": PLAY | COMPONENTS | {"analysis", "plotting", "sweeps"},
    "fitting": PLAY | COMPONENTS | {"analysis", "plotting", "sweeps"},
    "lab": PLAY | COMPONENTS | {"analysis", "plotting", "sweeps", "fitting"},
    "armwise": PLAY | COMPONENTS | {"analysis", "sweeps", "fitting", "lab"},
    "cli": PLAY
    | COMPONENTS
    | {"analysis", "plotting", "sweeps", "paper", "leaderboard"}
    | {"fitting", "lab"},
}
# The names that are looked up in rooms above: when an agent is made or started, a trace shown.
UPSTAIRS = {("learners", "Smile"), ("choices", "Argmax"), ("play.player", "Player")}
UPSTAIRS |= {("play.opening", "open_player"), ("lab.notebook", "show")}
HEAVY = ("numba", "xarray", "matplotlib", "pandas", "scipy", "typer", "rich", "pydantic", "jinja2")


def module_name(path):
    parts = ["armwise", *path.relative_to(ROOT).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


PATHS = {module_name(path): path for path in sorted(ROOT.rglob("*.py"))}


def room_of(module):
    """The room of a module: the hall's own modules are rooms of their own."""
    return module.split(".")[1] if "." in module else module


def imports(name):
    """The modules of a file's import statements, wherever they stand, in full."""
    found = set()
    for node in ast.walk(ast.parse(PATHS[name].read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name} imports relatively"
            full = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {each if each in PATHS else str(node.module) for each in full}
    return found


@pytest.mark.parametrize("name", PATHS)
def test_a_module_imports_only_what_its_room_may(name):
    room = room_of(name)
    used = {room_of(target) for target in imports(name) if target.split(".")[0] == "armwise"}
    assert used - {room} <= MAY_IMPORT[room]


def test_every_room_stands_in_the_table_and_the_table_has_no_loop():
    assert {room_of(name) for name in PATHS} == MAY_IMPORT.keys()
    waiting = dict(MAY_IMPORT)
    floors = 0
    while waiting:
        free = {room for room, needed in waiting.items() if not needed & waiting.keys()}
        assert free, f"a loop among {sorted(waiting)}"
        waiting = {room: needed for room, needed in waiting.items() if room not in free}
        floors += 1
    assert floors <= 9


DRAWN = [name for name in PATHS if name.startswith(("armwise.paper.figures", "armwise.plotting"))]


@pytest.mark.parametrize("name", DRAWN)
def test_a_figure_reads_results_and_never_simulates(name):
    used = {target for target in imports(name) if target.startswith("armwise.")}
    assert not {target for target in used if room_of(target) in ("play", "engine")}
    assert not {"armwise.sweeps.runner", "armwise.sweeps.cell"} & used


def test_five_modules_stand_in_the_hall():
    assert {path.stem for path in ROOT.glob("*.py")} == HALL


def test_the_door_upwards_leads_to_five_names():
    found = {
        tuple(ast.literal_eval(argument) for argument in node.args)
        for name, path in PATHS.items()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "upstairs"
    }
    assert found == UPSTAIRS


def test_modules_do_not_import_in_circles():
    waiting = {name: imports(name) & PATHS.keys() - {name} for name in PATHS}
    while waiting:
        free = {name for name, needed in waiting.items() if not needed & waiting.keys()}
        assert free, f"a circle among {sorted(waiting)}"
        waiting = {name: needed for name, needed in waiting.items() if name not in free}


@pytest.mark.parametrize("name", [name for name in PATHS if room_of(name) != "engine"])
def test_nothing_but_an_engine_imports_numba(name):
    assert "numba" not in {target.split(".")[0] for target in imports(name)}


def test_the_parser_sees_imports():
    """A test of layers that finds no imports would pass forever."""
    assert len(PATHS) > 100
    assert "numba" in imports("armwise.engine.compile")
    assert "armwise.policies.ucb" in imports("armwise.policies")
    assert "armwise.engine.loop" in imports("armwise.engine.python")


def test_importing_the_package_loads_nothing_heavy():
    code = f"import armwise, sys; print(*(m for m in {HEAVY} if m in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
