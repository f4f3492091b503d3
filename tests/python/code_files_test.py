# SPDX-License-Identifier: Apache-2.0
"""Tests that files which another user could have written are not loaded as code."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

import envpool
from envpool.cli import doctor
from envpool.cuda import cache as kernels
from envpool.plugins import cache as plugins
from envpool.python import code_files
from envpool.python.cache_files import cache_folder, read, write

OTHER = 54321


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Returns the folder of an empty cache below a folder that everybody may use, like /tmp."""
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    monkeypatch.setenv("ENVPOOL_CACHE_DIR", str(shared / "cache"))
    monkeypatch.setattr(code_files, "_import_owners", list)
    return shared / "cache"


def give_away(path: Path, patch: pytest.MonkeyPatch) -> None:
    """Makes a file or folder that of another user. Without root's rights, this process pretends to be another one."""
    if os.geteuid() == 0:
        os.chown(path, OTHER, OTHER)
    else:
        patch.setattr(os, "geteuid", lambda: OTHER)


def test_own_files_are_trusted(folder: Path) -> None:
    file = folder / "plugins" / "file"
    old = os.umask(0)
    try:
        write(file, b"code")
    finally:
        os.umask(old)
    assert read(file) == b"code"
    assert [path.stat().st_mode & 0o777 for path in (folder, file.parent, file)] == [0o700, 0o700, 0o755]
    assert code_files.distrust(sys.executable) == ""


@pytest.mark.parametrize("part", ["file", "plugins", "cache"])
def test_files_of_another_user_are_refused(part: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = folder / "plugins" / "file"
    write(file, b"code")
    give_away({"file": file, "plugins": file.parent, "cache": folder}[part], monkeypatch)
    assert read(file) is None
    assert "belongs to user" in code_files.distrust(file)
    with pytest.raises(PermissionError, match="belongs to user"):
        write(file, b"other")


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777, 0o1777])
@pytest.mark.parametrize("part", ["file", "plugins", "cache", "shared"])
def test_files_that_others_may_write_are_refused(
    part: str, mode: int, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = folder / "plugins" / "file"
    write(file, b"code")
    monkeypatch.setattr(code_files, "_is_private", lambda group, user: False)
    {"file": file, "plugins": file.parent, "cache": folder, "shared": folder.parent}[part].chmod(mode)
    sticky = mode & 0o1000 and part in ("cache", "shared")
    assert (read(file) is not None) == bool(sticky)
    if not sticky:
        with pytest.raises(PermissionError, match="may write to"):
            write(file, b"other")


def test_the_group_of_one_user_is_no_other_user(folder: Path) -> None:
    import grp
    import pwd

    own = pwd.getpwuid(os.geteuid())
    assert code_files._is_private(own.pw_gid, os.geteuid()) == (grp.getgrgid(own.pw_gid).gr_name == own.pw_name)
    assert not code_files._is_private(own.pw_gid + 1, os.geteuid())


def test_a_link_is_no_way_around(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    foreign = folder.parent / "foreign"
    write(foreign / "plugins" / "file", b"code")
    folder.symlink_to(foreign)
    assert read(folder / "plugins" / "file") == b"code"
    give_away(foreign, monkeypatch)
    assert read(folder / "plugins" / "file") is None


def test_the_walk_ends_at_the_home_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.parent.chmod(0o777)
    write_error = code_files.distrust(folder / "plugins" / "file")
    assert write_error.startswith("every user may write to")
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    assert code_files.distrust(folder / "plugins" / "file") == ""


WALK = """#pragma once
#include "envpool/core/api.h"
using namespace envpool;
struct Trusted {
  static constexpr const char* kName = "Trusted";
  struct Params {};
  Trusted(const Params&, i32) {}
  static void options(OptionSpecs&) {}
  static Params params(const OptionValues&) { return {}; }
  static void spec(const Params&, Spec& s) { s.obs<f32>("obs", {1}); s.action<i32>().categories(2); }
  void reset(Rng&) {}
  Outcome step(ActionRow, Rng&) { return {}; }
  void observe(Row row) { *row.at<f32, 1>(0) = 0; }
};
"""


def test_plugins_of_another_user_are_not_loaded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = envpool.compile(WALK, "Trusted-v0")
    assert Path(own.plugin).parent == folder / "plugins"
    elsewhere = folder.parent / "elsewhere"
    shutil.copytree(folder, elsewhere)
    copy = elsewhere / "plugins" / Path(own.plugin).name
    give_away(elsewhere, monkeypatch)
    monkeypatch.setenv("ENVPOOL_CACHE_DIR", str(elsewhere))
    assert plugins.find(copy.name) is None
    with pytest.warns(RuntimeWarning, match=r"^\[Trusted-v0\] the cache .* cannot be used .*belongs to user"):
        assert envpool.compile(WALK, "Trusted-v0").plugin != str(copy)
    envpool.register("Elsewhere-v0", plugin=str(copy), table="Trusted")
    with pytest.raises(
        RuntimeError, match=r"^\[Elsewhere-v0\] plugin: expected .* no other user can write.*belongs to"
    ):
        envpool.make("Elsewhere-v0")
    monkeypatch.syspath_prepend(str(elsewhere))  # Python would load its modules as well
    assert envpool.make("Elsewhere-v0", num_envs=1) is not None


def test_kernels_of_another_user_are_not_loaded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "_memory", {})
    monkeypatch.setattr(kernels, "_warned_of", set())
    kernels._keep("name", b"kernel")
    assert kernels._find("name") == b"kernel"
    give_away(folder / "cuda", monkeypatch)
    assert kernels._find("name") is None
    with pytest.warns(RuntimeWarning, match=r"^\[envpool.cuda\] the cache .* cannot be used .*belongs to user"):
        kernels._keep("name", b"own kernel")
    assert kernels._find("name") == b"own kernel"


@pytest.mark.parametrize("home", ["own", "none", "another user's"])
def test_the_doctor_advises_a_folder_of_this_user(home: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert doctor.cache() == {"path": str(folder), "writable": True, "why": "", "command": ""}
    folder.mkdir()
    (folder.parent / "home").mkdir()
    monkeypatch.setenv("HOME", str(folder.parent / "home") if home != "none" else "/nowhere/at/all")
    for path in (folder, folder.parent / "home") if home == "another user's" else (folder,):
        path.chmod(0o777)
    facts = doctor.cache()
    assert not facts["writable"] and "may write to" in facts["why"]
    name, _, advice = facts["command"].removeprefix("export ").partition("=")
    assert name == "ENVPOOL_CACHE_DIR"
    parent: Any = Path(advice).parent
    assert parent != Path("/tmp") and code_files.distrust(parent / "envpool_cache" / "plugins") == ""
    monkeypatch.setenv("ENVPOOL_CACHE_DIR", advice)
    assert cache_folder() == Path(advice) and doctor.cache()["writable"]
