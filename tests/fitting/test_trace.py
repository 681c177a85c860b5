"""What is traced of people: against `replay`, `explain`, and the delta rule by hand."""

import numpy as np
import pytest

import armwise as aw
from armwise.fitting.trace import retrace_people

DATA = aw.load_choices([([0, 1, 1, -1, 2], [1, 0, 1, 0, 1]), ([2, 0], [0, 1])], arms=[0, 1, 2])


def test_probabilities_are_those_of_replay():
    rule = aw.HabitualSoftmax(precision=4, stick=0.7, pace=0.4, lapse=0.1, bias=0.3, side=1)
    agent = aw.Agent(aw.InformationBonus(), aw.Smile(rho=0.2), rule)
    frame = retrace_people(agent, DATA)
    each = [f"probability_{arm}" for arm in DATA.arms]
    assert frame[each].sum(axis=1).to_numpy() == pytest.approx(np.ones(7))
    for label, (choices, outcomes) in {
        "1": ([0, 1, 1, -1, 2], [1, 0, 1, 0, 1]),
        "2": ([2, 0], [0, 1]),
    }.items():
        mine = np.log(frame[frame["subject"] == label]["probability"]).sum()
        assert mine == pytest.approx(aw.replay(agent, choices, outcomes, arms=3), rel=1e-12)
    assert frame["probability"].isna().tolist() == [False] * 3 + [True] + [False] * 3


def test_prediction_errors_are_those_of_a_delta_rule():
    rates = [0.3, 0.8]
    agents = [
        aw.Agent(aw.MeanOutcome(), aw.RescorlaWagner(rate=rate), aw.Softmax()) for rate in rates
    ]
    frame = retrace_people(agents, DATA)
    expected = []
    for rate, (choices, outcomes) in zip(
        rates, [([0, 1, 1, -1, 2], [1, 0, 1, 0, 1]), ([2, 0], [0, 1])], strict=True
    ):
        value = [0.5] * 3
        for arm, outcome in zip(choices, outcomes, strict=True):
            if arm < 0:
                expected.append(np.nan)
                continue
            expected.append(outcome - value[arm])
            value[arm] += rate * (outcome - value[arm])
    assert frame["prediction_error"].to_numpy() == pytest.approx(expected, nan_ok=True)


def test_terms_are_those_of_explain():
    agent = aw.Agent(aw.ExactActiveInference(lam=0.3), aw.Smile(rho=0.1), aw.Softmax(precision=3))
    frame = retrace_people(agent, DATA, terms=True)
    line = frame.iloc[2]
    beliefs = [[line[f"{name}_{arm}"] for arm in DATA.arms] for name in ("alpha", "beta")]
    why = aw.explain(agent, *beliefs, trial=3)
    for name in ("extrinsic", "intrinsic", "risk", "ambiguity"):
        assert line[f"{name}_1"] == pytest.approx(float(why[name][1]), rel=1e-12)
    assert line["probability"] == pytest.approx(float(why["probability"][1]), rel=1e-12)


def test_each_person_needs_an_agent():
    agent = aw.Agent(aw.MeanOutcome(), aw.RescorlaWagner(), aw.Softmax())
    with pytest.raises(aw.InputError, match="2 people need as many agents, not 1"):
        retrace_people([agent], DATA)
