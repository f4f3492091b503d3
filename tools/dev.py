# SPDX-License-Identifier: Apache-2.0
"""Compiles what a change affects, and runs the tests of the changed files (make dev).

The package is installed in editable mode from the build tree build/dev, where each environment is a shared object and
nothing is optimized. The bits are those of a release. Changed are the files that were edited since the last run that
passed. Until a run has passed, they are the files that were edited since the installation or differ from the last commit.
Many environments may include an edited header. Then three of them are compiled and tested, and the others remain as they
were. Likewise, an edit of the core compiles the Python extension, three environments of each family in CORE_FAMILIES, and
the C++ tests that `_cpp_tests` selects.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "dev"
INSTALLED = BUILD / ".installed"
PASSED = BUILD / ".passed"  # its time is when the last run that passed began
NO_TESTS = 5  # pytest's exit status

MOST_ENVIRONMENTS = 3  # of a family
PRECOMPILED = "environments_header"  # CMake's target
CORE_FAMILIES = ("classic_control", "toy_text")

# The tests of code that has no tests of its own name.
TESTS_OF = {
    "envpool/bindings/gpu": "tests/cuda/pool_test.py",
    "envpool/bindings/jax": "tests/jax/rows_test.py",
    "envpool/bindings": "tests/python/interfaces_test.py",
    "envpool/core": "tests/python/interfaces_test.py",
    "envpool/python": "tests/python/interfaces_test.py",
    "tests/standin": "tests/standin",
}
# Tests, and words in their names, of families whose environments share most of their code.
TESTS_OF_FAMILIES = {"atari": ("tests/atari/interpreter_test.py", {"matches_ale", "pong"})}
# The C++ tests that run after every change of this folder, in addition to the test of the header's name.
CPP_TESTS_OF = {
    "envpool/core/pool": ("core/env_pool_test", "core/snapshot_test"),
    "envpool/core/table": ("core/autoreset_test", "core/pure_test"),
    "envpool/core": ("core/env_pool_test",),
    "envpool/atari": ("atari/native_test",),
}


class Plan(NamedTuple):
    """What a change requires.

    Attributes:
        targets: CMake's targets that are compiled.
        skipped: targets that the change affects as well, but which are not compiled.
        programs: the C++ tests, such as "core/env_pool_test".
        tests: arguments for pytest: files, folders, and `-k` with an expression.
    """

    targets: set[str]
    skipped: set[str]
    programs: set[str]
    tests: list[list[str]]


def changed_files() -> list[str]:
    """Returns the paths of the changed files, relative to the checkout."""
    files = _git("ls-files", "--cached", "--others", "--exclude-standard")
    since = (PASSED if PASSED.exists() else INSTALLED).stat().st_mtime
    edited = {name for name in files if (ROOT / name).exists() and (ROOT / name).stat().st_mtime > since}
    if not PASSED.exists():
        edited |= {name for name in _git("diff", "--name-only", "HEAD") if (ROOT / name).exists()}
    return sorted(edited)


def targets_by_file() -> dict[str, set[str]]:
    """Returns the targets that include each file of the checkout, from Ninja's record of the last build."""
    targets: dict[str, set[str]] = {}
    target = ""
    for line in subprocess.check_output([_ninja(), "-C", str(BUILD), "-t", "deps"], text=True).splitlines():
        if line.startswith("    "):
            path = os.path.relpath(os.path.normpath(BUILD / line.strip()), ROOT)
            targets.setdefault(path, set()).add(target)
        elif match := re.match(r"CMakeFiles/(\w+)\.dir/", line):
            target = match[1]
    environments = {target for users in targets.values() for target in users if target.startswith("environment_")}
    for users in targets.values():
        if PRECOMPILED in users:  # the header that all environments include; Ninja does not list what it includes
            users |= environments
    return targets


def plan(changed: Iterable[str], targets_of: Mapping[str, set[str]]) -> Plan:
    """Returns what the changes require. `targets_of` are the targets that include each file."""
    targets: set[str] = set()
    affected: set[str] = set()
    programs: set[str] = set()
    compiled = set().union(*targets_of.values())
    tests: dict[str, set[str]] = {}  # words by file or folder; none: all its tests
    for name in map(Path, changed):
        room = name.parts[1] if len(name.parts) > 2 else ""
        if name.parts[0] not in ("envpool", "tests") or name.suffix not in (".h", ".cc", ".py"):
            continue
        if name.name.endswith("_test.cc"):
            programs.add(f"{room}/{name.stem}")
        elif name.name.endswith("_test.py"):
            tests.setdefault(str(name), set())
        elif name.suffix == ".py":
            modules = _tests_of(name) if name.parts[0] == "envpool" else _tests_that_name(name)
            tests.update({test: set() for test in modules})
        else:
            users = targets_of.get(str(name), set())
            affected |= users
            programs |= _cpp_tests(name, users, compiled)
            targets |= users & {"_core", "testing"}
            if (
                name.name == "plugin.cc" or not users
            ):  # a family's list has changed, or nothing has included the file yet
                targets.add("all")
            words: dict[str, set[str]] = {}
            for family in CORE_FAMILIES if room == "core" else (room,):
                prefix = f"environment_{family}_"
                if f"{family}_parts" in users:  # a library that is linked to the environments
                    users |= {
                        target for targets in targets_of.values() for target in targets if target.startswith(prefix)
                    }
                environments = _sample({target for target in users if target.startswith(prefix)})
                targets |= environments | users & {f"family_{family}", f"{family}_testing"}
                if environments and PRECOMPILED in users:
                    targets.add(f"family_{family}")
                for environment in environments:
                    names = _words(environment.removeprefix(prefix))
                    folder, names = TESTS_OF_FAMILIES.get(family, (f"tests/{family}", names))
                    words.setdefault(folder, set()).update(names)
            for test in words or _tests_of(name):
                tests.setdefault(test, set()).update(words.get(test, ()))
    targets |= {program.replace("/", "_") for program in programs}
    arguments = [[test, *_selection(words)] for test, words in sorted(tests.items())]
    skipped = {target for target in affected - targets if not re.fullmatch(rf"{PRECOMPILED}|\w+_parts", target)}
    return Plan(targets, skipped, programs, arguments)


def _sample(environments: set[str]) -> set[str]:
    """Returns all environments, or three of them if there are more."""
    names = sorted(environments)
    if len(names) <= MOST_ENVIRONMENTS:
        return environments
    return {names[len(names) * part // (2 * MOST_ENVIRONMENTS)] for part in range(1, 2 * MOST_ENVIRONMENTS, 2)}


def _words(environment: str) -> set[str]:
    """Returns words in the names of an environment's tests, as in test_steps[CartPole] or [BabyAI-GoTo-v0]."""
    first, _, rest = environment.partition("_")
    return {environment, environment.replace("_", ""), *([f"{first}-{rest.replace('_', '')}"] if rest else [])}


def _cpp_tests(name: Path, users: set[str], compiled: set[str]) -> set[str]:
    """Returns the C++ test with the name of the file, and those in CPP_TESTS_OF, unless they do not include the file.

    A test that has not been compiled yet may include it.
    """
    folder = next((folder for folder in map(str, name.parents) if folder in CPP_TESTS_OF), "")
    room = name.parts[1]
    own = {f"{room}/{file.stem}" for file in (ROOT / "tests" / room).rglob(f"{name.stem}_test.cc")}
    return {
        test
        for test in own | set(CPP_TESTS_OF.get(folder, ()))
        if test.replace("/", "_") in users or test.replace("/", "_") not in compiled
    }


def _selection(words: set[str]) -> list[str]:
    return ["-k", " or ".join(sorted(words))] if words else []


def _tests_of(name: Path) -> list[str]:
    own = Path("tests", *name.parts[1:]).with_name(f"{name.stem}_test.py")
    if (ROOT / own).exists():
        return [str(own)]
    folder = next((folder for folder in map(str, name.parents) if folder in TESTS_OF), "")
    if folder:
        return [TESTS_OF[folder]]
    room = Path("tests", name.parts[1])
    return [str(room)] if (ROOT / room).is_dir() else []


def _tests_that_name(name: Path) -> list[str]:
    module = ".".join(name.with_suffix("").parts)
    package, _, last = module.rpartition(".")
    pattern = re.compile(rf"\b{re.escape(module)}\b|from {re.escape(package)} import .*\b{last}\b")
    files = [file for file in (ROOT / "tests").rglob("*_test.py") if pattern.search(file.read_text())]
    return [str(file.relative_to(ROOT)) for file in files]


def _ninja() -> str:
    cache = (BUILD / "CMakeCache.txt").read_text()
    match = re.search(r"^CMAKE_MAKE_PROGRAM:\w+=(.*)$", cache, re.MULTILINE)
    return match[1] if match else "ninja"


def _git(*arguments: str) -> list[str]:
    return subprocess.check_output(["git", "-C", str(ROOT), *arguments], text=True).splitlines()


def build(targets: Iterable[str]) -> None:
    """Compiles the targets, and copies them and the headers into the environment. Exits if that fails."""
    command = ["cmake", "--build", str(BUILD), *(["--target", *sorted(targets)] if targets else [])]
    _run([*command, "--", "--quiet"])
    _run(["cmake", "--install", str(BUILD), "--prefix", _site()], quiet=True)


def run_tests(required: Plan) -> None:
    """Runs the tests. Exits if one fails."""
    if required.programs:
        pattern = f"^({'|'.join(sorted(map(re.escape, required.programs)))})$"
        command = ["ctest", "--test-dir", str(BUILD), "--output-on-failure", "-j", str(_cpus()), "-R", pattern]
        ended = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        print(ended.stdout if ended.returncode else ended.stdout.strip().rpartition("\n\n")[2], flush=True)
        if ended.returncode:
            sys.exit(ended.returncode)
    together = [test[0] for test in required.tests if len(test) == 1]
    for test in [*([together] if together else []), *(test for test in required.tests if len(test) > 1)]:
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
    result = subprocess.run(command, cwd=ROOT, check=False, stdout=subprocess.DEVNULL if quiet else None)
    if result.returncode:
        sys.exit(result.returncode)


def main() -> None:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tests", nargs="*", help="arguments for pytest, instead of the tests of the changed files")
    arguments = parser.parse_args()
    start = time.time()
    if arguments.tests:
        build(())
        sys.exit(_pytest(arguments.tests))
    changed = changed_files()
    required = plan(changed, targets_by_file())
    print(len(changed), "changed files:", *changed[:5], *["..."] * (len(changed) > 5), flush=True)
    if required.targets:
        print("compiling", *sorted(required.targets), flush=True)
        build(required.targets)
    compiled = time.time()
    run_tests(required)
    PASSED.touch()
    os.utime(PASSED, (start, start))
    print(f"passed: {compiled - start:.1f} s to compile, {time.time() - compiled:.1f} s of tests")
    if required.skipped:
        names = sorted(required.skipped)
        print(
            f"not compiled with this change: {len(names)} other targets ({', '.join(names[:8])}{', ...' * (len(names) > 8)})."
        )
        print("`make test` compiles and tests everything.")


if __name__ == "__main__":
    main()
