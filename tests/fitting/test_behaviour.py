"""Measures of choices, tasks and twins, against loops over trials."""

import itertools

import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import armwise as aw
from armwise.fitting import behaviour
from armwise.fitting.task import since_change, task_of
from armwise.fitting.twins import as_choices, like, play


def data_of(people, best=None):
    rows = [
        (str(person), block, trial, arm if arm >= 0 else None, won if arm >= 0 else None)
        for person, blocks in enumerate(people)
        for block, trials in enumerate(blocks)
        for trial, (arm, won) in enumerate(trials)
    ]
    columns = ["subject", "block", "trial", "choice", "outcome"]
    return aw.load_choices(pandas.DataFrame(rows, columns=columns), arms=["0", "1", "2"])


trials = st.lists(st.tuples(st.integers(-1, 2), st.integers(0, 1)), min_size=1, max_size=12)
blocks = st.lists(trials, min_size=1, max_size=3)


@settings(deadline=None, max_examples=50)
@given(st.lists(blocks, min_size=1, max_size=3), st.integers(0, 99))
def test_measures_are_those_of_a_loop(people, seed):
    people = [person for person in people if any(arm >= 0 for b in person for arm, _ in b)]
    if not people:
        return
    data = data_of(people)
    best = np.random.default_rng(seed).integers(0, 3, len(data.frame))
    layout = behaviour.layout_of(data, best)
    found = behaviour.per_person(layout, data.sequences.choices, data.sequences.outcomes)
    rows = iter(best)
    for number, person in enumerate(people):
        counts = {name: [] for name in ("won", "best", "stay", "win_stay", "lose_shift")}
        for block in person:
            tops = [next(rows) for _ in block]
            for (arm, won), top in zip(block, tops, strict=True):
                if arm >= 0:
                    counts["won"].append(won)
                    counts["best"].append(arm == top)
            for (arm, won), (then, _) in itertools.pairwise(block):
                if arm >= 0 and then >= 0:
                    counts["stay"].append(arm == then)
                    counts["win_stay" if won else "lose_shift"].append((arm == then) == bool(won))
        assert found.keys() == counts.keys()
        for name, events in counts.items():
            expected = np.mean(events) if events else np.nan
            assert found[name][number] == pytest.approx(expected, nan_ok=True), name


def test_curves_around_a_change_are_those_of_a_loop():
    random = np.random.default_rng(1)
    people = [
        [[(int(random.integers(0, 3)), int(random.integers(0, 2))) for _ in range(length)]]
        for length in (40, 55, 61)
    ]
    data = data_of(people)
    best = np.concatenate([np.arange(length) // 13 % 3 for length in (40, 55, 61)])
    layout = behaviour.layout_of(data, best)
    found = behaviour.curves(layout, data.sequences.choices, data.sequences.outcomes)
    follow, switch = {}, {}
    for person in range(3):
        own = best[data.persons == person]
        arms = data.sequences.choices[data.persons == person]
        for change in range(1, len(own)):
            if own[change] == own[change - 1]:
                continue
            for offset in range(-behaviour.BEFORE, behaviour.AFTER):
                at = change + offset
                if not 0 <= at < len(own):
                    continue
                expected = own[change - 1] if offset < 0 else own[change]
                if (own[min(at, change) : max(at, change - (offset < 0)) + 1] != expected).any():
                    continue
                follow.setdefault(offset, []).append(arms[at] == own[change])
                if at > 0:
                    switch.setdefault(offset, []).append(arms[at] != arms[at - 1])
    for name, wanted in (("after_change", follow), ("switching", switch)):
        curve = found[name]
        for place, offset in enumerate(behaviour.abscissa(name, len(curve))):
            expected = np.mean(wanted[offset]) if offset in wanted else np.nan
            assert curve[place] == pytest.approx(expected, nan_ok=True), (name, offset)


def test_a_task_is_read_from_columns_or_given():
    data = data_of([[[(0, 1), (1, 0)]], [[(2, 1), (1, 1), (0, 0)]]])
    with pytest.raises(aw.InputError, match="theta_0, theta_1 and theta_2"):
        task_of(data)
    given_thetas = np.array([[0.9, 0.1, 0.2], [0.1, 0.2, 0.9], [0.5, 0.5, 0.1]])
    task = task_of(data, given_thetas)
    assert task.best.tolist() == [0, 2, 0, 2, -1]
    assert not task.known
    with pytest.raises(aw.InputError, match="3 trials x 3 arms"):
        task_of(data, given_thetas[:2])
    with pytest.raises(aw.InputError, match="must have 3 arms"):
        task_of(data, aw.SwitchingBandit(arms=4))
    known = task_of(aw.example("reversal"))
    frame = aw.example("reversal").frame
    assert known.known
    assert (known.best == frame["best"].to_numpy()).all()
    segments = since_change(aw.example("reversal"), known.best)
    assert (segments[frame["segment"] == 1] == -1).all()
    assert (segments[frame["segment"] > 1] == (frame["trial"] - 1)[frame["segment"] > 1] % 15).all()


AGENT = aw.Agent(aw.MeanOutcome(), aw.RescorlaWagner(), aw.Softmax())


def test_twins_miss_what_people_miss_and_make_the_choices_that_were_forced():
    rows = [(1, t, [0, None, 2][t % 3], [1, None, 0][t % 3], int(t == 3)) for t in range(30)]
    columns = ["subject", "trial", "choice", "outcome", "forced"]
    data = aw.load_choices(pandas.DataFrame(rows, columns=columns), arms=[0, 1, 2])
    thetas = np.tile([1.0, 0.0, 0.0], (30, 1))
    values = np.full((50, 1, 2), [0.5, 3.0])
    twins = play(AGENT, ("rate", "precision"), values, data, thetas, seed=1)
    assert ((twins.choices < 0) == (data.sequences.choices < 0)).all()
    assert (twins.choices[:, 3] == 0).all()
    chosen = twins.choices >= 0
    assert (twins.outcomes[chosen] == (twins.choices[chosen] == 0)).all()
    assert len({tuple(line) for line in twins.choices.tolist()}) > 25  # copies differ
    again = as_choices(data, twins, 0, "twins")
    assert again.sequences.choices.tolist() == twins.choices[0].tolist()
    assert again.sequences.scored.tolist() == data.sequences.scored.tolist()


def test_twins_with_random_choices_choose_each_arm_as_often():
    data = aw.example("reversal").only([str(number) for number in range(1, 41)])
    task = task_of(data)
    twins = play(AGENT, ("precision",), np.zeros((5, 40, 1)), data, task.thetas)
    shares = np.bincount(twins.choices.ravel(), minlength=3) / twins.choices.size
    assert shares == pytest.approx([1 / 3] * 3, abs=5 * np.sqrt(2 / 9 / twins.choices.size))
    best = np.mean(twins.outcomes[:, :] == 1)
    assert best == pytest.approx(0.4, abs=5 * np.sqrt(0.24 / twins.choices.size))


def test_tasks_for_more_people_repeat_those_of_the_data():
    data = data_of([[[(0, 1), (1, 0)]], [[(2, 1), (1, 1), (0, 0)]]])
    assert like(data, 2).subjects == data.subjects
    assert like(data, 3).subjects[:2] == data.subjects
    lengths = np.bincount(like(data, 5).persons)
    assert sorted(lengths.tolist())[:2] == [2, 2]
    with pytest.raises(aw.InputError, match="from 2 up"):
        like(data, 1)


def test_twins_choose_among_the_arms_on_offer_and_see_what_others_would_have_paid():
    rows = [(1, t, [0, 2, 1][t % 3], 1, ["0|1", "1|2", ""][t % 3], 0, 0, 1) for t in range(30)]
    columns = ["subject", "trial", "choice", "outcome", "available"]
    frame = pandas.DataFrame(rows, columns=[*columns, "outcome_0", "outcome_1", "outcome_2"])
    chosen = frame["choice"].to_numpy()
    for arm in range(3):
        frame[f"outcome_{arm}"] = np.where(chosen == arm, 1, frame[f"outcome_{arm}"])
    data = aw.load_choices(frame, arms=[0, 1, 2])
    thetas = np.tile([0.0, 0.5, 1.0], (30, 1))
    values = np.tile([0.5, 3.0], (20, 1, 1))
    twins = play(AGENT, ("rate", "precision"), values, data, thetas)
    for row in range(30):
        allowed = [{0, 1}, {1, 2}, {0, 1, 2}][row % 3]
        assert set(twins.choices[:, row].tolist()) <= allowed
    others = np.arange(3) != twins.choices[..., None]
    assert (twins.shown[others] >= 0).all()
    assert (twins.shown[..., 2][others[..., 2]] == 1).all()
    assert (twins.shown[..., 0][others[..., 0]] == 0).all()
    again = as_choices(data, twins, 3, "twins")
    assert np.array_equal(again.sequences.shown, twins.shown[3])
    assert np.array_equal(again.sequences.available, data.sequences.available)
    assert np.isfinite(aw.fit(AGENT, again, ["precision"], method="ml").values()).all()
