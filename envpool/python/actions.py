# SPDX-License-Identifier: Apache-2.0
"""Checks actions in Python, for interfaces that do not pass them to a pool: envpool.jax and envpool.ray.

A pool checks its actions in C++ (envpool/bindings/arguments.h). The checks here accept the same values and raise the
same errors, in the same order: type, dtype, shape, values. Callers add the id with `errors.labelled`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from envpool.python.spaces import Field

# For each kind of field, the kinds of arrays that the field accepts. A kind is a letter, as in NumPy's `dtype.kind`.
_ACCEPTED = {"f": "fiu", "i": "iub", "u": "iub", "b": "b"}
_KIND_NAMES = {"f": "floats", "i": "integers", "u": "integers", "b": "booleans"}


def split(
    fields: Sequence[Field], action: Any, other_keys: Sequence[str] = (), *, name: str = "action"
) -> dict[str, Any]:
    """Returns the value of each field by name, from an array or a dict.

    Args:
        fields: the fields of the environment's action.
        action: a dict of values by name; or the value itself if there is one field.
        other_keys: further keys that the dict may have; their values are returned as well.
        name: the argument, for error texts.

    Raises:
        TypeError: there are several fields, and the action is not a dict.
        ValueError: a key is missing or unknown.
    """
    names = [field.name for field in fields]
    if not isinstance(action, dict):
        if len(names) == 1:
            return {names[0]: action}
        raise TypeError(f"{name}: expected a dict with keys {', '.join(names)}, got {_type_name(action)}")
    for key in action:
        if key not in names and key not in other_keys:
            raise ValueError(f"{name}: expected keys {', '.join(names)}, got unknown key {key}")
    for key in names:
        if key not in action:
            raise ValueError(f"{name}: expected keys {', '.join(names)}, got no key {key}")
    return dict(action)


def as_array(field: Field, value: Any) -> Any:
    """Returns the value as a NumPy array of any dtype. Raises TypeError if it cannot be converted."""
    if value is None or isinstance(value, np.ma.MaskedArray):  # a masked element has no value
        _wrong_type(field, _type_name(value))
    try:
        return np.asarray(value)
    except MemoryError:
        raise
    except Exception as error:
        # torch says what to call on a tensor that requires gradients or is on a GPU.
        first = value[0] if isinstance(value, (list, tuple)) and value else value
        _wrong_type(field, _type_name(value) + (f": {error}" if hasattr(first, "detach") else ""))


def check(
    field: Field,
    array: Any,
    shape: tuple[int | None, ...],
    row_owner: str | None = "",
    *,
    players: int = 1,
    allow_whole_floats: bool = False,
) -> Any:
    """Checks an array of actions. The values of a traced JAX array are not checked, because they are unknown.

    Args:
        field: the field of the action.
        array: the result of `as_array`, or a JAX array.
        shape: the expected shape; None stands for any number of rows.
        row_owner: the owner of a row, "environment" or "player"; empty if the array is the only row; None if the field's
            name says whose row it is, so that errors do not name a row.
        players: number of rows of each environment.
        allow_whole_floats: whether an integer field accepts floats that are whole numbers.

    Returns:
        The array; int64 if it held whole floats.

    Raises:
        TypeError: the field does not accept the dtype.
        ValueError: the shape is wrong, or the field does not accept a value.
    """
    # The dtypes that JAX adds to NumPy's, such as bfloat16, have kind "V".
    kind = "f" if "float" in array.dtype.name else array.dtype.kind
    is_numpy = isinstance(array, np.ndarray)
    accepts_floats = allow_whole_floats and field.dtype.kind in "iu"
    samples_of_bools = is_numpy and field.dtype.kind == "b" and kind in "iu"  # of gymnasium's MultiBinary
    if kind not in _ACCEPTED[field.dtype.kind] and not (kind == "f" and accepts_floats) and not samples_of_bools:
        _wrong_type(field, str(array.dtype))
    if len(array.shape) != len(shape) or any(a not in (b, None) for a, b in zip(shape, array.shape, strict=True)):
        sizes = ["players" if size is None else str(size) for size in shape]
        text = f"({', '.join(sizes)}{',' * (len(sizes) == 1)})"
        rows = f", one row per {row_owner}" if row_owner else ""
        raise ValueError(f"{field.name}: expected shape {text}{rows}, got {tuple(array.shape)}")
    if samples_of_bools:
        _require(field, (array == 0) | (array == 1), array, row_owner, players)
        return array.astype(bool)
    if not is_numpy or field.dtype.kind == "b":
        return array
    if field.dtype.kind == "f":
        with np.errstate(over="ignore"):
            converted = array.astype(field.dtype)
        _require(field, np.isfinite(converted), converted, row_owner, players)
        return array
    if kind == "f":
        floats = array.astype(np.float64)
        with np.errstate(invalid="ignore"):
            _require(
                field,
                (floats >= -(2.0**63)) & (floats < 2.0**63) & (floats == np.trunc(floats)),
                floats,
                row_owner,
                players,
            )
        array = floats.astype(np.int64)
    low, high = field.low, field.high
    if not field.discrete:
        limits = np.iinfo(field.dtype)
        low, high = np.array(limits.min), np.array(limits.max)
    _require(field, (array >= low) & (array <= high), array, row_owner, players)
    return array


def _require(field: Field, valid: Any, array: Any, row_owner: str | None, players: int) -> None:
    """Raises ValueError for the first element of `array` that is not valid."""
    if valid.all():
        return
    at = int(np.flatnonzero(~valid)[0])
    value, per_row = array.flat[at], max(1, int(np.prod(field.shape)))
    expected = {"f": "finite numbers", "b": "True or False"}.get(field.dtype.kind, "a value that fits its dtype")
    if field.discrete:
        expected = f"an integer in 0..{int(field.high.flat[at % per_row])}"
    shown = str(float(value)) if array.dtype.kind == "f" else str(int(value))
    row, place = at // per_row, ""
    if players > 1:
        row, player = divmod(row, players)
        place = f" of player {player}"
    if row_owner is not None:
        place += f" in row {row}"
    raise ValueError(f"{field.name}: expected {expected}, got {shown}{place}")


def _wrong_type(field: Field, description: str) -> Any:
    raise TypeError(f"{field.name}: expected {_KIND_NAMES[field.dtype.kind]} ({field.dtype}), got {description}")


def _type_name(value: Any) -> str:
    return "None" if value is None else type(value).__name__
