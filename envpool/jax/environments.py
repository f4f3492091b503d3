# SPDX-License-Identifier: Apache-2.0
"""Re-exports the modules that users of gymnax import from `environments`.

An example is `from envpool.jax.environments import spaces`.
"""

from envpool.jax import environment, spaces

__all__ = ["environment", "spaces"]
