# SPDX-License-Identifier: Apache-2.0
"""Registers gymnasium's MuJoCo environments.

Our own solver simulates them, unless an option needs MuJoCo's library (`envpool/robots/family.py`). Pusher, which has
meshes, always needs it.
"""

from __future__ import annotations

from typing import Any

from envpool.mujoco.gym.environments import ENVIRONMENTS, GymEnvironment, gym_mujoco_envs
from envpool.mujoco.gym.family import GymMujoco
from envpool.registration import register_family
from envpool.robots.family import Robots, defaults_of

__all__ = ["gym_mujoco_envs"]


def _register(environment: GymEnvironment, task_id: str, options: dict[str, Any]) -> None:
    family: GymMujoco = GymMujoco()
    table, defaults = environment.name, {"backend": "mujoco", **options}
    if environment.name != "Pusher":
        family = Robots()
        table = "Walker2dOld" if options.get("xml_file") == "walker2d.xml" else environment.name
        options.pop("main_body", None)  # our default is the same body, by its number
        defaults = {**defaults_of(table), **options}
    register_family(
        task_id,
        family,
        table,
        max_episode_steps=environment.steps,
        reward_threshold=environment.threshold,
        doc=environment.doc,
        **defaults,
    )


for _environment in ENVIRONMENTS:
    for _task_id, _options in _environment.versions():
        _register(_environment, _task_id, _options)
