"""No regret and no choice changes by accident: hashes of what every component did in version 0.1.

python tests/test_golden.py         gives new components their entries
python tests/test_golden.py --all   renews every entry, after a change on purpose (say so in
                                    the changelog)
"""

import functools
import hashlib
import json
import sys
from pathlib import Path

import numpy as np
import pytest

import armwise as aw
from armwise import registry

FILE = Path(__file__).parent / "golden.json"
WHOLE_FILE = Path(__file__).parent / "golden_whole.json"
HORIZON = 300


def known(role, form="beta"):
    """The policies or learners that read or keep beliefs of a form, by label."""
    found = registry.known(role)
    return {label: cls for label, cls in found.items() if cls.beliefs in (form, "any")}


def agents_in(bandit):
    """Every policy, every learner and every actor, by label, as the command line makes them."""
    given = bandit.parameters() | {"rho": bandit.assumed_rho() or 0.01, "horizon": HORIZON}
    smile = aw.Smile(rho=given["rho"])
    for label, policy in known("policy").items():
        yield f"{label}", aw.Agent(policy(), smile)
    for label, learner in known("learner").items():
        yield f"a-ai with {label}", aw.Agent(aw.ApproximateActiveInference(), learner())
    yield "a-ai with softmax", aw.Agent(aw.ApproximateActiveInference(), smile, aw.Softmax())
    habitual = aw.HabitualSoftmax(stick=1, pace=0.5, lapse=0.1, bias=0.5)
    yield "a-ai with habitual", aw.Agent(aw.ApproximateActiveInference(), smile, habitual)
    for label in registry.known("actor"):
        yield label, registry.component("actor", label, **given)


def real_cases():
    """Every component for real outcomes."""
    restless = aw.RestlessBandit()
    for label, policy in known("policy", "normal").items():
        for name, learner in known("learner", "normal").items():
            yield f"restless, {label} with {name}", restless, aw.Agent(policy(), learner())
    agent = aw.Agent(aw.NormalMean(), aw.KalmanFilter())
    for label, kind in registry.known("bandit").items():
        if kind.outcomes == "real":
            yield f"{label}, n-mean", kind(), agent


def cases():
    switching = aw.SwitchingBandit(arms=10, rho=0.01)
    yield from ((f"switching, {label}", switching, agent) for label, agent in agents_in(switching))
    agent = aw.Agent(aw.ApproximateActiveInference())
    yield from (
        (f"{label}, a-ai", kind(), agent)
        for label, kind in registry.known("bandit").items()
        if kind.outcomes == "binary"
    )
    yield from real_cases()


CASES = {name: (bandit, agent) for name, bandit, agent in cases()}


WHOLE = {
    f"{kind}, {arms} arms, {label}": (bandit, agent)
    for kind, bandit_of in {
        "stationary": aw.StationaryBandit,
        "switching": functools.partial(aw.SwitchingBandit, rho=0.01),
        "varying": functools.partial(aw.VaryingBandit, rho=0.01),
    }.items()
    for arms in (10, 33)
    for bandit in [bandit_of(arms=arms)]
    for label, agent in agents_in(bandit)
}


def played(bandit, agent, agents=5, device="cpu"):
    asked = {"checkpoints": aw.every(1), "record": ("arm",), "device": device}
    result = aw.simulate(bandit, agent, HORIZON, agents, seed=3, **asked)
    return np.ascontiguousarray(result.regret.values), result.chosen.values


def digest(bandit, agent):
    data = b"".join(array.tobytes() for array in played(bandit, agent))
    return hashlib.sha256(data).hexdigest()[:16]


def test_every_component_is_kept():
    assert json.loads(FILE.read_text()).keys() == CASES.keys()
    assert json.loads(WHOLE_FILE.read_text()).keys() == WHOLE.keys()


@pytest.mark.parametrize("name", CASES)
def test_regrets_and_choices_are_those_that_were_kept(name):
    assert digest(*CASES[name]) == json.loads(FILE.read_text())[name]


@pytest.mark.slow
@pytest.mark.parametrize("name", WHOLE)
def test_regrets_and_choices_are_kept_in_all_bandits(name):
    assert digest(*WHOLE[name]) == json.loads(WHOLE_FILE.read_text())[name]


@pytest.mark.slow
@pytest.mark.parametrize("name", WHOLE)
def test_interpreted_agents_do_the_same(name):
    compiled, interpreted = (played(*WHOLE[name], 1, device) for device in ("cpu", "python"))
    for one, other in zip(compiled, interpreted, strict=True):
        np.testing.assert_array_equal(one, other)


if __name__ == "__main__":
    for file, cases_of in ((FILE, CASES), (WHOLE_FILE, WHOLE)):
        kept = {} if sys.argv[1:] == ["--all"] else json.loads(file.read_text())
        found = {name: kept.get(name) or digest(*case) for name, case in cases_of.items()}
        file.write_text(json.dumps(found, indent=0, sort_keys=True) + "\n")
