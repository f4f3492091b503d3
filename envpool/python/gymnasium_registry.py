# SPDX-License-Identifier: Apache-2.0
"""Adds envpool's ids to gymnasium's registry, for `gymnasium.make_vec("envpool/Pong-v5")` and `gymnasium.make`.

Importing envpool does not import gymnasium, and gymnasium has no entry points for environments. The ids are therefore
added immediately if gymnasium has been imported, or else when it is imported.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from envpool.python.registry import call_when_added, find, gymnasium_name, list_all_envs

_REGISTRY_MODULE = "gymnasium.envs"  # its import fills gymnasium's registry


def add_to_registry(task_ids: Iterable[str]) -> None:
    """Adds ids to gymnasium's registry if gymnasium has been imported."""
    if _REGISTRY_MODULE not in sys.modules:
        return
    from gymnasium.envs import registration as gymnasium_registration
    from gymnasium.envs.registration import EnvSpec, registry

    # If the ids had an entry point, make_vec of gymnasium before 1.0 would start a process for each environment instead
    # of making a pool.
    single = "envpool.gymnasium_entry_points:make_single" if hasattr(gymnasium_registration, "VectorizeMode") else None
    for task_id in task_ids:
        registration = find(task_id)
        name = gymnasium_name(task_id)
        registry[name] = EnvSpec(
            name,
            reward_threshold=registration.reward_threshold,
            max_episode_steps=registration.max_episode_steps or None,
            entry_point=single,
            vector_entry_point="envpool.gymnasium_entry_points:make_vec",
            kwargs={"task_id": task_id},
        )
        _hide_namesakes(registry, task_id, registration.family)


_families: dict[str, dict[str, str]] = {}  # by the id without its version: the family of each id


def _hide_namesakes(registry: Any, task_id: str, family: str) -> None:
    """Hides the versions of ids that only look like newer versions of an id of another family.

    gymnasium would otherwise recommend the Atari game Blackjack-v5 as the newer version of Blackjack-v1.
    """
    same = _families.setdefault(task_id.rpartition("-v")[0], {})
    same[task_id] = family
    first = same[min(same, key=_version)]
    for other in same:
        if same[other] != first:
            registry[gymnasium_name(other)].version = None


def _version(task_id: str) -> int:
    number = task_id.rpartition("-v")[2]
    return int(number) if number.isdigit() else 0


class _ImportHook:
    """A finder that adds the ids after gymnasium's registry is imported. It leaves the import to the other finders."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != _REGISTRY_MODULE:
            return None
        sys.meta_path.remove(self)
        spec = find_spec(fullname)
        if spec is not None and spec.loader is not None:
            exec_module = spec.loader.exec_module

            def exec_module_and_add(module: ModuleType) -> None:
                exec_module(module)
                add_to_registry(list_all_envs())

            spec.loader.exec_module = exec_module_and_add  # type: ignore[method-assign]
        return spec


def register_when_imported() -> None:
    """Adds all ids to gymnasium's registry, now or when gymnasium is imported. Ids registered later are added, too."""
    call_when_added(add_to_registry)
    if _REGISTRY_MODULE in sys.modules:
        add_to_registry(list_all_envs())
    else:
        sys.meta_path.insert(0, _ImportHook())
