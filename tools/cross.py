# SPDX-License-Identifier: Apache-2.0
"""Compiles for Windows and macOS, and runs tests for Windows in Wine: ``python tools/cross.py [TARGET|TEST ...]``.

The targets are ``windows`` (x86-64), ``macos-arm64`` and ``macos-x86_64``; without arguments, all of them. The engine, the
Python extension, the families except MuJoCo, ViZDoom and Python environments, and the C++ tests are compiled and linked.
The C++ tests and some Python tests for Windows run in Wine; programs for macOS cannot be run. TEST names Python tests
to run for Windows instead of the default ones; "cpp" runs only the C++ tests. Windows needs Debian's packages
g++-mingw-w64-x86-64-posix, mingw-w64-tools and wine64; macOS needs the compiler zig, which is installed into build/cross as
a wheel.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

import windows_python
from cross_compiling import ROOT, build, extension_options, install, require, run, run_cpp_tests

OUT = ROOT / "build" / "cross"
ZIG = "ziglang==0.17.1"
WINE = "/usr/lib/wine/wine64"
WINDOWS_PROGRAMS = {
    windows_python.COMPILER: "g++-mingw-w64-x86-64-posix",
    "gendef": "mingw-w64-tools",
    WINE: "wine64",
}
# Nothing is measured, so the fastest compilation that removes unused code is enough.
OPTIONS = ("-DENVPOOL_MUJOCO_FOLDER=none", "-DCMAKE_BUILD_TYPE=None", "-DCMAKE_CXX_FLAGS=-O1")
# CMake links modules with -bundle, which zig does not know. dlopen() loads dynamic libraries too.
MODULES = 'for word; do shift; [ "$word" != -bundle ] || word=-dynamiclib; set -- "$@" "$word"; done\n'
MACOS_PROCESSORS = {"macos-arm64": "aarch64", "macos-x86_64": "x86_64"}
# NumPy 2 calls functions that Wine 8, of Debian 12, does not have.
PACKAGES = {"numpy": "1.26.4" if sys.version_info < (3, 13) else ""}
PACKAGES |= {name: version(name) for name in ("gymnasium", "dm-env", "pytest", "ale-py", "mpmath")}
# These check golden hashes of every table, Atari's interpreter and machine code, and bad input.
TESTS = (
    "tests.python.determinism_test",
    "tests.atari.interpreter_test",
    "tests.atari.bad_input_test",
    "tests.python.batches_test",
    "tests.python.episodes_test",
)


def windows(tests: Sequence[str]) -> None:
    """Compiles for Windows and runs tests in Wine, with the settings in build/cross/wine."""
    require(WINDOWS_PROGRAMS)
    pins = [f"{name}=={number}" if number else name for name, number in PACKAGES.items()]
    folder, include = OUT / "windows", windows_python.headers(OUT / "include" / "windows")
    python = windows_python.make(OUT / "python", include, pins)
    options = extension_options(include, windows_python.EXTENSION)
    build(folder, "mingw.cmake", *OPTIONS, *options, f"-DPython_LIBRARY={python / windows_python.IMPORT_LIBRARY}")
    site = python / "Lib" / "site-packages"
    install(folder, site)
    env = {"WINEPREFIX": str(OUT / "wine"), "WINEDEBUG": "-all"}
    run(WINE, "wineboot", "--init", env=env)  # creates the folder before tests use it at the same time
    if not tests or "cpp" in tests:
        run_cpp_tests(folder, {**env, "ENVPOOL_EMULATED": "1"})
    chosen = [test for test in tests or TESTS if test != "cpp"]
    if chosen:
        # Wine shows the whole file system as drive Z.
        env |= {"ENVPOOL_TEST_LIB_DIR": f"Z:{folder}/test_libs", "ENVPOOL_SOURCE_DIR": f"Z:{ROOT}"}
        run_python(python / "python.exe", "-B", "-m", "pytest", "-c", f"Z:{ROOT}/pyproject.toml", f"--rootdir=Z:{site}", "-q",
                   "-p", "no:cacheprovider", "--durations=10", "--pyargs", *chosen, env=env, cwd=site)  # fmt: skip


def run_python(*command: str | Path, env: Mapping[str, str], cwd: Path) -> None:
    """Runs Python in Wine, where it starts only if its output is a pipe; exits if it fails."""
    with subprocess.Popen([WINE, *map(str, command)], env={**os.environ, **env}, cwd=cwd, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:  # fmt: skip
        for line in process.stdout or ():
            print(line, end="", flush=True)
    if process.returncode:
        sys.exit(f"failed with status {process.returncode}: {' '.join(map(str, command))}")


def zig_programs(processor: str) -> Path:
    """Installs zig, and returns a folder with its compiler for a processor and its archiver as programs."""
    site = OUT / "zig"
    if not (site / "ziglang").exists():
        run(sys.executable, "-m", "pip", "install", "-q", "--target", site, ZIG)
    folder = OUT / "programs" / processor
    folder.mkdir(parents=True, exist_ok=True)
    for name, command in {"c++": f"c++ -target {processor}-macos.11.0", "ar": "ar", "ranlib": "ranlib"}.items():
        program = folder / name
        program.write_text(f'#!/bin/sh\n{MODULES}exec "{site}/ziglang/zig" {command} "$@"\n')
        program.chmod(0o755)
    return folder


def macos(processor: str) -> None:
    """Compiles and links for macOS. Nothing can be run."""
    programs = zig_programs(processor)
    include = windows_python.headers(OUT / "include" / processor)
    options = extension_options(include, f".cpython-{windows_python.NUMBER}-darwin.so")
    build(OUT / f"macos-{processor}", "zig-macos.cmake", *OPTIONS, *options,
          f"-DENVPOOL_CROSS_PROCESSOR={processor}", f"-DENVPOOL_CROSS_PROGRAMS={programs}")  # fmt: skip


def main(arguments: list[str]) -> None:
    """Compiles for the targets."""
    known = ["windows", *MACOS_PROCESSORS]
    tests = [word for word in arguments if word.startswith("tests.") or word == "cpp"]
    targets = [word for word in arguments if word not in tests]
    if unknown := [target for target in targets if target not in known]:
        sys.exit(f"unknown targets: {', '.join(unknown)}; the targets are {', '.join(known)}")
    for target in targets or (["windows"] if tests else known):
        if target == "windows":
            windows(tests)
        else:
            macos(MACOS_PROCESSORS[target])


if __name__ == "__main__":
    main(sys.argv[1:])
