"""The online player: against a plain model, and against the simulator."""

import math
import subprocess
import sys
import tempfile
import tracemalloc
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import armwise as aw
from armwise import (
    UCB,
    Agent,
    ApproximateActiveInference,
    InputError,
    RestlessBandit,
    Smile,
    Softmax,
    SwitchingBandit,
    ThompsonSampling,
    every,
    policies,
    simulate,
)
from armwise.model.component import parameter
from armwise.model.draws import for_arm, integer, uniform
from armwise.model.roles import Actor, Policy
from armwise.play.explain import probabilities
from armwise.play.player import Player, load_player
from armwise.testing import learner_for

PAPER = [getattr(policies, name)() for name in policies.__all__]

SMILE = Smile(rho=0.05, alpha0=1.5, beta0=2.0)

AGENTS = [
    Agent(ApproximateActiveInference(), SMILE),
    Agent(ApproximateActiveInference(), SMILE, Softmax(precision=3)),
    Agent(ThompsonSampling(), SMILE),
    Agent(UCB(), SMILE),
]

NAMES = ["red", "green", "blue", 1, 2, "1"]


class Counting(Actor):
    """Picks at random among the arms that paid most, by net successes."""

    chance: float = parameter(default=0.1, low=0, high=1, meaning="probability of a random arm")

    def memory_size(self, arms: int) -> int:
        return arms

    def act(self, memory: Any, arms: int, trial: int, rng: Any) -> int:
        if uniform(rng, 0) < self.chance:
            return integer(rng, 1, arms)
        best = 0
        for arm in range(arms):
            if memory[arm] + uniform(for_arm(rng, arm), 0) > memory[best] + 0.5:
                best = arm
        return best

    def learn(self, memory: Any, arms: int, trial: int, arm: int, outcome: int, rng: Any) -> float:
        memory[arm] += 2 * outcome - 1 + 1e-3 * uniform(rng, 3)
        return 0.0


def state(player: Player) -> str:
    """Everything a player would carry over a restart."""
    with tempfile.TemporaryDirectory() as folder:
        player.save(Path(folder) / "state.json")
        return (Path(folder) / "state.json").read_text()


def smile(belief: tuple[float, float], gamma: float) -> tuple[float, float]:
    alpha, beta = belief
    return alpha + gamma * (SMILE.alpha0 - alpha), beta + gamma * (SMILE.beta0 - beta)


class Against(RuleBasedStateMachine):
    """A player, its twin that is never saved, and a model of beliefs and open tickets."""

    @initialize(agent=st.sampled_from(AGENTS), seed=st.integers(0, 2**64 - 1))
    def begin(self, agent: Agent, seed: int) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.agent = agent
        self.player = agent.start(NAMES[:3], seed)
        self.twin = agent.start(NAMES[:3], seed)
        self.model = {arm: (SMILE.alpha0, SMILE.beta0) for arm in NAMES[:3]}
        self.waiting: dict[int, Any] = {}
        self.choices = 0

    def teardown(self) -> None:
        if hasattr(self, "folder"):
            self.folder.cleanup()

    def chosen(self, among: list | None) -> None:
        ticket, other = self.player.choose(among=among), self.twin.choose(among=among)
        self.choices += 1
        assert ticket == other
        assert ticket.number == ticket.trial == self.choices
        allowed = among or list(self.model)
        assert ticket.arm in allowed
        if isinstance(self.agent.choice, Softmax):
            lam = self.agent.policy.lam
            scores = [(2 * lam * a + 0.5) / (a + b) for a, b in map(self.model.get, allowed)]
            expected = probabilities(self.agent.choice, scores)[allowed.index(ticket.arm)]
            assert ticket.probability == pytest.approx(expected, rel=1e-9)
        elif not isinstance(self.agent.policy, ThompsonSampling):  # which has tests of its own
            assert 1 / len(allowed) <= ticket.probability <= 1
        self.waiting[ticket.number] = ticket.arm

    @rule()
    def choose(self) -> None:
        self.chosen(None)

    @rule(data=st.data())
    def choose_among(self, data: st.DataObject) -> None:
        arms = st.lists(st.sampled_from(list(self.model)), min_size=1, unique=True)
        self.chosen(data.draw(arms))

    @precondition(lambda self: self.waiting)
    @rule(data=st.data(), outcome=st.sampled_from([0, 1, True, False]))
    def observe(self, data: st.DataObject, outcome: int) -> None:
        number = data.draw(st.sampled_from(list(self.waiting)))
        arm = self.waiting.pop(number)
        self.player.observe(number, outcome)
        self.twin.observe(number, outcome)
        if arm is None:
            return
        alpha, beta = self.model[arm]
        q0 = (alpha if outcome else beta) / (alpha + beta)
        q1 = (SMILE.alpha0 if outcome else SMILE.beta0) / (SMILE.alpha0 + SMILE.beta0)
        gamma = SMILE.rho * q1 / (SMILE.rho * q1 + (1 - SMILE.rho) * q0)
        self.model = {name: smile(belief, gamma) for name, belief in self.model.items()}
        alpha, beta = self.model[arm]
        self.model[arm] = (alpha + outcome, beta + 1 - outcome)

    @precondition(lambda self: self.waiting)
    @rule(data=st.data())
    def forget(self, data: st.DataObject) -> None:
        number = data.draw(st.sampled_from(list(self.waiting)))
        del self.waiting[number]
        self.player.forget(number)
        self.twin.forget(number)

    @precondition(lambda self: len(self.model) < len(NAMES))
    @rule(data=st.data())
    def add(self, data: st.DataObject) -> None:
        arm = data.draw(st.sampled_from([name for name in NAMES if name not in self.model]))
        self.player.add_arm(arm)
        self.twin.add_arm(arm)
        self.model[arm] = (SMILE.alpha0, SMILE.beta0)

    @precondition(lambda self: len(self.model) > 1)
    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        arm = data.draw(st.sampled_from(list(self.model)))
        self.player.remove_arm(arm)
        self.twin.remove_arm(arm)
        del self.model[arm]
        self.waiting = {n: None if of == arm else of for n, of in self.waiting.items()}

    @rule()
    def restart(self) -> None:
        path = Path(self.folder.name) / "state.json"
        self.player.save(path)
        self.player = load_player(path)
        assert self.player.agent == self.agent

    @rule(bad=st.sampled_from(["purple", 7, None, True, 1.0]))
    def refuse(self, bad: Any) -> None:
        before = state(self.player)
        for call in (
            lambda: self.player.choose(among=[bad]),
            lambda: self.player.remove_arm(bad),
            lambda: self.player.add_arm(next(iter(self.model))),
            lambda: self.player.observe(self.choices + 1, 1),
            lambda: self.player.observe(next(iter(self.waiting), 0), 2),
        ):
            with pytest.raises(InputError):
                call()
        assert state(self.player) == before

    @invariant()
    def same(self) -> None:
        if hasattr(self, "model"):
            assert self.player.open == list(self.waiting)
            assert self.player.arms == list(self.model)
            beliefs = self.player.beliefs()
            assert list(beliefs) == list(self.model)
            for arm, belief in self.model.items():
                assert beliefs[arm] == pytest.approx(belief, rel=1e-12)


TestAgainst = Against.TestCase

TestAgainst.settings = settings(max_examples=80, stateful_step_count=40, deadline=None)


@pytest.mark.parametrize("policy", PAPER, ids=lambda policy: policy.label)
@pytest.mark.parametrize("choice", [None, Softmax(precision=4)], ids=["argmax", "softmax"])
def test_player_is_simulated_agent_zero(policy: Policy, choice: Softmax | None) -> None:
    learner = learner_for(policy, Smile(rho=0.02))
    agent = Agent(policy, learner, choice) if choice else Agent(policy, learner)
    follow(agent, seed=2**40 + 11)


def test_a_whole_actor_plays_as_simulated() -> None:
    follow(Counting(chance=0.2), seed=3)


def follow(agent: Any, seed: int) -> None:
    """A player that is told the outcomes of simulated agent 0 makes its choices."""
    real = agent.outcomes == "real"
    bandit = RestlessBandit(5) if real else SwitchingBandit(arms=5, rho=0.02, epsilon=0.3)
    result = simulate(
        bandit,
        agent,
        horizon=150,
        agents=1,
        seed=seed,
        record=("arm", "outcome"),
        checkpoints=every(1),
        device="python",
    )
    player = Player(agent, range(5), seed)
    chosen = result.chosen.values[0]
    assert len(set(chosen)) > 1
    for arm, outcome in zip(chosen, result.outcome.values[0], strict=True):
        ticket = player.choose()
        assert ticket.arm == arm
        player.observe(ticket, outcome)


def test_players_do_not_disturb_one_another() -> None:
    agent = AGENTS[2]
    alone = agent.start(NAMES, seed=5)
    expected = [alone.choose().arm for _ in range(20)]
    one, other = agent.start(NAMES, seed=5), agent.start(NAMES, seed=6)
    found = []
    for _ in range(20):
        found.append(one.choose().arm)
        other.observe(other.choose(), 1)
    assert found == expected


def test_probability_is_the_frequency() -> None:
    """20,000 choices without outcomes: within five standard errors of the stated probability."""
    player = Agent(ApproximateActiveInference(lam=2), choice=Softmax(precision=1)).start(
        ["a", "b", "c"]
    )
    for _ in range(5):
        player.observe(player.choose(among=["b"]), 1)
    count, total = 20_000, 0
    probability: float | None = None
    for _ in range(count):
        ticket = player.choose(among=["a", "b"])
        player.forget(ticket)
        if ticket.arm == "b":
            total, probability = total + 1, ticket.probability
    assert probability is not None
    assert 0.5 < probability < 1
    assert abs(total / count - probability) < 5 * math.sqrt(probability * (1 - probability) / count)


def test_a_drawn_score_has_no_probability() -> None:
    agent = Agent(ThompsonSampling(), choice=Softmax(precision=1))
    assert agent.start(["a", "b"]).choose().probability is None


def test_numpy_arms_and_outcomes() -> None:
    player = AGENTS[0].start(np.arange(3))
    player.observe(player.choose(), np.int64(1))
    player.observe(np.int64(player.choose(among=np.array([0, 2])).number), np.True_)
    assert player.arms == [0, 1, 2]
    assert all(type(arm) is int for arm in player.arms)


def test_outcome_of_a_removed_arm_is_dropped_even_if_its_name_returns() -> None:
    player = AGENTS[0].start(["a", "b"])
    ticket = player.choose(among=["a"])
    player.remove_arm("a")
    player.add_arm("a")
    player.observe(ticket, 1)
    assert player.beliefs() == {"b": (1.5, 2.0), "a": (1.5, 2.0)}
    assert player.open == []


def test_the_last_arm_stays() -> None:
    player = AGENTS[0].start(["a", "b"])
    player.remove_arm("a")
    with pytest.raises(InputError, match="'b' is the last"):
        player.remove_arm("b")
    assert player.choose().arm == "b"
    assert load_state(state(player)).choose().arm == "b"


def load_state(text: str, agent: Any = None) -> Player:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state.json"
        path.write_text(text)
        return load_player(path, agent)


ALONE = """
import sys

class Wall:
    def find_spec(self, name, path=None, target=None):
        blocked = {blocked}
        if name.split(".")[0] in blocked:
            raise ImportError(name + " is blocked")

sys.meta_path.insert(0, Wall())
import armwise as aw
from armwise import load_player
for policy in (aw.ApproximateActiveInference(), aw.ThompsonSampling(), aw.BayesianUCB()):
    player = aw.Agent(policy, aw.Smile(rho=0.01)).start(["a", "b", "c"])
    for _ in range(5):
        player.observe(player.choose(), 1)
    player.save({path!r})
    assert load_player({path!r}).choose() == player.choose()
print("alone")
"""


def test_playing_needs_numpy_only(tmp_path: Path) -> None:
    blocked = "numba llvmlite xarray pandas matplotlib h5netcdf typer rich platformdirs scipy"
    program = ALONE.format(blocked=set(blocked.split()), path=str(tmp_path / "state.json"))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "alone", done.stderr


def test_actors_start_as_other_agents_do() -> None:
    for actor in (aw.Universal(), aw.LearnedBOCPD()):
        player = actor.start(["a", "b", "c"], seed=3)
        ticket = player.choose()
        player.observe(ticket, 1)
        assert ticket.arm in {"a", "b", "c"}
        assert actor.parts == (actor,)
        assert actor.memory_size(3) > 0


def test_a_decision_does_not_copy_the_memory_of_armwises_own_agents() -> None:
    """The universal agent remembers 210 kB with 40 arms."""
    player = aw.Universal().start(range(40))
    player.observe(player.choose(), 0)
    tracemalloc.start()
    player.choose()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8 * aw.Universal().memory_size(40) / 4
