"""Habit, side bias and lapse: in likelihoods, simulations, explanations and online players."""

import math

import numpy as np
import pytest
import scipy.stats

import armwise as aw
from armwise.engine.batch import Sequences, trial_log_likelihoods
from armwise.model.component import parameter
from armwise.model.roles import Choice
from armwise.testing import check_contract

ARMS = 3
NAMES = ["precision", "stick", "pace", "lapse", "bias"]
HABIT = aw.HabitualSoftmax(precision=3, stick=1.5, pace=0.3, lapse=0.1, bias=0.7, side=2)


def agent(choice=HABIT):
    return aw.Agent(aw.ApproximateActiveInference(lam=0.5), aw.Smile(rho=0.1), choice)


def recorded(trials=200, seed=4):
    rng = np.random.default_rng(seed)
    choices, outcomes = rng.integers(0, ARMS, trials), rng.integers(0, 2, trials)
    begins = np.array([0, trials // 2])
    return Sequences(
        choices, outcomes, np.full(trials, True), begins, np.zeros(2, dtype=np.int64), ARMS
    )


def chances(choice, scores, habit, allowed=None):
    """The choice probabilities, written once more."""
    allowed = np.ones(ARMS, dtype=bool) if allowed is None else allowed
    logits = choice.precision * scores + choice.stick * habit
    logits[choice.side] += choice.bias
    weights = np.where(allowed, np.exp(logits), 0.0)
    return (1 - choice.lapse) * weights / weights.sum() + choice.lapse * allowed / allowed.sum()


def followed(choice, data):
    """Log-probabilities of the choices and the last habit, in NumPy."""
    told = np.zeros(len(data.choices))
    for row, (arm, outcome) in enumerate(zip(data.choices, data.outcomes, strict=True)):
        if row in data.begins:
            alpha, beta, habit = np.ones(ARMS), np.ones(ARMS), np.zeros(ARMS)
        scores = (alpha + 0.5) / (alpha + beta)
        told[row] = np.log(chances(choice, scores, habit)[arm])
        likely = (alpha if outcome else beta)[arm] / (alpha + beta)[arm]
        gamma = 0.05 / (0.05 + 0.9 * likely)
        alpha, beta = alpha + gamma * (1 - alpha), beta + gamma * (1 - beta)
        alpha[arm] += outcome
        beta[arm] += 1 - outcome
        habit += choice.pace * (np.eye(ARMS)[arm] - habit)
    return told, habit


@pytest.mark.parametrize(
    "choice",
    [
        HABIT,
        aw.HabitualSoftmax(precision=2, stick=-1),
        aw.HabitualSoftmax(precision=2, lapse=1),
        aw.HabitualSoftmax(precision=2, bias=-3, side=1),
    ],
)
def test_likelihoods_are_those_of_numpy(choice):
    data = recorded()
    values = [[getattr(choice, name) for name in NAMES]]
    found = trial_log_likelihoods(agent(choice), NAMES, values, data)
    np.testing.assert_allclose(found, followed(choice, data)[0], rtol=0, atol=1e-10)


@pytest.mark.parametrize("device", ["cpu", "python"])
def test_replay_gives_the_same(device):
    data = recorded()
    data = data._replace(begins=data.begins[:1], people=data.people[:1])
    told = aw.retrace(agent(), data.choices, data.outcomes, ARMS, device=device)
    np.testing.assert_allclose(told.log_probability, followed(HABIT, data)[0], rtol=0, atol=1e-10)


def test_without_habit_bias_and_lapse_it_is_a_softmax_to_the_last_bit():
    asked = {"horizon": 200, "agents": 20, "seed": 5, "record": ["arm"]}
    bandit = aw.SwitchingBandit(arms=4, rho=0.02)
    one, other = (
        aw.simulate(bandit, agent(rule(precision=5)), **asked)
        for rule in (aw.Softmax, aw.HabitualSoftmax)
    )
    np.testing.assert_array_equal(one.chosen, other.chosen)


def test_simulated_choices_have_the_probabilities_that_replay_says():
    """Surprise has the expectation of the entropy: 40,000 trials, five standard errors."""
    asked = {"horizon": 400, "agents": 100, "seed": 5, "checkpoints": aw.every(1)}
    bandit = aw.SwitchingBandit(arms=ARMS, rho=0.05)
    told = aw.simulate(bandit, agent(), record=["arm", "outcome"], **asked)
    surprise, expected, spread = 0.0, 0.0, 0.0
    for arms, outcomes in zip(told.chosen.values, told.outcome.values, strict=True):
        data = Sequences(
            arms, outcomes, np.full(len(arms), True), np.array([0]), np.array([0]), ARMS
        )
        own = trial_log_likelihoods(agent(), [], np.zeros((1, 0)), data)
        seen = aw.retrace(agent(), arms, outcomes, ARMS)
        habit = np.zeros(ARMS)
        for arm, scores in zip(arms, seen.score.values, strict=True):
            p = chances(HABIT, scores, habit)
            expected += (p * np.log(p)).sum()
            spread += (p * np.log(p) ** 2).sum() - (p * np.log(p)).sum() ** 2
            habit += HABIT.pace * (np.eye(ARMS)[arm] - habit)
        surprise += own.sum()
    assert abs(surprise - expected) < 5 * math.sqrt(spread)


def test_explain_reads_the_habit():
    told = aw.explain(agent(), [2, 1, 1], [1, 3, 1], habit=[1, 0, 0.5])
    expected = chances(HABIT, told.score.values, np.array([1, 0, 0.5]))
    np.testing.assert_allclose(told.probability, expected, rtol=1e-14)
    for wrong in ([1, 0], [1, 0, 2], "101", [1, 0, math.nan]):
        with pytest.raises(aw.InputError, match="habit must"):
            aw.explain(agent(), [2, 1, 1], [1, 3, 1], habit=wrong)


def test_a_player_has_a_habit_and_keeps_it_in_its_file(tmp_path):
    player = agent().start(["red", "green", "blue"], seed=3)
    for _ in range(20):
        player.observe(player.choose(), 1)
    player.save(tmp_path / "player.json")
    again = aw.load_player(tmp_path / "player.json")
    for _ in range(20):
        one, other = player.choose(), again.choose()
        assert (one.arm, one.probability) == (other.arm, other.probability)
        player.observe(one, 0)
        again.observe(other, 0)
    player.remove_arm("green")
    habits = player._solo.habits()
    player.add_arm("black")
    assert player._solo.habits() == [*habits, 0.0]
    assert max(habits) > 0


def test_a_player_makes_the_choices_of_the_simulated_agent():
    bandit = aw.SwitchingBandit(arms=ARMS, rho=0.05)
    asked = {"checkpoints": aw.every(1), "record": ["arm", "outcome"], "seed": 9}
    told = aw.simulate(bandit, agent(), 100, 1, **asked)
    player = agent().start(range(ARMS), seed=9)
    for arm, outcome in zip(told.chosen.values[0], told.outcome.values[0], strict=True):
        ticket = player.choose()
        assert ticket.arm == arm
        player.observe(ticket, int(outcome))


def test_a_lapse_chooses_uniformly_among_what_may_be_chosen():
    player = agent(aw.HabitualSoftmax(precision=50, lapse=1)).start(range(4), seed=1)
    counts = {0: 0, 2: 0, 3: 0}
    for _ in range(3_000):
        ticket = player.choose(among=list(counts))
        assert ticket.probability == pytest.approx(1 / 3)
        counts[ticket.arm] += 1
    assert scipy.stats.chisquare(list(counts.values())).pvalue > 1e-5


class Returning(Choice):
    """A choice of a user's own that returns to its last arm, without a scale."""

    probabilistic = True
    back: float = parameter(default=1.0, meaning="pull of the last arm")

    def key(self, score, rng):
        return score + aw.draws.gumbel(rng, 0)

    def log_weight(self, score):
        return score

    def lean(self, arm, habit):
        return self.back * habit


def test_a_users_choice_may_lean():
    check_contract(Returning())
    data = recorded()
    found = trial_log_likelihoods(agent(Returning()), ["back"], [[1.3]], data)
    own = aw.HabitualSoftmax(precision=1, stick=1.3)
    np.testing.assert_allclose(found, followed(own, data)[0], rtol=0, atol=1e-10)
