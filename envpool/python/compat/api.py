# SPDX-License-Identifier: Apache-2.0
"""EnvPool's `py_env`, which makes Python classes from a compiled environment. This one only raises an error."""

from __future__ import annotations

from typing import Any, NoReturn

from envpool.python.protocol import DMEnvPool, EnvPool, EnvSpec, GymnasiumEnvPool

__all__ = ["DMEnvPool", "EnvPool", "EnvSpec", "GymnasiumEnvPool", "py_env"]


def py_env(envspec: Any, envpool: Any) -> NoReturn:
    """Raises TypeError: in this package, a custom environment is a plugin, and its pools need no classes of their own.

    Args:
        envspec: a class that pybind11 made from EnvPool's headers.
        envpool: another class that pybind11 made from these headers.
    """
    raise TypeError(
        f"[envpool] py_env: expected a plugin, got classes made from EnvPool's headers ({envspec!r}, {envpool!r}): "
        "compile the environment with envpool.compile, or register its shared object with envpool.register"
    )
