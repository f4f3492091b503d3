# SPDX-License-Identifier: Apache-2.0
"""`gymnasium.make_vec("envpool/Pong-v5")`: our ids in gymnasium's registry.

Importing envpool does not import gymnasium, and gymnasium knows no entry points. So our ids are entered at once if
gymnasium is there, and else in the moment that somebody imports it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any

_REGISTERS = "gymnasium.envs"  # the module whose import fills gymnasium's registry


def enter(task_ids: Iterable[str]) -> None:
    """Enters ids into gymnasium's registry, if gymnasium is there."""
    if _REGISTERS not in sys.modules:
        return
    from gymnasium.envs.registration import EnvSpec, registry

    from envpool.python.registry import find

    for task_id in task_ids:
        registration = find(task_id)
        name = "envpool/" + task_id.replace("/", "-")  # gymnasium has one level of namespaces
        registry[name] = EnvSpec(
            name,
            reward_threshold=registration.reward_threshold,
            max_episode_steps=registration.max_episode_steps or None,
            vector_entry_point="envpool.python.gymnasium_registry:make_vec",
            kwargs={"task_id": task_id},
        )


def make_vec(num_envs: int, task_id: str, **options: Any) -> Any:
    """What `gymnasium.make_vec` calls."""
    from envpool.registration import make_vec as make

    return make(task_id, num_envs, **options)


class _Watch:
    """A finder that lets the import of gymnasium's registry run as it would, and then enters our ids."""

    def __init__(self, list_ids: Callable[[], Iterable[str]]) -> None:
        self.list_ids = list_ids

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
                enter(self.list_ids())

            spec.loader.exec_module = run_and_enter  # type: ignore[method-assign]
        return spec


def register_when_imported(list_ids: Callable[[], Iterable[str]]) -> None:
    """Enters our ids into gymnasium's registry, now or when it is imported."""
    if _REGISTERS in sys.modules:
        enter(list_ids())
    else:
        sys.meta_path.insert(0, _Watch(list_ids))
