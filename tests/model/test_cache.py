"""Files that are kept between processes: whole, checked, forgotten when nobody uses them."""

import os

import pytest

from armwise.model import cache


@pytest.fixture
def folder(monkeypatch, tmp_path):
    monkeypatch.setenv("ARMWISE_CACHE_DIR", str(tmp_path))
    return tmp_path / "things"


def test_a_thing_is_made_once(folder):
    made = []
    for _ in range(3):
        assert cache.kept("things", "one", lambda: made.append(1) or b"content") == b"content"
    assert made == [1]
    assert [path.name for path in folder.iterdir()] == ["one"]


def test_a_thing_that_is_damaged_is_made_again(folder):
    cache.save("things", "one", b"content")
    for damage in (b"", b"x", (folder / "one").read_bytes()[:-1]):
        (folder / "one").write_bytes(damage)
        with pytest.warns(UserWarning, match="is damaged and will be made again"):
            assert cache.kept("things", "one", lambda: b"content") == b"content"
        assert cache.load("things", "one") == b"content"


def test_without_a_folder_things_are_made_every_time(folder, monkeypatch):
    folder.write_bytes(b"a file")
    assert cache.kept("things", "one", lambda: b"content") == b"content"
    assert folder.read_bytes() == b"a file"


def test_what_nobody_uses_is_forgotten(folder):
    cache.save("things", "old", b"1")
    cache.save("things", "new", b"2")
    then = (folder / "old").stat().st_mtime - 86_400 * (cache.FORGET_AFTER_DAYS + 1)
    os.utime(folder / "old", (then, then))
    cache.save("things", "newest", b"3")
    assert {path.name for path in folder.iterdir()} == {"new", "newest"}
