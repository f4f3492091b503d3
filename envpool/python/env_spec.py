# SPDX-License-Identifier: Apache-2.0
"""`EnvSpec`, the description of an environment that `make_spec` and `env.spec` return."""

from __future__ import annotations

import importlib
from collections import namedtuple
from collections.abc import Mapping
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from envpool.python import spaces
from envpool.python.construction import Construction
from envpool.python.distribution import raise_missing
from envpool.python.mixed import construction_of
from envpool.python.options import NO_LIMIT, Option
from envpool.python.registry import Registration
from envpool.python.spaces import ArraySpecs, Field

if TYPE_CHECKING:
    import gymnasium

    AnySpace = gymnasium.Space[Any]
else:
    AnySpace = Any  # for `typing.get_type_hints`; not every program needs gymnasium, whose import is slow


class ArraySpec(NamedTuple):
    """The description of one array, in the form that EnvPool uses.

    Attributes:
        shape: the shape of one environment's value. A leading -1 is an axis of unknown length: the batch in the spec of
            an action, and the players in other specs.
        dtype: the dtype of the elements.
        minimum: the lower bound: one value if all elements have the same, else an array.
        maximum: the upper bound, in the same form.
    """

    shape: list[int]
    dtype: np.dtype[Any]
    minimum: Any
    maximum: Any


class EnvSpec:
    """The options, spaces and specs of an environment, which `env.spec` and `make_spec` return.

    Attributes:
        id: the id under which the environment is registered.
        doc: one line of description.
        registration: the registration of the id.
        caller_options: the options as the caller gave them, from which an equal spec can be made.
        values: every option with its value; `config` is a namedtuple of the same values.
        arrays: the arrays that the environment reads and writes.
        options: the declarations of the environment's own options: default, range or choices, one-line description.
        reward_threshold: the return at which the task counts as solved, or None.
        max_episode_steps: steps until an episode is truncated, the most of all tasks; None: there is no limit.
        tasks: the ids, in the order of the numbers in `info["task_id"]`. There are several in a mixed pool, whose `id`
            names all of them, and whose arrays are those of every task.
        additional_wrappers: empty. gymnasium uses this attribute: each of its wrappers copies the spec and appends
            itself to the attribute of the copy.
    """

    additional_wrappers: tuple[Any, ...] = ()

    def __init__(self, construction: Construction, emit: str = "gymnasium.spaces") -> None:
        self._emit = emit
        self.registration: Registration = construction.registration
        self.caller_options: Mapping[str, Any] = construction.caller_options
        self.values: Mapping[str, Any] = dict(construction.config)
        self.arrays: ArraySpecs = construction.arrays
        self.id = construction.label
        self.doc = construction.registration.doc
        self.options: Mapping[str, Option] = MappingProxyType(construction.options)
        self.reward_threshold = construction.common.reward_threshold
        steps = construction.common.max_episode_steps
        self.max_episode_steps = None if steps == NO_LIMIT else steps
        self.tasks = tuple(task.label for task in construction.tasks)
        self._tasks = construction.tasks if construction.is_mixed else ()

    def __repr__(self) -> str:
        return f"EnvSpec({self.id!r}, observation_space={self.observation_space}, action_space={self.action_space})"

    def __reduce__(self) -> Any:
        return _make, (self.registration, self.caller_options, self._emit)

    @cached_property
    def task_specs(self) -> tuple[EnvSpec, ...]:
        """The spec of each task, in the same order; of a pool that is not mixed, only this one."""
        return tuple(EnvSpec(task, self._emit) for task in self._tasks) or (self,)

    @cached_property
    def gymnasium_observation_space(self) -> AnySpace:
        """The observation space of one environment (or player), as a gymnasium space."""
        space: AnySpace = spaces.space(spaces.observation_tree(self.arrays), _gymnasium_spaces())
        return space

    @cached_property
    def gymnasium_action_space(self) -> AnySpace:
        """The action space of one environment (or player), as a gymnasium space."""
        space: AnySpace = spaces.space(spaces.action_tree(self.arrays), _gymnasium_spaces())
        return space

    @cached_property
    def observation_space(self) -> Any:
        """The observation space of one environment (or player); a gym space if the pool has gym's interface."""
        if self._emit == "gymnasium.spaces":
            return self.gymnasium_observation_space
        return spaces.space(spaces.observation_tree(self.arrays), importlib.import_module(self._emit))

    @cached_property
    def action_space(self) -> Any:
        """The action space of one environment (or player); a gym space if the pool has gym's interface."""
        if self._emit == "gymnasium.spaces":
            return self.gymnasium_action_space
        return spaces.space(spaces.action_tree(self.arrays), importlib.import_module(self._emit))

    def observation_spec(self) -> Any:
        """Returns the dm_env specs of one environment, in a namedtuple like a TimeStep's observation."""
        return spaces.dm_spec(spaces.dm_tree(self.arrays, self._task_fields()))

    def action_spec(self) -> Any:
        """Returns the dm_env action spec of one environment (or player); a dict if an action has several fields."""
        tree = spaces.action_tree(self.arrays)
        if isinstance(tree, dict):
            return {name: spaces.dm_spec(field) for name, field in tree.items()}
        return spaces.dm_spec(tree)

    def reward_spec(self) -> Any:
        """Returns the dm_env reward spec of one environment (or player). It includes 0, the reward of a first step."""
        low, high = min(self.arrays.reward_low, 0.0), max(self.arrays.reward_high, 0.0)
        return spaces.dm_spec(spaces.common_field("reward", low, high))

    def discount_spec(self) -> Any:
        """Returns the dm_env discount spec of one environment (or player)."""
        return spaces.dm_spec(spaces.common_field("discount", 0, 1))

    @cached_property
    def config(self) -> Any:
        """Every option with its value, in a namedtuple. Fields of a model, such as "model.body_mass", are only in `values`."""
        return self.gen_config(**_fields(self.values))

    @cached_property
    def gen_config(self) -> Any:
        """A namedtuple class with a field for every option and the defaults of the id. EnvPool's scripts call it."""
        try:
            id_defaults: Mapping[str, Any] = construction_of(self.registration, {}).config
        except (ValueError, RuntimeError):  # the id requires an option, such as the path of a ROM
            id_defaults = self.values
        defaults = {**_fields(id_defaults), "batch_size": 0, "num_threads": 0}
        return namedtuple("Config", tuple(defaults), defaults=tuple(defaults.values()))

    @property
    def state_array_spec(self) -> dict[str, ArraySpec]:
        """Every array that a step returns. "done" is True if the episode was terminated or truncated."""
        arrays, int32_max = self.arrays, 2**31 - 1
        players = -1 if arrays.max_players > 1 else None
        common = {
            "info:env_id": spaces.common_field("env_id", 0, int32_max),
            "info:players.env_id": spaces.common_field("players.env_id", 0, int32_max),
            "elapsed_step": spaces.common_field("elapsed_step", 0, int32_max),
            "reward": spaces.common_field("reward", arrays.reward_low, arrays.reward_high),
            "discount": spaces.common_field("discount", 0, 1),
            "step_type": spaces.common_field("step_type", 0, 2),
            "done": spaces.common_field("terminated", 0, 1),
            "terminated": spaces.common_field("terminated", 0, 1),
            "trunc": spaces.common_field("truncated", 0, 1),
        }
        specs = {name: _array_spec(field) for name, field in common.items()}
        for name in ("info:players.env_id", "reward", "discount"):
            specs[name] = specs[name]._replace(shape=[-1])
        for field in arrays.observations:
            name = field.name if field.name == "obs" else "obs:" + field.name.removeprefix("obs:")
            specs[name] = _array_spec(field, players if field.per_player else None)
        for field in (*arrays.infos, *self._task_fields()):
            specs["info:" + field.name.removeprefix("info:")] = _array_spec(
                field, players if field.per_player else None
            )
        return specs

    def _task_fields(self) -> tuple[Field, ...]:
        return (spaces.task_field(len(self._tasks)),) if self._tasks else ()

    @property
    def action_array_spec(self) -> dict[str, ArraySpec]:
        """Every array that an action may hold. A leading -1 in a shape stands for the size of the batch."""
        int32_max = 2**31 - 1
        specs = {
            "env_id": _array_spec(spaces.common_field("env_id", 0, int32_max)),
            "players.env_id": _array_spec(spaces.common_field("players.env_id", 0, int32_max), -1),
        }
        for field in self.arrays.actions:
            specs[field.name] = _array_spec(field, -1)
        return specs


def _fields(values: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the options that can be the fields of a namedtuple."""
    return {name: value for name, value in values.items() if name.isidentifier()}


def _gymnasium_spaces() -> Any:
    try:
        from gymnasium import spaces
    except ModuleNotFoundError as error:
        raise_missing(error, "gymnasium", "a spec's space")
    return spaces


def _array_spec(field: Field, leading: int | None = None) -> ArraySpec:
    """Returns the spec of a field. If `leading` is given, the shape begins with an axis of that length."""
    shape = [*field.shape] if leading is None else [leading, *field.shape]
    return ArraySpec(shape, field.dtype, spaces.scalar_bound(field.low), spaces.scalar_bound(field.high))


def _make(registration: Registration, caller_options: Mapping[str, Any], emit: str) -> EnvSpec:
    return EnvSpec(construction_of(registration, caller_options), emit)
