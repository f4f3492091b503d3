# SPDX-License-Identifier: Apache-2.0
"""Reinforcement-learning environments in C++, many at a time, through the interfaces of gymnasium, gym and dm_env.

>>> env = envpool.make("Pong-v5", num_envs=8)
>>> obs, info = env.reset()
>>> obs, reward, terminated, truncated, info = env.step([0] * 8)
"""

import importlib
from typing import TYPE_CHECKING, Any

from envpool.python import distribution
from envpool.python.errors import CheckError, CompileError, EnvError, MissingPackageError
from envpool.python.gymnasium_registry import register_when_imported
from envpool.python.registry import is_family
from envpool.registration import list_all_envs, make_pettingzoo, make_sb3, register

if TYPE_CHECKING:
    from envpool._signatures import make, make_dm, make_gym, make_gymnasium, make_spec, make_vec
    from envpool.plugins.compiling import compile
    from envpool.plugins.paths import get_cmake_dir, get_include
    from envpool.python.protocol import DMEnvPool, EnvPool, EnvSpec, GymnasiumEnvPool
    from envpool.python_env.registering import register_python

else:  # the same functions, without the signatures for each id
    from envpool.registration import make, make_dm, make_gym, make_gymnasium, make_spec, make_vec

__all__ = [
    # The names that EnvPool has, in the same order.
    "register",
    "make",
    "make_dm",
    "make_gym",
    "make_gymnasium",
    "make_spec",
    "list_all_envs",
    "EnvSpec",
    "EnvPool",
    "DMEnvPool",
    "GymnasiumEnvPool",
    # Names that EnvPool does not have.
    "CheckError",
    "CompileError",
    "EnvError",
    "MissingPackageError",
    "compile",
    "get_cmake_dir",
    "get_include",
    "make_pettingzoo",
    "make_sb3",
    "make_vec",
    "register_python",
]

distribution.check_installation()
register_when_imported()


def __getattr__(name: str) -> Any:
    """Imports names whose modules are slow to import on first use."""
    if name in ("DMEnvPool", "EnvPool", "EnvSpec", "GymnasiumEnvPool"):
        from envpool.python import protocol

        return getattr(protocol, name)
    if name == "compile":
        from envpool.plugins.compiling import compile

        return compile
    if name == "register_python":
        from envpool.python_env.registering import register_python

        return register_python
    if name in ("get_cmake_dir", "get_include"):
        from envpool.plugins import paths

        return getattr(paths, name)
    if name in ("jax", "ray") or is_family(name):
        return importlib.import_module(f"envpool.{name}")
    if name == "__version__":
        return distribution.version()
    raise AttributeError(f"module 'envpool' has no attribute {name!r}")
