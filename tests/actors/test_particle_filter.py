"""The particle filter against the exact recursion over all times of the last change."""

import numpy as np
import pytest

import armwise as aw
from armwise.actors.particle_filter import ParticleFilter, effective, pay, resample
from armwise.model.draws import AGENT, stream
from armwise.testing import check_contract

ARMS = 3


def recorded(count):
    """Outcomes of a bandit that changes half-way."""
    draws = np.random.default_rng(4)
    thetas = [(0.9, 0.3, 0.5)] * (count // 2) + [(0.1, 0.8, 0.5)] * (count - count // 2)
    arms = [int(draws.integers(ARMS)) for _ in range(count)]
    return [
        (arm, int(draws.random() < theta[arm])) for arm, theta in zip(arms, thetas, strict=True)
    ]


def enumerated(trials, rho):
    """The change probability and what every arm pays, by all hypotheses about the last change."""
    hypotheses = [(1.0, np.ones((ARMS, 2)))]
    for arm, outcome in trials:
        total = sum(weight for weight, _ in hypotheses)
        known = [((1 - rho) * weight, counts) for weight, counts in hypotheses]
        known.append((rho * total, np.ones((ARMS, 2))))
        known = [(w * c[arm, 1 - outcome] / c[arm].sum(), c.copy()) for w, c in known]
        for _, counts in known:
            counts[arm, 1 - outcome] += 1
        total = sum(weight for weight, _ in known)
        hypotheses = [(weight / total, counts) for weight, counts in known]
        means = sum(weight * counts[:, 0] / counts.sum(axis=1) for weight, counts in hypotheses)
        yield hypotheses[-1][0], means


def filtered(actor, trials, agent):
    """The same by particles."""
    memory = np.zeros(actor.memory_size(ARMS))
    actor.begin(memory, ARMS)
    size = actor.memory_size(ARMS) // actor.particles
    for trial, (arm, outcome) in enumerate(trials, 1):
        gamma = actor.learn(memory, ARMS, trial, arm, outcome, stream(1, agent, AGENT, trial))
        weights = memory[::size]
        assert weights.sum() == pytest.approx(1.0, rel=1e-12)
        assert effective(memory, size, actor.particles) >= 0.5 * actor.particles
        yield (
            gamma,
            [
                sum(w * pay(memory, place * size, k) for place, w in enumerate(weights))
                for k in range(ARMS)
            ],
        )


@pytest.mark.parametrize("rho", [0.02, 0.2])
def test_particles_agree_with_enumeration(rho):
    """Within five standard errors of 30 filters; the bias is of order 1 / particles, far less."""
    trials = recorded(24)
    actor = ParticleFilter(rho=rho, particles=100)
    runs = [
        [(gamma, *means) for gamma, means in filtered(actor, trials, agent)] for agent in range(30)
    ]
    found = np.array(runs)
    exact = np.array([(gamma, *means) for gamma, means in enumerated(trials, rho)])
    error = found.std(axis=0, ddof=1) / np.sqrt(len(found))
    assert error.max() < 0.03
    assert (np.abs(found.mean(axis=0) - exact) <= 5 * error + 1e-9).all()


def test_without_changes_there_is_one_hypothesis():
    trials = recorded(40)
    *_, (gamma, means) = filtered(ParticleFilter(rho=0.0, particles=4), trials, 0)
    assert gamma == 0.0
    for arm in range(ARMS):
        won, lost = trials.count((arm, 1)), trials.count((arm, 0))
        assert means[arm] == pytest.approx((1 + won) / (2 + won + lost), rel=1e-12)


@pytest.mark.parametrize("offset", [0.001, 0.37, 0.999])
def test_resampling_keeps_the_shares(offset):
    particles = 50
    weights = np.random.default_rng(3).dirichlet(np.full(particles, 0.3))
    memory = np.zeros((particles, 4))
    memory[:, 0], memory[:, 2], memory[:, 3] = weights, np.arange(particles), 7.0
    resample(memory.reshape(-1), 4, particles, offset)
    drawn = np.bincount(memory[:, 2].astype(int), minlength=particles)
    assert (np.abs(drawn - particles * weights) < 1.0).all()
    assert (memory[:, 0] == 1.0 / particles).all()
    assert (memory[:, 3] == 7.0).all()


def test_the_choice_is_thompson_sampling_from_the_particles():
    """One particle in four is sure of arm 0, the others of arm 1; a change makes all alike."""
    actor = ParticleFilter(rho=0.1, particles=2)
    memory = np.array([0.25, 0.0, 1e6, 0.0, 0.0, 1e6, 0.75, 0.0, 0.0, 1e6, 1e6, 0.0])
    count = 4_000
    found = [
        actor.act(memory, 2, trial, stream(2, 0, AGENT, trial)) for trial in range(1, count + 1)
    ]
    expected = 0.9 * 0.75 + 0.1 * 0.5
    assert np.mean(found) == pytest.approx(
        expected, abs=5 * np.sqrt(expected * (1 - expected) / count)
    )


def test_the_contract():
    check_contract(ParticleFilter(rho=0.05, particles=20))


def test_it_follows_a_bandit_that_is_drawn_anew():
    """Less regret than beliefs that never change: by more than five standard errors."""
    bandit = aw.VaryingBandit(arms=5, rho=0.02)
    asked = {"horizon": 1_000, "agents": 60, "seed": 3}
    ours = aw.simulate(bandit, ParticleFilter(rho=0.02), **asked).regret[:, -1].values
    theirs = aw.simulate(bandit, aw.Agent(aw.ThompsonSampling()), **asked).regret[:, -1].values
    gain = theirs - ours
    assert gain.mean() > 5 * gain.std(ddof=1) / np.sqrt(len(gain))


def test_bad_numbers_are_refused():
    with pytest.raises(aw.InputError, match="particles must be a whole number"):
        ParticleFilter(particles=1)
    with pytest.raises(aw.InputError, match="rho must be in"):
        ParticleFilter(rho=2)
