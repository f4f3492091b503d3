# SPDX-License-Identifier: Apache-2.0
"""Registers the Box2D environments under the ids of gymnasium and EnvPool."""

from envpool.python.family import Family, ImportPath
from envpool.registration import register_family


class Box2D(Family):
    """Box2D."""

    def reference(self, task_id: str) -> str:
        """Returns where the dynamics of an id come from."""
        return "gymnasium 1.4.0, envs/box2d, with box2d 2.3.10"

    def import_paths(self, task_id: str, table: str) -> list[ImportPath]:
        """Returns the import paths of the classes of an id. EnvPool has a discrete and a continuous LunarLander."""
        kind = "" if table != "LunarLander" else "Continuous" if "Continuous" in task_id else "Discrete"
        return [ImportPath("envpool.box2d", table + kind)]


_FAMILY = Box2D("box2d")


for _version in (2, 3):  # EnvPool's version and gymnasium's
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

register_family(
    "BipedalWalker-v3",
    _FAMILY,
    "BipedalWalker",
    max_episode_steps=1600,
    reward_threshold=300.0,
    doc="Walk over uneven ground on two legs.",
)
register_family(
    "BipedalWalkerHardcore-v3",
    _FAMILY,
    "BipedalWalker",
    max_episode_steps=2000,
    reward_threshold=300.0,
    doc="Walk on two legs over stumps, pits and stairs.",
    hardcore=True,
)

for _version in (2, 3):
    register_family(
        f"CarRacing-v{_version}",
        _FAMILY,
        "CarRacing",
        max_episode_steps=1000,
        reward_threshold=900.0,
        doc="Drive a car around a random track, seen from above.",
    )
