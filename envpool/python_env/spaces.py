# SPDX-License-Identifier: Apache-2.0
"""Describes the spaces of a Python environment as the arrays of a pool."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from envpool import _core
from envpool.python.distribution import raise_missing
from envpool.python.options import wrong_type
from envpool.python_env.worker import Array

_DTYPES = ("bool", "uint8", "int32", "int64", "float32", "float64")
_KEY = re.compile(r"[^\s.:]+")
_SPACES = "Box, Discrete, MultiDiscrete or MultiBinary"


def spaces_module() -> Any:
    """Returns the module `gymnasium.spaces`."""
    try:
        from gymnasium import spaces
    except ModuleNotFoundError as error:
        raise_missing(error, "gymnasium", "a Python environment")
    return spaces


def describe(observation: Any, action: Any, info: Mapping[str, Any]) -> tuple[list[Array], str]:
    """Returns the arrays of an environment, and their description as the text that C++ reads (arrays.h).

    Args:
        observation: the observation space.
        action: the action space.
        info: for each key of `info` that the pool returns, a space, or the dtype of a scalar.

    Raises:
        TypeError, ValueError: a space that pools do not support.
    """
    gymnasium = spaces_module()
    entries: list[tuple[str, tuple[str, ...], Any]] = []
    if isinstance(action, gymnasium.Dict):
        for key, space in action.spaces.items():
            entries.append(("action", (_key("action_space", key),), space))
        if not entries:
            raise ValueError("action_space: expected at least one action, got an empty Dict")
    else:
        entries.append(("action", (), action))
    entries += [("obs", path, space) for path, space in _leaves("observation_space", observation)]
    if entries[-1][0] != "obs":
        raise ValueError("observation_space: expected at least one array, got an empty Dict")
    for key, space in info.items():
        entries.append(("info", *_info(key, space, [part for kind, _, part in entries if kind == "action"])))
    arrays, lines = [], []
    for kind, path, space in entries:
        where = {"action": "action_space", "obs": "observation_space", "info": "info"}[kind]
        where += "".join(f"[{key!r}]" for key in path)
        array, words = _leaf(where, kind, path, space)
        arrays.append(array)
        lines.append(words)
    lines.append(_words("info", "info:seed", "int64", 0, (), [0], [2**32 - 1], []))
    return arrays, "\n".join(lines)


def check_infos(info: Mapping[str, Any]) -> None:
    """Raises TypeError or ValueError for a key of `info`, or its space or dtype, that no pool can return."""
    for key, space in info.items():
        path, checked = _info(key, space, [])
        _leaf(f"info[{key!r}]", "info", path, checked)


def _info(key: Any, space: Any, actions: Sequence[Any]) -> tuple[tuple[str, ...], Any]:
    """Returns the path and the space of a key of `info`, of an environment with these actions."""
    path = (_key("info", key),)
    if key == "seed" or key in _core.COMMON_ARRAYS:
        raise ValueError(f"info: expected keys that the pool itself does not return, got {key!r}")
    if key == "action_mask":
        space = _mask_space(space, actions)
    gymnasium = spaces_module()
    if isinstance(space, gymnasium.Space):
        return path, space
    try:
        return path, gymnasium.Box(-np.inf, np.inf, (), np.dtype(space).type)
    except (TypeError, ValueError):
        raise wrong_type(f"info[{key!r}]", "a space of gymnasium, or the dtype of a number", space) from None


def _mask_space(space: Any, actions: Sequence[Any]) -> Any:
    """Returns the space of the info "action_mask" as bool. People also write its dtype, or numbers that are 0 or 1."""
    gymnasium = spaces_module()
    if isinstance(space, (gymnasium.MultiBinary, gymnasium.Box)):
        binary = isinstance(space, gymnasium.MultiBinary) or bool(np.all(space.low >= 0) and np.all(space.high <= 1))
        return gymnasium.Box(0, 1, space.shape, np.bool_) if binary and space.dtype.kind in "biu" else space
    try:
        kind = np.dtype(space).kind
    except TypeError:
        return space
    counts = [_choices(action) for action in actions]
    return gymnasium.Box(0, 1, (sum(counts),), np.bool_) if kind in "biu" and all(counts) else space


def _choices(action: Any) -> int:
    """Returns the number of choices of a discrete action, 0 of another one."""
    gymnasium = spaces_module()
    if isinstance(action, gymnasium.Discrete):
        return int(action.n)
    if isinstance(action, gymnasium.MultiDiscrete):
        return int(action.nvec.sum())
    return 2 * int(np.prod(action.shape)) if isinstance(action, gymnasium.MultiBinary) else 0


def _leaves(where: str, space: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    if not isinstance(space, spaces_module().Dict):
        yield path, space
        return
    for key, inner in space.spaces.items():
        yield from _leaves(where, inner, (*path, _key(where, key)))


def _key(where: str, key: Any) -> str:
    if not isinstance(key, str) or not _KEY.fullmatch(key):
        raise ValueError(f"{where}: expected keys that are strings without spaces, '.' and ':', got {key!r}")
    return key


def _leaf(where: str, kind: str, path: tuple[str, ...], space: Any) -> tuple[Array, str]:
    """Returns an array, and its words in the text for C++."""
    gymnasium = spaces_module()
    dtype: np.dtype[Any]
    discrete, low, high, counts, form = 0, np.zeros(1), np.ones(1), np.zeros(0, np.int64), ""
    if isinstance(space, gymnasium.Discrete):
        if int(space.start) != 0:
            raise ValueError(f"{where}: expected a Discrete that starts at 0, got {space}")
        dtype, discrete, high, form = np.dtype(np.int64), int(space.n), np.array([space.n - 1]), "scalar"
        if space.dtype != dtype:
            form = f"scalar {np.dtype(space.dtype).name}"
    elif isinstance(space, gymnasium.MultiDiscrete):
        if np.any(getattr(space, "start", 0)):
            raise ValueError(f"{where}: expected a MultiDiscrete that starts at 0, got {space}")
        dtype, counts = np.dtype(space.dtype), space.nvec.reshape(-1)
        discrete, high = int(counts.max()), counts - 1
    elif isinstance(space, gymnasium.MultiBinary):
        dtype, discrete, form = np.dtype(np.uint8), 2, "array int8"
    elif isinstance(space, gymnasium.Box):
        dtype = np.dtype(space.dtype)
        low, high = _bound(space.low), _bound(space.high)
        if np.isnan(low).any() or np.isnan(high).any():
            raise ValueError(f"{where}: expected bounds that are numbers, got nan")
    else:
        nested = "" if kind == "info" or (kind == "action" and path) else ", or a Dict of them"
        raise wrong_type(where, f"{_SPACES}{nested}", space)
    if dtype.name not in _DTYPES:
        raise ValueError(f"{where}: expected one of the dtypes {', '.join(_DTYPES)}, got {dtype.name}")
    name = kind if not path else path[0] if kind == "action" else f"{kind}:" + ".".join(path)
    array = Array(kind, path, dtype.name, tuple(int(extent) for extent in space.shape), form)
    return array, _words(kind, name, dtype.name, discrete, array.shape, low, high, counts)


def _bound(values: Any) -> Any:
    """Returns the lower or upper bounds of a Box, as one value if all elements have the same bound."""
    flat = np.asarray(values).reshape(-1)
    return flat[:1] if flat.size == 0 or (flat == flat[0]).all() else flat


def _words(
    kind: str, name: str, dtype: str, discrete: int, shape: tuple[int, ...], low: Any, high: Any, counts: Any
) -> str:
    low, high = [repr(float(value)) for value in low], [repr(float(value)) for value in high]
    words = [kind, name, dtype, discrete, len(shape), *shape, len(low) or 1, *(low or ["-inf"])]
    return " ".join(map(str, [*words, len(high) or 1, *(high or ["inf"]), len(counts), *map(int, counts)]))
