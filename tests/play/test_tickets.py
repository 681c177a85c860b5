"""Tickets that expire, and choices for many users at once."""

import datetime
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import armwise as aw
from armwise import Agent, ApproximateActiveInference, Expiry, InputError
from armwise.model.roles import Learner, Policy
from armwise.play.player import Player, load_player
from armwise.play.tickets import MOST

AGENT = Agent(ApproximateActiveInference(lam=0.5))
NAMES = ["red", "green", "blue"]


class Expiring(RuleBasedStateMachine):
    """A player, one that is never saved, and a model in which expired tickets are looked for."""

    @initialize(
        seconds=st.sampled_from([None, 1.0, 10.0]),
        tickets=st.sampled_from([None, 1, 3]),
        outcome=st.sampled_from([None, 0]),
    )
    def begin(self, seconds: float | None, tickets: int | None, outcome: int | None) -> None:
        self.seconds, self.most = seconds, tickets
        given: Any = None
        if seconds is not None or tickets is not None:
            given = Expiry(seconds, tickets, outcome)
        self.counts = given is not None and outcome == 0
        self.player = AGENT.start(NAMES, seed=5, expires=given)
        self.twin = AGENT.start(NAMES, seed=5, expires=given)
        self.now, self.trial = 0.0, 0
        self.waiting: dict[int, tuple[str, float]] = {}
        self.counted = {arm: [1.0, 1.0] for arm in NAMES}

    def closed(self, trial: int, now: float) -> None:
        """What expires before something happens at a time."""
        self.now = max(self.now, now)
        for number, (arm, at) in list(self.waiting.items()):
            late = self.seconds is not None and at <= self.now - self.seconds
            if late or (self.most is not None and number <= trial - self.most):
                del self.waiting[number]
                self.counted[arm][1] += self.counts

    @rule(step=st.sampled_from([-3.0, 0.0, 0.5, 4.0, 20.0]))
    def choose(self, step: float) -> None:
        now = max(0.0, self.now + step)
        tickets = [player.choose(now=now) for player in (self.player, self.twin)]
        assert tickets[0] == tickets[1]
        self.trial += 1
        self.closed(self.trial, now)
        self.waiting[self.trial] = tickets[0].arm, self.now

    @precondition(lambda self: self.trial)
    @rule(data=st.data(), step=st.sampled_from([0.0, 0.5, 4.0]), outcome=st.sampled_from([0, 1]))
    def observe(self, data: st.DataObject, step: float, outcome: int) -> None:
        number = data.draw(st.integers(max(1, self.trial - 5), self.trial))
        now = self.now + step
        arm, at = self.waiting.get(number, ("", 0.0))
        if not arm or (self.seconds is not None and at <= now - self.seconds):
            before = self.player.saved()
            for player in (self.player, self.twin):
                with pytest.raises(InputError, match="is closed"):
                    player.observe(number, outcome, now=now)
            assert self.player.saved() == before
            return
        for player in (self.player, self.twin):
            player.observe(number, outcome, now=now)
        self.closed(self.trial, now)
        del self.waiting[number]
        self.counted[arm][1 - outcome] += 1

    @rule(step=st.sampled_from([0.0, 4.0]))
    def expire(self, step: float) -> None:
        before = set(self.waiting)
        self.closed(self.trial, self.now + step)
        for player in (self.player, self.twin):
            assert player.expire(now=self.now) == sorted(before - set(self.waiting))

    @rule()
    def restart(self) -> None:
        self.player.save(self.path)
        self.player = load_player(self.path)

    @invariant()
    def same(self) -> None:
        if hasattr(self, "waiting"):
            assert self.player.open == list(self.waiting)
            assert self.player.beliefs() == {arm: tuple(two) for arm, two in self.counted.items()}
            assert self.player.saved() | {"name": ""} == self.twin.saved() | {"name": ""}


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path) -> None:
    Expiring.path = tmp_path / "state.json"  # type: ignore[attr-defined]


TestExpiring = Expiring.TestCase
TestExpiring.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)


def test_a_click_that_never_comes_counts_as_a_failure_in_one_line() -> None:
    time = [100.0]
    player = AGENT.start(NAMES, expires=Expiry(seconds=60, outcome=0), clock=lambda: time[0])
    shown = player.choose(3, distinct=True)
    player.observe(shown[1], 1)
    time[0] = 160.0
    player.choose()
    found = player.beliefs()
    assert found[shown[0].arm] == found[shown[2].arm] == (1.0, 2.0)
    assert found[shown[1].arm] == (2.0, 1.0)


def test_open_tickets_cost_bounded_memory() -> None:
    forever = AGENT.start(NAMES)
    assert forever._tickets.limit == MOST
    for expires in (Expiry(tickets=10), Expiry(seconds=10)):
        player = AGENT.start(NAMES, expires=expires)
        for trial in range(1_000):
            player.choose(now=float(trial))
        assert player.open == list(range(991, 1_001))
        assert len(player._tickets.issued) <= 10
    # One that stays open does not keep those that were closed after it.
    player = AGENT.start(NAMES, expires=Expiry(seconds=1e6))
    player.choose(now=0.0)
    for trial in range(1_000):
        player.observe(player.choose(now=float(trial)), 1, now=float(trial))
    assert player.open == [1]
    assert len(player._tickets.issued) < 100


def test_a_clock_that_is_set_back_expires_nothing_twice_and_nothing_early() -> None:
    player = AGENT.start(NAMES, expires=Expiry(seconds=10))
    first = player.choose(now=1_000.0)
    second = player.choose(now=5.0)  # counts as 1,000
    player.observe(second, 1, now=1_009.0)
    assert player.open == [first.number]
    assert player.expire(now=1_010.0) == [1]


def test_the_clock_is_asked_only_where_time_matters() -> None:
    def broken() -> float:
        raise AssertionError

    player = AGENT.start(NAMES, clock=broken)
    player.observe(player.choose(), 1)
    timed = AGENT.start(NAMES, clock=broken, expires=Expiry(seconds=1))
    with pytest.raises(AssertionError):
        timed.choose()
    assert timed.saved()["choices"] == 0


def test_numbers_of_numpy_are_saved(tmp_path: Path) -> None:
    zero: Any = np.int64(0)
    expires = Expiry(tickets=2, outcome=zero, meanwhile=zero)
    player = AGENT.start(NAMES, expires=expires)
    player.choose(5)
    player.save(tmp_path / "state.json")
    assert load_player(tmp_path / "state.json").expires == Expiry(tickets=2, outcome=0, meanwhile=0)
    assert repr(Expiry(tickets=2, outcome=0.0)) == "Expiry(tickets=2, outcome=0)"  # type: ignore[arg-type]


def test_a_span_of_time_will_do() -> None:
    player = AGENT.start(NAMES, expires=datetime.timedelta(minutes=1))
    player.choose(now=0.0)
    assert player.expire(now=59.0) == []
    assert player.expire(now=60.0) == [1]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Expiry(), "Expiry needs seconds or tickets"),
        (lambda: Expiry(seconds=0), "seconds must be a number in"),
        (lambda: Expiry(seconds="1"), "seconds must be a number in"),
        (lambda: Expiry(tickets=0), "tickets must be a whole number from 1"),
        (lambda: Expiry(tickets=2.5), "tickets must be a whole number from 1"),
        (lambda: Expiry(seconds=1, outcome=1), "counts as outcome 0 or is forgotten"),
        (lambda: AGENT.start(NAMES, expires=60), "expires must be such as Expiry"),
        (lambda: AGENT.start(NAMES).choose(now=-1.0), "now must be a number in"),
        (lambda: AGENT.start(NAMES).choose(now="noon"), "now must be a number in"),
        (lambda: AGENT.start(NAMES).choose(0), "n must be a whole number from 1"),
        (lambda: AGENT.start(NAMES).choose(["red"]), "n must be a whole number from 1"),
        (lambda: AGENT.start(NAMES).choose(4, distinct=True), "n must be at most 3"),
        (lambda: AGENT.start(NAMES).choose(2, among=["red"], distinct=True), "n must be at most 1"),
        (lambda: AGENT.start(NAMES).choose(distinct=True), "n must be a whole number from 1"),
        (lambda: aw.BOCPD().start(NAMES).choose(2, distinct=True), "chooses among all its arms"),
    ],
)
def test_what_cannot_be_is_a_sentence(make: Any, message: str) -> None:
    with pytest.raises(InputError) as refusal:
        make()
    assert str(refusal.value).startswith(message) or message in str(refusal.value)


def test_a_batch_is_as_many_choices_without_an_outcome_in_between() -> None:
    for agent in (Agent(aw.ThompsonSampling()), aw.EXP3S()):
        batch, single = (agent.start(NAMES, seed=3) for _ in range(2))
        assert batch.choose(20) == [single.choose() for _ in range(20)]
        assert batch.open == list(range(1, 21))


def test_a_slate_has_every_arm_once() -> None:
    player = Agent(aw.ThompsonSampling()).start(range(8), seed=3)
    for n in (1, 5, 8):
        arms = [ticket.arm for ticket in player.choose(n, distinct=True)]
        assert len(set(arms)) == n
    some = player.choose(2, among=[1, 4, 6], distinct=True)
    assert {ticket.arm for ticket in some} < {1, 4, 6}


class Fails(Policy):
    """Fails in the third trial."""

    def prepare(self, trial: int, arms: int, assumed: Any, rng: Any) -> Any:
        return 1.0 / (3 - trial)

    def score(self, shared: Any, arm: int, alpha: float, beta: float, rng: Any) -> float:
        return shared


class Forgetful(aw.Smile):  # a learner of one's own
    pass


@pytest.mark.parametrize("learner", [aw.Smile(), Forgetful()], ids=["own policy", "own both"])
def test_a_batch_that_fails_changes_nothing(learner: Learner) -> None:
    player = Player(Agent(Fails(), learner), NAMES, expires=Expiry(tickets=1, outcome=0))
    player.choose()
    before = player.saved()
    for call in (lambda: player.choose(2), lambda: player.choose(5)):
        with pytest.raises(ZeroDivisionError):
            call()
        assert player.saved() == before
