"""Agents with normal beliefs fitted to recorded choices with real outcomes."""

import numpy as np
import pytest

import armwise as aw

RESTLESS = aw.RestlessBandit()
NAMES = ["precision", "bonus", "diffusion"]


def people(values, trials, seed=5):
    agent = aw.Agent(aw.NormalDeviationBonus(), aw.KalmanFilter(), aw.Softmax(0.2))
    told = aw.simulate_people(RESTLESS, agent, NAMES, values, trials, seed=seed)
    pairs = list(zip(told.choices, told.outcomes, strict=True))
    return agent, aw.load_choices(pairs, real=True, arms=4)


def test_known_values_are_found_again():
    """One person and 4000 choices: within five standard errors of the fit, each."""
    true = [0.12, 0.8, 4.0]
    agent, data = people([true], 4_000)
    found = aw.fit(agent, data, NAMES, method="ml").people().iloc[0]
    for name, value in zip(NAMES, true, strict=True):
        low, high = found[f"{name}_low"], found[f"{name}_high"]
        middle = 0.5 * (low + high)
        # The interval is 94 %: 1.88 standard errors to each side.
        assert abs(value - middle) < 5 * (high - low) / (2 * 1.88)
        assert high - low < 3.0


def test_people_are_fitted_predicted_and_recovered():
    rng = np.random.default_rng(2)
    values = np.column_stack([np.exp(rng.normal(-1.9, 0.4, 12)), rng.normal(0.8, 0.5, 12)])
    values = np.column_stack([values, np.full(12, 2.8)])
    agent, data = people(values, 150)
    assert data.real
    assert data.people().won.iloc[0] == pytest.approx(data.sequences.outcomes[:150].mean())
    fit = aw.fit(agent, data, ["precision~lognormal(0.15, 1)", "bonus"], method="eb")
    table = fit.people()
    for place, name in enumerate(fit.names):
        inside = (table[f"{name}_low"] <= values[:, place]) & (
            values[:, place] <= table[f"{name}_high"]
        )
        assert inside.sum() >= 7  # of 12; of intervals that hold 94 % this fails once in 30,000
    seen = fit.predict(draws=5, bandit=RESTLESS)
    assert list(seen.measures.index) == ["stay", "outcome", "better_stay", "worse_shift"]
    assert set(seen.curves.curve) == {"earning"}
    outcomes = data.sequences.outcomes.reshape(12, 150)
    assert seen.measures.observed["outcome"] == pytest.approx(outcomes.mean(axis=1).mean())
    assert list(aw.recover(fit, bandit=RESTLESS, people=10).table.index) == ["precision", "bonus"]
    assert fit.tree["observed_data"]["outcome"].dtype == float


def test_measures_of_real_outcomes_are_about_the_persons_mean():
    from armwise.fitting.behaviour import layout_of, per_person

    data = aw.load_choices([([0, 0, 1, 1], [10.0, 2.0, 9.0, 3.0])], real=True)  # mean 6
    found = per_person(layout_of(data, None), data.sequences.choices, data.sequences.outcomes)
    assert {name: float(value[0]) for name, value in found.items()} == {
        "outcome": 6.0,
        "stay": 2 / 3,
        "better_stay": 1.0,
        "worse_shift": 1.0,
    }


def test_bandits_and_columns_must_be_about_the_same_outcomes():
    agent, data = people([[0.1, 0.0, 2.8], [0.2, 0.0, 2.8]], 60)
    fit = aw.fit(agent, data, ["precision"], method="ml")
    with pytest.raises(aw.InputError, match="are real numbers, and the switching bandit pays 0"):
        fit.predict(draws=2, bandit=aw.SwitchingBandit(arms=4))


def test_a_kalman_filter_for_outcomes_0_and_1_has_twins_who_win_and_lose():
    data = aw.example("reversal")
    data = data.only(data.subjects[:4])
    learner = aw.KalmanFilter(mean0=0.5, sd0=0.3, decay=0.95, centre=0.5, diffusion=0.1, noise=0.4)
    agent = aw.Agent(aw.NormalMean(), learner, aw.Softmax())
    seen = aw.fit(agent, data, ["precision"], method="ml").predict(draws=3)
    assert "win_stay" in seen.measures.index
    assert set(np.unique(seen.twins.outcomes)) <= {-1, 0, 1}


def test_a_file_is_read_as_the_agent_learns(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("subject,choice,outcome\na,0,57.5\na,1,43\nb,1,-3e1\nb,0,12\n")
    agent = aw.Agent(aw.NormalMean(), aw.KalmanFilter(), aw.Softmax(0.2))
    fit = aw.fit(agent, path, ["precision"], method="ml")
    assert fit.data.sequences.outcomes.tolist() == [57.5, 43.0, -30.0, 12.0]
