"""People: outcomes as in `simulate`, no theta before the end, every trial on the disk."""

import csv
import io
import json

import numpy as np
import pytest

import armwise as aw
from armwise.lab.fitting import CANDIDATES
from armwise.lab.parts import Shelf
from armwise.lab.rooms import Given
from armwise.lab.runs import Block, Run, thetas_of
from armwise.lab.task import Task

from .conftest import AGENT, BANDIT, SMILE, Page, client_of, page_of

SAME = aw.SwitchingBandit(arms=3, epsilon=0.4, rho=0.02, p=0.3)
SOFT = {**AGENT, "label": "soft", "choice": {"name": "softmax", "precision": 4.0}}
HARD = {**AGENT, "label": "hard"}
TASK = """
title = "Two machines"
consent = "I am **18** or older."
instructions = ["Press *keys*.", "See <b>this</b>."]
timeout_ms = 2000

[[block]]
practice = true
trials = 2
bandit = { name = "stationary", arms = 2 }

[[block]]
trials = 5
seed = 9
bandit = { name = "switching", arms = 3, rho = 0.1 }
labels = ["red", "green", "blue"]
keys = ["J", "K", "L"]
same_for_all = false
"""


def arms_of(trials, arms=3):
    """Choices of somebody who repeats what paid; the fifth trial is missed."""
    return [
        -1 if trial == 5 else (trial * trial + trial // 7) % arms for trial in range(1, trials + 1)
    ]


def played(page, trials=40, seed=11, number=4, **more):
    """A whole run of Play: its name, and what it was told."""
    place, _ = page.ask("play", bandit=BANDIT, horizon=trials, seed=seed, number=number, **more)
    told = []
    for arm in arms_of(trials):
        asked = {name: place[name] for name in ("run", "block", "trial")}
        answer, _ = page.ask("choose", **asked, arm=arm, rt_ms=321.4)
        told.append(answer)
        place = answer["place"]
    assert place["over"]
    return place["run"], told


def test_outcomes_are_those_that_an_agent_would_have_met(page):
    """A copy of the run by `simulate` with an agent that chooses these very arms."""
    run, told = played(page)
    header, arrays = page.ask("reveal", run=run, agents=[HARD])
    trace = aw.trace(SAME, aw.Agent(aw.UCB()), 40, seed=11, number=4, device="python")
    np.testing.assert_array_equal(arrays["theta"], trace.theta.values.astype(np.float32))
    same = [t for t in range(40) if trace.chosen.values[t] == told[t]["arm"]]
    assert len(same) > 5
    for t in same:
        assert told[t]["outcome"] == trace.outcome.values[t]
    assert (header["seed"], header["number"], header["horizon"]) == (11, 4, 40)


def test_nothing_tells_theta_before_the_end(page):
    run, _ = played(page, seed=None)
    before = list(page.heard)
    header, arrays = page.ask("reveal", run=run, agents=[HARD])
    assert all(isinstance(text, str) for text in before)  # no arrays
    known = {"id", "kind", "arm", "outcome", "place"}
    for text in before[1:]:
        assert set(json.loads(text)) == known
    words = " ".join(before)
    assert "theta" not in words
    assert str(header["seed"]) not in words
    for value in np.unique(arrays["theta"]):
        assert f"{value:.6f}" not in words


def test_equal_choices_are_answered_equally_whatever_the_future_holds(page):
    """Runs in bandits that differ only in later trials are told the same until then."""
    one, two = (played(page, trials=n)[1] for n in (20, 40))
    assert [t["outcome"] for t in one] == [t["outcome"] for t in two[:20]]


def test_regret_and_likelihoods_are_those_of_python(page):
    run, told = played(page)
    other = {"label": "ts", "policy": {"name": "o-ts"}, "learner": SMILE}
    header, arrays = page.ask("reveal", run=run, agents=[SOFT, HARD, other])
    person, soft, hard, drawn = header["rows"]
    arms = np.array([each["arm"] for each in told])
    theta = arrays["theta"].astype(float)
    lost = theta.max(axis=1) - np.where(arms < 0, 0.0, theta[np.arange(40), arms])
    assert person["regret"] == pytest.approx(lost.sum(), rel=1e-5)
    outcomes = [max(each["outcome"], 0) for each in told]
    agent = aw.Agent(aw.ExactActiveInference(lam=0.5), aw.Smile(rho=0.02))
    for row, precision in ((soft, 4.0), (hard, hard["precision"])):
        model = aw.Agent(agent.policy, agent.learner, aw.Softmax(precision=precision))
        expected = aw.replay(model, arms, outcomes, 3, device="python")
        assert row["log_likelihood"] == pytest.approx(expected, abs=1e-9)
        assert row["per_trial"] == pytest.approx(expected / 39)
    told = aw.trace(SAME, agent, 40, seed=11, number=4, device="python")
    assert hard["regret"] == float(told.regret[-1])
    assert person["log_likelihood"] == pytest.approx(-39 * np.log(3))
    best = max(row["log_likelihood"] for row in (person, soft, hard))
    assert soft["difference"] == pytest.approx(soft["log_likelihood"] - best)
    sampled = aw.Agent(aw.OptimisticThompsonSampling(), aw.Smile(rho=0.02))
    expected = aw.replay(sampled, arms, outcomes, 3, device="python")
    assert drawn["log_likelihood"] == pytest.approx(expected, abs=1e-9)
    assert np.nansum(arrays["surprise"][1]) == pytest.approx(-soft["log_likelihood"], rel=1e-5)


def test_actors_are_compared_if_they_have_scores(page):
    run, told = played(page)
    arms, outcomes = [t["arm"] for t in told], [max(t["outcome"], 0) for t in told]
    given = [{"policy": {"name": name}} for name in ("bocpd", "glr-klucb")]
    _, bocpd, detector = page.ask("reveal", run=run, agents=given)[0]["rows"]
    model = aw.Chooser(aw.BOCPD(), aw.Softmax(precision=bocpd["precision"]))
    expected = aw.replay(model, arms, outcomes, 3, device="python")
    assert bocpd["log_likelihood"] == pytest.approx(expected, abs=1e-9)
    assert detector["log_likelihood"] is None
    assert detector["why"].endswith(".")


def test_agents_are_fitted_row_by_row(page):
    """Missed trials do not count; every value is that of `fit`, and evidence costs parameters."""
    run, told = played(page)
    page.tell("fits", run=run)
    answers = [page.next()[0] for _ in range(len(CANDIDATES) + 1)]
    assert [each["coming"] for each in answers] == [*CANDIDATES, None]
    assert [len(each["rows"]) for each in answers] == list(range(1, len(CANDIDATES) + 2))
    assert [each["over"] for each in answers] == [False] * len(CANDIDATES) + [True]
    rows = answers[-1]["rows"]
    assert [row["difference"] for row in rows] == sorted(
        (r["difference"] for r in rows), reverse=True
    )
    assert {row["trials"] for row in rows} == {39}
    assert next(r for r in rows if not r["values"])["evidence"] == pytest.approx(-39 * np.log(3))
    arms, outcomes = [t["arm"] for t in told], [max(t["outcome"], 0) for t in told]
    found = aw.fit(
        aw.Agent(aw.MeanOutcome(), aw.RescorlaWagner(), aw.Softmax()),
        aw.load_choices([(arms, outcomes)], arms=3),
        ["rate", "precision"],
    )
    row = next(row for row in rows if row["label"] == "RW")
    assert row["evidence"] == found.log_evidence()[0]
    assert [each["value"] for each in row["values"]] == found.values()[0].tolist()
    assert row["agent"] == str(found.agents()[0])


def test_only_a_run_that_is_over_is_fitted(page):
    place, _ = page.ask("play", bandit=BANDIT, horizon=9, seed=1)
    told, _ = page.ask("fits", run=place["run"])
    assert told["problem"].startswith("The run is not over")


def test_the_precision_is_the_best(page):
    run, told = played(page)
    hard = page.ask("reveal", run=run, agents=[HARD])[0]["rows"][1]
    arms, outcomes = [t["arm"] for t in told], [max(t["outcome"], 0) for t in told]

    def likelihood(precision):
        model = aw.Agent(
            aw.ExactActiveInference(lam=0.5), aw.Smile(rho=0.02), aw.Softmax(precision=precision)
        )
        return aw.replay(model, arms, outcomes, 3, device="python")

    for factor in (0.5, 0.9, 1.1, 2.0):
        near = hard["precision"] * factor + (0.01 * factor if hard["precision"] == 0 else 0.0)
        assert likelihood(near) <= hard["log_likelihood"] + 1e-9


def test_the_csv_replays_to_the_same_log_likelihood(client, page):
    run, _ = played(page)
    soft = page.ask("reveal", run=run, agents=[SOFT])[0]["rows"][1]
    rows = list(csv.DictReader(io.StringIO(client.get(f"/api/played/{run}.csv").text)))
    assert len(rows) == 40
    assert rows[4]["timeout"] == "1"
    assert rows[4]["choice"] == ""
    assert rows[0]["rt_ms"] == "321"
    choices = [int(row["choice"] or -1) for row in rows]
    outcomes = [int(row["outcome"] or 0) for row in rows]
    model = aw.Agent(
        aw.ExactActiveInference(lam=0.5), aw.Smile(rho=0.02), aw.Softmax(precision=4.0)
    )
    found = aw.replay(model, choices, outcomes, 3, device="python")
    assert found == pytest.approx(soft["log_likelihood"], abs=1e-9)


def test_before_the_end_nothing_is_revealed(client, page):
    place, _ = page.ask("play", bandit=BANDIT, horizon=10, seed=1)
    assert "not over" in page.ask("reveal", run=place["run"])[0]["problem"]
    assert client.get(f"/api/played/{place['run']}.csv").status_code == 404
    assert client.get("/api/played/nobody.csv").status_code == 404
    page.ask("choose", run=place["run"], block=1, trial=1, arm=2, rt_ms=1)
    assert page.ask("end", run=place["run"])[0]["over"]
    assert page.ask("reveal", run=place["run"], agents=[HARD])[0]["horizon"] == 1


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"trial": 2}, "Trial 1 of block 1 is next"),
        ({"block": 2}, "Trial 1 of block 1 is next"),
        ({"arm": 3}, "arm must be a whole number from -1 to 2"),
        ({"arm": "1"}, "arm must be"),
        ({"rt_ms": -1}, "rt_ms must be"),
        ({"rt_ms": "soon"}, "rt_ms must be"),
        ({"run": "nobody"}, "There is no such run"),
        ({"run": ["x"]}, "There is no such run"),
    ],
)
def test_a_choice_that_cannot_be_changes_nothing(page, given, words):
    place, _ = page.ask("play", bandit=BANDIT, horizon=5, seed=1)
    asked = {"run": place["run"], "block": 1, "trial": 1, "arm": 0, "rt_ms": 5}
    assert words in page.ask("choose", **asked | given)[0]["problem"]
    assert page.ask("choose", **asked)[0]["place"]["trial"] == 2


def test_a_choice_that_is_sent_twice_counts_once():
    run = Run("anybody", [Block(SAME, 5, 3)])
    asked = {"block": 1, "trial": 1, "arm": 2, "rt_ms": 10}
    assert run.choose(asked) == run.choose(asked)
    assert len(run.lines) == 1


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "task.toml").write_text(TASK)
    return tmp_path


def given(folder):
    return Given(task=folder / "task.toml", data=folder / "data")


def taken(page, place, trials=99):
    while not place["over"] and trials:
        asked = {name: place[name] for name in ("run", "block", "trial")}
        place = page.ask("choose", **asked, arm=place["trial"] % place["arms"], rt_ms=50)[0][
            "place"
        ]
        trials -= 1
    return place


def test_a_task_goes_on_after_a_reload_and_after_a_restart(folder):
    with client_of(given(folder)) as client:
        with page_of(client) as socket:
            page = Page(socket)
            told, _ = page.ask("task")
            assert [block["practice"] for block in told["blocks"]] == [True, False]
            assert told["labels"] == [["1", "2"], ["red", "green", "blue"]]
            assert "begins with consent" in page.ask("begin")[0]["problem"]
            place = taken(page, page.ask("begin", consent=True)[0], trials=3)
        run = place["run"]
        with page_of(client) as socket:
            assert Page(socket).ask("begin", run=run)[0]["trial"] == place["trial"] == 2
    path = folder / "data" / f"{run}.jsonl"
    with path.open("ab") as file:
        file.write(b'{"block": 2, "tri')  # the machine lost power here
    with client_of(given(folder)) as client, page_of(client) as socket:
        page = Page(socket)
        place, _ = page.ask("begin", run=run)
        assert (place["block"], place["trial"], place["keys"]) == (2, 2, ["J", "K", "L"])
        assert "not over" in page.ask("finish", run=run)[0]["problem"]
        taken(page, place)
        told, _ = page.ask("finish", run=run)
        assert len(told["code"]) == 8
        assert "Only a run of Play" in page.ask("reveal", run=run)[0]["problem"]
    head, *lines, last = map(json.loads, path.read_text().splitlines())
    assert head["consent"] is True
    assert len(lines) == 7
    assert last == {"finished": True, "code": told["code"]}
    rows = list(csv.DictReader(io.StringIO((folder / "data" / f"{run}.csv").read_text())))
    assert [row["block"] for row in rows] == ["1"] * 2 + ["2"] * 5
    assert {row["subject"] for row in rows} == {run}
    for name in (f"{run}.csv", "choices.csv"):
        data = aw.load_choices(folder / "data" / name, where={"practice": 0}, arms=3)
        assert data.subjects == (run,)
        kept = [int(row["choice"]) if row["choice"] else -1 for row in rows[2:]]
        assert data.sequences.choices.tolist() == kept


def test_a_trial_is_on_the_disk_before_it_is_answered(folder):
    with client_of(given(folder)) as client, page_of(client) as socket:
        page = Page(socket)
        place, _ = page.ask("begin", consent=True)
        path = folder / "data" / f"{place['run']}.jsonl"
        for done in range(1, 4):
            place = taken(page, place, trials=1)
            assert len(path.read_text().splitlines()) == 1 + done


def test_nobody_can_name_a_file(folder):
    (folder / "secret.jsonl").write_text("{}\n")
    with client_of(given(folder)) as client, page_of(client) as socket:
        for name in ("../secret", "..%2fsecret", "secret", "/etc/passwd", "x" * 50, 3):
            assert Page(socket).ask("begin", run=name)[0]["problem"] == "There is no such run."


def test_another_version_of_a_task_does_not_go_on_with_a_run(folder):
    with client_of(given(folder)) as client, page_of(client) as socket:
        run = Page(socket).ask("begin", consent=True)[0]["run"]
    (folder / "task.toml").write_text(TASK.replace("trials = 5", "trials = 6"))
    with client_of(given(folder)) as client, page_of(client) as socket:
        assert "another version" in Page(socket).ask("begin", run=run)[0]["problem"]


def test_where_bandits_are_not_the_same_for_all_they_differ(folder):
    task = Task.read(folder / "task.toml", Shelf())
    one, two = (task.blocks(task.number_of(name)) for name in ("somebody", "another"))
    assert one[0] == two[0]
    assert (thetas_of(one[1]._replace(trials=60)) != thetas_of(two[1]._replace(trials=60))).any()


def test_texts_are_plain_data(folder):
    told = Task.read(folder / "task.toml", Shelf()).told()
    assert told["consent"] == [["p", {}, "I am ", ["strong", {}, "18"], " or older."]]
    assert told["instructions"][1] == [["p", {}, "See <b>this</b>."]]


def test_without_a_data_folder_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with client_of() as client, page_of(client) as socket:
        played(Page(socket), trials=5)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("title = ", "is not TOML"),
        (TASK.replace("trials = 5", "trials = 0"), "block 2 trials: input should be greater"),
        (TASK.replace('"J", "K"', '"J", "J"'), "keys must be 3 different texts"),
        (TASK.replace('"red", ', ""), "labels must be 3 different texts"),
        (TASK.replace("rho = 0.1", "rho = 2"), "rho must be in [0, 1], not 2"),
        (TASK.replace("consent", "konsent"), "consent: field required"),
        (TASK + "\ncolour = 1", "block 2 colour: extra inputs"),
    ],
)
def test_a_task_that_cannot_be_is_a_sentence(tmp_path, text, words):
    (tmp_path / "task.toml").write_text(text)
    with pytest.raises(aw.InputError) as problem:
        Task.read(tmp_path / "task.toml", Shelf())
    assert words in str(problem.value)
    assert "task.toml" in str(problem.value)
