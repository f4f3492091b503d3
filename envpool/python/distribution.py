# SPDX-License-Identifier: Apache-2.0
"""Information about the installed distribution: Python imports envpool, pip installs envpool-unified.

The released EnvPool is the distribution called envpool. Both install their files into a folder called envpool, so a
Python environment can hold only one of them.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
import warnings
from importlib.util import find_spec
from typing import NoReturn

from envpool.python.errors import missing_package

NAME = "envpool-unified"
_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def package_folders() -> list[str]:
    """Returns the folders of the package envpool. An editable installation has more than one."""
    return list(sys.modules["envpool"].__path__)


def version() -> str:
    """Returns the installed version; "" if the package was not installed as a distribution."""
    return version_of(NAME)


def version_of(package: str) -> str:
    """Returns the installed version of any distribution; "" if it is not installed."""
    import importlib.metadata

    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""


def pip_install(*packages: str) -> str:
    """Returns the command that installs third-party packages in the versions that envpool-unified requires.

    The command names the packages rather than extras of envpool-unified, because pip may not be able to find
    envpool-unified itself in an index.
    """
    import importlib.metadata

    try:
        lines = importlib.metadata.requires(NAME) or []
    except importlib.metadata.PackageNotFoundError:
        lines = []
    wanted: dict[str, str] = {}
    for line in lines:
        requirement = line.partition(";")[0].strip()
        wanted.setdefault(_normal(re.split(r"[^\w.-]", requirement, maxsplit=1)[0]), requirement)
    return " ".join(["pip install", *(shlex.quote(wanted.get(_normal(name), name)) for name in packages)])


def raise_missing(
    error: ImportError, name: str, needed_by: str, display_name: str = "", distribution: str = ""
) -> NoReturn:
    """Raises MissingPackageError after the failed import of an optional package.

    Args:
        error: the error of the import. It is raised again if the package is installed but fails to import.
        name: the name that Python imports.
        needed_by: the function or module that needs the package, such as "make_sb3".
        display_name: the usual name of the package, if it is not `name`.
        distribution: the name that pip installs, if it is not `name`.

    Raises:
        MissingPackageError: the package is not installed; the text has the command that installs it.
    """
    # If sys.modules blocks the package, error.name is the submodule that was imported.
    blocked = name in sys.modules and sys.modules[name] is None
    if not isinstance(error, ModuleNotFoundError) or (error.name != name and not blocked):
        raise error
    command = pip_install(distribution or name)
    raise missing_package(name, display_name or name, command, f"[envpool] {needed_by}") from error


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def conflict() -> str:
    """Returns an explanation if the released EnvPool is installed in the same folder as this package; else ""."""
    try:
        entries = os.listdir(os.path.dirname(_FOLDER))
    except OSError:
        return ""
    folders = [entry for entry in entries if entry.startswith("envpool-") and entry.endswith(".dist-info")]
    if not folders:
        return ""
    number = folders[0].removeprefix("envpool-").removesuffix(".dist-info")
    return (
        f"[envpool] the distribution envpool {number} (the released EnvPool) is installed together with {NAME}, and both "
        f"keep their files in {_FOLDER}: run `pip uninstall envpool`, then install {NAME} again, with "
        "`pip install --force-reinstall --no-deps .` in a checkout of it"
    )


def check_installation() -> None:
    """Checks, when envpool is imported, that its folder holds this package as it was installed.

    Raises:
        ImportError: the folder holds the uncompiled sources.

    Warns:
        RuntimeWarning: the released EnvPool is installed in the same folder.
    """
    if find_spec("envpool._core") is None and os.path.isdir(os.path.join(_FOLDER, "bindings")):
        raise ImportError(
            f"[envpool] import envpool found the uncompiled sources in {_FOLDER}: start Python in a folder other than "
            f"{os.path.dirname(_FOLDER)}; if {NAME} is not installed yet, run `pip install .` there first"
        )
    explanation = conflict()
    if explanation:
        warnings.warn(explanation, RuntimeWarning, stacklevel=3)
