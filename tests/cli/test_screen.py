"""How far a run is, on a terminal and in a log, and how one ends that is cut short."""

from pathlib import Path

import pytest
import typer

from armwise.cli import screen as module
from armwise.cli.guard import INTERRUPTED
from armwise.cli.screen import Screen
from armwise.errors import Gone, InputError
from armwise.sweeps.progress import Progress

HALF = Progress(done=2, cells=4, worked=20, work=40, left=7.0)


def stopped(problem, *, total=10, began=True, said=()):
    """A run that ends with a problem, after a report and some lines."""
    with Screen(total, Path("results")) as screen:
        if began:
            screen.show(HALF)
        for line in said:
            screen.say(line)
        raise problem


def test_ctrl_c_ends_with_what_is_kept_and_its_code(capsys):
    with pytest.raises(typer.Exit) as ended:
        stopped(KeyboardInterrupt())
    assert ended.value.exit_code == INTERRUPTED
    said = "Interrupted. 8 of 10 cells are kept in results; the same command goes on from there.\n"
    assert capsys.readouterr().err == said


def test_ctrl_c_before_the_first_cell_claims_no_numbers(capsys):
    with pytest.raises(typer.Exit):
        stopped(KeyboardInterrupt(), began=False)
    assert capsys.readouterr().err.startswith("Interrupted. What was done is kept in results;")


def test_bad_input_says_what_is_kept_once_the_work_has_begun():
    full = InputError("The disk is full.")
    with pytest.raises(InputError, match=r"^The disk is full\. 8 of 10 cells are kept in results;"):
        stopped(full)
    with pytest.raises(InputError, match=r"^The disk is full\.$"):
        stopped(full, began=False)


def test_a_store_that_is_gone_keeps_nothing():
    with pytest.raises(Gone, match=r"^The store is gone\.$"):
        stopped(Gone("The store is gone."))


def test_other_errors_pass():
    with pytest.raises(ZeroDivisionError):
        stopped(ZeroDivisionError())


def test_a_log_gets_a_line_now_and_then_and_every_message(capsys, monkeypatch):
    clock = iter([0.0, 0.1, 0.2, 1.0, 9.0, 20.0])
    monkeypatch.setattr(module.time, "perf_counter", lambda: next(clock))
    with Screen(4, Path("results")) as screen:
        screen.show(HALF)
        screen.show(HALF._replace(message="a.nc was set aside."))
        for _ in range(3):
            screen.show(HALF)
    lines = capsys.readouterr().err.splitlines()
    assert lines == [
        "a.nc was set aside.",
        "2 of 4 cells, 22 agent-trials/s, 7 s left",
        "2 of 4 cells, 1 agent-trials/s, 7 s left",
    ]


def test_the_end_of_a_run_is_a_line(capsys):
    with Screen(4, Path("results")) as screen:
        screen.show(HALF)
        screen.close("2 computed")
    assert capsys.readouterr().err == "4 cells: 2 computed.\n"


def test_what_follows_the_run_is_guarded_too(capsys):
    with pytest.raises(typer.Exit):
        stopped(KeyboardInterrupt(), total=4, said=["writing the page"])
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "writing the page"
    assert lines[1].startswith("Interrupted. 2 of 4 cells are kept")
