"""A person is told what compiles, if it takes long, and nobody else is."""

import io
import time

import pytest

import armwise as aw
from armwise.engine import announce


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.setattr(announce, "SOON", 0.01)
    monkeypatch.delenv("ARMWISE_QUIET", raising=False)
    screen = Terminal()
    monkeypatch.setattr("sys.stderr", screen)
    return screen


def wait():
    with announce.compiling("A-AI with SMiLe for the switching bandit"):
        time.sleep(0.1)


def test_a_terminal_is_told_what_takes_long(terminal):
    wait()
    assert terminal.getvalue() == "compiling A-AI with SMiLe for the switching bandit ...\n"


def test_what_is_done_at_once_is_not_spoken_of(terminal):
    with announce.compiling("nothing"):
        pass
    time.sleep(0.05)
    assert terminal.getvalue() == ""


def test_a_log_is_told_later(terminal, monkeypatch):
    log = io.StringIO()
    monkeypatch.setattr("sys.stderr", log)
    wait()
    assert log.getvalue() == ""
    monkeypatch.setattr(announce, "LATE", 0.01)
    wait()
    assert log.getvalue().startswith("compiling")


def test_armwise_can_be_quiet(terminal, monkeypatch):
    monkeypatch.setenv("ARMWISE_QUIET", "1")
    wait()
    assert terminal.getvalue() == ""


def test_an_agent_is_described_by_its_parts():
    agent = aw.Agent(aw.ExactActiveInference(), aw.Smile(rho=0.1), aw.Softmax())
    assert announce.described(agent) == "G-AI with SMiLe and softmax"
    assert announce.described(aw.Universal()) == "universal"
