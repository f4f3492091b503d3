# SPDX-License-Identifier: Apache-2.0
"""EnvPool's name for what can be used inside of `jax.jit`: here every pool."""

from envpool.python.envpool import EnvPoolMixin as XlaMixin

__all__ = ["XlaMixin"]
