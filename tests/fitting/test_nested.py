"""Sessions of people: against normal algebra, quadrature, and what is known of simulated people."""

import numpy as np
import pandas as pd
import pytest
from scipy import optimize, stats

import armwise as aw
from armwise.engine.batch import log_likelihoods, simulate_people
from armwise.errors import InputError
from armwise.fitting.design import Design
from armwise.fitting.diagnostics import ess_bulk
from armwise.fitting.eb import PRIOR_PEOPLE, PRIOR_SD, STILL
from armwise.fitting.nest import nest_of
from armwise.fitting.nested_eb import known_of, nested_em
from armwise.fitting.parameters import free_parameters
from armwise.fitting.tied import climbed_together, tie_of

DELTA = aw.Agent(aw.MeanOutcome(), aw.RescorlaWagner(rate=0.4), aw.Softmax())
BANDIT = aw.SwitchingBandit(arms=3, epsilon=0.6, rho=0.1, p=0.2)
COUNTS = np.array([2, 3, 1, 2, 3, 2, 2, 3, 2, 3])  # sessions of everybody


def made(x, owners, trials, names=("precision",)):
    """Choices of sessions with these values, as a frame."""
    told = simulate_people(BANDIT, DELTA, list(names), x, trials, 3)
    first = np.searchsorted(owners, owners)
    parts = [
        pd.DataFrame(
            {
                "subject": f"p{owners[u]}",
                "session": f"s{u - first[u]}",
                "trial": range(trials),
                "choice": told.choices[u],
                "outcome": told.outcomes[u],
            }
        )
        for u in range(len(owners))
    ]
    return aw.load_choices(pd.concat(parts), arms=3)


@pytest.fixture(scope="module")
def data():
    """Ten people with one to three sessions, who differ in precision."""
    rng, owners = np.random.default_rng(2), np.repeat(np.arange(10), COUNTS)
    people = rng.normal(1.2, 0.6, 10)
    return made(np.exp(people[owners] + rng.normal(0, 0.4, len(owners)))[:, None], owners, 50)


@pytest.fixture(scope="module")
def fitted(data):
    return aw.fit(DELTA, data, ["precision"], method="eb", nested="session")


def test_people_are_those_of_normal_algebra(data):
    """If sessions are measured with normal errors, everything is a conditional normal."""
    rng, nest, size = np.random.default_rng(1), nest_of(data, "session"), 2
    units = len(nest.owners)

    def covariances(count):
        root = 0.5 * rng.normal(size=(count, size, size))
        return root @ np.swapaxes(root, 1, 2) + 0.1 * np.eye(size)

    between, within = covariances(2)
    means, seen, errors = (
        rng.normal(size=(10, size)),
        rng.normal(size=(units, size)),
        covariances(units),
    )
    weights = np.linalg.inv(errors)

    def quadratic(x, rows):
        away = x - seen[rows][:, None]
        return -0.5 * np.einsum("uva,uab,uvb->uv", away, weights[rows], away)

    tie = tie_of(nest, means, between, within)
    tops = climbed_together(quadratic, tie, rng.normal(size=(units, size)), 1e-10)
    known, scatter = known_of(tie, tops), np.zeros((size, size))
    for person, count in enumerate(COUNTS):
        own = np.flatnonzero(nest.owners == person)
        # The person and the sessions, then given what was seen of the sessions.
        links = np.vstack([np.eye(size), *[np.eye(size)] * count])
        whole = links @ between @ links.T
        noise, pick = np.zeros((count * size,) * 2), np.eye((1 + count) * size)[size:]
        for at, unit in enumerate(own):
            part = slice((1 + at) * size, (2 + at) * size)
            whole[part, part] += within
            noise[at * size : (1 + at) * size, at * size : (1 + at) * size] = errors[unit]
        gain = whole @ pick.T @ np.linalg.inv(pick @ whole @ pick.T + noise)
        expected = np.tile(means[person], 1 + count)
        mean = expected + gain @ (seen[own].ravel() - expected[size:])
        left = whole - gain @ pick @ whole
        np.testing.assert_allclose(known.mean[person], mean[:size], atol=1e-5)
        np.testing.assert_allclose(known.covariance[person], left[:size, :size], atol=1e-5)
        np.testing.assert_allclose(tops.x[own].ravel(), mean[size:], atol=1e-5)
        for at in range(count):
            apart = np.zeros((size, (1 + count) * size))
            apart[:, (1 + at) * size : (2 + at) * size] = np.eye(size)
            apart[:, :size] -= np.eye(size)
            middle = apart @ mean
            scatter += np.outer(middle, middle) + apart @ left @ apart.T
    np.testing.assert_allclose(known.scatter, scatter, atol=1e-4)


def exact_evidence(data, mean, between, within):
    """The log-probability of everybody's choices by quadrature over person and session."""
    nest, step = nest_of(data, "session"), 0.02
    grid = np.arange(-4, 7, step)
    values = np.exp(grid)[None, :, None]
    likelihood = log_likelihoods(DELTA, ["precision"], values, nest.units.sequences)
    kernel = stats.norm.pdf(grid[:, None], grid[None], within) * step  # [person, session]
    top = likelihood.max(axis=1)
    of_session = np.log(np.exp(likelihood - top[:, None]) @ kernel.T) + top[:, None]
    of_person = np.zeros((len(data), len(grid)))
    np.add.at(of_person, nest.owners, of_session)
    top = of_person.max(axis=1)
    scaled = np.exp(of_person - top[:, None]) @ stats.norm.pdf(grid, mean, between) * step
    return np.log(scaled) + top


def test_the_evidence_is_that_of_quadrature(data, fitted):
    group, within = fitted.answer.found.group, fitted.answer.within
    sds = np.sqrt([group.covariance[0, 0], within[0, 0]])
    found = exact_evidence(data, group.mean[0], *sds)
    # Laplace's method leaves out the third and fourth derivatives of up to three sessions.
    np.testing.assert_allclose(fitted.log_evidence(), found, atol=0.1)


class Measured:
    """Sessions of one value that is seen with a normal error: every likelihood is a parabola."""

    def __init__(self, seen, sd, people):
        self.seen, self.sd, self.people = seen, sd, people
        self.free = free_parameters(DELTA, ["precision"])

    def __call__(self, x, rows=None):
        seen = self.seen if rows is None else self.seen[rows]
        return -0.5 * ((x[..., 0] - seen[:, None]) / self.sd) ** 2


def test_the_group_is_where_the_exact_evidence_is_largest(data):
    nest, rng = nest_of(data, "session"), np.random.default_rng(4)
    people = rng.normal(1.2, 0.7, 10)
    seen = people[nest.owners] + rng.normal(0, 0.4, len(nest.owners))
    problem = Measured(seen, 0.3, len(seen))
    tie, _, _, group, _ = nested_em(problem, nest, Design((), np.zeros((10, 0))))
    free, within = problem.free, tie.within

    def falling(psi):
        mean, (between, inside) = psi[0], np.exp(psi[1:])
        value = -0.5 * ((mean - free.center[0]) / free.width[0]) ** 2
        value -= 0.5 * PRIOR_PEOPLE * (np.log(between**2) + (PRIOR_SD / between) ** 2)
        value -= 0.5 * PRIOR_PEOPLE * (np.log(inside**2) + (PRIOR_SD / inside) ** 2)
        for person, count in enumerate(COUNTS):
            own = seen[nest.owners == person]
            matrix = np.eye(count) * (inside**2 + problem.sd**2) + between**2
            value += stats.multivariate_normal(np.full(count, mean), matrix).logpdf(own)
        return -value

    best = optimize.minimize(falling, [1.0, -0.5, -0.5], method="BFGS").x
    # A round moves by less than STILL at the end, and takes off a tenth or more of what is left.
    assert group.mean[0] == pytest.approx(best[0], abs=10 * STILL)
    assert np.log(group.covariance[0, 0]) / 2 == pytest.approx(best[1], abs=10 * STILL)
    assert np.log(within[0, 0]) / 2 == pytest.approx(best[2], abs=10 * STILL)


def test_known_sessions_are_found():
    """Forty people with three sessions: sds within three standard errors, with what is unknown."""
    rng, owners = np.random.default_rng(3), np.repeat(np.arange(40), 3)
    people = rng.normal(1.5, 0.6, 40)
    sessions = people[owners] + rng.normal(0, 0.4, 120)
    data = made(np.exp(sessions)[:, None], owners, 100)
    fit = aw.fit(DELTA, data, ["precision"], method="eb", nested="session")
    group, within = fit.answer.found.group, fit.answer.within
    # A sd from n values that are known with reliability r: 1 / sqrt(2 n) / r of itself.
    assert abs(np.log(np.sqrt(group.covariance[0, 0]) / 0.6)) < 3 / np.sqrt(80) / 0.85
    assert abs(np.log(np.sqrt(within[0, 0]) / 0.4)) < 3 / np.sqrt(160) / 0.7
    assert np.corrcoef(fit.answer.sessions_x[:, 0], sessions)[0, 1] > 0.9
    low, high = (np.log(fit.sessions()[f"precision_{end}"]) for end in ("low", "high"))
    assert ((low < sessions) & (sessions < high)).mean() > 0.94 - 5 * np.sqrt(0.94 * 0.06 / 120)


def test_a_nested_fit_has_people_and_sessions(data, fitted):
    assert list(fitted.people().index) == list(data.subjects)
    sessions = fitted.sessions()
    assert list(sessions.index.names) == ["subject", "session"]
    assert len(sessions) == COUNTS.sum()
    assert (sessions["precision_low"] < sessions["precision"]).all()
    assert "stability" in str(fitted)
    assert "sessions (by session) vary around their person" in str(fitted)
    assert fitted.tree["sessions"]["precision"].shape == (COUNTS.sum(),)
    assert fitted.sampled_blocks(4).shape == (4, COUNTS.sum(), 1)


def test_sessions_are_retraced_by_their_own_values(data, fitted):
    table = fitted.retrace()
    assert (table["subject"] == data.frame["subject"].to_numpy()).all()
    assert (table["choice"] == data.frame["choice"].to_numpy()).all()
    values = fitted.sessions()["precision"].to_numpy()
    nest = nest_of(data, "session")
    expected = log_likelihoods(DELTA, ["precision"], values[:, None, None], nest.units.sequences)
    assert np.log(table["probability"]).sum() == pytest.approx(expected.sum(), rel=1e-10)


def test_a_nested_fit_is_checked_and_compared(fitted, data):
    plain = aw.fit(DELTA, data, ["precision"], method="eb")
    found = aw.compare({"nested": fitted, "plain": plain}, confusion=1, bandit=BANDIT)
    assert set(found.names) == {"nested", "plain"}
    assert len(fitted.predict(draws=5, bandit=BANDIT).people) > 0
    assert len(aw.recover(fitted, people=20, bandit=BANDIT).people) == 20


def test_conditions_that_take_turns_are_sessions_too():
    rows = pd.DataFrame(
        {
            "subject": np.repeat(["a", "b"], 8),
            "block": np.tile(np.repeat([1, 2, 3, 4], 2), 2),
            "choice": np.tile([0, 1], 8),
            "outcome": np.arange(16) % 3 == 0,
        }
    )
    rows["drug"] = rows["block"].isin([1, 3])
    rows["outcome"] = rows["outcome"].astype(int)
    data = aw.load_choices(rows)
    nest = nest_of(data, "drug")
    assert nest.blocks.tolist() == [0, 1, 0, 1, 2, 3, 2, 3]
    assert nest.units.sequences.begins.tolist() == [0, 2, 4, 6, 8, 10, 12, 14]
    assert nest.units.sequences.people.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    moved = data.frame.iloc[nest.rows]
    assert (moved["outcome"].to_numpy() == nest.units.frame["outcome"].to_numpy()).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"nested": "sessoin"}, "There is no column 'sessoin'.*did you mean 'session'"),
        ({"nested": "trial"}, "must have one value as long as beliefs go on.*p0 has 0 and 1"),
        ({"nested": "block"}, "needs two people or more with several values"),
        ({"nested": "session", "method": "ml"}, "ties no sessions together"),
    ],
)
def test_what_cannot_be_nested_is_said(data, options, message):
    with pytest.raises(InputError, match=message):
        aw.fit(DELTA, data, ["precision"], **{"method": "eb", **options})


def test_a_fit_without_sessions_says_so(data):
    plain = aw.fit(DELTA, data, ["precision"], method="eb")
    with pytest.raises(InputError, match="fit with nested='session'"):
        plain.sessions()


@pytest.fixture(scope="module")
def deep(data):
    return aw.fit(DELTA, data, ["precision"], nested="session", draws=500, chains=2, seed=1)


@pytest.fixture(scope="module")
def grid(data, deep):
    """The posterior of the group by quadrature: axes, probabilities, and everybody's evidence."""
    nest, step = nest_of(data, "session"), 0.04
    places = np.arange(-4, 7, step)
    likelihood = log_likelihoods(
        DELTA, ["precision"], np.exp(places)[None, :, None], nest.units.sequences
    )
    top = likelihood.max(axis=1)
    axes = np.arange(-0.5, 2.8, 0.1), np.arange(0.04, 2.4, 0.08), np.arange(0.03, 1.8, 0.06)
    means, betweens, withins = axes
    found = np.empty((len(means), len(betweens), len(withins), len(data)))
    for c, within in enumerate(withins):
        kernel = stats.norm.pdf(places[:, None], places[None], within)
        kernel /= kernel.sum(axis=1, keepdims=True)  # a narrow one falls between the places
        of_person = np.zeros((len(data), len(places)))
        of_session = np.log(np.exp(likelihood - top[:, None]) @ kernel.T + 1e-300)
        np.add.at(of_person, nest.owners, of_session + top[:, None])
        high = of_person.max(axis=1)
        scaled = np.exp(of_person - high[:, None])
        for a, mean in enumerate(means):
            people = stats.norm.pdf(places[:, None], mean, betweens)
            people /= people.sum(axis=0)
            found[a, :, c] = (np.log(scaled @ people + 1e-300) + high[:, None]).T
    free, log = deep.free[0], found.sum(axis=3)
    log = log + stats.norm.logpdf(means, free.center, free.width)[:, None, None]
    log += stats.halfnorm.logpdf(betweens)[None, :, None] + stats.halfnorm.logpdf(withins)
    density = np.exp(log - log.max())
    return axes, density / density.sum(), found


def test_the_nested_posterior_is_that_of_quadrature(deep, grid):
    axes, density, _ = grid
    answer = deep.answer
    draws = answer.psi[:, 0], answer.psi[:, 1], answer.within[:, 1]
    for axis, (values, found) in enumerate(zip(axes, draws, strict=True)):
        weights = density.sum(axis=tuple({0, 1, 2} - {axis}))
        mean = float(values @ weights)
        sd = np.sqrt(float((values - mean) ** 2 @ weights))
        error = 5 / np.sqrt(float(ess_bulk(found.reshape(2, -1))))
        # The grid is a tenth of a sd wide at most, and points are worth a few hundredths.
        assert abs(found.mean() - mean) < (error + 0.05) * sd
        assert abs(found.std() / sd - 1) < error + 0.05


def test_people_are_integrated_out_as_by_quadrature(deep, grid):
    _, density, found = grid
    expected = np.log(np.einsum("abc,abcp->p", density, np.exp(found)))
    np.testing.assert_allclose(deep.log_evidence(), expected, atol=0.15)
    left = -np.log(np.einsum("abc,abcp->p", density, np.exp(-found)))
    np.testing.assert_allclose(deep.elpd(), left, atol=0.3)


def test_a_nested_posterior_has_sessions_and_a_tree(data, deep):
    sessions = deep.sessions()
    assert (sessions["precision_low"] < sessions["precision_high"]).all()
    assert deep.sampled_blocks(3).shape == (3, COUNTS.sum(), 1)
    tree = deep.tree
    assert tree["sessions"]["precision"].dims == ("chain", "draw", "unit")
    assert "log_likelihood" not in tree.children
    assert "stability" in str(deep)
    assert len(deep.predict(draws=3, bandit=BANDIT).people)


def test_the_nested_density_has_the_gradient_of_differences(deep):
    density = deep.answer.density
    rng = np.random.default_rng(3)
    psi, step = deep.answer.whole[0] + 0.1 * rng.normal(size=deep.answer.whole.shape[1]), 1e-5
    gradient = density(psi)[1]
    axes = step * np.eye(len(psi))
    differences = [(density(psi + axis)[0] - density(psi - axis)[0]) / (2 * step) for axis in axes]
    # The exponential is a polynomial: value and gradient differ by its error, 1e-4 at most.
    np.testing.assert_allclose(gradient, differences, atol=2e-4 * np.abs(gradient).max())


def test_the_group_given_people_is_the_density_in_their_values(data):
    """While everybody's values stay, sessions do not change, and z are values in other units."""
    few = data.only(data.subjects[:4])
    asked = {"nested": "session", "draws": 20, "chains": 1}
    density = aw.fit(DELTA, few, ["precision", "rate"], **asked).answer.density
    rng = np.random.default_rng(4)
    middle = np.array([1.0, -1.0, 0.8, -0.6, 0.3])
    one, other = middle + 0.5 * rng.normal(size=(2, density.layout.length))
    values = np.array([1.0, -1.0]) + rng.normal(size=(4, 2))
    within = np.array([0.0, 0.0, 0.5, 0.4, -0.2])

    def whole(group):
        psi = density.joined(group, within, density.standard(group, values))
        np.testing.assert_allclose(density.values(psi), values, atol=1e-12)
        root = density.layout.spread(group)
        return density(psi)[0] - len(values) * np.log(np.abs(np.diag(root))).sum()

    found = density.given_people(one, values)[0] - density.given_people(other, values)[0]
    assert found == pytest.approx(whole(one) - whole(other), rel=1e-9)
    axes = 1e-6 * np.eye(len(one))
    differences = [
        density.given_people(one + axis, values)[0] - density.given_people(one - axis, values)[0]
        for axis in axes
    ]
    gradient = density.given_people(one, values)[1]
    np.testing.assert_allclose(gradient, np.array(differences) / 2e-6, rtol=1e-6, atol=1e-6)


def test_a_killed_nested_fit_has_equal_bits(data, deep, tmp_path):
    few = data.only(data.subjects[:4])
    asked = {"nested": "session", "draws": 20, "chains": 1, "store": tmp_path}
    first = aw.fit(DELTA, few, ["precision"], **asked)
    for path in sorted((tmp_path / "points").rglob("*"))[::3]:
        if path.is_file():
            path.unlink()
    again = aw.fit(DELTA, few, ["precision"], **asked)
    assert (first.answer.whole == again.answer.whole).all()
