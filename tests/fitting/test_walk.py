"""The hierarchical posterior of two correlated parameters, beside a plain random walk in NumPy."""

import math

import numpy as np
import pytest

import armwise as aw
from armwise.engine.batch import simulate_people
from armwise.fitting.diagnostics import ess_bulk
from armwise.fitting.problem import Problem

DELTA = aw.Agent(aw.MeanOutcome(), aw.RescorlaWagner(), aw.Softmax())
FREE = ["rate", "precision"]
PEOPLE, TRIALS, SWEEPS = 12, 120, 15_000


def made():
    rng = np.random.default_rng(5)
    x = rng.multivariate_normal([-0.4, 1.5], [[0.6, -0.2], [-0.2, 0.3]], PEOPLE)
    values = np.stack([1 / (1 + np.exp(-x[:, 0])), np.exp(x[:, 1])], axis=1)
    bandit = aw.SwitchingBandit(arms=3, epsilon=0.6, rho=0.1, p=0.2)
    told = simulate_people(bandit, DELTA, FREE, values, TRIALS, 3)
    pairs = zip(told.choices.tolist(), told.outcomes.tolist(), strict=True)
    return aw.load_choices(list(pairs), arms=3)


def log_group(group, x, free):
    """The log-density of means, log sds and the correlation's atanh, with people given."""
    mean, sd, r = group[:2], np.exp(group[2:4]), math.tanh(group[4])
    z = (x - mean) / sd
    square = (z[:, 0] ** 2 - 2 * r * z[:, 0] * z[:, 1] + z[:, 1] ** 2) / (1 - r * r)
    people = -0.5 * square.sum() - len(x) * (np.log(sd).sum() + 0.5 * math.log(1 - r * r))
    prior = -0.5 * (((mean - free.center) / free.width) ** 2).sum()
    prior += (np.log(sd) - 0.5 * sd**2).sum() + 2.0 * math.log(1 - r * r)  # half-normal; LKJ(2)
    return people + prior


def walked(problem, start, covariance, seed):
    """Metropolis: people side by side, then the group's five numbers, in blocks."""
    rng = np.random.default_rng(seed)
    free, x = problem.free, start.copy()
    roots = np.linalg.cholesky(covariance)
    group = np.array([*x.mean(axis=0), *np.log(x.std(axis=0) + 0.1), 0.0])
    likelihood, found = problem(x[:, None])[:, 0], np.empty((SWEEPS, 5))
    steps = np.array([0.25, 0.2, 0.4, 0.4, 0.5])
    for sweep in range(SWEEPS):
        move = np.einsum("pab,pb->pa", roots, rng.standard_normal(x.shape))
        tried = x + 1.5 * move
        there = problem(tried[:, None])[:, 0]
        mean, sd, r = group[:2], np.exp(group[2:4]), math.tanh(group[4])
        precision = np.linalg.inv(np.outer(sd, sd) * np.array([[1, r], [r, 1]]))
        old, new = (
            -0.5 * np.einsum("pa,ab,pb->p", y - mean, precision, y - mean) for y in (x, tried)
        )
        take = np.log(rng.random(len(x))) < there + new - likelihood - old
        x[take], likelihood[take] = tried[take], there[take]
        for part in ([0, 1], [2, 3], [4], [0, 2], [1, 3]):
            other = group.copy()
            other[part] += steps[part] * rng.standard_normal(len(part))
            if math.log(rng.random()) < log_group(other, x, free) - log_group(group, x, free):
                group = other
        found[sweep] = group
    return found[SWEEPS // 10 :]


@pytest.mark.slow
def test_the_group_is_that_of_a_random_walk():
    data = made()
    fit = aw.fit(DELTA, data, FREE, draws=1000, seed=1)
    problem = Problem(DELTA, data, FREE, threads=1)
    answer = fit.answer
    chains = [walked(problem, answer.x, answer.covariances(), seed) for seed in (1, 2)]
    others = np.array(chains)
    others[..., 2:4], others[..., 4] = np.exp(others[..., 2:4]), np.tanh(others[..., 4])
    draws = answer.draws.psi.copy()
    draws[..., 4] = np.tanh(draws[..., 4])
    for number in range(5):
        own, other = draws[..., number], others[..., number]
        error = 5 * math.sqrt(1 / float(ess_bulk(own)) + 1 / float(ess_bulk(other)))
        assert abs(own.mean() - other.mean()) < error * other.std()
        assert abs(own.std() / other.std() - 1) < error
        print(
            number, own.mean(), other.mean(), own.std(), other.std(), ess_bulk(own), ess_bulk(other)
        )
