# SPDX-License-Identifier: Apache-2.0
"""Spaces with gymnax's interface: `sample(key)` and `contains(value)`, both of which can be jitted.

If gymnax has been imported, its classes are used, so that code can check their type. MultiDiscrete is always the class
of this module, because gymnax has none.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from envpool.jax.params import leaf_dtype
from envpool.jax.rows import RowPart
from envpool.python.options import Option
from envpool.python.spaces import Field, walk


class Discrete:
    """The integers 0..n-1."""

    def __init__(self, num_categories: int) -> None:
        self.n = num_categories
        self.shape: tuple[int, ...] = ()
        self.dtype = jnp.int32

    def sample(self, key: Any) -> Any:
        """Returns a uniformly distributed element."""
        return jax.random.randint(key, self.shape, 0, self.n, self.dtype)

    def contains(self, x: Any) -> Any:
        """Returns whether x is in the range."""
        return jnp.logical_and(jnp.asarray(x) >= 0, jnp.asarray(x) < self.n)


class Box:
    """Arrays of one shape with inclusive bounds."""

    def __init__(self, low: Any, high: Any, shape: tuple[int, ...], dtype: Any = jnp.float32) -> None:
        self.low, self.high, self.shape, self.dtype = low, high, shape, dtype

    def sample(self, key: Any) -> Any:
        """Returns a uniformly distributed element; an unbounded float is drawn from a quarter of its finite range."""
        if jnp.issubdtype(self.dtype, jnp.floating):
            limit = float(jnp.finfo(self.dtype).max) / 4
            low, high = jnp.clip(self.low, -limit, limit), jnp.clip(self.high, -limit, limit)
            return jax.random.uniform(key, self.shape, self.dtype, low, high)
        if self.dtype == jnp.bool_:
            return jax.random.bernoulli(key, 0.5, self.shape)
        wide = jax.random.randint(key, self.shape, jnp.asarray(self.low, int), jnp.asarray(self.high, int) + 1)
        return wide.astype(self.dtype)

    def contains(self, x: Any) -> Any:
        """Returns whether all elements of x are within the bounds."""
        return jnp.logical_and(jnp.all(jnp.asarray(x) >= self.low), jnp.all(jnp.asarray(x) <= self.high))


class MultiDiscrete:
    """Arrays of integers, each in 0..n-1 with its own n."""

    def __init__(self, nvec: Any, dtype: Any = jnp.int32) -> None:
        self.nvec = jnp.asarray(nvec, dtype)
        self.shape: tuple[int, ...] = self.nvec.shape
        self.dtype = dtype

    def sample(self, key: Any) -> Any:
        """Returns a uniformly distributed element."""
        return jax.random.randint(key, self.shape, 0, self.nvec, self.dtype)

    def contains(self, x: Any) -> Any:
        """Returns whether every element of x is in its range."""
        return jnp.logical_and(jnp.all(jnp.asarray(x) >= 0), jnp.all(jnp.asarray(x) < self.nvec))


class Dict:
    """Spaces by name."""

    def __init__(self, spaces: dict[str, Any]) -> None:
        self.spaces = spaces
        self.num_spaces = len(spaces)

    def sample(self, key: Any) -> Any:
        """Returns a dict with a sample of each space."""
        keys = jax.random.split(key, self.num_spaces)
        return {name: space.sample(key) for key, (name, space) in zip(keys, self.spaces.items(), strict=True)}

    def contains(self, x: Any) -> Any:
        """Returns whether every space contains the key, or else the attribute, of x that has the space's name."""
        inside = jnp.bool_(True)
        for name, space in self.spaces.items():
            inside = jnp.logical_and(inside, space.contains(x[name] if isinstance(x, Mapping) else getattr(x, name)))
        return inside


def _classes() -> Any:
    module = sys.modules.get("gymnax.environments.spaces")
    return module or SimpleNamespace(Discrete=Discrete, Box=Box, Dict=Dict)


def space(tree: Any) -> Any:
    """Returns a tree of fields as a space."""
    classes = _classes()

    def leaf(field: Field) -> Any:
        counted = field.discrete and field.dtype.kind in "iu"
        if counted and field.shape == ():
            return classes.Discrete(field.discrete)
        if counted:
            return MultiDiscrete(field.high.astype("int32") + 1)
        dtype = jax.dtypes.canonicalize_dtype(field.dtype)
        low, high = jnp.asarray(field.low, dtype), jnp.asarray(field.high, dtype)
        return classes.Box(low, high, field.shape, dtype)

    return walk(tree, leaf, lambda _, content: classes.Dict(content))


def of_parts(parts: Iterable[tuple[str, RowPart]], limit: int | None) -> Any:
    """Returns a space of the named parts of a state, with the bounds of their dtypes; `time` ends at the limit."""
    classes = _classes()
    spaces: dict[str, Any] = {}
    for name, part in parts:
        dtype = jax.dtypes.canonicalize_dtype(part.dtype)
        if name == "time" and limit:
            spaces[name] = classes.Discrete(limit + 1)
        elif dtype == np.bool_:
            spaces[name] = classes.Box(low=False, high=True, shape=part.shape, dtype=dtype)
        else:
            bounds: Any = jnp.finfo(dtype) if jnp.issubdtype(dtype, jnp.floating) else jnp.iinfo(dtype)
            low, high = jnp.asarray(bounds.min, dtype), jnp.asarray(bounds.max, dtype)
            spaces[name] = classes.Box(low, high, part.shape, dtype)
    return classes.Dict(spaces)


def of_options(options: Mapping[str, Option]) -> Any:
    """Returns a space of parameters, with the bounds of the options."""
    classes = _classes()
    spaces: dict[str, Any] = {}
    for name, option in options.items():
        dtype = leaf_dtype(option)
        if option.choices:
            spaces[name] = classes.Discrete(len(option.choices))
        elif option.kind == "bool":
            spaces[name] = classes.Box(low=False, high=True, shape=option.shape, dtype=dtype)
        else:
            limits: Any = np.finfo(dtype) if dtype.kind == "f" else np.iinfo(dtype)
            low, high = (
                jnp.asarray(np.clip(bound, limits.min, limits.max), dtype) for bound in (option.low, option.high)
            )
            spaces[name] = classes.Box(low, high, option.shape, dtype)
    return classes.Dict(spaces)
