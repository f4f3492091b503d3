# SPDX-License-Identifier: Apache-2.0
"""The classes that EnvPool's scripts import from families, such as `envpool.classic_control.CartPoleGymnasiumEnvPool`.

EnvPool has three classes for each environment. In this package, one class serves all environments with the same
interface, so the classes that belong to one environment are made from the registry on first access. For example,
`CartPoleEnvSpec(config)` is a spec, with `config = CartPoleEnvSpec.gen_config(num_envs=4)`, and
`CartPoleDMEnvPool(spec)` is a pool. The return values of `make_spec` and `make` are instances of these classes too.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
from abc import ABCMeta
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from envpool.python import registry as _registry
from envpool.python.family import ImportPath
from envpool.python.registry import Registration

# For each suffix of a class name, the module and name of the base class.
_KINDS = {
    "EnvSpec": ("envpool.python.env_spec", "EnvSpec"),
    "DMEnvPool": ("envpool.python.dm_envpool", "DMEnvPool"),
    "GymnasiumEnvPool": ("envpool.python.gymnasium_envpool", "GymnasiumEnvPool"),
    "GymEnvPool": ("envpool.python.gym_envpool", "GymEnvPool"),
}
_SUBMODULES = ("registration", "gym", "dmc")  # attributes of a family's package after `import envpool`, as in EnvPool
_LISTED = ("EnvSpec", "DMEnvPool", "GymnasiumEnvPool")  # the suffixes that `__all__` lists, in its order


def import_paths(registration: Registration) -> list[ImportPath]:
    """Returns the import paths of the classes of a registration; an empty list for a plugin."""
    return registration.origin.import_paths(registration.task_id, registration.table)


def _known() -> list[tuple[ImportPath, list[Registration]]]:
    """Returns every import path with the registrations that have it, in the order of the registry."""
    paths: dict[tuple[str, str], tuple[ImportPath, list[Registration]]] = {}
    for task_id in _registry.list_all_envs():
        registration = _registry.find(task_id)
        for path in import_paths(registration) if registration.task_id == task_id else ():
            paths.setdefault(path[:2], (path, []))[1].append(registration)
    return list(paths.values())


def members(module: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Returns the functions `__getattr__` and `__dir__` of a module from which such classes can be imported."""

    def get(name: str) -> Any:
        if name == "__all__":
            return list(_names(module))
        if name in _SUBMODULES and importlib.util.find_spec(f"{module}.{name}"):
            return importlib.import_module(f"{module}.{name}")
        for path, _ in _known() if not name.startswith("_") else ():
            kind = name.removeprefix(path.name)
            if path.module == module and name.startswith(path.name) and kind in _KINDS:
                return _class(module, path.name, kind)
        raise AttributeError(f"module {module!r} has no attribute {name!r}")

    def names() -> list[str]:
        return sorted({*vars(importlib.import_module(module)), *_names(module)})

    return get, names


def _names(module: str) -> Iterator[str]:
    for path, _ in _known():
        if path.module == module:
            yield from (path.name + kind for kind in _LISTED)


@functools.cache
def _class(module: str, name: str, kind: str) -> Any:
    attributes = {"__module__": module, "__doc__": None, "_import_path": (module, name)}
    if kind == "GymEnvPool":  # the base depends on the installed gym
        from envpool.python import gym_envpool

        if gym_envpool.installed_gym() is None:
            return _class(module, name, "GymnasiumEnvPool")
        return _PoolMeta(name + kind, (gym_envpool.gym_pool_class(),), attributes)
    base = getattr(importlib.import_module(_KINDS[kind][0]), _KINDS[kind][1])
    meta = _SpecMeta if kind == "EnvSpec" else _PoolMeta
    return meta(name + kind, (base,), {**attributes, "__doc__": base.__doc__})


def _has_import_path(registration: Registration, config: Mapping[str, Any], wanted: tuple[str, str]) -> bool:
    return any(path[:2] == wanted and path.options.items() <= config.items() for path in import_paths(registration))


class _Meta(ABCMeta):
    """The metaclass of the classes that belong to one environment."""

    _import_path: tuple[str, str]

    def __instancecheck__(cls, instance: Any) -> bool:
        base: type = cls.__mro__[1]
        if "_import_path" not in vars(cls):  # a subclass in user code
            return super().__instancecheck__(instance)
        registration: Any = getattr(instance, "registration", None)  # None if the constructor raised
        has_base: bool = registration is not None and isinstance(instance, base)
        if not has_base:
            return False
        config = instance.values if isinstance(cls, _SpecMeta) else instance.config
        return _has_import_path(registration, config, cls._import_path)


class _SpecMeta(_Meta):
    @property
    def gen_config(cls) -> Any:
        """A namedtuple class of all options with their defaults. The constructor takes an instance of it."""
        from envpool.python.construction import Construction
        from envpool.python.env_spec import EnvSpec

        return EnvSpec(Construction(_shared_registration(*cls._import_path), {})).gen_config

    def __call__(cls, config: Any, *more: Any) -> Any:
        from envpool.python.construction import Construction

        if isinstance(config, Construction):
            return super().__call__(config, *more)
        label = ".".join((cls.__module__, cls.__name__))
        if not isinstance(config, Mapping) and not hasattr(config, "_asdict"):
            raise TypeError(f"[{label}] config: expected an instance of {cls.__name__}.gen_config, got {config!r}")
        caller_options = dict(config) if isinstance(config, Mapping) else config._asdict()
        return super().__call__(Construction(_shared_registration(*cls._import_path), caller_options))


class _PoolMeta(_Meta):
    def __call__(cls, spec: Any, caller_options: Any = None) -> Any:
        if isinstance(spec, Registration):  # a copy or an unpickled pool
            return super().__call__(spec, caller_options)
        name = cls._import_path[1] + "EnvSpec"
        wanted = _class(*cls._import_path, "EnvSpec")
        if not isinstance(spec, wanted):
            label = ".".join((cls.__module__, cls.__name__))
            raise TypeError(f"[{label}] spec: expected a {name}, got {spec!r}")
        return super().__call__(spec.registration, spec.caller_options)


@functools.cache
def _shared_registration(module: str, name: str) -> Registration:
    """Returns a registration with the defaults that all ids of a class share, for uses of the class without an id."""
    from envpool.python.construction import Construction

    path, known = next((path, known) for path, known in _known() if path[:2] == (module, name))
    shared = {
        key: value
        for key, value in known[-1].defaults.items()
        if all(entry.defaults.get(key) == value for entry in known)
    }
    label = known[-1].task_id if module.count(".") > 1 else name
    registration = known[-1]._replace(
        task_id=label,
        max_episode_steps=0,
        reward_threshold=None,
        defaults={**shared, **path.options},
        autoreset_mode=known[0].autoreset_mode,
    )
    try:
        Construction(registration, {})
    except ValueError:  # the environment requires an option whose default differs between the ids
        return known[0]._replace(max_episode_steps=0, defaults={**known[0].defaults, **path.options})
    return registration


class EnvRegistry:
    """EnvPool's registry object: the registered ids, the import paths of their classes, and functions as methods.

    Args:
        functions: the functions of `envpool.registration` that are methods of EnvPool's registry, by name.
    """

    def __init__(self, functions: Mapping[str, Callable[..., Any]]) -> None:
        self._functions = dict(functions)

    def __getattr__(self, name: str) -> Any:
        if name != "_functions" and name in self._functions:
            return self._functions[name]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._functions})

    @property
    def specs(self) -> dict[str, tuple[str, str, dict[str, Any]]]:
        """For each id, the module and name of its spec's class, and the options that the id sets."""
        return {
            task_id: (*self._class_of(entry, "EnvSpec"), {**entry.defaults, **_limits(entry)})
            for task_id, entry in self._entries()
        }

    @property
    def envpools(self) -> dict[str, dict[str, tuple[str, str]]]:
        """For each id and interface, the module and name of the pool's class."""
        kinds = {"dm": "DMEnvPool", "gymnasium": "GymnasiumEnvPool"}
        return {
            task_id: {interface: self._class_of(entry, kind) for interface, kind in kinds.items()}
            for task_id, entry in self._entries()
        }

    @staticmethod
    def _entries() -> Iterator[tuple[str, Registration]]:
        for task_id in _registry.list_all_envs():
            yield task_id, _registry.find(task_id)

    @staticmethod
    def _class_of(entry: Registration, kind: str) -> tuple[str, str]:
        paths = import_paths(entry)
        return (paths[0].module, paths[0].name + kind) if paths else _KINDS[kind]


def _limits(entry: Registration) -> dict[str, Any]:
    limits = {"max_episode_steps": entry.max_episode_steps or None, "reward_threshold": entry.reward_threshold}
    return {key: value for key, value in limits.items() if value is not None}
