"""Fits that several tests look at: of few people, made once."""

import pytest

import armwise as aw

DELTA = aw.Agent(aw.MeanOutcome(), aw.RescorlaWagner(), aw.Softmax())


@pytest.fixture(scope="session")
def people():
    """Twenty attentive people."""
    data = aw.example("reversal")
    some = data.only(data.of_person("attentive") == 1)
    return some.only(some.subjects[:20])


@pytest.fixture(scope="session")
def fits(people):
    """Two models of them, of which one cannot learn from experience."""
    fixed = aw.Agent(aw.MeanOutcome(), aw.RescorlaWagner(rate=0.02), aw.Softmax())
    return {
        "RW": aw.fit(DELTA, people, ["rate", "precision"], method="eb"),
        "slow": aw.fit(fixed, people, ["precision"], method="eb"),
    }
