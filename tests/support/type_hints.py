# SPDX-License-Identifier: Apache-2.0
"""Evaluates the annotations of public functions and classes, as `typing.get_type_hints` does for users."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Iterable, Iterator
from functools import cached_property
from types import ModuleType
from typing import Any

_CALLED = {"__init__", "__call__", "__enter__", "__exit__", "__getitem__", "__len__", "__iter__"}


def annotated(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """Yields the functions and methods of a module's public names, also of those that it imports, with a label.

    Of an interface's classes, it also yields the methods that the classes inherit from envpool's.
    """
    for name in {*dir(module), *getattr(module, "__all__", ())}:
        value = None if name.startswith("_") else getattr(module, name)
        if inspect.isfunction(value):
            yield f"{module.__name__}.{name}", value
        if inspect.isclass(value):
            for parent in value.__mro__:
                for key, item in vars(parent).items() if _is_ours(parent) else ():
                    if not key.startswith("_") or key in _CALLED:
                        yield f"{module.__name__}.{name}.{key}", _function(item)


def failures(modules: Iterable[ModuleType]) -> tuple[int, list[str]]:
    """Returns how many functions were tried, and those whose annotations cannot be evaluated, with the error."""
    functions = {
        id(function): (label, function)
        for module in modules
        for label, function in annotated(module)
        if inspect.isfunction(function) and _is_ours(function)
    }
    failed = []
    for label, function in functions.values():
        try:
            typing.get_type_hints(function)
        except (NameError, AttributeError, TypeError) as error:
            failed.append(f"{label}: {error}")
    return len(functions), failed


def _is_ours(value: Any) -> bool:
    return value.__module__.partition(".")[0] == "envpool"


def _function(item: Any) -> Any:
    """Returns the function of a method or property."""
    if isinstance(item, property):
        return item.fget
    return item.func if isinstance(item, cached_property) else getattr(item, "__func__", item)
