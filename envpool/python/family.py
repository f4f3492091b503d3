# SPDX-License-Identifier: Apache-2.0
"""Families: folders of this package whose environments share a shared object, and what they ask of Python."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from envpool.python.options import Value


class Home(NamedTuple):
    """Where EnvPool's scripts look for an environment.

    Attributes:
        module: such as "envpool.mujoco.gym".
        name: what the names of its classes begin with, such as "GymAnt".
        options: those that tell its environments from others of the same id.
    """

    module: str
    name: str
    options: Mapping[str, Any] = {}


class Family:
    """What the ids of one folder have in common beside their shared object.

    A family that needs more than its C++ declares derives from this class, and registers its ids with an instance. Its
    methods raise TypeError, ValueError or MissingPackageError without the id, which the caller adds. An instance has no
    attributes but its name, so that it can be pickled.

    Attributes:
        name: the folder in this package; empty for a plugin of someone else's.
    """

    def __init__(self, name: str = "") -> None:
        self.name = name

    def require(self) -> None:
        """Loads or checks what the shared object is linked to, before it is loaded.

        Raises:
            MissingPackageError: an optional package is not installed, or is of another version.
        """

    def translate(self, task_id: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the keywords of `make` in the form that C++ declares, before they are checked.

        Args:
            task_id: the id that is made.
            given: the keywords as the caller gave them.

        Raises:
            TypeError, ValueError: a keyword cannot be translated.
        """
        return dict(given)

    def prepare(self, task_id: str, options: dict[str, Value]) -> dict[str, Value]:
        """Returns the checked options as C++ takes them, without those that only this method reads.

        Args:
            task_id: the id that is made.
            options: all options, completed with their defaults.

        Raises:
            ValueError: an option names something that is not there.
            MissingPackageError: a package that holds data is not installed.
        """
        return options

    def reference(self, task_id: str) -> str:
        """Returns the package and version that the dynamics of an id are compared with; empty if there is none."""
        return ""

    def homes(self, task_id: str, table: str) -> list[Home]:
        """Returns where EnvPool's scripts find the classes of an id; none for a plugin.

        Args:
            task_id: the id.
            table: name of its environment in the shared object.
        """
        return [Home(f"envpool.{self.name}", table)] if self.name else []


PLUGIN = Family()
