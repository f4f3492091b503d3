# SPDX-License-Identifier: Apache-2.0
"""Describes each number of the observations of gymnasium's robots, with the names that joints and bodies have in the model.

tests/mujoco/observation_tables_test.py compares the values of these numbers with observations.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np


class Part(NamedTuple):
    """One or more consecutive numbers of an observation.

    Attributes:
        meaning: what they are.
        name: the joint or body in the model.
        unit: their unit.
        value: returns them from MuJoCo's data.
    """

    meaning: str
    name: str
    unit: str
    value: Callable[[Any], Any]


def positions(model: Any, first: int = 0, last: int | None = None) -> list[Part]:
    """Returns the positions of the joints, from the number `first` of qpos on."""
    return _of_joints(model, model.jnt_qposadr, _POSITIONS, lambda data: data.qpos, first, last or model.nq)


def velocities(model: Any, last: int | None = None, limit: float = np.inf) -> list[Part]:
    """Returns the velocities of the joints, cut off at -limit and limit."""
    cut = f", at most {limit:g} in each direction" if np.isfinite(limit) else ""
    names = {kind: [(meaning + cut, unit) for meaning, unit in numbers] for kind, numbers in _VELOCITIES.items()}
    value = lambda data: np.clip(data.qvel, -limit, limit)  # noqa: E731
    return _of_joints(model, model.jnt_dofadr, names, value, 0, last or model.nv)


_AXES = "x", "y", "z"
_POSITIONS = {
    0: [
        *((axis, "m") for axis in _AXES),
        *((f"{axis} of the orientation, a quaternion", "") for axis in ("w", *_AXES)),
    ],
    2: [("position", "m")],
    3: [("angle", "rad")],
}
_VELOCITIES = {
    0: [
        *((f"velocity along {axis}", "m/s") for axis in _AXES),
        *((f"angular velocity about {a}", "rad/s") for a in _AXES),
    ],
    2: [("velocity", "m/s")],
    3: [("angular velocity", "rad/s")],
}


def _of_joints(model: Any, begins: Any, names: Any, value: Any, first: int, last: int) -> list[Part]:
    """Returns the numbers from `first` to `last` of an array with an entry for each coordinate of a joint."""
    parts = []
    for joint in range(model.njnt):
        for offset, (meaning, unit) in enumerate(names[int(model.jnt_type[joint])]):
            index = int(begins[joint]) + offset
            if first <= index < last:
                body = model.body(model.jnt_bodyid[joint]).name
                name = f"joint {model.joint(joint).name}" if model.joint(joint).name else f"body {body}"
                parts.append(Part(meaning, name, unit, lambda data, i=index: [value(data)[i]]))
    return parts


def bodies(model: Any, array: str, meaning: str, unit: str, limit: float = np.inf) -> list[Part]:
    """Returns an array's row for each body but the world, cut off at -limit and limit."""

    def part(body: int) -> Part:
        value = lambda data: np.clip(getattr(data, array)[body], -limit, limit)  # noqa: E731
        return Part(meaning, f"body {model.body(body).name or f'number {body}'}", unit, value)

    return [part(body) for body in range(1, model.nbody)]


def place(model: Any, body: str, meaning: str) -> Part:
    """Returns the position of a body."""
    return Part(f"x, y and z of {meaning}", f"body {body}", "m", lambda data: data.body(body).xpos)


def _humanoid(model: Any) -> list[Part]:
    forces = [
        Part("force of the actuator", part.name, "N m", lambda data, i=index: [data.qfrc_actuator[i]])
        for index, part in enumerate(velocities(model))
        if index >= 6
    ]
    return [
        *positions(model, 2),
        *velocities(model),
        *bodies(model, "cinert", "mass and inertia about the centre of mass: 10 numbers", ""),
        *bodies(model, "cvel", "angular velocity and velocity about the centre of mass", "rad/s, m/s"),
        *forces,
        *bodies(model, "cfrc_ext", "torque and force of contacts", "N m, N"),
    ]


def _pusher(model: Any) -> list[Part]:
    places = ("tips_arm", "the arm's tip"), ("object", "the cylinder"), ("goal", "the goal")
    return [*positions(model, last=7), *velocities(model, 7), *(place(model, *names) for names in places)]


def _reacher(model: Any) -> list[Part]:
    return [
        *_functions(model, "cosine", np.cos, 0, 2),
        *_functions(model, "sine", np.sin, 0, 2),
        *positions(model, 2, 4),
        *velocities(model, 2),
        Part(
            "x and y from the target to the tip",
            "body fingertip",
            "m",
            lambda data: (data.body("fingertip").xpos - data.body("target").xpos)[:2],
        ),
    ]


def _functions(model: Any, name: str, function: Any, first: int, last: int) -> list[Part]:
    return [
        Part(f"{name} of the angle", part.name, "", lambda data, part=part: function(part.value(data)))
        for part in positions(model, first, last)
    ]


def _double_pendulum(model: Any) -> list[Part]:
    return [
        *positions(model, last=1),
        *_functions(model, "sine", np.sin, 1, 3),
        *_functions(model, "cosine", np.cos, 1, 3),
        *velocities(model, limit=10),
        Part(
            "constraint force, at most 10 in each direction",
            positions(model)[0].name,
            "N",
            lambda data: np.clip(data.qfrc_constraint, -10, 10)[:1],
        ),
    ]


# By the name of the C++ environment, for the newest version.
LAYOUTS: dict[str, Callable[[Any], list[Part]]] = {
    "Ant": lambda m: [
        *positions(m, 2),
        *velocities(m),
        *bodies(m, "cfrc_ext", "torque and force of contacts, at most 1 in each direction", "N m, N", 1),
    ],
    "HalfCheetah": lambda m: [*positions(m, 1), *velocities(m)],
    "Hopper": lambda m: [*positions(m, 1), *velocities(m, limit=10)],
    "Humanoid": _humanoid,
    "HumanoidStandup": _humanoid,
    "InvertedDoublePendulum": _double_pendulum,
    "InvertedPendulum": lambda m: [*positions(m), *velocities(m)],
    "Pusher": _pusher,
    "Reacher": _reacher,
    "Swimmer": lambda m: [*positions(m, 2), *velocities(m)],
    "Walker2d": lambda m: [*positions(m, 1), *velocities(m, limit=10)],
}


def rows(table: str, model: Any) -> list[list[str]]:
    """Returns the rows of the table: indices, meaning, name in the model, unit; [] for other environments."""
    import mujoco

    if table not in LAYOUTS:
        return []
    data, found, index = mujoco.MjData(model), [], 0
    for part in LAYOUTS[table](model):
        count = len(part.value(data))
        indices = str(index) if count == 1 else f"{index}–{index + count - 1}"
        found.append([indices, part.meaning, part.name, part.unit])
        index += count
    return found
