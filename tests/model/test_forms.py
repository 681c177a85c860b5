"""What does not fit together is refused in one sentence, before anything is compiled."""

import numpy as np
import pytest

import armwise as aw

KALMAN = aw.KalmanFilter()
RESTLESS = aw.RestlessBandit()
PERSON = aw.Agent(aw.NormalMean(), KALMAN, aw.Softmax(0.2))
BINARY = aw.Agent(aw.MeanOutcome(), aw.RescorlaWagner(), aw.Softmax())
REAL_DATA = [([0, 1, 1], [57.0, 43.5, 61.0])]


class Odd(aw.Policy):
    """Its form of beliefs does not exist."""

    label = "odd"
    beliefs = "gamma"

    def score(self, shared, arm, alpha, beta, rng):
        return alpha


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: aw.Agent(aw.NormalMean()),
            "N-mean reads normal beliefs, and SMiLe keeps Beta beliefs: take a learner such as "
            "KalmanFilter, or another policy.",
        ),
        (
            lambda: aw.Agent(aw.UCB(), KALMAN),
            "UCB reads Beta beliefs, and Kalman keeps normal beliefs: take a learner such as "
            "Smile, or another policy.",
        ),
        (lambda: aw.Agent(Odd()), "odd: beliefs must be 'beta' or 'normal' or 'any', not 'gamma'."),
        (
            lambda: aw.simulate(RESTLESS, aw.Agent(aw.UCB())),
            "The restless bandit pays real numbers, and SMiLe learns from 0 or 1.",
        ),
        (
            lambda: aw.simulate(aw.SwitchingBandit(), PERSON),
            "The switching bandit pays 0 or 1, and Kalman learns from real numbers.",
        ),
        (
            lambda: aw.simulate(RESTLESS, aw.BOCPD()),
            "The restless bandit pays real numbers, and BOCPD learns from 0 or 1.",
        ),
        (
            lambda: aw.trace(RESTLESS, aw.Agent(aw.UCB())),
            "The restless bandit pays real numbers, and SMiLe learns from 0 or 1.",
        ),
        (
            lambda: aw.simulate_people(RESTLESS, BINARY, ["rate"], [[0.1]], 5),
            "The restless bandit pays real numbers, and RW learns from 0 or 1.",
        ),
        (
            lambda: aw.simulate(RESTLESS, PERSON, record=["alpha"]),
            "N-mean keeps no Beta beliefs, so alpha cannot be recorded.",
        ),
        (
            lambda: aw.simulate(aw.SwitchingBandit(), BINARY, record=["mean"]),
            "mean keeps no normal beliefs, so mean cannot be recorded.",
        ),
        (
            lambda: aw.replay(PERSON, [0, 1], [50, np.nan], 2),
            "An outcome must be a finite number, not nan.",
        ),
        (lambda: aw.replay(BINARY, [0, 1], [1, 7], 2), "An outcome must be 0 or 1, not 7."),
        (
            lambda: aw.replay(PERSON, [0, 1], [50, 60], 2, shown=[[-1, 1], [0, -1]]),
            "Kalman learns from the chosen arm only: outcomes of other arms can be shown where "
            "they are 0 or 1.",
        ),
        (
            lambda: aw.load_choices(REAL_DATA),
            "the list, person 1, row 1 (subject 1, trial 1): an outcome must be 0 or 1, not 57.",
        ),
        (
            lambda: aw.load_choices([([0, 1], [5, "x"])], real=True),
            "the list, person 1, row 2 (subject 1, trial 2): an outcome must be a finite number, "
            "not x.",
        ),
        (
            lambda: aw.load_choices([([0, 1], [5, float("inf")])], real=True),
            "the list, person 1, row 2 (subject 1, trial 2): an outcome must be a finite number, "
            "not inf.",
        ),
        (
            lambda: aw.fit(BINARY, aw.load_choices(REAL_DATA, real=True), ["rate"]),
            "mean: outcomes must be 0 or 1, and that of row 0 is 57.",
        ),
        (
            lambda: aw.explain(PERSON, [50, 60], [1, -1]),
            "variance must be in [0, 1e+12], not -1.",
        ),
        (
            lambda: PERSON.open("never-made.db", ["a", "b"]),
            "N-mean learns from real outcomes, and the file of a shared player keeps 0 and 1: take "
            "agent.start(arms), whose player saves itself.",
        ),
        (
            lambda: PERSON.start(["a", "b"], expires=aw.Expiry(tickets=9, meanwhile=0)),
            "N-mean keeps no Beta beliefs in which open tickets could count as 0: leave out "
            "meanwhile.",
        ),
        (
            lambda: PERSON.start(["a", "b"]).observe(1, float("inf")),
            "An outcome must be a finite number, not inf.",
        ),
    ],
)
def test_what_does_not_fit_is_one_sentence(call, words, capsys):
    with pytest.raises(aw.InputError) as found:
        call()
    assert str(found.value) == words
    assert "compiling" not in capsys.readouterr().err


def test_a_trace_of_normal_beliefs_has_no_picture():
    from armwise.lab.notebook import packed_trace

    told = aw.trace(RESTLESS, PERSON, 5, device="python")
    with pytest.raises(aw.InputError, match="show draws Beta beliefs about outcomes 0 and 1"):
        packed_trace(told)


def test_random_choice_reads_no_beliefs():
    for learner in (KALMAN, aw.Smile()):
        assert aw.Agent(aw.RandomChoice(), learner).label == "RC"


def test_the_lab_leaves_real_outcomes_out():
    pytest.importorskip("starlette")
    from armwise.lab.parts import Shelf

    shelf = Shelf()
    found = shelf.catalogue()
    names = {each["name"] for room in found.values() if isinstance(room, list) for each in room}
    assert "rc" in names
    assert not names & {"kalman", "n-mean", "n-ts", "restless", "gaussian", "fixed-gaussian"}
    assert "daw-2006" not in found["problems"]
    assert "problem-1" in found["problems"]
    for given in ({"name": "restless"}, {"name": "daw-2006"}):
        with pytest.raises(aw.InputError, match="The lab shows outcomes 0 and 1, and restless is"):
            shelf.bandit(given)
    with pytest.raises(aw.InputError, match="The lab shows outcomes 0 and 1, and N-mean is about"):
        shelf.agent({"policy": {"name": "n-mean"}, "learner": {"name": "kalman"}})
