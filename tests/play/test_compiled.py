"""Players by machine code: the same choices and the same memory, bit for bit."""

import os
import subprocess
import sys
import time
from typing import Any

import numpy as np
import pytest

import armwise as aw
from armwise import actors, learners, policies
from armwise.engine import background
from armwise.errors import InputError
from armwise.model.roles import Policy
from armwise.play.player import Player
from armwise.testing import learner_for, policy_for

HABITUAL = aw.HabitualSoftmax(precision=3.0, stick=0.5)
FEW: list[Any] = [
    aw.Agent(aw.ApproximateActiveInference(), aw.Smile(rho=0.05)),
    aw.Agent(aw.ThompsonSampling(), aw.Smile(rho=0.05)),
]
SMILE = aw.Smile(rho=0.02)


def every(room: Any) -> list[Any]:
    """Every component of a room, by its defaults."""
    return [getattr(room, name)() for name in room.__all__]


MANY: list[Any] = [
    *(aw.Agent(policy, learner_for(policy, SMILE)) for policy in every(policies)),
    *(aw.Agent(policy_for(learner, aw.UCB()), learner) for learner in every(learners)),
    aw.Agent(aw.ExactActiveInference(), SMILE, aw.Softmax()),
    aw.Agent(aw.ExactActiveInference(), SMILE, HABITUAL),
    *every(actors),
]


def lively(player: Player, turns: int, seed: int) -> list[Any]:
    """The choices in a life with late, missing and many outcomes, and with arms to choose from."""
    draws, found, waiting = np.random.default_rng(seed), [], []
    whole = isinstance(player.agent, aw.Actor)
    for turn in range(turns):
        some = None if whole or draws.random() < 0.7 else player.arms[: 2 + turn % 3]
        waiting.append(player.choose(among=some))
        found.append(waiting[-1].arm)
        while waiting and draws.random() < 0.5:
            ticket = waiting.pop(int(draws.integers(len(waiting))))
            player.observe(ticket, int(draws.random() < 0.3 + 0.1 * int(ticket.arm)))
        if len(waiting) > 5:
            player.forget(waiting.pop(0))
    return found


def make_among(player: Player) -> None:
    """Have `choose(among=...)` compiled, and wait for it."""
    player._solo.act_among(1, {0})
    until = time.monotonic() + 60
    while player._solo._among_entry() is None and time.monotonic() < until:
        time.sleep(0.01)
    assert player._solo._among_entry() is not None


def same(agent: Any, arms: int = 5) -> None:
    plain = Player(agent, range(arms), 2**40 + 5, compile=False)
    late = Player(agent, range(arms), 2**40 + 5, compile=False)
    soon = Player(agent, range(arms), 2**40 + 5, compile=True)
    expected = lively(plain, 60, 1)
    assert lively(late, 60, 1) == expected
    assert not late.compiled
    late._solo.compile()  # between two decisions
    assert late.compiled
    assert soon.compiled
    assert lively(soon, 60, 1) == expected
    assert soon.saved()["memory"] == plain.saved()["memory"]
    if not isinstance(agent, aw.Actor):
        make_among(late)
    expected = lively(plain, 120, 2)
    for player in (late, soon):
        assert lively(player, 120, 2) == expected
        assert player.saved()["memory"] == plain.saved()["memory"]


@pytest.mark.parametrize("agent", FEW, ids=lambda agent: agent.label)
def test_choices_and_memory_are_equal_bit_for_bit(agent: Any) -> None:
    same(agent)


@pytest.mark.slow
@pytest.mark.parametrize("agent", MANY, ids=str)
def test_every_component_is_the_same_when_compiled(agent: Any) -> None:
    same(agent)


def test_a_player_changes_over_by_itself() -> None:
    agent = FEW[0]
    background._made.pop(background.kind_of_kernel(agent, Player(agent, [1, 2])._solo.way), None)
    player, twin = Player(agent, range(4), 9), Player(agent, range(4), 9, compile=False)
    assert not player.compiled
    assert lively(player, 300, 4) == lively(twin, 300, 4)  # asks for it on the way
    until = time.monotonic() + 60
    while background.ready(player._solo.kind) is None and time.monotonic() < until:
        time.sleep(0.01)
    assert lively(player, 50, 5) == lively(twin, 50, 5)
    assert player.compiled
    assert Player(agent, range(3)).compiled  # from its first decision
    assert not twin.compiled


def test_arms_come_and_go_under_machine_code() -> None:
    plain, compiled = (Player(FEW[0], ["a", "b"], 1, compile=each) for each in (False, True))
    for player in (plain, compiled):
        for turn in range(40):
            if turn % 10 == 4:
                player.add_arm(turn)
            if turn % 10 == 9:
                player.remove_arm(player.arms[0])
            player.observe(player.choose(), turn % 2)
    assert compiled.compiled
    assert compiled.saved() | {"name": ""} == plain.saved() | {"name": ""}


class Broken(Policy):
    """Beyond the end of a table that compiled code looks at."""

    lam: float = aw.parameter(default=0.5, meaning="nothing")

    def score(self, shared: Any, arm: int, alpha: float, beta: float, rng: Any) -> float:
        return float(sum([alpha, beta]))


def test_what_cannot_be_compiled_stays_interpreted() -> None:
    agent = aw.Agent(Broken())
    with pytest.raises(InputError, match="Broken cannot be compiled"):
        Player(agent, range(2), compile=True)
    player = Player(agent, range(2))
    lively(player, 150, 1)
    while background._worker is not None:
        time.sleep(0.01)
    lively(player, 10, 2)
    assert not player.compiled


SHORT = """
import sys, armwise as aw
player = aw.Agent(aw.UCB()).start(["a", "b"])
for _ in range(20):
    player.observe(player.choose(), 1)
print("numba" in sys.modules)
"""
LONG = """
import armwise as aw, time
player = aw.Agent(aw.UCB()).start(["a", "b"])
for _ in range(200):
    player.observe(player.choose(), 1)
print("done")
"""


def test_a_short_program_never_loads_the_compiler() -> None:
    done = subprocess.run([sys.executable, "-c", SHORT], capture_output=True, text=True)
    assert done.stdout == "False\n", done.stderr


def test_a_program_ends_well_while_its_player_is_being_compiled() -> None:
    done = subprocess.run([sys.executable, "-c", LONG], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


FORKED = """
import os, signal, sys, armwise as aw
from armwise.engine import background
player = aw.Agent(aw.UCB()).start(["a", "b"])
for _ in range(150):
    player.observe(player.choose(), 1)
assert background._worker is not None  # it loads the compiler now, behind a lock
child = os.fork()
if child == 0:
    signal.alarm(60)
    other = aw.Agent(aw.ThompsonSampling()).start(["a", "b"])
    for _ in range(150):
        other.observe(other.choose(), 1)
    try:
        aw.Agent(aw.BayesianUCB()).start(["a", "b"], compile=True)
    except aw.InputError as refusal:
        print(refusal, flush=True)
    sys.exit(0)
print(os.waitpid(child, 0)[1])
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks here")
def test_a_child_that_is_forked_while_the_parent_compiles_does_without_and_ends() -> None:
    command = [sys.executable, "-W", "ignore", "-c", FORKED]
    done = subprocess.run(command, capture_output=True, text=True)
    lines = done.stdout.splitlines()
    assert "forked while its parent compiled" in lines[0], done.stderr
    assert lines[1:] == ["0"]
