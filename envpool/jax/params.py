# SPDX-License-Identifier: Apache-2.0
"""Parameters of environments for JAX: a pytree with a typed leaf for each option that may differ between environments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from envpool.jax import flax_states
from envpool.jax.gymnax_names import fixed_parameters, gymnax_parameter_names, parameter_name
from envpool.python.errors import labelled
from envpool.python.family import Value
from envpool.python.options import LIMIT, Option, shown, wrong_type, wrong_value

_KINDS = {"bool": "b", "int": "iu", "float": "fiu", "str": "iu"}  # of the dtypes from which a leaf can be made
_DTYPES = {"bool": "bool", "int": "int64", "float": "float64", "str": "int32"}


@dataclass(frozen=True)
class ParamsFormat:
    """The parameters of an environment. Formats are equal if they have the same environment and names.

    Attributes:
        name: the name of the environment in its shared object.
        names: max_episode_steps, and the options that may differ between environments, in the order of C++.
        label: the id, for error texts; not compared.
        options: the options of these names; not compared.
        fixed: names of the environment's other options; not compared.
    """

    name: str
    names: tuple[str, ...]
    label: str = field(compare=False)
    options: Mapping[str, Option] = field(compare=False)
    fixed: tuple[str, ...] = field(compare=False)

    def number(self, name: str) -> int:
        """Returns the number by which the handlers refer to an option; -1 is max_episode_steps."""
        return self.names.index(name) - 1


@jax.tree_util.register_pytree_with_keys_class
class EnvParams:
    """The options of an environment that may differ from row to row. They can be read as attributes.

    In the name of an attribute or keyword, an underscore stands for a dot: `params.model_body_mass` is "model.body_mass".

    A leaf is a value for all environments of a batch, or an array of values with an axis for the environments: float32
    (float64 with jax_enable_x64), int32 or bool. Most values are numbers, and some are arrays, such as the walls of a
    maze. An option that is a choice of strings is the index of its value among the choices.
    """

    __slots__ = ("format", "_leaves")
    format: ParamsFormat
    _leaves: tuple[Any, ...]

    def __init__(self, row_format: ParamsFormat, leaves: Any) -> None:
        object.__setattr__(self, "format", row_format)
        object.__setattr__(self, "_leaves", tuple(leaves))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        names = self.format.names
        fixed = fixed_parameters(self.format.name).get(name)
        if fixed is not None and name not in names:
            return fixed(self) if callable(fixed) else fixed
        ours = parameter_name(self.format.name, name, names)
        if ours not in names:
            raise AttributeError(
                f"[{self.format.label}] {name}: expected one of {', '.join(names)}, got an unknown name"
            )
        return self._leaves[names.index(ours)]

    def __setattr__(self, name: str, value: Any) -> None:
        getattr(self, name)  # raises an error that names the parameters, if this is none
        raise AttributeError(
            f"[{self.format.label}] {name}: expected replace({name}=...), which returns a changed copy, got an assignment"
        )

    def __dir__(self) -> list[str]:
        names = [name.replace(".", "_") for name in self.format.names]
        return [*dir(type(self)), *names, *gymnax_parameter_names(self.format.name)]

    def __reduce__(self) -> Any:
        return type(self), (self.format, self._leaves)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.format.label}, {', '.join(f'{n}={v!r}' for n, v in self.items())})"

    def items(self) -> Iterator[tuple[str, Any]]:
        """Returns the names and the leaves."""
        return zip(self.format.names, self._leaves, strict=True)

    def tree_flatten_with_keys(self) -> tuple[Any, ParamsFormat]:
        """Returns the leaves with their names, and the format, for JAX."""
        return tuple((jax.tree_util.GetAttrKey(name), leaf) for name, leaf in self.items()), self.format

    def tree_flatten(self) -> tuple[Any, ParamsFormat]:
        """Returns the leaves and the format, for JAX."""
        return self._leaves, self.format

    @classmethod
    def tree_unflatten(cls, row_format: ParamsFormat, children: Any) -> EnvParams:
        """Returns parameters from the values of `tree_flatten`, for JAX."""
        return cls(row_format, children)

    def replace(self, **options: Any) -> EnvParams:
        """Returns parameters with new values for some options: one for all environments, or an array with one for each.

        A string stands for the index of a choice. Values of type float are rounded to float32 without
        jax_enable_x64. Traced values are checked when they are used.

        Raises:
            TypeError: an unknown option, or a value of the wrong type.
            ValueError: a value out of range.
        """
        leaves = list(self._leaves)
        for name, value in options.items():
            ours = self._own_name(name)
            leaves[self.format.names.index(ours)] = leaf_of(self.format.label, self.format.options[ours], value)
        return EnvParams(self.format, leaves)

    def axes(self, **axes: int | None) -> EnvParams:
        """Returns the axes of the leaves, as `in_axes` of `jax.vmap` expects them.

        Args:
            **axes: the axes of some options. The others have axis 0 if they have a value for each environment, else None.

        Raises:
            TypeError: an unknown option.
        """
        given = {self._own_name(name): axis for name, axis in axes.items()}
        options = self.format.options
        each = {name: 0 if np.ndim(leaf) > len(options[name].shape) else None for name, leaf in self.items()}
        return EnvParams(self.format, [given.get(name, axis) for name, axis in each.items()])

    def where(self, condition: Any, other: EnvParams) -> EnvParams:
        """Returns these parameters where the condition holds, and those of `other` elsewhere.

        Args:
            condition: a bool, or an array with a bool for each environment of a batch.
            other: parameters of the same environment.

        Raises:
            TypeError: condition is not a bool or an array of bools, or other is not EnvParams.
            ValueError: other belongs to another environment, or there are other numbers of values.
        """
        check_format(self.format, other, "other")
        label = self.format.label
        is_array = isinstance(condition, (np.bool_, np.ndarray, jax.Array))
        if not (isinstance(condition, bool) or (is_array and condition.dtype == np.bool_)):
            got = f"an array of {condition.dtype}" if is_array else shown(condition)
            raise TypeError(f"[{label}] condition: expected a bool, or an array of bools, got {got}")

        def chosen(option: Option, mine: Any, others: Any) -> Any:
            if mine is others:
                return mine
            shapes = [np.shape(leaf)[: np.ndim(leaf) - len(option.shape)] for leaf in (mine, others)]
            if not _fit(*shapes):
                expected = f"as many values of {option.name} as here, shape {shapes[0]}"
                raise ValueError(f"[{label}] other: expected {expected}, got {shapes[1]}")
            if not _fit(np.shape(condition), *shapes) or 0 < max(map(len, shapes)) < np.ndim(condition):
                expected = f"a bool, or one for each of the values of {option.name}"
                raise ValueError(f"[{label}] condition: expected {expected}, got shape {np.shape(condition)}")
            rows = jnp.expand_dims(condition, tuple(range(np.ndim(condition), np.ndim(condition) + len(option.shape))))
            return jnp.where(rows, mine, others)

        options = self.format.options.values()
        return EnvParams(self.format, map(chosen, options, self._leaves, other._leaves))

    def _own_name(self, name: str) -> str:
        names = self.format.names
        ours = parameter_name(self.format.name, name, names)
        if ours not in names:
            hint = f", which is an argument of make: envpool.jax.make({self.format.label!r}, {name}=...)"
            raise TypeError(
                f"[{self.format.label}] params: expected one of {', '.join(names)}, got {name!r}"
                + (hint if name in self.format.fixed else "")
            )
        return ours


def check_format(row_format: ParamsFormat, params: Any, name: str = "params") -> None:
    """Raises an error unless these are parameters of the environment."""
    if not isinstance(params, EnvParams):
        raise TypeError(
            f"[{row_format.label}] {name}: expected EnvParams of {row_format.name}, got {type(params).__name__}"
        )
    theirs = params.format
    if theirs.name != row_format.name:
        raise ValueError(
            f"[{row_format.label}] {name}: expected parameters of {row_format.name}, got parameters of {theirs.name}"
        )
    if theirs != row_format:  # the header has been compiled again, or is another of the same name
        missing = [option for option in row_format.names if option not in theirs.names]
        unknown = [option for option in theirs.names if option not in row_format.names]
        parts = [f"with the option {', '.join(missing)}"] * bool(missing) + [f"without {', '.join(unknown)}"] * bool(
            unknown
        )
        what = " and ".join(parts) or f"with the options {', '.join(row_format.names)} in this order"
        raise ValueError(
            f"[{row_format.label}] {name}: expected parameters of {row_format.name} {what}, got parameters of another "
            f"{row_format.name}"
        )


def _fit(*shapes: tuple[int, ...]) -> bool:
    """Returns whether arrays of these shapes can be broadcast together."""
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        return False
    return True


def leaf_of(label: str, option: Option, value: Any, *, made: bool = False) -> Any:
    """Returns the leaf for values of an option: a NumPy scalar for a number, else an array of JAX.

    An integer that the leaf cannot hold is an error. Only if it is the one that make() got, the end of the leaf's dtype
    stands for it, also in C++ (core/table/tunables.h).
    """
    if isinstance(value, jax.core.Tracer):
        return as_operand(label, option, value)
    dtype = leaf_dtype(option)
    with labelled(label):
        if isinstance(value, np.ma.MaskedArray):  # a masked element has no value
            raise wrong_type(option.name, "an array without a mask", value)
        array = _checked_arrays(option, value) if option.shape else _checked(option, np.asarray(value))
        if array.dtype.kind in "UO" and option.choices:
            array = np.array([option.choices.index(str(item)) for item in array.reshape(-1)]).reshape(array.shape)
        if dtype.kind == "i":
            limits = np.iinfo(dtype)
            held = np.clip(array, limits.min, limits.max)
            if not made and (held != array).any():
                expected = f"an int from {limits.min} to {limits.max} without jax_enable_x64"
                raise wrong_value(option.name, expected, array[held != array].item(0))
            array = held
    with np.errstate(over="ignore"):
        held = array.astype(dtype)
    return held[()] if array.ndim == 0 else jnp.asarray(held)


def leaf_dtype(option: Option) -> np.dtype[Any]:
    """Returns the dtype of an option's leaf."""
    dtype: np.dtype[Any] = jax.dtypes.canonicalize_dtype(_DTYPES[option.kind])
    return dtype


def _checked_arrays(option: Option, value: Any) -> np.ndarray[Any, Any]:
    """Returns a value, or several along leading axes, of an option that is an array."""
    array: np.ndarray[Any, Any] = option.check_array(value)
    if array.shape[array.ndim - len(option.shape) :] != option.shape:
        raise ValueError(f"{option.name}: expected {option.expected}, or several of them, got shape {array.shape}")
    return array


def _checked(option: Option, array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Returns an array whose elements the option accepts. Numbers may stand for choices."""
    if array.dtype.kind in "iu" and option.choices:
        wrong = array[(array < 0) | (array >= len(option.choices))]
        if wrong.size:
            raise ValueError(
                f"{option.name}: expected {option.expected}, or an index from 0 to {len(option.choices) - 1}, "
                f"got {wrong.flat[0]}"
            )
    elif array.ndim and array.dtype.kind in _KINDS[option.kind] and not option.choices:
        wrong = array[~((array >= option.low) & (array <= option.high))]  # NaN is wrong, too
        if wrong.size:
            option.check(wrong.flat[0].item())
    else:
        for item in array.reshape(-1).tolist():
            option.check(item)
    return array


def as_operand(label: str, option: Option, leaf: Any) -> Any:
    """Returns a leaf in a dtype that the handlers accept, without a look at its values.

    Raises:
        TypeError: the leaf is not an array or a number, or has the wrong dtype.
    """
    dtype = getattr(leaf, "dtype", None)
    if dtype is None and isinstance(leaf, (bool, int, float)):
        return leaf_of(label, option, leaf)
    if dtype is None or not hasattr(leaf, "astype"):
        raise TypeError(f"[{label}] {option.name}: expected {option.expected}, got {type(leaf).__name__}")
    kind = "f" if jnp.issubdtype(dtype, jnp.floating) else np.dtype(dtype).kind  # also of bfloat16
    if kind not in _KINDS[option.kind]:
        raise TypeError(f"[{label}] {option.name}: expected {option.expected}, got {dtype}")
    wanted = leaf_dtype(option)
    if wanted.kind == "i" and kind == "u" and np.iinfo(dtype).max > np.iinfo(wanted).max:
        # The conversion must not wrap a number into the range. One that does not fit becomes one that C++ refuses.
        limits = np.iinfo(wanted)
        outside = limits.min if option.low > limits.min and option.high >= limits.max else limits.max
        leaf = jnp.where(leaf > limits.max, outside, leaf.astype(wanted))
    return leaf if dtype == wanted else leaf.astype(wanted)


def option_values(params: EnvParams, defaults: EnvParams, made: Mapping[str, Value]) -> dict[str, Value]:
    """Returns the options of one environment that differ from those of `make`, as `make` expects them.

    Raises:
        ValueError: a value is not allowed for its option, or there are values for several environments.
    """
    values: dict[str, Value] = {}
    label = params.format.label
    for (name, leaf), (_, default) in zip(params.items(), defaults.items(), strict=True):
        option = params.format.options[name]
        if name == LIMIT.name:
            continue
        array = np.asarray(leaf)
        if array.shape != option.shape:
            one = f"an array of shape {option.shape}" if option.shape else "one number"
            raise ValueError(f"[{label}] {name}: expected {one}, got an array of shape {array.shape}")
        if np.array_equal(array, default):
            values[name] = made[name]
            continue
        with labelled(label):
            if option.shape:
                values[name] = option.check(array)
                continue
            item = _checked(option, array).item()
            values[name] = option.choices[item] if option.choices else option.check(item)
    return values


def _saved(params: EnvParams) -> dict[str, Any]:
    return dict(params.items())


def _loaded(target: EnvParams, saved: Any) -> EnvParams:
    label, names = target.format.label, target.format.names
    if not isinstance(saved, dict) or set(saved) != set(names):
        got = sorted(map(str, saved)) if isinstance(saved, dict) else type(saved).__name__
        raise ValueError(f"[{label}] from_state_dict: expected saved values of {', '.join(names)}, got {got}")
    return EnvParams(target.format, [as_operand(label, target.format.options[name], saved[name]) for name in names])


flax_states.register(EnvParams, save=_saved, load=_loaded)
