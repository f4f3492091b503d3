# SPDX-License-Identifier: Apache-2.0
"""Steps robots freely with our solver and with MuJoCo's library, and prints the number of steps that differ, as JSON.

Tests run this program with our sine and cosine preloaded (sine.cc). The argument is a list of models: each has the file
of the library with our solver (model_library.py), the name of its struct, its MJCF or the file with it, the number of
steps, a seed, and whether its lanes are compared too.
"""

from __future__ import annotations

import ctypes
import json
import sys
from typing import Any

import mujoco
import numpy as np

from tests.robots.model_library import LANES, Array, Motion, Solver

NAMES = ("qpos", "qvel", "qacc", "qacc_warmstart")


def load(text: str) -> mujoco.MjModel:
    """Loads a model from its MJCF or from a file."""
    return mujoco.MjModel.from_xml_string(text) if text.lstrip().startswith("<") else mujoco.MjModel.from_xml_path(text)


def make_state(model: mujoco.MjModel, data: mujoco.MjData, random: np.random.Generator) -> None:
    """Puts a robot near its initial state."""
    mujoco.mj_resetData(model, data)
    noise, speed = random.choice([0.01, 0.1, 0.6, 2.5]), random.choice([0.0, 0.1, 2.0])
    data.qpos += random.uniform(-noise, noise, model.nq)
    data.qvel += random.uniform(-speed, speed, model.nv)
    data.qacc_warmstart[:] = random.choice([0.0, 10.0]) * random.standard_normal(model.nv)


def spoil(model: mujoco.MjModel, data: mujoco.MjData, random: np.random.Generator) -> None:
    """Makes a state or a control so bad that MuJoCo begins again at the initial state, or ignores the controls."""
    array = [data.qvel, data.qpos, data.ctrl][int(random.integers(3))]
    if len(array) > 0:
        array[int(random.integers(len(array)))] = random.choice([np.nan, np.inf, -1e11, 1e9, 1e5])


def controls(model: mujoco.MjModel, step: int, random: np.random.Generator) -> Array:
    """Returns the controls of LANES robots: noise, noise that is held for a while, and two gaits."""
    held = np.random.default_rng(step // 25)
    parts = 0.15 * step * (1 + 0.3 * np.arange(model.nu))
    unit = [random.uniform(-1.1, 1.1, model.nu), held.uniform(-1.1, 1.1, model.nu), np.sin(parts), np.sign(np.cos(parts))]
    limited = model.actuator_ctrllimited.astype(bool)
    return np.array(unit, dtype=np.float64) * np.where(limited, model.actuator_ctrlrange[:, 1], 1.0)


def copy_motion(data: list[mujoco.MjData]) -> Motion:
    return Motion(*(np.array([getattr(d, name) for d in data]) for name in ("qpos", "qvel", "qacc_warmstart")))


def equal(a: Array, b: Array) -> bool:
    return bool(np.array_equal(a, b, equal_nan=True))


def compare(
    library: str, name: str, text: str, steps: int, seed: int, in_lanes: bool, spoils: bool = True
) -> dict[str, Any]:
    """Compares steps, and returns how many differ, what the first difference is, and what happened in all steps."""
    model, random = load(text), np.random.default_rng(seed)
    solver = Solver(ctypes.CDLL(library), name)
    data = [mujoco.MjData(model) for _ in range(LANES)]
    for d in data:
        make_state(model, d, random)
    result: dict[str, Any] = {"name": name, "steps": 0, "differing": 0, "first": ""}
    counts = dict.fromkeys(("touching", "limited", "bad", "lanes", "full"), 0)
    ours = copy_motion(data)
    for step in range(steps // LANES):
        for i, d in enumerate(data):
            changes = random.random() < 1 / 200
            if changes:
                make_state(model, d, random)
            d.ctrl[:] = controls(model, step, random)[i]
            if spoils and random.random() < 1 / 300:
                changes = True
                spoil(model, d, random)
            if changes:
                for own, theirs in zip(ours, (d.qpos, d.qvel, d.qacc_warmstart), strict=True):
                    own[i] = theirs
        ctrl = np.array([d.ctrl for d in data])
        lanes = Motion(*(array.copy() for array in ours))
        fits = in_lanes and solver.step_lanes(lanes, ctrl)
        for i, d in enumerate(data):
            mujoco.mj_step(model, d)
            own = Motion(*(array[i] for array in ours))
            solver.step(own, ctrl[i])
            arrays = (own.qpos, own.qvel, solver.read("qacc"), own.warm_start)
            wrong = [field for field, a in zip(NAMES, arrays, strict=True) if not equal(a, getattr(d, field))]
            if fits and not all(equal(a[i], b[i]) for a, b in zip(lanes, ours, strict=True)):
                wrong.append("lanes")
            counts["touching"] += d.ncon > 0
            counts["limited"] += d.nl > 0
            counts["bad"] += d.time < model.opt.timestep * 1.5
            counts["lanes"] += fits
            counts["full"] += in_lanes and not fits
            result["steps"] += 1
            if wrong:
                result["differing"] += 1
                result["first"] = result["first"] or f"step {step} of robot {i}: {', '.join(wrong)}"
        if result["differing"]:
            ours = copy_motion(data)  # count only steps that differ by themselves
    return {**result, **counts}


def main() -> int:
    """Reads the models from the argument, as JSON, and prints the results."""
    mujoco.set_mju_user_warning(lambda _: None)  # unstable states are meant
    print(json.dumps([compare(**model) for model in json.loads(sys.argv[1])]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
