# SPDX-License-Identifier: Apache-2.0
"""The distribution: envpool is imported, and envpool-unified is what pip installs.

The released EnvPool is the distribution called envpool, and its files lie in a folder of the same name as ours. So an
environment can hold one of them, not both.
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
    """Returns the folders of the package envpool: an editable installation has more than one."""
    return list(sys.modules["envpool"].__path__)


def version() -> str:
    """The installed version; "" where there is no distribution, such as on a path of unpacked files."""
    return version_of(NAME)


def version_of(package: str) -> str:
    """The installed version of any distribution; "" if it is not installed."""
    import importlib.metadata

    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""


def pip_install(*packages: str) -> str:
    """The command that installs other people's packages in the versions that this package asks for.

    It names the packages and not our extras, because pip can find those wherever ours came from.
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


def raise_missing(error: ImportError, name: str, whose: str, shown: str = "", distribution: str = "") -> NoReturn:
    """Raises what the failed import of an optional package means to a caller.

    Args:
        error: what the import raised; it is raised again if the package is there and lacks something.
        name: the package as Python imports it.
        whose: what needs it, such as "make_sb3".
        shown: the package as people name it, if that is another name.
        distribution: the package as pip names it, if that is another name.

    Raises:
        MissingPackageError: the package is not installed; the text has the command that installs it.
    """
    hidden = name in sys.modules and sys.modules[name] is None  # Python then names the submodule that was imported
    if not isinstance(error, ModuleNotFoundError) or (error.name != name and not hidden):
        raise error
    raise missing_package(name, shown or name, pip_install(distribution or name), f"[envpool] {whose}") from error


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def conflict() -> str:
    """A sentence if the released EnvPool is installed in the folder where this package is, "" if it is not."""
    try:
        entries = os.listdir(os.path.dirname(_FOLDER))
    except OSError:
        return ""
    found = [entry for entry in entries if entry.startswith("envpool-") and entry.endswith(".dist-info")]
    if not found:
        return ""
    number = found[0].removeprefix("envpool-").removesuffix(".dist-info")
    return (
        f"[envpool] the distribution envpool {number} (the released EnvPool) is installed beside {NAME}, and both keep "
        f"their files in {_FOLDER}: run `pip uninstall envpool`, then install {NAME} again, with "
        "`pip install --force-reinstall --no-deps .` in a checkout of it"
    )


def check() -> None:
    """Looks, when envpool is imported, whether the folder holds this package as it was installed.

    Raises:
        ImportError: the folder holds the sources, which are not compiled.

    Warns:
        RuntimeWarning: the released EnvPool is installed in the same folder.
    """
    if find_spec("envpool._core") is None and os.path.isdir(os.path.join(_FOLDER, "bindings")):
        raise ImportError(
            f"[envpool] import envpool found the sources in {_FOLDER}, which are not compiled: leave the folder "
            f"{os.path.dirname(_FOLDER)} and start Python elsewhere, after `pip install .` in it if {NAME} is not "
            "installed yet"
        )
    said = conflict()
    if said:
        warnings.warn(said, RuntimeWarning, stacklevel=3)
