# SPDX-License-Identifier: Apache-2.0
"""Scales observations and rewards in the JAX examples by running moments, as gymnasium's wrappers do.

Unlike there, the moments change after a rollout and not after a step, so that all steps of a rollout have the same
scales.
"""

from typing import Any, NamedTuple

import jax.numpy as jnp
from jax import Array


class Moments(NamedTuple):
    """The mean and variance of all rows so far, by the parallel formula of Chan, Golub and LeVeque (1979)."""

    count: Any
    mean: Any
    variance: Any

    @classmethod
    def of(cls, shape: tuple[int, ...]) -> "Moments":
        return cls(jnp.float32(1e-4), jnp.zeros(shape), jnp.ones(shape))

    def after(self, rows: Array) -> "Moments":
        """Returns the moments with rows of shape (n, ...) in addition."""
        total = self.count + len(rows)
        new = len(rows) / total
        old = 1 - new
        shift = rows.mean(axis=0) - self.mean
        variance = self.variance * old + rows.var(axis=0) * new + shift**2 * (old * new)
        return Moments(total, self.mean + shift * new, variance)

    @property
    def scale(self) -> Any:
        """The reciprocal of the standard deviation."""
        return 1 / jnp.sqrt(self.variance + 1e-8)


class Scales(NamedTuple):
    """The moments of observations, and of discounted returns, by whose deviation rewards are divided."""

    obs: Moments
    returns: Moments

    @classmethod
    def of(cls, obs_size: int) -> "Scales":
        return cls(Moments.of((obs_size,)), Moments.of(()))

    def scaled(self, obs: Array) -> Array:
        """Returns observations with mean 0 and deviation 1, within -10..10."""
        return jnp.clip((obs - self.obs.mean) * self.obs.scale, -10, 10)

    def after(self, obs: Array, returns: Array) -> "Scales":
        """Returns the scales after a rollout with these observations and discounted returns."""
        return Scales(self.obs.after(obs.reshape(-1, obs.shape[-1])), self.returns.after(returns.reshape(-1)))
