# SPDX-License-Identifier: Apache-2.0
"""States and parameters as pytrees for JAX: one array of words with named parts."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar
from weakref import WeakSet

import jax
import jax.numpy as jnp
import numpy as np

from envpool.jax import ffi, flax_states, words
from envpool.jax.gymnax_names import (
    fixed_parameters,
    gymnax_parameter_names,
    gymnax_state_names,
    parameter_name,
    state_name,
)
from envpool.python.construction import PureModel
from envpool.python.errors import labelled
from envpool.python.options import Option, Value


@dataclass(frozen=True)
class RowPart:
    """A named part of a row.

    Attributes:
        offset: the position in the row, in bytes.
        dtype: the dtype of the stored elements.
        shape: the shape of the part.
        read_dtype: the dtype to which `read` converts the elements; an empty string means `dtype`.
        columns: if it is not 0, the part is a cell of a grid, row * columns + column. The row is stored first.
    """

    offset: int
    dtype: str
    shape: tuple[int, ...] = ()
    read_dtype: str = ""
    columns: int = 0

    def read(self, raw: Any) -> Any:
        """Returns the part of each row."""
        result = jax.dtypes.canonicalize_dtype(self.read_dtype or self.dtype).name
        shape = (2,) if self.columns else self.shape
        value = words.read(jnp.asarray(raw), at=self.offset, dtype=self.dtype, shape=shape, result=result)
        return value[..., 0] * self.columns + value[..., 1] if self.columns else value

    def elements(self, value: Any, axis: int) -> Any:
        """Returns the elements that are stored for values of the part, along an axis."""
        if self.columns:
            return jnp.stack([value // self.columns, value % self.columns], axis)
        # Parts have at most one dimension, and the functions of `words` expect exactly one.
        return value if self.shape else jnp.expand_dims(value, axis)


class ModelHandle:
    """Keeps the model of an environment alive for programs that are traced but not yet compiled.

    Attributes:
        pure_model: the owner of the model.
        number: the number by which the handlers refer to the model.
        label: the environment's id.
        change: a jitted function of rows of parameters and of new option values that returns the changed rows.
    """

    def __init__(self, pure_model: PureModel, label: str) -> None:
        self.pure_model = pure_model
        self.number = np.int64(pure_model.model_ref.number)
        self.label = label
        self.change = jax.jit(functools.partial(_change, self.number), static_argnames=("options", "widest", "words"))


def _change(
    model: np.int64, raw: Any, operands: Any, *, options: tuple[int, ...], widest: tuple[int, ...], words: int
) -> Any:
    result = jax.ShapeDtypeStruct((*widest, words), jnp.uint32)
    attributes = {"model": model, "options": np.array(options, np.int32)}
    return ffi.call("envpool_change_params", [result], raw, *operands, **attributes)[0]


# Models of the same name, tag and texts are interchangeable.
_models: dict[tuple[Any, ...], WeakSet[ModelHandle]] = {}


def model_of(pure_model: PureModel, row_format: RowFormat) -> ModelHandle:
    """Returns the model of an environment whose parameters have the given format."""
    for key in [key for key, models in _models.items() if not models]:
        del _models[key]
    model = ModelHandle(pure_model, row_format.label)
    _models.setdefault(_model_key(row_format), WeakSet()).add(model)
    return model


def _model_key(row_format: RowFormat) -> tuple[Any, ...]:
    return row_format.name, row_format.tag, row_format.texts


def _model_here(row_format: RowFormat) -> ModelHandle | None:
    """Returns a model of this process for parameters of this format, preferably with the same id, or None."""
    match = None
    for model in list(_models.get(_model_key(row_format), ())):
        match = model
        if model.label == row_format.label:
            break
    return match


@dataclass(frozen=True)
class RowFormat:
    """The format of an environment's rows. Formats are equal if their rows are interchangeable.

    Attributes:
        name: the name of the environment in its shared object.
        tag: the first word of every row, which C++ checks.
        words: length of a row in words of 32 bits.
        parts: the named parts.
        texts: for parameters, the options that are free texts, which are not part of a row.
        label: the id, for error texts; not compared.
        options: for parameters, max_episode_steps and the declared options in order; not compared.
    """

    name: str
    tag: int
    words: int
    parts: tuple[tuple[str, RowPart], ...]
    label: str = field(compare=False)
    texts: tuple[str, ...] = ()
    options: Mapping[str, Option] = field(compare=False, default_factory=dict)

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


_AnyRow = TypeVar("_AnyRow", bound="_EnvRow")
_SLOTS = ("format", "raw", "model")


class _EnvRow:
    """Rows as an array of uint32 with shape (..., words), and their format."""

    __slots__ = ("format", "raw")

    def __init__(self, raw: Any, row_format: RowFormat) -> None:
        self.raw = raw
        self.format = row_format

    @classmethod
    def _restored(cls: type[_AnyRow], raw: Any, row_format: RowFormat) -> _AnyRow:
        """Returns rows that were copied, or saved, perhaps by another process."""
        return cls(raw, row_format)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self.format.part(name).read(self.raw)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in _SLOTS:
            getattr(self, name)  # raises an error that names the parts, if this is none
            raise AttributeError(
                f"[{self.format.label}] {name}: expected replace({name}=...), which returns a changed copy, got an "
                "assignment"
            )
        super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return [*dir(type(self)), *self.format.names]

    def __reduce__(self) -> Any:
        return type(self)._restored, (self.raw, self.format)

    def tree_flatten_with_keys(self) -> tuple[Any, RowFormat]:
        """Returns the array with its key, and the format, for JAX."""
        return ((jax.tree_util.GetAttrKey("raw"), self.raw),), self.format

    def tree_flatten(self) -> tuple[Any, RowFormat]:
        """Returns the array and the format, for JAX."""
        return (self.raw,), self.format

    @classmethod
    def tree_unflatten(cls: type[_AnyRow], row_format: RowFormat, children: Any) -> _AnyRow:
        """Returns the rows from the values of `tree_flatten`, for JAX."""
        return cls(children[0], row_format)

    def __repr__(self) -> str:
        parts = ", ".join(self.format.names)
        shape = getattr(self.raw, "shape", self.raw)
        return f"{type(self).__name__}({self.format.label}, raw: {shape}, parts: {parts})"


@jax.tree_util.register_pytree_with_keys_class
class EnvState(_EnvRow):
    """The state of an environment, including its generator. The named parts can be read as attributes."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        return super().__getattr__(state_name(self.format.name, name, self.format.names))

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *gymnax_state_names(self.format.name, self.format.names)]

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
            value = part.elements(value, len(extents))
            raw = words.written(jnp.asarray(raw), value, at=part.offset, dtype=part.dtype)
        return EnvState(raw, self.format)


@jax.tree_util.register_pytree_with_keys_class
class EnvParams(_EnvRow):
    """The options of an environment that may differ from row to row. They can be read as attributes.

    An option that is a choice of strings reads as the index of its value among the choices.
    """

    __slots__ = ("model",)

    def __init__(self, raw: Any, row_format: RowFormat, model: ModelHandle | None = None) -> None:
        super().__init__(raw, row_format)
        self.model = model or _model_here(row_format)

    @classmethod
    def _restored(cls, raw: Any, row_format: RowFormat) -> EnvParams:
        params = cls(raw, row_format)  # whose rows may be signed by another process
        return params if params.model is None else params.replace()

    def __getattr__(self, name: str) -> Any:
        fixed = fixed_parameters(self.format.name).get(name)
        if fixed is not None:
            return fixed(self) if callable(fixed) else fixed
        return super().__getattr__(parameter_name(self.format.name, name, self.format.names))

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *gymnax_parameter_names(self.format.name)]

    def replace(self, **options: Any) -> EnvParams:
        """Returns parameters with new values for some options. An array of values makes a batch of parameters.

        All values of a row are checked, and the row is signed for this process, which steps signed rows only. Rows that
        another process saved as plain arrays can be stepped after `params.replace()`.

        Raises:
            TypeError: an unknown option, or a value of the wrong type.
            ValueError: a value out of range (inside `jit`, JAX's runtime error instead), or this process has no
                environment of these parameters.
        """
        row_format, names = self.format, self.format.names
        numbers, values = [], []
        extents = self.raw.shape[:-1]
        for name, value in options.items():
            name = parameter_name(row_format.name, name, names)
            if name not in names:
                option = row_format.options.get(name)
                hint = f", which is an argument of make: envpool.jax.make({row_format.label!r}, {name}=...)"
                raise TypeError(
                    f"[{row_format.label}] params: expected one of {', '.join(names)}, got {name!r}"
                    + (hint if option else "")
                )
            numbers.append([*row_format.options].index(name) - 1)  # -1 is max_episode_steps, the first option
            values.append(_option_value(row_format, row_format.options[name], value))
        try:
            widest = np.broadcast_shapes(extents, *(_extents(value) for value in values))
        except ValueError as error:
            raise ValueError(
                f"[{row_format.label}] params: expected values of {', '.join(options)} that broadcast, got {error}"
            ) from None
        raw = jnp.asarray(self.raw).reshape((1,) * (len(widest) - len(extents)) + self.raw.shape)
        operands = [value.reshape((1,) * (len(widest) - len(_extents(value))) + value.shape) for value in values]
        model = self.model or _model_here(row_format)
        if model is None:
            raise ValueError(
                f"[{row_format.label}] params: expected parameters of an environment of this process, got parameters "
                "of another process: first make the environment with the same options"
            )
        raw = model.change(raw, operands, options=tuple(numbers), widest=widest, words=row_format.words)
        return EnvParams(raw, row_format, model)


flax_states.register(EnvState, EnvParams)


def option_values(params: EnvParams) -> dict[str, Value]:
    """Returns the option values in one row of parameters, except strings without choices, for `make`.

    Raises:
        ValueError: a value is not allowed for its option.
    """
    row = np.asarray(params.raw, np.uint32).tobytes()
    values: dict[str, Value] = {}
    with labelled(params.format.label):
        for name, part in params.format.parts:
            option = params.format.options[name]
            if name == "max_episode_steps":
                continue
            number = float(np.frombuffer(row, np.float64, 1, part.offset)[0])
            if option.kind == "float":
                values[name] = option.check(number)
            elif option.kind == "int" and number.is_integer():
                values[name] = option.check(int(number))
            else:
                numbered = [False, True] if option.kind == "bool" else list(option.choices)
                if number not in range(len(numbered)):
                    raise ValueError(f"{name}: expected {option.expected}, got the number {number}")
                values[name] = numbered[int(number)]
    return values


def _part(row_format: RowFormat, name: str) -> RowPart:
    try:
        return row_format.part(name)
    except AttributeError as error:
        raise TypeError(str(error)) from None


def _exact(values: Any) -> Any:
    """Returns doubles as pairs of words, which stay exact if JAX has 64-bit arrays disabled."""
    doubles = np.array(values, np.float64, order="C")
    return jnp.asarray(doubles.reshape(-1).view(np.uint32).reshape((*doubles.shape, 2)))


def _extents(value: Any) -> tuple[int, ...]:
    shape: tuple[int, ...] = value.shape
    return shape[:-1] if value.dtype == np.uint32 else shape


def _option_value(row_format: RowFormat, option: Option, value: Any) -> Any:
    """Returns the value of an option as doubles in pairs of words. A traced array is returned unchanged."""
    if isinstance(value, jax.core.Tracer):
        if value.dtype.kind not in ("f" if option.kind == "float" else "") + "ib":
            raise TypeError(f"[{row_format.label}] {option.name}: expected {option.expected}, got {value.dtype}")
        return value.astype(jnp.int32) if value.dtype.kind == "i" else value
    array = np.asarray(value)
    with labelled(row_format.label):
        plain = [option.check(item) for item in array.reshape(-1).tolist()]
    if option.choices:
        plain = [option.choices.index(str(item)) for item in plain]
    return _exact(np.array([float(item) for item in plain]).reshape(array.shape))


def _value(row_format: RowFormat, name: str, part: RowPart, value: Any) -> Any:
    """Returns a value for a part of a state, in a dtype that the handler can convert."""
    kind = np.dtype(part.dtype).kind
    array = value if isinstance(value, jax.core.Tracer) else np.asarray(value)
    if array.dtype.kind not in {"f": "fiu", "i": "iu", "u": "iu", "b": "b"}[kind]:
        raise TypeError(f"[{row_format.label}] {name}: expected {part.dtype}, got {array.dtype}")
    if part.dtype == "float64" and isinstance(array, np.ndarray):
        return _exact(array)
    return jnp.asarray(array).astype(jax.dtypes.canonicalize_dtype(part.dtype))
