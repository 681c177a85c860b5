"""One player, many threads: nothing is lost, nothing happens twice. And copies of a player."""

import contextlib
import copy
import pickle
import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

import armwise as aw
from armwise.errors import InputError
from armwise.model.roles import Assumed, Learner, Policy
from armwise.play.player import Player

THREADS, EACH = 8, 25


class Slow(Policy):
    """Lets other threads run in the middle of a decision."""

    def score(self, shared: Any, arm: int, alpha: float, beta: float, rng: Any) -> float:
        time.sleep(0)
        return -(alpha + beta)


class Counts(Learner):
    """Counts outcomes, and lets other threads run between reading and writing a belief."""

    def assume(self, memory: Any) -> Assumed:
        return Assumed(0.0, 1.0, 1.0)

    def change(self, memory: Any, arm: int, outcome: int, alpha: float, beta: float) -> float:
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
        time.sleep(1e-5)
        return (alpha + outcome, beta + 1 - outcome) if chosen else (alpha, beta)


def at_once(work: Callable[[], None]) -> None:
    """Do some work in all threads; an error in any is raised."""
    problems: list[BaseException] = []
    together = threading.Barrier(THREADS)

    def run() -> None:
        try:
            together.wait()
            work()
        except BaseException as problem:
            problems.append(problem)

    threads = [threading.Thread(target=run) for _ in range(THREADS)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    if problems:
        raise problems[0]


def played(player: Player) -> list[int]:
    """The numbers of the tickets, after all threads chose and observed."""
    numbers: list[int] = []

    def work() -> None:
        for _ in range(EACH):
            ticket = player.choose()
            numbers.append(ticket.number)
            player.observe(ticket, 1)

    at_once(work)
    return numbers


def whole(player: Player, numbers: list[int]) -> bool:
    """Whether every ticket was issued once and every outcome was learned once."""
    total = THREADS * EACH
    learned = sum(alpha + beta - 2 for alpha, beta in player.beliefs().values())
    return sorted(numbers) == list(range(1, total + 1)) and learned == total and not player.open


def test_threads_share_a_player() -> None:
    player = aw.Agent(Slow(), Counts()).start(["a", "b"], compile=False)
    assert whole(player, played(player))


def test_without_its_lock_it_would_fail() -> None:
    """This shows that the test above can fail."""
    player = aw.Agent(Slow(), Counts()).start(["a", "b"], compile=False)
    player._lock = contextlib.nullcontext()  # type: ignore[assignment]
    with contextlib.suppress(InputError, KeyError, RuntimeError):
        assert not whole(player, played(player))


def test_threads_share_a_compiled_player_while_arms_change() -> None:
    player = aw.Agent(aw.ApproximateActiveInference()).start(["a", "b"], compile=True)
    names = iter(range(1_000))

    def work() -> None:
        for _ in range(200):
            player.observe(player.choose(), 1)
        own = player_arm()
        player.remove_arm(own)

    def player_arm() -> int:
        name = next(names)
        player.add_arm(name)
        return name

    at_once(work)
    assert player.arms == ["a", "b"]
    assert player._trial == THREADS * 200
    assert player.open == []


def test_the_lock_is_held_while_the_state_is_written(tmp_path: Any) -> None:
    player = aw.Agent(aw.UCB()).start(["a", "b"])
    path = tmp_path / "state.json"

    def work() -> None:
        for _ in range(5):
            player.observe(player.choose(), 0)
        player.save(path)

    at_once(work)
    player.save(path)
    assert aw.load_player(path).beliefs() == player.beliefs()


AGENTS = [
    aw.Agent(aw.ThompsonSampling(), aw.Smile(rho=0.1)),
    aw.Agent(aw.ApproximateActiveInference(), aw.Smile(), aw.HabitualSoftmax(stick=1.0)),
    aw.BOCPD(),
]
COPIES = [copy.copy, copy.deepcopy, lambda player: pickle.loads(pickle.dumps(player))]


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.label)
@pytest.mark.parametrize("copied", COPIES, ids=["copy", "deepcopy", "pickle"])
def test_a_copy_continues_on_its_own(agent: Any, copied: Any) -> None:
    player = agent.start(["a", "b", "c"], seed=3)
    for outcome in (1, 0, 1):
        player.observe(player.choose(), outcome)
    ticket = player.choose()
    twin = copied(player)
    before = twin.saved()
    player.observe(ticket, 1)
    assert twin.saved() == before
    twin.observe(copied(ticket), 1)
    for outcome in (0, 1, 0, 0):
        own, other = player.choose(), twin.choose()
        assert (own, own.probability) == (other, other.probability)
        player.observe(own, outcome)
        twin.observe(other, outcome)
    assert player.saved() == twin.saved()


@pytest.mark.parametrize("arms", [{"a", "b"}, frozenset("ab"), {"a": 1, "b": 2}])
def test_arms_without_an_order_are_refused(arms: Any) -> None:
    with pytest.raises(InputError, match="arms must be a list such as"):
        aw.Agent(aw.UCB()).start(arms)


def test_tickets_count_the_arms_of_all_threads() -> None:
    player = aw.Agent(aw.RandomChoice()).start(["a", "b", "c"], seed=1)
    arms: list[Any] = []
    at_once(lambda: arms.extend(ticket.arm for ticket in player.choose(EACH)))
    twin = aw.Agent(aw.RandomChoice()).start(["a", "b", "c"], seed=1)
    assert Counter(arms) == Counter(twin.choose().arm for _ in range(THREADS * EACH))
