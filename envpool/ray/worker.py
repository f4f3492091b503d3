# SPDX-License-Identifier: Apache-2.0
"""What runs in an actor: a pool, and nothing that knows of the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from envpool._core import EnvError
from envpool.python.gymnasium_envpool import GymnasiumEnvPool

if TYPE_CHECKING:
    from envpool.python.registry import Registration

Arrays = tuple[npt.NDArray[Any], ...]


class Worker:
    """A pool of the environments `first` to `first + num_envs - 1`, known here as 0 to num_envs - 1.

    Calls come one after another, never more at a time than there are batches to come: that is all there is of
    back-pressure, and all that is needed.
    """

    def __init__(self, registration: Registration, options: dict[str, Any]) -> None:
        self._env = GymnasiumEnvPool(registration, options)
        self._pool = self._env._pool
        self._named = [index for index, name in enumerate(self._env._layout.outputs) if "env_id" in name]
        self._first = options["first_stream"]

    def reset(self, ids: Any, seeds: Any, receive: bool) -> tuple[Arrays | None, dict[int, str]]:
        """Starts new episodes, and returns the next batch if the driver waits for one."""
        if self._pool.under_way and len(ids) == self._env.num_envs:
            self._pool.discard()
        if seeds is None:
            self._pool.reset(ids)
        else:
            self._pool.reset(ids, *seeds)
        return self.recv() if receive else (None, {})

    def send(self, action: Any, ids: Any, receive: bool) -> tuple[Arrays | None, dict[int, str]]:
        """Starts a step, and returns the next batch if the driver waits for one."""
        self._pool.send(action, ids)
        return self.recv() if receive else (None, {})

    def recv(self) -> tuple[Arrays | None, dict[int, str]]:
        """The next batch, and what environments of it threw. Ray puts the arrays into its store, where drivers read."""
        try:
            arrays, thrown = self._pool.recv(), {}
        except EnvError as caught:
            arrays, thrown = caught.arrays, dict(zip(caught.env_id, caught.messages, strict=True))
        return tuple(a + self._first if i in self._named else a for i, a in enumerate(arrays)), thrown
