"""The group's density: against plain NumPy, differences, and closed forms."""

import math

import numpy as np
import pytest
from scipy import integrate as quadrature
from scipy import stats

import armwise as aw
from armwise.fitting.design import Design
from armwise.fitting.eb import Group
from armwise.fitting.group import Density, Layout, Points
from armwise.fitting.nuts import Walk, plain_target, sample
from armwise.fitting.parameters import free_parameters
from armwise.fitting.posterior import prior_groups
from armwise.fitting.standin import clustered, target_of

AGENT = aw.Agent(aw.ApproximateActiveInference(), aw.Smile(), aw.Softmax())
FREE = free_parameters(
    AGENT, {"lam": "lognormal(0.5, 1)", "rho": "beta(1, 10)", "precision": {"spread": 0.7}}
)
PEOPLE, SIZE = 6, 3
COUNTS = np.array([40, 64, 40, 80, 33, 40])


@pytest.fixture(scope="module")
def density():
    rng = np.random.default_rng(1)
    begins = np.append(0, np.cumsum(COUNTS))
    root = 0.2 * rng.normal(size=(PEOPLE, SIZE, SIZE))
    kernels = root @ np.swapaxes(root, 1, 2) + 0.01 * np.eye(SIZE)
    points = Points(
        rng.normal(size=(SIZE, begins[-1])),
        rng.random(begins[-1]),
        begins,
        kernels,
        rng.normal(size=PEOPLE),
    )
    columns = rng.normal(size=(PEOPLE, 1))
    return Density(points, FREE, Design(("age",), columns - columns.mean(axis=0)))


def some_group(density, seed=2):
    return 0.4 * np.random.default_rng(seed).normal(size=density.layout.length) + 0.1


def test_people_are_integrated_as_in_numpy(density):
    psi = some_group(density)
    root, means, points = density.layout.spread(psi), density.means(psi), density.points
    density.integrate(psi)
    for i in range(PEOPLE):
        own = slice(points.begins[i], points.begins[i + 1])
        normal = stats.multivariate_normal(means[i], root @ root.T + points.kernels[i])
        terms = points.weights[own] * normal.pdf(points.x[:, own].T)
        found = density.value[i] + density.constant[i]
        assert found == pytest.approx(math.log(terms.mean()) + points.scale[i], abs=1e-4)
        assert density.effective[i] == pytest.approx(terms.sum() ** 2 / (terms**2).sum(), rel=1e-3)


def test_the_gradient_is_that_of_differences(density):
    psi, step = some_group(density), 1e-5
    value, gradient = density(psi)
    axes = step * np.eye(len(psi))
    differences = [(density(psi + axis)[0] - density(psi - axis)[0]) / (2 * step) for axis in axes]
    assert math.isfinite(value)
    # The exponential is a polynomial: value and gradient differ by its error, 1e-4 at most.
    np.testing.assert_allclose(gradient, differences, atol=2e-4 * np.abs(gradient).max())


def all_points(density):
    """The stand-in that has as many points as the density."""
    return target_of(density, density.points, np.zeros(density.layout.length))


def test_the_stand_in_of_all_points_is_the_density(density):
    target = all_points(density)
    gradient = np.empty(density.layout.length)
    found, expected = [], []
    for seed in range(4):
        psi = some_group(density, seed)
        value, slope = density(psi)
        found.append(target.height(target.data, psi, gradient))
        expected.append(value)
        # The table of the prior is exact to 1e-8, and so is its slope.
        np.testing.assert_allclose(gradient, slope, atol=1e-6)
    np.testing.assert_allclose(np.diff(found), np.diff(expected), atol=1e-6)


def test_clusters_have_the_weight_and_the_middle_of_their_points(density):
    points = density.points
    found = clustered(points, np.ones(len(points.weights)), 3)
    assert (np.diff(found.begins) == 8).all()
    for own, part, kernel in people_of(points, found):
        weight, clusters = points.weights[own], found.weights[part]
        assert clusters.mean() == pytest.approx(weight.mean())
        middle, other = (
            x @ w / w.sum() for x, w in ((points.x[:, own], weight), (found.x[:, part], clusters))
        )
        np.testing.assert_allclose(middle, other)
        assert (np.linalg.eigvalsh(kernel) >= -1e-12).all()


def people_of(points, found):
    """For every person: the points, the clusters, and by how much the kernel grew."""
    for i in range(PEOPLE):
        spans = (slice(each.begins[i], each.begins[i + 1]) for each in (points, found))
        yield *spans, found.kernels[i] - points.kernels[i]


def test_a_compiled_trajectory_is_that_of_python(density):
    compiled = all_points(density)

    def slow(psi):
        gradient = np.empty(len(psi))
        return compiled.height(compiled.data, psi, gradient), gradient

    places = []
    for target in (compiled, plain_target(slow)):
        start, guess = some_group(density), 0.1 * np.eye(density.layout.length)
        walk = Walk(target, start, guess, np.random.default_rng(4))
        walk.step = 0.1
        places.append([(walk.move().steps, *walk.place) for _ in range(5)])
    np.testing.assert_allclose(*places, rtol=1e-6)


def test_a_negative_sd_is_the_same_group_with_other_signs(density):
    psi = some_group(density)
    density.layout.split(psi)[2][1] *= -1.0
    upright = density.layout.upright(psi)
    first, second = density.layout.spread(psi), density.layout.spread(upright)
    np.testing.assert_allclose(first @ first.T, second @ second.T, atol=1e-12)
    assert (density.layout.split(upright)[2] > 0).all()
    assert density(psi)[0] == pytest.approx(density(upright)[0], abs=1e-9)


def test_a_group_is_packed_and_found_again():
    rng = np.random.default_rng(3)
    root = rng.normal(size=(SIZE, SIZE))
    group = Group(rng.normal(size=SIZE), rng.normal(size=(SIZE, 2)), root @ root.T + np.eye(SIZE))
    layout = Layout(SIZE, 2)
    psi = layout.pack(group)
    mean, effects, sds, _ = layout.split(psi)
    spread = layout.spread(psi)
    np.testing.assert_allclose(mean, group.mean)
    np.testing.assert_allclose(effects, group.effects)
    np.testing.assert_allclose(sds**2, np.diag(group.covariance))
    # A little is taken off correlations, so that none is exactly 1.
    np.testing.assert_allclose(spread @ spread.T, group.covariance, atol=0.05 * sds.max() ** 2)


def test_correlations_of_the_prior_are_lkj():
    """Each correlation of LKJ(2) in 3 dimensions is 2 Beta(2.5, 2.5) - 1."""
    layout = Layout(3, 0)
    root = layout.root(prior_groups(layout, FREE, 4000, np.random.default_rng(1)))
    matrix = root @ np.swapaxes(root, 1, 2)
    for a, b in ((1, 0), (2, 0), (2, 1)):
        share = (matrix[:, a, b] + 1) / 2
        assert stats.kstest(share, stats.beta(2.5, 2.5).cdf).pvalue > 1e-4


def test_the_prior_of_a_correlation_is_its_density():
    """Without people's say, the density of z is that of tanh(z) under LKJ(2): 3/4 (1 - r^2)."""
    free = free_parameters(AGENT, ["lam", "precision"])
    nobody = Points(
        np.zeros((2, 1)), np.ones(1), np.array([0, 1]), np.array([1e12 * np.eye(2)]), np.zeros(1)
    )
    density = Density(nobody, free, Design((), np.zeros((1, 0))))

    def height(z):
        return math.exp(density(np.array([*free.center, 1.0, 1.0, z]))[0])

    total = quadrature.quad(height, -8, 8)[0]
    for z in (-1.0, 0.0, 0.7):
        r = math.tanh(z)
        assert height(z) / total == pytest.approx(0.75 * (1 - r * r) ** 2, rel=1e-3)


def test_the_sampler_draws_from_a_correlated_normal():
    covariance = np.array([[1.0, 1.6, 0.0], [1.6, 4.0, 0.5], [0.0, 0.5, 0.25]])
    precision, mean = np.linalg.inv(covariance), np.array([1.0, -2.0, 0.5])

    def normal(x):
        away = x - mean
        return -0.5 * float(away @ precision @ away), -precision @ away

    found = sample(
        plain_target(normal), np.zeros(3), np.eye(3), 300, 2000, np.random.default_rng(1)
    )
    sd = np.sqrt(np.diag(covariance))
    # 2000 draws of a nearly normal target are worth at least 500: five standard errors.
    assert (np.abs(found.mean(axis=0) - mean) < 5 * sd / math.sqrt(500)).all()
    assert (np.abs(found.std(axis=0) / sd - 1) < 5 / math.sqrt(2 * 500)).all()
