"""The online player: against a plain model, against the simulator, and every refusal."""

import builtins
import json
import math
import os
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
from armwise.model.roles import Actor, Assumed, Learner, Policy
from armwise.play.explain import probabilities
from armwise.play.player import Player, load_player
from armwise.play.state import checksum

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


class Last(Policy):
    """A user's policy: the last arm."""

    label = "A-AI"  # the name of one of armwise's own

    lam: float = parameter(default=0.5, meaning="nothing")

    def score(self, shared: Any, arm: int, alpha: float, beta: float, rng: Any) -> float:
        return float(arm)


class Noting(Learner):
    """A learner that remembers more than beliefs."""

    def memory_size(self, arms: int) -> int:
        return 2

    def assume(self, memory: Any) -> Assumed:
        return Assumed(0.0, 1.0, 1.0)

    def change(self, memory: Any, arm: int, outcome: int, alpha: float, beta: float) -> float:
        memory[0] += 0.1
        memory[1] = math.inf if outcome else -math.inf
        return 0.0

    def update(
        self,
        memory: Any,
        gamma: float,
        arm: int,
        chosen: bool,
        outcome: int,
        alpha: float,
        beta: float,
    ) -> tuple[float, float]:
        return (alpha + outcome, beta + 1 - outcome) if chosen else (alpha, beta)


class Failing(Noting):
    """Fails at the second arm, after it changed the first."""

    def update(
        self,
        memory: Any,
        gamma: float,
        arm: int,
        chosen: bool,
        outcome: int,
        alpha: float,
        beta: float,
    ) -> tuple[float, float]:
        if arm == 1:
            raise ZeroDivisionError
        return alpha + 1.0, beta


class Undefined(Policy):
    """Scores that are no numbers."""

    def score(self, shared: Any, arm: int, alpha: float, beta: float, rng: Any) -> float:
        return math.nan


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
    learner = Smile(rho=0.02)
    agent = Agent(policy, learner, choice) if choice else Agent(policy, learner)
    follow(agent, seed=2**40 + 11)


def test_a_whole_actor_plays_as_simulated() -> None:
    follow(Counting(chance=0.2), seed=3)


def follow(agent: Any, seed: int) -> None:
    """A player that is told the outcomes of simulated agent 0 makes its choices."""
    bandit = SwitchingBandit(arms=5, rho=0.02, epsilon=0.3)
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


ACTOR = Counting()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda p: p.observe(p.choose(), 2), "An outcome must be 0 or 1, not 2."),
        (lambda p: p.observe(1, "1"), "An outcome must be 0 or 1, not '1'."),
        (lambda p: p.observe(1, None), "An outcome must be 0 or 1, not None."),
        (lambda p: p.observe(1, np.array([1])), "An outcome must be 0 or 1"),
        (lambda p: p.observe(1, math.nan), "An outcome must be 0 or 1, not nan."),
        (lambda p: p.observe(9, 1), "There is no ticket 9: 2 were issued so far."),
        (lambda p: p.observe(0, 1), "There is no ticket 0"),
        (lambda p: p.observe(2, 1), "Ticket 2 is closed: it was observed, forgotten, or expired."),
        (lambda p: p.forget(2), "Ticket 2 is closed"),
        (lambda p: p.observe("1", 1), "A ticket must be a Ticket or its number, not '1'."),
        (lambda p: p.observe(True, 1), "A ticket must be a Ticket or its number, not True."),
        (lambda p: p.choose(among=["gren"]), "There is no arm 'gren'; did you mean 'green'?"),
        (lambda p: p.choose(among=[]), "among must name at least one arm, not none."),
        (lambda p: p.choose(among="red"), "among must be a list"),
        (lambda p: p.choose(among=3), "among must be a list"),
        (lambda p: p.choose(among=[["red"]]), "An arm must be a string or a whole number"),
        (lambda p: p.add_arm("red"), "There already is an arm 'red'."),
        (lambda p: p.add_arm(True), "An arm must be a string or a whole number, not True."),
        (lambda p: p.add_arm(1.5), "An arm must be a string or a whole number, not 1.5."),
        (lambda p: p.remove_arm("rde"), "There is no arm 'rde'; did you mean 'red'?"),
        (lambda p: p.save("/nowhere/at/all.json"), "/nowhere/at/all.json cannot be written"),
    ],
)
def test_refusals_change_nothing(call: Any, message: str) -> None:
    player = AGENTS[0].start(["red", "green"])
    player.choose()
    player.observe(player.choose(), 1)
    before = player.beliefs(), player.arms
    with pytest.raises(InputError) as refusal:
        call(player)
    assert str(refusal.value).startswith(message)
    assert (player.beliefs(), player.arms) == before
    assert 1 in player.open


@pytest.mark.parametrize(
    ("arms", "message"),
    [
        (["a"], "arms must be at least 2 different ones, not ['a']."),
        ([], "arms must be at least 2"),
        (["a", "b", "a"], "arms must be at least 2 different ones"),
        ("ab", "arms must be a list"),
        (3, "arms must be a list"),
        ([True, False], "An arm must be a string or a whole number, not True."),
        ([1.0, 2.0], "An arm must be a string or a whole number, not 1.0."),
        ([("a",), "b"], "An arm must be a string or a whole number"),
    ],
)
def test_unusable_arms(arms: Any, message: str) -> None:
    with pytest.raises(InputError) as refusal:
        AGENTS[0].start(arms)
    assert str(refusal.value).startswith(message)


def test_unusable_seed_and_agent() -> None:
    with pytest.raises(InputError, match="seed must be a whole number"):
        AGENTS[0].start(["a", "b"], seed=-1)
    with pytest.raises(InputError, match="The agent must be an Agent"):
        Player(UCB(), ["a", "b"])  # type: ignore[arg-type]


def test_a_ticket_of_another_player_is_refused() -> None:
    one, other = AGENTS[0].start(["a", "b"]), AGENTS[0].start(["a", "b"])
    ticket = one.choose()
    other.choose()
    with pytest.raises(InputError, match="was issued by another player"):
        other.observe(ticket, 1)


def test_the_last_arm_stays() -> None:
    player = AGENTS[0].start(["a", "b"])
    player.remove_arm("a")
    with pytest.raises(InputError, match="'b' is the last"):
        player.remove_arm("b")
    assert player.choose().arm == "b"
    assert load_state(state(player)).choose().arm == "b"


@pytest.mark.parametrize(
    ("agent", "message"),
    [(ACTOR, "cannot add or remove arms"), (Agent(UCB(), Noting()), "Noting cannot add or remove")],
)
def test_arms_that_cannot_change(agent: Any, message: str) -> None:
    player = Player(agent, ["a", "b"])
    before = state(player)
    with pytest.raises(InputError, match=message):
        player.add_arm("c")
    with pytest.raises(InputError, match=message):
        player.remove_arm("a")
    assert state(player) == before


def test_an_actor_has_no_among_and_no_beliefs() -> None:
    player = Player(ACTOR, ["a", "b"])
    with pytest.raises(InputError, match="chooses among all its arms"):
        player.choose(among=["a"])
    with pytest.raises(InputError, match="keeps no Beta beliefs"):
        player.beliefs()


def test_a_component_that_fails_half_way_leaves_the_beliefs() -> None:
    player = Agent(UCB(), Failing()).start(["a", "b"])
    ticket = player.choose()
    before = state(player)
    with pytest.raises(ZeroDivisionError):
        player.observe(ticket, 1)
    assert state(player) == before


def test_scores_that_are_no_numbers_are_refused() -> None:
    player = Agent(Undefined()).start(["a", "b"])
    with pytest.raises(InputError, match="the score of arm 'b' is NaN in trial 1"):
        player.choose(among=["b"])
    assert player.open == []


def load_state(text: str, agent: Any = None) -> Player:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state.json"
        path.write_text(text)
        return load_player(path, agent)


@pytest.mark.parametrize("agent", [ACTOR, Agent(Last(), Noting())], ids=["actor", "own parts"])
def test_own_components_come_back_only_by_hand(agent: Any) -> None:
    player, twin = Player(agent, ["a", "b"], 9), Player(agent, ["a", "b"], 9)
    for trial in range(10):
        for each in (player, twin):
            each.observe(each.choose(), trial % 2)
    text = state(player)
    with pytest.raises(InputError, match="is not armwise's own: give the agent"):
        load_state(text)
    back = load_state(text, agent)
    assert [back.choose() for _ in range(20)] == [twin.choose() for _ in range(20)]
    assert back._solo.lasting() == twin._solo.lasting()  # infinities in the memory too


@pytest.mark.parametrize(
    "other",
    [
        Agent(ApproximateActiveInference(lam=0.6), SMILE),
        Agent(ApproximateActiveInference(), Smile()),
        Agent(Last(), SMILE),
        ACTOR,
    ],
    ids=["parameter", "learner", "same name", "actor"],
)
def test_another_agent_is_refused(other: Any) -> None:
    text = state(AGENTS[0].start(["a", "b"]))
    with pytest.raises(InputError, match=r"was saved by a-ai:lam=0\.5 smile:rho=0\.05"):
        load_state(text, other)
    assert load_state(text, AGENTS[0]).arms == ["a", "b"]


def changed(text: str, sign: bool = True, **body: Any) -> str:
    """A state file with other contents, its checksum made to fit if `sign`."""
    whole = json.loads(text)
    whole["body"].update(body)
    if sign:
        whole["checksum"] = checksum(whole["body"])
    return json.dumps(whole)


def without(text: str, name: str) -> str:
    whole = json.loads(text)
    del whole["body"][name]
    whole["checksum"] = checksum(whole["body"])
    return json.dumps(whole)


UNKNOWN = [{"role": "policy", "name": "a-ay", "own": True, "parameters": {}}]


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda text: text[:-30], "is truncated or not JSON."),
        (lambda text: "", "is truncated or not JSON."),
        (lambda text: "[" * 100_000, "is truncated or not JSON."),
        (lambda text: "[]", "is not a file of format 'armwise player'."),
        (lambda text: '{"format": "other"}', "is not a file of format 'armwise player'."),
        (lambda text: text.replace('"version": 2', '"version": 1'), "has version 1"),
        (lambda text: changed(text, sign=False, choices=7), "was edited or damaged"),
        (lambda text: text.replace('"body"', '"boddy"'), "was edited or damaged"),
        (lambda text: changed(text, agent=UNKNOWN), "There is no policy 'a-ay'"),
        (lambda text: changed(text, choices=-1), "choices must be a whole number"),
        (lambda text: changed(text, open=[[9, "a", None]]), "ticket must be a whole number"),
        (lambda text: changed(text, open=[[1, "c", None]]), "There is no arm 'c'"),
        (lambda text: changed(text, arms=["a", "a"]), "arms must be different ones"),
        (lambda text: changed(text, open=7), "does not hold the whole state"),
        (lambda text: changed(text, agent=[{}]), "does not hold the whole state"),
        (lambda text: changed(text, memory={"alpha": [1.0]}), "does not hold the whole state"),
        (lambda text: changed(text, recent=[["a"]]), "An arm must be a string or a whole number"),
        (lambda text: changed(text, expires={"tickets": 0}), "tickets must be a whole number"),
        (lambda text: changed(text, expires={"days": 1}), "does not hold the whole state"),
        (lambda text: changed(text, time="noon"), "time must be a number"),
        (lambda text: without(text, "arms"), "does not hold the whole state"),
        (lambda text: without(text, "seed"), "does not hold the whole state"),
    ],
)
def test_damaged_files_are_refused(tmp_path: Path, damage: Any, message: str) -> None:
    player = AGENTS[0].start(["a", "b"])
    player.choose()
    path = tmp_path / "state.json"
    path.write_text(damage(state(player)))
    with pytest.raises(InputError, match=message.replace(".", r"\.")) as refusal:
        load_player(path)
    assert "\n" not in str(refusal.value)


def test_a_file_never_names_code(tmp_path: Path) -> None:
    trap = tmp_path / "trap.py"
    trap.write_text("raise SystemExit('imported')")
    for own in (True, False):
        parts = [{"role": "policy", "name": str(trap), "own": own, "parameters": {}}]
        with pytest.raises(InputError):
            load_state(changed(state(AGENTS[0].start(["a", "b"])), agent=parts))


def test_missing_file_and_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="There is no file"):
        load_player(tmp_path / "none.json")
    with pytest.raises(InputError, match="cannot be read"):
        load_player(tmp_path)


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_failing_write_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def fail(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    player = AGENTS[0].start(["a", "b"])
    path = tmp_path / "state.json"
    player.save(path)
    before = path.read_bytes()
    player.choose()
    with monkeypatch.context() as patch:
        patch.setattr(os, step, fail)
        with pytest.raises(InputError, match="cannot be written: No space left on device"):
            player.save(path)
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["state.json"]
    player.save(path)
    assert load_player(path).open == [1]


def test_saving_flushes_to_disk_before_replacing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    for name in ("fsync", "replace"):
        plain = getattr(os, name)
        monkeypatch.setattr(
            os, name, lambda *given, name=name, plain=plain: (calls.append(name), plain(*given))
        )
    opened: list[str] = []
    plain_open = builtins.open
    monkeypatch.setattr(
        builtins,
        "open",
        lambda path, *rest, **more: (opened.append(str(path)), plain_open(path, *rest, **more))[1],
    )
    AGENTS[0].start(["a", "b"]).save(tmp_path / "state.json")
    assert calls == ["fsync", "replace"]
    assert [Path(name).parent for name in opened] == [tmp_path]


def test_state_keeps_every_bit_and_follows_a_link(tmp_path: Path) -> None:
    player = AGENTS[0].start(["grün", "\ud800", -3], seed=2**64 - 1)
    for _ in range(30):
        player.observe(player.choose(), 1)
    (tmp_path / "link.json").symlink_to(tmp_path / "state.json")
    player.save(tmp_path / "link.json")
    assert (tmp_path / "link.json").is_symlink()
    back = load_player(tmp_path / "state.json")
    assert back.beliefs() == player.beliefs()
    assert (back.arms, back.seed) == (player.arms, player.seed)
    assert state(back) == state(player)


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


class Numbered(aw.Actor):
    """An actor that chooses what it is given."""

    arm: float = aw.parameter(default=0.0, meaning="what it returns")

    def memory_size(self, arms):
        return 0

    def act(self, memory, arms, trial, rng):
        return int(self.arm) if self.arm == int(self.arm) else self.arm

    def learn(self, memory, arms, trial, arm, outcome, rng):
        return 0.0


@pytest.mark.parametrize("arm", [7, -1, 0.5])
def test_an_actor_that_chooses_no_arm_is_named_with_its_arm(arm):
    player = Numbered(arm=arm).start(["a", "b", "c"])
    with pytest.raises(aw.InputError, match=rf"act returned {arm:g} in trial 1; .* from 0 to 2"):
        player.choose()
    assert player.open == []


class Nameless(aw.Policy):
    """A policy without a score for the second arm."""

    def score(self, shared, arm, alpha, beta, rng):
        return math.nan if arm == 1 else alpha


def test_a_score_that_is_nan_is_named_with_its_arm():
    player = aw.Agent(Nameless()).start(["red", "green"])
    with pytest.raises(aw.InputError, match="the score of arm 'green' is NaN in trial 1"):
        player.choose()
