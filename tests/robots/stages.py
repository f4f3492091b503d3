# SPDX-License-Identifier: Apache-2.0
"""Compares every stage of our solver with the members of mjData, and prints the differences and counts, as JSON.

Tests run this program with our sine and cosine preloaded (sine.cc). The argument is a list of models: each has the file
of the library with our solver (model_library.py), the name of its struct, the file of the compiled model, the number of
states, and a seed.
"""

from __future__ import annotations

import ctypes
import json
import sys
from typing import Any

import mujoco
import numpy as np

from tests.robots.model_library import Array, Motion, Solver, tool
from tests.robots.steps import Controls, equal, make_state

# Members of mjData that our solver has in the same order, by the stage that computes them.
STAGES = {
    "kinematics": ("xpos", "xquat", "xmat", "xipos", "ximat", "xanchor", "xaxis", "site_xpos"),
    "centers_of_mass": ("cdof",),
    "composite_inertia": ("M",),
    "factorize": ("qLD", "qLDiagInv"),
    "velocities": ("cvel", "cdof_dot"),
    "tendons": ("ten_length", "ten_velocity"),
    "passive_forces": ("qfrc_passive",),
    "bias_forces": ("qfrc_bias",),
    "actuator_forces": ("qfrc_actuator",),
    "smooth_acceleration": ("qfrc_smooth", "qacc_smooth"),
    "constraint_rows": ("efc_R", "efc_D", "efc_aref"),
    "solver": ("efc_force", "qfrc_constraint", "qacc"),
    "contact_forces": ("cfrc_ext",),
}
MOST_DIFFERENCES = 20  # that are reported
CONTACT = ("dist", "pos", "frame")


class Comparison:
    """The differences between the stages for one model."""

    def __init__(self, model: mujoco.MjModel, solver: Solver) -> None:
        self.model, self.solver = model, solver
        self.pairs = list(tool("mujoco_subset").pairs_of(model))
        self.roots = sorted({int(root) for root in model.body_rootid if root > 0})
        self.differences: list[str] = []
        self.compared = dict.fromkeys((*STAGES, "limits", "collisions", "jacobian"), 0)

    def compare(self, data: mujoco.MjData, when: str) -> None:
        """Compares everything that the last evaluation has computed."""
        mujoco.mj_rnePostConstraint(self.model, data)
        for stage, members in STAGES.items():
            for member in members:
                self.check(stage, member, self.solver.read(member), np.ravel(getattr(data, member)), when)
        com = self.solver.read("subtree_com").reshape(-1, 3)[self.roots]
        self.check("centers_of_mass", "subtree_com", com, data.subtree_com[self.roots], when)
        inertias = self.solver.read("cinert")[10:]  # the world body has none
        self.check("centers_of_mass", "cinert", inertias, data.cinert[1:], when)
        self.check("limits", "efc_J of limits", self.solver.read("limit"), limits(self.model, data), when)
        contacts = [data.contact[i] for i in range(data.ncon)]
        pairs = [(int(c.geom[0]), int(c.geom[1])) for c in contacts]
        own = [tuple(map(int, self.pairs[int(i)])) for i in self.solver.read("contact.pair")]
        self.check("collisions", "contact.geom", np.array(own, float), np.array(pairs, float), when)
        for member in CONTACT:
            theirs = np.array([np.ravel(getattr(contact, member)) for contact in contacts])
            self.check("collisions", f"contact.{member}", self.solver.read(f"contact.{member}"), theirs.ravel(), when)
        jacobian = data.efc_J.reshape(-1)[data.nl * self.model.nv :]
        self.check("jacobian", "efc_J of contacts", self.solver.read("efc_J"), jacobian, when)

    def check(self, stage: str, member: str, ours: Array, theirs: Array, when: str) -> None:
        """Compares one array, and counts its elements."""
        self.compared[stage] += theirs.size
        if not equal(np.ravel(ours), np.ravel(theirs)) and len(self.differences) < MOST_DIFFERENCES:
            self.differences.append(f"{member} {when}")


def limits(model: mujoco.MjModel, data: mujoco.MjData) -> Array:
    """Returns the dof of each active limit and the only element of its row of the Jacobian."""
    rows = data.efc_J.reshape(-1)[: data.nl * model.nv].reshape(data.nl, model.nv)
    return np.array([[np.flatnonzero(row)[0], row[np.flatnonzero(row)[0]]] for row in rows], float).ravel()


def compare(library: str, name: str, file: str, states: int, seed: int) -> dict[str, Any]:
    """Compares states that robots reach freely, after mj_forward and after mj_step."""
    model, random = mujoco.MjModel.from_binary_path(file), np.random.default_rng(seed)
    comparison = Comparison(model, Solver(ctypes.CDLL(library), name))
    data, actions = mujoco.MjData(model), Controls(model, random)
    for state in range(states):
        is_bad = max(np.abs(data.qpos).max(), np.abs(data.qvel).max()) > 1e10  # a step would begin with a reset
        if state % 10 == 0 or is_bad:
            make_state(model, data, random)
        data.ctrl[:] = actions.at(state)[state // 10 % 4]
        motion = Motion(*(np.array(array) for array in (data.qpos, data.qvel, data.qacc_warmstart)))
        ctrl = np.array(data.ctrl)
        mujoco.mj_forward(model, data)
        comparison.solver.forward(motion, ctrl)
        comparison.compare(data, f"in state {state}")
        mujoco.mj_step(model, data)
        comparison.solver.step(motion, ctrl)
        comparison.compare(data, f"after step {state}")
    return {"name": name, "differences": comparison.differences, "compared": comparison.compared}


def main() -> int:
    """Reads the models from the argument, as JSON, and prints the results."""
    mujoco.set_mju_user_warning(lambda _: None)
    print(json.dumps([compare(**model) for model in json.loads(sys.argv[1])]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
