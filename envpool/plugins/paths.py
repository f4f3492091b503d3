# SPDX-License-Identifier: Apache-2.0
"""Finds the headers and the CMake config, in an installed package or in the source tree."""

from __future__ import annotations

from pathlib import Path

from envpool.python.distribution import package_folders

_HEADER = Path("envpool", "core", "plugin.h")


def get_include() -> str:
    """Returns the include folder: with `-I` and this folder, `#include "envpool/core/api.h"` works.

    Raises:
        RuntimeError: the installed headers are missing.
    """
    packages = [Path(path) for path in package_folders()]
    for folder in (*(package / "include" for package in packages), *(package.parent for package in packages)):
        if (folder / _HEADER).is_file():
            return str(folder)
    raise RuntimeError(f"[envpool] {packages[0] / 'include' / _HEADER} is missing: install envpool again")


def get_example() -> Path:
    """Returns the folder of the example package, which contains an environment.

    Raises:
        RuntimeError: the installed files are missing.
    """
    return _example("plugin_package/pyproject.toml").parent


def get_tutorial_header(*, turns: bool = False) -> Path:
    """Returns the header that docs/write_your_own.md shows; with `turns`, that of a game of two players.

    Raises:
        RuntimeError: the installed file is missing.
    """
    return _example("nim.h" if turns else "dodge.h")


def _example(name: str) -> Path:
    packages = [Path(path) for path in package_folders()]
    folders = [*(package / "share" for package in packages), *(package.parent / "examples" for package in packages)]
    for folder in folders:
        if (folder / name).is_file():
            return folder / name
    raise RuntimeError(f"[envpool] {folders[0] / name} is missing: install envpool again")


def get_cmake_dir() -> str:
    """Returns the folder of envpool-config.cmake, the value of envpool_DIR for CMake's `find_package(envpool)`.

    Raises:
        RuntimeError: the installed file is missing.
    """
    packages = [Path(path) for path in package_folders()]
    installed = [package / "share" / "cmake" / "envpool" for package in packages]
    for folder in (*installed, *(package.parent / "cmake" for package in packages)):
        if (folder / "envpool-config.cmake").is_file():
            return str(folder)
    raise RuntimeError(f"[envpool] {installed[0] / 'envpool-config.cmake'} is missing: install envpool again")
