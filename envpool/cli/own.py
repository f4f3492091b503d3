# SPDX-License-Identifier: Apache-2.0
"""The user's own environments: `--header` compiles one, and `--import` imports the module that registers one."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from pathlib import Path

import envpool
from envpool.cli.common import Failure
from envpool.plugins.structs import find_structs


def id_of(task_id: str, header: Path | None, module: str, *, check: bool = False) -> str:
    """Registers the environment of `--header` or `--import`, and returns the id that a command uses.

    Args:
        task_id: the id. It may be "" if the header has one environment, or if the module registers one id.
        header: the file of `--header`, which is compiled. `free_id` returns the default id.
        module: the module of `--import`.
        check: whether to check a header as `envpool.compile(..., check=True)` does.
    """
    if header is not None:
        task_id = task_id or free_id(name_of(header))
        envpool.compile(header, task_id, check=check)
    if module:
        task_id = _import(module, task_id)
    if not task_id:
        raise Failure("expected the ID of an environment, or --header FILE or --import MODULE")
    return task_id


def name_of(header: Path) -> str:
    """Returns the name of the struct in a header."""
    with contextlib.suppress(OSError):
        structs = find_structs(header.read_text("utf-8", "replace"))
        if len(structs) == 1:
            return structs[0].name.rpartition("::")[2]
        if structs:
            names = ", ".join(struct.name for struct in structs)
            raise Failure(f"--header: {header} has several environments, {names}: use --import with a module")
    return header.stem  # envpool.compile will report what is wrong


def free_id(name: str) -> str:
    """Returns the default id of a struct: its name and "-v0", after "own/" if we have an environment of that name."""
    task_id = f"{name}-v0"
    return f"own/{task_id}" if task_id in envpool.list_all_envs() else task_id


def ids_of(module: str) -> list[str]:
    """Imports a module, and returns the ids that it has registered. Raises Failure if there are none."""
    ids = _registered(module)
    if not ids:
        raise Failure(f"--import: {module!r} registers no id: give the ID of one")
    return ids


def _import(module: str, task_id: str) -> str:
    """Imports a module and returns `task_id` or, if that is empty, the only id that the module has registered."""
    ids = _registered(module)
    if task_id:
        return task_id
    if len(ids) != 1:
        what = f"registers {len(ids)} ids: {', '.join(ids)}" if ids else "registers no id"
        raise Failure(f"--import: {module!r} {what}: give the ID of one")
    return ids[0]


def _registered(module: str) -> list[str]:
    """Imports a module, and returns the ids that it has registered."""
    before = set(envpool.list_all_envs())
    sys.path.insert(0, os.getcwd())
    try:
        imported = importlib.import_module(module)
    except (Exception, SystemExit) as error:
        raise Failure(f"--import: {module!r} cannot be imported: {type(error).__name__}: {error}") from None
    ids = sorted(set(envpool.list_all_envs()) - before)
    if not ids and callable(getattr(imported, "register", None)):  # its entry point has registered its ids
        ids = sorted(name for name in before if _module_of(name) == module)
    return ids


def _module_of(task_id: str) -> str:
    """Returns the name of the package whose folder contains the plugin of an id."""
    plugin = envpool.python.registry.find(task_id).plugin
    return Path(plugin).parent.name if plugin else ""
