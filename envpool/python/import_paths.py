# SPDX-License-Identifier: Apache-2.0
"""Names that EnvPool's scripts import from families, such as `envpool.classic_control.CartPoleGymnasiumEnvPool`.

EnvPool has three classes for each environment. Here a pool's class is its face, whatever it holds, so these classes are
made of the registry when somebody asks for them: `CartPoleEnvSpec(CartPoleEnvSpec.gen_config(num_envs=4))` is a spec,
`CartPoleDMEnvPool(spec)` a pool, and what `make_spec` and `make` return are instances of them too.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
from abc import ABCMeta
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from envpool.python import registry as _registry
from envpool.python.family import Home
from envpool.python.registry import Registration

# What a name ends with: the module that has our class, and its name there. Those in `__all__` come first, in order.
_KINDS = {
    "EnvSpec": ("envpool.python.env_spec", "EnvSpec"),
    "DMEnvPool": ("envpool.python.dm_envpool", "DMEnvPool"),
    "GymnasiumEnvPool": ("envpool.python.gymnasium_envpool", "GymnasiumEnvPool"),
    "GymEnvPool": ("envpool.python.gym_envpool", "GymEnvPool"),
}
_SUBMODULES = ("registration", "gym", "dmc")  # which importing EnvPool imports
_LISTED = ("EnvSpec", "DMEnvPool", "GymnasiumEnvPool")


def homes(registration: Registration) -> list[Home]:
    """Returns where a registration's classes are found; none for a plugin."""
    return registration.origin.homes(registration.task_id, registration.table)


def _known() -> list[tuple[Home, list[Registration]]]:
    """Every home with its registrations, in their order."""
    found: dict[tuple[str, str], tuple[Home, list[Registration]]] = {}
    for task_id in _registry.list_all_envs():
        registration = _registry.find(task_id)
        for home in homes(registration) if registration.task_id == task_id else ():
            found.setdefault(home[:2], (home, []))[1].append(registration)
    return list(found.values())


def members(module: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The functions `__getattr__` and `__dir__` of a module that has such names."""

    def get(name: str) -> Any:
        if name == "__all__":
            return list(_names(module))
        if name in _SUBMODULES and importlib.util.find_spec(f"{module}.{name}"):
            return importlib.import_module(f"{module}.{name}")
        for home, _ in _known() if not name.startswith("_") else ():
            kind = name.removeprefix(home.name)
            if home.module == module and name.startswith(home.name) and kind in _KINDS:
                return _class(module, home.name, kind)
        raise AttributeError(f"module {module!r} has no attribute {name!r}")

    def names() -> list[str]:
        return sorted({*vars(importlib.import_module(module)), *_names(module)})

    return get, names


def _names(module: str) -> Iterator[str]:
    for home, _ in _known():
        if home.module == module:
            yield from (home.name + kind for kind in _LISTED)


@functools.cache
def _class(module: str, name: str, kind: str) -> Any:
    if kind == "GymEnvPool":  # its base is what the installed gym has, if there is one
        from envpool.python import gym_envpool

        if gym_envpool.installed_gym() is None:
            return _class(module, name, "GymnasiumEnvPool")
        return _PoolMeta(
            name + kind, (gym_envpool.gym_face(),), {"__module__": module, "__doc__": None, "_home": (module, name)}
        )
    base = getattr(importlib.import_module(_KINDS[kind][0]), _KINDS[kind][1])
    meta = _SpecMeta if kind == "EnvSpec" else _PoolMeta
    return meta(name + kind, (base,), {"__module__": module, "__doc__": base.__doc__, "_home": (module, name)})


def _is_at_home(registration: Registration, config: Mapping[str, Any], where: tuple[str, str]) -> bool:
    return any(home[:2] == where and home.options.items() <= config.items() for home in homes(registration))


class _Meta(ABCMeta):
    """The metaclass of the classes here."""

    _home: tuple[str, str]

    def __instancecheck__(cls, instance: Any) -> bool:
        base: type = cls.__mro__[1]
        if "_home" not in vars(cls):  # somebody's subclass
            return super().__instancecheck__(instance)
        registration: Any = getattr(instance, "registration", None)  # None if the constructor raised
        is_of_face: bool = registration is not None and isinstance(instance, base)
        if not is_of_face:
            return False
        config = instance.values if isinstance(cls, _SpecMeta) else instance.config
        return _is_at_home(registration, config, cls._home)


class _SpecMeta(_Meta):
    @property
    def gen_config(cls) -> Any:
        """A namedtuple class of every option with its default; what it makes is what the class takes."""
        from envpool.python.construction import Construction
        from envpool.python.env_spec import EnvSpec

        return EnvSpec(Construction(_usual(*cls._home), {})).gen_config

    def __call__(cls, config: Any, *more: Any) -> Any:
        from envpool.python.construction import Construction

        if isinstance(config, Construction):
            return super().__call__(config, *more)
        label = ".".join((cls.__module__, cls.__name__))
        if not isinstance(config, Mapping) and not hasattr(config, "_asdict"):
            raise TypeError(f"[{label}] config must be what {cls.__name__}.gen_config() returns, got {config!r}")
        given = dict(config) if isinstance(config, Mapping) else config._asdict()
        return super().__call__(Construction(_usual(*cls._home), given))


class _PoolMeta(_Meta):
    def __call__(cls, spec: Any, given: Any = None) -> Any:
        if isinstance(spec, Registration):  # a pool that is copied or unpickled
            return super().__call__(spec, given)
        name = cls._home[1] + "EnvSpec"
        wanted = _class(*cls._home, "EnvSpec")
        if not isinstance(spec, wanted):
            label = ".".join((cls.__module__, cls.__name__))
            raise TypeError(f"[{label}] spec must be a {name}, got {spec!r}")
        return super().__call__(spec.registration, spec.given)


@functools.cache
def _usual(module: str, name: str) -> Registration:
    """What a class stands for that no id is named with: the defaults that all ids of the class share."""
    from envpool.python.construction import Construction

    home, known = next((home, known) for home, known in _known() if home[:2] == (module, name))
    shared = {
        key: value
        for key, value in known[-1].defaults.items()
        if all(entry.defaults.get(key) == value for entry in known)
    }
    label = known[-1].task_id if module.count(".") > 1 else name
    usual = known[-1]._replace(
        task_id=label, max_episode_steps=0, reward_threshold=None, defaults={**shared, **home.options}
    )
    try:
        Construction(usual, {})
    except ValueError:  # they need one of those that differ
        return known[0]._replace(max_episode_steps=0, defaults={**known[0].defaults, **home.options})
    return usual


class EnvRegistry:
    """EnvPool's registry: what is registered, where its classes are found, and the functions of `envpool.registration`.

    Args:
        functions: those of `envpool.registration` that EnvPool's registry has as methods, by name.
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
        """Of each id: module and name of its spec's class, and the options that the id gives."""
        return {
            task_id: (*self._class_of(entry, "EnvSpec"), {**entry.defaults, **_limits(entry)})
            for task_id, entry in self._entries()
        }

    @property
    def envpools(self) -> dict[str, dict[str, tuple[str, str]]]:
        """Of each id: module and name of the class of each face."""
        kinds = {"dm": "DMEnvPool", "gymnasium": "GymnasiumEnvPool"}
        return {
            task_id: {face: self._class_of(entry, kind) for face, kind in kinds.items()}
            for task_id, entry in self._entries()
        }

    @staticmethod
    def _entries() -> Iterator[tuple[str, Registration]]:
        for task_id in _registry.list_all_envs():
            yield task_id, _registry.find(task_id)

    @staticmethod
    def _class_of(entry: Registration, kind: str) -> tuple[str, str]:
        found = homes(entry)
        return (found[0].module, found[0].name + kind) if found else _KINDS[kind]


def _limits(entry: Registration) -> dict[str, Any]:
    limits = {"max_episode_steps": entry.max_episode_steps or None, "reward_threshold": entry.reward_threshold}
    return {key: value for key, value in limits.items() if value is not None}
