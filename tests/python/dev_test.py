# SPDX-License-Identifier: Apache-2.0
"""Tests what tools/dev.py compiles and tests after an edit."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

TOOL = Path(os.environ.get("ENVPOOL_SOURCE_DIR", "none"), "tools/dev.py")

pytestmark = pytest.mark.skipif(not TOOL.exists(), reason="needs the sources: ENVPOOL_SOURCE_DIR")

MINIGRID = {
    f"environment_minigrid_{name}" for name in ("babyai_go_to", "empty", "fetch", "four_rooms", "memory", "unlock")
}
CORE = {f"environment_classic_control_{name}" for name in ("acrobot", "cartpole", "mountain_car", "pendulum")}


@pytest.fixture(name="dev", scope="module")
def _dev() -> Any:
    spec = importlib.util.spec_from_file_location("dev", TOOL)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_header_of_one_environment_compiles_and_tests_this_environment(dev: Any) -> None:
    name = "envpool/minigrid/four_rooms.h"
    plan = dev.plan([name], {name: {"environment_minigrid_four_rooms", "minigrid_testing"}})
    assert plan.targets == {"environment_minigrid_four_rooms", "minigrid_testing"}
    assert plan.skipped == set() and plan.programs == set()
    assert plan.tests == [["tests/minigrid", "-k", "four-rooms or four_rooms or fourrooms"]]


def test_a_header_of_many_environments_compiles_and_tests_three_and_names_the_others(dev: Any) -> None:
    name = "envpool/minigrid/view.h"
    plan = dev.plan([name], {name: MINIGRID | {"minigrid_testing"}})
    assert len(plan.targets & MINIGRID) == 3 and plan.targets - MINIGRID == {"minigrid_testing"}
    assert plan.skipped == MINIGRID - plan.targets
    ((folder, option, expression),) = plan.tests
    assert (folder, option) == ("tests/minigrid", "-k")
    words = set(expression.split(" or "))
    for target in MINIGRID:
        assert (target.removeprefix("environment_minigrid_") in words) == (target in plan.targets)


def test_a_header_of_the_core_compiles_the_extension_two_families_and_a_few_tests(dev: Any) -> None:
    name = "envpool/core/table/episode.h"
    users = CORE | MINIGRID | {"_core", "core_pure_test", "core_autoreset_test", "core_close_test"}
    plan = dev.plan([name], {name: users | {"environments_header"}})
    assert {"_core", "core_pure_test", "core_autoreset_test", "family_classic_control"} <= plan.targets
    assert len(plan.targets & CORE) == 3
    assert plan.programs == {"core/pure_test", "core/autoreset_test"}
    assert plan.skipped == users - plan.targets >= MINIGRID | {"core_close_test"}
    assert [test[0] for test in plan.tests] == ["tests/classic_control"]


def test_environments_include_what_their_precompiled_header_includes(dev: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    record = """CMakeFiles/environments_header.dir/cmake_pch.hxx.gch: #deps 1, deps mtime 1 (VALID)
    ROOT/envpool/core/env.h

CMakeFiles/environment_minigrid_empty.dir/split/minigrid/empty.cc.o: #deps 1, deps mtime 1 (VALID)
    ../../envpool/minigrid/empty.h
"""
    monkeypatch.setattr(dev.subprocess, "check_output", lambda *_, **__: record.replace("ROOT", str(dev.ROOT)))
    monkeypatch.setattr(dev, "_ninja", lambda: "ninja")
    targets = dev.targets_by_file()
    assert targets["envpool/core/env.h"] == {"environments_header", "environment_minigrid_empty"}
    assert targets["envpool/minigrid/empty.h"] == {"environment_minigrid_empty"}


def test_the_tests_of_a_header_run_even_if_no_environment_includes_it(dev: Any) -> None:
    name = "envpool/core/pool/action_queue.h"
    users = {"_core", "core_action_queue_test", "core_env_pool_test", "core_close_test"}
    plan = dev.plan([name], {name: users, "envpool/core/types.h": {*users, "core_snapshot_test"}})
    assert plan.programs == {"core/action_queue_test", "core/env_pool_test"}
    assert plan.tests == [["tests/python/interfaces_test.py"]]
    assert plan.skipped == {"core_close_test"}


def test_a_test_that_has_not_been_compiled_yet_is_compiled(dev: Any) -> None:
    name = "envpool/core/pool/action_queue.h"
    plan = dev.plan([name], {name: {"_core"}})
    assert plan.programs == {"core/action_queue_test", "core/env_pool_test", "core/snapshot_test"}
    assert {"core_action_queue_test", "core_env_pool_test", "core_snapshot_test"} <= plan.targets


def test_a_source_of_a_library_links_the_environments_again(dev: Any) -> None:
    name = "envpool/atari/console/native.cc"
    plan = dev.plan([name], {name: {"atari_parts"}, "envpool/atari/atari_env.h": {"environment_atari_atari_env"}})
    assert plan.targets == {"environment_atari_atari_env", "atari_native_test"} and plan.skipped == set()


@pytest.mark.parametrize("name", ["envpool/tag/plugin.cc", "envpool/tag/new_game.h"])
def test_a_new_environment_compiles_everything(dev: Any, name: str) -> None:
    plan = dev.plan([name], {"envpool/tag/plugin.cc": {"tag_testing"}})
    assert "all" in plan.targets
    assert plan.tests == [["tests/tag"]]


def test_a_file_that_was_restored_before_any_run_had_passed_is_compiled_again(
    dev: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ["old.h", "restored.h", "uncommitted.h"]
    for seconds, name in enumerate([*names[:1], ".installed", *names[1:]]):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (1000 + seconds, 1000 + seconds))
    os.utime(tmp_path / "uncommitted.h", (999, 999))
    listed = {"ls-files": names, "diff": ["uncommitted.h"]}
    monkeypatch.setattr(dev, "_git", lambda command, *_: listed[command])
    for constant, value in (("ROOT", ""), ("INSTALLED", ".installed"), ("PASSED", ".passed")):
        monkeypatch.setattr(dev, constant, tmp_path / value)
    assert dev.changed_files() == ["restored.h", "uncommitted.h"]
    (tmp_path / ".passed").touch()
    assert dev.changed_files() == []


def test_python_files_need_no_compiler(dev: Any) -> None:
    plan = dev.plan(["envpool/python/images.py", "tests/toy_text/toy_text_test.py", "README.md"], {})
    assert plan.targets == set() and plan.programs == set()
    assert plan.tests == [["tests/python/images_test.py"], ["tests/toy_text/toy_text_test.py"]]


def test_each_environment_of_a_family_has_a_source_of_its_own(dev: Any, tmp_path: Path) -> None:
    script = f"""
        set(PROJECT_SOURCE_DIR "{dev.ROOT}")
        set(PROJECT_BINARY_DIR "{tmp_path}")
        include("{dev.ROOT}/cmake/targets.cmake")
        foreach(family box2d pgx)
          envpool_source_per_environment("${{family}}")
        endforeach()
    """
    (tmp_path / "script.cmake").write_text(script)
    subprocess.run([Path(sys.executable).parent / "cmake", "-P", tmp_path / "script.cmake"], check=True)
    for family in ("box2d", "pgx"):
        tables = re.findall(r"table<[^>]*>\(\)", (dev.ROOT / f"envpool/{family}/plugin.cc").read_text())
        sources = [file.read_text() for file in (tmp_path / "environments" / family).glob("*.cc")]
        assert sorted(re.findall(r"table<[^>]*>\(\)", "".join(sources))) == sorted(tables)
        assert len(sources) == len(tables) + 1
