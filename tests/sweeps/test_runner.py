"""Runs that are killed, interrupted, doubled, starved or sent to workers end with the same data."""

import dataclasses
import functools
import itertools
import os
import random
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import armwise as aw
from armwise.errors import InputError
from armwise.sweeps.cell import Cell
from armwise.sweeps.results import stored_cells
from armwise.sweeps.runner import order, run
from armwise.sweeps.store import Store
from armwise.sweeps.sweep import Sweep

ARMWISE = [sys.executable, "-c", "from armwise.cli import main; main()"]
TEXT = """
horizon = 60
agents = 12
checkpoints = [10, 60]
[[bandit]]
name = "switching"
arms = [4, 8]
rho = 0.05
[[agent]]
policy = { name = "a-ai", lam = { from = 0.0, to = 0.9, step = 0.15 } }
[[agent]]
policy = { name = "o-ts" }
"""
CELLS = 16


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A sweep of cells that take some tens of milliseconds each, and a store where it ran whole."""
    folder = tmp_path_factory.mktemp("runner")
    (folder / "small.toml").write_text(TEXT)
    assert command(folder / "small.toml", folder / "whole").returncode == 0
    return folder


def arguments(sweep, store, *extra):
    words = ["run", sweep, "--store", store, "--device", "python", *extra]
    return [*ARMWISE, *(str(word) for word in words)]


def command(sweep, store, *extra, **options):
    return subprocess.run(
        arguments(sweep, store, *extra),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        **options,
    )


def start(*words):
    return subprocess.Popen(words[0], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def data(folder):
    """Everything in a store but the provenance: bytes of all variables of all cells."""
    store = Store(folder)
    found = {}
    for name, cell in stored_cells(store).items():
        result = store.read(cell)
        found[name] = {
            str(key): (str(value.dtype), value.dims, value.values.tobytes())
            for key, value in result.variables.items()
        }
    return found


def wait_for(condition, seconds=30.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.005)


def files(folder):
    return [path for path in Path(folder, "cells").glob("*.nc")]


def grown(folder, count, process):
    return len(files(folder)) > count or process.poll() is not None


def cells_of(text=TEXT):
    import tomllib

    return Sweep.of(tomllib.loads(text)).cells()


# Killed


def test_killed_at_random_moments_a_run_resumes_to_the_same_data(small, tmp_path):
    rng = random.Random(os.getpid())
    counts = []
    for _ in range(3):
        before = len(files(tmp_path))
        process = start(arguments(small / "small.toml", tmp_path))
        wait_for(functools.partial(grown, tmp_path, before, process))
        time.sleep(rng.uniform(0.0, 0.1))
        process.kill()
        process.communicate()
        counts.append(len(files(tmp_path)))
    assert counts[0] < CELLS, "the first run was never cut short"
    ended = command(small / "small.toml", tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert f"{counts[-1]} already there" in ended.stdout
    assert data(tmp_path) == data(small / "whole")
    assert not list(Path(tmp_path, "cells").glob(".*"))


KILLED = """
import os, signal
from armwise.sweeps import files
step, count = {step!r}, 0

def dying(name, module, after):
    plain = getattr(module, name)
    def replaced(*arguments):
        global count
        count += ".nc" in str(arguments[-1]) or name != "replace"
        if count >= 4 and not after:
            os.kill(os.getpid(), signal.SIGKILL)
        found = plain(*arguments)
        if count >= 4:
            os.kill(os.getpid(), signal.SIGKILL)
        return found
    setattr(module, name, replaced)

def half(path, content):
    global count
    count += "cells" in str(path)
    path.write_bytes(content[: len(content) // 2] if count >= 4 else content)
    if count >= 4:
        os.kill(os.getpid(), signal.SIGKILL)

if step == "half written":
    files._write = half
else:
    when, _, what = step.partition(" the ")
    dying({{"flush": "fsync", "name": "replace"}}[what], os, when == "after")
from armwise.cli import main
main()
"""


@pytest.mark.parametrize(
    "step",
    ["half written", "after the flush", "before the name", "after the name"],
)
def test_killed_at_every_step_of_a_write(small, tmp_path, step):
    words = arguments(small / "small.toml", tmp_path)
    words[:3] = [sys.executable, "-c", KILLED.format(step=step)]
    ended = subprocess.run(words, capture_output=True, timeout=60, check=False)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    drafts = list(Path(tmp_path, "cells").glob(".*.tmp"))
    # Up to four results are written at once, so others may have been under way.
    assert len(drafts) <= 4
    assert drafts or step == "after the name"
    store = Store(tmp_path)
    summary = run(stored_cells(store).values(), store, device="python")
    assert summary.aside == ()  # what has its name is whole
    assert summary.done > 0
    assert data(tmp_path) == data(small / "whole")
    assert not list(Path(tmp_path, "cells").glob(".*"))


# Two at once


def test_two_processes_on_one_store_do_no_harm(small, tmp_path):
    both = [start(arguments(small / "small.toml", tmp_path)) for _ in range(2)]
    for process in both:
        _, said = process.communicate(timeout=60)
        assert process.returncode == 0, said
    assert data(tmp_path) == data(small / "whole")
    assert len(files(tmp_path)) == CELLS
    assert not list(Path(tmp_path, "cells").glob(".*"))
    assert not Path(tmp_path, "aside").exists()


# Damaged and foreign files


def test_damaged_and_foreign_files_are_named_set_aside_and_computed_anew(small, tmp_path):
    import shutil

    folder = Path(shutil.copytree(small / "whole", tmp_path / "store"))
    one, two, three, four = sorted(files(folder))[:4]
    one.write_bytes(one.read_bytes()[:-500])
    content = bytearray(two.read_bytes())
    content[len(content) // 2] ^= 4
    two.write_bytes(content)
    three.write_text("not netCDF at all")
    shutil.copy(sorted(files(folder))[5], four)
    (folder / "cells" / "memory.txt").write_text("mine")
    ended = command(small / "small.toml", folder)
    assert ended.returncode == 0, ended.stderr
    for name in (one.name, two.name, three.name, four.name, "memory.txt"):
        assert name in ended.stderr
        assert (folder / "aside" / name).exists()
    assert f"4 computed, {CELLS - 4} already there, 5 files set aside" in ended.stdout
    assert data(folder) == data(small / "whole")


# Ctrl-C


def test_interrupted_a_run_ends_soon_and_says_how_to_go_on(tmp_path):
    """The compiled engine in the middle of a cell that would take minutes."""
    large = TEXT.replace("horizon = 60", "horizon = [60, 10_000_000]").replace(
        "0.9, step = 0.15", "0.1, step = 0.1"
    )
    large = large.replace('[[agent]]\npolicy = { name = "o-ts" }', "")
    (tmp_path / "large.toml").write_text(large)
    store = tmp_path / "store"
    words = arguments(tmp_path / "large.toml", store)
    words[words.index("python")] = "cpu"
    process = start(words)
    wait_for(lambda: len(files(store)) == 4 or process.poll() is not None, 60.0)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    sent = time.monotonic()
    out, said = process.communicate(timeout=20)
    assert time.monotonic() - sent < 3.0
    assert process.returncode == 130
    assert "Interrupted. 4 of 8 cells are kept" in said
    assert "same command" in said
    assert "Traceback" not in said
    assert out == ""


# What the file system refuses


@pytest.fixture
def tiny_disk(tmp_path):
    place = tmp_path / "disk"
    place.mkdir()
    options = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(place)]
    try:
        mounted = subprocess.run(options, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        mounted = False
    if not mounted:
        pytest.skip("a small disk can only be mounted by root")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_a_full_disk_ends_with_a_sentence_and_keeps_what_was_done(small, tiny_disk):
    ended = command(small / "small.toml", tiny_disk)
    assert ended.returncode == 2
    assert "No space left on device" in ended.stderr
    assert "cells are kept" in ended.stderr
    assert "Traceback" not in ended.stderr
    store, whole = Store(tiny_disk), data(small / "whole")
    assert 0 < len(files(tiny_disk)) < CELLS
    for name in store.names():
        store.check(name)
        assert name in whole
    assert not list(store.cells.glob(".*"))


def test_a_limit_on_file_size_ends_with_a_sentence(small, tmp_path):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))

    ended = command(small / "small.toml", tmp_path, preexec_fn=limit)
    assert ended.returncode == 2
    assert "File too large" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert files(tmp_path) == []


def test_a_store_that_cannot_be_written_is_refused_before_any_work(small, tmp_path):
    (tmp_path / "file").touch()
    for place in (tmp_path / "file", tmp_path / "file" / "below", Path("/proc/armwise")):
        ended = command(small / "small.toml", place)
        assert ended.returncode == 2
        assert str(place) in ended.stderr
        assert len(ended.stderr.strip().splitlines()) == 1


def test_a_read_only_store_is_refused_unless_all_is_there(small, tiny_disk):
    few = TEXT.replace("[4, 8]", "4").replace("to = 0.9", "to = 0.15")
    sweep = tiny_disk.parent / "small.toml"
    sweep.write_text(few)
    assert command(sweep, tiny_disk).returncode == 0
    subprocess.run(["mount", "-o", "remount,ro", str(tiny_disk)], check=True)
    ended = command(sweep, tiny_disk)
    assert ended.returncode == 0, ended.stderr
    assert "0 computed, 3 already there" in ended.stdout
    sweep.write_text(few.replace("to = 0.15", "to = 0.3"))
    ended = command(sweep, tiny_disk)
    assert ended.returncode == 2
    assert "Read-only file system" in ended.stderr
    assert len(ended.stderr.strip().splitlines()) == 1
    assert len(files(tiny_disk)) == 3


def test_a_store_deleted_under_way_is_no_success(tmp_path):
    import shutil

    folder = tmp_path / "store"

    def delete(progress):
        if progress.done == 1:
            shutil.rmtree(folder, ignore_errors=True)  # while others write to it

    with pytest.raises(InputError, match="deleted or moved"):
        run(cells_of(), Store(folder), device="python", report=delete)


def test_results_taken_away_under_way_are_missed_at_the_end(tmp_path):
    taken = []

    def take_one(progress):
        if progress.done == 1 and not taken:
            taken.extend(files(tmp_path)[:1])
            taken[0].unlink()

    with pytest.raises(InputError, match="1 of 16 results that were written are no longer"):
        run(cells_of(), Store(tmp_path), device="python", report=take_one)


# The runner itself


def test_what_was_checked_is_not_read_again_until_it_changes(small, tmp_path, monkeypatch):
    import shutil

    store = Store(shutil.copytree(small / "whole", tmp_path / "store"))
    (store.folder / "index").unlink(missing_ok=True)
    for path in files(store.folder):
        os.utime(path, (time.time() - 100,) * 2)
    read, plain = [], Store.check
    monkeypatch.setattr(Store, "check", lambda self, name: (read.append(name), plain(self, name)))
    run(cells_of(), store, device="python")
    assert len(read) == CELLS
    read.clear()
    os.utime(files(store.folder)[0])
    run(cells_of(), store, device="python")
    assert read == [files(store.folder)[0].stem]


def test_what_no_machine_can_hold_is_refused_before_the_store_is_made(tmp_path):
    cell = dataclasses.replace(cells_of()[0], agents=2**32 - 1, checkpoints=tuple(range(1, 61)))
    with pytest.raises(InputError, match="GiB"):
        run([*cells_of(), cell], Store(tmp_path / "store"), device="python")
    assert not (tmp_path / "store").exists()


def test_a_finished_sweep_needs_no_writing(small, monkeypatch):
    monkeypatch.setattr(Store, "prepare", lambda _: pytest.fail("it prepared to write"))
    store = Store(small / "whole")
    summary = run(cells_of(), store, device="python")
    assert (summary.done, summary.present, summary.aside) == (0, CELLS, ())


def test_every_kind_comes_first_once_then_group_by_group():
    cells = cells_of(TEXT.replace("arms = [4, 8]", "arms = [8, 4]"))
    found = order(random.Random(1).sample(cells, len(cells)))
    assert {cell.name for cell in found} == {cell.name for cell in cells}
    assert len({cell.kind for cell in found[:2]}) == 2
    assert all(cell.bandit.arms == 4 for cell in found[:2])
    kinds = [cell.kind for cell in found[2:]]
    assert sum(a != b for a, b in itertools.pairwise(kinds)) == 1


def test_reports_count_up_to_the_whole(tmp_path):
    reports = []
    cells = cells_of()[:6]
    summary = run(cells, Store(tmp_path), device="python", report=reports.append)
    assert [now.done for now in reports] == sorted(now.done for now in reports)
    assert reports[-1].done == reports[-1].cells == summary.done == 6
    assert (
        reports[-1].worked == reports[-1].work == summary.work == sum(cell.work for cell in cells)
    )
    assert reports[-1].left == pytest.approx(0.0, abs=1e-9)
    assert any(now.left for now in reports)


def test_a_cell_that_another_process_made_meanwhile_is_not_made_again(small, tmp_path):
    cells, store, whole = cells_of()[:3], Store(tmp_path), Store(small / "whole")

    def helpful(progress):
        if progress.worked == 0 and not store.has(cells[1]):
            store.write(cells[1], whole.read(cells[1]))

    summary = run(cells, store, device="python", report=helpful)
    assert (summary.done, summary.present) == (2, 1)
    assert summary.work == 2 * cells[0].work


def test_an_unknown_engine_is_refused_first(tmp_path):
    with pytest.raises(InputError, match="device 'cuda9'"):
        run(cells_of(), Store(tmp_path / "store"), device="cuda9")
    assert not (tmp_path / "store").exists()


def test_threads_do_not_change_a_bit(tmp_path):
    cell = Cell(
        aw.SwitchingBandit(arms=4),
        aw.Agent(aw.ApproximateActiveInference()),
        200,
        50,
        1,
        (100, 200),
    )
    for threads in (1, 3):
        run([cell], Store(tmp_path / str(threads)), threads=threads)
    one, three = (Store(tmp_path / str(n)).regret(cell).values for n in (1, 3))
    assert one.tobytes() == three.tobytes()


# Dask


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(silence_logs=50, **options) as made:
        yield made


def worker_pids(cluster):
    from distributed import Client

    with Client(cluster.scheduler_address) as client:
        return list(client.run(os.getpid).values())


def test_a_cluster_gives_the_same_bits(small, tmp_path, cluster):
    store = Store(tmp_path)
    store.remember("small", Sweep.read(small / "small.toml").model_dump(exclude_none=True))
    summary = run(cells_of(), store, dask=cluster.scheduler_address, device="python")
    assert summary.done == CELLS
    assert data(tmp_path) == data(small / "whole")


def test_a_killed_worker_costs_time_only(small, tmp_path, cluster):
    store, pids, killed = Store(tmp_path), worker_pids(cluster), []
    store.remember("small", Sweep.read(small / "small.toml").model_dump(exclude_none=True))

    def kill_one(progress):
        if progress.done >= 3 and not killed:
            killed.append(pids[0])
            os.kill(pids[0], signal.SIGKILL)

    options = {"dask": cluster.scheduler_address, "device": "python"}
    summary = run(cells_of(), store, report=kill_one, **options)
    assert killed
    assert summary.done == CELLS
    assert data(tmp_path) == data(small / "whole")


MINE = '''
from armwise.model.component import parameter
from armwise.model.roles import Policy

def bend(value, strength):
    return value ** strength

class Mine(Policy):
    """A policy from a file."""

    strength: float = parameter(default=2.0, low=0, meaning="how bent")

    def score(self, shared, arm, alpha, beta, rng):
        return bend(alpha / (alpha + beta), self.strength) + 1.0 / (alpha + beta)
'''


def test_components_from_a_file_travel_to_workers(tmp_path, cluster):
    (tmp_path / "mine.py").write_text(MINE)
    text = TEXT.replace('"a-ai", lam', f'"{tmp_path / "mine.py"}", strength')
    cells = cells_of(text)[:3]
    here, there = Store(tmp_path / "here"), Store(tmp_path / "there")
    run(cells, here, device="python")
    (tmp_path / "mine.py").unlink()  # workers on other machines do not have it
    run(cells, there, dask=cluster.scheduler_address, device="python")
    for cell in cells:
        assert np.array_equal(here.regret(cell), there.regret(cell))


def test_workers_of_another_version_are_refused(tmp_path, cluster, monkeypatch):
    from armwise.sweeps import cluster as module

    monkeypatch.setattr(module, "code_of", lambda *_: "another")
    with pytest.raises(InputError, match="another version"):
        run(cells_of()[:2], Store(tmp_path), dask=cluster.scheduler_address, device="python")


DEADLY = """
import os

from armwise import Policy


class Deadly(Policy):
    def score(self, shared, arm, alpha, beta, rng):
        os._exit(9)
"""


def test_workers_that_die_again_and_again_are_one_sentence(tmp_path):
    pytest.importorskip("distributed")
    (tmp_path / "deadly.toml").write_text(TEXT.replace('"o-ts"', f'"{tmp_path / "deadly.py"}"'))
    (tmp_path / "deadly.py").write_text(DEADLY)
    ended = command(tmp_path / "deadly.toml", tmp_path / "store", "--dask", "local")
    assert ended.returncode == 2
    assert "Workers died again and again" in ended.stderr
    assert "cells are kept" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_workers_that_do_not_start_are_one_sentence(tmp_path, monkeypatch):
    distributed = pytest.importorskip("distributed")

    def fail(*_, **__):
        raise RuntimeError("Nanny failed to start.")

    monkeypatch.setattr(distributed, "LocalCluster", fail)
    with pytest.raises(InputError, match="did not start"):
        run(cells_of()[:1], Store(tmp_path), dask="local", device="python")


def test_a_cluster_that_is_not_there_is_one_sentence(tmp_path, monkeypatch):
    pytest.importorskip("distributed")
    from armwise.sweeps import cluster as module

    monkeypatch.setattr(module, "PATIENCE", 0.5)
    for address in ("tcp://127.0.0.1:9", "nowhere.json", "what is this"):
        with pytest.raises(InputError, match=address.split("/")[-1]):
            run(cells_of()[:1], Store(tmp_path), dask=address, device="python")


def test_without_dask_the_command_to_install_it_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(InputError, match=r'pip install "armwise\[dask\]"'):
        run(cells_of()[:1], Store(tmp_path), dask="local", device="python")


def test_seeds_are_part_of_the_name():
    cell = cells_of()[0]
    assert cell.name != dataclasses.replace(cell, seed=2).name


def test_interrupted_on_a_local_cluster_a_run_ends_soon_too(small, tmp_path):
    """As on a terminal, where the workers are interrupted together with the command."""
    pytest.importorskip("distributed")
    words = arguments(small / "small.toml", tmp_path, "--dask", "local")
    process = subprocess.Popen(
        words, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    wait_for(lambda: files(tmp_path) or process.poll() is not None)
    os.killpg(process.pid, signal.SIGINT)
    sent = time.monotonic()
    _, said = process.communicate(timeout=20)
    assert time.monotonic() - sent < 3.0
    assert process.returncode == 130
    assert "Interrupted." in said
    assert f"of {CELLS} cells are kept" in said
