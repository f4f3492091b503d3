# SPDX-License-Identifier: Apache-2.0
"""`gymnasium.make_vec("envpool/Pong-v5")`: our ids in gymnasium's registry.

Importing envpool does not import gymnasium, and gymnasium knows no entry points. So our ids are entered at once if
gymnasium is there, and else in the moment that somebody imports it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType

from envpool.python.registry import call_when_added, find, list_all_envs

_REGISTERS = "gymnasium.envs"  # the module whose import fills gymnasium's registry


def enter(task_ids: Iterable[str]) -> None:
    """Enters ids into gymnasium's registry, if gymnasium is there."""
    if _REGISTERS not in sys.modules:
        return
    from gymnasium.envs.registration import EnvSpec, registry

    for task_id in task_ids:
        registration = find(task_id)
        name = "envpool/" + task_id.replace("/", "-")  # gymnasium has one level of namespaces
        registry[name] = EnvSpec(
            name,
            reward_threshold=registration.reward_threshold,
            max_episode_steps=registration.max_episode_steps or None,
            vector_entry_point="envpool.registration:make_vec",
            kwargs={"task_id": task_id},
        )


class _Watch:
    """A finder that lets the import of gymnasium's registry run as it would, and then enters our ids."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != _REGISTERS:
            return None
        sys.meta_path.remove(self)
        spec = find_spec(fullname)
        if spec is not None and spec.loader is not None:
            run = spec.loader.exec_module

            def run_and_enter(module: ModuleType) -> None:
                run(module)
                enter(list_all_envs())

            spec.loader.exec_module = run_and_enter  # type: ignore[method-assign]
        return spec


def register_when_imported() -> None:
    """Enters our ids into gymnasium's registry, now or when it is imported, and those that are added later."""
    call_when_added(enter)
    if _REGISTERS in sys.modules:
        enter(list_all_envs())
    else:
        sys.meta_path.insert(0, _Watch())
