# SPDX-License-Identifier: Apache-2.0
"""Random values of the fields of MuJoCo's models that can change, and models that a user of MuJoCo changes by hand."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import numpy.typing as npt

Values = dict[str, npt.NDArray[np.float64]]  # of fields, by their names in MjModel

SCALED = (  # fields that may not be negative
    "opt.density",
    "opt.viscosity",
    "body_mass",
    "body_inertia",
    "jnt_stiffness",
    "dof_frictionloss",
    "dof_armature",
    "dof_damping",
    "geom_friction",
    "geom_size",
    "tendon_stiffness",
    "tendon_damping",
)
SHIFTED = (
    "opt.gravity",
    "opt.wind",
    "opt.magnetic",
    "qpos_spring",
    "body_pos",
    "body_ipos",
    "body_gravcomp",
    "geom_pos",
    "site_pos",
    "actuator_gainprm",
    "actuator_biasprm",
    "actuator_gear",
)
TURNED = ("body_quat", "body_iquat", "geom_quat")
RANGES = ("jnt_range", "actuator_forcerange")
FIELDS = (*SCALED, *SHIFTED, *TURNED, *RANGES)


def read(model: Any, name: str) -> npt.NDArray[np.float64]:
    """Returns a copy of a field, such as "body_mass" or "opt.gravity"."""
    at = model.opt if name.startswith("opt.") else model
    return np.array(getattr(at, name.removeprefix("opt.")), np.float64)


def write(model: Any, name: str, value: Any) -> None:
    """Sets a field."""
    if name.startswith("opt.") and np.ndim(value) == 0:
        setattr(model.opt, name.removeprefix("opt."), float(value))
    else:
        getattr(model.opt if name.startswith("opt.") else model, name.removeprefix("opt."))[:] = value


def names_of(model: Any) -> list[str]:
    """Returns the fields that are not empty."""
    return [name for name in FIELDS if read(model, name).size]


def random_values(model: Any, rng: np.random.Generator, names: Any = FIELDS) -> Values:
    """Returns other values of the fields, with which the robot still moves like a robot."""
    values: Values = {}
    for name in names:
        old = read(model, name)
        if old.size == 0:
            continue
        if name in SCALED:
            least = 0.0 if name == "geom_size" else 0.01  # a size of 0 has a meaning
            values[name] = (old + (old == 0) * least) * rng.uniform(0.6, 1.5, old.shape)
        elif name in SHIFTED:
            values[name] = old + 0.02 * rng.normal(size=old.shape)
        elif name in TURNED:
            turned = old + 0.02 * rng.normal(size=old.shape)
            values[name] = turned / np.linalg.norm(turned, axis=1, keepdims=True)
        else:
            values[name] = np.sort(old + 0.02 * rng.normal(size=old.shape), axis=1)
        if name in ("body_ipos", "body_iquat"):  # MuJoCo refuses others for bodies that it has compiled as simple
            simple = model.body_simple > 0
            values[name][simple] = old[simple]
        if name == "actuator_biasprm":
            values[name][:, 2] = -np.abs(values[name][:, 2])  # otherwise MuJoCo takes it for a damping ratio
    return values


def change(model: Any, data: Any, values: Values) -> None:
    """Sets fields of a model as a user of MuJoCo does, and lets MuJoCo compute the constants that depend on them."""
    for name, value in values.items():
        write(model, name, value)
    mujoco.mj_setConst(model, data)


def options_of(values: Values) -> dict[str, npt.NDArray[np.float64]]:
    """Returns the options of a pool that set these fields."""
    return {f"model.{name}": value for name, value in values.items()}


def stacked(rows: list[Values]) -> dict[str, npt.NDArray[np.float64]]:
    """Returns the options of a pool that set these fields of one environment after the other."""
    return {f"model.{name}": np.stack([row[name] for row in rows]) for name in rows[0]}
