# SPDX-License-Identifier: Apache-2.0
"""Registers gymnasium's MuJoCo robots, which our own solver simulates."""

from __future__ import annotations

from envpool.mujoco.gym.environments import ENVIRONMENTS
from envpool.registration import register_family
from envpool.robots.family import Robots, defaults_of

for _environment in ENVIRONMENTS:
    if _environment.name == "Pusher":  # its meshes need MuJoCo's library
        continue
    for _task_id, _options in _environment.versions():
        _table = "Walker2dOld" if _options.get("xml_file") == "walker2d.xml" else _environment.name
        _options.pop("main_body", None)  # the default is the same body, by its number
        register_family(
            _task_id,
            Robots(),
            _table,
            max_episode_steps=_environment.steps,
            reward_threshold=_environment.threshold,
            doc=_environment.doc,
            **{**defaults_of(_table), **_options},
        )
