# SPDX-License-Identifier: Apache-2.0
"""gymnasium's MuJoCo environments and their versions, with gymnasium's time limits and reward thresholds.

One C++ class has the options of all versions of an environment; its defaults are version 5's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple


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

    def versions(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Returns each id with the defaults in which it differs from version 5."""
        for version in (self.oldest, 4, 5):
            options: dict[str, Any] = {} if version == 5 else {"info_version": version, **self.old}
            if version == 4:
                options |= self.v4_only
            if version < 4:
                options["post_constraint"] = False  # mujoco-py did not compute contact forces
            yield f"{self.name}-v{version}", options


_OLD_HUMANOID = {"exclude_worldbody_observations": False, "exclude_root_actuator_forces": False}
_ARM = {"reward_dist_weight": "dist_cost_weight", "reward_control_weight": "ctrl_cost_weight"}

ENVIRONMENTS = [
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

_MODELS = {
    "HumanoidStandup": "humanoidstandup.xml",
    "HalfCheetah": "half_cheetah.xml",
    "InvertedDoublePendulum": "inverted_double_pendulum.xml",
    "InvertedPendulum": "inverted_pendulum.xml",
    "Walker2d": "walker2d_v5.xml",
    "Walker2dOld": "walker2d.xml",
}


def model_of(table: str) -> str:
    """Returns the name of gymnasium's file with the model of one of our solver's robots."""
    return _MODELS.get(table, f"{table.lower()}.xml")


# Environments, their versions and time limits. EnvPool has a variable of this name.
gym_mujoco_envs = [
    (environment.name, (f"v{environment.oldest}", "v4", "v5"), environment.steps) for environment in ENVIRONMENTS
]
