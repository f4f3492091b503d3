# SPDX-License-Identifier: Apache-2.0
"""Tests that the pages name existing files and functions, and that the code follows the architecture."""

import os
import re
from pathlib import Path
from typing import NamedTuple

import pytest

import envpool
from tests.support.tables import updated

SOURCE = Path(os.environ.get("ENVPOOL_SOURCE_DIR", "none"))
PAGES = sorted([*SOURCE.glob("*.md"), *SOURCE.glob("docs/*.md")])
FOLDERS = "envpool|tests|benchmark|docs|examples|tools|cmake|core|jax|python|cuda|plugins|atari"

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


def test_the_page_of_the_tests_describes_the_files_that_they_share() -> None:
    page = (SOURCE / "tests/__init__.py").read_text()
    described = set(re.findall(r"\b\w+\.(?:py|h|cc|csv)\b", page))
    files = {
        file.name
        for folder in ("environments", "support", "standin", "core", "cuda", "jax", "python")
        for file in (SOURCE / "tests" / folder).iterdir()
        if file.suffix in (".py", ".csv") or (file.suffix in (".h", ".cc") and folder != "standin")
    }
    files -= {file for file in files if re.search(r"_test\.(py|cc)$", file)} | {"__init__.py", "conftest.py"}
    assert described - files == set() and files - described == set()


def test_the_package_contains_no_tests() -> None:
    tests = {"conftest.py", "testing", "tests"}
    folders = [SOURCE / "envpool", *map(Path, envpool.__path__)]
    paths = [path for folder in folders for path in folder.rglob("*") if "share" not in path.parts]
    assert len(paths) > 500
    assert [path for path in paths if path.name in tests or re.search(r"_test\.(py|cc|h)$", path.name)] == []


def test_bazel_has_the_families_of_cmake() -> None:
    (cmake,) = re.findall(r"^set\(ENVPOOL_FAMILIES ([^)]*)\)", (SOURCE / "CMakeLists.txt").read_text(), re.M)
    (bazel,) = re.findall(r"^FAMILIES = \{(.*?)^\}", (SOURCE / "envpool/settings.bzl").read_text(), re.M | re.S)
    assert set(cmake.split()) == set(re.findall(r'^    "(\w+)": ', bazel, re.M))


def files_named(page: str) -> list[str]:
    """Returns the paths in backquotes and at the beginning of indented lines."""
    return re.findall(rf"`((?:{FOLDERS})/[\w./<>*-]*)`", page) + re.findall(
        rf"^    ((?:{FOLDERS})/[\w./<>]*)", page, re.M
    )


def exists(path: str) -> bool:
    """Returns whether a path exists. <family> and <name> stand for any name, the same one at each occurrence."""
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
    tasks = envpool.list_all_envs()
    ids = {*tasks, *(f"envpool/{task_id.replace('/', '-')}" for task_id in tasks)}  # the latter for gymnasium.make_vec
    assert [path for path in files_named(page.read_text()) if path not in ids and not exists(path)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_targets_that_a_page_names_exist(page: Path) -> None:
    makefile = Path(SOURCE, "Makefile").read_text()
    targets = {name for line in re.findall(r"^([\w -]+):", makefile, re.M) for name in line.split()}
    assert set(re.findall(r"(?:`|^    )make ([a-z][\w-]*)", page.read_text(), re.M)) <= targets


# A test that by default tries only a sample of its cases has the mark `sampled`, or reads one of these variables, imports
# one of these names, or runs tests.support.mutate_states.
SAMPLES = re.compile(
    r"environ\.get\(\s*\"ENVPOOL_(TEST_(?!LIB_DIR)|ATARI_|DMC_)|\"-m\",\s*\"tests\.support\.mutate_states\""
    r"|^from tests\.support\.samples import .*(WHOLE|of_today)",
    re.M,
)


def test_the_page_names_the_tests_that_sample() -> None:
    page = Path(SOURCE, "CONTRIBUTING.md").read_text()
    named = re.findall(r"^\| `(tests/[\w/*]+_test\.py)` \|", page, re.M)
    files = {str(path.relative_to(SOURCE)): path.read_text() for path in SOURCE.glob("tests/**/*_test.py")}
    sampling = {name for name, text in files.items() if SAMPLES.search(text)} - {"tests/support/samples_test.py"}
    assert len(sampling) >= 9
    assert {name for pattern in named for name in files if Path(name).match(pattern)} == sampling


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_variables_that_a_page_names_are_read(page: Path) -> None:
    named = set(re.findall(r"\bENVPOOL_[A-Z_]+[A-Z]\b", page.read_text()))
    suffixes = {"pyproject.toml", "Makefile", "CMakeLists.txt"}
    code = "".join(
        file.read_text()
        for folder in ("envpool", "tests", "cmake", "tools", "examples", "benchmark", "docs/site")
        for file in Path(SOURCE, folder).rglob("*")
        if file.suffix in (".py", ".h", ".cc", ".cmake")
    ) + "".join(Path(SOURCE, name).read_text() for name in suffixes)
    assert [name for name in named if name not in code] == []


def test_missing_paths_are_detected() -> None:
    assert files_named("see `envpool/core/api.h` and\n    envpool/core/   the engine\n") == [
        "envpool/core/api.h",
        "envpool/core/",
    ]
    assert exists("tests/<family>/<family>_test.py") and exists("envpool/core/") and exists("core/api.h")
    assert not exists("tests/<family>/<family>_tests.py") and not exists("envpool/core/nothing.h")


# Patterns of the code in episode.h that begins an episode, counts steps, applies the time limit, completes an outcome, and
# seeds an agent. No other file may match them.
RULES = {
    "begins": r"\bbegin_episode\(.*\+\+\)",
    "counts and limits": r"\bcount_up\(|\belapsed\s*>=",
    "ends": r"\bover\s*=\s*outcome|terminated\s*\|+\s*outcome\.truncated",
    "discounts": r"\bdiscount\b.*outcome\.terminated|if \(outcome\.terminated\)",
    "agents' generators": r"\bagent\s*=\s*u32\(agent\)",
    "layout": r"\bstruct (Episode|EnvSlot) \{",
}


@pytest.mark.parametrize("rule", RULES)
def test_each_rule_of_episodes_is_implemented_once(rule: str) -> None:
    def holds(path: Path) -> bool:
        return re.search(RULES[rule], path.read_text()) is not None

    core = Path(SOURCE, "envpool/core")
    assert holds(core / "table/episode.h")
    files = [
        *core.rglob("*.h"),
        *Path(SOURCE, "envpool/bindings").rglob("*.h"),
        *Path(SOURCE, "envpool/bindings").rglob("*.cc"),
        *Path(SOURCE, "tests/cuda").glob("*.py"),
        *Path(SOURCE, "tests/support").glob("*.py"),
    ]
    others = [path for path in files if path.name not in ("episode.h", "repair.h")]
    assert {"vector_env.h", "pure.h", "rows.h", "turn.h", "kernel.h", "nvrtc.py"} <= {path.name for path in others}
    assert [path.name for path in others if holds(path)] == []


def test_only_turn_h_says_in_which_order_an_environment_steps() -> None:
    drivers = [*Path(SOURCE, "envpool/core/table").glob("*.h"), *Path(SOURCE, "envpool/bindings").rglob("*.cc")]
    concludes = {path.name for path in drivers if re.search(r"\bepisode_?\.conclude\(", path.read_text())}
    assert concludes == {"turn.h"}
    calls = {path.name for path in drivers if re.search(r"^ +turn\(", path.read_text(), re.M)}
    assert calls == {"rows.h", "kernel.h"}


# For each folder of core/, the folders whose headers it may include. "" is core/ itself, whose headers are for authors of
# environments: the contracts, and plugin.h, which builds tables from environments.
CORE_FOLDERS = {
    "math": {"", "math"},
    "system": {"", "system"},
    "table": {"", "math", "table"},
    "pool": {"", "math", "system", "table", "pool"},
    "check": {"", "math", "table", "check"},
    "": {"", "math", "table"},
}


def core_includes(text: str) -> set[str]:
    """Returns the folders of core/ from which a header includes files; "" is core/ itself."""
    return {folder.rstrip("/") for folder in re.findall(r'#include "envpool/core/(\w+/)?\w+\.h"', text)}


def test_folders_of_the_core_include_in_one_direction() -> None:
    assert core_includes('#include "envpool/core/env.h"\n#include "envpool/core/pool/spin.h"\n') == {"", "pool"}
    core = Path(SOURCE, "envpool/core")
    headers = list(core.rglob("*.h"))
    assert {str(header.parent.relative_to(core)).strip(".") for header in headers} == set(CORE_FOLDERS)
    for header in headers:
        folder = str(header.parent.relative_to(core)).strip(".")
        assert core_includes(header.read_text()) <= CORE_FOLDERS[folder], header


class Stop(NamedTuple):
    """A numbered line of a path in docs/architecture.md."""

    file: str
    functions: list[str]


def paths_through_the_code(page: str) -> dict[str, list[Stop]]:
    """Returns the paths that the page describes, by their headings."""
    section = page.split("## An action and a seed, followed through the code\n")[1].split("\n## ")[0]
    line = re.compile(r"^\d+\. `([\w/.]+)`, ((?:`\w+`(?:, )?)+): ", re.M)
    return {
        part.splitlines()[0]: [Stop(file, re.findall(r"\w+", names)) for file, names in line.findall(part)]
        for part in section.split("\n### ")[1:]
    }


def defines(text: str, name: str) -> bool:
    """Returns whether a Python or C++ file defines a function or class of that name."""
    python = rf"^\s*(?:def|class) {name}\b"
    cpp = rf"^\s*[\w:<>,*& ]+[ :*&]{name}\((?:[^;{{]|\{{\}})*\)[^;{{]*\{{|^\s*(?:class|struct) {name} [^;]*\{{"
    return re.search(python, text, re.M) is not None or re.search(cpp, text, re.M) is not None


# Files that are called without being imported or included, and the text by which their callers are recognized.
INDIRECT = {
    "envpool/bindings/pool/pool.cc": "from envpool import _core",
    "envpool/core/plugin.h": "abi::Table& table",
    "envpool/classic_control/cartpole.h": "Env::",
}


def uses(caller: str, stop: Stop) -> bool:
    """Returns whether a file imports or includes the file of a stop, and names one of its functions."""
    module = stop.file.removesuffix(".py").replace("/", ".")
    links = (INDIRECT.get(stop.file, f'#include "{stop.file}"'), f"from {module} import")
    return any(link in caller for link in links) and any(re.search(rf"\b{f}\b", caller) for f in stop.functions)


PATHS = paths_through_the_code(Path(SOURCE, "docs/architecture.md").read_text()) if PAGES else {}


def test_both_paths_through_the_code_are_found() -> None:
    assert {title: len(stops) for title, stops in PATHS.items()} == {
        "From an action to an observation": 22,
        "From a seed to the first observation": 18,
    }
    for stops in PATHS.values():
        assert len({stop.file for stop in stops}) == len(stops), "a file is named twice"


@pytest.mark.parametrize(
    ("title", "number"), [(title, k) for title in PATHS for k in range(len(PATHS[title]))], ids=str
)
def test_a_path_names_functions_and_their_callers(title: str, number: int) -> None:
    stop = PATHS[title][number]
    text = Path(SOURCE, stop.file).read_text()
    assert [name for name in stop.functions if not defines(text, name)] == []
    earlier = [Path(SOURCE, other.file).read_text() for other in PATHS[title][:number]]
    assert number == 0 or any(uses(caller, stop) for caller in earlier), f"no earlier file of the path uses {stop.file}"


def test_definitions_are_found() -> None:
    text = "int twice(int x) {\n  return add(x, x);\n}\nif (!f.take(x)) {\nclass Pool final {\nvoid later(int);\n"
    assert [defines(text, name) for name in ("twice", "Pool", "add", "take", "later")] == [
        True,
        True,
        False,
        False,
        False,
    ]
    assert defines("    def step(self) -> None:\n", "step") and not defines("step()\n", "step")
    assert uses('#include "envpool/a.h"\nf();', Stop("envpool/a.h", ["f"]))
    assert not uses("f();", Stop("envpool/a.h", ["f"])) and not uses(
        '#include "envpool/a.h"', Stop("envpool/a.h", ["f"])
    )
