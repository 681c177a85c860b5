"""Saved players: they come back as they were, or the file is refused in a sentence."""

import builtins
import json
import math
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest

from armwise import (
    UCB,
    Agent,
    ApproximateActiveInference,
    InputError,
    Smile,
    Softmax,
    ThompsonSampling,
)
from armwise.model.component import parameter
from armwise.model.draws import for_arm, integer, uniform
from armwise.model.roles import Actor, Assumed, Learner, Policy
from armwise.play.player import Player, load_player
from armwise.play.state import checksum

SMILE = Smile(rho=0.05, alpha0=1.5, beta0=2.0)

AGENTS = [
    Agent(ApproximateActiveInference(), SMILE),
    Agent(ApproximateActiveInference(), SMILE, Softmax(precision=3)),
    Agent(ThompsonSampling(), SMILE),
    Agent(UCB(), SMILE),
]


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


def state(player: Player) -> str:
    """Everything a player would carry over a restart."""
    with tempfile.TemporaryDirectory() as folder:
        player.save(Path(folder) / "state.json")
        return (Path(folder) / "state.json").read_text()


ACTOR = Counting()


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
    assert calls == ["fsync", "replace", "fsync"]  # the file, then its name in the folder
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
