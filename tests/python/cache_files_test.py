# SPDX-License-Identifier: Apache-2.0
"""Tests cache files: atomic writes, detection of damage, and removal of old files."""

import os
import time

import pytest

from envpool.python.cache_files import read, trim, write


def test_written_files_can_be_read(tmp_path):
    path = tmp_path / "new" / "folder" / "file"
    for content in (b"", b"x" * 100_000, b"envpool:sha256:" * 3):
        write(path, content)
        assert read(path) == content
    assert read(tmp_path / "missing") is None
    assert read(tmp_path) is None


@pytest.mark.parametrize("damage", [lambda whole: whole[:-1], lambda whole: b"?" + whole[1:], lambda whole: b""])
def test_damaged_files_are_not_read(tmp_path, damage):
    path = tmp_path / "file"
    write(path, b"content")
    path.write_bytes(damage(path.read_bytes()))
    assert read(path) is None


def test_a_failed_write_leaves_no_file(tmp_path, monkeypatch):
    write(tmp_path / "file", b"old")

    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="No space"):
        write(tmp_path / "file", b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert read(tmp_path / "file") == b"old"


def test_least_recently_used_files_are_removed_first(tmp_path):
    for age in range(5):
        (tmp_path / f"{age}").write_bytes(b"x" * 10)
        os.utime(tmp_path / f"{age}", (time.time() - age, time.time() - age))
    (tmp_path / ".abandoned").touch()
    os.utime(tmp_path / ".abandoned", (1, 1))
    (tmp_path / ".unfinished").touch()
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("/nowhere")
    trim(tmp_path, 29)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".unfinished", "0", "1", "folder", "link"]
    trim(tmp_path / "missing", 0)


def test_a_pipe_is_not_read(tmp_path):
    os.mkfifo(tmp_path / "file")
    assert read(tmp_path / "file") is None
    write(tmp_path / "file", b"content")
    assert read(tmp_path / "file") == b"content"
