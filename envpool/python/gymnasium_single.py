# SPDX-License-Identifier: Apache-2.0
"""One environment with gymnasium's interface, for `gymnasium.make("envpool/CartPole-v1")`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

import gymnasium
import numpy as np

from envpool.python.common_options import require_cpu
from envpool.python.errors import labelled
from envpool.python.gymnasium_envpool import ClosedPoolError, GymnasiumEnvPool, PoolResetNeeded
from envpool.python.options import check_seed, shown
from envpool.python.registry import Registration


class GymnasiumSingleEnv(gymnasium.Env[Any, Any]):
    """A pool of one environment as a `gymnasium.Env`: no array has an axis of environments.

    A step costs a few microseconds in Python, so use `gymnasium.make_vec` to step many environments.

    Attributes:
        pool: a `GymnasiumEnvPool` of one environment, without autoreset.
        render_mode: None, "rgb_array" or "human".
    """

    def __init__(self, registration: Registration, caller_options: Mapping[str, Any]) -> None:
        label = registration.task_id
        require_cpu(label, caller_options, "gymnasium.make")
        for name, allowed in (("num_envs", (1,)), ("batch_size", (0, 1))):
            if caller_options.get(name, allowed[0]) not in allowed:
                raise ValueError(
                    f"[{label}] {name}: expected 1 for gymnasium.make, got {shown(caller_options[name])}; "
                    f'gymnasium.make_vec("envpool/{label.replace("/", "-")}", num_envs=...) makes many environments'
                )
        # The pool has no time limit, because gymnasium.make adds one, which the caller may have changed.
        limit = {"max_episode_steps": 0} if registration.max_episode_steps else {}
        self.pool = GymnasiumEnvPool(
            registration, {**limit, "autoreset_mode": "disabled", **caller_options, "num_envs": 1}
        )
        self.pool._reset_keys = ()
        players = self.pool.spec.arrays.max_players
        if players > 1:
            self.pool.close()
            raise ValueError(
                f"[{label}] task_id: expected an environment of one player for gymnasium.make, got one of up to "
                f"{players} players; see make_pettingzoo"
            )
        self.observation_space = self.pool.single_observation_space
        self.action_space = self.pool.single_action_space
        self.render_mode = self.pool.render_mode
        self.metadata = {name: self.pool.metadata[name] for name in ("render_modes", "render_fps")}
        self._np_random_seed = self.pool.config["seed"]

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Starts a new episode, and returns the observation and info.

        Args:
            seed: int from 0 to 2**64 - 1; None: the generator continues from its current state.
            options: new values for options of `make`, which later episodes keep, and the options of the environment's
                reset; docs/concepts.md lists them.

        Raises:
            TypeError: seed or options is of the wrong type.
            ValueError: the seed is out of range, or options has an unknown key.
            ClosedPoolError: the environment is closed.
        """
        if self.pool.closed:
            self._raise_closed("reset")
        if options and "reset_mask" in options:
            raise ValueError(
                f"[{self.pool.spec.id}] options: expected no 'reset_mask' for a single environment, got one"
            )
        with labelled(self.pool.spec.id):
            seed = None if seed is None else check_seed("seed", seed)
        observation, info = self.pool.reset(seed=seed, options=options)
        super().reset(seed=seed)
        return _observed(self.observation_space, observation), _first(info)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Takes one step, and returns observation, reward, terminated, truncated and info.

        Raises:
            TypeError: the action has the wrong type.
            ValueError: the action has the wrong shape or is out of range.
            PoolResetNeeded: the environment has not been reset yet.
            ClosedPoolError: the environment is closed.
        """
        if self.pool.closed:
            self._raise_closed("step")
        if not self.pool._has_begun():
            raise PoolResetNeeded(
                f"[{self.pool.spec.id}] step: expected a call of reset before the first step, got none"
            )
        observation, reward, terminated, truncated, info = self.pool.step(_batched(action))
        seen = _observed(self.observation_space, observation)
        return seen, float(reward[0]), bool(terminated[0]), bool(truncated[0]), _first(info)

    def render(self) -> Any:
        """Returns the image, uint8 of shape (height, width, 3); None with render_mode "human" or without one.

        Raises:
            ClosedPoolError: the environment is closed.
        """
        if self.pool.closed:
            self._raise_closed("render")
        images = None if self.render_mode is None else self.pool.render()
        return None if images is None else images[0]

    def close(self) -> None:
        """Closes the pool."""
        self.pool.close()

    def _raise_closed(self, call: str) -> NoReturn:
        raise ClosedPoolError(f"[{self.pool.spec.id}] {call}: the pool is closed")


def _first(tree: Any) -> Any:
    """Returns the first row of each array of a tree."""
    return {key: _first(value) for key, value in tree.items()} if isinstance(tree, dict) else tree[0]


def _observed(space: gymnasium.Space[Any], tree: Any) -> Any:
    """Returns the first row of an observation, with ints and int8 where gymnasium's environments have them."""
    if isinstance(space, gymnasium.spaces.Dict):
        return {key: _observed(part, tree[key]) for key, part in space.spaces.items()}
    if isinstance(space, gymnasium.spaces.MultiBinary) and tree.dtype == np.uint8:
        return tree[0].view(np.int8)  # C++ has no int8
    # A row of a scalar Box is an array without axes, as the space says, and not a NumPy scalar.
    return int(tree[0]) if isinstance(space, gymnasium.spaces.Discrete) else np.asarray(tree[0])


def _batched(action: Any) -> Any:
    """Returns an action as a batch of one. What cannot be converted stays as it is, so that the pool's error describes it."""
    if isinstance(action, dict):
        return {key: _batched(value) for key, value in action.items()}
    if action is None or isinstance(action, np.ma.MaskedArray):
        return action
    try:
        return np.asarray([action])
    except MemoryError:
        raise
    except Exception:
        return action
