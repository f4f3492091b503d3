# SPDX-License-Identifier: Apache-2.0
"""The base class of all ids that use MuJoCo's library."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# Imported by their full names, because attributes of the package are looked up among the registered ids.
import envpool.mujoco.releases as releases
import envpool.mujoco.render_options as render_options
from envpool.python.errors import MissingPackageError
from envpool.python.family import Family, ImportPath
from envpool.python.registry import find_library


class MujocoFamily(Family):
    """MuJoCo ids of one part of the family.

    Attributes:
        PART: the folder in envpool/mujoco.
        MODELS: the package and version that the models come from.
        RELEASES: the releases of MuJoCo that the ids support.
        WHY_NOT_OTHERS: a clause that says why they do not support another of the family's releases.
    """

    PART: str
    MODELS: str
    RELEASES: tuple[str, ...] = releases.SUPPORTED
    WHY_NOT_OTHERS = ""
    PATHS = ("xml_file",)

    def __init__(self) -> None:
        super().__init__("mujoco")

    def class_of(self, task_id: str) -> str:
        """Returns the prefix of the names of the id's classes in EnvPool."""
        raise NotImplementedError

    def library(self) -> str:
        """Returns the name of our shared object for the installed release of MuJoCo.

        Raises:
            MissingPackageError: The package mujoco is not installed, has a release that the ids do not support, or one
                for which this package was not compiled.
        """
        release, _ = releases.installed()
        if release not in self.RELEASES:
            raise releases.wrong_release(self.RELEASES, f"{release}, {self.WHY_NOT_OTHERS}")
        compiled = tuple(each for each in self.RELEASES if find_library("mujoco", _file_of(each)))
        if compiled and release not in compiled:
            raise releases.wrong_release(compiled, f"{release}, for which envpool was not compiled")
        return _file_of(release)

    def require(self) -> None:
        """Loads MuJoCo's library, which our shared object is linked to.

        Raises:
            MissingPackageError: The package mujoco is not installed, or has a release that is not supported.
            RuntimeError: The library cannot be loaded.
        """
        releases.load()

    def is_in_working_directory(self, name: str, path: str) -> bool:
        """Returns whether a path is that of a file there; the models of a package have names without a folder."""
        return path.startswith((".", "/", "~")) and super().is_in_working_directory(name, path)

    def translate(self, task_id: str, caller_options: Mapping[str, Any]) -> dict[str, Any]:
        """Translates gymnasium's keywords for rendering into the declared options."""
        return render_options.translate(caller_options)

    def reference(self, task_id: str) -> str:
        """Returns where the dynamics and the model of an id come from."""
        try:
            release, _ = releases.installed()
        except MissingPackageError:
            release = self.RELEASES[0]
        return f"MuJoCo {release if release in self.RELEASES else self.RELEASES[0]}, {self.MODELS}"

    def import_paths(self, task_id: str, table: str) -> list[ImportPath]:
        """Returns where EnvPool's scripts find the classes of an id.

        Classes whose names end with Pixel observe images.
        """
        module, name = f"envpool.mujoco.{self.PART}", self.class_of(task_id)
        return [
            ImportPath(module, name, {"from_pixels": False}),
            ImportPath(module, name + "Pixel", {"from_pixels": True}),
        ]


def _file_of(release: str) -> str:
    """Returns the name of our shared object for a release of MuJoCo."""
    return f"libmujoco_{release}.so"
