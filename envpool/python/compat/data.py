# SPDX-License-Identifier: Apache-2.0
"""EnvPool's helper functions that turn specs into spaces, and dotted names into trees."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from envpool.python import spaces
from envpool.python.env_spec import AnySpace, ArraySpec

__all__ = [
    "ArraySpec",
    "dm_spec_transform",
    "gym_spec_transform",
    "gymnasium_spec_transform",
    "to_namedtuple",
    "to_nested_dict",
]


def to_nested_dict(flatten_dict: Mapping[str, Any], generator: type[dict[str, Any]] = dict) -> dict[str, Any]:
    """Returns a tree of dicts from values with dotted names: {"a.b": 1} becomes {"a": {"b": 1}}.

    Args:
        flatten_dict: values by name.
        generator: the type of each dict.
    """
    tree = spaces.nest((tuple(name.split(".")), value) for name, value in flatten_dict.items())
    result: dict[str, Any] = spaces.walk(tree, lambda leaf: leaf, lambda _, content: generator(content))
    return result


def to_namedtuple(name: str, hdict: Mapping[str, Any]) -> Any:
    """Returns a tree of namedtuples from a tree of dicts.

    Args:
        name: the name of the outermost namedtuple; the others are named after their keys.
        hdict: the tree.
    """
    return spaces.walk(
        dict(hdict), lambda leaf: leaf, lambda key, content: spaces.record(key, tuple(content))(**content), name
    )


def dm_spec_transform(name: str, spec: ArraySpec, spec_type: str) -> Any:
    """Returns the dm_env spec of an array.

    Args:
        name: the name of the array.
        spec: an entry of `EnvSpec.state_array_spec` or `EnvSpec.action_array_spec`.
        spec_type: "observation" or "act".
    """
    return spaces.dm_spec(_field(name, spec, spec_type))


def gymnasium_spec_transform(name: str, spec: ArraySpec, spec_type: str) -> AnySpace:
    """Returns the gymnasium space of an array. The arguments are the same as for `dm_spec_transform`."""
    import gymnasium

    space: AnySpace = spaces.space(_field(name, spec, spec_type), gymnasium.spaces)
    return space


gym_spec_transform = gymnasium_spec_transform


def _field(name: str, spec: ArraySpec, spec_type: str) -> spaces.Field:
    if spec_type not in ("observation", "act"):
        raise ValueError(f"[envpool] spec_type: expected 'observation' or 'act', got {spec_type!r}")
    dtype = np.dtype(spec.dtype)
    shape = tuple(size for size in spec.shape if size != -1)
    low, high = (np.broadcast_to(np.asarray(bound, dtype), shape) for bound in (spec.minimum, spec.maximum))
    count = 0
    if dtype.kind in "iu" and shape == () and int(low) == 0 and int(high) < spaces.MAX_CATEGORIES:
        count = int(high) + 1
    return spaces.Field(name, dtype, shape, low, high, count)
