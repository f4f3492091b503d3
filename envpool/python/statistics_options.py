# SPDX-License-Identifier: Apache-2.0
"""The options `episode_statistics`, `normalize_obs` and `normalize_reward`: their checks, and the arrays that they change.

pool_statistics.py has the methods of a pool with these options, and core/pool/statistics.h computes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from envpool.python.options import as_number, shown, wrong_type, wrong_value
from envpool.python.spaces import ArraySpecs, Field, path_of

STATISTICS_OPTIONS = ("episode_statistics", "normalize_obs", "normalize_reward")

_DEFAULTS = {
    "normalize_obs": {"epsilon": 1e-8, "clip": math.inf},
    "normalize_reward": {"gamma": 0.99, "epsilon": 1e-8, "clip": math.inf},
}


@dataclass(frozen=True)
class Statistics:
    """The checked options.

    Attributes:
        episode_statistics: whether info has the return and the length of episodes.
        normalize_obs: False, or a dict of "epsilon" and "clip".
        normalize_reward: False, or a dict of "gamma", "epsilon" and "clip".
    """

    episode_statistics: bool
    normalize_obs: Any
    normalize_reward: Any

    @classmethod
    def check(cls, caller_options: Mapping[str, Any]) -> Statistics:
        """Checks the values that the caller gave. Raises TypeError or ValueError."""
        value = caller_options.get("episode_statistics", False)
        episodes = as_number(value, "bool")
        if episodes is None:
            raise wrong_type("episode_statistics", "True or False", value)
        return cls(bool(episodes), *(_normalization(name, caller_options.get(name, False)) for name in _DEFAULTS))

    def requested(self) -> list[str]:
        """Returns the names of the options that are set."""
        return [name for name in STATISTICS_OPTIONS if getattr(self, name)]

    def for_core(self, arrays: ArraySpecs) -> dict[str, Any]:
        """Returns the options in the form that `_core.Pool` takes."""
        return {
            "episode_return": self.episode_statistics,
            "obs_name": arrays.observations[0].name if self.normalize_obs else "",
            "obs": self.normalize_obs or None,
            "reward": self.normalize_reward or None,
        }

    def applied_to(self, arrays: ArraySpecs, *, num_envs: int, batch_size: int) -> ArraySpecs:
        """Returns the arrays of a pool with these options.

        Raises:
            ValueError: an option cannot be used with these arrays, or in an asynchronous pool.
        """
        for name in self.requested():
            if arrays.max_players > 1:
                self._refuse(
                    name, f"because an episode of up to {arrays.max_players} players has a return for each of them"
                )
            if name != "episode_statistics" and batch_size != num_envs:
                self._refuse(
                    name,
                    f"with batch_size={batch_size} and num_envs={num_envs}, because the batches of an asynchronous pool, "
                    "and so the moments, depend on time",
                )
        if self.episode_statistics:
            taken = {path_of(field.name) for field in (*arrays.observations, *arrays.infos)}
            if taken & {("episode_return",), ("episode_length",)}:
                self._refuse("episode_statistics", "because the environment has arrays of its own with these names")
            arrays = replace(arrays, episode_statistics=True)
        if self.normalize_obs:
            arrays = replace(arrays, observations=(self._normalized(arrays),))
        if self.normalize_reward:
            clip = self.normalize_reward["clip"]
            arrays = replace(arrays, reward_low=-clip, reward_high=clip)
        return arrays

    def _normalized(self, arrays: ArraySpecs) -> Field:
        """Returns the observation after it has been normalized."""
        if not arrays.single_observation:
            names = ", ".join(field.name for field in arrays.observations)
            self._refuse("normalize_obs", f"because the observation is not a single array but a dict of {names}")
        (field,) = arrays.observations
        if 0 in field.shape:
            self._refuse("normalize_obs", f"because the observation has no elements: its shape is {field.shape}")
        if field.discrete or field.dtype.kind == "b":
            self._refuse("normalize_obs", "because the observation consists of categories and not of quantities")
        high = np.full(field.shape, self.normalize_obs["clip"], np.float32)
        return replace(field, dtype=high.dtype, low=-high, high=high)

    def _refuse(self, name: str, why: str) -> None:
        raise ValueError(f"{name}: expected False {why}, got {shown(getattr(self, name))}")


def _normalization(name: str, value: Any) -> dict[str, float] | bool:
    defaults = _DEFAULTS[name]
    expected = f"True, False, or a mapping with the keys {', '.join(map(repr, defaults))}"
    if isinstance(value, Mapping):
        unknown = [key for key in value if key not in defaults]
        if unknown:
            raise TypeError(f"{name}: expected {expected}, got the key {shown(unknown[0])}")
        return {key: _parameter(f"{name}[{key!r}]", key, value.get(key, default)) for key, default in defaults.items()}
    chosen = as_number(value, "bool")
    if chosen is None:
        raise wrong_type(name, expected, value)
    return dict(defaults) if chosen else False


def _parameter(name: str, key: str, value: Any) -> float:
    """Returns a parameter of a normalization as a float. gymnasium has the same bounds."""
    number = as_number(value, "float")
    if number is None:
        raise wrong_type(name, "a number", value)
    if key == "gamma":
        if not 0 <= number <= 1:
            raise wrong_value(name, "a number from 0 to 1", value)
    elif not number > 0 or (key == "epsilon" and math.isinf(number)):
        raise wrong_value(name, "a number above 0", value)
    return float(number)
