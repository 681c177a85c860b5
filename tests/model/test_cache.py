"""Files that are kept between processes: whole, checked, forgotten when nobody uses them."""

import errno
import os
import stat
import warnings

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
    monkeypatch.setattr(cache, "_said", set())
    folder.write_bytes(b"a file")
    with pytest.warns(UserWarning, match="Compiled code is not kept: .*things"):
        assert cache.kept("things", "one", lambda: b"content") == b"content"
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # once is enough
        assert cache.kept("things", "one", lambda: b"content") == b"content"
    assert folder.read_bytes() == b"a file"


def test_a_user_without_a_home_keeps_nothing(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ARMWISE_CACHE_DIR", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    assert cache.cache_folder() is None
    assert cache.kept("things", "one", lambda: b"content") == b"content"
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_costs_no_result(folder, monkeypatch):
    def fsync(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(cache, "_said", set())
    monkeypatch.setattr(os, "fsync", fsync)
    with pytest.warns(UserWarning, match="not kept: .*No space left"):
        assert cache.kept("things", "one", lambda: b"content") == b"content"
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(("path", "mode"), [("", 0o770), ("", 0o702), ("one", 0o622)])
def test_what_others_may_write_is_not_read(folder, monkeypatch, path, mode):
    cache.save("things", "one", b"content")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "one").stat().st_mode) == 0o600
    monkeypatch.setattr(cache, "_said", set())
    (folder / path).chmod(mode)
    with pytest.warns(UserWarning, match="others may write to it"):
        assert cache.load("things", "one") is None


def test_what_belongs_to_another_user_is_not_read(folder, monkeypatch):
    cache.save("things", "one", b"content")
    monkeypatch.setattr(cache, "_said", set())
    monkeypatch.setattr(os, "getuid", lambda: folder.stat().st_uid + 1)
    with pytest.warns(UserWarning, match="it belongs to another user"):
        assert cache.load("things", "one") is None


def test_what_nobody_uses_is_forgotten(folder):
    cache.save("things", "old", b"1")
    cache.save("things", "new", b"2")
    then = (folder / "old").stat().st_mtime - 86_400 * (cache.FORGET_AFTER_DAYS + 1)
    os.utime(folder / "old", (then, then))
    cache.save("things", "newest", b"3")
    assert {path.name for path in folder.iterdir()} == {"new", "newest"}
