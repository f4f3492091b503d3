# SPDX-License-Identifier: Apache-2.0
"""Compiles what a change affects, and runs the tests of the changed files (make dev).

The package is installed in editable mode from the build tree build/dev, where each environment is compiled by itself, with
less optimization than in a release. The bits are the same. Changed are the files that were edited since the last run that
passed and, in the first run, the files that differ from the last commit.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "dev"
PASSED = BUILD / ".passed"  # its time is when the last run that passed began
NO_TESTS = 5  # pytest's exit status

# The tests of code that has no tests of its own name.
TESTS_OF = {
    "envpool/bindings/gpu": "tests/cuda/pool_test.py",
    "envpool/bindings/jax": "tests/jax/rows_test.py",
    "envpool/bindings": "tests/python/interfaces_test.py",
    "envpool/core": "tests/classic_control",
    "envpool/python": "tests/python/interfaces_test.py",
    "tests/standin": "tests/standin",
}


class Plan(NamedTuple):
    """What a change requires.

    Attributes:
        targets: CMake's targets.
        programs: patterns of the names of C++ tests, such as "core/.*".
        tests: arguments for pytest: files, folders, and `-k` with an expression.
    """

    targets: set[str]
    programs: set[str]
    tests: list[list[str]]


def changed_files() -> list[str]:
    """Returns the paths of the changed files, relative to the checkout."""
    listed = _git("ls-files", "--cached", "--others", "--exclude-standard")
    if PASSED.exists():
        passed = PASSED.stat().st_mtime
        return [name for name in listed if (ROOT / name).exists() and (ROOT / name).stat().st_mtime > passed]
    return [name for name in _git("diff", "--name-only", "HEAD") if (ROOT / name).exists()]


def plan(changed: Iterable[str]) -> Plan:
    """Returns what the changes require."""
    targets: set[str] = set()
    programs: set[str] = set()
    tests: dict[str, set[str]] = {}  # words by file or folder; none: all its tests
    for name in map(Path, changed):
        room = name.parts[1] if len(name.parts) > 2 else ""
        cpp = name.suffix in (".h", ".cc")
        if name.name.endswith("_test.cc"):
            programs.add(f"{room}/{name.stem}")
            targets.add(f"{room}_{name.stem}")
        elif name.name.endswith("_test.py"):
            tests.setdefault(str(name), set())
        elif name.parts[0] == "tests" and name.suffix == ".py":
            module = ".".join(name.with_suffix("").parts)
            tests.update({test: set() for test in _tests_that_name(module)})
        elif name.parts[0] == "envpool" and cpp and room == "core":
            targets |= {"_core", "core_tests", *_targets_of("classic_control")}
            programs.add("core/.*")
            tests.setdefault(TESTS_OF["envpool/core"], set())
        elif name.parts[0] == "envpool" and cpp and room != "bindings":
            targets |= _targets_of(room)
            programs.add(f"{room}/.*")
            words = tests.setdefault(f"tests/{room}", set())
            words |= {name.stem, name.stem.replace("_", "")}  # cart_pole: CartPole-v1 and cart_pole_test.py
        elif name.parts[0] == "envpool" and name.suffix in (".h", ".cc", ".py"):
            if cpp:
                targets.add("_core")
            own = Path("tests", *name.parts[1:]).with_name(f"{name.stem}_test.py")
            test = str(own) if (ROOT / own).exists() else _tests_of_folder(name)
            if test:
                tests.setdefault(test, set())
    return Plan(targets, programs, [[test, *_selection(words)] for test, words in sorted(tests.items())])


def _selection(words: set[str]) -> list[str]:
    return ["-k", " or ".join(sorted(words))] if words else []


def _tests_of_folder(name: Path) -> str:
    for folder in map(str, name.parents):
        if folder in TESTS_OF:
            return TESTS_OF[folder]
    same = Path("tests", name.parts[1])
    return str(same) if (ROOT / same).is_dir() else ""


def _tests_that_name(module: str) -> list[str]:
    package, _, last = module.rpartition(".")
    pattern = re.compile(rf"\b{re.escape(module)}\b|from {re.escape(package)} import .*\b{last}\b")
    files = [file for file in (ROOT / "tests").rglob("*_test.py") if pattern.search(file.read_text())]
    return [str(file.relative_to(ROOT)) for file in files]


def _targets_of(family: str) -> set[str]:
    known = set(re.findall(r"^(?:build )?([\w]+): phony", (BUILD / "build.ninja").read_text(), re.MULTILINE))
    return {f"family_{family}", f"{family}_testing", f"{family}_tests"} & known


def _git(*arguments: str) -> list[str]:
    return subprocess.check_output(["git", "-C", str(ROOT), *arguments], text=True).splitlines()


def build(targets: Iterable[str]) -> None:
    """Compiles the targets, and copies them and the headers into the environment. Exits if that fails."""
    command = ["cmake", "--build", str(BUILD), *(["--target", *sorted(targets)] if targets else [])]
    _run([*command, "--", "--quiet"])
    _run(["cmake", "--install", str(BUILD), "--prefix", _site()], quiet=True)


def run_tests(wanted: Plan) -> None:
    """Runs the tests. Exits if one fails."""
    if wanted.programs:
        _run(["ctest", "--test-dir", str(BUILD), "--output-on-failure", "-j", str(_cpus()), "-R",
              f"^({'|'.join(sorted(wanted.programs))})$", "--quiet"])  # fmt: skip
    together = [test[0] for test in wanted.tests if len(test) == 1]
    for test in [*([together] if together else []), *(test for test in wanted.tests if len(test) > 1)]:
        status = _pytest(test)
        if status == NO_TESTS and "-k" in test:  # no test has the name of the header, so others include it
            status = _pytest(test[:1])
        if status not in (0, NO_TESTS):
            sys.exit(status)


def _pytest(arguments: list[str]) -> int:
    site = Path(_site())
    names = [str(site / name) if name.startswith("tests/") else name for name in arguments]
    print("pytest", *arguments, flush=True)
    few = len(names) == 1 and names[0].endswith(".py")  # starting processes would take longer than the tests
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-c", ROOT / "pyproject.toml", "--rootdir", site, "-x",
         "-o", f"cache_dir={BUILD}/pytest_cache", *([] if few else ["-n", str(_cpus())]), *names],
        cwd=site, check=False,
        env={**os.environ, "PYTHONSAFEPATH": "1", "ENVPOOL_SOURCE_DIR": str(ROOT),
             "ENVPOOL_TEST_LIB_DIR": str(BUILD / "test_libs")},
    ).returncode  # fmt: skip


def _site() -> str:
    import sysconfig

    return sysconfig.get_path("platlib")


def _cpus() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _run(command: list[str], *, quiet: bool = False) -> None:
    done = subprocess.run(command, cwd=ROOT, check=False, stdout=subprocess.DEVNULL if quiet else None)
    if done.returncode:
        sys.exit(done.returncode)


def main() -> None:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tests", nargs="*", help="arguments for pytest, instead of the tests of the changed files")
    arguments = parser.parse_args()
    begun = time.time()
    if arguments.tests:
        build(())
        sys.exit(_pytest(arguments.tests))
    changed = changed_files()
    wanted = plan(changed)
    print(len(changed), "changed files:", *changed[:5], *["..."] * (len(changed) > 5), flush=True)
    if wanted.targets:
        build(wanted.targets)
    compiled = time.time()
    run_tests(wanted)
    PASSED.touch()
    os.utime(PASSED, (begun, begun))
    print(f"passed: {compiled - begun:.1f} s to compile, {time.time() - compiled:.1f} s of tests")


if __name__ == "__main__":
    main()
