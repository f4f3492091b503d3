# SPDX-License-Identifier: Apache-2.0
"""The interface of Stable-Baselines3: a pool as a `VecEnv`. Only `envpool.make_sb3` imports this module."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import numpy.typing as npt

from envpool.python.distribution import raise_missing

try:
    from stable_baselines3.common.vec_env import VecEnv
except ModuleNotFoundError as error:
    raise_missing(error, "stable_baselines3", "make_sb3", "Stable-Baselines3", "stable-baselines3")

from envpool.python.gymnasium_envpool import GymnasiumEnvPool
from envpool.python.options import require_cpu, shown

if TYPE_CHECKING:
    from envpool.python.registry import Registration


class SB3EnvPool(VecEnv):
    """A pool with the interface of Stable-Baselines3.

    A step that ends an episode starts the next one; `infos[i]["terminal_observation"]` holds the last observation.

    Attributes:
        pool: the pool, a `GymnasiumEnvPool`.
        reset_infos: for each environment, the info of its last reset.
    """

    def __init__(self, registration: Registration, caller_options: Mapping[str, Any]) -> None:
        label = registration.task_id
        require_cpu(label, caller_options, "Stable-Baselines3")
        mode = caller_options.get("autoreset_mode", "same_step")
        if getattr(mode, "name", mode) not in ("same_step", "SAME_STEP"):
            raise ValueError(f"[{label}] autoreset_mode: expected 'same_step' for Stable-Baselines3, got {shown(mode)}")
        self.pool = GymnasiumEnvPool(registration, {**caller_options, "autoreset_mode": "same_step"})
        try:
            self._check(label)
            super().__init__(self.pool.num_envs, self.pool.single_observation_space, self.pool.single_action_space)
        except BaseException:
            self.pool.close()
            raise

    def _check(self, label: str) -> None:
        players = self.pool.spec.arrays.max_players
        if players > 1:
            raise ValueError(
                f"[{label}] task_id: expected an environment of one player for Stable-Baselines3, got one of up to "
                f"{players} players; see make_pettingzoo"
            )
        if self.pool.is_async:
            raise ValueError(
                f"[{label}] batch_size: expected num_envs = {self.pool.num_envs}, because Stable-Baselines3 has no "
                f"partial batches, got {self.pool.config['batch_size']}"
            )

    def __repr__(self) -> str:
        return f"SB3EnvPool({self.pool!r})"

    def reset(self) -> Any:
        """Starts new episodes with the seeds that `seed` was last called with, and returns the observations."""
        if any(self._options):
            raise ValueError(f"{self._label} options: expected no options, got {self._options!r}")
        seeds = None if self._seeds[0] is None else list(self._seeds)
        observation, info = self.pool.reset(seed=seeds)
        self.reset_infos = _rows(info, self.num_envs)
        self._reset_seeds()
        return observation

    def step_async(self, actions: npt.NDArray[Any]) -> None:
        """Starts a step of all environments without waiting for it."""
        self.pool.send(actions)

    def step_wait(self) -> tuple[Any, npt.NDArray[np.float32], npt.NDArray[np.bool_], list[dict[str, Any]]]:
        """Waits for the step that `step_async` started.

        Returns:
            (observations, rewards, dones, infos). infos[i] holds row i of each entry of the pool's info. In a step that
            ends an episode, the entries are those of the ended episode, with "terminal_observation" and
            "TimeLimit.truncated".
        """
        observation, reward, terminated, truncated, info = self.pool.recv()
        infos = _rows(info, self.num_envs)
        done = terminated | truncated
        for i in np.flatnonzero(done).tolist():
            self.reset_infos[i] = infos[i]
            infos[i] = {
                "env_id": i,
                **_row(info["final_info"], i),
                "terminal_observation": _row(info["final_obs"], i),
                "TimeLimit.truncated": bool(truncated[i] and not terminated[i]),
            }
        return observation, reward, done, infos

    def close(self) -> None:
        """Closes the pool."""
        self.pool.close()

    def get_images(self) -> Sequence[npt.NDArray[np.uint8] | None]:
        """Returns an image of each environment, for `render`."""
        return list(self.pool._rendered(self.pool.all_env_ids))

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Returns an attribute of the pool, repeated for each environment."""
        return [getattr(self.pool, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> NoReturn:
        """Raises NotImplementedError: the environments are not Python objects."""
        raise NotImplementedError(
            f"{self._label} set_attr: the environments of a pool are not Python objects and have no attribute "
            f"{attr_name!r}; the option env_options sets options of single environments"
        )

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> NoReturn:
        """Raises NotImplementedError: the environments are not Python objects."""
        raise NotImplementedError(
            f"{self._label} env_method: the environments of a pool are not Python objects and have no method "
            f"{method_name!r}"
        )

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Any = None) -> list[bool]:
        """Returns False for each environment: the environments of a pool have no gymnasium wrappers."""
        return [False] * len(list(self._get_indices(indices)))

    @property
    def _label(self) -> str:
        return f"[{self.pool.spec.id}]"


def _row(tree: Any, index: int) -> Any:
    """Returns row `index` of a tree of arrays."""
    if isinstance(tree, dict):
        return {key: _row(value, index) for key, value in tree.items()}
    return tree[index].item() if tree.ndim == 1 else tree[index]


def _rows(info: Mapping[str, Any], count: int) -> list[dict[str, Any]]:
    """Returns one dict per row of an info, without the entries for ended episodes and for players."""
    keys = [key for key in info if key not in _NOT_ROWS]
    columns = [_column(info[key]) for key in keys]
    return [dict(zip(keys, row, strict=True)) for row in zip(*columns, strict=True)] if keys else [{}] * count


_NOT_ROWS = {"players", "final_obs", "_final_obs", "final_info", "_final_info"}


def _column(tree: Any) -> list[Any]:
    """Returns all rows of a tree of arrays."""
    if isinstance(tree, dict):
        columns = [_column(value) for value in tree.values()]
        return [dict(zip(tree, row, strict=True)) for row in zip(*columns, strict=True)]
    return list(tree.tolist() if tree.ndim == 1 else tree)
