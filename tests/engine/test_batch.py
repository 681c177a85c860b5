"""Likelihoods of many people at once: against `replay`, against NumPy, and what is refused."""

import numpy as np
import pytest

import armwise as aw
from armwise.engine import batch
from armwise.engine.batch import Sequences, log_likelihoods, trial_log_likelihoods
from armwise.errors import InputError

ARMS = 3
AGENT = aw.Agent(aw.ApproximateActiveInference(), aw.Smile(), aw.Softmax())
FREE = ["lam", "rho", "precision"]


def people(count=4, seed=1, missed=0.1, forced=0.1):
    """People with two or three blocks of different lengths, missed trials and forced choices."""
    rng = np.random.default_rng(seed)
    lengths, owners = [], []
    for person in range(count):
        for _ in range(2 + person % 2):
            lengths.append(int(rng.integers(5, 40)))
            owners.append(person)
    trials = sum(lengths)
    choices = rng.integers(0, ARMS, trials)
    choices[rng.random(trials) < missed] = -1
    outcomes = np.where(choices >= 0, rng.integers(0, 2, trials), 0)
    scored = (choices >= 0) & (rng.random(trials) >= forced)
    begins = np.cumsum([0, *lengths[:-1]])
    return Sequences(choices, outcomes, scored, begins, np.array(owners), ARMS)


def vectors(count, seed=2):
    rng = np.random.default_rng(seed)
    columns = rng.uniform(0.1, 2, count), rng.uniform(0, 0.3, count), rng.uniform(0, 8, count)
    return np.stack(columns, axis=-1)


def replayed(values, data, person):
    """The sum over a person's blocks, by `retrace`, without the trials that do not count."""
    lam, rho, precision = values
    agent = aw.Agent(aw.ApproximateActiveInference(lam), aw.Smile(rho), aw.Softmax(precision))
    ends = [*data.begins[1:], len(data.choices)]
    total = 0.0
    for begin, end, owner in zip(data.begins, ends, data.people, strict=True):
        if owner == person:
            rows = slice(begin, end)
            told = aw.retrace(agent, data.choices[rows], data.outcomes[rows], ARMS, device="python")
            total += told.log_probability.values[data.scored[rows]].sum()
    return total


def in_numpy(values, data, person):
    """A-AI with SMiLe and a softmax, written once more, for all arms at once."""
    lam, rho, precision = values
    ends = [*data.begins[1:], len(data.choices)]
    total = 0.0
    for begin, end, owner in zip(data.begins, ends, data.people, strict=True):
        if owner != person:
            continue
        alpha, beta = np.ones(ARMS), np.ones(ARMS)
        for row in range(begin, end):
            arm, outcome = data.choices[row], data.outcomes[row]
            if arm < 0:
                continue
            logits = precision * (2 * lam * alpha + 0.5) / (alpha + beta)
            if data.scored[row]:
                total += logits[arm] - np.log(np.exp(logits).sum())
            likely = (alpha if outcome else beta)[arm] / (alpha + beta)[arm]
            gamma = rho * 0.5 / (rho * 0.5 + (1 - rho) * likely)
            alpha, beta = alpha + gamma * (1 - alpha), beta + gamma * (1 - beta)
            alpha[arm] += outcome
            beta[arm] += 1 - outcome
    return total


@pytest.mark.parametrize("written", [replayed, in_numpy])
def test_likelihoods_are_those_of_other_code(written):
    data, values = people(), vectors(3)
    found = log_likelihoods(AGENT, FREE, values[None], data)
    expected = [
        [written(one, data, person) for one in values] for person in range(data.number_of_people)
    ]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10)


def test_every_person_may_have_vectors_of_their_own():
    data = people()
    values = vectors(data.number_of_people * 3).reshape(data.number_of_people, 3, 3)
    found = log_likelihoods(AGENT, FREE, values, data)
    for person in range(data.number_of_people):
        same = log_likelihoods(AGENT, FREE, values[person][None], data)
        np.testing.assert_array_equal(found[person], same[person])


def test_threads_and_shares_change_no_bit(monkeypatch):
    data, values = people(7), vectors(50)[None]
    whole = log_likelihoods(AGENT, FREE, values, data, threads=1)
    monkeypatch.setattr(batch, "ALONE", 0)
    for share in (1, 100, 1_000, 100_000):
        monkeypatch.setattr(batch, "SHARE", share)
        found = log_likelihoods(AGENT, FREE, values, data, threads=3)
        np.testing.assert_array_equal(found, whole)


def test_trials_add_up_and_only_those_that_count_have_a_value():
    data, values = people(), vectors(4)
    by_trial = trial_log_likelihoods(AGENT, FREE, values, data)
    np.testing.assert_array_equal(np.isnan(by_trial), ~data.scored)
    owners = np.repeat(data.people, np.diff([*data.begins, len(data.choices)]))
    sums = np.bincount(owners, np.nan_to_num(by_trial))
    whole = log_likelihoods(AGENT, FREE, values[:, None], data)[:, 0]
    np.testing.assert_allclose(sums, whole, rtol=0, atol=1e-10)


def test_a_forced_choice_is_learned_from():
    data = people(missed=0.0, forced=0.0)
    free, forced = data.scored.copy(), data.scored.copy()
    forced[0] = False
    value = vectors(1)
    one, other = (
        trial_log_likelihoods(AGENT, FREE, value, data._replace(scored=scored))
        for scored in (free, forced)
    )
    np.testing.assert_array_equal(one[1:], other[1:])


def test_a_learners_memory_begins_anew_with_every_block():
    agent = aw.Agent(aw.ApproximateActiveInference(), aw.SlidingWindow(window=5), aw.Softmax())
    data = people(1, missed=0.0, forced=0.0)
    found = trial_log_likelihoods(agent, ["precision"], [[3.0]], data)
    second = slice(data.begins[1], None)
    alone = data._replace(
        choices=data.choices[second],
        outcomes=data.outcomes[second],
        scored=data.scored[second],
        begins=np.array([0]),
        people=np.array([0]),
    )
    np.testing.assert_array_equal(
        found[second], trial_log_likelihoods(agent, ["precision"], [[3.0]], alone)
    )


def test_values_that_are_not_finite_are_impossible_and_spoil_no_other():
    data, values = people(), np.tile(vectors(1), (4, 1))
    values[1, 0], values[2, 1] = np.nan, np.inf
    found = log_likelihoods(AGENT, FREE, values[None], data)
    assert (found[:, 1:3] == -np.inf).all()
    np.testing.assert_array_equal(found[:, 0], found[:, 3])


def test_people_without_trials_and_data_that_cannot_be_written_to_are_fine():
    data = people(3)
    data = data._replace(people=np.where(data.people > 0, data.people + 1, data.people))
    for array in data[:5]:
        array.flags.writeable = False
    found = log_likelihoods(AGENT, FREE, vectors(2)[None], data)
    assert (found[1] == 0).all()
    assert (found[[0, 2, 3]] < 0).all()


@pytest.mark.parametrize(
    ("agent", "free", "words"),
    [
        (AGENT, ["lamb"], "did you mean 'lam'"),
        (AGENT, ["lam", "policy.lam"], "free twice"),
        (AGENT, "lam", "free must be a list"),
        (aw.Agent(aw.UCB(), aw.SlidingWindow(), aw.Softmax()), ["window"], "a whole number"),
        (aw.Agent(aw.UCB()), [], "have no probability"),
        (aw.Agent(aw.ThompsonSampling(), choice=aw.Softmax()), [], "draws its scores"),
        (None, [], "Only an Agent"),
    ],
)
def test_what_cannot_be_free_is_refused_with_the_reason(agent, free, words):
    with pytest.raises(InputError, match=words):
        log_likelihoods(agent, free, np.zeros((1, 1, len(free))), people())


def test_values_of_another_shape_are_refused():
    for values in (0.5, np.zeros((1, 2, 2)), np.zeros((3, 2, 3)), np.zeros((2, 3))):
        with pytest.raises(InputError, match="values must be 4 "):
            log_likelihoods(AGENT, FREE, values, people())
