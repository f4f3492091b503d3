# SPDX-License-Identifier: Apache-2.0
"""Registers MuJoCo's robots on our own solver, under gymnasium's ids with "robots/" before them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envpool.python.family import Family
from envpool.python.options import is_sequence, wrong_type
from envpool.registration import register_family

_RANGES = {"healthy_state", "healthy_z", "healthy_angle", "velocity", "observation", "contact_force", "contact_cost"}
_RENAMED = {
    "Ant": {"use_contact_forces": "use_contact_force"},
    "HumanoidStandup": {
        "uph_cost_weight": "forward_reward_weight",
        "impact_cost_weight": "contact_cost_weight",
        "impact_cost_range": "contact_cost_range",
    },
    "Reacher": {"reward_dist_weight": "dist_cost_weight", "reward_control_weight": "ctrl_cost_weight"},
}


class Robots(Family):
    """MuJoCo's robots on our own solver, which needs no library."""

    def reference(self, task_id: str) -> str:
        """Returns where the dynamics of an id come from."""
        return "gymnasium 1.4.0, envs/mujoco, with MuJoCo 3.17.0 and our sine and cosine"

    def translate(self, task_id: str, caller_options: Mapping[str, Any]) -> dict[str, Any]:
        """Translates gymnasium's options into the declared ones.

        Raises:
            TypeError: a range is not a pair.
            ValueError: an option is given by two names.
        """
        robot = task_id.removeprefix("robots/").rpartition("-")[0]
        renamed, result = _RENAMED.get(robot, {}), dict[str, Any]()

        def put(name: str, value: Any, alias: str) -> None:
            if name in result or (name != alias and name in caller_options):
                raise ValueError(f"{alias} and {name} are the same option: give only one of them")
            result[name] = value

        for alias, value in caller_options.items():
            name = renamed.get(alias, alias)
            stem = name.removesuffix("_range")
            if stem != name and stem in _RANGES:
                if not is_sequence(value) or len(value) != 2:
                    raise wrong_type(alias, "a pair of numbers (low, high)", value)
                put(f"{stem}_min", value[0], alias)
                put(f"{stem}_max", value[1], alias)
            else:
                put(name, value, alias)
        return result


_FAMILY = Robots("robots")
_OLD_HUMANOID = {"exclude_worldbody_observations": False, "exclude_root_actuator_forces": False}
_LEGACY = {"legacy_healthy_reward": True}


def _register(
    robot: str,
    doc: str,
    *,
    steps: int = 1000,
    threshold: float | None = None,
    oldest: int = 3,
    old: Mapping[str, Any] = {},
    v4: Mapping[str, Any] = {},
    old_table: str = "",
    v3: Mapping[str, Any] = {},
) -> None:
    """Registers all versions of a robot.

    Args:
        robot: the name of its ids before the version.
        doc: one line of description.
        steps: the time limit.
        threshold: the return at which the task counts as solved.
        oldest: the version that used mujoco-py, 2 or 3.
        old: options of the versions before 5.
        v4: options of version 4 only.
        old_table: the name of the environment of the versions before 5, if it is another one.
        v3: options of version 2 or 3 only.
    """
    for version in (oldest, 4, 5):
        options = {} if version == 5 else {"info_version": version, **old, **(v4 if version == 4 else v3)}
        register_family(
            f"robots/{robot}-v{version}",
            _FAMILY,
            (version < 5 and old_table) or robot,
            max_episode_steps=steps,
            reward_threshold=threshold,
            doc=doc,
            **options,
        )


_register(
    "Ant",
    "A four-legged robot that is rewarded for walking.",
    threshold=6000.0,
    old={**_LEGACY, "exclude_worldbody_contact_forces": False},
    v4={"use_contact_force": False},
    v3={"post_constraint": False},  # mujoco-py did not compute contact forces
)
_register("HalfCheetah", "A planar two-legged cheetah that is rewarded for running.", threshold=4800.0)
_register("Hopper", "One leg that is rewarded for hopping.", threshold=3800.0, old=_LEGACY)
_register(
    "Humanoid",
    "A humanoid that is rewarded for walking.",
    old={**_OLD_HUMANOID, **_LEGACY},
    v4={"use_contact_force": False},
    v3={"post_constraint": False},
)
_register(
    "HumanoidStandup",
    "A humanoid on its back that is rewarded for standing up.",
    oldest=2,
    old=_OLD_HUMANOID,
    v3={"post_constraint": False},
)
_register(
    "InvertedDoublePendulum",
    "A cart that balances two poles, one on top of the other.",
    threshold=9100.0,
    oldest=2,
    old={"reward_if_not_terminated": False, "constraint_obs_dim": 3},
)
_register(
    "InvertedPendulum",
    "A cart that balances a pole.",
    threshold=950.0,
    oldest=2,
    old={"reward_if_not_terminated": False},
)
_register(
    "Reacher",
    "An arm that is rewarded for holding its tip near a target.",
    steps=50,
    threshold=-3.75,
    oldest=2,
    old={"reward_after_step": False, "obs_include_z_distance": True},
)
_register("Swimmer", "A chain of links that is rewarded for swimming.", threshold=360.0)
_register("Walker2d", "Two planar legs that are rewarded for walking.", old=_LEGACY, old_table="Walker2dOld")
