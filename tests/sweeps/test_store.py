"""The store: files that appear whole or not at all, and tell when they are not what they were."""

import dataclasses
import errno
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time

import numpy as np
import pytest
import xarray

import armwise as aw
from armwise.errors import InputError
from armwise.sweeps.cell import Cell
from armwise.sweeps.files import draft_of
from armwise.sweeps.netcdf import image, parsed
from armwise.sweeps.results import Results, condition
from armwise.sweeps.store import Damaged, Store

CELL = Cell(
    aw.SwitchingBandit(arms=3, rho=0.05),
    aw.Agent(aw.ApproximateActiveInference(lam=0.5), aw.Smile(rho=0.05)),
    horizon=20,
    agents=4,
    seed=7,
    checkpoints=(5, 10, 20),
)


@pytest.fixture(scope="module")
def result():
    return CELL.run(device="python")


@pytest.fixture
def store(tmp_path, result):
    kept = Store(tmp_path / "store")
    kept.prepare()
    kept.write(CELL, result)
    return kept


def same_data(one, two):
    assert set(one.variables) == set(two.variables)
    for name in one.variables:
        assert one[name].dtype == two[name].dtype
        assert one[name].dims == two[name].dims
        assert one[name].values.tobytes() == two[name].values.tobytes()


# The file


def test_a_result_comes_back_as_it_was(store, result):
    found = store.read(CELL)
    assert found.identical(result)
    same_data(found, result)


def test_xarray_opens_the_file_and_sees_the_same(store, result):
    with xarray.open_dataset(store.path(CELL)) as opened:  # whatever engine xarray finds
        found = opened.load()
    xarray.testing.assert_equal(found, result)
    assert set(found.coords) == set(result.coords)
    assert found.regret.values.tobytes() == result.regret.values.tobytes()
    assert found.attrs.keys() == result.attrs.keys()
    assert found.regret.attrs == result.regret.attrs


def test_another_library_reads_the_file(store, result):
    from scipy.io import netcdf_file

    with netcdf_file(store.path(CELL), mmap=False) as found:
        assert np.array_equal(found.variables["regret"][:], result.regret)
        assert found.variables["regret"].dimensions == ("agent", "trial")
        assert found.name.decode() == CELL.name


def test_a_small_cell_takes_one_block_of_a_disk(store):
    assert store.path(CELL).stat().st_size <= 4_096


@pytest.mark.parametrize("seed", [0, 1, 2**31, 2**53 + 1, 2**64 - 1])
def test_every_seed_survives(tmp_path, seed):
    cell, store = dataclasses.replace(CELL, seed=seed), Store(tmp_path)
    result = cell.run(device="python")
    store.write(cell, result)
    assert store.read(cell).identical(result)


def test_odd_values_survive():
    odd = xarray.Dataset(
        {
            "regret": (("agent", "trial"), np.array([[np.nan, -0.0]])),
            "flag": ("trial", [True, False]),
        },
        {
            "trial": [1, 2],
            "agent": [0],
            "yes": True,
            "name": "λ",
            "none": "",
            "mark": ("trial", ["a", "bb"]),
        },
        {
            "long": "ä" * 40_000,
            "empty": "",
            "unicode": "λ = ½",
            "list": np.array([1, 2]),
            "pi": np.pi,
        },
    )
    found = parsed(image(odd))
    assert found.identical(odd)
    same_data(found, odd)


def test_numbers_of_all_kinds_survive():
    kinds = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint32, np.uint64]
    numbers = {kind.__name__: ("trial", np.array([0, np.iinfo(kind).max], kind)) for kind in kinds}
    numbers |= {
        kind.__name__: ("trial", np.array([0.1, np.inf], kind)) for kind in (np.float32, float)
    }
    odd = xarray.Dataset(numbers, {"trial": [1, 4_000_000_000]})
    same_data(parsed(image(odd)), odd)


def test_xarray_reads_odd_values_too(tmp_path):
    odd = xarray.Dataset(
        {"regret": ("trial", [0.5, 1.0])},
        {"trial": [1, 2], "yes": True, "none": "", "name": "λ"},
        {"long": "ä" * 40_000, "empty": "", "unicode": "λ = ½", "count": np.int64(3)},
    )
    (tmp_path / "odd.nc").write_bytes(image(odd))
    with xarray.open_dataset(tmp_path / "odd.nc") as found:
        xarray.testing.assert_equal(found.load(), odd)
        assert found.attrs == odd.attrs


def test_a_description_longer_than_a_header_is_kept(tmp_path):
    """Ten thousand checkpoints make a description that HDF5 cannot hold in an object's header."""
    cell = dataclasses.replace(CELL, horizon=12_000, agents=1, checkpoints=tuple(range(1, 12_001)))
    made = CELL.run(device="python").isel(agent=[0])
    store = Store(tmp_path)
    store.prepare()
    store.write(cell, made)
    assert store.description(cell.name)["checkpoints"] == list(cell.checkpoints)


def test_regret_alone_is_the_same_regret(store):
    fast, whole = store.regret(CELL), store.read(CELL)["regret"]
    assert fast.identical(whole)
    assert fast.values.tobytes() == whole.values.tobytes()


def test_the_last_line_can_be_checked_without_armwise(store):
    content = store.path(CELL).read_bytes()
    assert content.endswith(hashlib.sha256(content[:-65]).hexdigest().encode() + b"\n")
    assert CELL.name.encode() in content[-150:]


def test_provenance_is_in_the_attributes(store):
    with xarray.open_dataset(store.path(CELL)) as found:
        attributes = found.attrs
    assert attributes["cell"] == CELL.text
    assert attributes["name"] == CELL.name
    assert {"armwise", "numpy", "seconds", "machine", "device"} <= set(attributes)
    assert hashlib.sha256(attributes["cell"].encode()).hexdigest().startswith(CELL.name)


def test_the_text_of_a_cell_is_the_json_of_its_description():
    """It is put together from parts; what a kernel or a file was named by must not change."""
    from armwise.paper.experiments import bundled_cells, bundled_names
    from armwise.play.dataset import describe
    from armwise.sweeps.cell import code_of, tables_of

    cells = [cell for name in bundled_names() for cell in bundled_cells(name, "quick")[:50]]
    told = Cell(aw.StationaryBandit(), aw.GittinsBOCPD(), 20, 4, 7, (20,))
    for cell in (CELL, told, *cells):
        data = describe(cell.plan(threads=1)) | {"code": code_of(cell.bandit, cell.agent)}
        data["memory"] = cell.agent.memory_size(cell.bandit.arms)
        tables = [tables_of(part) for part in cell.components if type(part).tables]
        assert cell.text == json.dumps(
            data | ({"tables": tables} if tables else {}), sort_keys=True
        )


def test_equal_components_with_another_sign_of_zero_are_told_apart():
    cells = [
        dataclasses.replace(CELL, agent=aw.Agent(aw.ApproximateActiveInference(lam=lam)))
        for lam in (0.0, -0.0)
    ]
    assert ["-0.0" in cell.text for cell in cells] == [False, True]


# Damage


@pytest.mark.parametrize("keep", [0, 1, 64, 65, 0.5, -1])
def test_a_truncated_file_is_noticed(store, keep):
    path = store.path(CELL)
    content = path.read_bytes()
    path.write_bytes(content[: int(keep * len(content)) if isinstance(keep, float) else keep])
    for read in (store.read, store.regret, lambda cell: store.check(cell.name)):
        with pytest.raises(Damaged, match=f"{CELL.name}.nc"):
            read(CELL)


def test_any_flipped_bit_is_noticed(store):
    path = store.path(CELL)
    content = bytearray(path.read_bytes())
    places = np.random.default_rng(1).integers(0, len(content), 200).tolist()
    for place in [*places, 0, len(content) - 1]:
        content[place] ^= 1 << (place % 8)
        path.write_bytes(content)
        with pytest.raises(Damaged):
            store.regret(CELL)
        content[place] ^= 1 << (place % 8)


def test_a_misnamed_file_is_noticed(store):
    other = dataclasses.replace(CELL, seed=8)
    shutil.copy(store.path(CELL), store.path(other))
    with pytest.raises(Damaged, match="holds another cell"):
        store.read(other)
    store.read(CELL)


def test_a_netcdf_file_of_somebody_else_is_noticed(store, result):
    result.to_netcdf(store.path(CELL), engine="h5netcdf")
    with pytest.raises(Damaged):
        store.read(CELL)


def test_a_cell_that_was_not_computed_is_not_damaged(tmp_path):
    with pytest.raises(InputError, match="run its sweep first") as found:
        Store(tmp_path).regret(CELL)
    assert not isinstance(found.value, Damaged)


def test_setting_aside_never_overwrites(store):
    for number in range(3):
        store.path(CELL).write_text(f"{number}")
        store.set_aside(store.path(CELL))
    assert sorted(path.read_text() for path in store.aside.iterdir()) == ["0", "1", "2"]
    assert store.set_aside(store.path(CELL)) is None


def test_only_files_that_are_no_cells_are_foreign(store):
    for name in ("notes.txt", "short.nc", ".nfs0001", f"{'f' * 32}.nc"):
        (store.cells / name).touch()
    assert [path.name for path in store.foreign()] == ["notes.txt", "short.nc"]


# Drafts


def dead_pid():
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_drafts_of_dead_processes_are_removed_and_no_others(store):
    host = draft_of(store.path(CELL)).name.split(".")[-4]
    dead = store.cells / f".{CELL.name}.{host}.{dead_pid()}.0.tmp"
    living = store.cells / f".{CELL.name}.{host}.{os.getppid()}.0.tmp"
    elsewhere = store.cells / f".{CELL.name}.elsewhere.{dead_pid()}.0.tmp"
    forgotten = store.cells / f".{CELL.name}.elsewhere.1.1.tmp"
    foreign = store.cells / ".something.tmp"
    for path in (dead, living, elsewhere, forgotten, foreign):
        path.touch()
    os.utime(forgotten, (time.time() - 1e6,) * 2)
    store.prepare()
    left = {path for path in store.cells.iterdir() if path.name.startswith(".")}
    assert left == {living, elsewhere, foreign}


def test_a_draft_taken_away_is_written_again(store, result, monkeypatch):
    replace, taken = os.replace, []

    def steal(draft, path):
        if not taken:
            taken.append(draft)
            os.unlink(draft)
        replace(draft, path)

    monkeypatch.setattr(os, "replace", steal)
    store.path(CELL).unlink()
    store.write(CELL, result)
    assert taken
    store.read(CELL)


# What the file system refuses


def test_a_path_that_is_a_file_is_refused(tmp_path, result):
    (tmp_path / "file").touch()
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(InputError, match="file"):
            Store(folder).remember("sweep", {})
        with pytest.raises(InputError):
            Store(folder).prepare()
        with pytest.raises(InputError):
            Store(folder).write(CELL, result)


def test_a_full_disk_leaves_nothing_half_written(store, result, monkeypatch):
    other = dataclasses.replace(CELL, seed=8)

    def full(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError, match="No space left on device"):
        store.write(other, result)
    assert [path.name for path in store.cells.iterdir()] == [f"{CELL.name}.nc"]


# Definitions and results


def test_definitions_are_kept(store):
    assert store.remember("one", {"horizon": 10}) == "one"
    assert store.remember("one", {"horizon": 10}) == "one"
    assert store.remember("two", {"title": "λ"}) == "two"
    assert store.definitions() == {"one": {"horizon": 10}, "two": {"title": "λ"}}
    (store.sweeps / "two.json").write_text("{")
    with pytest.raises(Damaged, match=r"two\.json"):
        store.definitions()


def test_a_folder_of_other_files_is_no_store(tmp_path):
    (tmp_path / "notes.txt").write_text("not a store")
    with pytest.raises(InputError, match="is no store"):
        Store(tmp_path).definitions()
    with pytest.raises(InputError, match="There is no store"):
        Store(tmp_path / "missing").definitions()


def test_another_sweep_of_the_same_name_takes_nothing_away(store):
    assert [store.remember("one", {"horizon": n}) for n in (10, 20, 30, 20, 10)] == [
        "one",
        "one.2",
        "one.3",
        "one.2",
        "one",
    ]
    assert [each["horizon"] for each in store.definitions().values()] == [10, 20, 30]


# The index


def aged(path):
    """As if it had been written long ago."""
    os.utime(path, (time.time() - 100,) * 2)


def test_what_was_found_sound_is_known_until_it_changes(store):
    path = store.path(CELL)
    aged(path)
    store.note({CELL.name})
    assert store.unchanged() == {CELL.name}
    path.write_bytes(path.read_bytes())
    assert store.unchanged() == set()
    aged(path)
    assert store.unchanged() == set()
    path.unlink()
    assert store.unchanged() == set()


def test_a_file_just_written_is_never_known(store):
    store.note({CELL.name})
    assert store.unchanged() == set()


@pytest.mark.parametrize("content", [b"", b"\xff\x00", b"0 1 2\n" * 9, b"[]"])
def test_a_damaged_index_is_no_index(store, content):
    store.index.write_bytes(content)
    assert store.unchanged() == set()


# Results


def test_results_read_by_condition(store):
    results = Results([CELL], store)
    assert results.regret(arms=3, policy="A-AI", lam=0.5).identical(store.read(CELL)["regret"])
    assert results.values("lam") == [0.5]
    table = results.table()
    assert list(table.trial) == [5, 10, 20]
    mean = store.read(CELL).regret.mean("agent").values
    assert np.allclose(table.regret, mean, rtol=1e-14)
    assert condition(CELL).items() <= table.iloc[0].to_dict().items()


def test_a_table_of_one_agent_has_no_bounds(tmp_path):
    store, cell = Store(tmp_path), dataclasses.replace(CELL, agents=1)
    store.prepare()
    store.write(cell, cell.run(device="python"))
    table = Results([cell], store).table()
    assert table.regret.notna().all()
    assert table.low.isna().all()
