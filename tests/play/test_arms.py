"""Arms that come and go: what is left is as if the others had never been there."""

from typing import Any

import numpy as np
import pytest

import armwise as aw
from armwise import Agent, InputError, actors, learners
from armwise.actors.moving_best import best_by_model, moved
from armwise.actors.universal import ends
from armwise.play.player import Player

ACTORS: list[Any] = [
    aw.BOCPD(most=20),
    aw.LearnedBOCPD(most=20),
    aw.GittinsBOCPD(most=20),
    aw.DurationBOCPD(most=20),
    aw.WindowUCB(horizon=100, switches=4),
    aw.DiscountedUCB(horizon=100),
]
LEARNERS: list[Any] = [
    aw.Smile(rho=0.05),
    aw.SlidingWindow(window=15),
    aw.SlidingWindow(window=1_000),
    learners.Discounted(),
    learners.LearnedChange(),
    learners.AdaptiveForgetting(),
]
AGENTS = ACTORS + [Agent(aw.BayesianUCB(), learner) for learner in LEARNERS]


def outcomes(arms: list[int], count: int = 60) -> list[tuple[int, int]]:
    draws = np.random.default_rng(5)
    return [(int(draws.choice(arms)), int(draws.random() < 0.6)) for _ in range(count)]


def taught(agent: Any, arms: list[str], seen: list[tuple[int, int]]) -> Player:
    """A player that was told outcomes of arms, whatever it would have chosen."""
    player = Player(agent, arms, seed=2, compile=False)
    for trial, (arm, outcome) in enumerate(seen, start=1):
        player.repeat(arms[arm])
        player.observe(trial, outcome)
    return player


def memory(player: Player) -> dict[str, list[float]]:
    return {name: list(part) for name, part in player._solo.lasting().items()}


def unturned(player: Player) -> dict[str, list[float]]:
    """The memory, but without windows: these are rings, which may begin anywhere."""
    found, agent = memory(player), player.agent
    if isinstance(agent, aw.WindowUCB):
        found["memory"] = found["memory"][: 3 * len(player.arms)]
    elif isinstance(agent, Agent) and isinstance(agent.learner, aw.SlidingWindow):
        del found["memory"]
    return found


def lived(player: Player, seed: int) -> list[Any]:
    """Its next choices, with outcomes."""
    draws, found = np.random.default_rng(seed), []
    for _ in range(80):
        ticket = player.choose()
        found.append(ticket.arm)
        player.observe(ticket, int(draws.random() < 0.5))
    return found


@pytest.mark.parametrize("agent", AGENTS, ids=str)
def test_a_new_arm_is_as_one_that_was_never_played(agent: Any) -> None:
    seen = outcomes([0, 1])
    small, large = taught(agent, ["a", "b"], seen), taught(agent, ["a", "b", "c"], seen)
    small.add_arm("c")
    assert unturned(small) == unturned(large)
    assert lived(small, 1) == lived(large, 1)


@pytest.mark.parametrize("agent", AGENTS, ids=str)
def test_an_arm_that_was_never_played_leaves_nothing(agent: Any) -> None:
    small = taught(agent, ["a", "b"], outcomes([0, 1]))
    large = taught(agent, ["x", "a", "y", "b"], outcomes([1, 3]))
    large.remove_arm("x")
    large.remove_arm("y")
    assert unturned(small) == unturned(large)
    assert lived(small, 1) == lived(large, 1)


@pytest.mark.parametrize("agent", [*ACTORS[4:5], *AGENTS[7:9]], ids=str)
def test_a_window_holds_the_last_outcomes_of_the_arms_that_are_there(agent: Any) -> None:
    """By plain counting: those of an arm that left leave too, and make room."""
    seen = outcomes([0, 1, 2])
    player = taught(agent, ["a", "b", "c"], seen)
    size = 21 if isinstance(agent, aw.WindowUCB) else agent.learner.window
    kept = [(arm, outcome) for arm, outcome in seen[-size:] if arm != 1]
    player.remove_arm("b")
    for trial, (arm, outcome) in enumerate(outcomes([0, 2], 7), start=61):
        player.repeat("abc"[arm])
        player.observe(trial, outcome)
        kept = [*kept, (arm, outcome)][-size:]
    for place, arm in ((0, 0), (1, 2)):
        played = [outcome for each, outcome in kept if each == arm]
        if isinstance(agent, aw.WindowUCB):
            values = player._solo.memory[2:4][place], player._solo.memory[4:6][place]
            assert values == (len(played), sum(played))
        else:
            belief = player.beliefs()["ac"[place]]
            assert belief == (1 + sum(played), 1 + len(played) - sum(played))


def test_the_hypotheses_keep_their_weights_when_an_arm_leaves() -> None:
    for actor in ACTORS[:3]:
        player = taught(actor, ["a", "b", "c"], outcomes([0, 1, 2]))
        before = actor.mixture(player._solo.memory.tolist(), 3)
        player.remove_arm("b")
        after = actor.mixture(player._solo.memory.tolist(), 2)
        assert after == [(w, [a[0], a[2]], [b[0], b[2]]) for w, a, b in before]


def test_universal_gives_a_new_arm_an_even_chance_and_spreads_that_of_one_that_left() -> None:
    actor = aw.Universal(most=20)
    player = taught(actor, ["a", "b", "c"], outcomes([0, 1, 2]))

    def best(arms):
        first, end = ends(actor, arms)
        return best_by_model(moved(actor, player._solo.memory[first:end], arms), arms)

    rows = best(3)
    player.add_arm("d")
    found = best(4)
    assert np.allclose(found[:, 3], 0.25, rtol=1e-12)
    assert np.allclose(found[:, :3], 0.75 * rows, rtol=1e-12)
    player.remove_arm("d")
    player.remove_arm("a")
    left = (best(2) - 0.75 * rows[:, 1:] - 0.25 / 3) - 0.5 * (0.75 * rows[:, :1] + 0.25 / 3)
    assert np.abs(left).max() < 1e-9
    assert len(player._solo.memory) == actor.memory_size(2)
    assert set(lived(player, 3)) == {"b", "c"}
    with pytest.raises(InputError, match="at least 2 arms"):
        player.remove_arm("b")


def test_a_compiled_actor_goes_on_with_other_arms() -> None:
    plain, quick = (Player(aw.BOCPD(), ["a", "b"], seed=4, compile=each) for each in (False, True))
    for player in (plain, quick):
        player.found = []  # type: ignore[attr-defined]
        for number in range(3):
            player.found += lived(player, number)  # type: ignore[attr-defined]
            player.add_arm(number)
        player.remove_arm("a")
        player.found += lived(player, 9)  # type: ignore[attr-defined]
    assert plain.found == quick.found  # type: ignore[attr-defined]
    assert memory(plain) == memory(quick)
    assert quick.compiled


def test_the_others_say_that_they_cannot() -> None:
    able = {type(each) for each in ACTORS} | {aw.Universal, aw.AveragedHMM, aw.DurationHMM}
    able |= {aw.TwoWorlds, aw.RedrawnArms, aw.MovingBest, aw.SeparateArms}
    for name in actors.__all__:
        kind = getattr(actors, name)
        player = kind().start(["a", "b"])
        before = player.saved()
        if kind not in able:
            with pytest.raises(InputError, match="cannot add or remove arms while it runs"):
                player.add_arm("c")
            assert player.saved() == before
        else:
            player.add_arm("c")
            assert len(player.arms) == 3


class Short(aw.BOCPD):
    """Returns a memory of another length."""

    def rearranged(self, memory: Any, arms: int, places: list[int]) -> list[float]:
        return [0.0]


def test_a_memory_of_the_wrong_length_is_refused() -> None:
    player = Short().start(["a", "b"])
    with pytest.raises(InputError, match=r"Short\.rearranged must return as many numbers"):
        player.add_arm("c")
    assert player.arms == ["a", "b"]
