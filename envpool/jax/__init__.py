# SPDX-License-Identifier: Apache-2.0
"""Portable environments as pure functions inside `jax.jit`, with gymnax's interface.

>>> env, params = envpool.jax.make("CartPole-v1")
>>> obs, state = env.reset(key, params)
>>> obs, state, reward, done, info = env.step(key, state, action, params)

The code is the pool's, called through XLA's foreign-function interface on the CPU, and so are the bits: `environment`
says how keys and seeds meet.
"""

try:
    import jax as _jax
except ImportError as error:
    raise ImportError("envpool.jax needs JAX, which is not installed: pip install 'envpool[jax]'") from error

from envpool.jax import ffi
from envpool.jax.environment import Environment, make
from envpool.jax.rows import EnvParams, EnvState

ffi.check_version(_jax.__version__)

__all__ = ["EnvParams", "EnvState", "Environment", "make"]
