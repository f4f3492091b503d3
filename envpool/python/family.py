# SPDX-License-Identifier: Apache-2.0
"""Families: folders of this package whose environments share one shared object, and the Python code they need."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

Value = bool | int | float | str | bytes | tuple[Any, ...]  # of an option; an array is a tuple, which may be nested


class ImportPath(NamedTuple):
    """The place from which EnvPool's scripts import the classes of an environment.

    Attributes:
        module: the module, such as "envpool.mujoco.gym".
        name: the prefix of the class names, such as "GymAnt".
        options: the option values that select this class among several for the same id.
    """

    module: str
    name: str
    options: Mapping[str, Any] = {}


class StartRange(NamedTuple):
    """A range from which a reset draws parts of a state uniformly, and the options of a reset that replace it.

    Attributes:
        parts: the named parts of the state that are drawn from the range.
        low, high: the environment's own range.
        options: the options that replace its two ends; or a single one, which replaces `high`, and its negative `low`.
        dtype: the dtype to which the reference rounds what it draws.
    """

    parts: tuple[str, ...]
    low: float
    high: float
    options: tuple[str, ...] = ("low", "high")
    dtype: str = "float64"

    def replaced(self, values: Mapping[str, float]) -> tuple[float, float]:
        """Returns the two ends of the range under options of a reset. Raises ValueError if they are in wrong order."""
        if len(self.options) == 1:
            high = values.get(self.options[0], self.high)
            low = -high
        else:
            low, high = values.get(self.options[0], self.low), values.get(self.options[1], self.high)
        if low > high:
            raise ValueError(
                f"options: expected {self._order}, got {', '.join(map(str, (low, high)[-len(self.options) :]))}"
            )
        return low, high

    @property
    def _order(self) -> str:
        first, last = self.options[0], self.options[-1]
        return f"{first!r} of at least 0" if first == last else f"{first!r} of at most {last!r}"


class Renderer(Protocol):
    """Draws the environments of a pool from their states."""

    def render(self, pool: Any, env_ids: Any) -> Any:
        """Returns images of environments, uint8 of shape (n, height, width, 3). The ids are int32 of shape (n,)."""

    def close(self) -> None:
        """Frees the renderer."""


class Family:
    """The Python hooks of a family.

    A family that needs more than its C++ declares derives from this class and registers its ids with an instance. The
    methods raise TypeError, ValueError or MissingPackageError without the id, which the caller adds. An instance has no
    attributes other than its name, so that it can be pickled.

    Attributes:
        name: the folder in this package; empty for a third-party plugin.
        PATHS: the options that are paths of files.
        OPTION_DOCS: descriptions of the options that C++ does not declare.
    """

    PATHS: tuple[str, ...] = ()
    OPTION_DOCS: Mapping[str, str] = {}

    def __init__(self, name: str = "") -> None:
        self.name = name

    def library(self) -> str:
        """Returns the file name of the family's shared object.

        Raises:
            MissingPackageError: there is one for each release of an optional package, which is not installed, or has
                another version.
        """
        return f"lib{self.name}.so"

    def require(self) -> None:
        """Loads or checks the libraries that the shared object is linked to, before it is loaded.

        Raises:
            MissingPackageError: an optional package is not installed, or has another version.
        """

    def with_absolute_paths(self, caller_options: Mapping[str, Any]) -> dict[str, Any]:
        """Returns options that mean the same in another working directory, for copies of a pool in other processes."""
        absolute = dict(caller_options)
        for name in self.PATHS:
            value = caller_options.get(name)
            if isinstance(value, (str, os.PathLike)) and self.is_in_working_directory(name, os.fsdecode(value)):
                absolute[name] = os.path.abspath(os.path.expanduser(os.fsdecode(value)))
        return absolute

    def is_in_working_directory(self, name: str, path: str) -> bool:
        """Returns whether a path that an option gives is the path of a file there or below, or is absolute."""
        return os.path.exists(os.path.expanduser(path))

    def choose(self, registration: Any, caller_options: Mapping[str, Any]) -> tuple[Any, str]:
        """Chooses between implementations of an id, if there are several.

        Args:
            registration: the Registration of the id.
            caller_options: the options as the caller gave them.

        Returns:
            The Registration of the implementation, and why it is not the usual one, as a clause that ends with the name
            of the implementation; an empty string if it is.

        Raises:
            TypeError, ValueError: no implementation has these options.
        """
        return registration, ""

    def translate(self, task_id: str, caller_options: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the options of `make` with the names and types that C++ declares. They are checked afterwards.

        Args:
            task_id: the id.
            caller_options: the options as the caller gave them.

        Raises:
            TypeError, ValueError: an option cannot be translated.
        """
        return dict(caller_options)

    def prepare(self, task_id: str, options: dict[str, Value]) -> dict[str, Value]:
        """Returns the options that are passed to C++; options that only this method reads are left out.

        Args:
            task_id: the id.
            options: all options after their check, with defaults for those that the caller omitted.

        Raises:
            ValueError: an option names something that does not exist.
            MissingPackageError: a package that holds data is not installed.
        """
        return options

    def add_data(self, task_id: str, options: dict[str, Value]) -> dict[str, Value]:
        """Adds data that environments need and their spaces do not, such as images. Only makers of environments call it.

        Args:
            task_id: the id.
            options: what `prepare` returned.

        Raises:
            MissingPackageError: a package that holds the data is not installed.
        """
        return options

    def agent_names(self, task_id: str, count: int) -> list[str]:
        """Returns the names that the agents of an id have in PettingZoo's interface.

        Args:
            task_id: the id.
            count: the maximum number of agents.
        """
        return [f"player_{i}" for i in range(count)]

    def renderer(self, construction: Any) -> Renderer | None:
        """Returns what draws the environments of a pool; None if they draw themselves.

        Args:
            construction: the Construction of the pool.

        Raises:
            MissingPackageError: an option needs a package that is not installed.
            ValueError: an option of the images is not allowed.
        """
        return None

    def start_ranges(self, table: str) -> tuple[StartRange, ...]:
        """Returns the ranges of initial states that options of a reset can replace.

        Args:
            table: the name of the environment in the shared object.
        """
        return ()

    def where_option_is(self, name: str) -> str:
        """Returns which other environments have an option of later episodes that this one does not have.

        Args:
            name: the option.

        Returns:
            A clause for the end of an error text; empty if this is not known.
        """
        return ""

    def pickled_reset_options(self, options: Mapping[str, Any]) -> bytes | None:
        """Returns options of a reset in the form that the environments read; None if they do not read options."""
        return None

    def refusal(self, error: ValueError) -> Exception:
        """Returns what is raised when a pool cannot be made because of this error."""
        return error

    def reference(self, task_id: str) -> str:
        """Returns the package and version with which the dynamics of an id are compared; empty if there is none."""
        return ""

    def import_paths(self, task_id: str, table: str) -> list[ImportPath]:
        """Returns the import paths of the classes of an id, as in EnvPool; an empty list for a plugin.

        Args:
            task_id: the id.
            table: the name of the environment in the shared object.
        """
        return [ImportPath(f"envpool.{self.name}", table)] if self.name else []


PLUGIN = Family()
