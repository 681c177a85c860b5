"""Prediction, recovery and calibration of fits."""

import numpy as np
import pandas
import pytest

import armwise as aw
from armwise.fitting.calibrate import DRAWS, calibration, group_from_prior
from armwise.fitting.parameters import free_parameters
from armwise.fitting.recover import _measures
from armwise.fitting.task import task_of
from armwise.fitting.twins import as_choices, like, play


def test_people_who_are_twins_themselves_are_not_told_from_their_twins(fits, people):
    """Twins drawn from a fit, and their own twins, differ by chance alone: 5 measures at 95 %."""
    known = fits["RW"].values()
    tasks = like(people, 120)
    thetas = task_of(tasks).thetas
    values = np.tile(known, (6, 1))
    made = play(fits["RW"].agent, fits["RW"].names, values[None], tasks, thetas, seed=4)
    data = as_choices(tasks, made, 0, "twins")
    found = aw.fit(fits["RW"].agent, data, fits["RW"].free, method="eb").predict(60, seed=1)
    assert found.measures.inside.sum() >= 4
    assert (np.abs(found.measures.observed - found.measures.predicted) < 0.03).all()


def test_a_model_that_cannot_learn_is_found_out(fits):
    found = fits["slow"].predict(draws=40)
    assert not found.measures.inside["best"]
    assert any("best arm" in sentence for sentence in found.sentences())
    assert set(found.curves["curve"]) == {"learning", "winning", "after_change", "switching"}
    assert len(found.people) == 5 * 20
    assert "<table" in found._repr_html_()


def test_a_task_that_is_not_known_is_asked_for(fits):
    data = aw.load_choices([([0, 1, 1, 0] * 5, [1, 0, 1, 1] * 5)] * 3)
    fit = aw.fit(fits["RW"].agent, data, ["precision"], method="eb")
    with pytest.raises(aw.InputError, match="give bandit="):
        fit.predict()
    assert len(fit.predict(10, bandit=np.full((20, 2), 0.5)).measures) == 4


def test_what_is_recovered_is_compared_on_the_real_line():
    random = np.random.default_rng(1)
    true = random.normal(size=500)
    found = 0.5 * true + 0.2
    measures = _measures(true, found, np.array([True] * 400 + [False] * 100))
    assert measures["r"] == pytest.approx(1.0)
    expected = (found - true).mean() / true.std(ddof=1)
    assert measures["bias"] == pytest.approx(expected)
    assert measures["coverage"] == 0.8
    assert measures["coverage_se"] == pytest.approx(np.sqrt(0.8 * 0.2 / 500))


def test_precision_and_rate_are_recovered_from_90_trials(fits):
    """r of .8 with 100 people has a standard error of .04, so .6 is five below."""
    found = aw.recover(fits["RW"], people=100, seed=3)
    assert len(found.people) == 100
    assert (found.table.r > 0.6).all()
    assert found.trials == 9_000
    names = [f"{part}_rate" for part in ("true", "estimated", "low", "high")]
    assert set(names) <= set(found.people.columns)
    with pytest.raises(aw.InputError, match="people must be a whole number from 2 up"):
        aw.recover(fits["RW"], people=1)


def test_groups_come_from_the_prior():
    agent = aw.Agent(aw.MeanOutcome(), aw.RescorlaWagner(), aw.Softmax())
    free = free_parameters(agent, ["rate", "precision~lognormal(3, 0.5)"])
    rng = np.random.default_rng(5)
    count = 1_000
    drawn = [group_from_prior(free, rng) for _ in range(count)]
    means = np.array([mean for mean, _ in drawn])
    roots = np.array([root for _, root in drawn])
    centers = [free[0].center, np.log(3.0)]
    widths = [free[0].width, 0.5]
    for place in range(2):
        error = 5 * widths[place] / np.sqrt(count)
        assert means[:, place].mean() == pytest.approx(centers[place], abs=error)
        assert means[:, place].std() == pytest.approx(widths[place], rel=5 / np.sqrt(2 * count))
    sds = np.sqrt((roots**2).sum(axis=2))
    half_normal = np.sqrt(2 / np.pi) * np.array([each.spread for each in free])
    assert sds.mean(axis=0) == pytest.approx(half_normal, rel=5 * 0.76 / np.sqrt(count))
    r = roots[:, 1, 0] / sds[:, 1]
    # LKJ(2) of two: (r + 1) / 2 is beta(2, 2), whose variance is 1/20.
    assert r.mean() == pytest.approx(0.0, abs=5 * np.sqrt(0.2 / count))
    assert r.var() == pytest.approx(0.2, rel=5 * np.sqrt(2 / count))


def test_uniform_ranks_pass_and_those_of_a_posterior_that_is_too_sure_do_not():
    rng = np.random.default_rng(6)
    inside = np.full((200, 1), 0.94)
    uniform = rng.integers(0, DRAWS + 1, (200, 2))
    assert calibration("RW", ("rate",), uniform, inside, "bayes").passes
    sure = np.where(rng.uniform(size=(200, 2)) < 0.5, rng.integers(0, 20, (200, 2)), 95)
    found = calibration("RW", ("rate",), sure, inside, "bayes")
    assert not found.passes
    assert "mean of rate are not uniform" in found.sentences()[0]


def test_calibration_of_intervals_of_people(people):
    agent = aw.Agent(aw.MeanOutcome(), aw.RescorlaWagner(), aw.Softmax())
    said = []
    found = aw.calibrate(agent, people, ["precision"], groups=3, method="eb", say=said.append)
    assert len(said) == 3
    assert isinstance(found.people, pandas.DataFrame)
    assert 0.5 < float(found.people["precision"].mean()) <= 1.0
    with pytest.raises(aw.InputError, match="knows no prior"):
        aw.calibrate(agent, people, ["precision"], method="ml")


def test_a_fit_has_a_panel_per_parameter(fits):
    figure = fits["RW"].plot()
    names = [axis.get_ylabel() for axis in figure.axes if axis.get_visible() and axis.axison]
    assert names == ["rate", "precision"]
