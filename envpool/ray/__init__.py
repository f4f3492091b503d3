# SPDX-License-Identifier: Apache-2.0
"""A pool past one machine: a pool in each of several Ray actors, with one pool's methods.

    env = envpool.ray.make("Pong-v5", num_envs=256, num_workers=8)
    obs, info = env.reset()
    obs, reward, terminated, truncated, info = env.step(actions)

Rows are those that one pool of `num_envs` would return, bit for bit, however many workers there are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from envpool.ray.pool import RayEnvPool, make

__all__ = ["RayEnvPool", "make"]


def __getattr__(name: str) -> Any:
    """Imports Ray when it is asked for."""
    if name in __all__:
        from envpool.ray import pool

        return getattr(pool, name)
    raise AttributeError(f"module 'envpool.ray' has no attribute {name!r}")
