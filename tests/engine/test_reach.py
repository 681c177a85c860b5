"""What a user's code reaches in roundabout ways is in its names too, or is refused."""

import os
import subprocess
import sys
import textwrap
import types

import pytest

import armwise as aw
from armwise.engine.fingerprint import code_text, fingerprint
from armwise.sweeps.cell import Cell

BANDIT = aw.StationaryBandit(arms=3)
HEAD = """
    import functools, sys, types, typing
    import numba
    import numpy as np
    import armwise as aw

    V = {value}
    def first(x):
        return 1.0 * x
    def second(x):
        return -2.0 * x
    def returned(x):
        return V * x
"""
SCORE = """
    class Mine(aw.Policy):
        def score(self, shared, arm, alpha, beta, rng):
            return {expression}
"""
MADE = 0


def made(setting, expression, value=1.0):
    """A module of a user's, from text that differs in one value."""
    global MADE
    MADE += 1
    text = textwrap.dedent(HEAD) + textwrap.dedent(setting) + textwrap.dedent(SCORE)
    text = text.replace("{value}", repr(value)).replace("{expression}", expression)
    module = types.ModuleType(f"made{MADE}")
    exec(compile(text, f"<made {MADE}>", "exec"), vars(module))
    return module


def names_of(module):
    agent = aw.Agent(module.Mine())
    return Cell(BANDIT, agent, 10, 2, 1, (10,)).name, fingerprint(
        type(agent.policy).score, {}, code_text
    )


def chosen(module, device="cpu"):
    asked = {"record": ["arm"], "checkpoints": aw.every(1), "device": device}
    return aw.simulate(BANDIT, aw.Agent(module.Mine()), 20, 2, **asked).chosen.values.tolist()


SEEN = [
    ("h = numba.njit(returned)", "h(arm)"),
    ("F = (numba.njit(returned), first)", "F[0](arm)"),
    ("F = ((1.0, returned), first)", "F[0][1](arm)"),
    ("f, g = second, first\nh = first if V > 0 else second", "h(1) + g(1) + f(1)"),
    ("f, g, h = (first, second, second)[:: int(V)]", "f(1) + g(1) + h(1)"),
    ("T = np.array([(V, 2.0)], [('a', 'f8'), ('b', 'f8')])", "T[arm]['a']"),
    ("n = ['a', 'b'][:: int(V)]\nT = np.zeros(1, [(each, 'f8') for each in n])", "T[arm]['a']"),
    ("T = (np.array([1.0, 1.0 + V * 1e-12]),)", "T[0][arm]"),
    ("class P(typing.NamedTuple):\n    a: float = V", "P().a * arm"),
    ("consts = types.ModuleType('c')\nconsts.V = V", "consts.V * arm"),
    ("consts = types.ModuleType('c')\nconsts.F = (returned,)", "consts.F[0](arm)"),
]


@pytest.mark.parametrize(("setting", "expression"), SEEN, ids=[each[0][:40] for each in SEEN])
def test_what_is_reached_by_a_detour_is_in_the_names(setting, expression):
    one, same, other = (names_of(made(setting, expression, v)) for v in (1.0, 1.0, -1.0))
    assert one == same
    assert not set(one) & set(other)


REFUSED = [
    ("h = functools.partial(first, V)", "h()", "a partial"),
    ("h = np.frompyfunc(returned, 1, 1)", "h(arm)", "an? .*ufunc"),
    ("h = np.vectorize(returned)", "h(arm)", "a vectorize"),
    ("h = numba.vectorize(returned)", "h(arm)", "a DUFunc"),
    ("h = numba.cfunc('f8(f8)')(returned)", "h(arm)", "a CFunc"),
    ("h = np.array([V, 0.0]).item", "h(arm)", "a builtin_function_or_method"),
    ("h = {0: V}.get", "h(arm)", "a builtin_function_or_method"),
    ("T = numba.typed.List([V])", "T[arm]", "a List"),
    ("T = np.ma.array([V, 1.0], mask=[0, 1])", "T[arm]", "a MaskedArray"),
    ("T = range(int(V), 9)", "T[arm]", "a range"),
    ("T = {V}", "arm in T", "a set"),
    ("class K:\n    W = V", "K.W", "K, a class"),
    ("class P(typing.NamedTuple):\n    a: float\n    w = V\np = P(V)", "p.w", "p, a P"),
    ("F = ([V],)", "F[0][arm]", "a tuple"),
    ("consts = types.ModuleType('c')", "(lambda c: c.V)(consts)", "the module consts as a value"),
]


@pytest.mark.parametrize(("setting", "expression", "words"), REFUSED)
def test_what_a_name_would_not_depend_on_is_refused(setting, expression, words):
    with pytest.raises(aw.InputError, match=f"score uses .*{words}"):
        names_of(made(setting, expression))


def test_an_import_while_it_runs_is_refused():
    setting = "def late(x):\n    import some_module\n    return some_module.V * x"
    with pytest.raises(aw.InputError, match="late uses the module some_module as a value"):
        names_of(made(setting, "late(arm)"))
    setting = "def late(x):\n    import math\n    return math.sqrt(x)"
    assert names_of(made(setting, "late(arm)"))


@pytest.mark.parametrize(
    ("setting", "expression"),
    [
        ("@numba.njit\ndef h():\n    return np.random.rand()", "h()"),
        ("def h(x=np.random.rand):\n    return x()", "h()"),
        ("def late():\n    from random import random\n    return random()", "late()"),
        ("def h():\n    return np.random.rand()\nF = (h,)", "F[0]()"),
    ],
)
def test_draws_that_are_not_addressed_are_found_wherever_they_are(setting, expression):
    with pytest.raises(aw.InputError, match=r"Mine\.score draws from .*: draw from `rng`"):
        chosen(made(setting, expression))


def set_module(module, value):
    module.consts.V = value


def set_array(module, value):
    module.T[0][0] = value


def set_global(module, value):
    module.V = value


LIVE = [
    ("consts = types.ModuleType('c')\nconsts.V = V", "consts.V * arm", set_module),
    ("T = (np.array([V]),)", "T[0][0] * arm", set_array),
    ("h = numba.njit(returned)", "h(arm)", set_global),
]


@pytest.mark.parametrize(("setting", "expression", "change"), LIVE)
def test_what_changes_in_a_live_session_changes_what_runs(setting, expression, change):
    module = made(setting, expression)
    before = chosen(module)
    change(module, -1.0)
    after = chosen(module)
    assert after != before
    assert after == chosen(module, "python")


WRITES = """
    @numba.njit
    def helper(memory, trial):
        if trial > 100:
            memory[10**9] = 1.0
    class Far(aw.Actor):
        def memory_size(self, arms):
            return 1
        def act(self, memory, arms, trial, rng):
            helper(memory, trial)
            return 0
        def learn(self, memory, arms, trial, arm, outcome, rng):
            return 0.0
"""


@pytest.mark.parametrize(("device", "words"), [("cpu", "Far failed"), ("python", r"Far\.act fail")])
def test_a_compiled_helper_cannot_write_beyond_the_memory(device, words):
    module = made(textwrap.dedent(WRITES), "0.0")
    with pytest.raises(aw.InputError, match=f"^{words}.*IndexError"):
        aw.simulate(BANDIT, module.Far(), 200, 1, device=device)


VIEW = """
    import sys
    import numpy as np
    import armwise as aw

    WIDE = np.array([[0.0, 9.0], [0.0, 9.0], [5.0, 9.0]])
    COLUMN = WIDE[:, 0]

    class Mine(aw.Policy):
        def score(self, shared, arm, alpha, beta, rng):
            return COLUMN[arm]

    if __name__ == "__main__":
        elsewhere = [np.random.rand(1_000) for _ in range(int(sys.argv[1]))]
        asked = {"record": ["arm"], "checkpoints": [20]}
        result = aw.simulate(aw.StationaryBandit(arms=3), aw.Agent(Mine()), 20, 1, **asked)
        print(result.chosen.item())
"""


def test_a_kernel_with_addresses_of_this_process_is_not_kept(tmp_path):
    """Numba refers to a table that is long or not in one piece by its place in memory."""
    (tmp_path / "mine.py").write_text(textwrap.dedent(VIEW))
    environment = os.environ | {"ARMWISE_CACHE_DIR": str(tmp_path / "cache")}
    for more in ("1", "10000"):
        done = subprocess.run(
            [sys.executable, "mine.py", more],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stdout) == (0, "2\n"), done.stderr
