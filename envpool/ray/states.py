# SPDX-License-Identifier: Apache-2.0
"""Snapshots, observations and images of the environments of a pool on Ray."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from envpool.python.construction import Construction
from envpool.python.errors import labelled
from envpool.python.layout import ResultLayout
from envpool.python.options import as_number, check_env_ids, check_seed_or_seeds, shown, wrong_type
from envpool.ray.shards import Shard, Shards


class StateCalls:
    """The methods that read and write states. They wait for the workers, and need environments that are not under way.

    If a worker is lost during such a call, it is replaced, its environments begin new episodes, and the call raises
    RuntimeError.
    """

    num_envs: int
    _label: str
    _construction: Construction
    _layout: ResultLayout
    _shards: Shards
    _idle: Any  # the method of the pool that checks ids of environments
    _ask: Any  # the method of the pool that calls a worker and waits

    def snapshot(self, env_id: int) -> bytes:
        """Returns the whole state of one environment; see `EnvPoolMixin.snapshot`."""
        shard, own = self._one(env_id, "env_id")
        state: bytes = self._ask(shard, "snapshot", own)
        return state

    def restore(self, env_id: int, state: bytes) -> None:
        """Restores a state that `snapshot` returned, here or in one pool; see `EnvPoolMixin.restore`."""
        shard, own = self._one(env_id, "env_id")
        if not isinstance(state, (bytes, bytearray)):
            raise TypeError(f"[{self._label}] state: expected the bytes that snapshot returned, got {shown(state)}")
        self._ask(shard, "restore", own, bytes(state))

    def clone(self, source_env_id: int, env_ids: Any = None, seed: Any = None) -> None:
        """Copies the whole state of one environment into others, on all workers; see `EnvPoolMixin.clone`."""
        source = self._one(source_env_id, "source_env_id")
        ids = self._idle(env_ids, "env_ids")
        keys = None if seed is None else self._construction.seeds_and_streams(self._checked_seeds(seed, len(ids)), ids)
        state = self._ask(source[0], "snapshot", source[1])
        for shard, rows, own in self._shards.of(ids):
            own_keys = None if keys is None else tuple(key[rows] for key in keys)
            self._ask(shard, "adopt", own, state, own_keys)

    def observe(self, env_ids: Any = None) -> tuple[Any, dict[str, Any]]:
        """Returns the current observation and info of environments without a step; see `EnvPoolMixin.observe`."""
        ids = self._idle(env_ids, "env_ids")
        parts = [(rows, self._ask(shard, "observe", own)) for shard, rows, own in self._shards.of(ids)]
        columns = zip(*(arrays for _, arrays in parts), strict=True)
        return self._layout.reset(tuple(_joined([rows for rows, _ in parts], column) for column in columns))  # type: ignore[no-any-return]

    def render(self, env_ids: Any = None) -> npt.NDArray[np.uint8]:
        """Renders the current state of environments, or of those of the option render_env_id.

        Returns:
            uint8 of shape (len(env_ids), height, width, 3), RGB.

        Raises:
            RuntimeError: the pool has no render_mode, or one of the environments is under way.
        """
        common = self._construction.common
        if common.render_mode is None:
            raise RuntimeError(
                f"[{self._label}] render: expected a pool made with render_mode='rgb_array', got one without a render_mode"
            )
        ids = self._idle(common.render_env_id if env_ids is None else env_ids, "env_ids")
        parts = [(rows, self._ask(shard, "render", own)) for shard, rows, own in self._shards.of(ids)]
        return _joined([rows for rows, _ in parts], [images for _, images in parts])

    def _one(self, env_id: Any, name: str) -> tuple[Shard, int]:
        """Returns the shard of one environment, and the environment's local id."""
        with labelled(self._label):
            if as_number(env_id, "int") is None:
                raise wrong_type(name, f"an int from 0 to {self.num_envs - 1}", env_id)
            ids = check_env_ids(name, env_id, self.num_envs)
        ((shard, _, own),) = self._shards.of(self._idle(ids, name))
        return shard, int(own[0])

    def _checked_seeds(self, seed: Any, count: int) -> int | list[int]:
        with labelled(self._label):
            return check_seed_or_seeds("seed", seed, count)


def _joined(rows: list[npt.NDArray[np.intp]], parts: Any) -> npt.NDArray[Any]:
    """Returns the rows of several workers as one array, in the order of the call."""
    whole = np.empty((sum(map(len, rows)), *parts[0].shape[1:]), parts[0].dtype)
    for at, part in zip(rows, parts, strict=True):
        whole[at] = part
    return whole
