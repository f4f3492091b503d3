# SPDX-License-Identifier: Apache-2.0
"""The registry: maps an id to its environment, and finds and loads the shared object.

A family is a folder of this package. Its `registration.py` calls `register_family` for each id, and is imported when an
id is first looked up, or when the ids are added to gymnasium's registry. Its shared object contains a C table
(core/table/vtable.h) for each environment, and is loaded when one of its ids is first made.
"""

from __future__ import annotations

import importlib
import math
import os
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from envpool.plugins.entry_points import load_entry_points
from envpool.python.distribution import package_folders
from envpool.python.errors import CompileError, labelled
from envpool.python.family import PLUGIN, Family, Value
from envpool.python.hints import hint

if TYPE_CHECKING:
    from envpool._core import Table
    from envpool.python.options import Option
else:
    Table = Option = Any  # for `typing.get_type_hints`; to import envpool does not load the compiled core

_NOT_FAMILIES = {"core", "bindings", "python", "plugins"}


class Registration(NamedTuple):
    """The environment and the defaults of an id.

    Attributes:
        task_id: the id.
        origin: the family; PLUGIN for a third-party shared object.
        plugin: path of the shared object; empty for a family, whose folder is searched.
        table: name of the environment in the shared object.
        max_episode_steps: steps until an episode is truncated; 0 means no limit.
        reward_threshold: the return at which the task counts as solved, or None.
        doc: one line of description.
        defaults: values of options whose default differs from the C++ declaration.
        source: the source that `envpool.compile` compiled; else empty.
        include: folder of a plugin's headers, which NVRTC reads; else empty.
        cxx: the argument of `envpool.compile`; empty for the default compiler.
        flags: the argument of `envpool.compile`.
        tasks: the registrations of a mixed pool's ids, in which case `task_id` names all of them; else empty.
        autoreset_mode: the default of the option autoreset_mode.
    """

    task_id: str
    origin: Family
    plugin: str
    table: str
    max_episode_steps: int = 0
    reward_threshold: float | None = None
    doc: str = ""
    defaults: Mapping[str, Value] = {}
    source: str = ""
    include: str = ""
    cxx: str = ""
    flags: tuple[str, ...] = ()
    tasks: tuple[Registration, ...] = ()
    autoreset_mode: str = "next_step"

    @property
    def family(self) -> str:
        """The folder of this package that holds the environment; empty for a third-party plugin."""
        return self.origin.name

    def load(self) -> Table:
        """Loads the shared object, once per process, and returns the environment's table.

        Raises:
            RuntimeError: the shared object is missing, cannot be loaded, or has no such environment, or a plugin's
                declaration is not valid.
            TypeError, ValueError: a default is not an option of a plugin's environment, or its value is not allowed.
        """
        tables = self.tables()
        if self.table not in tables:
            raise RuntimeError(
                f"[{self.task_id}] table: expected one of {', '.join(sorted(tables))} in {self._path()}, got {self.table!r}"
            )
        table = tables[self.table]
        # `envpool.compile` has checked what it has compiled.
        if self.plugin and not self.source and self.task_id not in _checked:
            from envpool.plugins.declaration import check_declaration

            try:
                check_declaration(self.task_id, table, self.defaults)
            except CompileError as error:
                raise RuntimeError(str(error)) from None
            _checked.add(self.task_id)
        return table

    def tables(self) -> Mapping[str, Table]:
        """Loads the shared object, once per process, and returns all its tables by name.

        Raises:
            RuntimeError: the shared object is missing or cannot be loaded, or another user could have written it.
        """
        path = self._path()
        with _lock:
            if path not in _tables:
                from envpool import _core
                from envpool.python.code_files import distrust, is_imported_from

                if self.source and not os.path.exists(path):
                    raise RuntimeError(
                        f"[{self.task_id}] the plugin compiled from {self.source} is missing at {path}: call "
                        "envpool.compile again"
                    )
                if self.plugin and not is_imported_from(path) and (why := distrust(path)):
                    raise RuntimeError(
                        f"[{self.task_id}] plugin: expected a file that no other user can write, got {path}: {why}"
                    )
                with labelled(self.task_id):
                    self.origin.require()
                    _tables[path] = {table.name: table for table in _core.load_plugin(path)}
            return _tables[path]

    def options(self) -> dict[str, Option]:
        """Returns the environment's own options by name. Raises the same errors as `load`."""
        from envpool.python.options import declared_options

        return declared_options(self.load(), self.defaults, self.origin.OPTION_DOCS)

    def _path(self) -> str:
        if self.plugin:
            return self.plugin
        with labelled(self.task_id):
            name = self.origin.library()
        return library_of(self.family, self.task_id, name)

    @property
    def reference(self) -> str:
        """The package and version with which the dynamics are compared; empty if there is none."""
        return self.origin.reference(self.task_id)


# The characters that gymnasium allows in an id, so that its registry accepts every id. It also allows a colon, but
# gymnasium.make imports what is before it as a module.
_ID = re.compile(r"[\w.-]+(/[\w.-]+)?")

_lock = threading.RLock()
_registry: dict[str, Registration] = {}
_tables: dict[str, dict[str, Table]] = {}
_checked: set[str] = set()  # the ids of plugins whose declarations have been checked
_discovered = False  # whether every family's registration has been imported
_discovering = False  # whether `_lock` is held by the thread that imports them
_listeners: list[Callable[[Sequence[str]], None]] = []


def library_of(family: str, task_id: str, name: str = "") -> str:
    """Returns the path of a family's shared object, or raises a RuntimeError that begins with the id.

    Args:
        family: the folder in this package.
        task_id: the id.
        name: the file name, if it is not lib<family>.so.
    """
    name = name or f"lib{family}.so"
    if path := find_library(family, name):
        return path
    folder = next(iter(importlib.import_module(f"envpool.{family}").__path__))
    raise RuntimeError(f"[{task_id}] {name} is not in {folder}: envpool was built without the family {family!r}")


def find_library(family: str, name: str) -> str:
    """Returns the path of a shared object in a family's folder; an empty string if there is none."""
    folders = [*importlib.import_module(f"envpool.{family}").__path__]
    folders += [os.path.join(path, family) for path in package_folders()]
    return next(filter(os.path.exists, (os.path.join(folder, name) for folder in folders)), "")


def _discover() -> None:
    """Imports the registration of every family, once per process. If one fails, the next call tries it again."""
    global _discovered, _discovering
    with _lock:
        if _discovered or _discovering:  # a registration calls functions of this module
            return
        _discovering = True
        try:
            families = {
                entry.parent.name for root in package_folders() for entry in Path(root).glob("*/registration.py")
            }
            for family in sorted(families - _NOT_FAMILIES):
                _import_registration(family)
            _discovered = True
        finally:
            _discovering = False


def _import_registration(family: str) -> None:
    """Imports the registration of a family. If that fails, none of its ids stay registered."""
    before = dict(_registry)
    try:
        importlib.import_module(f"envpool.{family}.registration")
    except BaseException:
        _registry.clear()
        _registry.update(before)
        raise


def is_family(name: str) -> bool:
    """Returns whether `name` is the folder of a family in this package."""
    return name not in _NOT_FAMILIES and any(Path(root, name, "registration.py").exists() for root in package_folders())


def find(task_id: str) -> Registration:
    """Returns the registration of an id, or raises a ValueError that suggests similar ids.

    The id may have the form that it has in gymnasium's registry, such as "envpool/ALE-Pong-v5".
    """
    if not isinstance(task_id, str):
        raise TypeError(f"[envpool] task_id: expected a str such as 'Pong-v5', got {task_id!r}")
    if task_id not in _registry:
        _discover()
    if task_id not in _registry:
        load_entry_points()
    if task_id not in _registry and task_id.startswith("envpool/"):
        own = _of_gymnasium(task_id.removeprefix("envpool/"))
        task_id = own if own in _registry else task_id
    if task_id not in _registry:
        suggestion = hint(task_id, _registry)
        suggestion = f"; {suggestion}" if suggestion.endswith("?") else f"; {suggestion}." if suggestion else "."
        raise ValueError(
            f"[{task_id}] task_id: expected a registered id, got {task_id!r}{suggestion} envpool.list_all_envs() lists all ids."
        )
    return _registry[task_id]


def find_all(task_id: str | Sequence[str]) -> Registration:
    """Returns the registration of an id, as `find` does, or of a mixed pool, which has environments of several ids.

    Raises:
        TypeError: the ids are neither a str nor a sequence of str.
        ValueError: an unknown id, or an empty sequence.
    """
    if isinstance(task_id, str):
        return find(task_id)
    expected = "[envpool] task_id: expected a str such as 'Pong-v5', or a sequence of them"
    if not isinstance(task_id, Sequence) or isinstance(task_id, (bytes, bytearray)):
        raise TypeError(f"{expected}, got {task_id!r}")
    for index, name in enumerate(task_id):
        if not isinstance(name, str):
            raise TypeError(f"{expected}, got {name!r} in place {index}")
    if not task_id:
        raise ValueError(f"{expected}, got an empty one")
    tasks = tuple(map(find, task_id))
    names = [task.task_id for task in tasks]
    label = ", ".join(names if len(names) <= 3 else [*names[:2], f"and {len(names) - 2} more"])
    return Registration(label, PLUGIN, "", "", tasks=tasks)


def gymnasium_name(task_id: str) -> str:
    """Returns the name of an id in gymnasium's registry, whose namespaces do not nest."""
    return "envpool/" + task_id.replace("/", "-")


def _of_gymnasium(name: str) -> str:
    """Returns the id whose name in gymnasium's registry, without "envpool/", is `name`; else `name`."""
    return next((task_id for task_id in _registry if task_id.replace("/", "-") == name), name)


def check(registration: Registration, aliases: Sequence[str] = ()) -> None:
    """Raises TypeError or ValueError if the registration is not valid or its id is registered already.

    `envpool.compile` may replace a registration that it has made.
    """
    label = registration.task_id
    if isinstance(aliases, str) or not isinstance(aliases, Sequence):
        raise TypeError(f"[{label}] aliases: expected a sequence of str, got {aliases!r}")
    for name in (label, *aliases):
        if not isinstance(name, str):
            raise TypeError(f"[envpool] task_id: expected a str such as 'Pong-v5', got {name!r}")
        if not _ID.fullmatch(name):
            raise ValueError(
                f"[{name}] task_id: expected letters, digits and any of _ . - with at most one / between them, such as "
                f"'Pong-v5', got {name!r}"
            )
    steps, threshold = registration.max_episode_steps, registration.reward_threshold
    if isinstance(steps, bool) or not isinstance(steps, int):
        raise TypeError(f"[{label}] max_episode_steps: expected an int, got {steps!r}")
    if not 0 <= steps < 2**31:
        raise ValueError(f"[{label}] max_episode_steps: expected an int from 0 to 2**31 - 1, got {steps}")
    if isinstance(threshold, bool) or not isinstance(threshold, (int, float, type(None))):
        raise TypeError(f"[{label}] reward_threshold: expected a number or None, got {threshold!r}")
    if isinstance(threshold, float) and math.isnan(threshold):
        raise ValueError(f"[{label}] reward_threshold: expected a number or None, got {threshold!r}")
    if not registration.family:
        _discover()  # first, so that no plugin can take the id of a family
    for name in (label, *aliases):
        if name in _registry and not (registration.source and _registry[name].source):
            raise ValueError(f"[{name}] task_id: expected an id that is not registered yet, got {name!r}")


def call_when_added(listener: Callable[[Sequence[str]], None]) -> None:
    """Adds a function that is called with the ids of every later registration."""
    _listeners.append(listener)


def add(registration: Registration, aliases: Sequence[str] = ()) -> None:
    """Adds a registration under its id and aliases. Raises the same errors as `check`."""
    with _lock:
        check(registration, aliases)
        for name in (registration.task_id, *aliases):
            _registry[name] = registration
    for listener in _listeners:
        listener((registration.task_id, *aliases))


def register_family(
    task_id: str,
    family: str | Family,
    table: str,
    *,
    max_episode_steps: int = 0,
    reward_threshold: float | None = None,
    aliases: Sequence[str] = (),
    doc: str = "",
    autoreset_mode: str = "next_step",
    **defaults: Value,
) -> None:
    """Registers an environment of one of this package's families.

    Args:
        task_id: the id, such as "Pong-v5".
        family: an instance of Family; or the name of the folder, such as "atari", if it needs no subclass.
        table: name of the environment in the family's shared object.
        max_episode_steps: steps until an episode is truncated; 0 means no limit.
        reward_threshold: the return at which the task counts as solved.
        aliases: further ids of the same environment.
        doc: one line of description.
        autoreset_mode: the default of the option autoreset_mode.
        **defaults: options whose default differs from the C++ declaration. A name that C++ does not declare becomes an
            option that the family's `prepare` method reads.

    Raises:
        ValueError: the id or an alias is registered already.
    """
    family = Family(family) if isinstance(family, str) else family
    registration = Registration(task_id, family, "", table, max_episode_steps, reward_threshold, doc, defaults)
    add(registration._replace(autoreset_mode=autoreset_mode), aliases)


def register(
    task_id: str,
    plugin: str | os.PathLike[str] = "",
    table: str = "",
    *,
    max_episode_steps: int = 0,
    reward_threshold: float | None = None,
    aliases: Sequence[str] = (),
    doc: str = "",
    include: str | os.PathLike[str] = "",
    **defaults: Value,
) -> None:
    """Registers an environment of a plugin, a shared object compiled against envpool's headers (core/plugin.h).

    EnvPool's function of this name takes the names of three Python classes. In this package, an environment is a table
    in a shared object and has no classes of its own.

    Args:
        task_id: the new id.
        plugin: path of the shared object, which exists. When the environment is first made, it is loaded, and its
            declaration and the defaults are checked.
        table: name of the environment in the shared object, its `kName`.
        max_episode_steps: steps until an episode is truncated; 0 means no limit.
        reward_threshold: the return at which the task counts as solved.
        aliases: further ids of the same environment.
        doc: one line of description.
        include: include folder that contains the header given to `envpool::table`; needed for pools on a GPU.
        **defaults: options whose default differs from the C++ declaration.

    Raises:
        FileNotFoundError: the shared object does not exist.
        TypeError: plugin or table is missing, an argument is of the wrong type, or EnvPool's class names were given.
        ValueError: the id or an alias is registered already.
    """
    if "spec_cls" in defaults or "import_path" in defaults:
        raise TypeError(
            f"[{task_id}] register: expected plugin='path of the shared object' and table='name of the environment', got "
            "the class names of EnvPool's function (import_path, spec_cls, dm_cls, gymnasium_cls)"
        )
    from envpool.python.options import wrong_type  # loads the compiled core

    with labelled(task_id if isinstance(task_id, str) else "envpool"):
        for name, given in (("plugin", plugin), ("include", include)):
            if not isinstance(given, (str, os.PathLike)):
                raise wrong_type(name, "a path", given)
        if not isinstance(table, str):
            raise wrong_type("table", "a str", table)
    path = os.fspath(plugin)
    if not path or not table:
        raise TypeError(f"[{task_id}] register: expected plugin=path and table=name, got {plugin!r} and {table!r}")
    path = os.path.abspath(path)
    registration = Registration(task_id, PLUGIN, path, table, max_episode_steps, reward_threshold, doc, defaults)
    check(registration, aliases)
    if not os.path.isfile(path):
        what = "is not a file" if os.path.exists(path) else "does not exist"
        raise FileNotFoundError(f"[{task_id}] plugin: expected a shared object, got {path!r}: {what}")
    add(registration._replace(include=os.path.abspath(include) if os.fspath(include) else ""), aliases)


def list_all_envs() -> list[str]:
    """Returns every id, including aliases, in the order of registration. Loads no shared object."""
    _discover()
    load_entry_points()
    return list(_registry)
