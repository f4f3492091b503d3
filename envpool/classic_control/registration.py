# SPDX-License-Identifier: Apache-2.0
"""Registers classic control under the ids of gymnasium and EnvPool."""

import math

from envpool.python.family import Family, StartRange
from envpool.registration import register_family

# The ranges that the `reset` of each environment draws from, which gymnasium's options of a reset replace.
_STARTS = {
    "CartPole": (StartRange(("position", "velocity", "angle", "angular_velocity"), -0.05, 0.05),),
    "Acrobot": (StartRange(("angle1", "angle2", "velocity1", "velocity2"), -0.1, 0.1, dtype="float32"),),
    "MountainCar": (StartRange(("position",), -0.6, -0.4),),
    "MountainCarContinuous": (StartRange(("position",), -0.6, -0.4),),
    "Pendulum": (
        StartRange(("angle",), -math.pi, math.pi, ("x_init",)),
        StartRange(("angular_velocity",), -1.0, 1.0, ("y_init",)),
    ),
}


class ClassicControl(Family):
    """Classic control."""

    def reference(self, task_id: str) -> str:
        """Returns where the dynamics of an id come from."""
        if task_id.startswith("phys2d/"):
            return "gymnasium 1.4.0, envs/phys2d"
        if task_id == "Pendulum-v0":
            return "gymnasium 1.4.0, envs/classic_control, with the order of updates of gym's Pendulum-v0"
        return "gymnasium 1.4.0, envs/classic_control"

    def start_ranges(self, table: str) -> tuple[StartRange, ...]:
        """Returns the ranges of initial states that options of a reset can replace."""
        return _STARTS.get(table, ())


_FAMILY = ClassicControl("classic_control")


register_family(
    "CartPole-v0",
    _FAMILY,
    "CartPole",
    max_episode_steps=200,
    reward_threshold=195.0,
    doc="Keep a pole upright on a cart for 200 steps.",
)
register_family(
    "CartPole-v1",
    _FAMILY,
    "CartPole",
    max_episode_steps=500,
    reward_threshold=475.0,
    doc="Keep a pole upright on a cart for 500 steps.",
)
register_family(
    "Pendulum-v0",
    _FAMILY,
    "Pendulum",
    max_episode_steps=200,
    doc="Swing a rod up with a weak motor and keep it upright; the velocity is limited after it has moved the angle.",
    version=0,
)
register_family(
    "Pendulum-v1",
    _FAMILY,
    "Pendulum",
    max_episode_steps=200,
    doc="Swing a rod up with a weak motor and keep it upright.",
    version=1,
)
register_family(
    "MountainCar-v0",
    _FAMILY,
    "MountainCar",
    max_episode_steps=200,
    reward_threshold=-110.0,
    doc="Drive a weak car out of a valley by accelerating left, right or not at all.",
)
register_family(
    "MountainCarContinuous-v0",
    _FAMILY,
    "MountainCarContinuous",
    max_episode_steps=999,
    reward_threshold=90.0,
    doc="Drive a weak car out of a valley with a continuous throttle, whose use costs reward.",
)
register_family(
    "Acrobot-v1",
    _FAMILY,
    "Acrobot",
    max_episode_steps=500,
    reward_threshold=-100.0,
    doc="Swing the end of a two-link chain above a line with a motor between the links.",
)
register_family(
    "phys2d/CartPole-v0",
    _FAMILY,
    "Phys2dCartPole",
    max_episode_steps=200,
    reward_threshold=195.0,
    doc="Keep a pole upright on a cart for 200 steps, with the float32 dynamics of gymnasium's phys2d.",
)
register_family(
    "phys2d/CartPole-v1",
    _FAMILY,
    "Phys2dCartPole",
    max_episode_steps=500,
    reward_threshold=475.0,
    doc="Keep a pole upright on a cart for 500 steps, with the float32 dynamics of gymnasium's phys2d.",
)
register_family(
    "phys2d/Pendulum-v0",
    _FAMILY,
    "Phys2dPendulum",
    max_episode_steps=200,
    doc="Swing a rod up with a weak motor and keep it upright, with the float32 dynamics of gymnasium's phys2d.",
)
