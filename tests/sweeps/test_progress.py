"""How far a run is: counts, and the time that is left."""

import pytest

import armwise as aw
from armwise.sweeps import progress as module
from armwise.sweeps.cell import Cell
from armwise.sweeps.progress import Tracker

AGENT = aw.Agent(aw.ApproximateActiveInference())


def cell(arms=2, seed=1, agent=AGENT):
    return Cell(aw.StationaryBandit(arms=arms), agent, 10, 10, seed, (10,))


@pytest.fixture
def clock(monkeypatch):
    """A clock that the test sets."""
    now = [0.0]
    monkeypatch.setattr(module.time, "perf_counter", lambda: now[0])
    return now


def test_the_time_left_follows_from_the_cells_done():
    reports = []
    tracker = Tracker(reports.append)
    cells = [cell(2), cell(4), cell(6)]
    tracker.begin(cells)
    assert reports[-1].left is None
    tracker.advance(cells[0], cells[0].work)
    tracker.kept(cells[0], seconds=3.0)
    assert (reports[-1].done, reports[-1].cells) == (1, 3)
    assert reports[-1].left == pytest.approx(3.0 * (4 + 6) / 2)  # in proportion to arms


def test_workers_share_what_is_left():
    tracker = Tracker(lambda _: None)
    cells = [cell(2, seed) for seed in range(5)]
    tracker.begin(cells)
    tracker.workers = 2
    tracker.advance(cells[0], cells[0].work)
    tracker.kept(cells[0], seconds=1.0)
    assert tracker.left() == pytest.approx(4.0 / 2)


def test_a_kind_not_yet_seen_costs_the_mean():
    tracker = Tracker(lambda _: None)
    seen, unseen = cell(2), cell(2, agent=aw.Agent(aw.UCB()))
    tracker.begin([seen, unseen])
    tracker.advance(seen, seen.work)
    tracker.kept(seen, seconds=2.0)
    assert tracker.left() == pytest.approx(2.0)


def test_a_cell_under_way_counts(clock):
    tracker = Tracker(lambda _: None)
    only = cell(2)
    tracker.begin([only])
    tracker.advance(only, 20)  # the first report sets the clock
    clock[0] = 4.0
    tracker.advance(only, 40)
    assert tracker.left() == pytest.approx(4.0)  # 40 of 100 took 4 s, and 40 are left


def test_a_skipped_cell_is_no_work():
    reports = []
    tracker = Tracker(reports.append)
    first, second = cell(2), cell(4)
    tracker.begin([first, second])
    tracker.skip(second)
    tracker.advance(first, first.work)
    tracker.kept(first, seconds=1.0)
    assert (reports[-1].cells, reports[-1].work, reports[-1].left) == (1, first.work, 0.0)


def test_a_file_set_aside_is_named_once(tmp_path):
    reports = []
    tracker = Tracker(reports.append)
    tracker.aside("a.nc is damaged.", None)  # another process was faster
    tracker.aside("b.nc is damaged.", tmp_path)
    assert tracker.sentences == [f"b.nc is damaged. It is now {tmp_path}."]
    assert [report.message for report in reports] == tracker.sentences
