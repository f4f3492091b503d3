# SPDX-License-Identifier: Apache-2.0
"""Compiles the package for Linux on aarch64 and tests it in qemu-user: ``python tools/aarch64.py [TEST ...]``.

It needs Debian with the packages qemu-user and g++-aarch64-linux-gnu, and runs in the virtual environment of the tests,
which has CMake and pybind11. An arm64 Python comes from Debian's packages, which are unpacked into build/aarch64/root
without being installed. NumPy, ale-py and MuJoCo come from their wheels for aarch64. TEST names Python tests to run
instead of the default ones; "cpp" runs only the C++ tests.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from cross_compiling import ROOT, extension_options, install, require, run, run_cpp_tests
from cross_compiling import build as compile_tree
from debian import apt, unpack

OUT = ROOT / "build" / "aarch64"
SYSTEM, SITE, CMAKE = OUT / "root", OUT / "site", OUT / "cmake"
PROGRAMS = {"qemu-aarch64": "qemu-user", "aarch64-linux-gnu-g++": "g++-aarch64-linux-gnu", "apt-get": "apt"}
DEBIAN = ("python3", "libpython3-dev", "libstdc++6")
WHEELS = ("numpy", "gymnasium", "dm-env", "pytest", "ale-py", "mujoco", "dm_control", "mpmath")
# These check golden hashes of every table, Atari frame by frame against ale-py, and bad input. Tests that start other
# processes cannot run, because the system cannot start arm64 programs without the emulator.
TESTS = (
    "tests.python.determinism_test",
    "tests.atari.interpreter_test",
    "tests.atari.bad_input_test",
    "tests.atari.resize_test",
    "tests.python.batches_test",
)


def make_system() -> None:
    """Unpacks Debian's arm64 Python with the libraries that it needs."""
    if (OUT / ".system").exists():
        return
    state = OUT / "apt"
    unpack(apt(state, architecture="arm64"), state, DEBIAN, SYSTEM)
    # Debian's pyconfig.h includes the one of its architecture from a folder that the cross compiler does not search.
    (config,) = SYSTEM.glob("usr/include/aarch64-linux-gnu/python3*/pyconfig.h")
    shutil.copy(config, SYSTEM / "usr" / "include" / config.parent.name / "pyconfig.h")
    (OUT / ".system").touch()


def python() -> Path:
    """Returns the arm64 Python."""
    return next(path for path in sorted(SYSTEM.glob("usr/bin/python3.*")) if path.name.count(".") == 1)


def make_site() -> None:
    """Downloads the wheels for aarch64, with the versions of the test environment."""
    if (OUT / ".site").exists():
        return
    from importlib.metadata import version

    tags = [f"--platform=manylinux{tag}_aarch64" for tag in ("_2_28", "_2_27", "_2_17", "2014")]
    number = python().name.removeprefix("python")
    wheels = [f"{name}=={version(name)}" for name in WHEELS]
    run(sys.executable, "-m", "pip", "install", "-q", "--target", SITE, "--only-binary=:all:", "--implementation=cp",
        f"--python-version={number}", *tags, *wheels)  # fmt: skip
    (OUT / ".site").touch()


def build() -> None:
    """Compiles the package with its tests, and copies it next to the wheels."""
    name = python().name
    suffix = f".cpython-{name.removeprefix('python').replace('.', '')}-aarch64-linux-gnu.so"
    options = extension_options(SYSTEM / "usr" / "include" / name, suffix)
    compile_tree(CMAKE, "aarch64-linux-gnu.cmake", f"-DENVPOOL_MUJOCO_FOLDER={SITE / 'mujoco'}", *options)
    install(CMAKE, SITE)


def main(arguments: list[str]) -> None:
    """Builds, and runs the tests."""
    require(PROGRAMS)
    make_system()
    make_site()
    build()
    if not arguments or "cpp" in arguments:
        run_cpp_tests(CMAKE, {"ENVPOOL_EMULATED": "1"})
    tests = [name for name in arguments or TESTS if name != "cpp"]
    if tests:
        env = {"QEMU_LD_PREFIX": str(SYSTEM), "PYTHONPATH": str(SITE), "PYTHONDONTWRITEBYTECODE": "1"}
        env |= {
            "ENVPOOL_EMULATED": "1",
            "ENVPOOL_TEST_LIB_DIR": str(CMAKE / "test_libs"),
            "ENVPOOL_SOURCE_DIR": str(ROOT),
        }
        run("qemu-aarch64", python(), "-m", "pytest", "-c", ROOT / "pyproject.toml", f"--rootdir={SITE}", "-q",
            "-p", "no:cacheprovider", "--durations=10", "--pyargs", *tests, env=env, cwd=SITE)  # fmt: skip


if __name__ == "__main__":
    main(sys.argv[1:])
