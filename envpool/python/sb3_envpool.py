# SPDX-License-Identifier: Apache-2.0
"""The face of Stable-Baselines3: a pool as a `VecEnv`. Imported by `envpool.make_sb3` alone."""

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
from envpool.python.options import require_cpu

if TYPE_CHECKING:
    from envpool.python.registry import Registration


class SB3EnvPool(VecEnv):
    """A pool as Stable-Baselines3 sees it.

    An environment that ends starts its next episode within the same step; `infos[i]["terminal_observation"]` holds the
    observation it ended on.

    Attributes:
        pool: the pool itself, a `GymnasiumEnvPool`.
        reset_infos: each environment's info of its last reset.
    """

    def __init__(self, registration: Registration, given: Mapping[str, Any]) -> None:
        label = registration.task_id
        require_cpu(label, given, "Stable-Baselines3")
        mode = given.get("autoreset_mode", "same_step")
        if getattr(mode, "name", mode) not in ("same_step", "SAME_STEP"):
            raise ValueError(f"[{label}] autoreset_mode must be 'same_step' for Stable-Baselines3, got {mode!r}")
        self.pool = GymnasiumEnvPool(registration, {**given, "autoreset_mode": "same_step"})
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
                f"[{label}] Stable-Baselines3 has no environments of up to {players} players; see make_pettingzoo"
            )
        if self.pool.is_async:
            raise ValueError(
                f"[{label}] batch_size must be num_envs = {self.pool.num_envs} here, for Stable-Baselines3 knows no "
                f"partial batches, got {self.pool.config['batch_size']}"
            )

    def __repr__(self) -> str:
        return f"SB3EnvPool({self.pool!r})"

    def reset(self) -> Any:
        """Starts new episodes, from the seeds that `seed` was given last, and returns the observations."""
        if any(self._options):
            raise ValueError(f"{self._label} options must be empty, got {self._options!r}")
        seeds = None if self._seeds[0] is None else list(self._seeds)
        observation, info = self.pool.reset(seed=seeds)
        self.reset_infos = _rows(info, self.num_envs)
        self._reset_seeds()
        return observation

    def step_async(self, actions: npt.NDArray[Any]) -> None:
        """Starts a step of all environments."""
        self.pool.send(actions)

    def step_wait(self) -> tuple[Any, npt.NDArray[np.float32], npt.NDArray[np.bool_], list[dict[str, Any]]]:
        """Waits for that step.

        Returns:
            (observations, rewards, dones, infos). An infos[i] holds row i of each entry of the pool's info; in a step
            that ends an episode those of its last step, "terminal_observation" and "TimeLimit.truncated".
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
        """Ends the pool."""
        self.pool.close()

    def get_images(self) -> Sequence[npt.NDArray[np.uint8] | None]:
        """A picture of each environment, for `render`."""
        return list(self.pool._frames(self.pool.all_env_ids))

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """The pool's attribute of that name, once for each environment."""
        return [getattr(self.pool, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> NoReturn:
        """Raises NotImplementedError: the environments are no Python objects."""
        raise NotImplementedError(
            f"{self._label} the environments of a pool have no Python attribute {attr_name!r} to set; "
            "env_options gives each its own options"
        )

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> NoReturn:
        """Raises NotImplementedError: the environments are no Python objects."""
        raise NotImplementedError(f"{self._label} the environments of a pool have no Python method {method_name!r}")

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Any = None) -> list[bool]:
        """False for each: a pool's environments have no gymnasium wrappers."""
        return [False] * len(list(self._get_indices(indices)))

    @property
    def _label(self) -> str:
        return f"[{self.pool.spec.id}]"


def _row(tree: Any, index: int) -> Any:
    """Row `index` of a tree of arrays."""
    if isinstance(tree, dict):
        return {key: _row(value, index) for key, value in tree.items()}
    return tree[index].item() if tree.ndim == 1 else tree[index]


def _rows(info: Mapping[str, Any], count: int) -> list[dict[str, Any]]:
    """The rows of an info, without its entries on ends and on players."""
    keys = [key for key in info if key not in _NOT_ROWS]
    columns = [_column(info[key]) for key in keys]
    return [dict(zip(keys, row, strict=True)) for row in zip(*columns, strict=True)] if keys else [{}] * count


_NOT_ROWS = {"players", "final_obs", "_final_obs", "final_info", "_final_info"}


def _column(tree: Any) -> list[Any]:
    """All rows of a tree of arrays."""
    if isinstance(tree, dict):
        columns = [_column(value) for value in tree.values()]
        return [dict(zip(tree, row, strict=True)) for row in zip(*columns, strict=True)]
    return list(tree.tolist() if tree.ndim == 1 else tree)
