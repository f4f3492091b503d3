# SPDX-License-Identifier: Apache-2.0
"""The types of the objects that `make` returns, under EnvPool's names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from envpool.python.dm_envpool import DMEnvPool
    from envpool.python.env_spec import ArraySpec, EnvSpec
    from envpool.python.gymnasium_envpool import GymnasiumEnvPool

__all__ = ["ArraySpec", "DMEnvPool", "EnvPool", "EnvSpec", "GymnasiumEnvPool"]


@runtime_checkable
class EnvPool(Protocol):
    """The methods that the pools of all interfaces share."""

    spec: Any

    @property
    def config(self) -> dict[str, Any]:
        """Every option with its value."""

    @property
    def all_env_ids(self) -> npt.NDArray[np.int32]:
        """The ids of all environments, 0 to num_envs - 1."""

    @property
    def is_async(self) -> bool:
        """Whether a batch holds fewer than all environments."""

    def __len__(self) -> int:
        """Returns the number of environments."""

    def send(self, action: Any, env_id: Any = None) -> None:
        """Starts one step without waiting for it."""

    def recv(self, reset: bool = False, return_info: bool = True, timeout: float | None = None) -> Any:
        """Waits for a batch."""

    def step(self, action: Any, env_id: Any = None) -> Any:
        """Sends an action and waits for a batch."""

    def reset(self, env_id: Any = None) -> Any:
        """Starts new episodes and waits for a batch."""

    def async_reset(self) -> None:
        """Starts new episodes in all environments without waiting."""

    def xla(self) -> tuple[npt.NDArray[np.uint8], Any, Any, Any]:
        """Returns handle, recv, send and step for jitted code."""

    def close(self, timeout: float = 10.0) -> None:
        """Ends the threads and destroys the environments."""


def __getattr__(name: str) -> Any:
    """Imports the module of a type on first use."""
    if name == "GymnasiumEnvPool":
        from envpool.python.gymnasium_envpool import GymnasiumEnvPool

        return GymnasiumEnvPool
    if name == "DMEnvPool":
        from envpool.python.dm_envpool import DMEnvPool

        return DMEnvPool
    if name in ("EnvSpec", "ArraySpec"):
        from envpool.python import env_spec

        return getattr(env_spec, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
