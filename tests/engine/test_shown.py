"""Arms that show outcomes though not chosen, and arms that could not be chosen."""

import numpy as np
import pytest

import armwise as aw
from armwise.engine.batch import Sequences, simulate_people, trial_log_likelihoods
from armwise.engine.trace import trace_choices
from armwise.errors import InputError

ARMS, TRIALS = 3, 80
ONE = np.zeros(1, dtype=np.int64)


def recorded(seed=6, people=1):
    """Two arms are offered in most trials; half of the others show their outcomes."""
    rng = np.random.default_rng(seed)
    available = rng.random((TRIALS, ARMS)) < 0.7
    choices = rng.integers(0, ARMS, TRIALS)
    available[np.arange(TRIALS), choices] = True
    choices[rng.random(TRIALS) < 0.1] = -1
    outcomes = np.where(choices >= 0, rng.integers(0, 2, TRIALS), 0)
    shown = np.where(rng.random((TRIALS, ARMS)) < 0.5, rng.integers(0, 2, (TRIALS, ARMS)), -1)
    data = Sequences(choices, outcomes, choices >= 0, ONE, ONE, ARMS)
    return data._replace(available=available, shown=shown)


def smile(rho):
    """SMiLe over all outcomes of a trial: gamma is Bayes' rule for their joint probability."""

    def learn(alpha, beta, arm, seen):
        before = after = 1.0
        for k, o in seen.items():
            before *= (alpha if o else beta)[k] / (alpha + beta)[k]
            after *= 0.5
        gamma = rho * after / (rho * after + (1 - rho) * before)
        alpha, beta = alpha + gamma * (1 - alpha), beta + gamma * (1 - beta)
        for k, o in seen.items():
            alpha[k] += o
            beta[k] += 1 - o
        return alpha, beta

    return learn, (1.0, 1.0)


def delta(rate, forgetting=0.0):
    """A delta rule: `rate(own, outcome)` is that of the chosen arm or of one that was shown."""

    def learn(alpha, beta, arm, seen):
        q = alpha.copy()
        for k in range(len(q)):
            toward, pace = (seen[k], rate(k == arm, seen[k])) if k in seen else (0.5, forgetting)
            q[k] += pace * (toward - q[k])
        return q, 1 - q

    return learn, (0.5, 0.5)


LEARNERS = {
    "SMiLe": (aw.Smile(0.2), *smile(0.2)),
    "counts": (aw.Smile(0.0), *smile(0.0)),
    "RW": (aw.RescorlaWagner(0.4, 0.1), *delta(lambda own, o: 0.4, 0.1)),
    "two rates": (aw.TwoRates(0.6, 0.2, 0.1), *delta(lambda own, o: 0.6 if o else 0.2, 0.1)),
    "confirming": (
        aw.Confirming(0.7, 0.2),
        *delta(lambda own, o: 0.7 if bool(o) == own else 0.2),
    ),
}


def written_again(learn, prior, data, precision, stick):
    """Log-likelihoods by trial, in NumPy: softmax over the arms that were available."""
    alpha, beta = (np.full(ARMS, each) for each in prior)
    habit, told = np.zeros(ARMS), np.full(TRIALS, np.nan)
    for row, arm in enumerate(data.choices):
        if arm < 0:
            continue
        logits = precision * alpha / (alpha + beta) + stick * habit
        offered = data.available[row]
        told[row] = logits[arm] - np.log(np.exp(logits[offered]).sum())
        seen = {k: o for k, o in enumerate(data.shown[row].tolist()) if o >= 0}
        alpha, beta = learn(alpha, beta, arm, seen | {int(arm): int(data.outcomes[row])})
        habit = np.eye(ARMS)[arm]
    return told


@pytest.mark.parametrize("name", LEARNERS)
def test_likelihoods_are_those_of_numpy(name):
    learner, learn, prior = LEARNERS[name]
    data = recorded()
    agent = aw.Agent(aw.MeanOutcome(), learner, aw.Softmax(4.0))
    expected = written_again(learn, prior, data, 4.0, 0.0)
    told = trace_choices(agent, data, device="python")
    np.testing.assert_allclose(told.log_probability, expected, rtol=0, atol=1e-10)
    np.testing.assert_allclose(told.probability.sum(axis=1), 1, atol=1e-12)
    assert (told.probability[~data.available] == 0).all()


def test_compiled_likelihoods_are_those_of_numpy_with_a_habit_too():
    learner, learn, prior = LEARNERS["SMiLe"]
    data = recorded()
    agent = aw.Agent(aw.MeanOutcome(), learner, aw.HabitualSoftmax())
    found = trial_log_likelihoods(agent, ["precision", "stick"], [[4.0, 0.8]], data)
    expected = written_again(learn, prior, data, 4.0, 0.8)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10)


def test_with_every_arm_available_and_nothing_shown_it_is_the_plain_likelihood():
    data = recorded()
    agent = aw.Agent(aw.MeanOutcome(), aw.Smile(0.1), aw.Softmax(4.0))
    plain = data._replace(available=None, shown=None)
    full = data._replace(available=np.full((TRIALS, ARMS), True), shown=np.full((TRIALS, ARMS), -1))
    one, other = (trace_choices(agent, each, device="python") for each in (plain, full))
    np.testing.assert_array_equal(one.log_probability, other.log_probability)


def test_replay_takes_both():
    data = recorded()
    agent = aw.Agent(aw.MeanOutcome(), aw.RescorlaWagner(0.4), aw.Softmax(4.0))
    given = {"available": data.available, "shown": data.shown, "device": "python"}
    found = aw.replay(agent, data.choices, data.outcomes, ARMS, **given)
    told = aw.retrace(agent, data.choices, data.outcomes, ARMS, **given)
    assert found == pytest.approx(np.nansum(told.log_probability), abs=1e-12)


def test_simulated_people_see_what_is_shown_and_choose_among_what_is_available():
    """A person of great precision: followed with the same data, every choice is nearly certain."""
    data = recorded()
    agent = aw.Agent(aw.MeanOutcome(), aw.Smile(0.2, alpha0=1.3), aw.Softmax(1e9))
    thetas = np.random.default_rng(3).random((TRIALS, ARMS))
    begins = np.arange(TRIALS) == 40
    task = {"available": data.available[None], "revealed": data.shown[None] >= 0}
    told = simulate_people(thetas, agent, [], [[]], TRIALS, begins=begins[None], **task)
    choices, shown = told.choices[0], told.shown[0]
    assert data.available[np.arange(TRIALS), choices].all()
    others = data.shown >= 0
    others[np.arange(TRIALS), choices] = False
    np.testing.assert_array_equal(shown >= 0, others)
    again = Sequences(
        choices,
        told.outcomes[0],
        choices >= 0,
        np.array([0, 40]),
        np.zeros(2, dtype=np.int64),
        ARMS,
        data.available,
        shown,
    )
    found = trace_choices(agent, again, device="python").log_probability
    assert np.isin(np.exp(found).round(9), [1.0, 0.5, round(1 / 3, 9)]).all()


def test_shown_outcomes_are_draws_of_their_thetas():
    """Five standard errors of 6,000 outcomes per arm, and of the products of two."""
    thetas = np.tile([0.2, 0.5, 0.9], (20, 1))
    agent = aw.Agent(aw.MeanOutcome(), aw.Smile(), aw.Softmax(0.0))
    given = np.zeros((300, 20), dtype=np.int64)
    told = simulate_people(
        thetas, agent, [], np.zeros((300, 0)), 20, given=given, revealed=np.full((300, 20, 3), True)
    )
    first, second, third = told.outcomes, told.shown[:, :, 1], told.shown[:, :, 2]
    assert (told.shown[:, :, 0] == -1).all()
    for mean, p in [
        (second.mean(), 0.5),
        (third.mean(), 0.9),
        ((first * second).mean(), 0.1),
        ((second * third).mean(), 0.45),
    ]:
        assert abs(mean - p) < 5 * np.sqrt(p * (1 - p) / 6_000)


@pytest.mark.parametrize(
    ("learner", "changed", "words"),
    [
        (aw.Mirrored(), {}, "mirrored learns from the chosen arm only"),
        (aw.Smile(), {"shown": np.full((TRIALS, ARMS), 2)}, "shown must hold 0, 1"),
        (aw.Smile(), {"shown": np.zeros((TRIALS, 2))}, "shown must be 80 x 3"),
        (aw.Smile(), {"available": np.zeros((TRIALS, ARMS))}, "it was not available"),
        (aw.Smile(), {"available": np.zeros(TRIALS)}, "available must be 80 x 3"),
    ],
)
def test_what_cannot_be_followed_is_refused(learner, changed, words):
    agent = aw.Agent(aw.MeanOutcome(), learner, aw.Softmax())
    with pytest.raises(InputError, match=words):
        trace_choices(agent, recorded()._replace(**changed), device="python")


def test_what_cannot_be_simulated_is_refused():
    agent = aw.Agent(aw.MeanOutcome(), aw.Mirrored(), aw.Softmax())
    thetas, none = np.full((5, 3), 0.5), np.zeros((1, 0))
    for options, words in [
        ({"revealed": np.full((1, 5, 3), True)}, "mirrored learns from the chosen arm only"),
        ({"available": np.full((1, 5, 3), False)}, "at least one arm"),
        ({"available": np.full((5, 3), True)}, "available must be 1 x 5 x 3"),
        ({"begins": np.full(5, True)}, "begins must be 1 x 5"),
    ]:
        with pytest.raises(InputError, match=words):
            simulate_people(thetas, agent, [], none, 5, **options)
    with pytest.raises(InputError, match="chooses among all its arms"):
        simulate_people(thetas, aw.BOCPD(), [], none, 5, available=np.full((1, 5, 3), True))
