"""Everything that a result depends on is in its name: two that differ never share a name."""

import importlib
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import armwise as aw
from armwise.engine.code import global_paths
from armwise.engine.fingerprint import code_text, fingerprint, source_text, stamp
from armwise.engine.source import source_tree
from armwise.sweeps.cell import Cell

MODULE = """
    import enum, math
    import numpy as np
    import armwise as aw
    import {name}_consts as consts
    from numba import njit

    class Kind(enum.IntEnum):
        BEST = {value}

    BEST = {value}
    TABLE = np.array([{value}, 0.0, 0.0])
    PAIR = (1.0, (np.float64({value}), 2.0))

    @njit
    def helper(arm):
        return {value} + arm

    def default(arm, best=BEST):
        return best + arm

    def keyword(arm, *, best=BEST):
        return best + arm

    def enclosed(value):
        def inner(arm):
            return value + arm
        return inner

    inner = enclosed({value})

    class Mine(aw.Policy):
        def score(self, shared, arm, alpha, beta, rng):
            return {expression}

    class Sized(aw.Actor):
        def memory_size(self, arms):
            return {value} + arms
        def act(self, memory, arms, trial, rng):
            return 0
        def learn(self, memory, arms, trial, arm, outcome, rng):
            return 0.0
"""
BANDIT = aw.StationaryBandit(arms=3)
EXPRESSIONS = [
    "BEST * (arm == 0)",
    "TABLE[arm]",
    "PAIR[1][0] - arm",
    "helper(arm)",
    "default(arm)",
    "inner(arm)",
    "consts.BEST - arm",
    "consts.bonus(arm)",
    "float(Kind.BEST) - arm",
    "math.sqrt(arm + {value})",
]


@pytest.fixture
def made(tmp_path, monkeypatch):
    """A module of a user, whose file may change."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    names = []

    def make(name, value, expression="0.0"):
        consts = f"BEST = {value}\n\ndef bonus(arm):\n    return {value} - arm\n"
        (tmp_path / f"{name}_consts.py").write_text(consts)
        expression = expression.format(value=value)
        text = textwrap.dedent(MODULE).format(name=name, value=value, expression=expression)
        (tmp_path / f"{name}.py").write_text(text)
        names.extend((name, f"{name}_consts"))
        for each in (f"{name}_consts", name):
            sys.modules.pop(each, None)
        importlib.invalidate_caches()
        return importlib.import_module(name)

    yield make
    for name in names:
        sys.modules.pop(name, None)


def names_of(component):
    agent = component if isinstance(component, aw.Actor) else aw.Agent(component)
    cell = Cell(BANDIT, agent, 10, 2, 1, (10,)).name
    kernels = [
        fingerprint(type(part).score, {}, code_text)
        for part in agent.parts[:1]
        if not isinstance(agent, aw.Actor)
    ]
    return cell, *kernels


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_whatever_a_score_depends_on_is_in_the_names(made, expression):
    first, again, other = (
        made(f"m{number}", value, expression) for number, value in enumerate((1, 1, 2))
    )
    if "consts" not in expression:  # the modules have other names
        assert names_of(first.Mine()) == names_of(again.Mine())
    for one, two in zip(names_of(first.Mine()), names_of(other.Mine()), strict=True):
        assert one != two


@pytest.mark.parametrize("expression", [e for e in EXPRESSIONS if "Kind" not in e])
def test_two_files_with_equal_text_and_other_values_play_differently(made, expression):
    """What is compiled is what is interpreted, whatever was compiled before."""
    for number, value in enumerate((1, 2)):
        agent = aw.Agent(made(f"p{number}", value, expression).Mine(), aw.Smile())
        asked = {"horizon": 40, "agents": 3, "record": ["arm"]}
        compiled, plain = (aw.simulate(BANDIT, agent, device=d, **asked) for d in ("cpu", "python"))
        np.testing.assert_array_equal(compiled.chosen, plain.chosen)


def test_the_size_of_a_memory_is_in_the_name(made):
    assert names_of(made("s1", 1).Sized())[0] != names_of(made("s2", 2).Sized())[0]


def test_a_file_that_was_edited_after_import_keeps_the_name_of_what_runs(made):
    module = made("edited", 1, "1.0 - arm")
    before, text = names_of(module.Mine()), source_text(module.Mine.score)
    path = Path(module.__file__)
    content = path.read_text()
    path.write_text("# a line\n" + content.replace("1.0 - arm", "2.0 + arm"))
    assert source_tree(module.Mine.score) is None
    assert "2.0" not in source_text(module.Mine.score)
    fresh = made("edited", 1, "2.0 + arm")
    assert names_of(fresh.Mine())[0] not in (before[0], names_of(module.Mine())[0])
    # Lines before a function that did not change do no harm.
    module = made("edited", 1, "1.0 - arm")
    path.write_text("# a line\n\n" + content)
    assert (names_of(module.Mine()), source_text(module.Mine.score)) == (before, text)


def test_a_global_that_changes_in_a_live_session_changes_what_runs(made):
    module = made("live", 1, "TABLE[arm] - BEST * (arm == 0)")
    agent = aw.Agent(module.Mine())

    def chosen():
        asked = {"horizon": 20, "agents": 1, "record": ["arm"], "checkpoints": [20]}
        return int(aw.simulate(BANDIT, agent, **asked).chosen[0, 0])

    module.TABLE[:] = [5.0, 0.0, 0.0]
    assert chosen() == 0
    first = Cell(BANDIT, agent, 10, 2, 1, (10,)).name, stamp(agent.policy)
    module.TABLE[:] = [0.0, 0.0, 5.0]
    assert chosen() == 2
    assert first != (Cell(BANDIT, agent, 10, 2, 1, (10,)).name, stamp(agent.policy))
    module.BEST, module.TABLE = -9.0, np.zeros(3)
    assert chosen() == 0
    assert aw.explain(agent, alpha=[1, 1, 1], beta=[1, 1, 1], trial=1).score[0] == 9.0


@pytest.mark.parametrize("value", ["[1.0, 2.0]", "{0: 1.0}", "object()"])
def test_what_cannot_be_named_is_refused(made, value):
    module = made("refused", 1, "BEST[0]")
    module.BEST = eval(value)
    with pytest.raises(aw.InputError, match=r"Mine\.score uses BEST, an? \w+: results are named"):
        names_of(module.Mine())


def test_a_function_of_a_module_runs_compiled(made):
    """Draws by their full name, as a newcomer writes them."""
    module = made("full", 1, "aw.draws.uniform(rng, arm) + 0.1 * consts.bonus(arm)")
    asked = {"horizon": 50, "agents": 3, "record": ["arm"]}
    agent = aw.Agent(module.Mine())
    compiled, plain = (aw.simulate(BANDIT, agent, device=d, **asked) for d in ("cpu", "python"))
    np.testing.assert_array_equal(compiled.chosen, plain.chosen)
    assert len(np.unique(compiled.chosen)) > 1


def test_paths_are_read_through_calls():
    code = compile("def f(): return a.b(c.d.e(g), h)", "", "exec").co_consts[0]
    assert set(global_paths(code)) == {("a", "b"), ("c", "d", "e"), ("g",), ("h",)}


class Beyond(aw.Actor):
    """Writes where it has no memory, after a rehearsal would have found it."""

    late: int = aw.parameter(default=200, low=1, meaning="when")

    def memory_size(self, arms):
        return 3

    def act(self, memory, arms, trial, rng):
        if trial > self.late:
            memory[100_000_000] = 1.0
        return 0

    def learn(self, memory, arms, trial, arm, outcome, rng):
        return 0.0


def test_memory_beyond_its_end_is_a_sentence():
    words = r"Beyond failed between trials \d+ and \d+ of agents \d+ to \d+ \(IndexError"
    with pytest.raises(aw.InputError, match=words):
        aw.simulate(BANDIT, Beyond(), 1_000, 5)
    with pytest.raises(aw.InputError, match=r"Beyond\.act failed: IndexError.*line \d+"):
        aw.simulate(BANDIT, Beyond(late=3), 1_000, 5)


class Seventh(aw.Actor):
    """An arm that is not there, after a rehearsal would have found it."""

    def memory_size(self, arms):
        return 1

    def act(self, memory, arms, trial, rng):
        return 7 if trial > 200 else 0

    def learn(self, memory, arms, trial, arm, outcome, rng):
        return 0.0


def test_an_arm_that_is_not_there_is_a_sentence():
    with pytest.raises(aw.InputError, match=r"Seventh.* 7 .*trial 201"):
        aw.simulate(BANDIT, Seventh(), 1_000, 5)
