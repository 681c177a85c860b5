"""The store of a fit: killed fits go on with equal bits, and nothing is computed twice."""

import numpy as np
import pytest

import armwise as aw
from armwise.errors import InputError
from armwise.fitting import kept
from armwise.fitting.problem import Problem

DELTA = aw.Agent(aw.MeanOutcome(), aw.RescorlaWagner(rate=0.4), aw.Softmax())
OPTIONS = {"draws": 40, "chains": 1, "seed": 2}


@pytest.fixture(scope="module")
def data():
    some = aw.example("reversal")
    return some.only(some.subjects[:6])


@pytest.fixture(scope="module")
def fresh(data):
    return aw.fit(DELTA, data, ["precision"], **OPTIONS)


def draws_of(fit):
    return fit.answer.draws.x


def computing(monkeypatch):
    """The number of people whose points are computed from now on."""
    count = []
    real = kept.Round

    def counting(*parts):
        count.append(1)
        return real(*parts)

    monkeypatch.setattr(kept, "Round", counting)
    return count


@pytest.mark.parametrize("writes", [0, 1, 5, 9, 14])
def test_a_killed_fit_goes_on_with_equal_bits(data, fresh, tmp_path, monkeypatch, writes):
    real, done = kept.write, []

    def dying(path, arrays):
        if len(done) == writes:
            raise KeyboardInterrupt
        done.append(path)
        real(path, arrays)

    monkeypatch.setattr(kept, "write", dying)
    with pytest.raises(KeyboardInterrupt):
        aw.fit(DELTA, data, ["precision"], store=tmp_path, **OPTIONS)
    monkeypatch.setattr(kept, "write", real)
    again = aw.fit(DELTA, data, ["precision"], store=tmp_path, **OPTIONS)
    assert (draws_of(again) == draws_of(fresh)).all()


def test_the_same_fit_computes_no_points_again(data, fresh, tmp_path, monkeypatch):
    first = aw.fit(DELTA, data, ["precision"], store=tmp_path, **OPTIONS)
    before = sorted(tmp_path.rglob("*"))
    again = aw.fit(DELTA, data, ["precision"], store=tmp_path, **OPTIONS)
    assert (draws_of(first) == draws_of(fresh)).all()
    assert (draws_of(again) == draws_of(fresh)).all()
    assert sorted(tmp_path.rglob("*")) == before


def test_another_prior_or_column_computes_no_likelihood(data, tmp_path):
    aw.fit(DELTA, data, ["precision"], store=tmp_path, **OPTIONS)
    points = sorted((tmp_path / "points").rglob("*"))
    flat = 6 * 15  # likelihoods that look whether the parameter can matter
    other = aw.fit(DELTA, data, {"precision": {"spread": 0.8}}, store=tmp_path, **OPTIONS)
    assert other.answer.problem.computed == flat
    ages = dict(zip(data.subjects, (20, 35, 28, 61, 44, 52), strict=True))
    frame = data.frame.assign(age=[ages[each] for each in data.frame["subject"]])
    aged = aw.fit(
        DELTA, aw.load_choices(frame), ["precision"], regress="age", store=tmp_path, **OPTIONS
    )
    assert aged.answer.problem.computed == flat
    assert sorted((tmp_path / "points").rglob("*")) == points


def test_a_new_participant_alone_is_computed(data, tmp_path):
    aw.fit(DELTA, data.only(data.subjects[:5]), ["precision"], store=tmp_path, **OPTIONS)
    known = {path.name for path in (tmp_path / "points").iterdir()}
    before = {
        path: path.read_bytes() for path in (tmp_path / "points").rglob("*") if path.is_file()
    }
    aw.fit(DELTA, data, ["precision"], store=tmp_path, **OPTIONS)
    new = {path.name for path in (tmp_path / "points").iterdir()} - known
    assert len(known) == 5
    assert len(new) == 1
    assert all(path.read_bytes() == content for path, content in before.items())


def test_a_name_depends_on_all_that_a_likelihood_does(data):
    def names(agent=DELTA, free=("precision",), people=data):
        return kept.people_names(Problem(agent, people, list(free)))

    first = names()
    assert len(set(first)) == 6
    assert names(people=data.only(data.subjects[2:])) == first[2:]
    assert names(free=["precision~lognormal(3, 1)"]) == first
    slower = aw.Agent(aw.MeanOutcome(), aw.RescorlaWagner(rate=0.3), aw.Softmax())
    others = [
        names(slower),
        names(aw.Agent(aw.DeviationBonus(), DELTA.learner, DELTA.choice)),
        names(free=["precision", "rate"]),
        names(free=["precision~uniform(0, 9)"]),
    ]
    assert all(set(other).isdisjoint(first) for other in others)
    values = aw.Agent(aw.MeanOutcome(), aw.RescorlaWagner(rate=0.4), aw.Softmax(precision=9))
    assert names(values) == first  # a free parameter's own value does not matter


def test_a_damaged_file_is_made_again(data, fresh, tmp_path):
    aw.fit(DELTA, data, ["precision"], store=tmp_path, **OPTIONS)
    whole = {path: path.read_bytes() for path in (tmp_path / "points").rglob("*") if path.is_file()}
    for path, content in whole.items():
        path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    again = aw.fit(DELTA, data, ["precision"], store=tmp_path, **OPTIONS)
    assert (draws_of(again) == draws_of(fresh)).all()
    assert np.all([path.read_bytes() == content for path, content in whole.items()])


def test_a_folder_that_cannot_be_is_refused(data, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"The store .* cannot be written"):
        aw.fit(DELTA, data, ["precision"], store=tmp_path / "file", **OPTIONS)


def test_what_is_shown_and_offered_is_part_of_the_name(data):
    """A likelihood depends on outcomes of arms not chosen and on the arms that were available."""
    found = set()
    for columns in (
        {},
        {"outcome_0": np.where(data.frame["choice"] == "0", np.nan, 1)},
        {"available": np.where(data.frame["choice"] == "2", "0|1|2", "0|1")},
    ):
        told = aw.load_choices(data.frame.assign(**columns))
        found.add(tuple(kept.people_names(Problem(DELTA, told, ["precision"]))))
    assert len(found) == 3


def test_a_device_is_part_of_the_name(data):
    """The last bits of a card are its own, so points of two devices never mix."""
    problem = Problem(DELTA, data, ["precision"])
    first = kept.people_names(problem)
    problem.device = "cuda"
    assert set(kept.people_names(problem)).isdisjoint(first)
