# SPDX-License-Identifier: Apache-2.0
"""Lets `flax.serialization` save and load states and parameters, alone and as parts of other trees."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

import numpy as np

_MODULE = "flax.serialization"


def register(*kinds: type[Any]) -> None:
    """Registers classes of rows with flax: now if flax has been imported, else at the end of its import.

    Args:
        *kinds: classes with the attributes raw and format, and a class method `_restored` that makes an object from these.
    """
    if _MODULE in sys.modules:
        _register(sys.modules[_MODULE], kinds)
    else:
        sys.meta_path.insert(0, _Finder(kinds))


class _Finder(MetaPathFinder):
    """Finds flax's module as the other finders do, once, and registers classes with it after it has been executed."""

    def __init__(self, kinds: Sequence[type[Any]]) -> None:
        self._kinds = kinds

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name != _MODULE or self not in sys.meta_path:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def exec_module(module: ModuleType) -> None:
                execute(module)
                _register(module, self._kinds)

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def _register(serialization: ModuleType, kinds: Sequence[type[Any]]) -> None:
    for kind in kinds:
        serialization.register_serialization_state(kind, lambda row: {"raw": row.raw}, _load)


def _load(target: Any, saved: Any) -> Any:
    words = target.format.words
    raw: Any = saved.get("raw") if isinstance(saved, dict) else None
    if np.shape(raw)[-1:] != (words,) or raw.dtype != np.uint32:
        got = type(saved).__name__ if raw is None else f"{raw.dtype} of shape {np.shape(raw)}"
        raise ValueError(
            f"[{target.format.label}] from_state_dict: expected saved rows of {words} words (uint32), got {got}"
        )
    return type(target)._restored(raw, target.format)
