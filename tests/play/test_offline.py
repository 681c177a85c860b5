"""Agents that play on logs, and logs from the files of players."""

import math

import numpy as np
import pytest

import armwise as aw
from armwise import offline
from armwise.errors import InputError
from armwise.play.tickets import Expiry

THETAS = np.array([0.2, 0.5, 0.6])


def uniform_log(rng, rows):
    arms = rng.integers(0, 3, rows)
    return offline.Log(arms, rng.random(rows) < THETAS[arms], np.full(rows, 1 / 3))


def test_an_agent_on_a_log_gets_the_next_outcome_of_the_arm_it_chooses():
    log = uniform_log(np.random.default_rng(1), 400)
    agent = aw.Agent(aw.ThompsonSampling())
    found = offline.follow(agent, log, seed=3)
    player, row = agent.start(range(3), seed=3), 0
    for arm, outcome in zip(found.arms, found.outcomes, strict=True):
        ticket = player.choose()
        assert ticket.arm == arm
        while log.arms[row] != arm:
            row += 1
        assert log.outcomes[row] == outcome
        player.observe(ticket, int(outcome))
        row += 1
    assert found.mean == found.outcomes.mean()
    again = offline.follow(agent, log, trials=20, seed=3)
    assert (again.arms == found.arms[:20]).all()


@pytest.mark.parametrize("logs", [150, pytest.param(2_500, marks=pytest.mark.slow)])
def test_the_interval_of_a_run_holds_the_mean_theta_of_its_arms(logs):
    """In 95 of 100 logs; within five standard errors, or two points."""
    rng, agent = np.random.default_rng(2), aw.Agent(aw.ApproximateActiveInference())
    hits = []
    for _ in range(logs):
        found = offline.follow(agent, uniform_log(rng, 900), trials=200)
        hits.append(found.low <= THETAS[found.arms].mean() <= found.high)
    within = 5 * math.sqrt(0.95 * 0.05 / logs) if logs < 1_000 else 0.02
    assert abs(np.mean(hits) - 0.95) <= within


def test_a_run_on_a_log_is_a_run_in_the_bandit():
    """The mean outcome over logs is that of simulated agents (five standard errors)."""
    rng, agent = np.random.default_rng(4), aw.Agent(aw.UCB())
    runs = [
        offline.follow(agent, uniform_log(rng, 500), trials=50, seed=seed).mean
        for seed in range(200)
    ]
    result = aw.simulate(
        aw.FixedBandit(thetas=tuple(THETAS)), agent, 50, 400, checkpoints=[50], device="python"
    )
    simulated = THETAS.max() - result.regret.values[:, -1] / 50
    error = math.hypot(np.std(runs) / math.sqrt(200), np.std(simulated) / math.sqrt(400))
    assert abs(np.mean(runs) - simulated.mean()) < 5 * error


def test_a_log_that_ends_too_early_is_a_sentence():
    log = offline.Log([0, 0, 0], [1, 0, 1], [0.5] * 3, ("red", "green"))
    agent = aw.Agent(aw.UCB())
    with pytest.raises(InputError, match=r"ends after 1 trials of the agent, .*arm 'green'"):
        offline.follow(agent, log)
    with pytest.raises(InputError, match=r"log must be an offline\.Log"):
        offline.follow(agent, [1, 2])
    with pytest.raises(InputError, match="trials must be a whole number"):
        offline.follow(agent, log, trials=1)


def test_the_file_of_a_player_is_a_log_with_its_propensities(tmp_path):
    agent = aw.Agent(aw.ApproximateActiveInference(), choice=aw.Softmax(precision=4))
    with agent.open(tmp_path / "a.db", ["a", "b", "c"], seed=5) as player:
        player.observe(player.choose(), 1)  # before the arms changed
        player.remove_arm("c")
        rows = []
        for trial in range(30):
            if trial % 10 == 9:
                player.observe(player.choose(among=["a"]), 1)
                continue
            ticket = player.choose()
            if trial % 7 == 3:
                player.forget(ticket)
            elif trial % 7 != 5:  # else it stays open
                rows.append((ticket.arm, trial % 2, ticket.probability))
                player.observe(ticket, trial % 2)
    log = offline.logged(tmp_path / "a.db")
    assert log.names == ("a", "b")
    assert [log.names[arm] for arm in log.arms] == [arm for arm, _, _ in rows]
    assert log.outcomes.tolist() == [outcome for _, outcome, _ in rows]
    assert log.propensities.tolist() == [chance for _, _, chance in rows]


@pytest.mark.parametrize("outcome", [0, None])
def test_expired_tickets_are_in_the_log_if_they_count_as_0(tmp_path, outcome):
    agent = aw.Agent(aw.ThompsonSampling())
    expires = Expiry(tickets=4, outcome=outcome)
    with agent.open(tmp_path / "a.db", ["a", "b"], seed=5, expires=expires) as player:
        for trial in range(40):
            ticket = player.choose()
            if trial % 5 == 0:
                player.observe(ticket, 1)
        waiting = len(player.open)
    log = offline.logged(tmp_path / "a.db")
    assert log.outcomes.sum() == 8
    assert len(log.arms) == (40 - waiting if outcome == 0 else 8)
    target = {"a": 0.5, "b": 0.5}
    assert 0.0 <= offline.value(log, target, "self-normalised").mean <= 1.0


def test_clicks_are_no_more_frequent_in_the_log_than_among_the_views(tmp_path):
    """Clicks are known at once, no click after 100 more views: newer views are left out."""
    agent = aw.Agent(aw.MeanOutcome(), choice=aw.Softmax(precision=2))
    with agent.open(
        tmp_path / "a.db", ["a", "b"], expires=Expiry(tickets=100, outcome=0)
    ) as player:
        arms = []
        for view in range(160):
            ticket = player.choose()
            arms.append(ticket.arm)
            if view % 3 == 1:
                player.observe(ticket, 1)
        oldest = min(player.open)
    log = offline.logged(tmp_path / "a.db")
    assert oldest == 61
    assert [log.names[arm] for arm in log.arms] == arms[:60]
    assert log.outcomes.tolist() == [view % 3 == 1 for view in range(60)]


def test_the_target_may_be_what_a_player_would_do_now(tmp_path):
    agent = aw.Agent(aw.ApproximateActiveInference(), choice=aw.Softmax(precision=4))
    with agent.open(tmp_path / "a.db", ["a", "b"], seed=5) as player:
        for trial in range(30):
            player.observe(player.choose(), trial % 2)
        target = {arm: row["probability"] for arm, row in player.explain().items()}
    found = offline.value(offline.logged(tmp_path / "a.db"), target)
    assert found.low < found.mean < found.high


def test_propensities_that_nobody_knows_are_a_sentence(tmp_path):
    agent = aw.Agent(aw.SampledActiveInference(), choice=aw.Softmax())
    with agent.open(tmp_path / "a.db", ["a", "b"]) as player:
        for _ in range(3):
            player.observe(player.choose(), 1)
    with pytest.raises(InputError, match=r"The propensities of .* are not known"):
        offline.logged(tmp_path / "a.db")
