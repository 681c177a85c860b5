"""Traces of recorded choices: probabilities of all arms, prediction errors, named terms."""

import numpy as np
import pytest

import armwise as aw
from armwise.engine.batch import Sequences, trial_log_likelihoods
from armwise.engine.trace import prediction_errors, terms_of, trace_choices
from armwise.errors import InputError

ARMS = 3
AGENT = aw.Agent(aw.ApproximateActiveInference(0.7), aw.Smile(0.1), aw.HabitualSoftmax(4, stick=1))


def people(seed=1):
    """Three people with two blocks each, missed trials, and parameters of their own."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(5, 30, 6)
    choices = rng.integers(-1, ARMS, lengths.sum())
    outcomes = np.where(choices >= 0, rng.integers(0, 2, lengths.sum()), 0)
    begins = np.cumsum([0, *lengths[:-1]])
    owners = np.repeat(np.arange(3), 2)
    return Sequences(choices, outcomes, choices >= 0, begins, owners, ARMS)


def in_numpy(data, lam, rho, precision, stick):
    """Beliefs, probabilities and errors of one person, in NumPy."""
    told = {"alpha": [], "probability": [], "error": [], "extrinsic": []}
    for row, (arm, outcome) in enumerate(zip(data.choices, data.outcomes, strict=True)):
        if row in data.begins:
            alpha, beta, habit = np.ones(ARMS), np.ones(ARMS), np.zeros(ARMS)
        mu = alpha / (alpha + beta)
        logits = precision * (2 * lam * mu + 0.5 / (alpha + beta)) + stick * habit
        told["alpha"].append(alpha)
        told["extrinsic"].append(2 * lam * mu)
        told["probability"].append(np.exp(logits) / np.exp(logits).sum())
        told["error"].append(outcome - mu[arm] if arm >= 0 else np.nan)
        if arm >= 0:
            likely = mu[arm] if outcome else 1 - mu[arm]
            gamma = rho * 0.5 / (rho * 0.5 + (1 - rho) * likely)
            alpha, beta = alpha + gamma * (1 - alpha), beta + gamma * (1 - beta)
            alpha[arm] += outcome
            beta[arm] += 1 - outcome
            habit = np.eye(ARMS)[arm]
    return {name: np.array(values) for name, values in told.items()}


def part(data, person):
    """One person's trials."""
    ends = [*data.begins[1:], len(data.choices)]
    own = np.flatnonzero(data.people == person)
    rows = slice(data.begins[own[0]], ends[own[-1]])
    return rows, data._replace(
        choices=data.choices[rows],
        outcomes=data.outcomes[rows],
        scored=data.scored[rows],
        begins=data.begins[own] - rows.start,
        people=np.zeros(len(own), dtype=np.int64),
    )


def test_everybody_is_traced_with_numbers_of_their_own():
    data = people()
    free, values = ["lam", "stick"], np.array([[0.7, 1.0], [0.2, -1.0], [2.0, 0.0]])
    told = trace_choices(AGENT, data, free, values)
    errors = prediction_errors(data, told)
    for person, (lam, stick) in enumerate(values):
        rows, own = part(data, person)
        expected = in_numpy(own, lam, 0.1, 4.0, stick)
        np.testing.assert_allclose(told.alpha[rows], expected["alpha"], atol=1e-12)
        np.testing.assert_allclose(told.probability[rows], expected["probability"], atol=1e-12)
        np.testing.assert_allclose(errors[rows], expected["error"], atol=1e-12)
    likelihoods = trial_log_likelihoods(AGENT, free, values, data)
    np.testing.assert_array_equal(told.log_probability, likelihoods)


def test_retrace_names_everything_for_one_person():
    _, data = part(people(), 0)
    data = data._replace(begins=np.array([0]))
    told = aw.retrace(AGENT, data.choices, data.outcomes, ARMS, device="python")
    expected = in_numpy(data, 0.7, 0.1, 4.0, 1.0)
    np.testing.assert_allclose(told.probability, expected["probability"], atol=1e-12)
    np.testing.assert_allclose(told.prediction_error, expected["error"], atol=1e-12)
    np.testing.assert_allclose(told.extrinsic, expected["extrinsic"], atol=1e-12)
    np.testing.assert_allclose(told.extrinsic + told.intrinsic, told.score, atol=1e-12)
    chosen = told.probability.values[np.arange(len(data.choices)), data.choices]
    seen = data.choices >= 0
    np.testing.assert_allclose(np.log(chosen)[seen], told.log_probability[seen], atol=1e-12)


@pytest.mark.parametrize(
    "policy", [aw.ExactActiveInference(), aw.HorizonActiveInference(), aw.DeviationBonus(1.0)]
)
def test_terms_are_those_that_explain_gives(policy):
    """Also for policies that read the trial, the learner's assumptions, or all arms."""
    _, data = part(people(), 1)
    agent = aw.Agent(policy, aw.LearnedChange(), aw.Softmax())
    told = trace_choices(agent, data, device="python")
    terms = terms_of(agent, data, told)
    assert set(told.assumed[:, 1]) == {1.0}
    assert len(set(told.assumed[:, 0])) > 5
    trial = 4
    rho = told.assumed[trial - 1, 0]
    same = aw.explain(
        aw.Agent(policy, aw.Smile(rho)), told.alpha[trial - 1], told.beta[trial - 1], trial
    )
    assert terms
    for name, values in terms.items():
        np.testing.assert_allclose(values[trial - 1], same[name], rtol=1e-12)


def test_policies_that_draw_have_no_terms():
    _, data = part(people(), 1)
    agent = aw.Agent(aw.OptimisticThompsonSampling())
    assert terms_of(agent, data, trace_choices(agent, data, device="python")) == {}


def test_values_of_another_shape_are_refused():
    with pytest.raises(InputError, match="values must be 3 x 1"):
        trace_choices(AGENT, people(), ["lam"], np.zeros((2, 1)))
