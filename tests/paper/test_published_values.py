"""The published values that ship with the package, their conversion, and the comparison."""

import math

import numpy as np
import pandas
import pytest
import scipy.stats

from armwise import InputError
from armwise.paper import published

COUNTS = {"2": 367, "3": 168, "4": 1822, "5": 1368, "6": 2432, "S1": 8, "S2": 804, "S3": 615}


def row_of(figure, **wanted):
    frame = published.values(figure)
    for name, value in wanted.items():
        frame = frame[frame[name] == value]
    assert len(frame) == 1
    return frame.iloc[0]


def table(theirs, shift=0.0, sem=0.0, agents=1_000):
    """Rows as `Results.table()` makes them, a planted distance away from published ones."""
    found = theirs[["bandit", "policy", "arms", "epsilon", "rho", "lam", "trial"]].copy()
    found["rate"] = theirs.definition + shift
    found["regret"] = found.rate * found.trial
    found["sem"] = sem * found.trial
    return found.assign(agents=agents, seed=1)


@pytest.mark.parametrize("figure", published.FIGURES)
def test_every_value_is_there(figure):
    frame = published.values(figure)
    assert len(frame) == (COUNTS | {"table1": 24})[figure]
    assert frame.definition.notna().all()


def test_an_unknown_figure_is_named():
    with pytest.raises(InputError, match="S9"):
        published.values("S9")


def test_switching_values_are_converted_by_hand():
    row = row_of("4", policy="B-UCB", arms=10, rho=0.01, trial=100)
    # r = .01 * 10 / 9 = 1 / 90 and RC = .1 * 9 / 10 = .09.
    assert row.value == 0.08544397
    assert row.definition == pytest.approx((0.08544397 - 0.09 / 90) / (89 / 90), rel=1e-12)
    assert row.definition_low == pytest.approx((0.08488125 - 0.001) * 90 / 89, rel=1e-12)
    assert row.definition_high == pytest.approx((0.08600669 - 0.001) * 90 / 89, rel=1e-12)


def test_varying_values_are_converted_by_hand():
    row = row_of("6", policy="B-UCB", arms=10, rho=0.01, trial=100)
    # r = .01 and RC = 10 / 11 - 1 / 2 = 9 / 22.
    assert row.definition == pytest.approx((0.12781948 - 0.01 * 9 / 22) / 0.99, rel=1e-12)


def test_random_choice_is_the_fixed_point_of_the_conversion():
    frame = published.values("6")
    random = frame[frame.policy == "RC"]
    assert len(random) > 100
    rate = random.arms / (random.arms + 1) - 0.5
    assert np.abs(random.definition - rate).max() < 0.02
    assert np.allclose((random.value - rate) / (random.definition - rate), 1.0 - random.rho)


@pytest.mark.parametrize("figure", ["2", "3", "S1", "table1"])
def test_other_figures_stand_as_published(figure):
    frame = published.values(figure)
    assert (frame.definition == frame.value).all()


def test_standard_errors_come_from_the_bounds():
    row = row_of("4", policy="B-UCB", arms=10, rho=0.01, trial=100)
    half = (0.08600669 - 0.08488125) / 2 * 90 / 89
    assert row["sem"] == pytest.approx(half / scipy.stats.t.ppf(0.975, 999), rel=1e-9)
    assert math.isnan(row.uncertainty)


def test_digitised_values_have_a_pixel_and_no_standard_error():
    row = row_of("S3", policy="A-AI", arms=10, rho=0.005, lam=0.05)
    assert math.isnan(row["sem"])
    assert row.uncertainty == pytest.approx(0.002 / 0.995)


def test_values_are_copies():
    frame = published.values("2")
    frame["value"] = 0.0
    assert published.values("2").value.max() > 0.0


def test_a_planted_difference_is_found():
    theirs = published.values("4")
    vector = theirs[theirs.source == "vector"]
    found = published.compare("4", table(vector, shift=0.01, sem=0.001))
    assert len(found) == len(vector)
    assert np.allclose(found.difference, 0.01)
    assert np.allclose(found.z, 0.01 / np.hypot(0.001, vector["sem"].to_numpy()))
    assert set(found.sem_source) == {"bounds"}


def test_no_difference_is_no_difference():
    found = published.compare("5", table(published.values("5"), sem=0.001))
    assert len(found) == COUNTS["5"]
    assert np.abs(found.z).max() < 1e-9


def test_the_error_of_digitised_values_is_ours_scaled_to_their_agents():
    found = published.compare("2", table(published.values("2"), shift=0.01, sem=0.002, agents=250))
    assert np.allclose(found.sem_theirs, 0.001)
    assert set(found.sem_source) == {"ours at 1000 agents"}
    spread = np.sqrt(0.002**2 + 0.001**2 + found.uncertainty**2)
    assert np.allclose(found.z, 0.01 / spread)


def test_only_the_same_trial_is_compared():
    shifted = table(published.values("4")).assign(trial=lambda frame: frame.trial + 1)
    assert len(published.compare("4", shifted)) == 0


def test_trial_50003_stands_for_50000():
    theirs = published.values("3")
    ours = table(theirs.replace({"trial": {50_003: 50_000}})).assign(regret=theirs.definition)
    found = published.compare("3", ours.drop(columns="rho"))  # a stationary bandit has no rho
    assert len(found) == COUNTS["3"]
    assert set(found[found.trial == 50_000].note) == {"published at trial 50003"}
    assert set(found[found.trial != 50_000].note) == {""}
    assert np.allclose(found.difference, 0.0)


def test_known_causes_are_noted():
    found = published.compare("S3", table(published.values("S3")))
    assert found.note.str.contains("rho / \\(1 \\+ rho\\)").all()
    tied = found.note.str.contains("soft-max")
    assert (tied == ((found.policy == "A-AI") & np.isclose(found.lam, 0.25))).all()
    assert tied.sum() > 0


def test_stuck_fractions_are_compared_as_fractions():
    theirs = published.values("S1")
    ours = table(theirs, agents=500).assign(stuck=0.0)
    found = published.compare("S1", ours)
    row, value = found.iloc[0], theirs.definition.iloc[0]
    pooled = value * 1000 / 1500
    assert row.ours == 0.0
    assert row.sem_ours == pytest.approx(math.sqrt(pooled * (1 - pooled) / 500))
    assert row.sem_theirs == pytest.approx(math.sqrt(pooled * (1 - pooled) / 1000))
    assert row.z < -5.0


def test_a_table_without_a_policy_has_nothing_to_compare():
    none = pandas.DataFrame(table(published.values("4")).iloc[:0])
    assert len(published.compare("4", none)) == 0
