"""Components by name: from values, from text, and from files of one's own."""

import pytest

import armwise as aw
from armwise import registry
from armwise.errors import InputError

OWN = '''
import armwise as aw


class _Base(aw.Policy):
    """Not a component: the base of two."""

    strength: float = aw.parameter(default=1.0, low=0, meaning="how strong")

    def score(self, shared, arm, alpha, beta, rng):
        return self.strength * alpha


class Greedy(_Base):
    """The first."""


class Stubborn(_Base):
    """The second."""


class Idle(aw.Actor):
    """The only actor."""

    rho: float = aw.parameter(default=0.5, low=0, high=1, meaning="what it is given")
    label = "IDLE"

    def memory_size(self, arms):
        return 0

    def act(self, memory, arms, trial, rng):
        return 0

    def learn(self, memory, arms, trial, arm, outcome, rng):
        return 0.0
'''


@pytest.fixture
def mine(tmp_path):
    (tmp_path / "mine.py").write_text(OWN)
    return tmp_path / "mine.py"


def test_values_and_text_make_the_same_component():
    cases = [
        ("policy", "a-ai", {"lam": 0.25}, "a-ai:lam=0.25"),
        ("bandit", "switching", {"arms": 3, "rho": 0.1}, "switching:arms=3, rho=1e-1"),
        ("bandit", "fixed", {"thetas": [0.9, 0.1]}, "fixed:thetas=0.9/0.1"),
        ("actor", "sw-ucb", {"kl": True, "horizon": 100}, "SW-UCB:kl=true,horizon=1e2"),
        ("choice", "argmax", {}, " argmax "),
        ("bandit", "problem-1", {}, "problem-1"),
    ]
    for role, name, values, text in cases:
        assert registry.build(role, name, values) == registry.component(role, text)


def test_a_component_written_as_text_is_read_as_the_same():
    for role in ("bandit", "learner", "policy", "choice", "actor"):
        for cls in registry.known(role).values():
            assert registry.component(role, str(cls())) == cls()


def test_values_keep_their_kinds():
    _, values = registry.parsed("actor", "glr-klucb:local=false,every=5,share=1")
    assert values == {"local": False, "every": 5, "share": 1.0}
    assert [type(value) for value in values.values()] == [bool, int, float]
    assert registry.parsed("bandit", "fixed:thetas=1/0").values == {"thetas": (1.0, 0.0)}
    assert registry.parsed("bandit", "switching:arms=1e1").values == {"arms": 10.0}
    assert registry.component("bandit", "switching:arms=1e1").arms == 10


@pytest.mark.parametrize(
    ("role", "name", "values", "sentence"),
    [
        ("policy", "a-ai", {"lam": "much"}, "A-AI: lam must be at least 0, not 'much'."),
        ("policy", "a-ai", {"lam": "0.5"}, "A-AI: lam must be at least 0, not '0.5'."),
        ("policy", "a-ai", {"lam": True}, "A-AI: lam must be at least 0, not True."),
        ("policy", "a-ai", {"lam": [0.5]}, "A-AI: lam must be at least 0, not [0.5]."),
        ("policy", "a-ai", {"lam": None}, "A-AI: lam must be at least 0, not None."),
        ("actor", "sw-ucb", {"kl": "yes"}, "SW-UCB: kl must be true or false, not 'yes'."),
        ("actor", "sw-ucb", {"kl": 2}, "SW-UCB: kl must be true or false, not 2."),
        (
            "bandit",
            "switching",
            {"arms": 2.5},
            "switching: arms must be a whole number in [2, 16777214], not 2.5.",
        ),
        ("bandit", "fixed", {"thetas": "abc"}, "fixed: thetas must be in [0, 1], not 'abc'."),
        ("bandit", "fixed", {"thetas": [0.5, "x"]}, "fixed: thetas must be in [0, 1], not 'x'."),
        ("bandit", "fixed", {"thetas": [[0.5]]}, "fixed: thetas must be in [0, 1], not [0.5]."),
    ],
)
def test_a_value_of_the_wrong_kind_is_one_sentence(role, name, values, sentence):
    with pytest.raises(InputError) as problem:
        registry.build(role, name, values)
    assert str(problem.value).lower() == sentence.lower()


def test_a_text_that_is_no_number_is_named_as_it_was_written():
    for text, word in (("a-ai:lam=much", "'much'"), ("a-ai:lam=", "''"), ("a-ai:lam=nan", "nan")):
        with pytest.raises(InputError, match=f"lam must be at least 0, not {word}"):
            registry.component("policy", text)
    with pytest.raises(InputError, match="'lam' in 'a-ai:lam' must read name=value"):
        registry.component("policy", "a-ai:lam")


def test_defaults_fill_in_what_is_open_and_fits():
    given = {"rho": 0.02, "epsilon": 0.3, "arms": 4}
    assert registry.build("learner", "smile", {}, **given) == aw.Smile(rho=0.02)
    assert registry.build("learner", "smile", {"rho": 0.5}, **given) == aw.Smile(rho=0.5)
    assert registry.policy_or_actor("hmm", **given) == aw.InformedHMM(epsilon=0.3, rho=0.02)


def test_a_policy_is_given_nothing():
    default = aw.EpsilonThompsonSampling()
    assert registry.policy_or_actor("eps-ts", **dict.fromkeys(default.parameters(), 0.9)) == default


def test_names_that_do_not_exist_are_refused_with_the_nearest():
    for role, name, near in [
        ("policy", "a-ia", "a-ai"),
        (registry.PLAYING, "hmmm", "hmm"),
        (registry.PLAYING, "a-ia", "a-ai"),
        ("bandit", "problem-11", "problem-1"),
    ]:
        with pytest.raises(InputError, match=f"There is no {role} '{name}'; did you mean '{near}'"):
            registry.component(role, name)
    with pytest.raises(InputError, match="did you mean 'lam'"):
        registry.component("policy", "a-ai:lan=1")
    with pytest.raises(InputError, match="problem-1 has no parameters to set, not arms"):
        registry.component("bandit", "problem-1:arms=4")


# Files of one's own


@pytest.mark.parametrize(
    ("name", "file", "cls"),
    [
        ("mine.py", "mine.py", ""),
        ("mine.py:Mine", "mine.py", "Mine"),
        ("../some folder/mine.py:Mine", "../some folder/mine.py", "Mine"),
        (r"C:\work\mine.py", r"C:\work\mine.py", ""),
        (r"C:\work\mine.py:Mine", r"C:\work\mine.py", "Mine"),
        ("/runs/rho=0.1/old.py/mine.py:Mine", "/runs/rho=0.1/old.py/mine.py", "Mine"),
        ("a-ai", "", ""),
        ("mine.pyx", "", ""),
    ],
)
def test_a_name_is_a_file_and_a_class(name, file, cls):
    assert registry.file_and_class(name) == (file, cls)


@pytest.mark.parametrize("folder", ["", "C:\\work\\", "/runs/rho=0.1/"])
@pytest.mark.parametrize("cls", ["", ":Stubborn"])
@pytest.mark.parametrize("tail", ["", ":strength=2", ":strength=2,other=3"])
def test_a_text_is_a_name_and_parameters(monkeypatch, folder, cls, tail):
    monkeypatch.setattr(registry, "_kinds", lambda *_: {})
    values = {"strength": 2.0, "other": 3.0}
    count = tail.count("=")
    found = registry.parsed("policy", f"{folder}mine.py{cls}{tail}")
    assert found == (f"{folder}mine.py{cls}", dict(list(values.items())[:count]))


def test_a_class_of_a_file_is_named(mine):
    for text, label, strength in [
        (f"{mine}:Stubborn", "Stubborn", 1.0),
        (f"{mine}:Greedy:strength=2", "Greedy", 2.0),
    ]:
        policy = registry.component("policy", text)
        assert (policy.label, policy.strength) == (label, strength)
    built = registry.build(registry.PLAYING, f"{mine}:Stubborn", {"strength": 3})
    assert (built.label, built.strength) == ("Stubborn", 3.0)


def test_the_only_component_of_a_role_needs_no_class(mine):
    assert registry.component("actor", f"{mine}:rho=0.25").rho == 0.25
    assert registry.component("actor", str(mine), rho=0.1).rho == 0.1
    assert registry.policy_or_actor(f"{mine}:Idle", rho=0.1).rho == 0.1


def test_several_components_must_be_told_apart(mine):
    with pytest.raises(InputError, match=r"defines Greedy, Stubborn: .* such as mine.py:Greedy"):
        registry.component("policy", str(mine))
    with pytest.raises(InputError, match=r"no policy 'Stuborn' in .*mine.py; did you mean 'Stub"):
        registry.component("policy", f"{mine}:Stuborn")
    with pytest.raises(InputError, match="There is no policy 'strength' in"):
        registry.component("policy", f"{mine}:strength")
    with pytest.raises(InputError, match=r"There is no policy '_Base' in"):
        registry.component("policy", f"{mine}:_Base")
    with pytest.raises(InputError, match=r"mine.py defines no learner"):
        registry.component("learner", f"{mine}:Greedy")
    with pytest.raises(InputError, match="parameters are given separately"):
        registry.build("policy", f"{mine}:Greedy:strength=2", {})


def test_a_file_is_loaded_once_until_it_changes(mine):
    first, again = (registry.class_of("policy", f"{mine}:Greedy") for _ in range(2))
    assert first is again
    mine.write_text(OWN.replace("default=1.0", "default=7.0"))
    assert registry.component("policy", f"{mine}:Greedy").strength == 7.0


def test_a_file_that_cannot_be_loaded_is_one_sentence(tmp_path):
    (tmp_path / "broken.py").write_text("import nowhere_at_all")
    (tmp_path / "folder.py").mkdir()
    for name, reason in [
        ("broken.py", "cannot be loaded: ModuleNotFoundError"),
        ("folder.py", "Is a directory"),
        ("none.py", "There is no file"),
    ]:
        with pytest.raises(InputError, match=reason):
            registry.component("policy", str(tmp_path / name))
