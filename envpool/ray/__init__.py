# SPDX-License-Identifier: Apache-2.0
"""A pool distributed over several machines. Each Ray actor runs a pool of some environments.

    env = envpool.ray.make("Pong-v5", num_envs=256, num_workers=8)
    obs, info = env.reset()
    obs, reward, terminated, truncated, info = env.step(actions)

For any number of workers, the rows equal the rows of one pool of `num_envs` environments bit for bit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from envpool.ray.pool import RayEnvPool, make

__all__ = ["RayEnvPool", "make"]


def __getattr__(name: str) -> Any:
    """Imports Ray on first use."""
    if name in __all__:
        from envpool.ray import pool

        return getattr(pool, name)
    raise AttributeError(f"module 'envpool.ray' has no attribute {name!r}")
