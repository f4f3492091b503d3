# SPDX-License-Identifier: Apache-2.0
"""EnvPool's name for the class of pools that can be used inside `jax.jit`.

In this package, all pools can be used there.
"""

from envpool.python.envpool import EnvPoolMixin as XlaMixin

__all__ = ["XlaMixin"]
