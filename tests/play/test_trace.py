"""Tracing: the same trial as in `simulate`, for the same reasons as in `explain`."""

import numpy as np
import pytest

import armwise as aw
from armwise import registry
from armwise.engine.reasons import rows_of
from armwise.testing import learner_for

BANDIT = aw.SwitchingBandit(arms=4, epsilon=0.3, rho=0.02)
RESTLESS = aw.RestlessBandit()
SMILE = aw.Smile(rho=0.02)
RECORDED = ["arm", "outcome", "gamma", "theta"]
POLICIES = registry.known("policy")


class Plain(aw.Policy):
    """The mean; its two parts are named."""

    label = "plain"
    term_names = ("half", "other")

    def score(self, shared, arm, alpha, beta, rng):
        return alpha / (alpha + beta)

    def terms(self, shared, alpha, beta):
        return 0.5 * alpha / (alpha + beta), 0.5 * alpha / (alpha + beta)


def simulated(agent, horizon, number, record=RECORDED, bandit=BANDIT):
    found = aw.simulate(
        bandit,
        agent,
        horizon,
        range(number, number + 1),
        5,
        checkpoints=aw.every(1),
        record=record,
        device="python",
    )
    return found.isel(agent=0)


def assert_same_trials(found, told):
    for name in ("chosen", "outcome", "gamma", "theta", "regret"):
        np.testing.assert_array_equal(found[name].values, told[name].values, name)


@pytest.mark.parametrize("name", POLICIES)
def test_a_policy_plays_as_in_simulate_and_gives_the_reasons_of_explain(name):
    agent = aw.Agent(POLICIES[name](), learner_for(POLICIES[name], SMILE))
    normal = POLICIES[name].beliefs == "normal"
    bandit, names = (RESTLESS, ("mean", "variance")) if normal else (BANDIT, ("alpha", "beta"))
    prior = (50.0, 15.5**2) if normal else (1.0, 1.0)
    found = aw.trace(bandit, agent, 60, seed=5, device="python")
    told = simulated(agent, 60, 0, [*RECORDED, *names], bandit)
    assert_same_trials(found, told)
    for belief, first in zip(names, prior, strict=True):
        # A record is after the trial, a trace before.
        np.testing.assert_array_equal(found[belief].values[1:], told[belief].values[:-1])
        assert (found[belief].values[0] == first).all()
    for row in (0, 7, 59):
        one = found.isel(trial=row)
        pair = (one[belief].values for belief in names)
        why = aw.explain(agent, *pair, trial=row + 1, seed=5)
        for term in ("score", *agent.policy.term_names):
            np.testing.assert_array_equal(one[term].values, why[term].values, term)


@pytest.mark.parametrize("name", registry.known("actor"))
def test_an_actor_shows_its_choices_and_its_suspicion(name):
    actor = registry.build("actor", name, {}, rho=0.02, arms=4)
    found = aw.trace(BANDIT, actor, 30, seed=5, number=3, device="python")
    assert_same_trials(found, simulated(actor, 30, 3))
    assert sorted(found.data_vars) == ["chosen", "gamma", "outcome", "regret", "theta"]


def test_a_chooser_is_followed_too():
    chooser = aw.Chooser(aw.BOCPD(rho=0.02), aw.Softmax(precision=5))
    found = aw.trace(BANDIT, chooser, 30, seed=5, number=1, device="python")
    assert_same_trials(found, simulated(chooser, 30, 1))


@pytest.mark.parametrize("choice", [aw.Softmax(precision=3), aw.HabitualSoftmax(precision=3)])
def test_probabilities_are_those_of_the_choices(choice):
    agent = aw.Agent(aw.ExactActiveInference(lam=0.5), SMILE, choice)
    found = aw.trace(BANDIT, agent, 40, seed=5, number=2, device="python")
    np.testing.assert_allclose(found.probability.sum("arm"), 1.0, rtol=1e-14)
    told = aw.retrace(agent, found.chosen.values, found.outcome.values, 4, device="python")
    chosen = found.probability.values[np.arange(40), found.chosen.values]
    np.testing.assert_allclose(np.log(chosen), told.log_probability, rtol=1e-13)
    np.testing.assert_array_equal(found.score.values, told.score.values)


def test_a_learner_with_a_memory_is_followed():
    """Its assumptions change with what it saw, so single beliefs cannot tell its scores."""
    agent = aw.Agent(aw.BayesianUCB(), aw.LearnedChange())
    found = aw.trace(BANDIT, agent, 80, seed=5, number=1, device="python")
    assert_same_trials(found, simulated(agent, 80, 1))
    best = found.score.values.max(axis=1)
    chosen = found.score.values[np.arange(80), found.chosen.values]
    np.testing.assert_allclose(chosen, best, rtol=1e-12)


@pytest.mark.parametrize(
    "agent",
    [
        aw.Agent(aw.ExactActiveInference(lam=0.5), SMILE, aw.HabitualSoftmax(precision=3)),
        aw.Agent(aw.OptimisticThompsonSampling(), SMILE),
        aw.Agent(Plain()),
    ],
    ids=lambda agent: agent.label,
)
def test_compiled_code_gives_the_same_bits(agent):
    tall, slow = (
        aw.trace(BANDIT, agent, 200, seed=1, number=4, device=device)
        for device in ("cpu", "python")
    )
    for name in slow.data_vars:
        np.testing.assert_array_equal(tall[name].values, slow[name].values, name)


def test_a_trace_says_what_was_traced():
    agent = aw.Agent(aw.UCB())
    found = aw.trace(BANDIT, agent, 5, seed=2, number=7, device="python")
    assert found.attrs == {"bandit": str(BANDIT), "agent": str(agent), "seed": "2", "number": 7}
    assert found.trial.values.tolist() == [1, 2, 3, 4, 5]


class Unnamed(Plain):
    label = "unnamed"
    term_names = ()


class Short(Plain):
    label = "short"
    term_names = ("half", "other", "third")


class Old(Plain):
    label = "old"

    def terms(self, shared, alpha, beta):
        return {"half": 0.5}


class Twice(Plain):
    label = "twice"
    term_names = ("half", "score")


WRONG = r"a number for each of (its )?term_names"


@pytest.mark.parametrize("policy", [Unnamed, Short, Old])
def test_terms_and_their_names_must_agree(policy):
    with pytest.raises(aw.InputError, match=WRONG):
        aw.explain(aw.Agent(policy()), [1, 2], [2, 1])
    with pytest.raises(aw.InputError, match=WRONG):
        aw.trace(BANDIT, aw.Agent(policy()), 5)


def test_terms_may_not_be_called_like_what_is_shown_anyway():
    with pytest.raises(aw.InputError, match="must differ from each other"):
        rows_of(aw.Agent(Twice()))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"number": -1}, "number must be a whole number from 0"),
        ({"horizon": 0}, "horizon must be a whole number from 1"),
        ({"device": "cuda"}, "There is no device to trace an agent 'cuda'"),
        ({"agent": "a-ai"}, "The agent must be an Agent"),
        ({"bandit": 3}, "The bandit must be one such as"),
    ],
)
def test_what_cannot_be_traced_is_a_sentence(given, words):
    arguments = {"bandit": BANDIT, "agent": aw.Agent(aw.UCB()), "horizon": 5} | given
    with pytest.raises(aw.InputError, match=words):
        aw.trace(**arguments)
