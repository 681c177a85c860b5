"""The posterior of a group of one parameter beside the exact one, by quadrature."""

import math

import numpy as np

import armwise as aw
from armwise.engine.batch import simulate_people
from armwise.fitting.parameters import free_parameters
from armwise.fitting.problem import Problem

DELTA = aw.Agent(aw.MeanOutcome(), aw.RescorlaWagner(rate=0.4), aw.Softmax())
BANDIT = aw.SwitchingBandit(arms=3, epsilon=0.6, rho=0.1, p=0.2)
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
