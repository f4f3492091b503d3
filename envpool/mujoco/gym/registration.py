# SPDX-License-Identifier: Apache-2.0
"""Registers the ids of gymnasium's MuJoCo environments, with its time limits and reward thresholds.

One C++ class has the options of all versions of an environment; its defaults are version 5's.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from envpool.mujoco.family import MujocoFamily
from envpool.mujoco.packages import folder_of, model_source
from envpool.python.options import is_sequence, wrong_type, wrong_value
from envpool.registration import register_family


class GymEnvironment(NamedTuple):
    """One environment and its versions.

    Attributes:
        name: name of the C++ class, and of the ids before the version.
        doc: one line of description.
        steps: time limit.
        threshold: return at which the task counts as solved, or None.
        oldest: the version that used mujoco-py, 2 or 3.
        old: options of the versions before 5.
        v4_only: options of version 4 only.
        renamed: gymnasium's names of options that have other names here.
    """

    name: str
    doc: str
    steps: int = 1000
    threshold: float | None = None
    oldest: int = 3
    old: Mapping[str, Any] = {}
    v4_only: Mapping[str, Any] = {}
    renamed: Mapping[str, str] = {}


_OLD_HUMANOID = {"exclude_worldbody_observations": False, "exclude_root_actuator_forces": False}
_ARM = {"reward_dist_weight": "dist_cost_weight", "reward_control_weight": "ctrl_cost_weight"}

_ENVIRONMENTS = [
    GymEnvironment(
        "Ant",
        "A four-legged robot that is rewarded for walking.",
        threshold=6000.0,
        old={"main_body": "torso", "legacy_healthy_reward": True, "exclude_worldbody_contact_forces": False},
        v4_only={"use_contact_force": False},
        renamed={"use_contact_forces": "use_contact_force"},
    ),
    GymEnvironment("HalfCheetah", "A planar two-legged cheetah that is rewarded for running.", threshold=4800.0),
    GymEnvironment(
        "Hopper", "One leg that is rewarded for hopping.", threshold=3800.0, old={"legacy_healthy_reward": True}
    ),
    GymEnvironment(
        "Humanoid",
        "A humanoid that is rewarded for walking.",
        old={**_OLD_HUMANOID, "legacy_healthy_reward": True},
        v4_only={"use_contact_force": False},
    ),
    GymEnvironment(
        "HumanoidStandup",
        "A humanoid on its back that is rewarded for standing up.",
        oldest=2,
        old=_OLD_HUMANOID,
        renamed={
            "uph_cost_weight": "forward_reward_weight",
            "impact_cost_weight": "contact_cost_weight",
            "impact_cost_range": "contact_cost_range",
        },
    ),
    GymEnvironment(
        "InvertedDoublePendulum",
        "A cart that balances two poles, one on top of the other.",
        threshold=9100.0,
        oldest=2,
        old={
            "reward_if_not_terminated": False,
            "constraint_obs_dim": 3,
            "default_camera_config": "distance=4.1225 lookat=0,0,0.12250000000000005",  # not in version 5
        },
    ),
    GymEnvironment(
        "InvertedPendulum",
        "A cart that balances a pole.",
        threshold=950.0,
        oldest=2,
        old={"reward_if_not_terminated": False},
    ),
    GymEnvironment(
        "Pusher",
        "An arm that is rewarded for pushing a cylinder to a goal.",
        steps=100,
        threshold=0.0,
        oldest=2,
        old={"xml_file": "pusher.xml", "reward_after_step": False, "weighted_reward_info": False},
        renamed={**_ARM, "reward_near_weight": "near_cost_weight"},
    ),
    GymEnvironment(
        "Reacher",
        "An arm that is rewarded for holding its tip near a target.",
        steps=50,
        threshold=-3.75,
        oldest=2,
        old={"reward_after_step": False, "obs_include_z_distance": True},
        renamed=_ARM,
    ),
    GymEnvironment("Swimmer", "A chain of links that is rewarded for swimming.", threshold=360.0),
    GymEnvironment(
        "Walker2d",
        "Two planar legs that are rewarded for walking.",
        old={"xml_file": "walker2d.xml", "legacy_healthy_reward": True},
    ),
]

_RANGES = {
    f"{stem}_range"
    for stem in (
        "healthy_state",
        "healthy_z",
        "healthy_angle",
        "velocity",
        "observation",
        "contact_force",
        "contact_cost",
        "cylinder_x",
        "cylinder_y",
    )
}
_RENAMED: dict[str, Mapping[str, str]] = {}


class GymMujoco(MujocoFamily):
    """gymnasium's MuJoCo environments."""

    PART = "gym"
    MODELS = "gymnasium 1.4.0, envs/mujoco"

    def class_of(self, task_id: str) -> str:
        """Returns the prefix of the names of the id's classes in EnvPool."""
        return "Gym" + task_id.rpartition("-")[0]

    def prepare(self, task_id: str, options: dict[str, Any]) -> dict[str, Any]:
        """Finds the model by the name of one of gymnasium's files, or by a path.

        EnvPool has equivalent copies of gymnasium's files, whose names end with "_envpool.xml"; these names work too.

        Raises:
            ValueError: The file does not exist.
        """
        assets = (folder_of("gymnasium") or Path()) / "envs" / "mujoco" / "assets"
        name = options["xml_file"]
        if isinstance(name, str) and name.endswith("_envpool.xml") and not (assets / name).exists():
            plain = name.removesuffix("_envpool.xml") + ".xml"
            name = plain if "/" not in name and (assets / plain).is_file() else name
        return {**options, "xml_file": model_source(name, assets)}

    def translate(self, task_id: str, caller_options: Mapping[str, Any]) -> dict[str, Any]:
        """Translates gymnasium's options into the declared ones.

        Raises:
            TypeError: A range is not a pair.
            ValueError: An option is given by two names, or the number of a body is too large for C++.
        """
        renamed = _RENAMED[task_id]
        caller_options, result = super().translate(task_id, caller_options), {}

        def put(name: str, value: Any, alias: str) -> None:
            if name in caller_options or name in result:
                raise ValueError(f"{alias} and {name} are the same option: give only one of them")
            result[name] = value

        for alias, value in caller_options.items():
            name = renamed.get(alias, alias)
            if name in _RANGES:
                if not is_sequence(value) or len(value) != 2:
                    raise wrong_type(alias, "a pair of numbers (low, high)", value)
                stem = name.removesuffix("_range")
                put(f"{stem}_min", value[0], alias)
                put(f"{stem}_max", value[1], alias)
            elif name == "main_body" and isinstance(value, int) and not isinstance(value, bool):
                if abs(value) >= 2**31:
                    raise wrong_value("main_body", "the name or number of a body", value)
                result[name] = str(value)
            elif name == "xml_file" and isinstance(value, os.PathLike):
                result[name] = os.fspath(value)
            elif name != alias:
                put(name, value, alias)
            else:
                result[name] = value
        return result


_FAMILY = GymMujoco()


def _register(environment: GymEnvironment, version: int) -> None:
    task_id = f"{environment.name}-v{version}"
    options: dict[str, Any] = {} if version == 5 else {"info_version": version, **environment.old}
    if version == 4:
        options |= environment.v4_only
    if version < 4:
        options["post_constraint"] = False  # mujoco-py did not compute contact forces
    _RENAMED[task_id] = environment.renamed
    register_family(
        task_id,
        _FAMILY,
        environment.name,
        max_episode_steps=environment.steps,
        reward_threshold=environment.threshold,
        doc=environment.doc,
        **options,
    )


# Environments, their versions and time limits. EnvPool has a variable of this name.
gym_mujoco_envs = [
    (environment.name, (f"v{environment.oldest}", "v4", "v5"), environment.steps) for environment in _ENVIRONMENTS
]

for _environment in _ENVIRONMENTS:
    for _version in (_environment.oldest, 4, 5):
        _register(_environment, _version)
