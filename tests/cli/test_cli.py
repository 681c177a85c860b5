"""The command line: what it prints, what it writes, what it refuses and how it ends."""

import json
import os
import signal
import subprocess
import sys

import numpy as np
import pytest
import xarray
from typer.testing import CliRunner

import armwise as aw
from armwise import registry
from armwise.cli import app
from armwise.cli.agents import labels
from armwise.model.component import kind_of, parameters_of, written
from armwise.play.explain import explain
from armwise.play.simulate import simulate
from armwise.plotting import regret_curves, style

ARMWISE = [sys.executable, "-c", "from armwise.cli import main; main()"]
TINY = ["--horizon", "30", "--agents", "4", "--seed", "3", "--device", "python"]
BANDIT = "switching:arms=3,epsilon=0.2,rho=0.05"


def armwise(*arguments):
    return CliRunner().invoke(app, list(arguments))


def process(*arguments, **options):
    return subprocess.run(
        [*ARMWISE, *arguments], capture_output=True, text=True, timeout=60, check=False, **options
    )


def answer(*arguments):
    ended = armwise(*arguments, "--json")
    assert ended.exit_code == 0, ended.output
    assert ended.stderr == ""
    return json.loads(ended.stdout)


@pytest.fixture
def no_work(monkeypatch):
    """Any attempt to compute fails."""

    def refuse(*_):
        raise AssertionError("work began")

    monkeypatch.setattr("armwise.engine.python.prepare", refuse)
    monkeypatch.setattr("armwise.engine.cpu.prepare", refuse)


def simulation(*extra, policy="a-ai", bandit=BANDIT):
    return ["simulate", "--bandit", bandit, "--policy", policy, *TINY, *extra]


def explanation(*extra, alpha="3,1,2", beta="1,5,2", policy="g-ai"):
    return ["explain", "--policy", policy, "--alpha", alpha, "--beta", beta, *extra]


BAD = {
    "one arm": (simulation(bandit="switching:arms=1"), "arms"),
    "arms not whole": (simulation(bandit="switching:arms=2.5"), "arms"),
    "epsilon above 1": (simulation(bandit="stationary:epsilon=1.5"), "epsilon"),
    "epsilon below 0": (simulation(bandit="switching:epsilon=-0.1"), "epsilon"),
    "epsilon leaves room for p": (simulation(bandit="switching:epsilon=0.6"), "p + epsilon"),
    "rho above 1": (simulation(bandit="varying:rho=1.1"), "rho"),
    "rho below 0": (simulation("--learner", "smile:rho=-0.01"), "rho"),
    "negative lam": (simulation(policy="a-ai:lam=-1"), "lam"),
    "infinite lam": (simulation(policy="a-ai:lam=inf"), "lam"),
    "NaN lam": (simulation(policy="g-ai:lam=nan"), "lam"),
    "NaN rho": (simulation(bandit="switching:rho=nan"), "rho"),
    "infinite prior": (simulation("--learner", "smile:alpha0=inf"), "alpha0"),
    "NaN precision": (simulation("--choice", "softmax:precision=nan"), "precision"),
    "no number": (simulation(policy="a-ai:lam=much"), "'much'"),
    "no value": (simulation(policy="a-ai:lam"), "name=value"),
    "no horizon": (simulation("--horizon", "0"), "horizon"),
    "negative horizon": (simulation("--horizon", "-5"), "horizon"),
    "no agents": (simulation("--agents", "0"), "agents"),
    "no threads": (simulation("--threads", "0"), "threads"),
    "unsorted checkpoints": (simulation("--checkpoints", "20,10"), "increase"),
    "repeated checkpoints": (simulation("--checkpoints", "10,10"), "increase"),
    "checkpoint past horizon": (simulation("--checkpoints", "10,31"), "horizon"),
    "checkpoint zero": (simulation("--checkpoints", "0,10"), "checkpoint"),
    "checkpoint no number": (simulation("--checkpoints", "10,x"), "--checkpoints"),
    "checkpoints empty": (simulation("--checkpoints", ""), "--checkpoints"),
    "every zero": (simulation("--every", "0"), "every"),
    "every and checkpoints": (simulation("--every", "5", "--checkpoints", "10"), "not both"),
    "negative seed": (simulation("--seed", "-1"), "seed"),
    "huge seed": (simulation("--seed", str(1 << 64)), "seed"),
    "too many agents": (simulation("--agents", str((1 << 32) - 1), "--every", "1"), "GiB"),
    "too many checkpoints": (simulation("--horizon", "4000000000", "--every", "1"), "GiB"),
    "too many arms": (simulation(bandit=f"switching:arms={1 << 40}"), "arms"),
    "unknown policy": (simulation(policy="a-ia"), "'a-ai'"),
    "unknown bandit": (simulation(bandit="swiching"), "'switching'"),
    "unknown learner": (simulation("--learner", "smil"), "'smile'"),
    "unknown choice": (simulation("--choice", "sotfmax"), "'softmax'"),
    "unknown parameter": (simulation(bandit="switching:epsilom=0.1"), "'epsilon'"),
    "unknown device": (simulation("--device", "cpuu"), "'cpu'"),
    "unknown measure": (simulation("--measure", "rates"), "'rate'"),
    "missing file": (simulation(policy="nowhere/mine.py"), "mine.py"),
    "policy twice": (simulation("--policy", "a-ai:lam=0.5"), "twice"),
    "figure of unknown kind": (simulation("--figure", "out.jpeg"), "out.jpeg"),
    "dataset of unknown kind": (simulation("--save", "out.csv"), "out.csv"),
    "figure nowhere": (simulation("--figure", "nowhere/out.png"), "nowhere"),
    "dataset not writable": (simulation("--save", "/proc/out.nc"), "/proc/out.nc"),
    "belief zero": (explanation(alpha="0,1,2"), "alpha"),
    "belief negative": (explanation(beta="1,-5,2"), "beta"),
    "belief NaN": (explanation(alpha="nan,1,2"), "alpha"),
    "belief infinite": (explanation(beta="1,5,inf"), "beta"),
    "belief no number": (explanation(beta="1,5,x"), "--beta"),
    "beliefs of different length": (explanation(beta="1,5"), "length"),
    "one belief": (explanation(alpha="1", beta="1"), "at least 2"),
    "trial zero": (explanation("--trial", "0"), "trial"),
    "explain negative seed": (explanation("--seed", "-1"), "seed"),
    "explain unknown policy": (explanation(policy="gai"), "'g-ai'"),
}


@pytest.mark.usefixtures("no_work")
@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_in_one_sentence(case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arguments, named = BAD[case]
    ended = armwise(*arguments)
    assert ended.exit_code == 2
    assert ended.stdout == ""
    assert ended.stderr.count("\n") == 1
    assert ended.stderr.endswith(".\n")
    assert named in ended.stderr
    assert isinstance(ended.exception, SystemExit)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("no_work")
def test_policies_must_fit_in_memory_together(monkeypatch):
    # One policy needs 8 bytes x 4 agents x 12 checkpoints and its state: 10 kB hold it, but not 50.
    pages = {"SC_PHYS_PAGES": 100, "SC_PAGE_SIZE": 100}
    many = [word for i in range(50) for word in ("--policy", f"a-ai:lam={i + 1}")]
    monkeypatch.setattr(os, "sysconf", pages.__getitem__)
    ended = armwise(*simulation("--threads", "1", *many))
    assert ended.exit_code == 2
    assert "GiB" in ended.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["simulate"],
        ["simulate", "--policy", "rc", "--horizon", "many"],
        ["simulate", "--polcy", "rc"],
        ["simulat"],
        ["explain", "--policy", "g-ai"],
    ],
)
def test_usage_errors_end_with_2(arguments):
    ended = armwise(*arguments)
    assert ended.exit_code == 2
    assert ended.stdout == ""
    assert "Traceback" not in ended.stderr


def test_bad_input_from_a_process():
    ended = process(*simulation(policy="o-st"))
    assert ended.returncode == 2
    assert ended.stdout == ""
    assert ended.stderr.count("\n") == 1
    assert "'o-ts'" in ended.stderr


def test_json_of_simulate_follows_its_schema():
    found = answer(*simulation("--checkpoints", "5,10"), "--policy", "o-ts")
    assert found["bandit"] == str(registry.component("bandit", BANDIT))
    assert (found["horizon"], found["agents"], found["seed"]) == (30, 4, 3)
    assert found["assumed_rho"] == 0.05
    assert [policy["label"] for policy in found["policies"]] == ["A-AI", "O-TS"]
    assert [policy["policy"] for policy in found["policies"]] == ["a-ai:lam=0.5", "o-ts"]
    for policy in found["policies"]:
        assert policy["checkpoints"] == [5, 10, 30]  # the horizon is added
        assert len(policy["mean_regret"]) == len(policy["sem"]) == 3
        assert all(isinstance(value, float) for value in policy["mean_regret"] + policy["sem"])
        low, high = policy["ci95"]
        assert low < policy["regret_rate"] < high
        assert policy["agents"] == 4
        assert policy["seconds"] >= 0.0


def test_numbers_are_those_of_the_library():
    [found] = answer(*simulation())["policies"]
    agent = aw.Agent(aw.ApproximateActiveInference(lam=0.5), aw.Smile(rho=0.05))
    bandit = aw.SwitchingBandit(arms=3, epsilon=0.2, rho=0.05)
    result = simulate(bandit, agent, horizon=30, agents=4, seed=3, device="python")
    regret = result.regret.values
    assert found["checkpoints"] == result.trial.values.tolist()
    np.testing.assert_allclose(found["mean_regret"], regret.mean(axis=0), rtol=1e-14)
    np.testing.assert_allclose(found["sem"], regret.std(axis=0, ddof=1) / 2, rtol=1e-12)
    assert found["regret_rate"] == pytest.approx(regret[:, -1].mean() / 30, rel=1e-14)
    # Student's 97.5 % quantile with 3 degrees of freedom, from a table.
    margin = 3.182446305 * regret[:, -1].std(ddof=1) / 2 / 30
    assert found["ci95"][1] - found["regret_rate"] == pytest.approx(margin, rel=1e-8)


def test_every_keeps_regret_at_every_so_many_trials_and_the_last():
    for step, kept in ((8, [8, 16, 24, 30]), (10, [10, 20, 30]), (31, [30])):
        [found] = answer(*simulation("--every", str(step)))["policies"]
        assert found["checkpoints"] == kept


def test_learner_assumes_what_it_is_given():
    assert answer(*simulation("--learner", "smile:rho=0.2"))["assumed_rho"] == 0.2
    assert answer(*simulation(bandit="stationary"))["assumed_rho"] == 0.0
    assert "rho = 0.05 (as the bandit has)" in armwise(*simulation()).stdout
    other = armwise(*simulation("--learner", "smile:rho=0.2")).stdout
    assert "rho = 0.2 (the bandit has 0.05)" in other


def test_a_single_agent_has_no_interval():
    found = answer(*simulation("--agents", "1"), "--policy", "rc")
    assert found["policies"][0]["ci95"] == [None, None]
    assert found["comparisons"] == []
    assert armwise(*simulation("--agents", "1"), "--policy", "rc").exit_code == 0


def test_table_compares_with_the_first_policy():
    arguments = simulation("--policy", "a-ai:lam=0", "--policy", "rc")
    table = armwise(*arguments).stdout
    found = answer(*arguments)
    for policy in found["policies"]:
        [row] = [line for line in table.splitlines() if line.startswith(f" {policy['label']}  ")]
        assert f"{policy['regret_rate']:.5f}" in row
    assert [one["first"] for one in found["comparisons"]] == ["A-AI lam=0", "RC"]
    assert {one["second"] for one in found["comparisons"]} == {"A-AI lam=0.5"}
    means = [policy["mean_regret"][-1] for policy in found["policies"]]
    for one, mean in zip(found["comparisons"], means[1:], strict=True):
        assert one["difference"] == pytest.approx(mean - means[0], abs=1e-12)
        assert one["low"] <= one["difference"] <= one["high"]
        assert one["p"] <= one["p_holm"] <= 1.0


def test_labels_show_only_parameters_that_differ():
    same = aw.ExactActiveInference(lam=0.25)
    assert labels([same, aw.RandomChoice()]) == ["G-AI", "RC"]
    variants = [aw.ApproximateActiveInference(lam=lam) for lam in (0.1, 0.5)]
    assert labels([*variants, same]) == ["A-AI lam=0.1", "A-AI lam=0.5", "G-AI"]
    with pytest.raises(aw.InputError, match="twice"):
        labels([same, same])


def test_policy_from_a_file_of_ones_own(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(
        "from armwise.model.component import parameter\n"
        "from armwise.model.roles import Policy\n\n\n"
        "class Greedy(Policy):\n"
        "    '''The mean, and a constant.'''\n\n"
        "    label = 'greedy'\n"
        "    extra: float = parameter(default=0.0, meaning='a constant')\n\n"
        "    def score(self, shared, arm, alpha, beta, rng):\n"
        "        return alpha / (alpha + beta) + self.extra\n"
    )
    figure = tmp_path / "out.svg"
    found = answer(*simulation("--figure", str(figure), policy=f"{file}:extra=1"))
    assert found["policies"][0]["policy"] == "greedy:extra=1"
    assert figure.stat().st_size > 0


def test_a_file_with_several_components_is_named_with_a_class(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(
        "from armwise import Policy, SwitchingBandit\n\n\n"
        "class First(Policy):\n"
        "    strength: float = 1.0\n\n"
        "    def score(self, shared, arm, alpha, beta, rng):\n"
        "        return self.strength * alpha\n\n\n"
        "class Second(First):\n"
        "    strength: float = 2.0\n\n\n"
        "class Mine(SwitchingBandit):\n"
        "    label = 'mine'\n"
    )
    more = ["--policy", "mine.py:First", "--policy", "mine.py:Second"]
    found = answer(*simulation(*more, policy="mine.py:Second:strength=3", bandit="mine.py:arms=3"))
    written = ["second:strength=3", "first:strength=1", "second:strength=2"]
    assert [policy["policy"] for policy in found["policies"]] == written
    assert found["bandit"].startswith("mine:arms=3,")
    wrong = armwise(*simulation(policy="mine.py:Frist"))
    assert (wrong.exit_code, wrong.stdout) == (2, "")
    assert "did you mean 'First'" in wrong.stderr


def test_there_is_one_word_for_a_bandit():
    for command in ("simulate", "explain", "run", "leaderboard", "list", "reproduce", "verify"):
        shown = armwise(command, "--help").stdout
        assert "world" not in shown.lower()
        assert "whole agent" not in shown
    assert armwise("simulate", "--policy", "rc", "--world", "switching").exit_code == 2


def test_tables_fit_into_80_columns(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    softmax = explanation("--choice", "softmax:precision=5")
    compared = simulation("--policy", "o-ts", "--policy", "universal")
    for arguments in (["list"], softmax, explanation(policy="o-ts"), compared):
        shown = armwise(*arguments).stdout
        table = shown.partition("\nProblems")[0]  # whose lines are long, to be copied whole
        assert max(map(len, table.splitlines())) <= 80
    heads = armwise(*softmax).stdout
    for name in ("ambiguity", "extrinsic", "intrinsic", "probability"):
        assert f" {name} " in heads  # not folded
    row = next(line for line in armwise(*compared).stdout.splitlines() if "universal" in line)
    assert row.count("±") == 2


def test_an_option_that_commands_share_is_the_same_in_all():
    for command in ("simulate", "run", "reproduce", "leaderboard"):
        refused = armwise(command, *REQUIRED.get(command, []), "--threads", "4096")
        assert (refused.exit_code, refused.stdout) == (2, "")
        assert refused.stderr == "threads must be a whole number from 1 to 4095, not 4096.\n"


REQUIRED = {
    "simulate": ["--policy", "rc"],
    "run": ["figure-4", "--store", "nowhere"],
}


@pytest.mark.parametrize("measure", regret_curves.MEASURES)
@pytest.mark.parametrize("ending", style.ENDINGS)
def test_figure_is_written_and_nothing_else(tmp_path, ending, measure):
    path = tmp_path / f"out{ending}"
    begins = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}
    ended = armwise(*simulation("--figure", str(path), "--measure", measure))
    assert ended.exit_code == 0
    assert path.read_bytes().startswith(begins[ending])
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("measure", regret_curves.MEASURES)
def test_curves_show_mean_band_and_bound(measure):
    bandit = aw.StationaryBandit(arms=4, epsilon=0.4)
    policies = {
        "A-AI lam=0.1": aw.ApproximateActiveInference(lam=0.1),
        "A-AI lam=0.5": aw.ApproximateActiveInference(lam=0.5),
        "B-UCB": aw.BayesianUCB(),
    }
    results = {
        label: simulate(bandit, aw.Agent(policy), 20, 3, device="python")
        for label, policy in policies.items()
    }
    [axes] = regret_curves.draw(results, measure).axes
    lines = {line.get_label(): line for line in axes.get_lines()}
    assert list(lines) == [*policies, "random choice"]
    for label, result in results.items():
        mean = result.regret.mean("agent") / (result.trial if measure == "rate" else 1)
        np.testing.assert_allclose(lines[label].get_ydata(), mean.values, rtol=1e-12)
    assert len(axes.collections) == 3
    assert lines["B-UCB"].get_color() == "#0072B2"
    assert lines["A-AI lam=0.1"].get_color() == lines["A-AI lam=0.5"].get_color() == "#009E73"
    assert lines["A-AI lam=0.1"].get_linestyle() != lines["A-AI lam=0.5"].get_linestyle()
    last = 0.3 * (20 if measure == "regret" else 1)  # epsilon (K - 1) / K
    assert lines["random choice"].get_ydata()[-1] == pytest.approx(last)
    assert lines["random choice"].get_linestyle() == "--"


def test_saved_dataset_has_the_bits_of_simulate(tmp_path):
    path = tmp_path / "out.nc"
    ended = armwise(*simulation("--save", str(path)), "--policy", "g-ai:lam=0.1", "--policy", "rc")
    assert ended.exit_code == 0
    assert list(tmp_path.iterdir()) == [path]
    bandit = aw.SwitchingBandit(arms=3, epsilon=0.2, rho=0.05)
    policies = {
        "A-AI": aw.ApproximateActiveInference(lam=0.5),
        "G-AI": aw.ExactActiveInference(lam=0.1),
        "RC": aw.RandomChoice(),
    }
    with xarray.open_dataset(path, engine="h5netcdf") as saved:
        assert saved.regret.dims == ("label", "agent", "trial")
        assert saved.label.values.tolist() == saved.policy.values.tolist() == list(policies)
        for label, policy in policies.items():
            agent = aw.Agent(policy, aw.Smile(rho=0.05))
            expected = simulate(bandit, agent, 30, 4, 3, device="python")
            assert np.array_equal(saved.regret.sel(label=label), expected.regret)
            assert np.array_equal(saved.trial, expected.trial)
        np.testing.assert_array_equal(saved.policy_lam, [0.5, 0.1, np.nan])
        assert saved.learner_rho.item() == saved.bandit_rho.item() == 0.05
        assert saved.seed.item() == 3
        assert saved.attrs["bandit"] == str(bandit)
        assert len(saved.attrs["cell"]) == 3


def test_a_single_policy_is_saved_as_simulate_returns_it(tmp_path):
    path = tmp_path / "out.nc"
    assert armwise(*simulation("--save", str(path))).exit_code == 0
    agent = aw.Agent(aw.ApproximateActiveInference(lam=0.5), aw.Smile(rho=0.05))
    bandit = aw.SwitchingBandit(arms=3, epsilon=0.2, rho=0.05)
    expected = simulate(bandit, agent, 30, 4, 3, device="python")
    with xarray.open_dataset(path, engine="h5netcdf") as saved:
        assert saved.label.item() == "A-AI"
        xarray.testing.assert_equal(saved.drop_vars("label"), expected)
        assert saved.attrs.keys() == expected.attrs.keys()


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "out.nc"
    path.write_text("old")

    def fail(*_, **__):
        raise OSError("disk full")

    monkeypatch.setattr(xarray.Dataset, "to_netcdf", fail)
    ended = armwise(*simulation("--save", str(path)))
    assert ended.exit_code == 1
    assert ended.stderr == "The system refused: disk full.\n"
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_list_shows_every_component_and_parameter():
    catalogue = answer("list")
    text = " ".join(armwise("list").stdout.split())
    for plural, role in (
        ("bandits", "bandit"),
        ("learners", "learner"),
        ("policies", "policy"),
        ("choices", "choice"),
        ("actors", "actor"),
    ):
        known = registry.known(role)
        assert [one["name"] for one in catalogue[plural]] == list(known)
        for described, cls in zip(catalogue[plural], known.values(), strict=True):
            assert described["class"] == cls.__name__
            assert hasattr(aw, cls.__name__)
            fields = list(parameters_of(cls))
            assert [one["name"] for one in described["parameters"]] == [f.name for f in fields]
            summary = cls.__doc__.splitlines()[0]
            for shown in (cls.__name__, cls.equation, cls.reference, summary):
                assert shown
                assert " ".join(shown.split()) in text
            for field in fields:
                assert f"{field.name}={written(field.default)}" in text
                is_bool = kind_of(field) == "bool"
                allowed = "true or false" if is_bool else str(field.metadata["range"])
                assert f"{allowed})" in text
                assert field.metadata["meaning"] in text


def test_list_in_a_pipe_has_no_colours_and_no_cuts():
    ended = process("list", env={k: v for k, v in os.environ.items() if k != "COLUMNS"})
    assert ended.returncode == 0
    assert ended.stderr == ""
    assert "\x1b" not in ended.stdout
    assert "…" not in ended.stdout


@pytest.mark.parametrize("policy", ["g-ai:lam=0.25", "a-ai", "b-ucb", "o-ts", "ucb", "rc"])
def test_explain_tells_what_the_library_does(policy):
    extra = ["--trial", "7", "--learner", "smile:rho=0.1", "--choice", "softmax:precision=5"]
    found = answer(*explanation(*extra, "--seed", "5", policy=policy))
    agent = aw.Agent(
        registry.component("policy", policy), aw.Smile(rho=0.1), aw.Softmax(precision=5)
    )
    expected = explain(agent, alpha=[3, 1, 2], beta=[1, 5, 2], trial=7, seed=5)
    assert (found["trial"], found["seed"], found["assumed_rho"]) == (7, 5, 0.1)
    for name in ("alpha", "beta", *expected.data_vars):
        assert [arm[name] for arm in found["arms"]] == expected[name].values.tolist()
    table = armwise(*explanation(*extra, "--seed", "5", policy=policy)).stdout
    for name in expected.data_vars:
        assert name in table
    assert f"{expected.score.values[0]:.6g}" in table


def test_explain_names_the_best_arms():
    assert "Best score: arm 0." in armwise(*explanation(alpha="9,1,2")).stdout
    tie = armwise(*explanation(alpha="3,1,3", beta="1,5,1")).stdout
    assert "Best score: arms 0, 2 tie." in tie


def test_version_and_help():
    assert armwise("--version").stdout == f"armwise {aw.__version__}\n"
    bare = armwise()
    assert bare.exit_code == 0
    for command in ("list", "simulate", "explain"):
        assert command in bare.stdout
        shown = armwise(command, "--help")
        assert shown.exit_code == 0
        assert f"armwise {command}" in shown.stdout.partition("Example:")[2]


def test_help_loads_nothing_heavy():
    code = (
        "import sys\n"
        "from armwise.cli import app\n"
        "app(['simulate', '--help'], standalone_mode=False)\n"
        "heavy = {'numba', 'xarray', 'matplotlib', 'pandas', 'h5netcdf'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert ended.returncode == 0, ended.stderr


def test_broken_pipe_is_quiet():
    for arguments in (["list"], ["list", "--json"]):
        read, write = os.pipe()
        os.close(read)  # nobody listens
        with os.fdopen(write, "w") as closed:
            ended = subprocess.run(
                [*ARMWISE, *arguments], stdout=closed, stderr=subprocess.PIPE, check=False
            )
        assert ended.stderr == b""


def test_interruption_ends_quickly_with_130(tmp_path):
    # The engine says when it is at work.
    code = (
        "from armwise.cli import main\n"
        "from armwise.engine import python\n"
        "run = python.run\n"
        "python.run = lambda *given: (print('at work', flush=True), run(*given))[1]\n"
        "main()\n"
    )
    figure = str(tmp_path / "out.svg")
    arguments = simulation("--horizon", "1000000000", "--figure", figure)
    with subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stdout.readline() == "at work\n"
        running.send_signal(signal.SIGINT)
        stdout, stderr = running.communicate(timeout=10)
    assert running.returncode == 130
    assert stdout == ""
    assert stderr == "Interrupted; nothing was saved.\n"
    assert list(tmp_path.iterdir()) == []


def test_compiled_engine_gives_the_same_answer():
    slow = answer(*simulation())["policies"][0]
    fast = answer(*simulation("--device", "cpu", "--threads", "2"))["policies"][0]
    assert slow["mean_regret"] == fast["mean_regret"]
