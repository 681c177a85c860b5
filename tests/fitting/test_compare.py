"""Comparisons: scores and their errors by hand, the verdict, the confusion matrix."""

import numpy as np
import pytest

import armwise as aw
from armwise.engine.batch import log_likelihoods
from armwise.fitting.compare import Comparison, _table
from armwise.fitting.confusion import Confusion, picks
from armwise.fitting.scores import bic_of, penalty, scores_of
from armwise.fitting.selection import select

NAMES = ("A", "B", "C")


def comparison(scores, confusion=None):
    """A comparison of made-up scores."""
    scores = np.asarray(scores, dtype=float)
    selection = select(scores)
    bic = np.arange(scores.shape[1], dtype=float)
    names = NAMES[: scores.shape[1]]
    table = _table(names, scores, scores, selection, bic)
    return Comparison(names, table, scores, scores, selection, confusion, "score", len(scores))


def clear(count=3, wrong=0.0):
    """A confusion matrix in which a share is picked wrongly, evenly among the others."""
    matrix = np.full((count, count), wrong / (count - 1))
    np.fill_diagonal(matrix, 1.0 - wrong)
    return Confusion(NAMES[:count], matrix, matrix, 1)


def test_differences_and_their_errors_are_those_of_paired_people():
    random = np.random.default_rng(1)
    scores = random.normal([-10.0, -11.0, -10.5], 1.0, (40, 3))
    found = comparison(scores).table
    best = NAMES[scores.sum(axis=0).argmax()]
    assert found.index[0] == best
    for place, name in enumerate(NAMES):
        away = scores[:, place] - scores[:, NAMES.index(best)]
        assert found.difference[name] == pytest.approx(away.sum())
        assert found.se[name] == pytest.approx(np.sqrt(40 * away.var(ddof=1)))
        assert found.score[name] == pytest.approx(scores[:, place].sum())


def test_no_winner_is_named_without_a_confusion_matrix():
    scores = np.tile([0.0, -5.0, -9.0], (30, 1)) + np.random.default_rng(2).normal(size=(30, 3))
    found = comparison(scores)
    assert found.best == "A"
    assert found.winner is None
    assert "No winner is named" in found.sentences()[1]
    named = comparison(scores, clear())
    assert named.winner == "A"
    assert "A wins" in named.sentences()[1]


def test_no_winner_is_named_if_the_scores_are_as_good():
    random = np.random.default_rng(3)
    scores = random.normal([0.0, -0.02, -5.0], 1.0, (30, 3))
    found = comparison(scores, clear())
    assert found.winner is None
    assert set(found.rivals) == {"A", "B"} - {found.best}


def test_no_winner_is_named_that_is_not_the_most_frequent_among_people():
    """A is best in sum, thanks to a few people; B describes most of them better."""
    scores = np.array([[0.0, -60.0]] * 8 + [[-8.0, 0.0]] * 22)
    found = comparison(scores + np.random.default_rng(4).normal(size=(30, 2)), clear(2))
    assert found.best == "A"
    assert found.table.difference["B"] < 0
    assert found.rivals == ["B"]
    assert "not clearly the most frequent" in found.sentences()[1]


def test_no_winner_is_named_that_the_confusion_matrix_cannot_tell_apart():
    """B's people are taken for A's half of the time; C's never."""
    matrix = np.array([[0.95, 0.05, 0.0], [0.5, 0.5, 0.0], [0.0, 0.0, 1.0]])
    scores = np.tile([0.0, -5.0, -9.0], (30, 1)) + np.random.default_rng(2).normal(size=(30, 3))
    found = comparison(scores, Confusion(NAMES, matrix, matrix, 1))
    assert found.winner is None
    assert found.rivals == ["B"]
    assert "A cannot be told from B" in found.sentences()[1]


def test_the_makers_of_what_is_picked_follow_from_bayes_rule():
    matrix = np.array([[0.9, 0.1], [0.4, 0.6]])
    found = Confusion(("A", "B"), matrix, matrix, 1_000_000).makers("A")
    assert found["A"] == pytest.approx(0.9 / 1.3, rel=1e-5)
    assert sum(found.values()) == pytest.approx(1.0)


def test_a_perfect_matrix_of_any_size_is_good_enough_for_a_winner():
    for count in (2, 5, 20):
        names = tuple(map(str, range(count)))
        matrix = np.eye(count)
        assert Confusion(names, matrix, matrix, 1).makers("0")["0"] >= 0.95


def test_ties_are_shared_out():
    assert picks(np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 5.0]])).tolist() == [0.25, 0.25, 0.5]


def test_bic_is_that_of_people_fitted_one_by_one(fits, people):
    most = aw.fit(fits["RW"].agent, people, ["rate", "precision"], method="ml")
    values = most.values()[:, None, :]
    found = log_likelihoods(most.agent, most.names, values, people.sequences)
    expected = -2.0 * found.sum() + 20 * 2 * np.log(90)
    assert bic_of(fits["RW"]) == pytest.approx(expected, rel=1e-9)


def test_bic_can_be_left_out(fits):
    found = aw.compare(fits, bic=False)
    assert found.table["bic"].isna().all()
    assert "bic" not in str(found)
    assert "BIC" not in str(found)


def test_with_a_group_that_is_a_point_its_parameters_are_paid_for(fits):
    scores, words = scores_of(fits)
    assert "evidence" in words
    for place, each in enumerate(fits.values()):
        count = len(each.names)
        cost = (count + count * (count + 1) / 2) * np.log(20) / 2
        assert 20 * penalty(each) == pytest.approx(cost)
        assert scores[:, place].sum() == pytest.approx(each.log_evidence().sum() - cost)


def test_people_who_learn_are_told_from_people_who_do_not(fits):
    said = []
    found = aw.compare(fits, confusion=1, seed=2, say=said.append)
    assert said == ["group 1 of 1 made by RW", "group 1 of 1 made by slow"]
    assert found.winner == "RW"
    assert found.confusion.groups == pytest.approx(np.eye(2), abs=0.02)
    assert found.confusion.persons[0, 0] > 0.8
    assert found.table.protected["RW"] > 0.99
    assert "RW wins" in str(found)
    assert "<table" in found._repr_html_()


def test_what_cannot_be_compared_is_refused(fits, people):
    with pytest.raises(aw.InputError, match="Two fits or more"):
        aw.compare({"RW": fits["RW"]})
    for call in (aw.recover, lambda nothing: aw.compare({"RW": fits["RW"], "other": nothing})):
        with pytest.raises(aw.InputError, match="This takes a fit"):
            call(None)
    others = people.only(people.subjects[:10])
    half = aw.fit(fits["slow"].agent, others, ["precision"], method="eb")
    with pytest.raises(aw.InputError, match="slow was fitted to other choices than RW"):
        aw.compare({"RW": fits["RW"], "slow": half})
    alone = aw.fit(fits["slow"].agent, people, ["precision"], method="ml")
    with pytest.raises(aw.InputError, match="maximum likelihood"):
        aw.compare({"RW": fits["RW"], "slow": alone})
