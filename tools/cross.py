# SPDX-License-Identifier: Apache-2.0
"""Compiles for Windows and macOS, and runs the C++ tests for Windows in Wine: ``python tools/cross.py [TARGET ...]``.

The targets are ``windows`` (x86-64), ``macos-arm64`` and ``macos-x86_64``; without arguments, all of them. The engine, the
families except MuJoCo and ViZDoom, and the C++ tests are compiled and linked; the Python extension is not, because it needs
the headers and libraries of a Python for the target. Windows needs Debian's packages g++-mingw-w64-x86-64-posix and
wine64; macOS needs the compiler zig, which is installed into build/cross as a wheel.
"""

from __future__ import annotations

import sys
from pathlib import Path

from cross_compiling import ROOT, build, require, run, run_cpp_tests

OUT = ROOT / "build" / "cross"
ZIG = "ziglang==0.17.1"
WINE = "/usr/lib/wine/wine64"
WINDOWS_PROGRAMS = {"x86_64-w64-mingw32-g++-posix": "g++-mingw-w64-x86-64-posix", WINE: "wine64"}
# Nothing is measured, so the fastest compilation that removes unused code is enough.
OPTIONS = ("-DENVPOOL_BINDINGS=OFF", "-DENVPOOL_MUJOCO_FOLDER=none", "-DCMAKE_BUILD_TYPE=None", "-DCMAKE_CXX_FLAGS=-O1")
MACOS_PROCESSORS = {"macos-arm64": "aarch64", "macos-x86_64": "x86_64"}


def windows() -> None:
    """Compiles for Windows and runs the C++ tests in Wine, with the settings in build/cross/wine."""
    require(WINDOWS_PROGRAMS)
    build(OUT / "windows", "mingw.cmake", *OPTIONS)
    env = {"WINEPREFIX": str(OUT / "wine"), "WINEDEBUG": "-all", "ENVPOOL_EMULATED": "1"}
    run(WINE, "wineboot", "--init", env=env)  # creates the folder before tests use it at the same time
    run_cpp_tests(OUT / "windows", env)


def zig_programs(processor: str) -> Path:
    """Installs zig, and returns a folder with its compiler for a processor and its archiver as programs."""
    site = OUT / "zig"
    if not (site / "ziglang").exists():
        run(sys.executable, "-m", "pip", "install", "-q", "--target", site, ZIG)
    folder = OUT / "programs" / processor
    folder.mkdir(parents=True, exist_ok=True)
    for name, command in {"c++": f"c++ -target {processor}-macos.11.0", "ar": "ar", "ranlib": "ranlib"}.items():
        program = folder / name
        program.write_text(f'#!/bin/sh\nexec "{site}/ziglang/zig" {command} "$@"\n')
        program.chmod(0o755)
    return folder


def macos(processor: str) -> None:
    """Compiles and links for macOS. Nothing can be run."""
    programs = zig_programs(processor)
    build(OUT / f"macos-{processor}", "zig-macos.cmake", *OPTIONS, f"-DENVPOOL_CROSS_PROCESSOR={processor}",
          f"-DENVPOOL_CROSS_PROGRAMS={programs}")  # fmt: skip


def main(targets: list[str]) -> None:
    """Compiles for the targets."""
    known = ["windows", *MACOS_PROCESSORS]
    if unknown := [target for target in targets if target not in known]:
        sys.exit(f"unknown targets: {', '.join(unknown)}; the targets are {', '.join(known)}")
    for target in targets or known:
        if target == "windows":
            windows()
        else:
            macos(MACOS_PROCESSORS[target])


if __name__ == "__main__":
    main(sys.argv[1:])
