"""Methods that are written in odd ways, and files that cannot be loaded: a sentence each."""

import textwrap

import numpy as np
import pytest

import armwise as aw
from armwise import registry

BANDIT = aw.StationaryBandit(arms=3)


class Large(aw.Policy):
    def score(self, shared, arm, alpha, beta, rng):
        return 10**400


class Property(aw.Policy):
    @property
    def score(self):
        return 1.0


class Super(aw.Smile):
    def change(self, memory, arm, outcome, alpha, beta):
        return super().change(memory, arm, outcome, alpha, beta)


class Hidden(aw.Policy):
    """Draws from a module that it imports itself."""

    def score(self, shared, arm, alpha, beta, rng):
        import numpy

        return numpy.random.rand()


class Catches(aw.Policy):
    def score(self, shared, arm, alpha, beta, rng):
        try:
            return alpha / beta
        except ZeroDivisionError:
            return 0.0


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        (aw.Agent(Large()), r"^Large\.score must return a number, not a number with 401 digits\.$"),
        (aw.Agent(Property()), r"^Property\.score must take \(self, shared, arm, alpha, beta, rng"),
        (aw.Agent(aw.UCB(), Super()), r"^Super\.change uses super\(\), which compiled code"),
        (aw.Agent(Hidden()), r"^Hidden does not repeat itself: .* draws must come from `rng`\.$"),
        (aw.Agent(Catches()), r"^Catches cannot be compiled .*`except Exception` alone is known"),
    ],
)
def test_an_odd_method_is_met_by_a_sentence(agent, words):
    with pytest.raises(aw.InputError, match=words):
        aw.simulate(BANDIT, agent, 40, 2)


class Lambda(aw.Policy):
    score = lambda self, shared, arm, alpha, beta, rng: alpha / (alpha + beta)  # noqa: E731


class Imports(aw.Policy):
    def score(self, shared, arm, alpha, beta, rng):
        import numpy

        return numpy.array([alpha, beta]).sum()


def test_what_is_odd_and_right_runs():
    found = aw.simulate(BANDIT, aw.Agent(Lambda()), 40, 2, device="python")
    assert np.isfinite(found.regret).all()
    aw.simulate(BANDIT, aw.Agent(Imports()), 40, 2, device="python")


def test_a_component_needs_no_constructor():
    with pytest.raises(aw.InputError, match=r"^Made: leave out __init__, and write each parameter"):

        class Made(aw.Policy):
            def __init__(self, weight):
                self.weight = weight


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("import armwise\nclass A(armwise.Policy)\n", r"expected ':' \(line 2\)\.$"),
        ("import sys\n\nsys.exit(1)\n", r"SystemExit\(1\) \(line 3\)\.$"),
        ("x = 1\nx / 0\n", r"ZeroDivisionError\('division by zero'\) \(line 2\)\.$"),
        (
            "import armwise as aw\nclass A(aw.Policy):\n    label = '$'\n",
            r"loaded: A: label must be printable text without \$, not '\$' \(line 2\)\.$",
        ),
        ("\0", "cannot be loaded: "),
    ],
)
def test_a_file_that_cannot_be_loaded_is_one_sentence_with_its_line(tmp_path, text, words):
    (tmp_path / "mine.py").write_text(textwrap.dedent(text))
    with pytest.raises(aw.InputError, match=words):
        registry.component("policy", str(tmp_path / "mine.py"))
