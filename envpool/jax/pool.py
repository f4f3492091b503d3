# SPDX-License-Identifier: Apache-2.0
"""The functions that `env.xla()` returns: a pool's recv, send and step inside jitted code.

The calls have side effects: XLA executes every call in a program, in the order in which the handle is passed from call
to call. Arrays have fixed shapes: unused rows contain zeros, and -1 as their env_id.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from envpool._core import DevicePool, Pool
from envpool.jax import ffi
from envpool.python import actions
from envpool.python.construction import Construction
from envpool.python.errors import labelled
from envpool.python.layout import Pack
from envpool.python.spaces import Field

_HANDLE = jax.ShapeDtypeStruct((8,), np.uint8)
_ENV_ID, _OWNERS = 1, 2  # These bits tell the handlers which ids are among the operands.
_AS_ATTRIBUTE = 2  # tells the handlers of a pool on a GPU that the attribute `ids` contains the ids
_INTEGERS = ("uint8", "int32", "uint32", "int64")  # the dtypes of integers that the handlers read


class PoolCalls:
    """The functions of one pool for jitted code. A PoolCalls keeps the pool alive.

    Attributes:
        handle: an array that identifies the pool, uint8 of shape (8,).
    """

    def __init__(self, construction: Construction, pool: Pool | DevicePool, pack: Pack) -> None:
        handle, number, outputs = _opened(construction, pool)
        self.handle: npt.NDArray[np.uint8] = np.frombuffer(handle, np.uint8)
        self._core = pool
        self._pack = pack
        self._label = construction.label
        self._on_device = construction.on_device
        self._batch_size, self._players = construction.common.batch_size, construction.arrays.max_players
        self._num_envs = construction.common.num_envs
        self._fields = construction.arrays.actions
        self._several = construction.arrays.max_players > 1
        self._pool = np.int64(number)
        self._outputs = np.array([array for array, *_ in outputs], np.int32)
        batch, most = construction.common.batch_size, construction.arrays.max_players
        self._rows = [
            ((batch * most if per_player else batch, *shape), dtype) for _, dtype, shape, per_player in outputs
        ]

    def recv(self, handle: Any) -> tuple[Any, Any]:
        """Waits for the next batch.

        Args:
            handle: the handle that the previous call returned.

        Returns:
            The handle for the next call, and the return value of the pool's own `recv`, with batch_size rows (times the
            maximum number of players for arrays with a row per player).
        """
        return self._with_results("envpool_pool_recv", [self._handle(handle)])

    def send(self, handle: Any, action: Any, env_id: Any = None) -> Any:
        """Starts one step without waiting for it.

        Args:
            handle: the handle that the previous call returned.
            action: an array with one row per environment (per player, if there are several), or a dict of arrays, as
                for the pool's own `send`. Rows may be padding.
            env_id: ids of the environments to step, -1 for padding rows; None means all environments.

        Returns:
            The handle for the next call.
        """
        operands, attributes = self._sent(handle, action, env_id)
        return self._call("envpool_pool_send", [_HANDLE], operands, **attributes)[0]

    def step(self, handle: Any, action: Any, env_id: Any = None) -> tuple[Any, Any]:
        """Sends and receives: takes the arguments of `send` and returns the values of `recv`."""
        operands, attributes = self._sent(handle, action, env_id)
        return self._with_results("envpool_pool_step", operands, **attributes)

    # --- calls ---

    def _with_results(self, name: str, operands: list[Any], **attributes: Any) -> tuple[Any, Any]:
        results = [_HANDLE]
        results += [jax.ShapeDtypeStruct(shape, jax.dtypes.canonicalize_dtype(dtype)) for shape, dtype in self._rows]
        handle, *arrays = self._call(name, results, operands, outputs=self._outputs, **attributes)
        return handle, self._pack(tuple(arrays))

    def _call(self, name: str, results: list[Any], operands: list[Any], **attributes: Any) -> Any:
        return ffi.call_with_side_effect(name, results, *operands, pool=self._pool, **attributes)

    # --- arguments ---

    def _handle(self, handle: Any) -> Any:
        dtype, shape = getattr(handle, "dtype", None), getattr(handle, "shape", None)
        if dtype != _HANDLE.dtype:
            self._type_error("handle", "the handle that xla() or the previous call returned (uint8)", handle)
        if shape != _HANDLE.shape:
            raise ValueError(f"[{self._label}] handle: expected shape {_HANDLE.shape}, got {shape}")
        return jnp.asarray(handle)

    def _sent(self, handle: Any, action: Any, env_id: Any) -> tuple[list[Any], dict[str, Any]]:
        """Returns operands and attributes of a send. The attribute `named` says which ids are among the operands."""
        with labelled(self._label):
            values = actions.split(self._fields, action, ("env_id", "players.env_id"))
        env_id = values.get("env_id") if env_id is None else env_id
        if self._on_device:
            return self._sent_to_device(handle, values, env_id)
        owners = values.get("players.env_id") if self._several else None
        operands, named, rows, players = [self._handle(handle)], 0, self._num_envs, None
        if env_id is not None:
            operands.append(self._ids("env_id", env_id))
            named, rows = named | _ENV_ID, len(operands[-1])
        if owners is not None:
            operands.append(self._ids("players.env_id", owners))
            named, players = named | _OWNERS, len(operands[-1])
        for field in self._fields:
            one_each = self._several and field.per_player
            operands.append(self._action(field, values[field.name], players if one_each else rows))
            if one_each:
                players = len(operands[-1])
        return operands, {"named": np.int64(named)}

    def _sent_to_device(self, handle: Any, values: Any, env_id: Any) -> tuple[list[Any], dict[str, Any]]:
        """Does the same as `_sent` for a pool on a GPU, whose host must know which environments a call steps.

        Ids that are known while tracing become an attribute. Traced ids must be those of a whole batch.
        """
        operands, rows = [self._handle(handle)], self._num_envs
        attributes: dict[str, Any] = {"named": np.int64(0), "ids": np.empty(0, np.int32)}
        if isinstance(env_id, jax.core.Tracer):
            ids = self._ids("env_id", env_id)
            rows = len(ids)
            if rows not in (self._batch_size, self._num_envs):
                raise ValueError(
                    f"[{self._label}] env_id: expected the {self._batch_size} ids of a batch, or ids that are known "
                    f"while tracing, because the pool is on a GPU, got {rows} traced ids"
                )
            low = 0 if ids.dtype.kind == "u" else -1
            operands.append(jnp.clip(ids, low, np.iinfo(np.int32).max).astype(np.int32))
            attributes["named"] = np.int64(_ENV_ID)
        elif env_id is not None:
            with jax.ensure_compile_time_eval():
                id_values = (
                    np.asarray(env_id) if isinstance(env_id, jax.Array) else env_id
                )  # `_ids` checks them in NumPy
                known = self._checked(np.asarray(self._ids("env_id", id_values)).astype(np.int32))
            rows = len(known)
            attributes = {"named": np.int64(_AS_ATTRIBUTE), "ids": known}
        for field in self._fields:
            several = self._several and field.per_player
            array = self._action(field, values[field.name], rows * self._players if several else rows)
            if array.dtype == np.uint32:  # a dtype that kernels do not read
                array = jnp.minimum(array, np.uint32(2**31 - 1)).astype(np.int32)
            operands.append(array)
        return operands, attributes

    def _checked(self, ids: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        """Returns ids without padding, after checking what the handler would refuse."""
        known: npt.NDArray[np.int32] = ids[ids != -1]
        if not len(known):
            raise ValueError(f"[{self._label}] env_id: expected at least one environment, got none")
        if len(known) < len(ids):
            raise ValueError(f"[{self._label}] env_id: expected ids without padding for a pool on a GPU, got -1")
        return known

    def _ids(self, name: str, value: Any) -> Any:
        ids = self._array(value)
        if ids is None or (ids.dtype.kind not in "iu" and ids.size):
            self._type_error(name, "integers (int32)", value if ids is None else ids)
        if ids.ndim != 1:
            raise ValueError(f"[{self._label}] {name}: expected a one-dimensional array, got shape {ids.shape}")
        return self._integers(name, ids, -1, self._num_envs - 1, f"ids in 0..{self._num_envs - 1}")

    def _action(self, field: Field, value: Any, rows: int | None) -> Any:
        row_owner = "player" if self._several and field.per_player else "environment"
        with labelled(self._label):
            array = value if isinstance(value, jax.Array) else actions.as_array(field, value)
            array = actions.check(field, array, (rows, *field.shape), row_owner)
        if field.dtype.kind == "f":
            return jnp.asarray(array.astype(jax.dtypes.canonicalize_dtype(field.dtype)))
        if field.dtype.kind == "b":
            return jnp.asarray(array)
        limits = np.iinfo(jax.dtypes.canonicalize_dtype(field.dtype))  # may be narrower than the field's dtype
        return self._integers(field.name, array, int(limits.min), int(limits.max), "a value that fits its dtype")

    def _integers(self, name: str, array: Any, low: int, high: int, expected: str) -> Any:
        """Returns the integers in a dtype that the handlers read, with equal values.

        The handlers check the values of traced arrays when the program runs.
        """
        if isinstance(array, np.ndarray):
            if array.size and not (low <= int(array.min()) and int(array.max()) <= high):
                outside = array[(array < low) | (array > high)].flat[0]
                raise ValueError(f"[{self._label}] {name}: expected {expected}, got {outside}")
            return jnp.asarray(array.astype(jax.dtypes.canonicalize_dtype(np.int64)))
        if array.dtype == np.uint64:
            array = jnp.minimum(array, np.uint64(2**63 - 1)).astype(np.int64)
        return array if array.dtype.name in _INTEGERS else array.astype(np.int32)

    @staticmethod
    def _array(value: Any) -> Any:
        """Returns a JAX array unchanged, and other values as a NumPy array, or None if they cannot be converted."""
        if isinstance(value, jax.Array):
            return value
        try:
            array = np.asarray(value)
        except (TypeError, ValueError):
            return None
        return None if array.dtype.kind == "O" else array

    def _type_error(self, name: str, expected: str, value: Any) -> Any:
        got = getattr(value, "dtype", None) or type(value).__name__
        raise TypeError(f"[{self._label}] {name}: expected {expected}, got {got}")


def _opened(construction: Construction, pool: Any) -> Any:
    """Returns the handle of a pool, its number, and its outputs (`Pool.xla`)."""
    if not construction.on_device:
        return pool.xla()
    from envpool.cuda.pool import results_image

    return pool.xla(results_image(construction.label, construction.common.device))
