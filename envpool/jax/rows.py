# SPDX-License-Identifier: Apache-2.0
"""States and parameters as JAX sees them: pytrees of one array of bytes, whose parts have names."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar
from weakref import WeakSet

import jax
import jax.numpy as jnp
import numpy as np

from envpool import _core
from envpool.jax import ffi
from envpool.python.construction import Functional
from envpool.python.errors import labelled
from envpool.python.options import Option, Value


@dataclass(frozen=True)
class Part:
    """A named part of a row: where it is, what it is, and what it is shown as."""

    offset: int
    dtype: str
    shape: tuple[int, ...] = ()
    shown: str = ""

    def read(self, raw: Any) -> Any:
        """The part of each row."""
        shown = jax.dtypes.canonicalize_dtype(self.shown or self.dtype)
        result = jax.ShapeDtypeStruct((*raw.shape[:-1], *self.shape), shown)
        attributes = {"at": np.int64(self.offset), "dtype": np.int64(_core.DTYPES[self.dtype])}
        return ffi.call("envpool_read_part", [result], raw, **attributes)[0]


class Model:
    """Holds what a traced program needs of its environment until it is compiled.

    Attributes:
        functional: keeps the compiled model.
        number: what the handlers know it by.
        label: the environment's id.
        change: a jitted function of a row of parameters and of values, whose results are rows of parameters.
    """

    def __init__(self, functional: Functional, label: str) -> None:
        self.functional = functional
        self.number = np.int64(functional.kept.number)
        self.label = label
        self.change = jax.jit(functools.partial(_change, self.number), static_argnames=("options", "widest", "words"))


def _change(
    model: np.int64, raw: Any, operands: Any, *, options: tuple[int, ...], widest: tuple[int, ...], words: int
) -> Any:
    result = jax.ShapeDtypeStruct((*widest, words), jnp.uint32)
    attributes = {"model": model, "options": np.array(options, np.int32)}
    return ffi.call("envpool_change_params", [result], raw, *operands, **attributes)[0]


_models: dict[tuple[str, int], WeakSet[Model]] = {}  # all of the same name and tag can be taken for each other


def model_of(functional: Functional, form: Form) -> Model:
    """The model of an environment whose rows have that form."""
    for key in [key for key, models in _models.items() if not models]:
        del _models[key]
    model = Model(functional, form.label)
    _models.setdefault((form.name, form.tag), WeakSet()).add(model)
    return model


def _model_here(form: Form) -> Model | None:
    """A model that parameters of this form belong to, of the same id if there is one."""
    found = None
    for model in list(_models.get((form.name, form.tag), ())):
        found = model
        if model.label == form.label:
            break
    return found


@dataclass(frozen=True)
class Form:
    """What rows of an environment look like. Two are equal when rows of one are rows of the other.

    Attributes:
        name: the environment's, in its shared object.
        tag: what its rows begin with, as C++ checks it.
        words: length of a row in words of 32 bits.
        parts: its named parts.
        label: the id, for messages; not compared.
        options: max_episode_steps and the declared options in their order; of parameters only, not compared.
    """

    name: str
    tag: int
    words: int
    parts: tuple[tuple[str, Part], ...]
    label: str = field(compare=False)
    options: Mapping[str, Option] = field(compare=False, default_factory=dict)

    def part(self, name: str) -> Part:
        """Finds a part by its name, or raises AttributeError."""
        for known, part in self.parts:
            if known == name:
                return part
        raise AttributeError(f"[{self.label}] there is no {name!r}, only {', '.join(known for known, _ in self.parts)}")


_AnyRow = TypeVar("_AnyRow", bound="_Row")


class _Row:
    """One array of bytes, uint32 of shape (..., words), and the form that gives them meaning."""

    __slots__ = ("form", "raw")

    def __init__(self, raw: Any, form: Form) -> None:
        self.raw = raw
        self.form = form

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self.form.part(name).read(self.raw)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(name for name, _ in self.form.parts)]

    def __reduce__(self) -> Any:
        return type(self), (self.raw, self.form)

    def tree_flatten_with_keys(self) -> tuple[Any, Form]:
        """For JAX: the array, and what does not change."""
        return ((jax.tree_util.GetAttrKey("raw"), self.raw),), self.form

    def tree_flatten(self) -> tuple[Any, Form]:
        """For JAX: the array, and what does not change."""
        return (self.raw,), self.form

    @classmethod
    def tree_unflatten(cls: type[_AnyRow], form: Form, children: Any) -> _AnyRow:
        """For JAX: what `tree_flatten` took apart."""
        return cls(children[0], form)

    def __repr__(self) -> str:
        parts = ", ".join(name for name, _ in self.form.parts)
        shape = getattr(self.raw, "shape", self.raw)
        return f"{type(self).__name__}({self.form.label}, raw: {shape}, parts: {parts})"


@jax.tree_util.register_pytree_with_keys_class
class EnvState(_Row):
    """All that changes in an environment, its generator included. Its parts read as attributes."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        if name == "time" and all(known != name for known, _ in self.form.parts):  # gymnax's name
            name = "elapsed_step"
        return super().__getattr__(name)

    def replace(self, **parts: Any) -> EnvState:
        """The same with other values in some parts, which keep their dtype and shape."""
        raw = self.raw
        for name, value in parts.items():
            part = _part(self.form, name)
            value, given = _value(self.form, name, part, value), np.shape(value)
            extents = raw.shape[:-1]
            tail = (*part.shape, 2) if value.dtype == np.uint32 else part.shape  # see _exact
            if value.ndim == len(tail):
                value = value.reshape((1,) * len(extents) + value.shape)
            if value.shape[len(extents) :] != tail:
                raise ValueError(f"[{self.form.label}] {name}: expected shape {part.shape}, got {given}")
            result = jax.ShapeDtypeStruct(raw.shape, jnp.uint32)
            attributes = {"at": np.int64(part.offset), "dtype": np.int64(_core.DTYPES[part.dtype])}
            raw = ffi.call("envpool_write_part", [result], raw, value, **attributes)[0]
        return EnvState(raw, self.form)


@jax.tree_util.register_pytree_with_keys_class
class EnvParams(_Row):
    """The options of an environment that may differ from row to row. They read as attributes.

    A text of which there are several choices reads as its number among them.
    """

    __slots__ = ("model",)

    def __init__(self, raw: Any, form: Form, model: Model | None = None) -> None:
        super().__init__(raw, form)
        self.model = model or _model_here(form)

    def __getattr__(self, name: str) -> Any:
        return super().__getattr__(_own_name(self.form, name))

    def replace(self, **options: Any) -> EnvParams:
        """The same with other values of some options; an array of values makes a batch of parameters.

        Raises:
            TypeError: there is no such option, or a value of the wrong type.
            ValueError: a value out of range (inside of `jit`: JAX's runtime error), or parameters of which there is no
                environment in this process.
        """
        form, names = self.form, [name for name, _ in self.form.parts]
        numbers, values = [], []
        extents = self.raw.shape[:-1]
        for name, value in options.items():
            name = _own_name(form, name)
            if name not in names:
                raise TypeError(f"[{form.label}] params: there is no {name!r}, only {', '.join(names)}")
            numbers.append([*form.options].index(name) - 1)  # the first is max_episode_steps, -1 to the handler
            values.append(_option_value(form, form.options[name], value))
        try:
            widest = np.broadcast_shapes(extents, *(_extents(value) for value in values))
        except ValueError as error:
            raise ValueError(f"[{form.label}] params: {', '.join(options)} do not broadcast: {error}") from None
        raw = jnp.asarray(self.raw).reshape((1,) * (len(widest) - len(extents)) + self.raw.shape)
        operands = [value.reshape((1,) * (len(widest) - len(_extents(value))) + value.shape) for value in values]
        model = self.model or _model_here(form)
        if model is None:
            raise ValueError(
                f"[{form.label}] params: expected those of an environment of this process; make it first, with the "
                "options that it was made with"
            )
        raw = model.change(raw, operands, options=tuple(numbers), widest=widest, words=form.words)
        return EnvParams(raw, form, model)


def _own_name(form: Form, name: str) -> str:
    """Our name of the time limit for gymnax's, unless an environment has an option of that name."""
    gymnax = name == "max_steps_in_episode" and all(known != name for known, _ in form.parts)
    return "max_episode_steps" if gymnax else name


def option_values(params: EnvParams) -> dict[str, Value]:
    """Returns the options that one row of parameters holds, as `make` takes them: all but texts without choices.

    Raises:
        ValueError: a value is not one that the option can have.
    """
    row = np.asarray(params.raw, np.uint32).tobytes()
    values: dict[str, Value] = {}
    with labelled(params.form.label):
        for name, part in params.form.parts:
            option = params.form.options[name]
            if name == "max_episode_steps" or (option.kind == "str" and not option.choices):
                continue
            number = float(np.frombuffer(row, np.float64, 1, part.offset)[0])
            if option.kind == "float":
                values[name] = option.check(number)
            elif option.kind == "int" and number.is_integer():
                values[name] = option.check(int(number))
            else:
                numbered = [False, True] if option.kind == "bool" else list(option.choices)
                if number not in range(len(numbered)):
                    raise ValueError(f"{name}: expected {option.expectation}, got number {number} of a row")
                values[name] = numbered[int(number)]
    return values


def _part(form: Form, name: str) -> Part:
    try:
        return form.part(name)
    except AttributeError as error:
        raise TypeError(str(error)) from None


def _exact(values: Any) -> Any:
    """Doubles on the host as pairs of words, which stay exact without 64-bit arrays."""
    doubles = np.array(values, np.float64, order="C")
    return jnp.asarray(doubles.reshape(-1).view(np.uint32).reshape((*doubles.shape, 2)))


def _extents(value: Any) -> tuple[int, ...]:
    shape: tuple[int, ...] = value.shape
    return shape[:-1] if value.dtype == np.uint32 else shape


def _option_value(form: Form, option: Option, value: Any) -> Any:
    """A value of an option: doubles as words, or an array that is being traced."""
    if isinstance(value, jax.core.Tracer):
        if value.dtype.kind not in ("f" if option.kind == "float" else "") + "ib":
            raise TypeError(f"[{form.label}] {option.name} must be {option.expectation}, got {value.dtype}")
        return value.astype(jnp.int32) if value.dtype.kind == "i" else value
    array = np.asarray(value)
    with labelled(form.label):
        plain = [option.check(item) for item in array.reshape(-1).tolist()]
    if option.choices:
        plain = [option.choices.index(str(item)) for item in plain]
    return _exact(np.array([float(item) for item in plain]).reshape(array.shape))


def _value(form: Form, name: str, part: Part, value: Any) -> Any:
    """A value of a state's part in a dtype that the handler can convert."""
    kind = np.dtype(part.dtype).kind
    given = value if isinstance(value, jax.core.Tracer) else np.asarray(value)
    if given.dtype.kind not in {"f": "fiu", "i": "iu", "u": "iu", "b": "b"}[kind]:
        raise TypeError(f"[{form.label}] {name}: expected {part.dtype}, got {given.dtype}")
    if part.dtype == "float64" and isinstance(given, np.ndarray):
        return _exact(given)
    return jnp.asarray(given).astype(jax.dtypes.canonicalize_dtype(part.dtype))
