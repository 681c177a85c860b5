"""Actors whose scores go through a choice rule: likelihoods, simulations, online players."""

import numpy as np
import pytest
from scipy.special import digamma

import armwise as aw
from armwise import registry
from armwise.engine.batch import Sequences, log_likelihoods, simulate_people, trial_log_likelihoods
from armwise.engine.trace import trace_choices
from armwise.errors import InputError
from armwise.model.roles import Actor

ARMS, TRIALS = 3, 60
ONE = np.zeros(1, dtype=np.int64)
BANDIT = aw.SwitchingBandit(arms=ARMS, rho=0.05)
SCORING = [
    label
    for label, kind in registry.known("actor").items()
    if kind.score_arms is not Actor.score_arms
]


def recorded(trials=TRIALS, seed=4):
    rng = np.random.default_rng(seed)
    choices, outcomes = rng.integers(0, ARMS, trials), rng.integers(0, 2, trials)
    return Sequences(choices, outcomes, np.full(trials, True), ONE, ONE, ARMS)


def softmax(scores, precision, arm):
    logits = precision * np.asarray(scores)
    return logits[arm] - np.log(np.exp(logits - logits.max()).sum()) - logits.max()


def informed(data, precision, p=0.5, epsilon=0.3, rho=0.05):
    stay = (1 - rho) * np.eye(ARMS) + rho / (ARMS - 1) * (1 - np.eye(ARMS))
    belief, told = np.full(ARMS, 1 / ARMS), []
    for arm, outcome in zip(data.choices, data.outcomes, strict=True):
        told.append(softmax(belief, precision, arm))
        theta = np.where(np.arange(ARMS) == arm, p + epsilon, p)
        belief = belief * (theta if outcome else 1 - theta)
        belief = stay @ (belief / belief.sum())
    return told


def averaged(data, precision):
    """The hidden Markov models of a small grid, with weights."""
    stays, belief, weight, gain, highs, lows = [], [], [], [], [], []
    for low in (0.2, 0.8):
        for gap in (0.1, 0.3):
            for rho in (0.01, 0.1):
                stays.append((1 - rho) * np.eye(ARMS) + rho / (ARMS - 1) * (1 - np.eye(ARMS)))
                belief.append(np.full(ARMS, 1 / ARMS))
                weight.append(1 / 8)
                lows.append(low)
                highs.append(min(low + gap, 0.999))
                gain.append(highs[-1] - low)
    told = []
    for arm, outcome in zip(data.choices, data.outcomes, strict=True):
        scores = sum(w * g * b for w, g, b in zip(weight, gain, belief, strict=True))
        told.append(softmax(scores, precision, arm))
        for m in range(8):
            theta = np.where(np.arange(ARMS) == arm, highs[m], lows[m])
            joint = belief[m] * (theta if outcome else 1 - theta)
            weight[m] *= joint.sum()
            belief[m] = stays[m] @ (joint / joint.sum())
        weight = [w / sum(weight) for w in weight]
    return told


def bocpd(data, precision, rates=(0.05,), lam=0.25):
    """Counts since every possible change, with a weight for each and for each rate."""
    counts = [np.zeros((ARMS, 2))]
    shares = np.full((len(rates), 1), 1 / len(rates))
    told = []
    for arm, outcome in zip(data.choices, data.outcomes, strict=True):
        weights = shares.sum(axis=0)
        a, b = (np.array([1 + each[:, side] for each in counts]) for side in (1, 0))
        n = a + b
        ambiguity = digamma(n + 1) - (a * digamma(a + 1) + b * digamma(b + 1)) / n
        mu = weights @ (a / n)
        entropy = -mu * np.log(mu) - (1 - mu) * np.log(1 - mu)
        scores = weights @ (2 * lam * a / n - ambiguity) + entropy
        told.append(softmax(scores, precision, arm))
        shares = shares * ((a if outcome else b) / n)[:, arm]
        shares /= shares.sum()
        for each in counts:
            each[arm, outcome] += 1
        leaving = np.array([rate * row.sum() for rate, row in zip(rates, shares, strict=True)])
        shares = np.hstack([(1 - np.array(rates))[:, None] * shares, leaving[:, None]])
        counts.append(np.zeros((ARMS, 2)))
    return told


GRID = aw.AveragedHMM(bases=2, gaps=(0.1, 0.3), moves=(0.01, 0.1))
WRITTEN = {
    "HMM": (aw.InformedHMM(0.3, 0.05), informed),
    "HMM-avg": (GRID, averaged),
    "BOCPD": (aw.BOCPD(0.05), bocpd),
    "BOCPD-rho": (
        aw.LearnedBOCPD(rates=(0.01, 0.2)),
        lambda data, precision: bocpd(data, precision, (0.01, 0.2)),
    ),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_likelihoods_are_those_of_numpy(name):
    actor, written = WRITTEN[name]
    data = recorded()
    told = trace_choices(aw.Chooser(actor, aw.Softmax(6.0)), data, device="python")
    np.testing.assert_allclose(told.log_probability, written(data, 6.0), rtol=0, atol=1e-9)
    np.testing.assert_allclose(told.probability.sum(axis=1), 1, atol=1e-12)


def test_compiled_likelihoods_with_free_parameters_and_a_habit():
    data = recorded()
    agent = aw.Chooser(aw.BOCPD(), aw.HabitualSoftmax())
    free = ["rho", "lam", "precision", "stick"]
    found = trial_log_likelihoods(agent, free, [[0.2, 0.6, 6.0, 0.0]], data)
    np.testing.assert_allclose(found, bocpd(data, 6.0, (0.2,), 0.6), rtol=0, atol=1e-9)
    values = np.array([[[0.2, 0.6, 6.0, 1.5]]])
    own = aw.Chooser(aw.BOCPD(0.2, 0.6), aw.HabitualSoftmax(precision=6, stick=1.5))
    told = trace_choices(own, data, device="python").log_probability.sum()
    assert log_likelihoods(agent, free, values, data)[0, 0] == pytest.approx(told, abs=1e-9)
    assert told != pytest.approx(found.sum(), abs=1e-3)


@pytest.mark.parametrize("name", SCORING)
def test_an_argmax_of_the_scores_chooses_as_the_actor_does(name):
    actor = registry.known("actor")[name]()
    asked = {"horizon": 40, "agents": 2, "device": "python", "record": ["arm", "gamma"], "seed": 3}
    one, other = (
        aw.simulate(BANDIT, agent, **asked) for agent in (actor, aw.Chooser(actor, aw.Argmax()))
    )
    for name in ("chosen", "gamma", "regret"):
        np.testing.assert_array_equal(one[name], other[name])


def test_actors_that_weigh_hypotheses_have_scores():
    weighing = {"bocpd", "bocpd-rho", "bocpd-gittins", "bocpd-duration"}
    weighing |= {"hmm", "hmm-avg", "hmm-duration"}
    worlds = {"universal", "two-worlds", "all-redrawn", "best-moves", "each-redrawn"}
    assert set(SCORING) == weighing | worlds


def test_simulated_choices_have_the_probabilities_that_replay_says():
    """Surprise has the expectation of the entropy: 20,000 trials, five standard errors."""
    agent = aw.Chooser(aw.InformedHMM(0.3, 0.05), aw.HabitualSoftmax(5, stick=0.5, lapse=0.1))
    told = simulate_people(BANDIT, agent, ["rho"], [[0.05]] * 100, 200, seed=5)
    begins = 200 * np.arange(100)
    flat = told.choices.ravel(), told.outcomes.ravel()
    data = Sequences(*flat, flat[0] >= 0, begins, np.arange(100), ARMS)
    seen = trace_choices(agent, data)
    p = seen.probability
    expected = (p * np.log(p)).sum(axis=1)
    spread = np.sqrt(((p * np.log(p) ** 2).sum(axis=1) - expected**2).sum())
    assert abs(seen.log_probability.sum() - expected.sum()) < 5 * spread


def test_every_device_and_simulate_people_play_the_same():
    agent = aw.Chooser(aw.InformedHMM(0.3, 0.05), aw.Softmax(5.0))
    asked = {"horizon": 60, "agents": 3, "seed": 7, "record": ["arm"], "checkpoints": aw.every(1)}
    one, other = (aw.simulate(BANDIT, agent, device=d, **asked) for d in ("cpu", "python"))
    np.testing.assert_array_equal(one.chosen, other.chosen)
    told = simulate_people(BANDIT, agent, [], np.zeros((3, 0)), 60, seed=7)
    np.testing.assert_array_equal(told.choices, one.chosen)


def test_actors_without_a_choice_can_be_people_too():
    asked = {"horizon": 60, "agents": 3, "seed": 7, "record": ["arm"], "checkpoints": aw.every(1)}
    one = aw.simulate(BANDIT, aw.InformedHMM(0.3, 0.05), **asked)
    told = simulate_people(BANDIT, aw.InformedHMM(), ["epsilon", "rho"], [[0.3, 0.05]] * 3, 60, 7)
    np.testing.assert_array_equal(told.choices, one.chosen)


def test_a_player_chooses_among_some_arms_and_continues_from_its_file(tmp_path):
    player = aw.Chooser(aw.BOCPD(), aw.HabitualSoftmax(4, stick=1)).start(["a", "b", "c"], seed=3)
    for _ in range(15):
        player.observe(player.choose(), 1)
    assert player.choose(among=["a", "c"]).arm in "ac"
    player.save(tmp_path / "player.json")
    again = aw.load_player(tmp_path / "player.json")
    assert again.agent == player.agent
    for _ in range(15):
        one, other = player.choose(), again.choose()
        assert (one.arm, one.probability) == (other.arm, other.probability)
        assert 0 < one.probability < 1
        player.observe(one, 0)
        again.observe(other, 0)


def test_what_cannot_be_is_refused_with_a_sentence():
    with pytest.raises(InputError, match="has no scores for a choice rule"):
        aw.Chooser(aw.EXP3S(), aw.Softmax())
    with pytest.raises(InputError, match="actor of a chooser must be an Actor"):
        aw.Chooser(aw.UCB(), aw.Softmax())
    with pytest.raises(InputError, match=r"in Chooser\(BOCPD\(\), Softmax"):
        aw.replay(aw.BOCPD(), [0], [1], 2)
    with pytest.raises(InputError, match="have no probability"):
        aw.replay(aw.Chooser(aw.BOCPD(), aw.Argmax()), [0], [1], 2)
    with pytest.raises(InputError, match="keeps tables made from its parameters"):
        log_likelihoods(
            aw.Chooser(aw.GittinsBOCPD(), aw.Softmax()), ["rho"], np.zeros((1, 1, 1)), recorded()
        )
