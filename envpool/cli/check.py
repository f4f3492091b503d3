# SPDX-License-Identifier: Apache-2.0
"""`envpool check`: finds mistakes in the user's own environments."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import envpool
from envpool.cli.common import Failure, parse_options
from envpool.cli.own import free_id, ids_of, name_of
from envpool.python.registry import Registration, find


def check(
    header: Path | None, option: Sequence[str], *, module: str, task_id: str, name: str, cxx: str, flag: Sequence[str]
) -> None:
    """Checks a header or a module's environments, and prints one line for each; `app.py` describes the arguments."""
    options = parse_options(option)
    if (header is None) == (not module):
        raise Failure("expected either HEADER or --import MODULE")
    if header is not None:
        task_id = task_id or free_id(name.rpartition("::")[2] or name_of(header))
        _check(header, str(header), task_id, name=name, cxx=cxx or None, flags=flag, defaults=options)
        return
    if task_id:
        raise Failure(f"--id: expected none with --import, whose module names the ids, got {task_id!r}")
    for task_id in ids_of(module):
        registration = find(task_id)
        table = registration.load()
        _check(
            _header_of(registration),
            task_id,
            task_id if registration.source else f"check/{task_id}",  # compiling cannot replace an id that a plugin has
            name=name or (table.device["type"] if table.device else registration.table),
            cxx=cxx or registration.cxx or None,
            flags=[*registration.flags, *([f"-I{registration.include}"] if registration.include else []), *flag],
            defaults={**registration.defaults, **options},
            max_episode_steps=registration.max_episode_steps,
        )


def _check(header: Path, shown: str, task_id: str, **options: Any) -> None:
    started = time.monotonic()
    envpool.compile(header, task_id, check=True, **options)
    print(f"{shown}: no mistake found in {time.monotonic() - started:.1f} s")


def _header_of(registration: Registration) -> Path:
    """Returns the header that contains an environment: one that was compiled, or one that a plugin names."""
    device = registration.load().device
    path = (
        Path(registration.include, device["header"]) if registration.include and device else Path(registration.source)
    )
    if (registration.source or registration.include) and path.is_file():
        return path
    raise Failure(
        f"[{registration.task_id}] --import: expected an environment whose header is known: pass the header itself, or, in a "
        "plugin, give envpool::table the header's name and envpool.register its folder as include="
    )
