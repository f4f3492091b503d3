# SPDX-License-Identifier: Apache-2.0
"""Calls of the compiled handlers, whichever jax is installed."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Sequence
from typing import Any

import jax

_OLDEST = (0, 4, 38)


def check_version(version: str) -> None:
    """Raises ImportError for a JAX that has no foreign-function interface as we need it."""
    numbers = tuple(int(part) for part in version.split(".")[:3] if part.isdigit())
    if numbers < _OLDEST:
        raise ImportError(
            f"envpool.jax needs JAX {'.'.join(map(str, _OLDEST))} or newer, {version} is installed: "
            "pip install 'envpool[jax]'"
        )


@functools.cache
def _interface() -> Any:
    """JAX's module for foreign functions, in which our handlers have been registered."""
    from envpool import _core

    try:
        module = importlib.import_module("jax.ffi")
    except ImportError:  # before 0.5
        module = importlib.import_module("jax.extend.ffi")
    for name, capsule in _core.xla_handlers().items():
        module.register_ffi_target(name, capsule, platform="cpu")
    return module


def call(name: str, results: Sequence[jax.ShapeDtypeStruct], *operands: Any, **attributes: Any) -> Any:
    """Calls a handler. Operands have the batch's leading extents, or 1 in their place."""
    function = _interface().ffi_call(name, results, vmap_method="expand_dims")
    return function(*operands, **attributes)
