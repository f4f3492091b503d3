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
    if any(_explicit_sharding(operand) is not None for operand in operands):
        return _called_once(_call_sharded(name, results, aliases, operands, attributes))
    function = _interface().ffi_call(
        name, results, vmap_method="expand_dims", input_output_aliases=dict(aliases) or None
    )
    return _called_once(function(*operands, **attributes))


def _called_once(results: Any) -> Any:
    """Returns a call's results behind a barrier.

    Without the barrier, XLA repeats some calls on a GPU (JAX 0.11): in a scan, a copy of the call writes a result into
    the stacked array, and the original call remains if another result is also used elsewhere, as a state is.
    """
    return jax.lax.optimization_barrier(results)


def _call_sharded(
    name: str,
    results: Sequence[jax.ShapeDtypeStruct],
    aliases: Mapping[int, int],
    operands: Sequence[Any],
    attributes: Mapping[str, Any],
) -> Any:
    """Calls a handler with operands on a mesh with explicit axes, where the sharding of arrays is a part of their type.

    JAX cannot derive the sharding of a foreign function's results. If they were replicated, a scan would refuse them as
    its next state. So the results are sharded like the operands, and vmap calls this function with the mapped axis.
    """

    def run(*operands: Any) -> Any:
        sharded = _sharded_as(operands, results)
        return _interface().ffi_call(name, sharded, input_output_aliases=dict(aliases) or None)(*operands, **attributes)

    def run_mapped(extent: int, mapped: Sequence[bool], *operands: Any) -> Any:
        wide = [jax.ShapeDtypeStruct((extent, *result.shape), result.dtype) for result in results]
        rows = [array if has else array[None] for array, has in zip(operands, mapped, strict=True)]
        return _call_sharded(name, wide, aliases, rows, attributes), [True] * len(results)

    call: Any = jax.custom_batching.custom_vmap(run)
    call.def_vmap(run_mapped)
    return call(*operands)


def _sharded_as(operands: Sequence[Any], results: Sequence[jax.ShapeDtypeStruct]) -> Sequence[jax.ShapeDtypeStruct]:
    """Returns the results, sharded like the operands.

    The batch's dimensions come first in all arrays. In the first result, only one dimension follows them.
    """
    extents = results[0].shape[:-1]
    names: list[Any] = [None] * len(extents)
    shardings = [(operand, _explicit_sharding(operand)) for operand in operands]
    shardings = [(operand, sharding) for operand, sharding in shardings if sharding is not None]
    for operand, sharding in shardings:
        for axis, name in enumerate(sharding.spec[: len(extents)]):
            if name is not None and operand.shape[axis] == extents[axis] and name not in names:
                names[axis] = names[axis] or name
    sharding = jax.sharding.NamedSharding(shardings[0][1].mesh, jax.sharding.PartitionSpec(*names))
    return [jax.ShapeDtypeStruct(result.shape, result.dtype, sharding=sharding) for result in results]


def _explicit_sharding(array: Any) -> Any:
    """Returns the sharding in an array's type if its mesh has explicit axes, else None."""
    typeof = getattr(jax, "typeof", None)  # older versions of JAX have no explicit axes, or only experimental ones
    sharding = None if typeof is None else getattr(typeof(array), "sharding", None)
    axes = getattr(getattr(sharding, "mesh", None), "axis_types", None) or ()
    return sharding if any(str(axis).endswith("Explicit") for axis in axes) else None


def with_extents_of(array: Any, *others: Any) -> Any:
    """Returns an equal array, which vmap batches whenever it batches one of the others.

    The result is a selection between the array and itself, by a condition that depends on the others. XLA removes the
    selection. The condition is a scalar without a sharding, so the array may have any sharding, as on explicit mesh
    axes, where the operands of an operation must agree. For the same reason, it depends on the sum of an empty slice:
    no slice of one element can be taken from a sharded axis.
    """
    if array.size == 0:
        return array
    condition = jnp.zeros((), jnp.bool_)
    for other in map(jnp.asarray, others):
        empty = jax.lax.slice(other, (0,) * other.ndim, (0,) * other.ndim) if other.ndim else other
        condition = jnp.logical_or(condition, jnp.sum(empty, dtype=jnp.int32) == 0)
    return jax.lax.select(condition, array, array)


def call_with_side_effect(name: str, results: Sequence[jax.ShapeDtypeStruct], *operands: Any, **attributes: Any) -> Any:
    """Calls a handler with side effects, whose calls XLA neither removes nor merges."""
    function = _interface().ffi_call(name, results, vmap_method="expand_dims", has_side_effect=True)
    return _called_once(function(*operands, **attributes))
