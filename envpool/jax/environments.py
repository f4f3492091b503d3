# SPDX-License-Identifier: Apache-2.0
"""Where gymnax's users look for spaces and types: `from envpool.jax.environments import environment, spaces`."""

from envpool.jax import environment, spaces

__all__ = ["environment", "spaces"]
