# SPDX-License-Identifier: Apache-2.0
"""Actions as callers give them: the one check in Python, for faces that cannot leave it to the C++ of a pool.

The pool's own check is envpool/bindings/arguments.h. This one takes the same and refuses the same in the same words, in
the same order: the type, the dtype, the shape, the values. Errors come without the id, which `errors.labelled` adds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from envpool.python.spaces import Field

# The dtypes, by NumPy's letters for their kinds, that are taken for a field of a kind.
_TAKEN = {"f": "fiu", "i": "iub", "u": "iub", "b": "b"}
_WORDS = {"f": "floats", "i": "integers", "u": "integers", "b": "booleans"}


def split(fields: Sequence[Field], action: Any, also: Sequence[str] = ()) -> dict[str, Any]:
    """Returns the value of each field by name, from an array or a dict.

    Args:
        fields: the environment's.
        action: a dict of values by name; or the value itself, where there is one field.
        also: other keys that the dict may have, which are returned too.

    Raises:
        TypeError: there are several fields, and the action is no dict.
        ValueError: a key is missing or unknown.
    """
    names = [field.name for field in fields]
    if not isinstance(action, dict):
        if len(names) == 1:
            return {names[0]: action}
        raise TypeError(f"action: expected a dict with {', '.join(names)}, got {_type_name(action)}")
    for key in action:
        if key not in names and key not in also:
            raise ValueError(f"action: unknown key {key}; expected {', '.join(names)}")
    for name in names:
        if name not in action:
            raise ValueError(f"action: key {name} is missing; expected {', '.join(names)}")
    return dict(action)


def as_array(field: Field, value: Any) -> Any:
    """Returns the value as a NumPy array, whatever its dtype. Raises TypeError where it is none."""
    if value is None or isinstance(value, np.ma.MaskedArray):  # whose elements may not be there
        _wrong_type(field, _type_name(value))
    try:
        return np.asarray(value)
    except MemoryError:
        raise
    except Exception:
        _wrong_type(field, _type_name(value))


def check(
    field: Field, array: Any, shape: tuple[int | None, ...], each: str = "", *, players: int = 1, whole: bool = False
) -> Any:
    """Checks an array of actions. Values are checked if they are known, which those of a traced array are not.

    Args:
        field: the action's field.
        array: what `as_array` returns, or an array of JAX.
        shape: what its shape must be; None is any number of rows.
        each: what a row is one of: "environment" or "player"; empty if the array is not of rows.
        players: rows that each environment has.
        whole: whether floats are taken for integers, if they are whole.

    Returns:
        The array; int64 if it was of whole floats.

    Raises:
        TypeError: its dtype is not one that the field takes.
        ValueError: another shape, or a value that the field does not take.
    """
    # bfloat16 and the like, which JAX adds to NumPy's dtypes, have no kind of their own.
    kind = "f" if "float" in array.dtype.name else array.dtype.kind
    known = isinstance(array, np.ndarray)
    if kind not in _TAKEN[field.dtype.kind] and not (whole and kind == "f" and field.dtype.kind in "iu"):
        _wrong_type(field, str(array.dtype))
    if len(array.shape) != len(shape) or any(a not in (b, None) for a, b in zip(shape, array.shape, strict=True)):
        wanted = ["players" if size is None else str(size) for size in shape]
        text = f"({', '.join(wanted)}{',' * (len(wanted) == 1)})"
        rows = f", one row per {each}" if each else ""
        raise ValueError(f"{field.name}: expected shape {text}{rows}, got {tuple(array.shape)}")
    if not known or field.dtype.kind == "b":
        return array
    if field.dtype.kind == "f":
        with np.errstate(over="ignore"):
            converted = array.astype(field.dtype)
        _refuse_unless(field, np.isfinite(converted), converted, players)
        return array
    if kind == "f":
        floats = array.astype(np.float64)
        with np.errstate(invalid="ignore"):
            _refuse_unless(
                field, (floats >= -(2.0**63)) & (floats < 2.0**63) & (floats == np.trunc(floats)), floats, players
            )
        array = floats.astype(np.int64)
    low, high = field.low, field.high
    if not field.discrete:
        limits = np.iinfo(field.dtype)
        low, high = np.array(limits.min), np.array(limits.max)
    _refuse_unless(field, (array >= low) & (array <= high), array, players)
    return array


def _refuse_unless(field: Field, good: Any, array: Any, players: int) -> None:
    if good.all():
        return
    at = int(np.flatnonzero(~good)[0])
    value, per_row = array.flat[at], max(1, int(np.prod(field.shape)))
    expected = "finite numbers" if field.dtype.kind == "f" else "a value that fits its dtype"
    if field.discrete:
        expected = f"an integer in 0..{int(field.high.flat[at % per_row])}"
    shown = str(float(value)) if array.dtype.kind == "f" else str(int(value))
    row, whose = at // per_row, ""
    if players > 1:
        row, player = divmod(row, players)
        whose = f" of player {player}"
    raise ValueError(f"{field.name}: expected {expected}, got {shown}{whose} in row {row}")


def _wrong_type(field: Field, got: str) -> Any:
    raise TypeError(f"{field.name}: expected {_WORDS[field.dtype.kind]} ({field.dtype}), got {got}")


def _type_name(value: Any) -> str:
    return "None" if value is None else type(value).__name__
