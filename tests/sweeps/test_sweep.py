"""The format of sweeps, and the commands that read a store: status, export, plot, verify."""

import json
import re
import shutil
import tomllib
from pathlib import Path

import numpy as np
import pandas
import pytest
import xarray
from typer.testing import CliRunner

from armwise.cli import app
from armwise.errors import InputError
from armwise.paper.experiments import bundled, bundled_names
from armwise.sweeps.results import Results, stored_cells
from armwise.sweeps.store import Store
from armwise.sweeps.sweep import Sweep

ROOT = Path(__file__).parents[2]
TEXT = """
title = "A small sweep"
horizon = 20
agents = 3
seed = 1
checkpoints = [5, 20]

[[bandit]]
name = "switching"
arms = [2, 3]
rho = 0.05

[[agent]]
policy = { name = "a-ai", lam = { from = 0.0, to = 0.5, step = 0.25 } }

[[agent]]
policy = { name = "rc" }

[profile.quick]
agents = 2
horizon = 10
step = 0.5
"""


def armwise(*arguments):
    return CliRunner().invoke(app, [str(item) for item in arguments])


def ok(*arguments):
    ended = armwise(*arguments)
    assert ended.exit_code == 0, ended.output
    return ended.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A store with the small sweep in it; tests only read it."""
    place = tmp_path_factory.mktemp("sweep")
    (place / "small.toml").write_text(TEXT)
    said = ok("run", place / "small.toml", "--store", place / "store", "--device", "python")
    assert "8 cells" in said
    assert "8 computed, 0 already there" in said
    return place


# The format


def test_the_product_of_all_lists_in_order():
    sweep = Sweep.of(
        {
            "horizon": [10, 20],
            "agents": [1, 2],
            "seed": [1, 2, 3],
            "bandit": [{"name": "stationary", "arms": [2, 5]}],
            "agent": [{"policy": {"name": "a-ai", "lam": [0.1, 0.5]}}, {"policy": {"name": "rc"}}],
        }
    )
    cells = sweep.cells()
    assert len(cells) == 2 * 2 * 3 * 2 * 3
    assert len({cell.name for cell in cells}) == len(cells)


def test_a_range_holds_round_numbers_and_both_ends():
    part = {"name": "a-ai", "lam": {"from": 0.0, "to": 2.0, "step": 0.05}}
    sweep = Sweep.of(
        {"horizon": 10, "bandit": [{"name": "stationary"}], "agent": [{"policy": part}]}
    )
    lams = [cell.agent.policy.lam for cell in sweep.cells()]
    assert lams == [round(0.05 * i, 2) for i in range(41)]


def lams(**range_):
    part = {"name": "a-ai", "lam": {"from": 0.0, "to": 1.0, "step": 0.5} | range_}
    sweep = {"horizon": 10, "bandit": [{"name": "stationary"}], "agent": [{"policy": part}]}
    return [cell.agent.policy.lam for cell in Sweep.of(sweep).cells()]


@pytest.mark.parametrize(
    ("range_", "expected"),
    [
        ({"step": 0.6}, [0.0, 0.6]),
        ({"step": 2.0}, [0.0]),
        ({"to": 0.0}, [0.0]),
        ({"to": 0.3, "step": 0.1}, [0.0, 0.1, 0.2, 0.3]),
        ({"from": 0.1, "to": 0.7, "step": 0.2}, [0.1, 0.3, 0.5, 0.7]),
        ({"to": 3e-13, "step": 1e-13}, [0.0, 1e-13, 2e-13, 3e-13]),
        ({"to": 1, "step": 1 / 3}, [0.0, 1 / 3, 2 / 3, 1.0]),
        ({"from": 1e15, "to": 1e15 + 2, "step": 1}, [1e15, 1e15 + 1, 1e15 + 2]),
    ],
)
def test_a_range_ends_where_it_says(range_, expected):
    assert lams(**range_) == pytest.approx(expected, rel=1e-15, abs=0)
    assert max(lams(**range_)) <= range_.get("to", 1.0)


def test_a_range_of_whole_numbers_holds_whole_numbers():
    bandit = {"name": "stationary", "arms": {"from": 2, "to": 9, "step": 3}}
    sweep = {"horizon": 5, "bandit": [bandit], "agent": [{"policy": {"name": "rc"}}]}
    assert [cell.bandit.arms for cell in Sweep.of(sweep).cells()] == [2, 5, 8]


@pytest.mark.parametrize(
    "range_",
    [{"step": bad} for bad in (0, 0.0, -0.1, "0.1", True, float("nan"), float("inf"), None, [1])]
    + [{"from": float("-inf")}, {"to": float("nan")}, {"to": 10**400}, {"from": 2.0}, {"by": 1}],
)
def test_a_range_that_is_none_is_one_sentence(range_):
    with pytest.raises(InputError, match="A range of lam must"):
        lams(**range_)


def test_a_range_of_too_many_values_is_refused_before_they_are_made():
    with pytest.raises(InputError, match="has 10,000,000,000,001 values; at most 100,000"):
        lams(step=1e-13)
    with pytest.raises(InputError, match="1,000,000,000 cells"):
        Sweep.of(
            {
                "horizon": 10,
                "seed": list(range(1_000)),
                "agents": list(range(1, 1_001)),
                "bandit": [{"name": "stationary", "arms": {"from": 2, "to": 1_001, "step": 1}}],
                "agent": [{"policy": {"name": "rc"}}],
            }
        ).cells()


def test_a_cell_named_twice_is_computed_once():
    bandit = {"name": "stationary", "arms": [2, 2]}
    agents = [{"policy": {"name": "rc"}}] * 2
    assert len(Sweep.of({"horizon": 5, "bandit": [bandit], "agent": agents}).cells()) == 1


def test_a_profile_changes_sizes_and_steps(folder):
    sweep = Sweep.read(folder / "small.toml")
    quick = sweep.at("quick").cells()
    assert {(cell.agents, cell.horizon) for cell in quick} == {(2, 10)}
    assert len(quick) == 2 * (2 + 1)
    assert all(cell.checkpoints == (5, 10) for cell in quick)


def test_the_learner_assumes_the_bandits_rho(folder):
    cells = Sweep.read(folder / "small.toml").cells()
    assert {cell.agent.learner.rho for cell in cells} == {0.05}


def test_parameters_keep_their_kinds():
    bandits = [{"name": "fixed", "thetas": [[0.9, 0.1], [0.5, 0.5, 0.6]]}]
    agents = [{"policy": {"name": "sw-ucb", "kl": [True, False], "switches": 3, "xi": 1}}]
    cells = Sweep.of({"horizon": 10, "bandit": bandits, "agent": agents}).cells()
    assert [cell.bandit.thetas for cell in cells[::2]] == [(0.9, 0.1), (0.5, 0.5, 0.6)]
    assert [cell.agent.kl for cell in cells[:2]] == [True, False]
    values = cells[0].agent.parameters()
    assert {type(values[name]) for name in ("xi", "switches")} == {float}


OWN = """
from armwise import Policy, parameter


class One(Policy):
    strength: float = parameter(default=1.0, meaning="how strong")

    def score(self, shared, arm, alpha, beta, rng):
        return self.strength * alpha / beta


class Two(One):
    label = "TWO"
"""


def test_components_of_a_file_with_several_are_named_by_class(tmp_path):
    (tmp_path / "mine.py").write_text(OWN)
    name = f"{tmp_path / 'mine.py'}:Two"
    sweep = Sweep.of(
        {
            "horizon": 10,
            "bandit": [{"name": "stationary"}],
            "agent": [{"policy": {"name": name, "strength": [1, 2.5]}}],
        }
    )
    assert [str(cell.agent.policy) for cell in sweep.cells()] == [
        "two:strength=1",
        "two:strength=2.5",
    ]
    kinds = {cell.kind for cell in [*sweep.cells(), *sweep.cells()]}
    assert len(kinds) == 1  # so one kernel plays them all


def test_a_definition_holds_from_another_folder(tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    agent = {"policy": {"name": "mine.py:One", "strength": 2}}
    data = {"horizon": 10, "bandit": [{"name": "stationary"}], "agent": [agent]}
    definition = Sweep.of(data).definition()
    assert definition["agent"][0]["policy"]["name"] == f"{tmp_path / 'mine.py'}:One"
    names = [cell.name for cell in Sweep.of(data).cells()]
    monkeypatch.chdir("/")
    again = Sweep.of(json.loads(json.dumps(definition)))
    assert [cell.name for cell in again.cells()] == names


@pytest.mark.parametrize("name", bundled_names())
def test_published_sweeps_survive_a_store(name):
    quick = bundled(name).at("quick")
    again = Sweep.of(json.loads(json.dumps(quick.definition())))
    assert [cell.name for cell in again.cells()] == [cell.name for cell in quick.cells()]


def test_the_examples_in_the_docs_are_sweeps():
    text = (ROOT / "docs/sweeps.md").read_text()
    [written] = re.findall(r"```toml sweep.toml\n(.*?)```", text, re.DOTALL)
    assert len(Sweep.of(tomllib.loads(written)).cells()) == 2 * 2 * 21
    assert len(Sweep.read(ROOT / "examples/sweep.toml").cells()) == 44
    assert len(Sweep.read(ROOT / "examples/sweep.toml").at("quick").cells()) == 20


BAD = {
    "bad TOML": ("horizon = = 3", "is not TOML"),
    "unknown key": (TEXT + "\n[wrold]\nname = 1", "There is no key 'wrold'"),
    "unknown key first": ("horizons = 3\n" + TEXT, "did you mean 'horizon'"),
    "misspelt bandit": (TEXT.replace("[[bandit]]", "[[bnadit]]"), "did you mean 'bandit'"),
    "the old word": (TEXT.replace("[[bandit]]", "[[world]]"), "There is no key 'world'"),
    "unknown part": (TEXT + '\n[[agent]]\npolcy = { name = "rc" }', "no key agent.2.polcy"),
    "no horizon": (TEXT.replace("horizon = 20", ""), "horizon is missing"),
    "unknown policy": (TEXT.replace('"rc"', '"rcc"'), "'rcc'; did you mean 'rc'"),
    "unknown bandit": (TEXT.replace('"switching"', '"swiching"'), "did you mean 'switching'"),
    "unknown parameter": (TEXT.replace("rho =", "roh ="), "did you mean 'rho'"),
    "no bandits": ('horizon = 3\nbandit = []\n[[agent]]\npolicy = { name = "rc" }', "bandit"),
    "half a range": (TEXT.replace(", step = 0.25", ""), "from, to, step"),
    "range of no step": (
        TEXT.replace("step = 0.25", "step = 0"),
        "lam must rise by a step above 0",
    ),
    "range downwards": (TEXT.replace("to = 0.5", "to = -0.5"), "lam must rise"),
    "range of words": (TEXT.replace("to = 0.5", 'to = "far"'), "'far'"),
    "no values": (TEXT.replace("arms = [2, 3]", "arms = []"), "arms must have at least one value"),
    "no horizons": (TEXT.replace("horizon = 20", "horizon = []"), "horizon is []"),
    "word for a parameter": (
        TEXT.replace("rho = 0.05", 'rho = "low"'),
        "rho must be in [0, 1], not 'low'",
    ),
    "learner of an actor": (
        TEXT.replace('{ name = "rc" }', '{ name = "hmm" }\nlearner = { name = "smile" }'),
        "HMM is an actor: it takes no learner",
    ),
    "value out of range": (TEXT.replace("rho = 0.05", "rho = 1.5"), "rho"),
    "text for a number": (TEXT.replace("horizon = 20", 'horizon = "long"'), "horizon is 'long'"),
    "true for a horizon": (TEXT.replace("horizon = 20", "horizon = true"), "horizon is True"),
    "text for a seed": (TEXT.replace("seed = 1", 'seed = "1"'), "seed is '1'"),
    "truth for checkpoints": (TEXT.replace("[5, 20]", "[5, true]"), "checkpoints.1 is True"),
    "no checkpoints": (TEXT.replace("[5, 20]", "[]"), "checkpoints is []"),
    "checkpoint zero": (TEXT.replace("[5, 20]", "[0, 20]"), "A checkpoint must be"),
    "a key with a comma": (TEXT.replace("rho =", '"rho,p" ='), "no parameter of switching 'rho,p'"),
    "a list of nothing": (TEXT.replace("[2, 3]", "[[]]"), "arms must be a whole number"),
    "a profile of nothing": (TEXT.replace("agents = 2", "agents = 0"), "profile quick: agents"),
    "a profile of no step": (TEXT.replace("step = 0.5\n", "step = nan\n"), "profile.quick.step"),
    "a profile of true": (TEXT.replace("horizon = 10", "horizon = true"), "profile.quick.horizon"),
    "a profile unheard of": (TEXT + "\nsize = 3", "no key profile.quick.size"),
    "a table too deep": (TEXT + "\n[a" + ".a" * 200 + "]\nb = 1", "nested deeper than 20"),
    "a list too deep": (TEXT.replace("[2, 3]", "[" * 3_000 + "]" * 3_000), "nested"),
    "endless digits": (TEXT.replace("horizon = 20", f"horizon = {'9' * 5_000}"), "is not TOML"),
    "a number beyond floats": (TEXT.replace("rho = 0.05", f"rho = {10**400}"), "rho must be"),
    "a horizon beyond all": (TEXT.replace("horizon = 20", f"horizon = {10**400}"), "horizon"),
    "no UTF-8": (TEXT.encode() + b"# \xff", "is not TOML"),
    "text with NUL": (TEXT.replace('"rc"', '"r\\u0000c"'), "There is no policy"),
    "horizon of nothing": (TEXT.replace("horizon = 20", "horizon = 0"), "whole number"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_wrong_with_a_sweep_is_one_sentence(tmp_path, case):
    text, word = BAD[case]
    (tmp_path / "bad.toml").write_bytes(text if isinstance(text, bytes) else text.encode())
    ended = armwise("run", tmp_path / "bad.toml", "--store", tmp_path / "store")
    assert ended.exit_code == 2
    assert word in ended.stderr
    assert len(ended.stderr.strip().splitlines()) == 1
    assert not (tmp_path / "store").exists()


def test_missing_files_names_and_profiles_are_refused(folder):
    store = ["--store", folder / "other"]
    for arguments, word in [
        (["nowhere.toml"], "nowhere.toml"),
        (["figure-44"], "did you mean 'figure-4'"),
        ([folder / "small.toml", "--profile", "quik"], "did you mean 'quick'"),
        ([folder / "small.toml", "--device", "gpu"], "device 'gpu'"),
        ([folder / "small.toml", "--threads", "0"], "threads"),
    ]:
        ended = armwise("run", *arguments, *store)
        assert ended.exit_code == 2, arguments
        assert word in ended.stderr


# status


def test_status_counts(folder, tmp_path):
    data = json.loads(ok("status", folder / "store", "--json"))
    [sweep] = data["sweeps"]
    assert (sweep["name"], sweep["cells"], sweep["done"], sweep["missing"]) == ("small", 8, 8, 0)
    assert sweep["agent_trials"] == 8 * 3 * 20
    assert data["bytes"] == sum(p.stat().st_size for p in (folder / "store/cells").iterdir())
    assert "small" in ok("status", folder / "store")


def test_status_of_nothing_is_refused(tmp_path):
    assert armwise("status", tmp_path / "none").exit_code == 2


def test_status_tells_what_is_missing_and_what_is_foreign(tmp_path):
    store = Store(tmp_path)
    sweep = Sweep.of(
        {
            "horizon": 5,
            "agents": 2,
            "bandit": [{"name": "stationary"}],
            "agent": [{"policy": {"name": "rc"}}],
        }
    )
    store.remember("planned", sweep.definition())
    store.remember("lost", sweep.definition() | {"bandit": [{"name": "gone.py"}]})
    planned = {s["name"]: s for s in json.loads(ok("status", tmp_path, "--json"))["sweeps"]}
    assert planned["planned"]["missing"] == 1
    assert "gone.py" in planned["lost"]["problem"]
    assert "gone.py" in ok("status", tmp_path)


# export


def test_csv_and_parquet_hold_the_table(folder, tmp_path):
    pytest.importorskip("pyarrow")
    for name in ("out.csv", "out.parquet"):
        ok("export", folder / "store", tmp_path / name)
    table = Results.stored(Store(folder / "store")).table()
    parquet = pandas.read_parquet(tmp_path / "out.parquet")
    pandas.testing.assert_frame_equal(parquet, table, check_like=True)
    csv = pandas.read_csv(tmp_path / "out.csv", float_precision="round_trip")
    pandas.testing.assert_frame_equal(
        csv, table, check_dtype=False, check_exact=True, check_like=True
    )
    assert len(table) == 8 * 2


def test_netcdf_holds_every_agent(folder, tmp_path):
    ok("export", folder / "store", tmp_path / "out.nc", "--sweep", "small")
    store = Store(folder / "store")
    cells = stored_cells(store)
    with xarray.open_dataset(tmp_path / "out.nc") as out:
        assert dict(out.sizes) == {"cell": 8, "agent": 3, "trial": 2}
        for name, cell in cells.items():
            found = out.sel(cell=name)
            assert found.regret.values.tobytes() == store.regret(cell).values.tobytes()
            assert found.arms == cell.bandit.arms
        assert np.isnan(out.lam[(out.policy == "RC").values]).all()


def test_netcdf_pads_where_checkpoints_differ(tmp_path):
    text = TEXT.replace("horizon = 20", "horizon = [10, 20]").replace(
        "agents = 3", "agents = [2, 3]", 1
    )
    (tmp_path / "mixed.toml").write_text(text)
    ok("run", tmp_path / "mixed.toml", "--store", tmp_path / "store", "--device", "python")
    ok("export", tmp_path / "store", tmp_path / "out.nc")
    with xarray.open_dataset(tmp_path / "out.nc") as out:
        assert out.trial.values.tolist() == [5, 10, 20]
        short = out.sel(cell=(out.horizon == 10).values & (out.agents == 2).values)
        assert short.regret.isel(agent=slice(0, 2)).sel(trial=[5, 10]).notnull().all()
        assert short.regret.isel(agent=2).isnull().all()
        assert short.regret.sel(trial=20).isnull().all()


def test_exports_are_refused_in_a_sentence(folder, tmp_path):
    for out, extra, word in [
        ("out.xls", [], ".csv or .parquet or .nc"),
        ("none/out.csv", [], "folder that exists"),
        ("out.csv", ["--sweep", "smal"], "did you mean 'small'"),
    ]:
        ended = armwise("export", folder / "store", tmp_path / out, *extra)
        assert ended.exit_code == 2
        assert word in ended.stderr


# plot


@pytest.mark.parametrize(
    "options",
    [
        ["--x", "lam", "--col", "arms"],
        ["--x", "lam", "--hue", "arms", "--trial", "5", "--measure", "regret"],
        ["--hue", "lam", "--row", "arms", "--where", "policy=a-ai"],
        ["--x", "lam", "--hue", "arms", "--measure", "stuck"],
        ["--x", "policy", "--hue", "arms", "--where", "lam=0.5"],
    ],
)
def test_plots_are_drawn(folder, tmp_path, options):
    ok("plot", folder / "store", tmp_path / "out.png", *options)
    assert (tmp_path / "out.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "out.png").stat().st_size > 10_000


def test_a_plot_as_svg_names_its_conditions(folder, tmp_path):
    ok("plot", folder / "store", tmp_path / "out.svg", "--x", "lam", "--col", "arms")
    assert (tmp_path / "out.svg").read_text().lstrip().startswith("<?xml")


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (["--x", "lan"], "did you mean 'lam'"),
        (["--x", "lam", "--row", "arm"], "did you mean 'arms'"),
        (["--measure", "rat"], "did you mean 'rate'"),
        (["--x", "lam"], "arms takes several values (2, 3)"),
        (["--col", "arms"], "lam takes several values"),
        (["--x", "lam", "--hue", "arms", "--trial", "6"], "such as 5"),
        (["--where", "arms=9"], "arms takes 2, 3"),
        (["--where", "arms"], "name=value"),
        (["--where", "arms=many"], "'many'"),
    ],
)
def test_plots_are_refused_in_a_sentence(folder, tmp_path, options, word):
    ended = armwise("plot", folder / "store", tmp_path / "out.png", *options)
    assert ended.exit_code == 2
    assert word in ended.stderr
    assert not list(tmp_path.iterdir())


# verify


@pytest.fixture
def copied(folder, tmp_path):
    return Store(shutil.copytree(folder / "store", tmp_path / "store"))


def verified(store, *extra):
    ended = armwise("verify", store.folder, "--device", "python", "--json", *extra)
    return ended.exit_code, json.loads(ended.stdout)


def test_a_sound_store_is_verified(copied):
    code, data = verified(copied, "--sample", "3")
    assert code == 0
    assert (data["files"], data["sound"], len(data["recomputed"])) == (8, 8, 3)
    assert "8 of 8 files match" in ok("verify", copied.folder, "--device", "python")


def test_a_flipped_bit_fails_and_nothing_is_moved(copied):
    path = sorted(copied.cells.iterdir())[0]
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    code, data = verified(copied)
    assert code == 1
    assert path.name in data["damaged"][0]
    assert path.exists()


def test_a_number_that_differs_fails(copied):
    """A file with a sound checksum and a wrong number: only computing it again can tell."""
    cell = next(iter(stored_cells(copied).values()))
    wrong = copied.read(cell)
    wrong["regret"] = wrong.regret.copy(data=np.nextafter(wrong.regret.values, np.inf))
    copied.write(cell, wrong)
    code, data = verified(copied, "--sample", "8")
    assert code == 1
    assert [name.split()[0] for name in data["differ"]] == [cell.name]


def test_files_of_another_version_are_named_and_do_not_fail(copied, monkeypatch):
    from armwise.sweeps import cell as module

    monkeypatch.setattr(module, "code_of", lambda *_: "another")
    code, data = verified(copied)
    assert code == 0
    assert len(data["other_version"]) == 8
    assert data["recomputed"] == []


def test_a_foreign_definition_is_refused(tmp_path):
    Store(tmp_path).remember("odd", {"horizon": 5})
    with pytest.raises(InputError, match="odd"):
        stored_cells(Store(tmp_path))


# Stores of others


SPY = """
from pathlib import Path

from armwise import Policy, parameter

Path(__file__).with_name("was_run").touch()


class Mine(Policy):
    strength: float = parameter(default=1.0, meaning="how strong")

    def score(self, shared, arm, alpha, beta, rng):
        return self.strength * alpha / beta
"""


@pytest.fixture
def sent(tmp_path):
    """A store that came with the mail: its sweep uses a file that would notice being run."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "mine.py").write_text(SPY)
    text = TEXT.replace('"a-ai", lam', f'"{home / "mine.py"}", strength')
    (home / "own.toml").write_text(text)
    ok("run", home / "own.toml", "--store", tmp_path / "store", "--device", "python")
    (home / "was_run").unlink()
    return tmp_path / "store"


@pytest.mark.parametrize("gone", [False, True])
def test_reading_commands_run_no_code_of_a_store(sent, tmp_path, gone):
    home = tmp_path / "home"
    if gone:
        (home / "mine.py").unlink()
    data = json.loads(ok("status", sent, "--json"))
    assert (data["sweeps"][0]["done"], data["other_files"]) == (8, 0)
    assert data["sweeps"][0]["agent_trials"] == 8 * 3 * 20
    ok("export", sent, tmp_path / "out.csv")
    assert len(pandas.read_csv(tmp_path / "out.csv")) == 8 * 2
    ok("export", sent, tmp_path / "out.nc")
    ok("plot", sent, tmp_path / "out.png", "--x", "strength", "--hue", "arms")
    said = ok("verify", sent, "--device", "python")
    assert "8 of 8 files match" in said
    assert "--components mine.py" in said
    with pytest.raises(InputError, match=r"--components mine\.py"):
        stored_cells(Store(sent))
    assert not (home / "was_run").exists()


def test_what_needs_code_takes_it_from_the_file_that_is_named(sent, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    shutil.move(tmp_path / "home" / "mine.py", elsewhere)
    named = ["--components", elsewhere / "mine.py"]
    code, data = verified(Store(sent), *named, "--sample", "8")
    assert (code, len(data["recomputed"]), data["unknown"]) == (0, 8, [])
    assert (elsewhere / "was_run").exists()
    assert len(stored_cells(Store(sent), components=[elsewhere / "mine.py"])) == 8
    (elsewhere / "other.py").write_text(SPY)
    for command in ("verify", "status"):
        ended = armwise(command, sent, "--components", elsewhere / "other.py")
        said = f"No sweep of {sent} uses a file other.py.\n"
        assert (ended.exit_code, ended.stderr) == (2, said)


def test_the_cells_of_changed_code_replace_those_of_the_old(sent, tmp_path):
    home = tmp_path / "home"
    (home / "mine.py").write_text(SPY.replace("alpha / beta", "alpha - beta"))
    ok("run", home / "own.toml", "--store", sent, "--device", "python")
    data = json.loads(ok("status", sent, "--json"))
    assert [sweep["done"] for sweep in data["sweeps"]] == [8]
    assert data["other_files"] == 6


def test_names_in_a_definition_lead_nowhere(tmp_path):
    from armwise.sweeps.stored import planned

    store = Store(tmp_path)
    listed = {"../../etc/passwd": 5, "a" * 32: 5, "b" * 32: -1, "c" * 32: "many"}
    policy = {"name": "mine.py"}
    definition = {"horizon": 5, "bandit": [{"name": "rc"}], "agent": [{"policy": policy}]}
    store.remember("odd", definition, listed)
    assert planned(store)[0].works == {"a" * 32: 5}


def test_a_store_does_not_steer_a_terminal(tmp_path):
    Store(tmp_path).remember("a\x1b[31m[bold]b", {"horizon": 5, "title": "\x1b]0;x\x07"})
    said = ok("status", tmp_path)
    assert "\x1b" not in said
    assert "[bold]b" in said


# Two sweeps of one name, and what is damaged


def test_two_sweeps_of_one_name_are_both_there(tmp_path):
    for place, agents in (("one", 3), ("two", 4)):
        (tmp_path / place).mkdir()
        (tmp_path / place / "s.toml").write_text(TEXT.replace("agents = 3", f"agents = {agents}"))
        run = ["run", tmp_path / place / "s.toml", "--store", tmp_path / "store"]
        ended = armwise(*run, "--device", "python")
        assert ended.exit_code == 0
    assert "has another sweep s: this one is s.2 there" in ended.stderr
    ok("export", tmp_path / "store", tmp_path / "all.csv")
    assert sorted(pandas.read_csv(tmp_path / "all.csv").agents.unique()) == [3, 4]
    ok("export", tmp_path / "store", tmp_path / "one.csv", "--sweep", "s")
    assert pandas.read_csv(tmp_path / "one.csv").agents.unique() == [3]


@pytest.fixture
def wounded(copied):
    """A store with a truncated file, which is named."""
    path = sorted(copied.cells.glob("*.nc"))[2]
    path.write_bytes(path.read_bytes()[:-300])
    return copied, path.name


@pytest.mark.parametrize("name", ["out.csv", "out.parquet", "out.nc"])
def test_an_export_has_all_but_the_damaged_files_and_names_them(wounded, tmp_path, name):
    pytest.importorskip("pyarrow")
    store, damaged = wounded
    ended = armwise("export", store.folder, tmp_path / name)
    assert ended.exit_code == 1
    assert damaged in ended.stderr
    assert "1 damaged file was left out" in ended.stderr
    if name == "out.csv":
        assert len(pandas.read_csv(tmp_path / name)) == 7 * 2
    if name == "out.parquet":
        assert len(pandas.read_parquet(tmp_path / name)) == 7 * 2
    if name == "out.nc":
        with xarray.open_dataset(tmp_path / name) as out:
            assert out.sizes["cell"] == 7


def test_a_truncated_file_is_not_done(wounded):
    store, damaged = wounded
    data = json.loads(ok("status", store.folder, "--json"))
    assert (data["sweeps"][0]["done"], data["sweeps"][0]["missing"]) == (7, 1)
    assert damaged in data["damaged"][0]
    assert damaged in ok("status", store.folder)


def test_what_verify_advises_helps(folder, wounded):
    store, _ = wounded
    ended = armwise("verify", store.folder, "--device", "python")
    assert "running their sweep again" in ended.stdout
    ok("run", folder / "small.toml", "--store", store.folder, "--device", "python")
    assert verified(store)[0] == 0
    cell = next(iter(stored_cells(store).values()))
    wrong = store.read(cell)
    wrong["regret"] = wrong.regret.copy(data=wrong.regret.values + 1)
    store.write(cell, wrong)
    said = armwise("verify", store.folder, "--device", "python", "--sample", "8").stdout
    assert "move these files out of" in said
    assert "running their sweep again" not in said
    store.path(cell).unlink()
    ok("run", folder / "small.toml", "--store", store.folder, "--device", "python")
    assert verified(store, "--sample", "8")[0] == 0


def test_text_that_a_spreadsheet_would_execute_is_quoted(tmp_path):
    (tmp_path / "mine.py").write_text(
        SPY.replace("strength: float", "label = '=1+1'\n    s: float")
    )
    (tmp_path / "mine.py").write_text(
        (tmp_path / "mine.py").read_text().replace("self.strength", "self.s")
    )
    text = TEXT.replace('"a-ai", lam', f'"{tmp_path / "mine.py"}", s')
    (tmp_path / "own.toml").write_text(text)
    ok("run", tmp_path / "own.toml", "--store", tmp_path / "store", "--device", "python")
    ok("export", tmp_path / "store", tmp_path / "out.csv")
    table = pandas.read_csv(tmp_path / "out.csv")
    assert set(table.policy) == {"'=1+1", "RC"}
    assert table.trial.dtype.kind == "i"
    assert table.low.dtype.kind == "f"  # negative numbers stay numbers
