# SPDX-License-Identifier: Apache-2.0
"""The ids of Box2D, as gymnasium and EnvPool name them."""

from envpool.python.family import Family
from envpool.registration import register_family


class Box2D(Family):
    """Box2D."""

    def reference(self, task_id: str) -> str:
        """Returns where the dynamics of an id come from."""
        return "gymnasium 1.4.0, envs/box2d, with box2d 2.3.10"


_FAMILY = Box2D("box2d")


for _version in (2, 3):  # EnvPool's and gymnasium's
    register_family(
        f"LunarLander-v{_version}",
        _FAMILY,
        "LunarLander",
        max_episode_steps=1000,
        reward_threshold=200.0,
        doc="Land a rocket on a pad by firing its main engine and its two side engines.",
    )
    register_family(
        f"LunarLanderContinuous-v{_version}",
        _FAMILY,
        "LunarLander",
        max_episode_steps=1000,
        reward_threshold=200.0,
        doc="Land a rocket on a pad with throttles for its main engine and its side engines.",
        continuous=True,
    )
