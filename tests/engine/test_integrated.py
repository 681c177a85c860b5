"""Thompson sampling followed exactly: against quadrature, draws, and simulated choices."""

import math

import numpy as np
import pytest
from scipy import integrate, stats

import armwise as aw
from armwise.engine.batch import Likelihood, Sequences, trial_log_likelihoods
from armwise.engine.trace import trace_choices
from armwise.errors import InputError

ARMS, TRIALS = 3, 25
POLICIES = {"TS": aw.ThompsonSampling(), "O-TS": aw.OptimisticThompsonSampling()}
RHO, LAPSE = 0.1, 0.15


def agent(name, rho=RHO, choice=None):
    return aw.Agent(POLICIES[name], aw.Smile(rho), choice or aw.LapsingArgmax(LAPSE))


def recorded(arms=ARMS, trials=TRIALS, seed=4):
    rng = np.random.default_rng(seed)
    zero = np.zeros(1, dtype=np.int64)
    choices, outcomes = rng.integers(0, arms, trials), rng.integers(0, 2, trials)
    return Sequences(choices, outcomes, np.full(trials, True), zero, zero, arms)


def largest(alpha, beta, floors):
    """P(score k is the largest), by SciPy; scores are draws, or floors if those are higher."""
    top = max(floors)
    ties = np.isclose(floors, top, rtol=1e-11)
    below = np.prod([stats.beta.cdf(top, a, b) for a, b in zip(alpha, beta, strict=True)])

    def integrand(x, arm):
        others = np.delete(stats.beta.cdf(x, alpha, beta), arm)
        return stats.beta.pdf(x, alpha[arm], beta[arm]) * np.prod(others)

    above = [
        integrate.quad(integrand, top, 1, args=(arm,), epsabs=1e-12, limit=200)[0]
        for arm in range(len(alpha))
    ]
    return np.array(above) + (ties * below / ties.sum() if top > 0 else 0.0)


def written_again(name, data, rho, lapse):
    """Log-likelihoods by trial: beliefs in NumPy, choice probabilities by SciPy's quadrature."""
    arms = data.arms
    alpha, beta, told = np.ones(arms), np.ones(arms), []
    for arm, outcome in zip(data.choices, data.outcomes, strict=True):
        means = alpha / (alpha + beta)
        floors = means + rho * (0.5 - means) if name == "O-TS" else np.zeros(arms)
        chance = (1 - rho) * largest(alpha, beta, floors)
        chance += rho * largest(np.ones(arms), np.ones(arms), floors)
        told.append(np.log((1 - lapse) * chance[arm] + lapse / arms))
        likely = (alpha if outcome else beta)[arm] / (alpha + beta)[arm]
        gamma = rho * 0.5 / (rho * 0.5 + (1 - rho) * likely)
        alpha, beta = alpha + gamma * (1 - alpha), beta + gamma * (1 - beta)
        alpha[arm] += outcome
        beta[arm] += 1 - outcome
    return told


@pytest.mark.parametrize("name", POLICIES)
def test_likelihoods_are_those_of_quadrature(name):
    """Errors of a probability are below 1e-8, and no probability is below LAPSE / ARMS."""
    data = recorded()
    found = trace_choices(agent(name), data, device="python").log_probability
    expected = written_again(name, data, RHO, LAPSE)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-8 * ARMS / LAPSE)


@pytest.mark.slow
@pytest.mark.parametrize("name", POLICIES)
def test_simulated_choices_have_these_probabilities(name):
    """Surprise has the expectation of the entropy: 20,000 trials, five standard errors."""
    asked = {"horizon": 200, "agents": 100, "seed": 5, "checkpoints": aw.every(1)}
    bandit = aw.SwitchingBandit(arms=4, rho=0.05)
    played = aw.simulate(bandit, agent(name), record=["arm", "outcome"], **asked)
    begins = 200 * np.arange(100)
    choices, outcomes = played.chosen.values.ravel(), played.outcome.values.ravel()
    data = Sequences(choices, outcomes, choices >= 0, begins, np.arange(100), 4)
    told = trace_choices(agent(name), data)
    p = told.probability
    np.testing.assert_allclose(p.sum(axis=1), 1, atol=1e-8)
    expected = (p * np.log(p)).sum(axis=1)
    spread = (p * np.log(p) ** 2).sum() - (expected**2).sum()
    assert abs(told.log_probability.sum() - expected.sum()) < 5 * math.sqrt(spread)
    shares, counts = p.sum(axis=0), np.bincount(choices, minlength=4)
    assert (abs(shares - counts) < 5 * np.sqrt((p * (1 - p)).sum(axis=0))).all()


def test_without_a_lapse_and_without_change_it_is_plain_thompson_sampling():
    data = recorded()
    free, lapse = (
        trace_choices(agent("TS", 0.0, choice), data, device="python").log_probability
        for choice in (aw.Argmax(), aw.LapsingArgmax(0.0))
    )
    np.testing.assert_array_equal(free, lapse)
    expected = written_again("TS", data, 0.0, 0.0)
    np.testing.assert_allclose(np.exp(free), np.exp(expected), rtol=0, atol=1e-8)


@pytest.mark.parametrize("name", ["TS", pytest.param("O-TS", marks=pytest.mark.slow)])
def test_compiled_likelihoods_with_free_parameters_are_the_interpreted_ones(name):
    data = recorded(trials=15)
    other = aw.Agent(POLICIES[name], aw.Smile(0.3), aw.LapsingArgmax(0.5))
    found = trial_log_likelihoods(other, ["rho", "lapse"], [[RHO, LAPSE]], data)
    told = trace_choices(agent(name), data, device="python")
    np.testing.assert_array_equal(found, told.log_probability)


def test_only_available_arms_are_compared():
    """An arm that is not offered has no draw: the rest is as if it did not exist."""
    data = recorded(arms=2)
    third = np.full((TRIALS, 1), False)
    wide = data._replace(arms=3, available=np.hstack([np.full((TRIALS, 2), True), third]))
    for name in POLICIES:
        np.testing.assert_allclose(
            trace_choices(agent(name, 0.0), wide, device="python").log_probability,
            trace_choices(agent(name, 0.0), data, device="python").log_probability,
            rtol=0,
            atol=1e-12,
        )


def test_what_is_no_such_integral_is_refused():
    for policy, choice, words in [
        (aw.ThompsonSampling(), aw.Softmax(), r"Argmax\(\) or LapsingArgmax\(\), not with softmax"),
        (aw.SampledActiveInference(), aw.Argmax(), "no probability in closed form"),
        (aw.EpsilonThompsonSampling(), aw.LapsingArgmax(), "no probability in closed form"),
    ]:
        with pytest.raises(InputError, match=words):
            Likelihood(aw.Agent(policy, choice=choice), [], recorded())


def test_a_lapsing_argmax_over_fixed_scores_is_epsilon_greedy():
    data = recorded()
    own = aw.Agent(aw.MeanOutcome(), aw.RescorlaWagner(0.5), aw.LapsingArgmax(0.3))
    found = trace_choices(own, data, device="python").log_probability
    q, told = np.full(ARMS, 0.5), []
    for arm, outcome in zip(data.choices, data.outcomes, strict=True):
        best = q > q.max() * (1 - 1e-12)
        told.append(np.log(0.7 * best[arm] / best.sum() + 0.1))
        q[arm] += 0.5 * (outcome - q[arm])
    np.testing.assert_allclose(found, told, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", POLICIES)
def test_explain_gives_the_probability_before_the_draw(name):
    alpha, beta = [3.0, 1.0, 6.0], [2.0, 4.0, 3.0]
    told = aw.explain(agent(name, 0.0), alpha, beta)
    means = np.array(alpha) / (np.array(alpha) + beta)
    chance = largest(alpha, beta, means if name == "O-TS" else np.zeros(3))
    np.testing.assert_allclose(told.probability, 0.85 * chance + 0.05, atol=1e-8)


@pytest.mark.parametrize("policy", [aw.ThompsonSampling(), aw.MeanOutcome()])
def test_a_player_knows_the_probability_of_a_choice_that_may_lapse(policy):
    """The tickets of a player state what a trace of its choices finds afterwards."""
    own = aw.Agent(policy, aw.Smile(0.1), aw.LapsingArgmax(0.3))
    player = own.start(range(3), seed=4, compile=False)
    tickets = []
    for trial in range(8):
        tickets.append(player.choose())
        player.observe(tickets[-1], trial % 2)
    arms = np.array([ticket.arm for ticket in tickets])
    zero = np.zeros(1, dtype=np.int64)
    data = Sequences(arms, np.arange(8) % 2, arms >= 0, zero, zero, 3)
    told = np.exp(trace_choices(own, data, device="python").log_probability)
    np.testing.assert_allclose([each.probability for each in tickets], told, atol=1e-8)
