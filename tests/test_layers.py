"""Who may import whom: layers without cycles, and an import that stays light."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import armwise

ROOT = Path(armwise.__file__).parent
COMPONENTS = ("bandits", "learners", "policies", "choices", "actors")
GROUND = {"special", "divergence", "random", "component", "errors", "grammar"}
FOR_ACTORS = {"mind", "hypotheses", "gittins", "restarts"}  # what whole agents have in common
HEAVY = ("numba", "xarray", "matplotlib", "pandas", "scipy", "typer", "rich")
ABOVE_THE_ENGINE = (
    *("simulate", "player", "agent", "regret", "changes", "figures", "leaderboard", "cli"),
)


def module_name(path):
    parts = ["armwise", *path.relative_to(ROOT).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


PATHS = {module_name(path): path for path in sorted(ROOT.rglob("*.py"))}


def type_checking(node):
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def statements(node, lazy):
    """Import statements; with `lazy`, also those inside functions. Types alone do not count."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.Import, ast.ImportFrom)):
            yield child
        elif type_checking(child):
            for other in child.orelse:
                yield from statements(other, lazy)
        elif lazy or not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            yield from statements(child, lazy)


def targets(name, statement):
    """The modules that a statement names, in full."""
    if isinstance(statement, ast.Import):
        return [alias.name for alias in statement.names]
    base = statement.module or ""
    if statement.level:
        package = name if PATHS[name].name == "__init__.py" else name.rpartition(".")[0]
        for _ in range(statement.level - 1):
            package = package.rpartition(".")[0]
        base = f"{package}.{base}".rstrip(".")
    found = []
    for alias in statement.names:
        full = f"{base}.{alias.name}"
        found.append(full if full in PATHS else base)
    return found


def imports(name, lazy=True):
    tree = ast.parse(PATHS[name].read_text())
    return {target for statement in statements(tree, lazy) for target in targets(name, statement)}


def inner(name, lazy=True):
    """What a module imports from armwise, without the leading `armwise.`."""
    found = {target for target in imports(name, lazy) if target.split(".")[0] == "armwise"}
    return {target.removeprefix("armwise.") for target in found}


def in_folder(name, *folders):
    return name.startswith(tuple(f"armwise.{folder}" for folder in folders))


COMPONENT_FILES = [name for name in PATHS if in_folder(name, *(f"{c}." for c in COMPONENTS))]
ENGINE_FILES = [name for name in PATHS if name == "armwise.engine" or in_folder(name, "engine.")]


def test_the_parser_sees_imports_of_every_kind():
    """A layer test that finds no imports would pass for ever."""
    assert len(PATHS) > 25
    assert len(COMPONENT_FILES) >= 13
    assert "numba" in imports("armwise.engine.compile")
    assert "numba" not in imports("armwise.engine.compile", lazy=False)
    assert "xarray" in imports("armwise.simulate")
    assert "xarray" not in imports("armwise.simulate", lazy=False)
    assert {"loop", "mind", "errors"} <= inner("armwise.engine.binding")
    assert "policies.ucb" in inner("armwise.policies")


def test_modules_do_not_import_in_circles():
    waiting = {name: {f"armwise.{x}" for x in inner(name, lazy=False)} for name in PATHS}
    waiting = {name: {x for x in found if x in PATHS} for name, found in waiting.items()}
    while waiting:
        free = {name for name, needed in waiting.items() if not needed & waiting.keys()}
        assert free, f"a circle among {sorted(waiting)}"
        waiting = {name: needed for name, needed in waiting.items() if name not in free}


@pytest.mark.parametrize(
    ("name", "allowed"),
    [
        ("special", set()),
        ("divergence", set()),
        ("errors", set()),
        ("random", {"special"}),
        ("component", {"errors"}),
        ("grammar", {"component", "errors", "random", "special"}),
    ],
)
def test_the_ground_floor_imports_nothing_above(name, allowed):
    assert inner(f"armwise.{name}") <= allowed


@pytest.mark.parametrize("name", COMPONENT_FILES)
def test_a_component_stands_on_the_ground_floor_beside_its_like(name):
    room = name.split(".")[1]
    known = {target for target in inner(name) if not target.startswith(f"{room}.")}
    assert known <= (GROUND | FOR_ACTORS if room == "actors" else GROUND)


@pytest.mark.parametrize("folder", COMPONENTS)
def test_a_folder_of_components_exports_its_own_alone(folder):
    assert all(target.startswith(f"{folder}.") for target in inner(f"armwise.{folder}"))


@pytest.mark.parametrize(
    "name", [f"armwise.{x}" for x in ("loop", "mind", "swift", "boxes", "chances", "pledges")]
)
def test_the_loop_knows_no_engine_and_no_component(name):
    roots = {target.split(".")[0] for target in inner(name)}
    assert not roots & {"engine", *COMPONENTS, *ABOVE_THE_ENGINE}


@pytest.mark.parametrize("name", ENGINE_FILES)
def test_an_engine_knows_nothing_above_it(name):
    roots = {target.split(".")[0] for target in inner(name)}
    assert not roots & set(ABOVE_THE_ENGINE)
    assert not roots & set(COMPONENTS)


@pytest.mark.parametrize("name", [name for name in PATHS if name not in ENGINE_FILES])
def test_nothing_but_an_engine_imports_numba(name):
    assert "numba" not in {target.split(".")[0] for target in imports(name)}


def test_importing_the_package_loads_nothing_heavy():
    code = f"import armwise, sys; print(*(m for m in {HEAVY} if m in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
