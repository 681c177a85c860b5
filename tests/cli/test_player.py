"""`armwise player`: what it shows, what it finds, and what it refuses in a sentence."""

import json
import sqlite3

import pytest
from typer.testing import CliRunner

import armwise as aw
from armwise import registry
from armwise.cli import app

RUN = CliRunner()
OWN = """
import armwise as aw

class Mine(aw.Policy):
    strength: float = aw.parameter(default=1.0, meaning="any")

    def score(self, shared, arm, alpha, beta, rng):
        return self.strength * alpha / (alpha + beta) + 1e-9 * arm
"""


def run(*arguments):
    return RUN.invoke(app, ["player", *map(str, arguments)])


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "headlines.db"
    agent = aw.Agent(aw.HorizonActiveInference())
    with agent.open(path, ["plain", "question", "[bold]\x1b[31m"], seed=7) as player:
        for trial in range(12):
            ticket = player.choose()
            if trial % 3:
                player.observe(ticket, trial % 2)
        player.forget(1)
        player.remove_arm("question")
        player.add_arm("new")
    return path


def test_show_counts_by_arm_and_prints_the_last_events(path):
    shown = run("show", path, "--last", 2)
    assert shown.exit_code == 0
    assert "h-efe:share=0.5 smile" in shown.stdout
    assert "12 choices: 8 outcomes, 0 expired, 1 forgotten, 3 open" in shown.stdout
    assert "withdrawn" in shown.stdout
    assert "[bold]\\x1b[31m" in shown.stdout  # as it is, and it steers no terminal
    assert shown.stdout.rstrip().endswith("add  arm='new'")
    assert "\n21 " not in shown.stdout


def test_show_prints_json_with_the_same_numbers_as_the_player(path):
    data = json.loads(run("show", path, "--json", "--last", 1).stdout)
    with aw.open_player(path) as player:
        beliefs = {row["arm"]: row["belief"] for row in data["arms"] if row["there"]}
        assert beliefs == {arm: list(each) for arm, each in player.beliefs().items()}
        assert data["open"] == len(player.open)
    assert sum(row["chosen"] for row in data["arms"]) == data["choices"] == 12
    assert sum(row["outcomes"] for row in data["arms"]) == data["outcomes"] == 8
    assert [event["kind"] for event in data["last"]] == ["add"]


@pytest.mark.parametrize("outcome", [0, None])
def test_show_knows_what_has_expired_and_what_that_means(tmp_path, outcome):
    agent = aw.Agent(aw.HorizonActiveInference())
    expires = aw.Expiry(tickets=4, outcome=outcome)
    with agent.open(tmp_path / "a.db", ["a", "b"], expires=expires) as player:
        for trial in range(20):
            ticket = player.choose()
            if trial % 3 == 0:
                player.observe(ticket, 1)
        waiting = len(player.open)
        beliefs = player.beliefs()
    data = json.loads(run("show", tmp_path / "a.db", "--json").stdout)
    assert (data["open"], data["expired"]) == (waiting, 20 - 7 - waiting)
    for row in data["arms"]:
        alpha, beta = beliefs[row["arm"]]
        assert row["mean"] == pytest.approx((alpha - 1) / (alpha + beta - 2))


def test_what_show_says_of_open_tickets_is_what_the_agent_believes_meanwhile(tmp_path):
    agent = aw.Agent(aw.HorizonActiveInference())
    expires = aw.Expiry(tickets=4, outcome=0, meanwhile=0)
    with agent.open(tmp_path / "a.db", ["a", "b"], expires=expires) as player:
        for trial in range(20):
            ticket = player.choose()
            if trial % 3 == 0:
                player.observe(ticket, 1)
        assert player.open
        believed = {arm: row["mean"] for arm, row in player.explain().items()}
    data = json.loads(run("show", tmp_path / "a.db", "--json").stdout)
    for row in data["arms"]:
        count = row["outcomes"] + row["expired"] + row["open"]
        assert (row["ones"] + 1) / (count + 2) == pytest.approx(believed[row["arm"]])
        assert row["mean"] == pytest.approx(row["ones"] / count)


def test_show_writes_the_agent_as_it_prints(path):
    with aw.open_player(path) as player:
        assert f": {player.agent}, seed 7" in run("show", path).stdout


def test_components_that_are_not_there_are_refused(path):
    refused = run("verify", path, "--components", "nowhere.py")
    assert refused.exit_code == 2
    assert "There is no file nowhere.py." in refused.stderr


def test_verify_replays_a_file_and_ends_with_1_if_it_was_edited(path):
    found = run("verify", path)
    assert found.exit_code == 0
    assert "23 events replayed: 12 choices, decided again, are the same." in found.stdout
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE event SET arm = 'plain' WHERE number = 5")
        connection.execute("UPDATE event SET outcome = 1 - outcome WHERE number = 5")
    found = run("verify", path)
    assert found.exit_code == 1
    assert "event 5 is not as it was written" in found.stdout
    data = json.loads(run("verify", path, "--json").stdout)
    assert (data["events"], len(data["problems"])) == (4, 1)


def test_components_of_ones_own_are_loaded_only_if_they_are_named(tmp_path):
    (tmp_path / "mine.py").write_text(OWN)
    policy = registry.component("policy", f"{tmp_path / 'mine.py'}:strength=2")
    path = tmp_path / "mine.db"
    with aw.Agent(policy).open(path, ["a", "b"]) as player:
        player.observe(player.choose(), 1)
    shown = run("show", path)
    assert shown.exit_code == 0
    assert "No beliefs" in shown.stdout
    assert "give --components with its file" in shown.stdout
    refused = run("verify", path)
    assert refused.exit_code == 2
    assert "needs the policy 'mine', which is not armwise's own" in refused.stderr
    named = run("verify", path, "--components", tmp_path / "mine.py")
    assert named.exit_code == 0, named.output
    assert "1 choices" in named.stdout
    assert "Be(2, 1)" in run("show", path, "--components", tmp_path / "mine.py").stdout


@pytest.mark.parametrize("command", ["show", "verify"])
def test_what_is_no_file_of_a_player_is_a_sentence_with_exit_code_2(command, tmp_path):
    (tmp_path / "text.db").write_text("hello, this is no database at all" * 40)
    for name, sentence in {
        "nowhere.db": "There is no file",
        "text.db": "is no file of a shared player",
        ".": "is a folder, and no file of a player",
    }.items():
        found = run(command, tmp_path / name)
        assert found.exit_code == 2
        assert sentence in found.stderr
        assert "Traceback" not in found.output


def test_explain_says_what_the_player_says(path):
    shown = run("explain", path)
    assert shown.exit_code == 0
    with aw.open_player(path) as player:
        assert shown.stdout.replace("compiled: no", "") == f"{player.summary()}\n".replace(
            "compiled: no", ""
        ).replace("\x1b", "\\x1b")
        data = json.loads(run("explain", path, "--json").stdout)
        found = {row.pop("arm"): row for row in data["arms"]}
        assert found == player.explain()
    assert data["open tickets"] == 3


def test_show_counts_the_ones(path):
    data = json.loads(run("show", path, "--json").stdout)
    assert sum(row["ones"] for row in data["arms"]) == 4
    assert " ones " in run("show", path).stdout


def test_show_counts_tickets_that_the_file_began_with(tmp_path):
    agent = aw.Agent(aw.HorizonActiveInference())
    player = agent.start(["a", "b"], seed=1, expires=aw.Expiry(tickets=4, outcome=0))
    player.choose(4)
    player.save(tmp_path / "state.json")
    with aw.open_player(tmp_path / "a.db", state_from=tmp_path / "state.json") as shared:
        shared.observe(2, 1)
        shared.observe(shared.choose(), 0)
        shared.forget(3)
        waiting, beliefs = shared.open, shared.beliefs()
    data = json.loads(run("show", tmp_path / "a.db", "--json").stdout)
    assert (data["open"], data["expired"], data["outcomes"]) == (len(waiting), 1, 2)
    for row in data["arms"]:
        alpha, beta = beliefs[row["arm"]]
        assert row["ones"] == alpha - 1
        assert row["outcomes"] - row["ones"] + row["expired"] == beta - 1
    assert (
        "It began with the state of a player after 4 choices."
        in run("show", tmp_path / "a.db").stdout
    )
