# SPDX-License-Identifier: Apache-2.0
"""The modules that gymnax's users import from `environments`, as in `from envpool.jax.environments import spaces`."""

from envpool.jax import environment, spaces

__all__ = ["environment", "spaces"]
