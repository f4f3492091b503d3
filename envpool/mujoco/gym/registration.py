# SPDX-License-Identifier: Apache-2.0
"""Registers gymnasium's Pusher, which needs MuJoCo's library. The other robots are in `envpool.robots`."""

from __future__ import annotations

from envpool.mujoco.gym.environments import ENVIRONMENTS, gym_mujoco_envs
from envpool.mujoco.gym.family import GymMujoco
from envpool.registration import register_family

__all__ = ["gym_mujoco_envs"]

for _environment in ENVIRONMENTS:
    if _environment.name == "Pusher":
        for _task_id, _options in _environment.versions():
            register_family(
                _task_id,
                GymMujoco(),
                _environment.name,
                max_episode_steps=_environment.steps,
                reward_threshold=_environment.threshold,
                doc=_environment.doc,
                backend="mujoco",
                **_options,
            )
