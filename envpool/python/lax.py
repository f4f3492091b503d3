# SPDX-License-Identifier: Apache-2.0
"""EnvPool's name for the pools that can be used inside `jax.jit`. Here it is every pool."""

from envpool.python.envpool import EnvPoolMixin as XlaMixin

__all__ = ["XlaMixin"]
