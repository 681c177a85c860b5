"""`armwise lab` as a process: it starts, answers, and ends without a word."""

import os
import signal
import subprocess
import sys
import urllib.request

import pytest

COMMAND = "from armwise.cli import main; import sys; sys.argv[0] = 'armwise'; main()"


def started(*arguments, cwd):
    return subprocess.Popen(
        [sys.executable, "-c", COMMAND, "lab", "--no-browser", "--port", "0", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=cwd,
    )


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_it_answers_until_it_is_ended_and_leaves_nothing(tmp_path, name):
    with started(cwd=tmp_path) as process:
        address = process.stdout.readline().removeprefix("armwise lab: ").strip()
        assert address.startswith("http://127.0.0.1:")
        with urllib.request.urlopen(address, timeout=60) as answer:
            assert b"<html" in answer.read()
        process.send_signal(getattr(signal, name))
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (0, "", "")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["task.toml"], "A task needs a folder for what people choose: --data FOLDER."),
        (["task.toml", "--data", "data"], "task.toml cannot be read: No such file or directory."),
        (["mine.py"], "There is no file"),
        (["notes.txt"], "notes.txt is nothing for the lab"),
        (["--watch", "nowhere.db"], "There is no file nowhere.db."),
        (["--host", "0.0.0.0"], "say by which name or address pages call this lab"),
        (["--host", "192.0.2.1"], "The lab cannot listen at 192.0.2.1"),
    ],
)
def test_what_cannot_be_is_a_sentence_and_exit_code_2(tmp_path, arguments, words):
    with started(*arguments, cwd=tmp_path) as process:
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (2, "")
    assert words in err
    assert "Traceback" not in err


def test_off_this_machine_the_address_holds_a_token(tmp_path):
    everywhere = ("--host", "0.0.0.0", "--allowed-host", "lab.example")
    with started(*everywhere, cwd=tmp_path) as process:
        address = process.stdout.readline()
        warning = process.stdout.readline()
        process.terminate()
        process.communicate(timeout=60)
    assert address.startswith("armwise lab: http://lab.example:")
    assert "/?token=" in address
    assert "plain HTTP" in warning
