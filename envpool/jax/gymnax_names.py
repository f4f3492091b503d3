# SPDX-License-Identifier: Apache-2.0
"""gymnax's names of parts of states, of parameters and of entries of `info`, where they differ from ours.

The tables are keyed by the name of the environment in its shared object, which several ids may share.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

_STATE_NAMES = {
    "CartPole": {"x": "position", "x_dot": "velocity", "theta": "angle", "theta_dot": "angular_velocity"},
    "Pendulum": {"theta": "angle", "theta_dot": "angular_velocity", "last_u": "torque"},
    "Acrobot": {
        "joint_angle1": "angle1",
        "joint_angle2": "angle2",
        "velocity_1": "velocity1",
        "velocity_2": "velocity2",
    },
    "Catch": {"prev_done": "over"},
    "MinAtarAsterix": {"terminal": "over"},
    "MinAtarBreakout": {"terminal": "over"},
    "MinAtarFreeway": {"terminal": "over"},
    "MinAtarSeaquest": {"terminal": "over"},
    "MinAtarSpaceInvaders": {"terminal": "over"},
    "Pong": {"terminal": "over"},
}
_PARAMETER_NAMES = {
    "MinAtarAsterix": {"ramping": "difficulty_ramping"},
    "MinAtarSeaquest": {"ramping": "difficulty_ramping"},
}

# Parameters of gymnax that are constants here, or that follow from other parameters.
_FIXED: dict[str, dict[str, float | tuple[float, ...] | Callable[[Any], Any]]] = {
    "CartPole": {
        "total_mass": lambda params: params.masscart + params.masspole,
        "polemass_length": lambda params: params.masspole * params.length,
    },
    "Pendulum": {"max_speed": 8.0, "max_torque": 2.0, "dt": 0.05},
    "MountainCar": {"min_position": -1.2, "max_position": 0.6, "max_speed": 0.07, "goal_position": 0.5},
    "MountainCarContinuous": {
        "min_action": -1.0,
        "max_action": 1.0,
        "min_position": -1.2,
        "max_position": 0.6,
        "max_speed": 0.07,
        "goal_position": 0.45,
        "gravity": 0.0025,
    },
    "Acrobot": {
        "available_torque": (-1.0, 0.0, 1.0),
        "dt": 0.2,
        "link_length_1": 1.0,
        "link_length_2": 1.0,
        "link_mass_1": 1.0,
        "link_mass_2": 1.0,
        "link_com_pos_1": 0.5,
        "link_com_pos_2": 0.5,
        "link_moi": 1.0,
        "max_vel_1": 4 * math.pi,
        "max_vel_2": 9 * math.pi,
    },
    "MinAtarAsterix": {"ramp_interval": 100, "init_spawn_speed": 10, "init_move_interval": 5, "shot_cool_down": 5},
    "MinAtarFreeway": {"player_speed": 3},
    "MinAtarSeaquest": {
        "ramp_interval": 100,
        "init_spawn_speed": 20,
        "init_move_interval": 5,
        "max_oxygen": 200,
        "diver_spawn_speed": 30,
        "shot_cool_down": 5,
        "enemy_shot_interval": 10,
        "enemy_move_interval": 5,
        "diver_move_interval": 5,
    },
    "MinAtarSpaceInvaders": {"shot_cool_down": 5, "enemy_move_interval": 12, "enemy_shot_interval": 10},
}

_CLASSIC_IDS = {"CartPole-v1", "Pendulum-v1", "Acrobot-v1", "MountainCar-v0", "MountainCarContinuous-v0"}
_ID_ENDINGS = ("-bsuite", "-misc", "-MinAtar")


def state_name(environment: str, name: str, known: Iterable[str]) -> str:
    """Returns our name of a part of a state. `known` are our names, which have precedence over gymnax's."""
    if name in known:
        return name
    return "elapsed_step" if name == "time" else _STATE_NAMES.get(environment, {}).get(name, name)


def gymnax_state_names(environment: str, known: Iterable[str]) -> dict[str, str]:
    """Returns our name for each of gymnax's names of parts of a state that differ from ours."""
    names = {"time": "elapsed_step", **_STATE_NAMES.get(environment, {})}
    return {theirs: ours for theirs, ours in names.items() if theirs not in known}


def parameter_name(environment: str, name: str, known: Iterable[str]) -> str:
    """Returns our name of a parameter. `known` are our names, which have precedence over gymnax's.

    An underscore may stand for each dot of our name: "model_body_mass" is "model.body_mass".
    """
    if name in known:
        return name
    if name == "max_steps_in_episode":
        return "max_episode_steps"
    as_identifiers = {ours.replace(".", "_"): ours for ours in known}
    return as_identifiers.get(name) or _PARAMETER_NAMES.get(environment, {}).get(name, name)


def gymnax_parameter_names(environment: str) -> list[str]:
    """Returns gymnax's names of parameters that differ from ours, and the names of parameters that are fixed here."""
    return ["max_steps_in_episode", *_PARAMETER_NAMES.get(environment, {}), *_FIXED.get(environment, {})]


def fixed_parameters(environment: str) -> dict[str, float | tuple[float, ...] | Callable[[Any], Any]]:
    """Returns parameters of gymnax that cannot be changed here: constants, and functions of other parameters."""
    return _FIXED.get(environment, {})


def info_of_gymnax(task_id: str, info: dict[str, Any]) -> dict[str, Any]:
    """Returns the entries of `info` that gymnax 1 has, for ids of gymnax. For other ids, returns all but one.

    gymnax's wrapper for Brax expects that steps add no entries to those of a reset.
    """
    if task_id not in _CLASSIC_IDS and not task_id.endswith(_ID_ENDINGS):
        return {name: value for name, value in info.items() if name != "elapsed_step"}
    names = ["discount", "terminated", "truncated", "final_observation"]
    if task_id == "FrozenLake-misc":
        names.append("p")
    return {name: info[name] for name in names}


def cell_part(environment: str, options: Mapping[str, Any]) -> tuple[str, tuple[str, str], int] | None:
    """Returns a part of gymnax's state that is a cell of a grid, where ours has a row and a column.

    Returns:
        The name, the names of the row and the column, and the number of columns; or None.
    """
    if environment != "FrozenLake":
        return None
    lines = options["desc"].split()
    return "position", ("row", "column"), len(lines[0]) if lines else options["size"]
