# SPDX-License-Identifier: Apache-2.0
"""The Python interfaces of a pool: gymnasium, gym, dm_env, Stable-Baselines3 and PettingZoo."""

from pathlib import Path
from typing import Any

# The released EnvPool's scripts import envpool.python.api, envpool.python.data and envpool.python.lax.
__path__.append(str(Path(__path__[0], "compat")))

__all__ = ["DMEnvPool", "EnvPool", "EnvSpec", "GymnasiumEnvPool"]


def __getattr__(name: str) -> Any:
    """Imports the types of pools and specs on first use."""
    if name in __all__:
        from envpool.python import protocol

        return getattr(protocol, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
