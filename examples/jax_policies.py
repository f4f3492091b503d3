# SPDX-License-Identifier: Apache-2.0
"""Policies of the JAX examples: how the outputs of a network become a distribution of actions.

Outputs have shape (..., outputs), noise (..., noises), actions (..., components), and log-probabilities and entropies
(...). The components of an action are independent.
"""

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array


@dataclass(frozen=True)
class Choices:
    """Each component is one of several choices; the network returns their logits.

    Attributes:
        numbers: how many choices each component has.
    """

    numbers: tuple[int, ...]

    @property
    def outputs(self) -> int:
        return sum(self.numbers)

    @property
    def deviations(self) -> int:
        return 0

    def noise(self, key: Any, shape: tuple[int, ...]) -> Array:
        """Returns noise for samples of shape `shape`."""
        return jax.random.gumbel(key, (*shape, self.outputs))

    def act(self, outputs: Array, noise: Array) -> Array:
        """Returns the choices with the largest sums of logit and noise. If `noise` is 0, they are the most probable."""
        noises = self._split(jnp.broadcast_to(noise, outputs.shape))
        return jnp.stack(
            [jnp.argmax(x + n, axis=-1) for x, n in zip(self._split(outputs), noises, strict=True)], axis=-1
        )

    def judge(self, outputs: Array, action: Array) -> tuple[Array, Array]:
        """Returns the log-probabilities of actions, and the entropies of the policy."""
        logprob, entropy = jnp.zeros(action.shape[:-1]), jnp.zeros(action.shape[:-1])
        for component, x in enumerate(self._split(outputs)):
            logprobs = jax.nn.log_softmax(x)
            logprob += jnp.take_along_axis(logprobs, action[..., component, None], axis=-1).squeeze(-1)
            entropy -= jnp.sum(jnp.exp(logprobs) * logprobs, axis=-1)
        return logprob, entropy

    def _split(self, x: Array) -> list[Array]:
        parts: list[Array] = jnp.split(x, np.cumsum(self.numbers)[:-1], axis=-1)
        return parts


@dataclass(frozen=True)
class Gaussian:
    """Each component is a number with a normal distribution.

    The network returns the means, and then the logarithms of the deviations, which do not depend on the observation.

    Attributes:
        size: the number of components.
    """

    size: int

    @property
    def outputs(self) -> int:
        return self.size

    @property
    def deviations(self) -> int:
        return self.size

    def noise(self, key: Any, shape: tuple[int, ...]) -> Array:
        """Returns noise for samples of shape `shape`."""
        return jax.random.normal(key, (*shape, self.size))

    def act(self, outputs: Array, noise: Array) -> Array:
        """Returns the means, moved by the noise times the deviations."""
        mean, log_deviation = jnp.split(outputs, 2, axis=-1)
        return mean + jnp.exp(log_deviation) * noise

    def judge(self, outputs: Array, action: Array) -> tuple[Array, Array]:
        """Returns the logarithms of the densities of actions, and the entropies of the policy."""
        mean, log_deviation = jnp.split(outputs, 2, axis=-1)
        distance = (action - mean) * jnp.exp(-log_deviation)
        logprob = -0.5 * distance**2 - log_deviation - 0.5 * np.log(2 * np.pi)
        entropy = log_deviation + 0.5 * np.log(2 * np.pi * np.e)
        return logprob.sum(axis=-1), entropy.sum(axis=-1)


Policy = Choices | Gaussian
