"""Causes of differences: found where they are planted, and nowhere else."""

import re

import pandas
import pytest

from armwise.paper.differences import explained


def table(**other):
    """A steep curve of one policy at two trials, and a flat one of another."""
    rows = []
    for lam in (0.0, 0.05, 0.1, 0.15, 0.2):
        for policy, trial, rate in (
            ("G-AI", 10_000, 0.18 - 0.6 * lam),
            ("G-AI", 1_000, 0.3),
            ("A-AI", 10_000, 0.02),
        ):
            rows.append({"policy": policy, "trial": trial, "lam": lam, "rate": rate})
    bandit = {"bandit": "switching", "arms": 10, "epsilon": 0.2, "rho": 0.01, "sem": 1.0}
    return pandas.DataFrame(rows).assign(**bandit | other)


def compared(theirs, source="digitised", lam=0.1, note=""):
    ours = 0.18 - 0.6 * lam
    row = {
        "figure": "S2",
        "bandit": "switching",
        "policy": "G-AI",
        "arms": 10,
        "epsilon": 0.2,
        "rho": 0.01,
    }
    row |= {"lam": lam, "trial": 10_000, "ours": ours, "theirs": theirs, "source": source}
    row |= {"sem_ours": 1e-4, "sem_theirs": 1e-4, "uncertainty": 2e-4, "note": note}
    return pandas.DataFrame([row | {"z": (ours - theirs) / 2.45e-4}])


@pytest.mark.parametrize(
    ("theirs", "words"),
    [
        (0.1200, ""),  # as ours
        (0.1140, r"steep: 0\.0(09|10) sideways explains it"),
        (0.3, "the curve of G-AI at trial 1000 runs"),
        (0.02, "the curve of A-AI at trial 10000 runs"),
        (0.09, "not known"),  # farther than a few pixels, and no other curve is there
    ],
)
def test_a_cause_is_found_where_it_is_planted(theirs, words):
    (cause,) = explained(compared(theirs), table()).cause
    assert re.search(words + "$", cause) if words else cause == ""


def test_exact_values_are_never_excused_by_pixels():
    (cause,) = explained(compared(0.114, source="vector"), table()).cause
    assert cause == "not known"


def test_a_known_cause_is_kept():
    (cause,) = explained(compared(0.05, note="a known cause"), table()).cause
    assert cause == "a known cause"
