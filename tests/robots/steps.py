# SPDX-License-Identifier: Apache-2.0
"""Steps robots freely with our solver and with MuJoCo's library, and prints the number of steps that differ, as JSON.

Tests run this program with our sine and cosine preloaded (sine.cc). The argument is a list of models: each has the file
of the library with our solver (model_library.py), the name of its struct, the file of the compiled model, the number of
steps, a seed, and whether its lanes are compared too. Models are not compiled here, because their constants depend on
the sine, too.
"""

from __future__ import annotations

import ctypes
import json
import sys
from typing import Any

import mujoco
import numpy as np

from tests.robots.model_library import LANES, Array, Motion, Solver


def make_state(model: mujoco.MjModel, data: mujoco.MjData, random: np.random.Generator) -> None:
    """Puts a robot near its initial state."""
    mujoco.mj_resetData(model, data)
    noise, speed = random.choice([0.01, 0.1, 0.6, 2.5]), random.choice([0.0, 0.1, 2.0])
    data.qpos += random.uniform(-noise, noise, model.nq)
    data.qvel += random.uniform(-speed, speed, model.nv)
    data.qacc_warmstart[:] = random.choice([0.0, 10.0]) * random.standard_normal(model.nv)


def spoil(model: mujoco.MjModel, data: mujoco.MjData, random: np.random.Generator) -> None:
    """Makes a state or a control so bad that MuJoCo begins again at the initial state or ignores the controls, or fast.

    At the highest speeds and positions, rounding leaves no digit of inertia matrices and of the solver's Hessian, and
    numbers overflow.
    """
    array = [data.qvel, data.qpos, data.ctrl][int(random.integers(3))]
    if len(array) > 0:
        array[int(random.integers(len(array)))] = random.choice([np.nan, np.inf, -1e11, 1e9, 1e5, 300.0])


class Controls:
    """The controls of LANES robots: noise, noise that is held for a while, and two gaits."""

    def __init__(self, model: mujoco.MjModel, random: np.random.Generator) -> None:
        self._random, self._count = random, model.nu
        limited = model.actuator_ctrllimited.astype(bool)
        self._scale = np.where(limited, model.actuator_ctrlrange[:, 1], 1.0)
        self._held = self._noise()

    def at(self, step: int) -> Array:
        """Returns the controls at a step. Calls must be in order."""
        if step % 25 == 0:
            self._held = self._noise()
        phases = 0.15 * step * (1 + 0.3 * np.arange(self._count))
        return np.array([self._noise(), self._held, np.sin(phases), np.sign(np.cos(phases))]) * self._scale

    def _noise(self) -> Array:
        return self._random.uniform(-1.1, 1.1, self._count)


def copy_motion(data: list[mujoco.MjData]) -> Motion:
    return Motion(*(np.array([getattr(d, name) for d in data]) for name in ("qpos", "qvel", "qacc_warmstart")))


def equal(a: Array, b: Array) -> bool:
    return a.tobytes() == b.tobytes() or bool(np.array_equal(a, b, equal_nan=True))


def change(model: mujoco.MjModel, data: mujoco.MjData, random: np.random.Generator) -> bool:
    """Resets or spoils a robot now and then, and returns whether it has done so."""
    chance = random.random()
    if chance < 1 / 400:
        make_state(model, data, random)
    elif chance < 1 / 200:
        spoil(model, data, random)
    return bool(chance < 1 / 200)


def compare(library: str, name: str, file: str, steps: int, seed: int, in_lanes: bool) -> dict[str, Any]:
    """Compares steps of LANES robots, and returns how many differ, and what happened in all steps."""
    model, random = mujoco.MjModel.from_binary_path(file), np.random.default_rng(seed)
    solver = Solver(ctypes.CDLL(library), name)
    data = [mujoco.MjData(model) for _ in range(LANES)]
    for d in data:
        make_state(model, d, random)
    counts = dict.fromkeys(("steps", "differing", "touching", "limited", "bad", "lanes", "full"), 0)
    first = ""
    actions, ours = Controls(model, random), copy_motion(data)
    qacc = np.empty_like(ours.qvel)
    for step in range(steps // LANES):
        for d, ctrl in zip(data, actions.at(step), strict=True):
            d.ctrl[:] = ctrl
        changed = [change(model, d, random) for d in data]
        if any(changed):
            ours = copy_motion(data)
        ctrl = np.array([d.ctrl for d in data])
        lanes = Motion(*(array.copy() for array in ours))
        fits = in_lanes and solver.step_lanes(lanes, ctrl)
        for i, d in enumerate(data):
            mujoco.mj_step(model, d)
            solver.step(Motion(*(array[i] for array in ours)), ctrl[i])
            qacc[i] = solver.read("qacc")
            counts["touching"] += d.ncon > 0
            counts["limited"] += d.nl > 0
            counts["bad"] += d.time < model.opt.timestep * 1.5  # MuJoCo begins again at the time 0
        theirs = copy_motion(data)
        arrays = [*zip(Motion._fields, ours, theirs, strict=True), ("qacc", qacc, np.array([d.qacc for d in data]))]
        arrays += [
            (f"{field} in lanes", *pair) for field, *pair in zip(Motion._fields, lanes, theirs, strict=True) if fits
        ]
        wrong = [[field for field, a, b in arrays if not equal(a[i], b[i])] for i in differing(arrays)]
        counts["steps"] += LANES
        counts["lanes"] += LANES * fits
        counts["full"] += LANES * (in_lanes and not fits)
        counts["differing"] += len(wrong)
        if wrong:
            first = first or f"step {step}: {', '.join(wrong[0])}"
            ours = theirs  # count only steps that differ by themselves
    return {"name": name, **counts, "first": first}


def differing(arrays: list[tuple[str, Array, Array]]) -> list[int]:
    """Returns the robots of which an array differs."""
    if all(equal(a, b) for _, a, b in arrays):
        return []
    return [i for i in range(LANES) if not all(equal(a[i], b[i]) for _, a, b in arrays)]


def main() -> int:
    """Reads the models from the argument, as JSON, and prints the results."""
    mujoco.set_mju_user_warning(lambda _: None)  # unstable states are meant
    print(json.dumps([compare(**model) for model in json.loads(sys.argv[1])]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
