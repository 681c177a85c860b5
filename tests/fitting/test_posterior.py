"""Posteriors beside exact ones: by quadrature for one parameter, by a Gibbs sampler for three."""

import math

import numpy as np
import pytest
from benchmarks.parts import joint

import armwise as aw
from armwise.engine.batch import simulate_people
from armwise.fitting.diagnostics import ess_bulk
from armwise.fitting.parameters import free_parameters
from armwise.fitting.problem import Problem

DELTA = aw.Agent(aw.MeanOutcome(), aw.RescorlaWagner(rate=0.4), aw.Softmax())
BANDIT = aw.SwitchingBandit(arms=3, epsilon=0.6, rho=0.1, p=0.2)
A_AI = aw.Agent(aw.ApproximateActiveInference(), aw.Smile(rho=0.1), aw.Softmax())
FREE = ["lam", "rho", "precision"]
SEEDS = 6
SHIFT, RATIO = 0.1, 0.05  # what is claimed: in posterior sds, and of them


def people_of(agent, free, x, trials):
    """Choices of people whose values on the real line are `x[person, parameter]`."""
    values = free_parameters(agent, free).natural(x)
    told = simulate_people(BANDIT, agent, free, values, trials, 5)
    pairs = zip(told.choices.tolist(), told.outcomes.tolist(), strict=True)
    return aw.load_choices(list(pairs), arms=3)


def exact_moments(problem):
    """Means and sds of the group's mean and sd: everybody and the group on grids."""
    [free] = problem.free
    x, gap = np.linspace(-6.0, 8.0, 2801, retstep=True)
    said = problem(np.broadcast_to(x[:, None], (problem.people, len(x), 1)))
    means, sds = np.linspace(0.0, 3.0, 121), np.linspace(0.01, 1.99, 100)
    height = np.empty((len(means), len(sds)))
    top = said.max(axis=1, keepdims=True)
    for column, sd in enumerate(sds):
        z = (x - means[:, None]) / sd
        density = np.exp(-0.5 * z**2) * gap / sd / math.sqrt(2 * math.pi)
        with np.errstate(divide="ignore"):  # a narrow group far away explains nobody
            height[:, column] = np.log(np.exp(said - top) @ density.T).sum(axis=0) - 0.5 * sd**2
    height += -0.5 * ((means - free.center) / free.width)[:, None] ** 2
    weight = np.exp(height - height.max())
    weight /= weight.sum()
    found = []
    for values, share in ((means, weight.sum(axis=1)), (sds, weight.sum(axis=0))):
        mean = share @ values
        found.append((mean, math.sqrt(share @ (values - mean) ** 2)))
    return np.array(found)


def compared(draws, least, exact):
    """Fail if the mean of fits' moments is off: `draws[fit, draw, number]`, `exact[number, 2]`.

    Five standard errors are added to what is claimed: of a mean in sds, which is more than an sd's.
    """
    error = 5.0 / math.sqrt(len(draws) * least)
    shift = (draws.mean(axis=(0, 1)) - exact[:, 0]) / exact[:, 1]
    ratio = draws.std(axis=1).mean(axis=0) / exact[:, 1]
    assert (np.abs(shift) < SHIFT + error).all(), (shift, ratio)
    assert (np.abs(ratio - 1.0) < RATIO + error).all(), (shift, ratio)


def test_the_group_of_one_parameter_is_that_of_quadrature():
    """Fifteen people of 40 trials, nearly alike, so that the sd may as well be 0."""
    x = np.random.default_rng(3).normal(1.2, 0.15, (15, 1))
    data = people_of(DELTA, ["precision"], x, 40)
    exact = exact_moments(Problem(DELTA, data, ["precision"]))
    fits = [
        aw.fit(DELTA, data, ["precision"], draws=250, seed=seed).answer for seed in range(SEEDS)
    ]
    least = min(answer.diagnostics["ess_group"] for answer in fits)
    compared(np.array([answer.psi for answer in fits]), least, exact)


@pytest.mark.slow
def test_the_group_of_three_parameters_is_that_of_a_plain_sampler():
    """Twelve people of 100 trials: lam and precision trade off, and may both differ or neither."""
    sds = np.array([0.5, 0.7, 0.4])
    x = np.array([-0.3, -3.0, 2.0]) + sds * np.random.default_rng(4).standard_normal((12, 3))
    data = people_of(A_AI, FREE, x, 100)
    problem = Problem(A_AI, data, FREE)
    task = joint.tabulated(problem, np.array([-5.3, -8.5, -3.0]), 50, 0.2)
    start = np.array([-0.3, -3.0, 2.0, *sds, 0.0, 0.0, 0.0])
    draws, everybody = joint.chain(task, start, 20_000, 4_000, 100, 1)
    # The splines' error in the log-likelihood of all people changes no weight by as much as 5 %.
    some = np.ascontiguousarray(np.moveaxis(everybody[::80], 0, 1))
    assert joint.largest_error(task, problem, some) < 0.05 / 12
    exact = np.array([draws.mean(axis=0), draws.std(axis=0)]).T[:6]
    assert ess_bulk(draws[None]).min() > 1000
    fits = [aw.fit(A_AI, data, FREE, seed=seed).answer for seed in range(SEEDS)]
    least = min(answer.diagnostics["ess_group"] for answer in fits)
    compared(np.array([answer.psi[:, :6] for answer in fits]), min(least, 200.0), exact)
