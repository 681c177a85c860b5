"""Junk on the command line and in files ends with a result or with one sentence, nothing else."""

import contextlib
import tomllib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from armwise.cli import app
from armwise.errors import InputError
from armwise.sweeps.netcdf import BROKEN, image, parsed, stored
from armwise.sweeps.sweep import Sweep

SHORT = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
LONG = settings(SHORT, max_examples=3_000)
NAMES = [
    "a-ai",
    "o-ts",
    "rc",
    "hmm",
    "switching",
    "stationary",
    "fixed",
    "smile",
    "argmax",
    "mine.py",
]
KEYS = ["lam", "rho", "arms", "epsilon", "thetas", "name", "from", "to", "step", "every", "a,b", ""]
TOP = ["horizon", "agents", "seed", "checkpoints", "bandit", "agent", "profile", "title", "x"]

texts = st.one_of(st.sampled_from(NAMES), st.text(max_size=8))
numbers = st.one_of(
    st.integers(-3, 30),
    st.integers(),
    st.floats(),
    st.sampled_from([10**400, 2**64, 1e308, -0.0, True, False]),
)
values = st.recursive(
    st.one_of(numbers, texts),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(KEYS), inner, max_size=3),
        st.fixed_dictionaries({"from": numbers, "to": numbers, "step": numbers}),
    ),
    max_leaves=6,
)
parts = st.one_of(
    values,
    st.builds(
        lambda name, more: {"name": name, **more},
        texts,
        st.dictionaries(st.sampled_from(KEYS), values, max_size=2),
    ),
)
agents = st.one_of(values, st.fixed_dictionaries({"policy": parts}, optional={"learner": parts}))
GOOD = {
    "horizon": 10,
    "bandit": [{"name": "stationary", "arms": 3}],
    "agent": [{"policy": {"name": "a-ai"}}],
}
changes = st.fixed_dictionaries(
    {},
    optional={
        **{key: values for key in TOP},
        "bandit": st.lists(parts, max_size=2),
        "agent": st.lists(agents, max_size=2),
    },
)


def check(problem):
    assert str(problem).strip()
    assert len(str(problem)) < 2_000


def planned(change):
    try:
        sweep = Sweep.of(GOOD | change)
        if sweep.count() < 2_000:
            for cell in sweep.cells():
                assert len(cell.name) == 32
    except InputError as problem:
        check(problem)


@SHORT
@given(changes)
def test_a_sweep_is_planned_or_refused(change):
    planned(change)


@pytest.mark.slow
@LONG
@given(changes)
def test_a_sweep_is_planned_or_refused_long(change):
    planned(change)


def read(folder, content):
    (folder / "junk.toml").write_bytes(content)
    try:
        Sweep.read(folder / "junk.toml")
    except InputError as problem:
        check(problem)


WRITTEN = Path(__file__).parents[2] / "examples" / "sweep.toml"
pieces = st.sampled_from(
    [b"[", b"]", b"{", b"=", b"\n", b",", b'"', b"\x00", b"\xff", b"9" * 5_000]
)


def damaged(rng_pieces):
    content = WRITTEN.read_bytes()
    for place, piece, cut in rng_pieces:
        place %= len(content) + 1
        content = content[:place] + piece + content[place + cut :]
    return content


wounds = st.lists(st.tuples(st.integers(0, 10_000), pieces, st.integers(0, 5)), max_size=4)


@SHORT
@given(wounds)
def test_a_file_is_read_or_refused(tmp_path_factory, changed):
    read(tmp_path_factory.getbasetemp(), damaged(changed))


@pytest.mark.slow
@LONG
@given(wounds)
def test_a_file_is_read_or_refused_long(tmp_path_factory, changed):
    read(tmp_path_factory.getbasetemp(), damaged(changed))


def test_the_wounded_file_is_one_that_reads():
    tomllib.loads(WRITTEN.read_text(encoding="utf-8"))


words = st.one_of(
    texts,
    st.builds(
        lambda name, pairs: f"{name}:{','.join(f'{k}={v}' for k, v in pairs)}",
        texts,
        st.lists(st.tuples(st.sampled_from(KEYS), st.one_of(numbers, texts)), max_size=3),
    ),
)
OPTIONS = ["--learner", "--choice", "--seed", "--checkpoints", "--every", "--measure", "--device"]
OPTIONS += ["--threads", "--bandit", "--policy", "--figure", "--save", "--nonsense"]
commands = st.one_of(
    st.builds(
        lambda policy, more: ["simulate", "-p", policy, *(w for pair in more for w in pair)],
        words,
        st.lists(st.tuples(st.sampled_from(OPTIONS), words), max_size=2),
    ),
    st.builds(
        lambda policy, alpha, beta, trial: [
            *("explain", "-p", policy, "--trial", str(trial)),
            *("--alpha", ",".join(map(str, alpha)), "--beta", ",".join(map(str, beta))),
        ],
        words,
        st.lists(numbers, max_size=3),
        st.lists(numbers, max_size=3),
        numbers,
    ),
    st.builds(lambda name, text: [name, text], st.sampled_from(["status", "verify", "run"]), texts),
    st.builds(lambda text: ["export", text, text], texts),
    st.lists(texts, max_size=3),
)


def typed(folder, monkeypatch, words):
    monkeypatch.chdir(folder)
    small = ["--horizon", "5", "--agents", "2"] if words[:1] == ["simulate"] else []
    if small and "--device" not in words:
        small += ["--device", "python"]
    ended = CliRunner().invoke(app, [*words, *small])
    if ended.exit_code == 1 and isinstance(ended.exception, SystemExit):
        assert "The system refused" in ended.stderr  # such as a name that is too long
        return
    assert ended.exit_code in (0, 2), (words, ended.exception)
    assert ended.exception is None or isinstance(ended.exception, SystemExit)


@SHORT
@given(commands)
def test_a_command_ends_with_a_result_or_a_sentence(tmp_path, monkeypatch, words):
    typed(tmp_path, monkeypatch, words)


@pytest.mark.slow
@LONG
@given(commands)
def test_a_command_ends_with_a_result_or_a_sentence_long(tmp_path, monkeypatch, words):
    typed(tmp_path, monkeypatch, words)


@SHORT
@given(
    st.lists(st.tuples(st.integers(0, 5_000), st.integers(0, 255)), max_size=8), st.integers(0, 3)
)
def test_a_broken_file_of_a_store_is_told(changed, cut):
    """Whatever the bytes are; a checksum usually tells before, but anybody can compute one."""
    import xarray

    result = xarray.Dataset({"regret": ("trial", [0.5, 1.0])}, {"trial": [1, 2], "a": "x"})
    content = bytearray(image(result))
    for place, byte in changed:
        content[place % len(content)] = byte
    content = bytes(content[: len(content) * (4 - cut) // 4])
    for look in (stored, parsed):
        with contextlib.suppress(BROKEN):
            look(content)
