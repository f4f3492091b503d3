# SPDX-License-Identifier: Apache-2.0
"""Calls the compiled XLA handlers through the foreign-function interface of the installed JAX."""

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
    """Raises MissingPackageError for a version of JAX without the required foreign-function interface."""
    numbers = tuple(int(part) for part in version.split(".")[:3] if part.isdigit())
    if numbers < _OLDEST:
        raise MissingPackageError(
            f"[envpool] envpool.jax needs JAX {'.'.join(map(str, _OLDEST))} or newer, got {version}: "
            + pip_install("jax"),
            name="jax",
        )


@functools.cache
def _interface() -> Any:
    """Returns JAX's module for foreign functions, after registering the handlers in it."""
    from envpool import _core
    from envpool.jax import cuda

    try:
        module = importlib.import_module("jax.ffi")
    except ImportError:  # JAX before 0.5
        module = importlib.import_module("jax.extend.ffi")
    cuda.register()
    on_cpu = "CUDA" if cuda.stand_in_runs_on_cpu() else "cpu"
    for platform, handlers in (("cpu", on_cpu), ("CUDA", "CUDA")):
        for name, stages in _core.xla_handlers(handlers).items():
            module.register_ffi_target(name, stages, platform=platform)
    return module


def call(name: str, results: Sequence[jax.ShapeDtypeStruct], *operands: Any, **attributes: Any) -> Any:
    """Calls a handler. Each leading extent of an operand equals the batch's extent, or is 1."""
    return call_aliased(name, results, {}, *operands, **attributes)


def call_aliased(
    name: str, results: Sequence[jax.ShapeDtypeStruct], aliases: Mapping[int, int], *operands: Any, **attributes: Any
) -> Any:
    """Calls a handler whose results may overwrite operands that are not used afterwards.

    Args:
        name: the handler.
        results: shapes and dtypes of the results.
        aliases: maps the index of an operand to the index of the result that may share its memory. If vmap batches the
            results, it must also batch these operands; see `with_extents_of`.
        *operands: the operands.
        **attributes: the handler's attributes.
    """
    function = _interface().ffi_call(
        name, results, vmap_method="expand_dims", input_output_aliases=dict(aliases) or None
    )
    return function(*operands, **attributes)


def with_extents_of(array: Any, *others: Any) -> Any:
    """Returns an equal array, which vmap batches whenever it batches one of the others.

    The result is a selection between the array and itself, by a condition that depends on the others. XLA removes the
    selection.
    """
    if array.size == 0:
        return array
    condition = jnp.zeros((), jnp.bool_)
    for other in others:
        condition = jnp.logical_or(condition, jnp.ravel(other)[0] == 0)
    return jax.lax.select(jnp.broadcast_to(condition, array.shape), array, array)


def call_with_side_effect(name: str, results: Sequence[jax.ShapeDtypeStruct], *operands: Any, **attributes: Any) -> Any:
    """Calls a handler with side effects, whose calls XLA neither removes nor merges."""
    function = _interface().ffi_call(name, results, vmap_method="expand_dims", has_side_effect=True)
    return function(*operands, **attributes)
