# SPDX-License-Identifier: Apache-2.0
"""The statistics of a pool: reading them, replacing them, and stopping their updates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from envpool._core import Pool
from envpool.python.construction import Construction
from envpool.python.errors import labelled
from envpool.python.options import shown
from envpool.python.spaces import nest
from envpool.python.statistics_options import STATISTICS_OPTIONS


class PoolStatistics:
    """The methods of a pool that access its statistics."""

    _construction: Construction
    _label: str
    _pool: Pool

    def statistics(self) -> dict[str, Any]:
        """Returns copies of what the pool has computed so far, for `set_statistics`.

        Snapshots of environments do not contain it, because the moments belong to all environments together.

        Returns:
            A dict with an entry for each of these options:

            - "episode_return", with `episode_statistics`: the return of each environment's episode so far, float64 of
              shape (num_envs,).
            - "obs", with `normalize_obs`: a dict of "mean" and "var", which have the shape of an observation and the
              dtype float32 if observations are float32, else float64; and "count", a float.
            - "reward", with `normalize_reward`: a dict of the floats "mean", "var" and "count" of discounted returns,
              and of "discounted_return", the one of each environment so far, float32 of shape (num_envs,).

        Raises:
            RuntimeError: none of these options is set, the pool is closed, or the process is a fork.
        """
        self._require("statistics")
        arrays = self._pool.statistics()
        shapes = self._shapes()
        shaped = ((tuple(name.split(".")), array.reshape(shapes.get(name, ()))) for name, array in arrays.items())
        return nest((path, float(array) if array.ndim == 0 else array) for path, array in shaped)

    def set_statistics(self, values: Mapping[str, Any]) -> None:
        """Replaces the statistics by others of the same form, such as those of a checkpoint or of another pool.

        Args:
            values: what `statistics` returned. Entries that are missing stay as they are; so
                `test.set_statistics({"obs": train.statistics()["obs"]})` copies the moments of observations only.

        Raises:
            TypeError: values is not a mapping, or a value does not consist of numbers.
            ValueError: an unknown entry, or a value of the wrong shape or out of range. Nothing is replaced.
            RuntimeError: the pool has no statistics, the pool is closed, or the process is a fork.
        """
        self._require("set_statistics")
        arrays = self._pool.statistics()
        shapes = self._shapes()
        with labelled(self._label):
            for name, value in _leaves(values, "statistics"):
                if name not in arrays:
                    raise ValueError(f"statistics: expected entries {', '.join(arrays)}, got {name!r}")
                arrays[name] = _checked(name, value, shapes.get(name, ()), arrays[name].dtype)
        self._pool.set_statistics(arrays)

    @property
    def update_running_mean(self) -> bool:
        """Whether batches change the moments of `normalize_obs` and `normalize_reward`; set it to False to evaluate.

        Setting it raises TypeError for a value that is not a bool, and RuntimeError if the pool normalizes nothing.
        """
        self._require("update_running_mean", normalizes=True)
        return self._pool.updates_moments

    @update_running_mean.setter
    def update_running_mean(self, setting: bool) -> None:
        self._require("update_running_mean", normalizes=True)
        if not isinstance(setting, (bool, np.bool_)):
            raise TypeError(f"[{self._label}] update_running_mean: expected True or False, got {shown(setting)}")
        self._pool.set_updates_moments(bool(setting))

    def _shapes(self) -> dict[str, tuple[int, ...]]:
        """Returns the shapes of the arrays of the statistics that are not numbers, by name."""
        num_envs = self._construction.common.num_envs
        obs = self._construction.arrays.observations[0].shape
        return {
            "episode_return": (num_envs,),
            "obs.mean": obs,
            "obs.var": obs,
            "reward.discounted_return": (num_envs,),
        }

    def _require(self, call: str, normalizes: bool = False) -> None:
        names = STATISTICS_OPTIONS[1:] if normalizes else STATISTICS_OPTIONS
        if not set(names) & set(self._construction.common.statistics.requested()):
            listed = f"{', '.join(names[:-1])} or {names[-1]}"
            raise RuntimeError(f"[{self._label}] {call}: expected a pool made with {listed}, got one without")


def _leaves(values: Any, name: str) -> list[tuple[str, Any]]:
    """Returns the entries of nested mappings by their names, such as "obs.mean"."""
    if not isinstance(values, Mapping):
        raise TypeError(f"{name}: expected a mapping, got {shown(values)}")
    leaves = []
    for key, value in values.items():
        path = str(key) if name == "statistics" else f"{name}.{key}"
        leaves += _leaves(value, path) if path in ("obs", "reward") else [(path, value)]
    return leaves


def _checked(name: str, value: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """Returns a value of the statistics as a contiguous array of its shape and dtype."""
    array = np.asarray(value)
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name}: expected numbers, got {shown(value)}")
    if array.shape != shape:
        raise ValueError(f"{name}: expected shape {shape}, got {array.shape}")
    with np.errstate(over="ignore"):
        array = np.ascontiguousarray(array, dtype).reshape(-1)
    if name.endswith(".var") and not (array >= 0).all():
        raise ValueError(f"{name}: expected numbers of at least 0, got {shown(value)}")
    if name.endswith(".count") and not (array > 0).all():
        raise ValueError(f"{name}: expected a number above 0, got {shown(value)}")
    if name != "episode_return" and not np.isfinite(array).all():
        raise ValueError(f"{name}: expected numbers that are finite, got {shown(value)}")
    return array
