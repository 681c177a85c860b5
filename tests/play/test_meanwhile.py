"""Open tickets that count as failures meanwhile: against players that were told these failures."""

import random
from typing import Any

import pytest

import armwise as aw
from armwise import Agent, Expiry, InputError
from armwise.play.audit import audit
from armwise.play.player import Player, load_player

POLICIES = [aw.HorizonActiveInference(), aw.ThompsonSampling(), aw.ApproximateActiveInference()]
AGENTS = [
    *(Agent(policy, aw.Smile(prior=(0.2, 5))) for policy in POLICIES),
    Agent(aw.ExactActiveInference(), aw.Smile(rho=0.05), aw.HabitualSoftmax(stick=0.5)),
    Agent(aw.UCB(), aw.SlidingWindow(window=20)),
]
EXPIRIES = [
    Expiry(tickets=7, outcome=0, meanwhile=0),
    Expiry(seconds=10, outcome=0, meanwhile=0),
    Expiry(seconds=10, tickets=9, meanwhile=0),
]


def told(player: Player, now: float) -> Player:
    """A player in the same state, but whose beliefs have the failures; nothing is open in it."""
    player.expire(now=now)
    found = Player(player.agent, ["x", "y"], compile=False)
    found.restore(player.saved() | {"expires": {"tickets": 10**6}})
    last = player.saved()["choices"] + 1 - (player.expires.tickets or 10**6)
    if last in found.open:  # it expires when the next one is issued
        found.forget(last) if player.expires.outcome is None else found.observe(last, 0)
    body = found.saved()
    for _, arm, _ in body["open"]:
        if arm is not None:
            body["memory"]["beta"][body["arms"].index(arm)] += 1.0
    found.restore(body | {"open": []})
    return found


@pytest.mark.parametrize("expires", EXPIRIES, ids=str)
@pytest.mark.parametrize("agent", AGENTS, ids=str)
def test_it_chooses_as_one_that_was_told_failures(agent: Agent, expires: Expiry) -> None:
    player = Player(agent, ["a", "b", "c", "d"], 3, expires=expires, compile=False)
    luck, now = random.Random(4), 0.0
    for step in range(150):
        now += luck.choice([0.0, 0.5, 3.0])
        among = luck.sample(player.arms, 2) if luck.random() < 0.2 else None
        expected = told(player, now).choose(among=among)
        ticket = player.choose(among=among, now=now)
        assert ticket == expected
        if ticket.probability is not None:
            assert ticket.probability == pytest.approx(expected.probability, rel=1e-9)
        if player.open and luck.random() < 0.5:
            number = luck.choice(player.open)
            player.observe(number, luck.random() < 0.5, now=now)
        if step % 40 == 20:
            player.remove_arm(luck.choice(player.arms), now=now)
        if step % 40 == 30:
            player.add_arm(step, now=now)


def test_compiled_it_is_the_same() -> None:
    for agent in AGENTS[:2]:
        plain, quick = (
            Player(agent, range(5), 3, expires=EXPIRIES[0], compile=each) for each in (False, True)
        )
        for trial in range(120):
            number = plain.choose().number
            assert quick.choose().arm == plain.saved()["open"][-1][1]
            if trial % 3 == 0:
                for player in (plain, quick):
                    player.observe(number, trial % 2)
        assert plain.saved()["memory"] == quick.saved()["memory"]


def test_a_batch_of_users_is_spread_over_arms() -> None:
    agent = AGENTS[0]
    for meanwhile, arms in ((None, 1), (0, 4)):
        expires = Expiry(tickets=50, outcome=0, meanwhile=meanwhile)
        player = agent.start(["a", "b", "c", "d"], seed=3, expires=expires)
        player.observe(player.choose(), 1)
        assert len({ticket.arm for ticket in player.choose(20)}) == arms


def test_what_is_explained_is_what_will_be_chosen() -> None:
    player = AGENTS[0].start(["a", "b"], seed=3, expires=EXPIRIES[0])
    shown = [player.choose() for _ in range(5)]
    player.observe(shown[2], 1)
    found, expected = player.explain(), told(player, 0.0).explain()
    for arm in found:
        assert found[arm] == expected[arm]
    assert "open tickets: 4\nopen tickets count as: 0\n" in repr(player.summary())
    assert sum(map(sum, player.beliefs().values())) == 2 * 5 + 1  # what was learned


def test_it_lasts_over_a_restart_and_in_a_file(tmp_path: Any) -> None:
    expires = EXPIRIES[0]
    alone = AGENTS[1].start(["a", "b", "c"], seed=3, expires=expires)
    with AGENTS[1].open(tmp_path / "a.db", ["a", "b", "c"], seed=3, expires=expires) as first:
        other = AGENTS[1].open(tmp_path / "a.db", ["a", "b", "c"], seed=3, expires=expires)
        for trial in range(40):
            one = (first, other)[trial % 2]
            assert one.choose() == alone.choose()
            if trial % 3 == 0:
                one.observe(trial + 1, trial % 2)
                alone.observe(trial + 1, trial % 2)
            if trial % 10 == 9:
                alone.save(tmp_path / "state.json")
                alone = load_player(tmp_path / "state.json")
        other.close()
    assert audit(tmp_path / "a.db", AGENTS[1]).problems == []
    with pytest.raises(
        InputError, match=r"began with expires = Expiry\(tickets=7, outcome=0, mean"
    ):
        AGENTS[1].open(tmp_path / "a.db", ["a", "b", "c"], seed=3)


def test_a_file_from_before_has_tickets_that_count_when_they_are_known(tmp_path: Any) -> None:
    player = AGENTS[0].start(["a", "b"], expires=Expiry(tickets=9))
    body = player.saved()
    del body["expires"]["meanwhile"]
    player.restore(body)
    assert player.expires == Expiry(tickets=9)


def test_what_cannot_be_is_a_sentence() -> None:
    with pytest.raises(InputError, match="meanwhile must be 0, or None"):
        Expiry(tickets=9, meanwhile=1)
    with pytest.raises(InputError, match="BOCPD keeps no Beta beliefs in which open tickets could"):
        aw.BOCPD().start(["a", "b"], expires=EXPIRIES[0])
