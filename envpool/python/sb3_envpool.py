# SPDX-License-Identifier: Apache-2.0
"""The interface of Stable-Baselines3: a pool as a `VecEnv`. Only `envpool.make_sb3` imports this module."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from envpool.python.distribution import raise_missing

try:
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import VecEnv
except ModuleNotFoundError as error:
    raise_missing(error, "stable_baselines3", "make_sb3", "Stable-Baselines3", "stable-baselines3")

from envpool.python.common_options import require_cpu
from envpool.python.errors import labelled
from envpool.python.gymnasium_envpool import GymnasiumEnvPool, PoolResetNeeded
from envpool.python.options import check_autoreset_mode, shown
from envpool.python.registry import Registration
from envpool.python.reset_options import for_all


class SB3EnvPool(VecEnv):
    """A pool with the interface of Stable-Baselines3.

    A step that ends an episode starts the next one; `infos[i]["terminal_observation"]` holds the last observation. With
    `episode_statistics`, `infos[i]["episode"]` has the return "r", the length "l" and the time "t" of an episode (of a
    game, with Atari's lives) that has ended, as with Stable-Baselines3's Monitor and VecMonitor.

    Attributes:
        pool: the pool, a `GymnasiumEnvPool`.
        reset_infos: for each environment, the info of its last reset.
    """

    def __init__(self, registration: Registration, caller_options: Mapping[str, Any]) -> None:
        label = registration.task_id
        require_cpu(label, caller_options, "Stable-Baselines3")
        mode = caller_options.get("autoreset_mode", "same_step")
        with labelled(label):
            checked = check_autoreset_mode(mode)
        if checked != "same_step":
            raise ValueError(f"[{label}] autoreset_mode: expected 'same_step' for Stable-Baselines3, got {shown(mode)}")
        self.pool = GymnasiumEnvPool(registration, {**caller_options, "autoreset_mode": "same_step"})
        self.pool._reset_keys = ()
        self._has_masks = any(
            field.name.removeprefix("info:") == "action_mask" for field in self.pool.spec.arrays.infos
        )
        self._masks: npt.NDArray[np.bool_] | None = None  # of the current states
        self._seen = 0  # the value of the pool's counter of replaced states to which the masks correspond
        self._counts_episodes = self.pool.config["episode_statistics"]
        self._made_at = time.time()
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
        """Starts new episodes and returns the observations.

        The next seeds are those that `seed` was last called with, and the options those of `set_options`: a mapping for
        all environments, or one for each. `pool.set_options` sets options from the next episodes on, without a reset.
        """
        seeds = None if self._seeds[0] is None else list(self._seeds)
        options_of_each = list(self._options)
        self._reset_options()  # so that wrong options do not fail the next reset too
        self.pool._abandon()
        options = for_all(options_of_each, self.pool._changing_names())
        if options is not None:
            observation, info = self.pool.reset(seed=seeds, options=options)
        else:
            env_ids = np.split(self.pool.all_env_ids, self.num_envs)
            checked = [
                self.pool._checked_options(each, own) for each, own in zip(env_ids, options_of_each, strict=True)
            ]
            if seeds is not None:
                self.pool._checked_seed(seeds, self.num_envs)
            for i, own in enumerate(checked):  # none of these resets can fail because of wrong arguments
                self.pool._reset(env_ids[i], None if seeds is None else [seeds[i]], options=own)
            observation, info = self.pool.observe()
        self.reset_infos = _rows(info, self.num_envs)
        self._set_masks(info)
        self._reset_seeds()
        return observation

    def step_async(self, actions: npt.NDArray[Any]) -> None:
        """Starts a step of all environments without waiting for it.

        If a signal, such as Ctrl-C, has interrupted the last step, its results are dropped.

        Raises:
            PoolResetNeeded: the environments have not been reset yet.
        """
        if not self.pool.closed and not self.pool._has_begun():
            raise PoolResetNeeded(f"{self._label} step: expected a call of reset before the first step, got none")
        self.pool._abandon()
        self.pool.send(actions)

    def step_wait(self) -> tuple[Any, npt.NDArray[np.float32], npt.NDArray[np.bool_], list[dict[str, Any]]]:
        """Waits for the step that `step_async` started.

        Returns:
            (observations, rewards, dones, infos). infos[i] holds row i of each entry of the pool's info. In a step that
            ends an episode, the entries are those of the ended episode, with "terminal_observation" and
            "TimeLimit.truncated", and `reset_infos[i]` has those of the new episode.
        """
        observation, reward, terminated, truncated, info = self.pool.recv()
        infos = _rows(info, self.num_envs)
        self._set_masks(info)
        done = terminated | truncated
        for i in np.flatnonzero(done).tolist():
            counted = {key: infos[i][key] for key in _COUNTED if key in infos[i]}
            last = _row(info["final_info"], i)
            # With Atari's lives, `terminated` in the info says whether the game is over too. If it is not, counts go on.
            game_over = bool(truncated[i] or last.get("terminated", True))
            first = {key: type(value)() for key, value in counted.items()} if game_over else counted
            self.reset_infos[i] = {**infos[i], **first}
            infos[i] = {
                "env_id": i,
                **counted,
                **last,
                "terminal_observation": _row(info["final_obs"], i),
                "TimeLimit.truncated": bool(truncated[i] and not terminated[i]),
            }
            if self._counts_episodes and game_over:
                infos[i]["episode"] = {
                    "r": counted["episode_return"],
                    "l": counted["episode_length"],
                    "t": round(time.time() - self._made_at, 6),
                }
        return observation, reward, done, infos

    def close(self) -> None:
        """Closes the pool."""
        self.pool.close()

    def get_images(self) -> Sequence[npt.NDArray[np.uint8] | None]:
        """Returns an image of each environment, for `render`."""
        return list(self.pool._rendered(self.pool.all_env_ids))

    def snapshot(self, env_id: Any = None) -> bytes | list[bytes]:
        """Returns the whole state of one environment, or of several; see `EnvPoolMixin.snapshot`."""
        state: bytes | list[bytes] = self.pool.snapshot(env_id)
        return state

    def restore(self, env_id: Any, state: Any) -> None:
        """Restores states that `snapshot` returned; see `EnvPoolMixin.restore`."""
        self.pool.restore(env_id, state)

    def clone(self, source_env_id: Any, env_ids: Any = None, seed: Any = None) -> None:
        """Copies the whole states of environments into others; see `EnvPoolMixin.clone`."""
        self.pool.clone(source_env_id, env_ids, seed)

    def observe(self, env_ids: Any = None) -> Any:
        """Returns the observations of the current states, for example after `restore`; None means of all."""
        return self.pool.observe(env_ids)[0]

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Returns the masks of the actions in the current states, bool of shape (num_envs, choices).

        sb3-contrib's MaskablePPO calls `env_method("action_masks")`.

        Raises:
            AttributeError: the environment has no info "action_mask".
            RuntimeError: the environments have not been reset yet.
        """
        if not self._has_masks:
            raise AttributeError(f"{self._label} action_masks: the environment has no info 'action_mask'")
        if self._seen != self.pool._replaced and self.pool._has_begun():  # states have been restored or copied
            self._set_masks(self.pool.observe()[1])
        if self._masks is None:
            raise RuntimeError(f"{self._label} action_masks: expected a call of reset before, got none")
        return self._masks.copy()

    def _set_masks(self, info: Mapping[str, Any]) -> None:
        self._masks, self._seen = info.get("action_mask"), self.pool._replaced

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Returns an attribute of the pool, repeated for each environment."""
        chosen = list(self._get_indices(indices))
        if attr_name == "action_masks" and self._has_masks:
            return [partial(self._mask, index) for index in chosen]
        return [getattr(self.pool, attr_name)] * len(chosen)

    def _mask(self, index: int) -> npt.NDArray[np.bool_]:
        row: npt.NDArray[np.bool_] = self.action_masks()[index]
        return row

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> NoReturn:
        """Raises NotImplementedError: the environments are not Python objects."""
        raise NotImplementedError(
            f"{self._label} set_attr: the environments of a pool are not Python objects and have no attribute "
            f"{attr_name!r}; the option env_options sets options of single environments"
        )

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        """Returns the rows of `action_masks`.

        Raises:
            NotImplementedError: another method, because the environments are not Python objects.
        """
        if method_name == "action_masks" and self._has_masks:
            return list(self.action_masks()[list(self._get_indices(indices))])
        raise NotImplementedError(
            f"{self._label} env_method: the environments of a pool are not Python objects and have no method "
            f"{method_name!r}"
        )

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Any = None) -> list[bool]:
        """Returns False for each environment, because the environments of a pool have no gymnasium wrappers.

        With `episode_statistics`, the pool does what a Monitor does, so it returns True for that class.
        """
        return [self._counts_episodes and wrapper_class is Monitor] * len(list(self._get_indices(indices)))

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


_COUNTED = ("elapsed_step", "episode_return", "episode_length")  # in a row that ends an episode, those of that episode
_NOT_ROWS = {"players", "final_obs", "_final_obs", "final_info", "_final_info"}


def _column(tree: Any) -> list[Any]:
    """Returns all rows of a tree of arrays."""
    if isinstance(tree, dict):
        columns = [_column(value) for value in tree.values()]
        return [dict(zip(tree, row, strict=True)) for row in zip(*columns, strict=True)]
    return list(tree.tolist() if tree.ndim == 1 else tree)
