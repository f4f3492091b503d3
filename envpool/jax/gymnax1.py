# SPDX-License-Identifier: Apache-2.0
"""The environments of envpool.jax with the interface of gymnax 1: `import envpool.jax.gymnax1 as gymnax`.

>>> env, params = gymnax.make("CartPole-v1")
>>> obs, state = env.reset(key, params)
>>> obs, state, reward, terminated, truncated, info = env.step(key, state, action, params)

`envpool.jax` itself has the interface of gymnax 0.0.9. Both return the same trajectories.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp

from envpool.jax import environment, environments
from envpool.jax.environment import make_as, portable_envs
from envpool.jax.gymnax_names import info_of_gymnax
from envpool.jax.params import EnvParams, check_format
from envpool.jax.rows import EnvState

__all__ = ["EnvParams", "EnvState", "Environment", "environments", "make", "register"]

_factories: dict[str, Callable[..., Any]] = {}
_GYMNAX_OWN = ("experimental", "utils", "visualize", "wrappers")


class Environment(environment.Environment):
    """Pure functions of a state, with the interface of gymnax 1. They can be jitted, scanned and vmapped."""

    @property
    def supports_transition_gradients(self) -> bool:
        """False: steps are not differentiable."""
        return False

    @property
    def transition_gradients_enabled(self) -> bool:
        """False: steps are not differentiable."""
        return False

    def with_transition_gradients(self) -> Environment:
        """Raises ValueError: steps are not differentiable."""
        raise ValueError(
            f"[{self.name}] with_transition_gradients: no environment here supports transition gradients, because steps "
            "are not differentiable"
        )

    def step(
        self,
        key: Any,
        state: EnvState,
        action: Any,
        params: EnvParams | None = None,
        *,
        next_params: EnvParams | None = None,
    ) -> Any:
        """Steps the environment as `envpool.jax` does, and returns six values; `info` has gymnax's entries.

        Ids that gymnax does not have keep the entries of their environment.
        """
        *values, info = super().step(key, state, action, params, next_params=next_params)
        return *values, info_of_gymnax(self.name, info)

    def step_batch(
        self,
        key: Any,
        state: EnvState,
        action: Any,
        params: EnvParams | None = None,
        *,
        next_params: EnvParams | None = None,
    ) -> Any:
        """Steps a batch of states; see `envpool.jax`."""
        *values, info = super().step_batch(key, state, action, params, next_params=next_params)
        return *values, info_of_gymnax(self.name, info)

    def step_env(self, key: Any, state: EnvState, action: Any, params: EnvParams | None = None) -> Any:
        """Steps the environment without a reset, and returns (obs, state, reward, terminated, info).

        Steps after the end of an episode, even if the time limit ended it, do not change the state and return reward 0.
        """
        obs, state, reward, terminated, _, info = super().step_env(key, state, action, params)
        return obs, state, reward, terminated, info_of_gymnax(self.name, info)

    def observe(self, key: Any, state: EnvState, action: Any, params: EnvParams | None = None) -> Any:
        """Returns the observation of a state. The key and action are unused; gymnax's functions take them."""
        return self.get_obs(state, params)

    def is_terminated(self, state: EnvState, params: EnvParams | None = None) -> Any:
        """Returns whether the episode has ended before the time limit.

        A state does not record why its episode ended. If an episode reaches a terminal state in the same step as the
        time limit, this function reports it as truncated. The flags returned by `step` and `info` are exact.
        """
        self._check_state(state)
        return jnp.logical_and(state.over, jnp.logical_not(self.is_truncated(state, params)))

    def is_terminal(self, state: EnvState, params: EnvParams | None = None) -> Any:
        """Returns the same as `is_terminated`: in gymnax 1, it does not include the time limit."""
        return self.is_terminated(state, params)

    def is_truncated(self, state: EnvState, params: EnvParams | None = None) -> Any:
        """Returns whether the episode has reached the time limit."""
        self._check_state(state)
        params = self.default_params if params is None else params
        check_format(self._params_format, params)
        limit = params.max_steps_in_episode
        return jnp.logical_and(limit > 0, state.time >= limit)


def make(env_id: str, **env_kwargs: Any) -> tuple[Any, Any]:
    """Makes an environment as pure functions, whose `step` returns six values.

    Args:
        env_id: one of `registered_envs`.
        **env_kwargs: the environment's options and max_episode_steps, or the arguments of a registered factory.

    Returns:
        The environment, and its default parameters.

    Raises:
        ValueError: an unknown id, a value out of range, or an environment that is not portable.
        TypeError: an unknown option, a value of the wrong type, or a factory that returns no environment.
        MissingPackageError: a package that the environment needs is not installed.
        RuntimeError: the family is not built.
    """
    if env_id in _factories:
        env = _factories[env_id](**env_kwargs)
        if not hasattr(env, "default_params"):
            raise TypeError(
                f"[{env_id}] factory: expected an environment with gymnax's interface, got {type(env).__name__} without "
                "default_params"
            )
    else:
        env = make_as(Environment, env_id, env_kwargs, step_values=6)
    return env, env.default_params


def register(env_id: str, factory: Callable[..., Any]) -> None:
    """Registers a factory that `make` calls for an id.

    Args:
        env_id: an id that is not registered.
        factory: a function of `make`'s keyword arguments that returns an environment with gymnax's interface.

    Raises:
        TypeError: env_id is not a str, or factory is not callable.
        ValueError: env_id is empty or registered already.
    """
    if not isinstance(env_id, str):
        raise TypeError(f"[envpool] env_id: expected a str, got {type(env_id).__name__}")
    if not callable(factory):
        raise TypeError(f"[{env_id}] factory: expected a callable, got {type(factory).__name__}")
    if not env_id or env_id in _registered():
        raise ValueError(f"[envpool] env_id: expected an id that is not registered yet, got {env_id!r}")
    _factories[env_id] = factory


def _registered() -> list[str]:
    return [*portable_envs(), *_factories]


def __getattr__(name: str) -> Any:
    if name == "registered_envs":
        return _registered()
    if name in _GYMNAX_OWN:  # These modules of gymnax work with any environment that has this interface.
        try:
            return importlib.import_module(f"gymnax.{name}")
        except ImportError as error:
            raise AttributeError(
                f"envpool.jax.gymnax1.{name} is the module of gymnax, which cannot be imported: {error}"
            ) from None
    raise AttributeError(f"module 'envpool.jax.gymnax1' has no attribute {name!r}")
