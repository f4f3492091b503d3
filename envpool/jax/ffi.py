# SPDX-License-Identifier: Apache-2.0
"""Calls of the compiled handlers, whichever jax is installed."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from envpool.python.distribution import pip_install
from envpool.python.errors import MissingPackageError

_OLDEST = (0, 4, 38)


def check_version(version: str) -> None:
    """Raises MissingPackageError for a JAX that has no foreign-function interface as we need it."""
    numbers = tuple(int(part) for part in version.split(".")[:3] if part.isdigit())
    if numbers < _OLDEST:
        raise MissingPackageError(
            f"[envpool] envpool.jax needs JAX {'.'.join(map(str, _OLDEST))} or newer, {version} is installed: "
            + pip_install("jax"),
            name="jax",
        )


@functools.cache
def _interface() -> Any:
    """JAX's module for foreign functions, in which our handlers have been registered."""
    from envpool import _core

    try:
        module = importlib.import_module("jax.ffi")
    except ImportError:  # before 0.5
        module = importlib.import_module("jax.extend.ffi")
    for name, stages in _core.xla_handlers().items():
        module.register_ffi_target(name, stages, platform="cpu")
    return module


def call(name: str, results: Sequence[jax.ShapeDtypeStruct], *operands: Any, **attributes: Any) -> Any:
    """Calls a handler. Operands have the batch's leading extents, or 1 in their place."""
    return call_over(name, results, {}, *operands, **attributes)


def call_over(
    name: str, results: Sequence[jax.ShapeDtypeStruct], over: Mapping[int, int], *operands: Any, **attributes: Any
) -> Any:
    """The same with results that may overwrite an operand nobody else needs: `over` says which operand which result.

    Such an operand must be batched wherever the results are: see `with_extents_of`.
    """
    function = _interface().ffi_call(name, results, vmap_method="expand_dims", input_output_aliases=dict(over) or None)
    return function(*operands, **attributes)


def with_extents_of(array: Any, *others: Any) -> Any:
    """The same array, which under vmap is batched wherever one of the others is.

    A selection between it and itself is what says so. XLA finds that out, and nothing is left of it.
    """
    if array.size == 0:
        return array
    some = jnp.bool_(False)
    for other in others:
        some = jnp.logical_or(some, jnp.ravel(other)[0] == 0)
    return jax.lax.select(jnp.broadcast_to(some, array.shape), array, array)


def effect(name: str, results: Sequence[jax.ShapeDtypeStruct], *operands: Any, **attributes: Any) -> Any:
    """Calls a handler that does something each time, and must not be left out. It knows vmap by the extents."""
    function = _interface().ffi_call(name, results, vmap_method="expand_dims", has_side_effect=True)
    return function(*operands, **attributes)
