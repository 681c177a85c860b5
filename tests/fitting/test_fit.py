"""Fits: against SciPy and quadrature on the same likelihood, and what a fit says."""

import math

import numpy as np
import pytest
from scipy import optimize, stats

import armwise as aw
from armwise.engine.batch import Likelihood, log_likelihoods, simulate_people
from armwise.errors import InputError
from armwise.fitting.diagnostics import ess_bulk
from armwise.fitting.problem import Problem, counted

DELTA = aw.Agent(aw.MeanOutcome(), aw.RescorlaWagner(rate=0.4), aw.Softmax())
ARMS = 3


def made(values, names=("precision",), trials=40, seed=3, agent=DELTA):
    """Choices of people with these values of the parameters."""
    bandit = aw.SwitchingBandit(arms=ARMS, epsilon=0.6, rho=0.1, p=0.2)
    told = simulate_people(bandit, agent, list(names), values, trials, seed)
    people = zip(told.choices.tolist(), told.outcomes.tolist(), strict=True)
    return aw.load_choices(list(people), arms=ARMS)


@pytest.fixture(scope="module")
def few():
    """Eight people who differ in precision alone."""
    x = 1.2 + 0.6 * stats.norm.ppf((np.arange(8) + 0.5) / 8)
    return made(np.exp(x)[:, None])


@pytest.fixture(scope="module")
def two():
    """Twelve people who differ in two parameters."""
    rng = np.random.default_rng(5)
    rate = 1 / (1 + np.exp(-rng.normal(-0.3, 0.8, 12)))
    values = np.stack([rate, np.exp(rng.normal(1.4, 0.5, 12))], axis=1)
    return made(values, ("rate", "precision"), trials=80)


def on_grid(data, grid):
    """The log-likelihood of everybody on a grid of log precision."""
    return log_likelihoods(DELTA, ["precision"], np.exp(grid)[None, :, None], data.sequences)


@pytest.fixture(scope="module")
def exact(few):
    """The posterior of mean and sd by quadrature: people integrated on a grid, and so the group."""
    grid = np.arange(-6, 8, 0.01)
    likelihood = on_grid(few, grid)
    typical = math.log(0.5), math.log(20)
    center = sum(typical) / 2
    width = (typical[1] - typical[0]) / 2 / stats.norm.ppf(0.95)
    means, sds = np.arange(-3, 5, 0.05), np.arange(0.0125, 3.5, 0.025)
    top = likelihood.max(axis=1, keepdims=True)
    scaled = np.exp(likelihood - top)
    log = np.empty((len(means), len(sds)))
    for a, mean in enumerate(means):
        for b, sd in enumerate(sds):
            people = scaled @ stats.norm.pdf(grid, mean, sd) * 0.01
            log[a, b] = np.log(np.maximum(people, 1e-300)).sum()
            log[a, b] += stats.norm.logpdf(mean, center, width) + stats.halfnorm.logpdf(sd)
    density = np.exp(log - log.max())
    return means, sds, density / density.sum()


@pytest.fixture(scope="module")
def deep(few):
    return aw.fit(DELTA, few, ["precision"], draws=1000, seed=1)


def test_maximum_likelihood_is_that_of_scipy(two):
    fit = aw.fit(DELTA, two, ["rate", "precision"], method="ml")
    likelihood = Likelihood(DELTA, ["rate", "precision"], two.sequences)
    free = fit.free
    for person in np.flatnonzero(fit.answer.held):

        def falling(x, person=person):
            return -likelihood.of(np.array([person]))(free.natural(x[None, None]))[0, 0]

        found = min(
            (optimize.minimize(falling, start, method="Nelder-Mead") for start in ([0, 1], [1, 2])),
            key=lambda each: each.fun,
        )
        assert fit.answer.likelihood[person] >= -found.fun - 1e-5
        np.testing.assert_allclose(fit.answer.x[person], found.x, atol=0.01)
    assert fit.answer.held.sum() >= 6


def test_standard_errors_are_those_of_the_curvature(few):
    fit = aw.fit(DELTA, few, ["precision"], method="ml")
    step = 1e-3
    for person in np.flatnonzero(fit.answer.held):
        x = fit.answer.x[person, 0] + step * np.array([-1, 0, 1])
        low, middle, high = on_grid(few, x)[person]
        curvature = -(low - 2 * middle + high) / step**2
        assert fit.answer.covariance[person, 0, 0] == pytest.approx(1 / curvature, rel=1e-3)


def test_estimates_that_run_away_are_named():
    always = aw.load_choices([([0] * 40, [1] * 40), ([1] * 40, [1] * 40)], arms=2)
    stuck = aw.fit(DELTA, always, ["precision"], method="ml")
    assert "set no limit to precision" in str(stuck)
    assert stuck.people()["flags"].str.contains("precision runs to a boundary").all()
    assert np.isnan(stuck.people()["precision_high"]).all()
    assert np.isfinite(stuck.values()).all()


def test_who_chose_one_arm_always_is_kept_and_named(few):
    frame = few.frame.copy()
    frame.loc[frame["subject"] == "3", "choice"] = "1"
    fit = aw.fit(DELTA, aw.load_choices(frame, arms=ARMS), ["precision"], method="eb")
    assert "1 person chose one arm in every trial, which says little" in str(fit)
    assert fit.people()["flags"].str.contains("one arm").tolist().index(True) == 2


def test_who_made_few_choices_is_kept_and_named(few):
    frame = few.frame
    short = frame[(frame["subject"] != "3") | (frame["trial"] < 10)]
    fit = aw.fit(DELTA, aw.load_choices(short, arms=ARMS), ["precision"], method="eb")
    assert "1 person made fewer than 10 choices, 10 for every free parameter" in str(fit)
    whole = aw.fit(DELTA, few, ["precision"], method="eb")
    assert "made fewer" not in str(whole)


def test_one_person_is_no_group(few):
    fit = aw.fit(DELTA, few.only(few.subjects[:1]), ["precision"], method="eb")
    assert f"There is one person ({few.subjects[0]}), who is the whole group" in str(fit)


def test_the_evidence_given_the_group_is_that_of_quadrature(few):
    fit = aw.fit(DELTA, few, ["precision"], method="eb")
    group = fit.answer.found.group
    grid = np.arange(-8, 10, 0.005)
    normal = stats.norm.pdf(grid, group.mean[0], math.sqrt(group.covariance[0, 0]))
    exact = np.log(np.exp(on_grid(few, grid)) @ normal * 0.005)
    # Laplace's method leaves out the third and fourth derivatives: a few hundredths of a nat.
    np.testing.assert_allclose(fit.log_evidence(), exact, atol=0.05)


def test_the_posterior_is_that_of_quadrature(deep, exact):
    means, sds, density = exact
    posterior = deep.tree["posterior"]
    for name, values, weights in (
        ("precision_group", means, density.sum(axis=1)),
        ("precision_spread", sds, density.sum(axis=0)),
    ):
        draws = posterior[name].values
        draws = np.log(draws) if name.endswith("group") else draws
        mean = float(values @ weights)
        sd = math.sqrt(float((values - mean) ** 2 @ weights))
        error = 5 / math.sqrt(float(ess_bulk(draws)))
        assert abs(draws.mean() - mean) < (error + 0.03) * sd
        assert abs(draws.std() / sd - 1) < error + 0.03


def test_people_are_those_of_quadrature(few, deep, exact):
    means, sds, density = exact
    grid = np.arange(-6, 8, 0.02)
    scaled = np.exp(on_grid(few, grid) - on_grid(few, grid).max(axis=1, keepdims=True))
    mixed = np.zeros_like(scaled)
    for a in range(0, len(means)):
        for b in np.flatnonzero(density[a] > 1e-5):
            own = scaled * stats.norm.pdf(grid, means[a], sds[b])
            mixed += density[a, b] * own / own.sum(axis=1, keepdims=True)
    mixed /= mixed.sum(axis=1, keepdims=True)
    for person in range(len(few)):
        mean = grid @ mixed[person]
        sd = math.sqrt((grid - mean) ** 2 @ mixed[person])
        x = deep.answer.draws.x[:, :, person, 0]
        error = 5 / math.sqrt(float(ess_bulk(x)))
        assert abs(x.mean() - mean) < (error + 0.03) * sd
        assert abs(x.std() / sd - 1) < error + 0.03


def test_one_person_is_drawn_toward_the_priors(few):
    one = few.only(few.subjects[2:3])
    fit = aw.fit(DELTA, one, {"precision": "lognormal(3, 0.5)"})
    grid = np.arange(-6, 8, 0.005)
    density = np.exp(on_grid(one, grid)[0]) * stats.norm.pdf(grid, math.log(3), 0.5)
    total = density.sum()
    mean = float(grid @ density / total)
    assert fit.answer.x[0, 0] == pytest.approx(mean, abs=0.005)
    assert fit.log_evidence()[0] == pytest.approx(math.log(total * 0.005), abs=0.005)
    assert "no group" in str(fit)
    with pytest.raises(InputError, match="at least two people"):
        fit.elpd()


@pytest.fixture(scope="module")
def fitted(two):
    return aw.fit(DELTA, two, ["rate", "precision"], draws=150, chains=2, seed=4)


def test_a_seed_fixes_every_bit_on_any_number_of_threads(two, fitted):
    again = aw.fit(DELTA, two, ["rate", "precision"], draws=150, chains=2, seed=4, threads=3)
    assert (again.answer.draws.x == fitted.answer.draws.x).all()
    other = aw.fit(DELTA, two, ["rate", "precision"], draws=150, chains=2, seed=5)
    assert (other.answer.draws.x != fitted.answer.draws.x).any()


def test_a_fit_has_the_members_that_others_rest_on(two, fitted):
    people, free = len(two), 2
    table = fitted.people()
    assert list(table.index) == list(two.subjects)
    assert (table["rate_low"] < table["rate"]).all()
    assert (table["rate"] < table["rate_high"]).all()
    assert fitted.values().shape == (people, free)
    agents = fitted.agents()
    assert agents[3].learner.rate == pytest.approx(fitted.values()[3, 0])
    assert fitted.sampled_people(7, seed=1).shape == (7, people, free)
    assert fitted.new_people(9, seed=1).shape == (9, free)
    assert fitted.log_evidence().shape == fitted.elpd().shape == (people,)
    # Whoever is left out is predicted no better than with help of the own choices.
    assert (fitted.elpd() < fitted.log_evidence() + 0.05).all()


def test_the_tree_has_the_groups_of_arviz(two, fitted):
    tree = fitted.tree
    wanted = {"posterior", "sample_stats", "log_likelihood", "prior", "observed_data"}
    assert wanted <= set(tree.children)
    assert tree["posterior"]["rate"].dims == ("chain", "draw", "subject")
    assert tree["posterior"].sizes["chain"] == 2
    assert tree["sample_stats"]["diverging"].dtype == bool
    assert tree["observed_data"].sizes["row"] == len(two.sequences.choices)
    correlation = tree["posterior"]["correlation"]
    assert correlation["pair"].values.tolist() == ["rate and precision"]
    assert (abs(correlation) < 1).all()


def test_nothing_in_the_tree_is_constant_so_that_all_of_it_can_be_drawn(fitted):
    """A density of equal draws is infinite, and ArviZ then ends in an error."""
    for group in ("posterior", "prior"):
        for name, draws in fitted.tree[group].data_vars.items():
            assert (draws.std(("chain", "draw")) > 0).all(), name


def test_arviz_reads_the_tree(fitted):
    arviz = pytest.importorskip("arviz")
    if hasattr(arviz, "InferenceData"):
        given = arviz.InferenceData.from_datatree(fitted.tree)
    else:
        given = fitted.tree
    assert float(arviz.summary(given, var_names=["rate_group"])["r_hat"].iloc[0]) < 1.2


def test_a_fit_speaks_in_sentences(fitted):
    text = str(fitted)
    assert "fitted to 960 choices of 12 people by Bayes' rule" in text
    assert "R-hat is at most" in text
    assert "<table>" in fitted._repr_html_()


def test_groups_are_compared():
    rng = np.random.default_rng(8)
    old = np.repeat([0, 1], 12)
    data = made(np.exp(1.0 + 1.2 * old + 0.2 * rng.normal(size=24))[:, None], trials=100)
    frame = data.frame.assign(age=np.where(data.persons >= 12, "old", "young"))
    told = aw.load_choices(frame)
    fit = aw.fit(DELTA, told, ["precision"], by="age", draws=300, chains=2)
    effect = fit.tree["posterior"]["effect"].values[..., 0, 0]
    # young against old: the truth is -1.2.
    assert effect.mean() + 2.5 * effect.std() < 0
    assert effect.mean() == pytest.approx(-1.2, abs=5 * effect.std())
    assert "effect of age=young" in str(fit)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "vb"}, "did you mean"),
        ({"by": "colour"}, "There is no column 'colour'"),
        ({"regress": "age"}, "There is no column 'age'"),
        ({"method": "ml", "by": "subject"}, "at least two groups"),
        ({"draws": 3}, "draws must be a whole number from 20 up"),
    ],
)
def test_what_cannot_be_done_is_said(few, options, message):
    with pytest.raises(InputError, match=message if options != {"method": "vb"} else "method 'vb'"):
        aw.fit(DELTA, few, ["precision"], **options)


def test_a_parameter_that_cannot_matter_is_refused(few):
    still = aw.Agent(aw.MeanOutcome(), aw.RescorlaWagner(), aw.HabitualSoftmax(stick=0))
    with pytest.raises(InputError, match=r"pace cannot be free.*stick=0"):
        aw.fit(still, few, ["precision", "pace"], method="ml")


def test_what_trades_off_is_said():
    person = aw.Agent(aw.ApproximateActiveInference(), aw.Smile(rho=0.1), aw.Softmax())
    rng = np.random.default_rng(2)
    values = np.exp(rng.normal([-0.3, 2.0], 0.3, (8, 2)))
    data = made(values, ("lam", "precision"), trials=100, agent=person)
    fit = aw.fit(person, data, ["lam", "precision"], method="eb")
    assert "lam and precision trade off within people" in str(fit)
    table = fit.people()
    np.testing.assert_allclose(table["value"], 2 * table["lam"] * table["precision"])


def test_likelihoods_of_some_people_are_those_of_everybody(two):
    problem = Problem(DELTA, two, ["rate", "precision"])
    x = np.random.default_rng(1).normal(size=(len(two), 3, 2))
    order = np.array([5, 0, 5, 11])
    assert (problem(x[order], order) == problem(x)[order]).all()
    assert (counted(two.sequences) == 80).all()


@pytest.mark.parametrize("method", ["ml", "eb", "bayes"])
def test_actors_that_weigh_hypotheses_are_fitted(method):
    person = aw.Chooser(aw.InformedHMM(p=0.2, epsilon=0.6, rho=0.1), aw.HabitualSoftmax())
    rng = np.random.default_rng(6)
    values = np.stack([np.exp(rng.normal(1.2, 0.4, 10)), rng.normal(0.8, 0.4, 10)], axis=1)
    data = made(values, ("precision", "stick"), trials=80, agent=person)
    fit = aw.fit(person, data, ["precision", "stick"], method=method, draws=60, chains=1)
    assert np.corrcoef(fit.values()[:, 1], values[:, 1])[0, 1] > 0.5
    assert fit.agents()[3].choice.stick == pytest.approx(fit.values()[3, 1])
    assert "HMM with habitual, fitted to 800 choices" in str(fit)
    expected = log_likelihoods(person, fit.names, fit.values()[:, None], data.sequences).sum()
    assert np.log(fit.retrace()["probability"]).sum() == pytest.approx(expected, rel=1e-10)
    bandit = aw.SwitchingBandit(arms=ARMS, epsilon=0.6, rho=0.1, p=0.2)
    assert len(fit.predict(draws=3, bandit=bandit).people)
    assert len(aw.recover(fit, people=6, method="eb", bandit=bandit).people) == 6
