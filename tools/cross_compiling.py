# SPDX-License-Identifier: Apache-2.0
"""Implements the steps that the cross compilations in aarch64.py and cross.py share."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def run(*command: str | Path, env: Mapping[str, str] | None = None, cwd: Path = ROOT) -> None:
    """Runs a command; exits if it fails."""
    status = subprocess.run(list(map(str, command)), env={**os.environ, **(env or {})}, cwd=cwd, check=False).returncode
    if status:
        sys.exit(f"failed with status {status}: {' '.join(map(str, command))}")


def require(programs: Mapping[str, str]) -> None:
    """Exits unless all programs exist. Programs are mapped to the Debian packages that have them."""
    if missing := [package for program, package in programs.items() if not shutil.which(program)]:
        sys.exit(f"missing programs: apt-get install {' '.join(missing)}")


def build(folder: Path, toolchain: str, *options: str) -> None:
    """Compiles the C++ tests and all targets that ``options`` do not disable, with the file cmake/``toolchain``."""
    run("cmake", "-G", "Ninja", "-S", ROOT, "-B", folder, "--toolchain", ROOT / "cmake" / toolchain,
        "-DENVPOOL_TESTING=ON", *options)  # fmt: skip
    run("cmake", "--build", folder)


def extension_options(include: Path, suffix: str) -> list[str]:
    """Returns the options with which CMake compiles the Python extension for another system."""
    pybind11 = subprocess.check_output([sys.executable, "-m", "pybind11", "--cmakedir"], text=True).strip()
    return [f"-Dpybind11_DIR={pybind11}", f"-DPython_INCLUDE_DIR={include}", f"-DPYTHON_MODULE_EXTENSION={suffix}"]


def install(folder: Path, site: Path) -> None:
    """Installs the package, as compiled in ``folder``, into a folder for Python packages, and links the tests there."""
    shutil.rmtree(site / "envpool", ignore_errors=True)
    shutil.copytree(ROOT / "envpool", site / "envpool", ignore=shutil.ignore_patterns("__pycache__", "*.cc", "*.h"))
    run("cmake", "--install", folder, "--prefix", site)
    (site / "tests").unlink(missing_ok=True)
    (site / "tests").symlink_to(ROOT / "tests")


def run_cpp_tests(folder: Path, env: Mapping[str, str]) -> None:
    """Runs the C++ tests in the emulator that the toolchain file names. Having none is a failure."""
    run("ctest", "--test-dir", folder, "--output-on-failure", "--no-tests=error", "--timeout", "300",
        "-j", str(len(os.sched_getaffinity(0))), env=env)  # fmt: skip
