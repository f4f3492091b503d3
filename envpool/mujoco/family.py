# SPDX-License-Identifier: Apache-2.0
"""The base class of all MuJoCo ids, which loads the library from the package mujoco without importing that package."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Mapping
from typing import Any

# Imported by its full name, because attributes of the package are looked up among the registered ids.
import envpool.mujoco.render_options as render_options
from envpool.mujoco.packages import folder_of
from envpool.python.errors import MissingPackageError, missing_package
from envpool.python.family import Family, ImportPath

VERSION = "3.17.0"  # as in pyproject.toml; the last digits of results differ between versions


class MujocoFamily(Family):
    """MuJoCo ids of one part of the family.

    Attributes:
        PART: the folder in envpool/mujoco.
        MODELS: the package and version that the models come from.
    """

    PART: str
    MODELS: str
    PATHS = ("xml_file",)

    def __init__(self) -> None:
        super().__init__("mujoco")

    def class_of(self, task_id: str) -> str:
        """Returns the prefix of the names of the id's classes in EnvPool."""
        raise NotImplementedError

    def require(self) -> None:
        """Loads libmujoco, which the family's shared object is linked to, from the package mujoco.

        Raises:
            MissingPackageError: The package is not installed, or has another version.
            RuntimeError: The library cannot be loaded.
        """
        install = f"pip install mujoco=={VERSION}"
        folder = folder_of("mujoco")
        if folder is None:
            raise missing_package("mujoco", "MuJoCo", install)
        library = folder / f"libmujoco.so.{VERSION}"
        if not library.exists():
            known = [file.name.removeprefix("libmujoco.so.") for file in folder.glob("libmujoco.so.*")]
            raise MissingPackageError(
                f"needs MuJoCo {VERSION}, found {' and '.join(known) or 'none'}: install it with: {install}",
                name="mujoco",
            )
        try:
            _load(str(library))
        except OSError as error:
            raise RuntimeError(f"cannot load {library}: {error}") from None

    def is_in_working_directory(self, name: str, path: str) -> bool:
        """Returns whether a path is that of a file there; the models of a package have names without a folder."""
        return path.startswith((".", "/", "~")) and super().is_in_working_directory(name, path)

    def translate(self, task_id: str, caller_options: Mapping[str, Any]) -> dict[str, Any]:
        """Translates gymnasium's keywords for rendering into the declared options."""
        return render_options.translate(caller_options)

    def reference(self, task_id: str) -> str:
        """Returns where the dynamics and the model of an id come from."""
        return f"MuJoCo {VERSION}, {self.MODELS}"

    def import_paths(self, task_id: str, table: str) -> list[ImportPath]:
        """Returns where EnvPool's scripts find the classes of an id.

        Classes whose names end with Pixel observe images.
        """
        module, name = f"envpool.mujoco.{self.PART}", self.class_of(task_id)
        return [
            ImportPath(module, name, {"from_pixels": False}),
            ImportPath(module, name + "Pixel", {"from_pixels": True}),
        ]


@functools.lru_cache
def _load(library: str) -> ctypes.CDLL:
    return ctypes.CDLL(library)
