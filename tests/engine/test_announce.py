"""A person is told what compiles, if it takes long, and nobody else is."""

import io
import time

import pytest

import armwise as aw
from armwise.engine import announce


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    monkeypatch.setattr(announce, "SOON", 0.01)
    monkeypatch.delenv("ARMWISE_QUIET", raising=False)


def said(monkeypatch, screen, seconds=0.1):
    """What is written to stderr while something compiles for so long."""
    monkeypatch.setattr("sys.stderr", screen)
    with announce.compiling("A-AI with SMiLe for the switching bandit"):
        time.sleep(seconds)
    time.sleep(0.05)
    return screen.getvalue()


def test_a_terminal_is_told_what_takes_long(monkeypatch):
    expected = "compiling A-AI with SMiLe for the switching bandit ...\n"
    assert said(monkeypatch, Terminal()) == expected


def test_what_is_done_at_once_is_not_spoken_of(monkeypatch):
    assert said(monkeypatch, Terminal(), seconds=0.0) == ""


def test_a_log_is_told_later(monkeypatch):
    assert said(monkeypatch, io.StringIO()) == ""
    monkeypatch.setattr(announce, "LATE", 0.01)
    assert said(monkeypatch, io.StringIO()).startswith("compiling")


def test_armwise_can_be_quiet(monkeypatch):
    monkeypatch.setenv("ARMWISE_QUIET", "1")
    assert said(monkeypatch, Terminal()) == ""


def test_an_agent_is_described_by_its_parts():
    agent = aw.Agent(aw.ExactActiveInference(), aw.Smile(rho=0.1), aw.Softmax())
    assert announce.described(agent) == "G-AI with SMiLe and softmax"
    assert announce.described(aw.Universal()) == "universal"
