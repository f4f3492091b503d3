# SPDX-License-Identifier: Apache-2.0
"""Pages name what there is, and episode.h alone has the rules of an episode."""

import os
import re
from pathlib import Path

import pytest

import envpool
from envpool.testing.tables import updated

SOURCE = Path(os.environ.get("ENVPOOL_SOURCE_DIR", "none"))
PAGES = sorted([*SOURCE.glob("*.md"), *SOURCE.glob("docs/*.md")])
ROOMS = "envpool|benchmark|docs|examples|tools|cmake|core|testing|jax|python|cuda|plugins|atari"

pytestmark = pytest.mark.skipif(not PAGES, reason="needs the sources: ENVPOOL_SOURCE_DIR")


def test_the_page_names_the_functions_of_the_table() -> None:
    header = Path(envpool.get_include(), "envpool/core/table/vtable.h").read_text()
    (body,) = re.findall(r"^struct Table \{(.*?)^\};", header, re.M | re.S)
    functions = set(re.findall(r"\(\*(\w+)\)", body)) | set(re.findall(r"const (?:Pure|Device)\* (\w+);", body))
    assert {"create", "step", "save", "pure"} <= functions
    page = Path(SOURCE, "docs/architecture.md").read_text()
    (paragraph,) = re.findall(r"same C table(.*?)\n\n", page, re.S)
    named = set(re.findall(r"`(\w+)`", paragraph))
    assert named == functions


def test_tables_of_environments_are_current() -> None:
    page = Path(SOURCE, "docs/environments.md").read_text()
    assert page.count("<!-- made by make generated: ") >= 6
    assert updated(page) == page, "run `make generated`"
    assert updated(page.replace("| `CartPole-v0`", "| `CartPole-v9`")) == page


def test_the_room_of_tests_describes_its_files() -> None:
    room = SOURCE / "envpool/testing"
    described = set(re.findall(r"\b\w+\.(?:py|h|cc|csv)\b", (room / "__init__.py").read_text()))
    files = {file.name for file in room.iterdir() if file.suffix in (".py", ".h", ".cc", ".csv")}
    files -= {file for file in files if file.endswith("_test.py")} | {"__init__.py", "conftest.py"}
    assert described - files == {"environments.h"} and files - described == set()


def files_named(page: str) -> list[str]:
    """Paths in backquotes, and those that begin an indented line."""
    return re.findall(rf"`((?:{ROOMS})/[\w./<>*-]*)`", page) + re.findall(rf"^    ((?:{ROOMS})/[\w./<>]*)", page, re.M)


def exists(path: str) -> bool:
    """Whether a path names files of ours, where <family> and <name> stand for any name, each for the same."""
    path, seen = path.rstrip("/"), set()

    def group(placeholder: re.Match[str]) -> str:
        name = placeholder[1]
        text = f"(?P={name})" if name in seen else rf"(?P<{name}>\w+)"
        seen.add(name)
        return text

    expression = re.sub("<(family|name)>", group, re.escape(path).replace(r"\*", "[^/]*"))
    pattern = re.sub("<(family|name)>", "*", path)
    return any(
        re.fullmatch(expression, str(file.relative_to(root)))
        for root in (SOURCE, SOURCE / "envpool")
        for file in root.glob(pattern)
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_that_a_page_names_exist(page: Path) -> None:
    ids = {
        f"envpool/{task_id.replace('/', '-')}" for task_id in envpool.list_all_envs()
    }  # as gymnasium.make_vec has them
    assert [path for path in files_named(page.read_text()) if path not in ids and not exists(path)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_targets_that_a_page_names_exist(page: Path) -> None:
    makefile = Path(SOURCE, "Makefile").read_text()
    targets = {name for line in re.findall(r"^([\w -]+):", makefile, re.M) for name in line.split()}
    assert set(re.findall(r"(?:`|^    )make ([a-z][\w-]*)", page.read_text(), re.M)) <= targets


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_variables_that_a_page_names_are_read(page: Path) -> None:
    named = set(re.findall(r"\bENVPOOL_[A-Z_]+[A-Z]\b", page.read_text()))
    suffixes = {"pyproject.toml", "Makefile", "CMakeLists.txt"}
    code = "".join(
        file.read_text()
        for room in ("envpool", "cmake", "tools", "examples", "benchmark", "docs/site")
        for file in Path(SOURCE, room).rglob("*")
        if file.suffix in (".py", ".h", ".cc", ".cmake")
    ) + "".join(Path(SOURCE, name).read_text() for name in suffixes)
    assert [name for name in named if name not in code] == []


def test_a_path_that_does_not_exist_is_seen() -> None:
    assert files_named("see `envpool/core/api.h` and\n    envpool/core/   the engine\n") == [
        "envpool/core/api.h",
        "envpool/core/",
    ]
    assert exists("envpool/<family>/<family>_test.py") and exists("envpool/core/") and exists("core/api.h")
    assert not exists("envpool/<family>/<family>_tests.py") and not exists("envpool/core/nothing.h")


# How episode.h begins an episode, counts its steps, applies the time limit, completes an outcome, and seeds an agent.
RULES = {
    "begins": r"\bbegin_episode\(.*\+\+\)",
    "counts and limits": r"\bcount_up\(|\belapsed\s*>=",
    "ends": r"\bover\s*=\s*outcome|terminated\s*\|+\s*outcome\.truncated",
    "discounts": r"\bdiscount\b.*outcome\.terminated|if \(outcome\.terminated\)",
    "agents' generators": r"\bagent\s*=\s*u32\(agent\)",
    "layout": r"\bstruct (Episode|EnvSlot) \{",
}


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_of_an_episode_stands_in_one_place(rule: str) -> None:
    def holds(path: Path) -> bool:
        return re.search(RULES[rule], path.read_text()) is not None

    core = Path(SOURCE, "envpool/core")
    assert holds(core / "table/episode.h")
    files = [
        *core.rglob("*.h"),
        *Path(SOURCE, "envpool/bindings").iterdir(),
        *Path(SOURCE, "envpool/testing").glob("*.py"),
    ]
    others = [path for path in files if path.name not in ("episode.h", "repair.h")]
    others = [path for path in others if path.parent != core / "testing"]
    assert {"driver.h", "pure.h", "pure_world.h", "device.h", "nvrtc.py"} <= {path.name for path in others}
    assert [path.name for path in others if holds(path)] == []


# The folders of core/ that the headers of each may include. The folder itself holds what authors of environments
# include: the contracts, and plugin.h, which turns them into a table.
CORE_ROOMS = {
    "math": {"", "math"},
    "table": {"", "math", "table"},
    "pool": {"", "math", "table", "pool"},
    "testing": {"", "math", "table", "pool", "testing"},
    "": {"", "math", "table"},
}


def core_includes(text: str) -> set[str]:
    """The folders of core/ that a header includes files of; "" is core/ itself."""
    return {room.rstrip("/") for room in re.findall(r'#include "envpool/core/(\w+/)?\w+\.h"', text)}


def test_folders_of_the_core_include_in_one_direction() -> None:
    assert core_includes('#include "envpool/core/env.h"\n#include "envpool/core/pool/spin.h"\n') == {"", "pool"}
    core = Path(SOURCE, "envpool/core")
    headers = list(core.rglob("*.h"))
    assert {str(header.parent.relative_to(core)).strip(".") for header in headers} == set(CORE_ROOMS)
    for header in headers:
        room = str(header.parent.relative_to(core)).strip(".")
        assert core_includes(header.read_text()) <= CORE_ROOMS[room], header
