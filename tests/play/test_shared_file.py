"""What may go wrong with the file of a player: full disks, damage, other files, clocks."""

import contextlib
import itertools
import json
import os
import random
import sqlite3
import time
from pathlib import Path

import pytest

import armwise as aw
from armwise.errors import InputError
from armwise.model.roles import Actor
from armwise.play import eventfile, eventlog, offline, shared
from armwise.play.audit import audit, latest
from armwise.play.events import Event, chained
from armwise.play.overview import overview

ARMS = ["red", "green", "blue"]

AGENTS = {
    "h-efe": aw.Agent(aw.HorizonActiveInference()),
    "softmax": aw.Agent(
        aw.ApproximateActiveInference(), aw.Smile(rho=0.05), aw.Softmax(precision=3)
    ),
    "ts": aw.Agent(aw.ThompsonSampling(), aw.Smile(rho=0.05)),
    "actor": aw.DiscountedUCB(),
}

AGENT = AGENTS["h-efe"]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "headlines.db"


def saved(player):
    """The whole state of a player, but its name."""
    file = Path(str(random.random()))
    try:
        player.save(file)
        return {**json.loads(file.read_text())["body"], "name": ""}
    finally:
        file.unlink()


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def lived(player, other, trials, luck):
    """Let two handles of one player take turns; outcomes late, out of order, or never."""
    waiting = []
    for trial in range(trials):
        one, two = (player, other) if luck.random() < 0.5 else (other, player)
        among = luck.sample(one.arms, 2) if luck.random() < 0.2 and not actor(one) else None
        waiting.append(one.choose(among=among).number)
        if len(waiting) > 5:
            number = waiting.pop(luck.randrange(6))
            two.observe(number, luck.random() < 0.4) if luck.random() < 0.8 else two.forget(number)
        if trial == 20 and not actor(one):
            two.add_arm("black")
        if trial == 30 and not actor(one):
            one.remove_arm("green")


def actor(player):
    return isinstance(player.agent, Actor)


def test_a_full_disk_is_a_sentence_and_nothing_acknowledged_is_lost(path):
    with AGENT.open(path, ARMS) as player:
        player.choose()
        [[pages]] = player._log.rows("PRAGMA page_count")
        player._log.rows(f"PRAGMA max_page_count = {pages + 2}")
        count = 1
        with pytest.raises(InputError, match="cannot be written: the disk is full"):  # noqa: PT012
            while True:
                player.observe(player.choose(), 1) if count % 9 else player.choose()
                count += 1
        player._log.rows("PRAGMA max_page_count = 100000")
        events = audit(path, AGENT).events
        assert player.choose().number == audit(path, AGENT).choices
    found = audit(path, AGENT)
    assert (found.events, found.problems) == (events + 1, [])


@pytest.mark.parametrize("durable", ["commit", "batch"])
def test_a_disk_that_fails_at_the_commit_is_a_sentence(path, durable, monkeypatch):
    with AGENT.open(path, ARMS, durable=durable) as player:
        player.observe(player.choose(), 1)
        player.flush()
        leave = eventlog.EventLog._leave

        def failing(self, how):
            if how == "COMMIT":
                raise OSError(28, "No space left on device")
            leave(self, how)

        monkeypatch.setattr(eventlog.EventLog, "_leave", failing)
        with pytest.raises(InputError, match="No space left on device"):  # noqa: PT012
            player.choose()
            player.flush()
        monkeypatch.setattr(eventlog.EventLog, "_leave", leave)
        player.observe(player.choose(), 1)
    found = audit(path, AGENT)
    assert (found.choices, found.problems) == (2 if durable == "commit" else 3, [])


def test_a_damaged_database_is_a_sentence(path):
    with AGENT.open(path, ARMS) as player:
        for _ in range(100):
            player.observe(player.choose(), 1)
    content = bytearray(path.read_bytes())
    for page in range(1, len(content) // 4096):
        content[4096 * page : 4096 * page + 200] = os.urandom(200)
    path.write_bytes(content)
    with (
        pytest.raises(InputError, match=r"is damaged|was edited or damaged"),
        AGENT.open(path, ARMS) as player,
    ):
        player.choose()
    path.write_bytes(os.urandom(5000))
    with pytest.raises(InputError, match="is no file of a shared player"):
        aw.open_player(path)


def test_an_edited_event_is_found_by_its_checksum_and_a_forged_one_by_the_agent(path):
    with AGENT.open(path, ARMS) as player:
        for outcome in (1, 0, 1):
            player.observe(player.choose(), outcome)
    connection = sqlite3.connect(path)
    connection.execute("UPDATE event SET outcome = 1 - outcome WHERE number = 2")
    connection.commit()
    [problem] = audit(path, AGENT).problems
    assert "was edited or damaged: event 2 is not as it was written" in problem
    with pytest.raises(InputError, match="event 2 is not as it was written"):
        AGENT.open(path, ARMS).choose()
    before = 0  # whoever can write events can write checksums
    for *values, _ in connection.execute("SELECT * FROM event ORDER BY number").fetchall():
        before = chained(Event(*values), before)
        connection.execute("UPDATE event SET checksum = ? WHERE number = ?", (before, values[0]))
    connection.commit()
    connection.close()
    [problem] = audit(path, AGENT).problems
    assert "the agent, asked again, chose" in problem


def test_a_damaged_snapshot_is_passed_over_and_reported(path, monkeypatch):
    monkeypatch.setattr(shared, "SNAPSHOT_EVERY", 10)
    with AGENT.open(path, ARMS) as player:
        lived(player, player, 20, random.Random(5))
        before = saved(player)
        [[newest]] = player._log.rows("SELECT max(event) FROM snapshot")
        player._log.write("UPDATE snapshot SET state = '{}' WHERE event = ?", newest)
    with aw.open_player(path) as player:
        assert saved(player) == before
    assert audit(path, AGENT).problems == [
        f"{path} was edited or damaged: the snapshot of event {newest} is."
    ]


def test_other_files_are_refused_and_left_alone(path, tmp_path):
    path.write_text('{"format": "armwise player"}')
    with pytest.raises(InputError, match="is no file of a shared player"):
        AGENT.open(path, ARMS)
    path.write_text("")
    with pytest.raises(InputError, match="is empty, and no file of a player"):
        AGENT.open(path, ARMS)
    other = tmp_path / "other.db"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE event (number)")
    content = other.read_bytes()
    with pytest.raises(InputError, match="is a database of another program"):
        AGENT.open(other, ARMS)
    assert other.read_bytes() == content
    with pytest.raises(InputError, match="is a folder, and no file of a player"):
        AGENT.open(tmp_path, ARMS)
    with pytest.raises(InputError, match="cannot be opened: is its folder there"):
        AGENT.open(tmp_path / "no" / "folder.db", ARMS)


def test_an_older_and_a_newer_schema_are_refused_by_number(path):
    AGENT.open(path, ARMS).close()
    for version in (0, 2):
        with sqlite3.connect(path) as connection:
            connection.execute(f"PRAGMA user_version = {version}")
        with pytest.raises(
            InputError, match=f"has version {version}; this armwise reads version 1"
        ):
            AGENT.open(path, ARMS)


@pytest.mark.parametrize("agent", ["[1]", "[]"])
def test_a_file_that_says_nothing_of_its_agent_is_refused(path, agent):
    AGENT.open(path, ARMS).close()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE about SET value = ? WHERE key = 'agent'", (agent,))
    for given in (None, AGENT):
        with pytest.raises(InputError, match="was edited or damaged: it names no agent"):
            aw.open_player(path, given)


def test_lost_events_at_the_end_are_found_by_a_snapshot(path):
    with AGENT.open(path, ARMS) as player:
        for _ in range(100):
            player.observe(player.choose(), 1)
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM event WHERE number > 190")
    [problem] = audit(path, AGENT).problems
    assert problem.endswith("it ends with event 190, and has a snapshot of event 200.")


def test_text_that_cannot_be_read_is_damage_and_not_printed(path):
    AGENT.open(path, ARMS).close()
    state = b'\xff{"' + 1_000 * b"x"
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE snapshot SET state = CAST(? AS TEXT)", (state,))
    with pytest.raises(InputError, match="is damaged") as refusal:
        aw.open_player(path)
    assert len(str(refusal.value)) < 200 + len(str(path))


def test_names_in_a_database_that_cannot_be_read_are_damage(path):
    AGENT.open(path, ARMS).close()
    content = path.read_bytes()
    assert b"tableeventevent" in content
    path.write_bytes(content.replace(b"tableeventevent", b"table\xc0ventev\xc1nt"))
    with pytest.raises(InputError, match="is damaged"):
        aw.open_player(path)


def test_bytes_that_flip_are_sentences_or_do_no_harm(path):
    """Whoever opens, checks or shows a damaged file gets what was written, or a sentence."""
    with AGENT.open(path, ARMS, durable="batch") as player:
        for trial in range(200):
            player.observe(player.choose(), trial % 2)
    content, luck = path.read_bytes(), random.Random(5)
    query = "SELECT * FROM event ORDER BY number"
    with contextlib.closing(sqlite3.connect(path)) as connection:
        events = connection.execute(query).fetchall()
    for _ in range(60):
        damaged = bytearray(content)
        for _ in range(luck.choice([1, 20])):
            damaged[luck.randrange(len(damaged))] ^= luck.randrange(1, 256)
        path.write_bytes(damaged[: luck.choice([len(damaged), luck.randrange(len(damaged))])])
        found = None
        with contextlib.suppress(InputError):
            found = audit(path, AGENT)
        with contextlib.suppress(InputError):
            latest(path, AGENT).summary()
        for look in (overview, offline.logged):
            with contextlib.suppress(InputError):
                look(path)
        if found is not None and not found.problems:
            with contextlib.closing(sqlite3.connect(path)) as connection:
                assert connection.execute(query).fetchall() == events
        with contextlib.suppress(InputError), aw.open_player(path) as player:
            player.choose()
        for ending in ("", "-wal", "-shm"):
            Path(f"{path}{ending}").unlink(missing_ok=True)


def test_a_clock_that_jumps_never_runs_backwards_in_the_file_and_never_stands_still(
    path, monkeypatch
):
    clock, pace = iter([1e9, 2e9, 1e9, 5e8, 3e9]), itertools.count()
    with AGENT.open(path, ARMS) as player:
        monkeypatch.setattr(time, "time", lambda: next(clock))
        monkeypatch.setattr(time, "monotonic", lambda: float(next(pace)))
        for _ in range(5):
            player.choose()
        monkeypatch.undo()
        assert player._log.rows("SELECT time FROM event") == [
            (t,) for t in (1e9, 2e9, 2e9 + 1, 2e9 + 2, 3e9)
        ]


def test_after_a_clock_was_ahead_tickets_go_on_expiring_whoever_calls(path, monkeypatch):
    ahead, pace = [1e9], [0.0]
    monkeypatch.setattr(time, "time", lambda: 1e9 + ahead[0] + pace[0])
    monkeypatch.setattr(time, "monotonic", lambda: pace[0])
    expires = aw.Expiry(seconds=60, outcome=0)
    alone = AGENT.start(ARMS, expires=expires, clock=time.time)
    with AGENT.open(path, ARMS, expires=expires) as first, aw.open_player(path) as second:
        for each in (first, second, alone):
            each.choose()
        ahead[0] = 0.0  # the clock is right again
        for turn in range(20):
            pace[0] += 10.0
            (first if turn % 3 else second).choose()
            alone.choose()
        assert first.open == second.open == list(range(17, 23))  # those of the last minute
        assert alone.open == list(range(16, 22))
    assert audit(path, AGENT).problems == []


def test_a_deleted_log_is_a_sentence_and_what_was_acknowledged_is_kept(path):
    player = AGENT.open(path, ARMS)
    numbers = [player.choose().number for _ in range(20)]
    Path(f"{path}-wal").unlink()
    with pytest.raises(InputError, match=r"headlines.db-wal was deleted or replaced"):
        player.choose()
    player.close()
    found = audit(path, AGENT)
    assert (found.choices, found.problems) == (len(numbers), [])


def test_an_empty_log_of_a_file_that_is_gone_is_no_obstacle(path):
    AGENT.open(path, ARMS).close()
    Path(f"{path}-wal").touch()  # as whoever only reads leaves it
    path.unlink()
    with AGENT.open(path, ARMS) as player:
        assert player.choose().number == 1


def test_a_deleted_file_is_a_sentence_and_not_a_file_nobody_sees(path):
    player = AGENT.open(path, ARMS)
    player.choose()
    path.unlink()
    with pytest.raises(InputError, match="was deleted or replaced while it was in use"):
        player.choose()
    with pytest.raises(InputError, match=r"headlines.db-wal belongs to a file that is gone"):
        AGENT.open(path, ARMS)
    player.close()


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anything")
def test_a_file_that_cannot_be_written_is_a_sentence(path):
    AGENT.open(path, ARMS).close()
    path.chmod(0o400)
    with pytest.raises(InputError, match=r"is read-only|cannot be used"):
        AGENT.open(path, ARMS).choose()


def test_a_network_folder_is_a_warning(path, monkeypatch):
    table = f"/dev/vda / ext4 rw\nserver:/home {path.parent} nfs4 rw\n"
    monkeypatch.setattr(eventfile.Path, "read_text", lambda self, *_: table)
    with pytest.warns(UserWarning, match=r"network folder \(nfs4\)"):
        AGENT.open(path, ARMS).close()


def test_nobody_is_shown_half_a_file(tmp_path, monkeypatch):
    def failing(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(eventfile.os, "link", failing)
    monkeypatch.setattr(eventfile.os, "replace", failing)
    with pytest.raises(InputError, match="No space left on device"):
        AGENT.open("x.db", ARMS)
    assert list(tmp_path.glob("x.db*")) == []
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    made = [eventfile.create(tmp_path / "y.db", {}, (0, 0.0, "", "")) for _ in range(2)]
    assert made == [True, False]
