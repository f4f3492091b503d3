# SPDX-License-Identifier: Apache-2.0
"""Spaces of gymnasium and gym, and specs of dm_env, derived from the arrays that an environment declares in C++.

`ArraySpecs` is that declaration. `nest` turns dotted names into a tree, and `space` and `dm_spec` convert the tree to
the types of their library.
"""

from __future__ import annotations

import collections
import json
import keyword
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from envpool import _core
from envpool.python.distribution import raise_missing

Leaf = TypeVar("Leaf")


@dataclass(frozen=True)
class Field:
    """One named array of an environment.

    Attributes:
        name: the name; dots separate the keys of nested dicts.
        dtype: the dtype of the elements.
        shape: the shape of one environment's (or player's) value.
        low: the lower bounds, of that dtype and shape; -inf for a float without a bound.
        high: the upper bounds, in the same form.
        discrete: n > 0 if the values are the integers 0..n-1 (the largest n if elements differ), else 0.
        per_player: whether there is one value per player instead of one per environment.
        info: whether the array belongs to `info` rather than to the observation.
        doc: a one-line description.
    """

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    low: npt.NDArray[Any]
    high: npt.NDArray[Any]
    discrete: int = 0
    per_player: bool = False
    info: bool = False
    doc: str = ""

    @classmethod
    def from_json(cls, entry: Mapping[str, Any]) -> Field:
        """Reads one entry of the C++ declaration."""
        dtype = np.dtype(entry["dtype"])
        shape = tuple(entry["shape"])
        low, high = (_bound(entry[end], dtype, shape) for end in ("low", "high"))
        flags = {key: bool(entry[key]) for key in ("per_player", "info") if key in entry}
        return cls(entry["name"], dtype, shape, low, high, entry["discrete"], doc=entry["doc"], **flags)


def _bound(value: Any, dtype: np.dtype[Any], shape: tuple[int, ...]) -> npt.NDArray[Any]:
    """Returns a bound as an array. Integers without a bound get the limits of their dtype."""
    values = [float(item) for item in (value if isinstance(value, list) else [value])]
    if np.isnan(values).any():
        raise ValueError("spec: expected bounds that are numbers, got nan")
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        exact = np.array([int(min(max(item, limits.min), limits.max)) for item in values], dtype)
    else:
        exact = np.array(np.clip(values, 0, 1) if dtype.kind == "b" else values).astype(dtype)
    return np.broadcast_to(exact.reshape(shape if exact.size > 1 else ()), shape).copy()


@dataclass(frozen=True)
class ArraySpecs:
    """All arrays of an environment with given options."""

    observations: tuple[Field, ...]
    infos: tuple[Field, ...]
    actions: tuple[Field, ...]
    max_players: int
    reward_low: float
    reward_high: float
    render_size: tuple[int, int]  # height, width; zeros if the environment cannot be rendered
    render_fps: float  # the images per second with which an episode is shown; an int if it is whole
    episode_statistics: bool = False  # whether the pool adds "episode_return" and "episode_length" to info

    @classmethod
    def from_json(cls, text: str) -> ArraySpecs:
        """Reads the JSON that `_core.Table.spec` returns."""
        spec = json.loads(text)
        fields = [Field.from_json(entry) for entry in spec["fields"]]
        for field in fields:
            if field.name in _core.COMMON_ARRAYS:
                raise ValueError(
                    f"spec: expected names that the engine does not use, got {field.name!r}; declare 'info:{field.name}'"
                )
        actions = tuple(Field.from_json(entry) for entry in spec["actions"])
        for field in fields:
            if field.info and path_of(field.name)[-1] == "action_mask":
                _check_action_mask(field, actions)
            if field.info and path_of(field.name)[-1] == "current_player" and spec["max_players"] > 1:
                _check_current_player(field, spec["max_players"])
        return cls(
            tuple(field for field in fields if not field.info),
            tuple(field for field in fields if field.info),
            actions,
            spec["max_players"],
            float(spec["reward_low"]),
            float(spec["reward_high"]),
            (spec["render_height"], spec["render_width"]),
            _whole(float(spec["render_fps"])),
        )

    @property
    def actors(self) -> int:
        """The rows of actions of an environment: `max_players`, or 1 if the action belongs to all players."""
        return self.max_players if any(field.per_player for field in self.actions) else 1

    @property
    def single_observation(self) -> bool:
        """Whether the observation is an array instead of a dict: "obs", or the images that replace it."""
        return len(self.observations) == 1 and self.observations[0].name in ("obs", "obs:pixels")


def _whole(number: float) -> float:
    """Returns a number that is whole as an int."""
    return int(number) if number.is_integer() else number


def _check_action_mask(mask: Field, actions: tuple[Field, ...]) -> None:
    """Checks that a mask of actions follows the convention, which docs/concepts.md describes.

    Raises:
        ValueError: an action is not discrete; the mask is in the wrong dict, or has the wrong dtype or shape.
    """
    if not all(action.discrete for action in actions):
        raise ValueError("action_mask: expected discrete actions, got an action with real numbers")
    name = "players.action_mask" if mask.per_player else "action_mask"
    choices = sum(int(np.sum(action.high.astype(np.int64) + 1)) for action in actions)
    actual = (mask.name.removeprefix("info:"), str(mask.dtype), mask.shape)
    if actual != (name, "bool", (choices,)):
        raise ValueError(
            f"action_mask: expected an info {name!r} of bool of shape ({choices},), one element for each choice, got "
            f"{actual[0]!r} of {actual[1]} of shape {actual[2]}"
        )


def _check_current_player(mover: Field, max_players: int) -> None:
    """Checks that the info that says who moves next follows the convention, which docs/concepts.md describes.

    Raises:
        ValueError: it belongs to a player, or has the wrong dtype, shape or bounds.
    """
    actual = (mover.name.removeprefix("info:"), str(mover.dtype), mover.shape)
    if actual != ("current_player", "int32", ()) or mover.per_player or mover.discrete != max_players:
        raise ValueError(
            f"current_player: expected an info 'current_player' of int32 with {max_players} categories, one for the whole "
            f"world, got {actual[0]!r} of {actual[1]} of shape {actual[2]} with {mover.discrete or 'no'} categories"
            + (" for each player" if mover.per_player else "")
        )


def common_field(name: str, low: float, high: float) -> Field:
    """Returns the field of an array that the engine writes for every environment."""
    kind, shape = np.dtype(_core.COMMON_ARRAYS[name]), ()
    return Field(name, kind, shape, _bound(low, kind, shape), _bound(high, kind, shape))


def task_field(tasks: int) -> Field:
    """Returns the field of the info `task_id` of a mixed pool with this number of tasks."""
    kind = np.dtype(np.int32)
    low, high = (_bound(value, kind, ()) for value in (0, tasks - 1))
    return Field("info:task_id", kind, (), low, high, tasks, info=True, doc="the number of the environment's task")


def path_of(name: str) -> tuple[str, ...]:
    """Returns the keys of a field in nested dicts: ("players", "id") for "players.id", ("a", "b") for "obs:a.b"."""
    return tuple(name.removeprefix("obs:").removeprefix("info:").split("."))


def nest(leaves: Iterable[tuple[tuple[str, ...], Leaf]], where: str = "spec", why: str = "") -> dict[str, Any]:
    """Returns a tree of dicts from leaves with their paths.

    Args:
        leaves: the paths and the leaves.
        where: what needs the tree, for the error's text.
        why: why all leaves are in one tree, for the error's text.

    Raises:
        ValueError: two leaves have the same path, or one is where another needs a dict.
    """
    tree: dict[str, Any] = {}
    for path, leaf in leaves:
        branch: Any = tree
        for key in path[:-1]:
            branch = branch.setdefault(key, {}) if isinstance(branch, dict) else branch
        if not isinstance(branch, dict) or path[-1] in branch:
            raise ValueError(f"{where}: expected arrays with different names{why}, got another {'.'.join(path)!r}")
        branch[path[-1]] = leaf
    return tree


def nest_of_dm(leaves: Iterable[tuple[tuple[str, ...], Leaf]]) -> dict[str, Any]:
    """Returns the tree of a TimeStep's observation. Raises the errors of `nest`."""
    why = ", because dm_env's interface has observations, infos, env_id and players in one namedtuple"
    return nest(leaves, "make_dm", why)


def walk(tree: Any, leaf: Callable[[Any], Any], branch: Callable[[str, dict[str, Any]], Any], name: str = "") -> Any:
    """Returns a tree with `leaf` applied to every leaf and `branch` to the name and content of every dict."""
    if not isinstance(tree, dict):
        return leaf(tree)
    return branch(name, {key: walk(value, leaf, branch, key) for key, value in tree.items()})


def observation_tree(specs: ArraySpecs) -> Any:
    """Returns the observation as a Field or a tree of Fields."""
    if specs.single_observation:
        return specs.observations[0]
    return nest((path_of(field.name), field) for field in specs.observations)


def action_tree(specs: ArraySpecs) -> Any:
    """Returns the action as a Field or a dict of Fields by name."""
    return specs.actions[0] if len(specs.actions) == 1 else {field.name: field for field in specs.actions}


def space(tree: Any, spaces: Any) -> Any:
    """Returns the tree as a space of the module `spaces`, which is `gymnasium.spaces` or `gym.spaces`."""

    def leaf(field: Field) -> Any:
        if field.discrete and field.dtype.kind in "iu":
            if field.shape == ():
                return spaces.Discrete(field.discrete)
            if field.dtype == np.uint8 and (field.high == 1).all():
                return spaces.MultiBinary(field.shape if len(field.shape) > 1 else field.shape[0])
            return spaces.MultiDiscrete(field.high.astype(np.int64) + 1, field.dtype.type)
        if field.dtype.kind == "b" and field.shape:
            return spaces.MultiBinary(field.shape if len(field.shape) > 1 else field.shape[0])
        return spaces.Box(field.low, field.high, field.shape, field.dtype.type)

    return walk(tree, leaf, lambda _, content: spaces.Dict(content))


MAX_CATEGORIES = 2**20  # as in EnvPool, an integer with a larger range is not a DiscreteArray in dm_env's specs


def dm_spec(tree: Any, name: str = "State") -> Any:
    """Returns the tree as dm_env specs. Branches are namedtuples, as in the TimeSteps."""
    try:
        from dm_env import specs
    except ModuleNotFoundError as error:
        raise_missing(error, "dm_env", "a spec of dm_env", distribution="dm-env")

    def leaf(field: Field) -> Any:
        label = path_of(field.name)[-1]
        kind = field.dtype.type
        if field.dtype.kind in "iu" and field.shape == () and int(field.low) == 0 and int(field.high) < MAX_CATEGORIES:
            return specs.DiscreteArray(int(field.high) + 1, dtype=kind, name=label)
        return specs.BoundedArray(field.shape, kind, scalar_bound(field.low), scalar_bound(field.high), label)

    return walk(tree, leaf, lambda key, content: record(key, tuple(content))(**content), name)


def scalar_bound(bound: npt.NDArray[Any]) -> Any:
    """Returns a scalar of the array's dtype if all elements have the same bound, as EnvPool does; else the array."""
    return bound.flat[0] if bound.size and (bound == bound.flat[0]).all() else bound


_records: dict[tuple[str, tuple[str, ...]], Any] = {}


def record(name: str, fields: tuple[str, ...]) -> Any:
    """Returns the namedtuple class with that name and fields; every call returns the same class.

    Raises:
        ValueError: a name cannot be a field of a namedtuple.
    """
    if (name, fields) not in _records:
        for field in fields:
            if not field.isidentifier() or keyword.iskeyword(field) or field.startswith("_"):
                raise ValueError(
                    "make_dm: expected observations and infos whose names can be fields of a namedtuple, because those of "
                    f"dm_env's interface are, got {field!r}"
                )
        _records[name, fields] = collections.namedtuple(name, fields)
    return _records[name, fields]


def dm_tree(specs: ArraySpecs, more: Iterable[Field] = ()) -> dict[str, Any]:
    """Returns the fields of a TimeStep's observation: env_id, players, the fields of the observation and of info.

    Args:
        specs: the environment's arrays.
        more: fields that the pool adds.
    """
    int32_max = 2**31 - 1
    common = [common_field("env_id", 0, int32_max), common_field("players.env_id", 0, int32_max)]
    if specs.episode_statistics:
        common.append(common_field("episode_return", -np.inf, np.inf))
        common.append(replace(common_field("elapsed_step", 0, int32_max), name="episode_length"))
    return nest_of_dm((path_of(field.name), field) for field in (*common, *specs.observations, *specs.infos, *more))
