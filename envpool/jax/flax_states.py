# SPDX-License-Identifier: Apache-2.0
"""Lets `flax.serialization` save and load states and parameters, alone and as parts of other trees."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

_MODULE = "flax.serialization"


def register(kind: type[Any], save: Callable[[Any], dict[str, Any]], load: Callable[[Any, Any], Any]) -> None:
    """Registers a class with flax: now if flax has been imported, else at the end of its import.

    Args:
        kind: the class.
        save: returns an object's state as a dict.
        load: returns an object like its first argument with a saved state, which need not be one.
    """

    def run(serialization: ModuleType) -> None:
        serialization.register_serialization_state(kind, save, load)

    if _MODULE in sys.modules:
        run(sys.modules[_MODULE])
    else:
        sys.meta_path.insert(0, _Finder(run))


class _Finder(MetaPathFinder):
    """Finds flax's module as the other finders do, once, and calls a function with it after it has been executed."""

    def __init__(self, run: Callable[[ModuleType], None]) -> None:
        self._run = run

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name != _MODULE or self not in sys.meta_path:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def exec_module(module: ModuleType) -> None:
                execute(module)
                self._run(module)

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec
