# SPDX-License-Identifier: Apache-2.0
"""The class of the Ray actors: each has a pool and does not know the other actors."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from envpool._core import EnvError
from envpool.python.gymnasium_envpool import GymnasiumEnvPool
from envpool.python.registry import Registration

Arrays = tuple[npt.NDArray[Any], ...]


class Worker:
    """A pool of the environments `first_stream` to `first_stream + num_envs - 1`, whose local ids begin at 0.

    Calls run one after another. The driver queues at most one call per expected batch; nothing else limits the queue.
    """

    def __init__(self, registration: Registration, options: dict[str, Any]) -> None:
        self._env = GymnasiumEnvPool(registration, options)
        self._pool = self._env._pool
        self._id_columns = [index for index, name in enumerate(self._env._layout.outputs) if "env_id" in name]
        self._first = options["first_stream"]

    def reset(self, ids: Any, seeds: Any, *, receive: bool) -> tuple[Arrays | None, dict[int, str]]:
        """Starts new episodes, and returns the next batch if `receive` is set."""
        if self._pool.under_way and len(ids) == self._env.num_envs:
            self._pool.discard()
        if seeds is None:
            self._pool.reset(ids)
        else:
            self._pool.reset(ids, *seeds)
        return self.recv() if receive else (None, {})

    def send(self, action: Any, ids: Any, *, receive: bool) -> tuple[Arrays | None, dict[int, str]]:
        """Starts a step, and returns the next batch if `receive` is set."""
        self._pool.send(action, ids)
        return self.recv() if receive else (None, {})

    def recv(self) -> tuple[Arrays | None, dict[int, str]]:
        """Returns the next batch, whose arrays Ray puts into its object store, and exceptions' texts by environment."""
        try:
            arrays, thrown = self._pool.recv(), {}
        except EnvError as caught:
            arrays, thrown = caught.arrays, dict(zip(caught.env_id, caught.messages, strict=True))
        return self._with_global_ids(arrays), thrown

    def _with_global_ids(self, arrays: Arrays) -> Arrays:
        return tuple(a + self._first if i in self._id_columns else a for i, a in enumerate(arrays))

    def snapshot(self, env_id: int) -> bytes:
        """Returns the state of an environment."""
        return self._env.snapshot(env_id)

    def restore(self, env_id: int, state: bytes) -> None:
        """Restores the state of an environment."""
        self._env.restore(env_id, state)

    def adopt(self, ids: Any, state: bytes, keys: Any) -> None:
        """Restores a state in several environments, which then draw from the generators of `keys` if there are any."""
        self._env.restore(int(ids[0]), state)
        self._pool.clone(np.full(len(ids), ids[0], np.int32), ids, *(keys or ()))

    def observe(self, ids: Any) -> Arrays:
        """Returns the arrays of the current states."""
        return self._with_global_ids(self._pool.observe(ids))

    def render(self, ids: Any) -> npt.NDArray[Any]:
        """Returns the images of environments."""
        return self._env._rendered(ids)
