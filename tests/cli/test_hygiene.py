"""What is printed and written is what it claims to be, whatever a user's component does."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from typer.testing import CliRunner

import armwise as aw
from armwise.cli import app
from armwise.cli.guard import Guarded

ARMWISE = [sys.executable, "-c", "from armwise_command import main; main()"]
TINY = ["--bandit", "stationary:arms=3", "--horizon", "20", "--agents", "3"]
TALKER = """
from armwise import Policy

print("hello")


class Talker(Policy):
    label = {label!r}

    def score(self, shared, arm, alpha, beta, rng):
        print("scoring")
        return alpha
"""


def process(*arguments, **options):
    words = [*ARMWISE, *map(str, arguments)]
    return subprocess.run(
        words, capture_output=True, text=True, timeout=60, check=False, encoding="utf-8", **options
    )


def own(folder, label="talker"):
    (folder / "mine.py").write_text(TALKER.format(label=label), encoding="utf-8")
    return folder / "mine.py"


@pytest.mark.parametrize("device", ["python", "cpu"])
def test_json_is_json_whatever_a_policy_prints(tmp_path, device):
    ended = process("simulate", "-p", own(tmp_path), *TINY, "--device", device, "--json")
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout)["policies"][0]["label"] == "talker"
    assert "hello" in ended.stderr
    assert "scoring" in ended.stderr


def test_json_goes_to_a_stream_of_a_program_too(tmp_path):
    words = ["simulate", "-p", str(own(tmp_path)), *TINY, "--device", "python", "--json"]
    ended = CliRunner().invoke(app, words)
    assert json.loads(ended.stdout)["agents"] == 3
    assert "scoring" in ended.stderr


def test_a_label_with_markup_is_shown_as_it_is(tmp_path):
    label = "[bold]x[/nonsense]"
    other = ["-p", "rc"]
    ended = process("simulate", "-p", own(tmp_path, label), *other, *TINY, "--device", "python")
    assert ended.returncode == 0, ended.stderr
    assert f" {label} " in ended.stdout
    assert f"difference to {label}" in ended.stdout


@pytest.mark.parametrize("label", ["a\0b", "a\x1b[31mb", "\ud800", "$x", " ", "", "x" * 101, 5])
def test_a_label_that_files_or_figures_cannot_hold_is_refused_at_once(tmp_path, label):
    with pytest.raises(aw.InputError, match="label must"):
        type("Mine", (aw.Policy,), {"label": label, "__annotations__": {}})
    if label != "\ud800":
        ended = process("simulate", "-p", own(tmp_path, label), *TINY)
        assert ended.returncode == 2
        assert "label must" in ended.stderr
        assert ended.stderr.count("\n") == 1


@pytest.mark.parametrize("locale", ["C", "POSIX"])
def test_files_are_utf8_whatever_the_locale(tmp_path, locale):
    text = 'title = "λ"\nhorizon = 5\nagents = 2\n[[bandit]]\nname = "stationary"\n[[agent]]\n'
    text += f'policy = {{ name = "{tmp_path / "mine.py"}" }}\n'
    own(tmp_path, "λ-UCB")
    (tmp_path / "s.toml").write_text(text, encoding="utf-8")
    plain = {**os.environ, "LC_ALL": locale, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    store = tmp_path / "store"
    words = ["run", tmp_path / "s.toml", "--store", store, "--device", "python"]
    for arguments in (
        words,
        ["status", store],
        ["export", store, tmp_path / "out.csv"],
        ["simulate", "-p", tmp_path / "mine.py", *TINY, "--device", "python"],
    ):
        ended = process(*arguments, env=plain)
        assert ended.returncode == 0, ended.stderr
    assert "λ-UCB" in (tmp_path / "out.csv").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["simulate", "-p", f"a-ai:lam={'9' * 5_000}"], "lam must be"),
        (["simulate", "-p", "a-ai", "-b", f"switching:arms={10**400}"], "arms must be"),
        (["simulate", "-p", "a-ai", "-b", f"switching:arms={'9' * 5_000}"], "arms must be"),
        (["simulate", "-p", "rc", "--checkpoints", "9" * 5_000], "--checkpoints must be"),
        (["simulate", "-p", "rc", "--horizon", "9" * 400], "horizon must be"),
        (["simulate", "-p", "a-ai:lam=0.1,lam=0.5"], "'lam' is given twice"),
        (["simulate", "-p", "x" * 5_000], "There is no policy"),
        (["run", "x\0.toml", "--store", "s"], "without NUL"),
    ],
)
def test_absurd_values_are_one_short_sentence(arguments, word):
    ended = CliRunner().invoke(app, arguments)
    assert ended.exit_code == 2
    assert word in ended.stderr
    assert ended.stderr.count("\n") == 1
    assert len(ended.stderr) < 1_500


def test_an_unknown_keyword_of_a_component_is_answered_with_the_nearest():
    with pytest.raises(aw.InputError, match="'lan'; did you mean 'lam'"):
        aw.ApproximateActiveInference(lan=0.5)


@pytest.mark.parametrize("given", [5, 5.0, "10", None.__class__])
def test_checkpoints_must_be_a_list(given):
    with pytest.raises(aw.InputError, match="checkpoints must be a list"):
        aw.simulate(aw.StationaryBandit(), aw.Agent(aw.UCB()), 10, 2, checkpoints=given)


@pytest.mark.parametrize("wait", [0.1, 0.2, 0.3, 0.45])
def test_ctrl_c_while_loading_is_a_sentence(wait):
    """Before the first tenth, it is Python itself that starts."""
    code = "print(1, flush=True)\nfrom armwise_command import main; main()"
    words = [sys.executable, "-c", code, "simulate", "-p", "a-ai", "--horizon", "1000000000"]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout.readline() == "1\n"
        time.sleep(wait)
        running.send_signal(signal.SIGINT)
        _, said = running.communicate(timeout=20)
    assert running.returncode == 130
    assert said == "Interrupted; nothing was saved.\n"


def test_ctrl_c_while_arguments_are_read_is_a_sentence(monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Guarded, "parse_args", interrupted)
    ended = CliRunner().invoke(app, ["list"])
    assert ended.exit_code == 130
    assert ended.stderr == "Interrupted; nothing was saved.\n"


STUBBORN = """
import armwise as aw


class Stubborn(aw.Actor):
    def memory_size(self, arms):
        return 1

    def act(self, memory, arms, trial, rng):
        while trial > 500 and memory[0] < 1.0:
            memory[0] *= 0.5
        return 0

    def learn(self, memory, arms, trial, arm, outcome, rng):
        return 0.0
"""


@pytest.mark.slow
def test_ctrl_c_ends_compiled_code_that_never_returns(tmp_path):
    (tmp_path / "stubborn.py").write_text(STUBBORN)
    words = [*ARMWISE, "simulate", "-p", "stubborn.py", "--horizon", "2000", "--agents", "2"]
    with subprocess.Popen(words, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as running:
        time.sleep(12.0)  # until it is compiled and runs
        assert running.poll() is None
        running.send_signal(signal.SIGINT)
        started = time.monotonic()
        _, said = running.communicate(timeout=20)
        took = time.monotonic() - started
    assert running.returncode == 130
    assert said.endswith("A component did not come to an end; what was finished is kept.\n")
    assert took < 10.0  # two seconds, on a machine that does nothing else


def test_the_command_listens_for_ctrl_c_before_it_loads_anything_large():
    code = "import sys; old = set(sys.modules); import armwise_command; "
    code += "print(*sorted(set(sys.modules) - old - {'armwise_command'}))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert not {"threading", "typing", "typer", "armwise"} & set(done.stdout.split())


def test_a_name_that_a_locale_cannot_spell_is_a_sentence(tmp_path):
    """Python without its UTF-8 mode, in a locale that knows ASCII alone."""
    file = tmp_path / "möglich.py"
    file.write_text(TALKER.format(label="möglich"), encoding="utf-8")
    text = '[[bandit]]\nname = "stationary"\n[[agent]]\npolicy = { name = "möglich.py" }\n'
    (tmp_path / "sweep.toml").write_text(f"horizon = 5\n{text}", encoding="utf-8")
    ascii_only = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    options = {"env": os.environ | ascii_only, "cwd": tmp_path}
    ended = process("run", "sweep.toml", "--store", "store", **options)
    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1), ended.stderr
    assert "'ascii' codec can't encode" in ended.stderr
    ended = process("simulate", "-p", file, *TINY, "--device", "python", **options)
    assert ended.returncode == 0, ended.stderr
