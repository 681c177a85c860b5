"""No regret and no choice changes by accident: hashes of what every component did in version 0.1.

If a number changes on purpose, say so in the changelog, and renew golden.json with

    python tests/test_golden.py
"""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

import armwise as aw
from armwise import registry

FILE = Path(__file__).parent / "golden.json"
HORIZON = 300


def agents_in(bandit):
    """Every policy, every learner and every actor, by label, as the command line makes them."""
    given = bandit.parameters() | {"rho": bandit.assumed_rho(), "horizon": HORIZON}
    smile = aw.Smile(rho=given["rho"])
    for label, policy in registry.known("policy").items():
        yield f"{label}", aw.Agent(policy(), smile)
    for label, learner in registry.known("learner").items():
        yield f"a-ai with {label}", aw.Agent(aw.ApproximateActiveInference(), learner())
    yield "a-ai with softmax", aw.Agent(aw.ApproximateActiveInference(), smile, aw.Softmax())
    for label in registry.known("actor"):
        yield label, registry.component("actor", label, **given)


def cases():
    switching = aw.SwitchingBandit(arms=10, rho=0.01)
    yield from ((f"switching, {label}", switching, agent) for label, agent in agents_in(switching))
    agent = aw.Agent(aw.ApproximateActiveInference())
    yield from (
        (f"{label}, a-ai", kind(), agent) for label, kind in registry.known("bandit").items()
    )


CASES = {name: (bandit, agent) for name, bandit, agent in cases()}


def digest(bandit, agent):
    asked = {"checkpoints": aw.every(1), "record": ("arm",)}
    result = aw.simulate(bandit, agent, HORIZON, 5, seed=3, **asked)
    numbers = np.ascontiguousarray(result.regret.values), result.chosen.values
    return hashlib.sha256(b"".join(array.tobytes() for array in numbers)).hexdigest()[:16]


def test_every_component_is_kept():
    assert json.loads(FILE.read_text()).keys() == CASES.keys()


@pytest.mark.parametrize("name", CASES)
def test_regrets_and_choices_are_those_that_were_kept(name):
    assert digest(*CASES[name]) == json.loads(FILE.read_text())[name]


if __name__ == "__main__":
    found = {name: digest(*case) for name, case in CASES.items()}
    FILE.write_text(json.dumps(found, indent=0, sort_keys=True) + "\n")
