"""What works without the optional libraries, and what a missing one says."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from armwise.errors import EXTRAS, InputError, require

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
ALL = [library for library, extra in EXTRAS.items() if extra == "all"]
CALLED = {"markdown_it": "markdown-it-py"}  # packages whose name is not that of their library
SWEEP = """
horizon = 5
agents = 2
[[bandit]]
name = "stationary"
[[agent]]
policy = { name = "rc" }
"""


def names_of(requirements):
    return [re.split(r"[\[<>=]", requirement)[0] for requirement in requirements]


def without(libraries, code, **options):
    """Python without some libraries, as if they were not installed."""
    hidden = f"import sys\nsys.modules.update(dict.fromkeys({list(libraries)!r}))\n"
    return subprocess.run(
        [sys.executable, "-c", hidden + code],
        capture_output=True,
        text=True,
        check=False,
        **options,
    )


def command(*arguments):
    return f"sys.argv = {['armwise', *map(str, arguments)]!r}\nfrom armwise.cli import main\nmain()"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A store with one cell."""
    made = tmp_path_factory.mktemp("extras")
    (made / "sweep.toml").write_text(SWEEP)
    ended = without(
        [], command("run", "sweep.toml", "--store", "store", "--device", "python"), cwd=made
    )
    assert ended.returncode == 0, ended.stderr
    return made


def test_the_package_requires_three_libraries():
    assert set(names_of(PROJECT["dependencies"])) == {"numpy", "numba", "platformdirs"}


def test_every_optional_library_is_in_the_extra_that_its_message_names():
    extras = PROJECT["optional-dependencies"]
    for library, extra in EXTRAS.items():
        assert CALLED.get(library, library) in names_of(extras[extra])
    assert sorted(names_of(extras["all"])) == sorted(ALL)


def test_what_is_imported_is_declared():
    """A library that merely comes along with another one may be gone tomorrow."""
    called = {"numba_cuda": "numba-cuda", "dask": "distributed", "cloudpickle": "distributed"}
    called |= CALLED
    called |= {"llvmlite": "numba"}  # both are of one project, released together
    extras = PROJECT["optional-dependencies"]
    declared = {*names_of(PROJECT["dependencies"])}
    declared |= {
        name
        for each in ("all", "cuda", "dask", "lab", "notebook", "parquet")
        for name in names_of(extras[each])
    }
    found = set()
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                found |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                found.add(str(node.module).split(".")[0])
    foreign = found - {"armwise", *sys.stdlib_module_names}
    assert {"numpy", "pandas", "pydantic"} <= foreign
    assert {called.get(name, name) for name in foreign} <= declared


def test_every_dependency_has_a_line_that_says_why():
    text = (ROOT / "docs" / "dependencies.md").read_text()
    extras = PROJECT["optional-dependencies"].values()
    for name in names_of([*PROJECT["dependencies"], *(each for extra in extras for each in extra)]):
        assert re.search(rf"^\|.*\b{name}\b", text, re.MULTILINE), name


def test_importing_armwise_loads_no_optional_library():
    code = f"import armwise, sys\nprint(*(set({list(EXTRAS)!r}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_a_player_works_with_the_required_libraries_alone(tmp_path):
    code = """
import armwise as aw
for agent in (aw.Agent(aw.ExactActiveInference(), choice=aw.Softmax(precision=5)), aw.BOCPD()):
    player = agent.start(["red", "green", "blue"], seed=7)
    for outcome in (1, 0, 1):
        player.observe(player.choose(), outcome)
    player.save("state.json")
    assert aw.load_player("state.json").choose().arm == player.choose().arm
print("played")
"""
    done = without(EXTRAS, code, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "played\n"), done.stderr


@pytest.mark.parametrize(
    "call",
    [
        "aw.simulate(aw.StationaryBandit(), aw.Agent(aw.UCB()), device='python')",
        "aw.explain(aw.Agent(aw.UCB()), [1, 2], [2, 1])",
        "aw.retrace(aw.Agent(aw.ExactActiveInference(), choice=aw.Softmax()), [0, 1], [0, 1], 2)",
        "aw.Sweep.read('sweep.toml')",
        "aw.Store('store')",
        "aw.Results([], None)",
        "aw.run([], None)",
    ],
)
def test_in_python_a_missing_library_is_one_sentence(call):
    code = f"""
import armwise as aw
try:
    {call}
except aw.InputError as problem:
    print(problem)
"""
    done = without(EXTRAS, code)
    assert done.stdout == 'xarray is not installed: pip install "armwise[all]".\n', done.stderr


COMMANDS = {
    "typer": ["list"],
    "rich": ["list"],
    "xarray": ["explain", "--policy", "g-ai", "--alpha", "1,2", "--beta", "2,1"],
    "pydantic": ["status", "store"],
    "h5py": ["export", "store", "out.nc"],
    "h5netcdf": ["export", "store", "out.nc"],
    "pandas": ["plot", "store", "out.png"],
    "scipy": ["fit", "reversal", "--policy", "mean", "--free", "rho"],
    "pyarrow": ["export", "store", "out.parquet"],
    "matplotlib": ["plot", "store", "out.png"],
    "jinja2": ["leaderboard", "--family", "problems", "--only-report"],
    "distributed": ["run", "sweep.toml", "--store", "other", "--dask", "local"],
    "starlette": ["lab", "--no-browser"],
    "uvicorn": ["lab", "--no-browser"],
    "websockets": ["lab", "--no-browser"],
    "markdown_it": ["lab", "--no-browser"],
}


def test_what_no_command_needs_is_for_notebooks():
    assert {EXTRAS[library] for library in EXTRAS.keys() - COMMANDS.keys()} == {"notebook"}


@pytest.mark.parametrize("library", ["anywidget", "traitlets"])
def test_in_a_notebook_a_missing_library_is_one_sentence(library):
    code = """
import armwise as aw
try:
    aw.show(None)
except aw.InputError as problem:
    print(problem)
"""
    done = without([library], code)
    expected = f'{library} is not installed: pip install "armwise[notebook]".\n'
    assert done.stdout == expected, done.stderr


@pytest.mark.parametrize("library", COMMANDS)
def test_on_the_command_line_it_is_a_sentence_and_exit_code_2(library, folder):
    done = without([library], command(*COMMANDS[library]), cwd=folder)
    install = f'pip install "armwise[{EXTRAS[library]}]"'
    assert done.stderr == f"{library} is not installed: {install}.\n"
    assert (done.returncode, done.stdout) == (2, "")
    assert sorted(path.name for path in folder.glob("out*")) == []


def test_a_figure_is_refused_before_the_work(folder):
    arguments = ["simulate", "--policy", "rc", "--horizon", "1000000000", "--figure", "out.png"]
    done = without(["matplotlib"], command(*arguments), cwd=folder, timeout=30)
    assert done.returncode == 2
    assert done.stderr.startswith("matplotlib is not installed")


def test_the_first_library_that_is_missing_is_named(monkeypatch):
    require(*ALL)
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(InputError, match="jinja2 is not installed"):
        require("matplotlib", "jinja2")
