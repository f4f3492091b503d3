# SPDX-License-Identifier: Apache-2.0
"""Ids of gymnasium's MuJoCo environments: time limits and thresholds as gymnasium registers them.

A body is one C++ class with the options of all its versions; what C++ declares is version 5.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from envpool.mujoco.family import MujocoFamily
from envpool.mujoco.packages import folder_of, model_source
from envpool.registration import register_family


class Body(NamedTuple):
    """What is registered of one body.

    Attributes:
        name: of the C++ class, and of the ids before their version.
        doc: one line of meaning.
        steps: time limit.
        threshold: return at which the task counts as solved, or None.
        oldest: the version that used mujoco-py, 2 or 3.
        old: options of all versions before 5.
        v4_only: options of version 4 alone.
        renamed: gymnasium's names of options that have another name here.
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

_BODIES = [
    Body(
        "Ant",
        "A four-legged body that is paid for walking.",
        threshold=6000.0,
        old={"main_body": "torso", "legacy_healthy_reward": True, "exclude_worldbody_contact_forces": False},
        v4_only={"use_contact_force": False},
        renamed={"use_contact_forces": "use_contact_force"},
    ),
    Body("HalfCheetah", "A two-legged cat in a plane that is paid for running.", threshold=4800.0),
    Body("Hopper", "One leg that is paid for hopping.", threshold=3800.0, old={"legacy_healthy_reward": True}),
    Body(
        "Humanoid",
        "A two-legged, two-armed body that is paid for walking.",
        old={**_OLD_HUMANOID, "legacy_healthy_reward": True},
        v4_only={"use_contact_force": False},
    ),
    Body(
        "HumanoidStandup",
        "A humanoid on its back that is paid for getting up.",
        oldest=2,
        old=_OLD_HUMANOID,
        renamed={
            "uph_cost_weight": "forward_reward_weight",
            "impact_cost_weight": "contact_cost_weight",
            "impact_cost_range": "contact_cost_range",
        },
    ),
    Body(
        "InvertedDoublePendulum",
        "A cart that balances a pole on a pole.",
        threshold=9100.0,
        oldest=2,
        old={
            "reward_if_not_terminated": False,
            "constraint_obs_dim": 3,
            "default_camera_config": "distance=4.1225 lookat=0,0,0.12250000000000005",  # v5 forgot it
        },
    ),
    Body(
        "InvertedPendulum",
        "A cart that balances a pole.",
        threshold=950.0,
        oldest=2,
        old={"reward_if_not_terminated": False},
    ),
    Body(
        "Pusher",
        "An arm that is paid for pushing a cylinder to a goal.",
        steps=100,
        threshold=0.0,
        oldest=2,
        old={"xml_file": "pusher.xml", "reward_after_step": False, "weighted_reward_info": False},
        renamed={**_ARM, "reward_near_weight": "near_cost_weight"},
    ),
    Body(
        "Reacher",
        "An arm that is paid for being near a target.",
        steps=50,
        threshold=-3.75,
        oldest=2,
        old={"reward_after_step": False, "obs_include_z_distance": True},
        renamed=_ARM,
    ),
    Body("Swimmer", "A chain of links that is paid for swimming.", threshold=360.0),
    Body(
        "Walker2d",
        "Two legs in a plane that are paid for walking.",
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
        """Finds the model, which is one of gymnasium's if it is no path.

        EnvPool has copies of them whose names end with "_envpool.xml"; MuJoCo makes the same model of a copy.

        Raises:
            ValueError: there is no such file.
        """
        assets = (folder_of("gymnasium") or Path()) / "envs" / "mujoco" / "assets"
        name = options["xml_file"]
        if isinstance(name, str) and name.endswith("_envpool.xml") and not (assets / name).exists():
            plain = name.removesuffix("_envpool.xml") + ".xml"
            name = plain if "/" not in name and (assets / plain).is_file() else name
        return {**options, "xml_file": model_source(name, assets)}

    def translate(self, task_id: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """Brings gymnasium's names and forms of options into the declared ones.

        Raises:
            TypeError: a range is not a pair.
            ValueError: an option is given under two names.
        """
        renamed = _RENAMED[task_id]
        given, result = super().translate(task_id, given), {}

        def put(name: str, value: Any, alias: str) -> None:
            if name in given or name in result:
                raise ValueError(f"{alias} and {name} are the same: give one of them")
            result[name] = value

        for alias, value in given.items():
            name = renamed.get(alias, alias)
            if name in _RANGES:
                if isinstance(value, str) or not hasattr(value, "__len__") or len(value) != 2:
                    raise TypeError(f"{alias} must be a pair of numbers (low, high), got {value!r}")
                stem = name.removesuffix("_range")
                put(f"{stem}_min", value[0], alias)
                put(f"{stem}_max", value[1], alias)
            elif name == "main_body" and isinstance(value, int) and not isinstance(value, bool):
                result[name] = str(value)
            elif name == "xml_file" and isinstance(value, os.PathLike):
                result[name] = os.fspath(value)
            elif name != alias:
                put(name, value, alias)
            else:
                result[name] = value
        return result


_FAMILY = GymMujoco()


def _register(body: Body, version: int) -> None:
    task_id = f"{body.name}-v{version}"
    options: dict[str, Any] = {} if version == 5 else {"info_version": version, **body.old}
    if version == 4:
        options |= body.v4_only
    if version < 4:
        options["post_constraint"] = False  # mujoco-py computed no contact forces
    _RENAMED[task_id] = body.renamed
    register_family(
        task_id,
        _FAMILY,
        body.name,
        max_episode_steps=body.steps,
        reward_threshold=body.threshold,
        doc=body.doc,
        **options,
    )


# EnvPool's name for it: bodies, their versions, time limits.
gym_mujoco_envs = [(body.name, (f"v{body.oldest}", "v4", "v5"), body.steps) for body in _BODIES]

for _body in _BODIES:
    for _version in (_body.oldest, 4, 5):
        _register(_body, _version)
