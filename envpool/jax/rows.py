# SPDX-License-Identifier: Apache-2.0
"""States as pytrees for JAX: one array of words with named parts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from envpool.jax import flax_states, words
from envpool.jax.gymnax_names import gymnax_state_names, state_name
from envpool.python.options import shown


@dataclass(frozen=True)
class RowPart:
    """A named part of a row.

    Attributes:
        offset: the position in the row, in bytes.
        dtype: the dtype of the stored elements.
        shape: the shape of the part.
        columns: if it is not 0, the part is a cell of a grid, row * columns + column. The row is stored first.
    """

    offset: int
    dtype: str
    shape: tuple[int, ...] = ()
    columns: int = 0

    def read(self, raw: Any) -> Any:
        """Returns the part of each row."""
        result = "int32" if self.dtype == "uint16" else jax.dtypes.canonicalize_dtype(self.dtype).name
        shape = (2,) if self.columns else self.shape
        value = words.read(jnp.asarray(raw), at=self.offset, dtype=self.dtype, shape=shape, result=result)
        return value[..., 0] * self.columns + value[..., 1] if self.columns else value

    def elements(self, value: Any, axis: int) -> Any:
        """Returns the elements that are stored for values of the part, along an axis."""
        if self.columns:
            return jnp.stack([value // self.columns, value % self.columns], axis)
        # Parts have at most one dimension, and the functions of `words` expect exactly one.
        return value if self.shape else jnp.expand_dims(value, axis)


@dataclass(frozen=True)
class RowFormat:
    """The format of an environment's rows. Formats are equal if their rows are interchangeable.

    Attributes:
        name: the name of the environment in its shared object.
        tag: the number of the model in every row, which C++ checks.
        words: length of a row in words of 32 bits.
        parts: the named parts.
        label: the id, for error texts; not compared.
    """

    name: str
    tag: int
    words: int
    parts: tuple[tuple[str, RowPart], ...]
    label: str = field(compare=False)

    @property
    def names(self) -> list[str]:
        """The names of the parts."""
        return [name for name, _ in self.parts]

    def part(self, name: str) -> RowPart:
        """Returns a part by its name, or raises AttributeError."""
        for part_name, part in self.parts:
            if part_name == name:
                return part
        raise AttributeError(f"[{self.label}] {name}: expected one of {', '.join(self.names)}, got an unknown name")


@jax.tree_util.register_pytree_with_keys_class
class EnvState:
    """The state of an environment, including its generator. The named parts can be read as attributes.

    It is an array of uint32 with shape (..., words), and the format of its rows.
    """

    __slots__ = ("format", "raw")

    def __init__(self, raw: Any, row_format: RowFormat) -> None:
        self.raw = raw
        self.format = row_format

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self.format.part(state_name(self.format.name, name, self.format.names)).read(self.raw)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self.__slots__:
            getattr(self, name)  # raises an error that names the parts, if this is none
            raise AttributeError(
                f"[{self.format.label}] {name}: expected replace({name}=...), which returns a changed copy, got an "
                "assignment"
            )
        super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return [*dir(type(self)), *self.format.names, *gymnax_state_names(self.format.name, self.format.names)]

    def __reduce__(self) -> Any:
        return type(self), (self.raw, self.format)

    def tree_flatten_with_keys(self) -> tuple[Any, RowFormat]:
        """Returns the array with its key, and the format, for JAX."""
        return ((jax.tree_util.GetAttrKey("raw"), self.raw),), self.format

    def tree_flatten(self) -> tuple[Any, RowFormat]:
        """Returns the array and the format, for JAX."""
        return (self.raw,), self.format

    @classmethod
    def tree_unflatten(cls, row_format: RowFormat, children: Any) -> EnvState:
        """Returns the rows from the values of `tree_flatten`, for JAX."""
        return cls(children[0], row_format)

    def __repr__(self) -> str:
        parts = ", ".join(self.format.names)
        shape = getattr(self.raw, "shape", self.raw)
        return f"{type(self).__name__}({self.format.label}, raw: {shape}, parts: {parts})"

    @property
    def __dict__(self) -> dict[str, Any]:  # type: ignore[override]  # rows have slots, and no dict of their own
        """All named parts, under gymnax's names where they differ from ours, for `vars(state)`."""
        theirs = {ours: name for name, ours in gymnax_state_names(self.format.name, self.format.names).items()}
        return {theirs.get(name, name): part.read(self.raw) for name, part in self.format.parts}

    def replace(self, **parts: Any) -> EnvState:
        """Returns a state with new values for some parts, which keep their dtype and shape."""
        raw = self.raw
        for name, value in parts.items():
            name = state_name(self.format.name, name, self.format.names)
            part = _part(self.format, name)
            value, shape = _value(self.format, name, part, value), np.shape(value)
            extents = raw.shape[:-1]
            tail = (
                (*part.shape, 2) if value.dtype == np.uint32 and part.dtype == "float64" else part.shape
            )  # see _exact
            if value.ndim == len(tail):
                value = value.reshape((1,) * len(extents) + value.shape)
            if value.shape[len(extents) :] != tail:
                raise ValueError(f"[{self.format.label}] {name}: expected shape {part.shape}, got {shape}")
            given = value.shape[: value.ndim - len(tail)]
            if len(given) != len(extents) or not all(g in (1, e) for g, e in zip(given, extents, strict=True)):
                expected = f"{part.shape} or {(*extents, *part.shape)}"
                raise ValueError(f"[{self.format.label}] {name}: expected shape {expected}, got {shape}")
            value = part.elements(value, len(extents))
            raw = words.written(jnp.asarray(raw), value, at=part.offset, dtype=part.dtype)
        return EnvState(raw, self.format)


def _saved(state: EnvState) -> dict[str, Any]:
    return {"raw": state.raw}


def _loaded(target: EnvState, saved: Any) -> EnvState:
    words = target.format.words
    raw: Any = saved.get("raw") if isinstance(saved, dict) else None
    dtype = getattr(raw, "dtype", None)
    if np.shape(raw)[-1:] != (words,) or dtype != np.uint32:
        got = type(saved).__name__ if raw is None else shown(raw)
        if dtype is not None:
            got = f"{dtype} of shape {np.shape(raw)}"
        raise ValueError(
            f"[{target.format.label}] from_state_dict: expected saved rows of {words} words (uint32), got {got}"
        )
    return EnvState(raw, target.format)


flax_states.register(EnvState, save=_saved, load=_loaded)


def _part(row_format: RowFormat, name: str) -> RowPart:
    try:
        return row_format.part(name)
    except AttributeError as error:
        raise TypeError(str(error)) from None


def _exact(values: Any) -> Any:
    """Returns doubles as pairs of words, which stay exact if JAX has 64-bit arrays disabled."""
    doubles = np.array(values, np.float64, order="C")
    return jnp.asarray(doubles.reshape(-1).view(np.uint32).reshape((*doubles.shape, 2)))


def _value(row_format: RowFormat, name: str, part: RowPart, value: Any) -> Any:
    """Returns a value for a part of a state, in a dtype that the handler can convert."""
    kind = np.dtype(part.dtype).kind
    array = value if isinstance(value, jax.core.Tracer) else np.asarray(value)
    if array.dtype.kind not in {"f": "fiu", "i": "iu", "u": "iu", "b": "b"}[kind]:
        raise TypeError(f"[{row_format.label}] {name}: expected {part.dtype}, got {array.dtype}")
    if part.dtype == "float64" and isinstance(array, np.ndarray):
        return _exact(array)
    if kind in "iu" and isinstance(array, np.ndarray):
        limits = np.iinfo(part.dtype)
        wrong = [item for item in array.reshape(-1).tolist() if not limits.min <= item <= limits.max]
        if wrong:
            raise ValueError(
                f"[{row_format.label}] {name}: expected integers from {limits.min} to {limits.max}, got {wrong[0]}"
            )
    return jnp.asarray(array).astype(jax.dtypes.canonicalize_dtype(part.dtype))
