"""Agents that reason about changes, against their definitions written a second time."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.special import digamma

import armwise as aw
from armwise.actors.averaged_hmm import model
from armwise.numerics.gittins import index_table, place
from armwise.sweeps.cell import Cell, tables_of

BANDIT = aw.VaryingBandit(arms=3, rho=0.1)


def played(bandit, actor, horizon, seed=2):
    asked = {"checkpoints": aw.every(1), "record": ["arm", "outcome", "gamma"], "device": "python"}
    result = aw.simulate(bandit, actor, horizon, 1, seed=seed, **asked)
    arms, outcomes = result.chosen.values[0].astype(int), result.outcome.values[0].astype(int)
    return arms.tolist(), outcomes.tolist(), result.gamma.values[0]


def entropy(p):
    return -p * np.log(p) - (1 - p) * np.log(1 - p)


def expected_entropy(a, b):
    n = a + b
    return -a / n * (digamma(a + 1) - digamma(n + 1)) - b / n * (digamma(b + 1) - digamma(n + 1))


def outcomes_since(seen, birth, arm):
    own = [outcome for chosen, outcome in seen[birth:] if chosen == arm]
    return 1 + sum(own), 1 + len(own) - sum(own)


def free_energy(a, b):
    return 2 * 0.25 * a / (a + b) - expected_entropy(a, b)


def follow(arms, outcomes, rates, worth, heed=lambda beliefs: None):
    """Every hypothesis, nothing shared: whether each choice is the best, and the change in it.

    `heed` is told how probable each rate is, after every outcome.
    """
    births, weights = [0], {(rate, 0): 1 / len(rates) for rate in rates}
    seen, gammas = [], []
    for arm, outcome in zip(arms, outcomes, strict=True):
        scores = []
        for k in range(3):
            mean = value = 0.0
            for (_, birth), weight in weights.items():
                a, b = outcomes_since(seen, birth, k)
                mean += weight * a / (a + b)
                value += weight * worth(a, b)
            scores.append(value + entropy(mean))
        assert scores[arm] == pytest.approx(max(scores), abs=1e-9)
        for rate, birth in weights:
            a, b = outcomes_since(seen, birth, arm)
            weights[rate, birth] *= (a if outcome else b) / (a + b)
        total = sum(weights.values())
        weights = {which: weight / total for which, weight in weights.items()}
        heed([sum(weights[rate, birth] for birth in births) for rate in rates])
        fresh = sum(weights[rate, births[-1]] for rate in rates)
        gammas.append(fresh if len(births) > 1 else 0.0)
        seen.append((arm, outcome))
        births.append(len(seen))
        for rate in rates:
            whole = sum(weights[rate, birth] for birth in births[:-1])
            for birth in births[:-1]:
                weights[rate, birth] *= 1 - rate
            weights[rate, births[-1]] = rate * whole
    return gammas


def test_bocpd_weighs_every_hypothesis():
    arms, outcomes, gammas = played(BANDIT, aw.BOCPD(rho=0.1, most=60), 40)
    np.testing.assert_allclose(follow(arms, outcomes, [0.1], free_energy), gammas, atol=1e-9)


def test_bocpd_learns_how_often_the_bandit_changes():
    agent = aw.LearnedBOCPD(rates=(0.02, 0.3), most=60)
    arms, outcomes, gammas = played(BANDIT, agent, 40)
    np.testing.assert_allclose(follow(arms, outcomes, [0.02, 0.3], free_energy), gammas, atol=1e-9)


def test_bocpd_with_gittins_indices():
    indices = index_table(0.9)
    arms, outcomes, gammas = played(BANDIT, aw.GittinsBOCPD(rho=0.1, most=60), 30)

    def worth(a, b):
        return indices[place(a - 1, b - 1)] - entropy(a / (a + b))

    np.testing.assert_allclose(follow(arms, outcomes, [0.1], worth), gammas, atol=1e-9)


def test_few_hypotheses_are_nearly_as_good_as_all():
    bandit = aw.VaryingBandit(arms=4, rho=0.05)
    asked = {"horizon": 400, "agents": 200, "seed": 3, "checkpoints": [400]}
    regrets = [
        float(aw.simulate(bandit, aw.BOCPD(rho=0.05, most=most), **asked).regret.mean())
        for most in (40, 400)
    ]
    assert regrets[0] == pytest.approx(regrets[1], rel=0.03)


@pytest.mark.parametrize(
    ("discount", "successes", "failures", "known"),
    [
        (0.5, 0, 0, 0.5590),
        (0.9, 0, 0, 0.7029),
        (0.9, 1, 0, 0.8001),
        (0.9, 0, 1, 0.5001),
        (0.99, 0, 0, 0.8699),
        (0.99, 1, 0, 0.9102),
        (0.99, 0, 1, 0.7005),
    ],
)
def test_gittins_indices_are_those_of_the_tables(discount, successes, failures, known):
    """Gittins, Glazebrook and Weber 2011, table 8.1."""
    table = index_table(discount, 300)
    assert table[place(successes, failures)] == pytest.approx(known, abs=2e-4)


def test_a_gittins_index_is_above_the_mean_and_falls_to_it():
    table = index_table(0.98, 200)
    bonus = [table[place(n, n)] - 0.5 for n in range(0, 101, 10)]
    assert all(later < earlier for earlier, later in pairwise(bonus))
    assert 0 < bonus[-1] < 0.02


def test_the_averaged_model_is_bayes_over_all_models():
    agent = aw.AveragedHMM(bases=2, gaps=(0.1, 0.3), moves=(0.05,))
    arms, outcomes, _ = played(aw.SwitchingBandit(arms=3, epsilon=0.3, rho=0.05), agent, 60)
    models = [model(number, agent.bases, agent.gaps, agent.moves) for number in range(4)]
    beliefs, weights = np.full((4, 3), 1 / 3), np.full(4, 0.25)
    for arm, outcome in zip(arms, outcomes, strict=True):
        gain = np.array([high - low for low, high, _ in models])
        scores = (weights * gain) @ beliefs
        assert scores[arm] == pytest.approx(scores.max(), rel=1e-9)
        for number, (low, high, rho) in enumerate(models):
            theta = np.where(np.arange(3) == arm, high, low)
            joint = beliefs[number] * (theta if outcome else 1 - theta)
            weights[number] *= joint.sum()
            stay = (1 - rho) * np.eye(3) + rho / 2 * (1 - np.eye(3))
            beliefs[number] = stay @ (joint / joint.sum())
        weights /= weights.sum()


def test_the_agent_for_two_worlds_takes_the_indices_of_the_likeliest_rate():
    """Where BOCPD acts. It hears of an outcome one trial late, and needs twice the probability."""
    rates = (0.02, 0.3)
    tables = [index_table(1 - rate) for rate in rates]
    held, heard = [1], [[0.5, 0.5]]

    def worth(a, b):
        return tables[held[-1]][place(a - 1, b - 1)] - entropy(a / (a + b))

    def heed(beliefs):
        likeliest = int(np.argmax(heard[-1]))
        sure = heard[-1][likeliest] > 2 * heard[-1][held[-1]]
        held.append(likeliest if sure else held[-1])
        heard.append(beliefs)

    agent = aw.TwoWorlds(rates=rates, most=60, lead=1e6)
    arms, outcomes, gammas = played(aw.VaryingBandit(arms=3, rho=0.02), agent, 60)
    np.testing.assert_allclose(follow(arms, outcomes, rates, worth, heed), gammas, atol=1e-9)
    assert set(held) == {0, 1}


def test_who_is_told_knows_every_change():
    asked = {"checkpoints": aw.every(1), "record": ["theta", "gamma"], "device": "python"}
    result = aw.simulate(
        aw.VaryingBandit(arms=3, rho=0.1), aw.ChangeOracle(rho=0.1), 80, 1, **asked
    )
    thetas, told = result.theta.values[0], result.gamma.values[0]
    changed = (thetas[1:] != thetas[:-1]).all(axis=1)
    assert changed.sum() > 2
    np.testing.assert_array_equal(told[1:] == 1.0, changed)


def test_a_result_is_named_by_the_tables_it_rests_on(monkeypatch):
    def name():
        return Cell(BANDIT, aw.GittinsBOCPD(rho=0.1), 10, 2, 1, (10,)).name

    before = name()
    assert before == name()
    monkeypatch.setattr("armwise.actors.gittins_bocpd.worth_tables", lambda discount: (0.5,))
    tables_of.cache_clear()
    assert before != name()
