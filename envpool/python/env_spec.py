# SPDX-License-Identifier: Apache-2.0
"""What is known of an environment before one is made."""

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
from envpool.python.options import NO_LIMIT, Option

if TYPE_CHECKING:
    import gymnasium

    from envpool.python.registry import Registration
    from envpool.python.spaces import ArraySpecs


class ArraySpec(NamedTuple):
    """One raw array.

    Attributes:
        shape: of one environment's value; a leading -1 is an axis of unknown length: players, or in an action the batch.
        dtype: of the elements.
        minimum: one value where it bounds every element, else an array of them.
        maximum: likewise.
    """

    shape: list[int]
    dtype: np.dtype[Any]
    minimum: Any
    maximum: Any


class EnvSpec:
    """Options, spaces and specs of an environment, as `env.spec` and `make_spec` give them.

    Attributes:
        id: the id it was registered under.
        doc: one line of what it is.
        registration: what the id stands for.
        given: the keywords as the caller gave them, which make the same again.
        values: every option with its value; `config` is the same as a namedtuple.
        arrays: the arrays the environment reads and writes.
        options: what the environment's own options mean: default, range or choices, one line of text.
        reward_threshold: return at which the task counts as solved, or None.
        max_episode_steps: steps until an episode is truncated; None: there is no limit.
        additional_wrappers: gymnasium's wrappers add themselves to it in their copy of this.
    """

    additional_wrappers: tuple[Any, ...] = ()

    def __init__(self, construction: Construction, emit: str = "gymnasium.spaces") -> None:
        self._emit = emit
        self.registration: Registration = construction.registration
        self.given: Mapping[str, Any] = construction.given
        self.values: Mapping[str, Any] = dict(construction.config)
        self.arrays: ArraySpecs = construction.arrays
        self.id = construction.label
        self.doc = construction.registration.doc
        self.options: Mapping[str, Option] = MappingProxyType(construction.options)
        self.reward_threshold = construction.common.reward_threshold
        steps = construction.common.max_episode_steps
        self.max_episode_steps = None if steps == NO_LIMIT else steps

    def __repr__(self) -> str:
        return f"EnvSpec({self.id!r}, observation_space={self.observation_space}, action_space={self.action_space})"

    def __reduce__(self) -> Any:
        return _make, (self.registration, self.given, self._emit)

    @cached_property
    def gymnasium_observation_space(self) -> gymnasium.Space[Any]:
        """One environment's (or player's) observation space, of gymnasium."""
        space: gymnasium.Space[Any] = spaces.space(spaces.observation_tree(self.arrays), _gymnasium_spaces())
        return space

    @cached_property
    def gymnasium_action_space(self) -> gymnasium.Space[Any]:
        """One environment's (or player's) action space, of gymnasium."""
        space: gymnasium.Space[Any] = spaces.space(spaces.action_tree(self.arrays), _gymnasium_spaces())
        return space

    @cached_property
    def observation_space(self) -> Any:
        """The same, of gym where the pool has gym's face."""
        if self._emit == "gymnasium.spaces":
            return self.gymnasium_observation_space
        return spaces.space(spaces.observation_tree(self.arrays), importlib.import_module(self._emit))

    @cached_property
    def action_space(self) -> Any:
        """The same, of gym where the pool has gym's face."""
        if self._emit == "gymnasium.spaces":
            return self.gymnasium_action_space
        return spaces.space(spaces.action_tree(self.arrays), importlib.import_module(self._emit))

    def observation_spec(self) -> Any:
        """One environment's dm_env specs, in the namedtuple that a TimeStep's observation is."""
        return spaces.dm_spec(spaces.dm_tree(self.arrays))

    def action_spec(self) -> Any:
        """One environment's (or player's) dm_env action spec; a dict of them where an action has several fields."""
        tree = spaces.action_tree(self.arrays)
        if isinstance(tree, dict):
            return {name: spaces.dm_spec(field) for name, field in tree.items()}
        return spaces.dm_spec(tree)

    def reward_spec(self) -> Any:
        """One environment's (or player's) dm_env reward spec."""
        arrays = self.arrays
        return spaces.dm_spec(spaces.common_field("reward", arrays.reward_low, arrays.reward_high))

    def discount_spec(self) -> Any:
        """One environment's (or player's) dm_env discount spec."""
        return spaces.dm_spec(spaces.common_field("discount", 0, 1))

    @cached_property
    def config(self) -> Any:
        """Every option with its value, in a namedtuple."""
        return self.gen_config(**self.values)

    @cached_property
    def gen_config(self) -> Any:
        """A namedtuple class of every option, with the defaults of the id, as EnvPool's scripts call it."""
        try:
            usual: Mapping[str, Any] = Construction(self.registration, {}).config
        except (ValueError, RuntimeError):  # an id that needs an option, such as a ROM that is not installed
            usual = self.values
        defaults = {**usual, "batch_size": 0, "num_threads": 0}
        return namedtuple("Config", tuple(defaults), defaults=tuple(defaults.values()))

    @property
    def state_array_spec(self) -> dict[str, ArraySpec]:
        """Every array a step returns; "done" is terminated or truncated."""
        arrays, whole = self.arrays, 2**31 - 1
        players = -1 if arrays.max_players > 1 else None
        common = {
            "info:env_id": spaces.common_field("env_id", 0, whole),
            "info:players.env_id": spaces.common_field("players.env_id", 0, whole),
            "elapsed_step": spaces.common_field("elapsed_step", 0, whole),
            "reward": spaces.common_field("reward", arrays.reward_low, arrays.reward_high),
            "discount": spaces.common_field("discount", 0, 1),
            "step_type": spaces.common_field("step_type", 0, 2),
            "done": spaces.common_field("terminated", 0, 1),
            "terminated": spaces.common_field("terminated", 0, 1),
            "trunc": spaces.common_field("truncated", 0, 1),
        }
        specs = {name: _array_spec(field, False, players) for name, field in common.items()}
        for name in ("info:players.env_id", "reward", "discount"):
            specs[name] = specs[name]._replace(shape=[-1])
        for field in arrays.observations:
            name = field.name if field.name == "obs" else "obs:" + field.name.removeprefix("obs:")
            specs[name] = _array_spec(field, field.per_player, players)
        for field in arrays.infos:
            specs["info:" + field.name.removeprefix("info:")] = _array_spec(field, field.per_player, players)
        return specs

    @property
    def action_array_spec(self) -> dict[str, ArraySpec]:
        """Every array an action may hold; a leading -1 in a shape is the batch."""
        whole = 2**31 - 1
        specs = {
            "env_id": _array_spec(spaces.common_field("env_id", 0, whole), False, None),
            "players.env_id": _array_spec(spaces.common_field("players.env_id", 0, whole), True, -1),
        }
        for field in self.arrays.actions:
            specs[field.name] = _array_spec(field, True, -1)
        return specs


def _gymnasium_spaces() -> Any:
    try:
        from gymnasium import spaces
    except ModuleNotFoundError as error:
        raise_missing(error, "gymnasium", "a spec's space")
    return spaces


def _array_spec(field: spaces.Field, per_player: bool, players: int | None) -> ArraySpec:
    lead = [players] if per_player and players is not None else []
    return ArraySpec(
        [*lead, *field.shape], field.dtype, spaces.scalar_bound(field.low), spaces.scalar_bound(field.high)
    )


def _make(registration: Registration, given: Mapping[str, Any], emit: str) -> EnvSpec:
    return EnvSpec(Construction(registration, given), emit)
