# SPDX-License-Identifier: Apache-2.0
"""Portable environments as pure functions inside `jax.jit`, with gymnax's interface.

>>> env, params = envpool.jax.make("CartPole-v1")
>>> obs, state = env.reset(key, params)
>>> obs, state, reward, done, info = env.step(key, state, action, params)

The functions call the environments' compiled code through XLA's foreign-function interface, so they return the same
bits as a pool. envpool/jax/environment.py describes how keys correspond to seeds. This module has the interface of
gymnax 0.0.9, and `envpool.jax.gymnax1` the interface of gymnax 1.
"""

try:
    import jax as _jax
except ImportError as error:
    from envpool.python.distribution import raise_missing

    raise_missing(error, "jax", "envpool.jax", "JAX")

from envpool.jax import environments, ffi
from envpool.jax.environment import Environment, make, portable_envs
from envpool.jax.params import EnvParams
from envpool.jax.rows import EnvState

ffi.check_version(_jax.__version__)

__all__ = ["EnvParams", "EnvState", "Environment", "environments", "make"]


def __getattr__(name: str) -> list[str]:
    if name == "registered_envs":  # gymnax's name
        return portable_envs()
    raise AttributeError(f"module 'envpool.jax' has no attribute {name!r}")
