"""What a player says of itself: against SciPy, plain counts, and `armwise.explain`."""

import math
from typing import Any

import pytest
from scipy import stats

import armwise as aw
from armwise import Agent, actors
from armwise.actors.window_ucb import window_for
from armwise.play.player import Player
from armwise.play.summary import quantile

ARMS = ["red", "green", "<b>"]


def taught(agent: Any, outcomes: int = 40) -> Player:
    player = Player(agent, ARMS, seed=5, compile=False)
    for trial in range(outcomes):
        ticket = player.choose()
        player.observe(ticket, int((trial * 7) % 10 < 3 + 3 * ARMS.index(ticket.arm)))
    return player


def test_means_and_intervals_are_those_of_the_beliefs() -> None:
    player = taught(Agent(aw.ThompsonSampling()))
    found = player.explain()
    for arm, (alpha, beta) in player.beliefs().items():
        belief = stats.beta(alpha, beta)
        expected = belief.mean(), *belief.interval(0.95)
        assert [found[arm][name] for name in ("mean", "low", "high")] == pytest.approx(expected)
    assert sum(each["best"] for each in found.values()) == pytest.approx(1.0)
    assert sum(each["recent"] for each in found.values()) == pytest.approx(1.0)


def test_scores_and_terms_are_those_of_the_next_trial() -> None:
    for policy in (aw.ExactActiveInference(lam=1.0), aw.OptimisticThompsonSampling(), aw.UCB()):
        player = taught(Agent(policy, aw.Smile(rho=0.05)))
        alpha, beta = zip(*player.beliefs().values(), strict=True)
        expected = aw.explain(player.agent, alpha, beta, trial=41, seed=5)
        found = player.explain()
        for name in expected.data_vars:
            column = [each[name] for each in found.values()]
            assert column == pytest.approx(expected[name].values.tolist(), rel=1e-12)
        best = max(found, key=lambda arm: found[arm]["score"])
        ticket = player.choose()
        assert ticket.arm == best
        assert found[best]["probability"] == pytest.approx(ticket.probability)


def test_the_share_of_recent_choices_forgets_and_is_saved(tmp_path: Any) -> None:
    player = Agent(aw.RandomChoice()).start(ARMS)
    for _ in range(150):
        player.choose(among=["red"])
    for _ in range(25):
        player.choose(among=["green"])
    player.save(tmp_path / "state.json")
    for each in (player, aw.load_player(tmp_path / "state.json")):
        shares = {arm: values["recent"] for arm, values in each.explain().items()}
        assert shares == {"red": 0.75, "green": 0.25, "<b>": 0.0}


ACTORS = [
    aw.BOCPD(),
    aw.LearnedBOCPD(),
    aw.GittinsBOCPD(),
    aw.RedrawnArms(),
    aw.Universal(leads=(9, 0, 0)),
]


@pytest.mark.parametrize("actor", ACTORS, ids=lambda actor: actor.label)
def test_an_actor_that_weighs_hypotheses_has_means_and_intervals(actor: Any) -> None:
    """Without room for a change all outcomes count, and the belief is one Beta belief per arm."""
    player = taught(actor, outcomes=1)
    arm = next(name for name, each in player.explain().items() if each["recent"] == 1.0)
    found = player.explain()[arm]
    mixed = [part for part in actor.mixture(player._solo.memory.tolist(), 3)]
    place = ARMS.index(arm)
    expected = sum(w * a[place] / (a[place] + b[place]) for w, a, b in mixed)
    assert sum(weight for weight, _, _ in mixed) == pytest.approx(1.0)
    assert found["mean"] == pytest.approx(expected, rel=1e-9)
    assert 0 < found["low"] < found["mean"] < found["high"] < 1
    facts = player.summary().facts
    assert 0 <= facts["change within 20 outcomes"] <= 1
    assert min(getattr(actor, "rates", [actor.parameters().get("rho")])) <= facts["rate of changes"]


def test_a_change_is_noticed() -> None:
    player = aw.BOCPD(rho=0.02).start(["a", "b"], compile=False)
    for outcomes, least, most in (([1] * 100, 0.0, 0.5), ([0] * 10, 0.95, 1.0)):
        for outcome in outcomes:
            player.observe(player.choose(), outcome)
        assert least <= player.summary().facts["change within 20 outcomes"] <= most


def test_universal_says_which_bandit_it_believes_in() -> None:
    player = aw.Universal(leads=(0, -1, -9)).start(["a", "b"], compile=False)
    memory = player._solo.memory
    assert player.summary().facts["believes"].startswith("all arms are drawn again")
    memory[1] = 5.0  # evidence for the other model
    said = player.summary()
    assert said.facts["believes"].startswith("the best arm moves")
    assert [each["best"] for each in said.arms.values()] == pytest.approx([0.5, 0.5])
    mean = said.arms["a"]["mean"]
    assert 0.5 < mean < 0.6  # bases lie around 0.5, and gaps are above them
    assert said.arms["b"]["mean"] == pytest.approx(mean)
    assert said.facts["the others pay"] == pytest.approx(0.5)
    memory[2] = 9.0
    single = player.summary()
    assert single.facts["believes"].startswith("every arm")
    assert single.arms["a"]["mean"] == pytest.approx(0.5)
    assert single.arms["a"]["low"] < 0.1 < 0.9 < single.arms["a"]["high"]


def test_bounds_that_forget_say_what_they_count() -> None:
    window = window_for(100, 4)
    for actor in (aw.WindowUCB(horizon=100, switches=4), aw.DiscountedUCB(horizon=100)):
        player = taught(actor)
        found = player.explain()
        counts = [each["outcomes"] for each in found.values()]
        if isinstance(actor, aw.WindowUCB):
            assert sum(counts) == window < 40
        assert all(0 <= each["mean"] <= 1 for each in found.values())


def test_an_actor_with_nothing_to_say_still_has_its_choices() -> None:
    assert list(taught(aw.EXP3S()).explain()["red"]) == ["probability", "recent"]
    assert list(taught(aw.ParticleFilter()).explain()["red"]) == ["recent"]


WHOLE = [
    *(getattr(actors, name)() for name in actors.__all__),
    aw.Chooser(aw.BOCPD(), aw.Softmax(precision=8)),
    aw.Chooser(aw.InformedHMM(), aw.HabitualSoftmax()),
]


@pytest.mark.parametrize("agent", WHOLE, ids=str)
def test_an_actor_says_how_probable_every_arm_is_and_how_it_scores(agent: Any) -> None:
    player = taught(agent, outcomes=25)
    found = player.explain()
    ticket = player.choose()
    chances = {arm: each.get("probability") for arm, each in found.items()}
    assert chances[ticket.arm] == ticket.probability
    if ticket.probability is not None:
        assert sum(chances.values()) == pytest.approx(1.0, abs=1e-12)
        if (
            not isinstance(agent, aw.Chooser)
            and "score" in found["red"]
            and ticket.probability > 0.3
        ):
            best = max(each["score"] for each in found.values())
            assert found[ticket.arm]["score"] == pytest.approx(best, rel=1e-9)


def test_the_table_has_a_line_per_arm_and_html_is_escaped() -> None:
    said = taught(Agent(aw.UCB())).summary()
    lines = repr(said).splitlines()
    assert lines[0].split()[:4] == ["arm", "mean", "low", "high"]
    assert [line.split()[0] for line in lines[1:4]] == ARMS
    assert "choices: 40" in lines
    shown = said._repr_html_()
    assert "<th>&lt;b&gt;</th>" in shown
    assert "<b>" not in shown
    assert "choices: 40" in shown


def test_a_new_player_and_odd_names() -> None:
    said = Agent(aw.UCB()).start(["\n", "\ud800"]).summary()
    assert repr(said).splitlines()[1].startswith("'\\n'")
    assert "recent" not in said.arms["\n"]


def test_a_quantile_of_a_mixture() -> None:
    parts = [(0.3, 2.0, 5.0), (0.7, 40.0, 3.0)]
    for tail in (0.025, 0.5, 0.975):
        x = quantile(parts, tail)
        reached = math.fsum(w * stats.beta(a, b).cdf(x) for w, a, b in parts)
        assert reached == pytest.approx(tail, abs=1e-9)
