# SPDX-License-Identifier: Apache-2.0
"""The faces of a pool: gymnasium, gym and dm_env."""

from typing import Any

__all__ = ["DMEnvPool", "EnvPool", "EnvSpec", "GymnasiumEnvPool"]


def __getattr__(name: str) -> Any:
    """Imports the types of what `make` returns when they are asked for."""
    if name in __all__:
        from envpool.python import protocol

        return getattr(protocol, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
