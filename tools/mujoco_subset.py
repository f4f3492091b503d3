# SPDX-License-Identifier: Apache-2.0
"""The models for which the solver in envpool/robots has code, and their contacts.

`check` refuses all others: UnsupportedModelError names the element for which there is no code.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import mujoco
import numpy as np

MINVAL = 1e-15  # mjMINVAL
FREE, SLIDE, HINGE = (int(getattr(mujoco.mjtJoint, f"mjJNT_{kind}")) for kind in ("FREE", "SLIDE", "HINGE"))
PLANE, SPHERE, CAPSULE = (int(getattr(mujoco.mjtGeom, f"mjGEOM_{kind}")) for kind in ("PLANE", "SPHERE", "CAPSULE"))
_SOLVERS = (mujoco.mjtSolver.mjSOL_NEWTON, mujoco.mjtSolver.mjSOL_PGS)


class UnsupportedModelError(ValueError):
    """A model has an element for which the solver has no code."""


class Pair(NamedTuple):
    """Two geoms that may collide."""

    geom1: int
    geom2: int


def check(model: mujoco.MjModel) -> None:
    """Raises UnsupportedModelError if the solver has no code for an element of the model."""
    for count, what in (
        ("neq", "equality constraints"),
        ("na", "actuators with an activation"),
        ("nflex", "flexes"),
        ("nhfield", "height fields"),
        ("nplugin", "plugins"),
        ("nmocap", "mocap bodies"),
        ("npair", "contact pairs"),
    ):
        if getattr(model, count) > 0:
            raise UnsupportedModelError(f"expected a model without {what}, got one with {getattr(model, count)}")
    _check_options(model)
    for i in range(model.njnt):
        _check_joint(model, i)
    for i in range(model.nv):
        _require(model.dof_frictionloss[i] == 0, model, "joint", model.dof_jntid[i], "no frictionloss")
        _require(model.dof_damping[i] >= 0, model, "joint", model.dof_jntid[i], "damping of at least 0")
    for i in range(1, model.nbody):
        _require(model.body_gravcomp[i] == 0, model, "body", i, "no gravcomp")
        _require(model.body_mass[i] > 0 and bool(np.all(model.body_inertia[i] > 0)), model, "body", i, "a mass above 0")
    for i in range(model.nu):
        _check_actuator(model, i)
    for i in range(model.ntendon):
        _check_tendon(model, i)
    pairs = list(pairs_of(model))
    for geom in sorted({geom for pair in pairs for geom in pair}):
        _check_geom(model, geom)
    for pair in pairs:
        _check_pair(model, pair)


def _check_options(model: mujoco.MjModel) -> None:
    options = model.opt
    for holds, expected, got in (
        (options.solver in _SOLVERS, "solver Newton or PGS", mujoco.mjtSolver(options.solver).name),
        (
            options.solver == mujoco.mjtSolver.mjSOL_NEWTON or model.ntree == 1,
            "solver Newton, or a single kinematic tree",
            f"solver PGS and {model.ntree} trees",
        ),
        (options.cone == mujoco.mjtCone.mjCONE_PYRAMIDAL, "pyramidal cones", mujoco.mjtCone(options.cone).name),
        (
            options.integrator in (mujoco.mjtIntegrator.mjINT_EULER, mujoco.mjtIntegrator.mjINT_RK4),
            "integrator Euler or RK4",
            mujoco.mjtIntegrator(options.integrator).name,
        ),
        (options.impratio == 1, "impratio 1", options.impratio),
        (options.disableflags == 0, "no disable flags", options.disableflags),
        (options.enableflags == 0, "no enable flags", options.enableflags),
        (options.noslip_iterations == 0, "noslip_iterations 0", options.noslip_iterations),
        (bool(np.all(options.wind == 0)), "no wind", options.wind),
        (not mujoco.mj_isSparse(model), "a dense Jacobian, that is, fewer than 60 dofs", f"{model.nv} dofs"),
    ):
        if not holds:
            raise UnsupportedModelError(f"option: expected {expected}, got {got}")


def _check_joint(model: mujoco.MjModel, i: int) -> None:
    kind = int(model.jnt_type[i])
    _require(kind in (FREE, SLIDE, HINGE), model, "joint", i, "a free, slide or hinge joint")
    _require(not model.jnt_actfrclimited[i], model, "joint", i, "no actuatorfrcrange")
    if kind == FREE:
        _require(model.jnt_stiffness[i] == 0, model, "joint", i, "no stiffness of a free joint")
        _require(
            model.body_parentid[model.jnt_bodyid[i]] == 0, model, "joint", i, "a free joint of a child of the world"
        )
    elif model.jnt_limited[i]:
        low, high = model.jnt_range[i]
        _require(high - low > 2 * model.jnt_margin[i], model, "joint", i, "a range wider than twice the margin")
        _check_softness(model, "joint", i, model.jnt_solref[i], model.jnt_solimp[i])


def _check_actuator(model: mujoco.MjModel, i: int) -> None:
    _require(model.actuator_trntype[i] == mujoco.mjtTrn.mjTRN_JOINT, model, "actuator", i, "a transmission to a joint")
    joint = model.actuator_trnid[i][0]
    _require(model.jnt_type[joint] != FREE, model, "actuator", i, "a slide or hinge joint")
    _require(model.actuator_gaintype[i] == mujoco.mjtGain.mjGAIN_FIXED, model, "actuator", i, "a fixed gain")
    _require(model.actuator_biastype[i] == mujoco.mjtBias.mjBIAS_NONE, model, "actuator", i, "no bias")
    _require(model.actuator_dyntype[i] == mujoco.mjtDyn.mjDYN_NONE, model, "actuator", i, "no dynamics")
    _require(not model.actuator_forcelimited[i], model, "actuator", i, "no forcerange")


def _check_tendon(model: mujoco.MjModel, i: int) -> None:
    """Accepts tendons that exert no forces, of which only the lengths and velocities are known."""
    joints = tendon_terms(model, i)
    kinds = model.wrap_type[joints.start : joints.stop]
    _require(bool(np.all(kinds == mujoco.mjtWrap.mjWRAP_JOINT)), model, "tendon", i, "a fixed tendon")
    dofs = model.jnt_dofadr[model.wrap_objid[joints.start : joints.stop]]
    # MuJoCo sums the terms of a velocity in this order if there are fewer than four.
    _require(len(dofs) < 4 and bool(np.all(np.diff(dofs) > 0)), model, "tendon", i, "at most three joints, in order")
    for name in ("stiffness", "damping", "frictionloss", "armature", "limited", "actfrclimited"):
        _require(not getattr(model, f"tendon_{name}")[i], model, "tendon", i, f"no {name}")


def _check_geom(model: mujoco.MjModel, i: int) -> None:
    _require(int(model.geom_type[i]) in (PLANE, SPHERE, CAPSULE), model, "geom", i, "a plane, sphere or capsule")
    _require(model.geom_gap[i] == 0, model, "geom", i, "no gap")
    _require(model.geom_priority[i] == 0, model, "geom", i, "priority 0")
    if model.geom_type[i] == PLANE:
        _require(model.geom_bodyid[i] == 0, model, "geom", i, "a plane of the world body")


def _check_pair(model: mujoco.MjModel, pair: Pair) -> None:
    bodies = model.geom_bodyid[list(pair)]
    trees = {int(tree) for tree in model.body_treeid[bodies] if tree >= 0}
    _require(len(trees) < 2, model, "geom", pair.geom2, "collisions within one kinematic tree or with the world")
    _require(dimensions_of(model, pair) in (1, 3), model, "geom", pair.geom2, "condim 1 or 3")
    types = model.geom_type[list(pair)]
    _require(bool(types[0] != types[1] or types[0] != PLANE), model, "geom", pair.geom2, "one plane")
    _check_softness(model, "geom", pair.geom2, *softness(model, pair))


def _check_softness(model: mujoco.MjModel, kind: str, i: int, solref: Any, solimp: Any) -> None:
    _require(bool(np.all(np.asarray(solref) > 0)), model, kind, i, "positive solref")
    _require(solimp[4] == 2, model, kind, i, "the power 2 in solimp")


def _require(holds: bool, model: mujoco.MjModel, kind: str, i: int, expected: str) -> None:
    if holds:
        return
    name = mujoco.mj_id2name(model, getattr(mujoco.mjtObj, f"mjOBJ_{kind.upper()}"), int(i))
    raise UnsupportedModelError(f"{kind} {repr(name) if name else int(i)}: expected {expected}")


def pairs_of(model: mujoco.MjModel) -> Iterator[Pair]:
    """Yields the pairs of geoms that may collide, in the order in which mj_collision finds their contacts."""
    excluded = set(model.exclude_signature.tolist())
    for body1 in range(model.nbody):
        for body2 in range(body1 + 1, model.nbody):
            if (body1 << 16) + body2 in excluded or not _may_collide(model, body1, body2):
                continue
            found = []
            for geom1 in _geoms_of(model, body1):
                for geom2 in _geoms_of(model, body2):
                    bits = model.geom_contype[geom1] & model.geom_conaffinity[geom2]
                    bits |= model.geom_contype[geom2] & model.geom_conaffinity[geom1]
                    if bits:
                        in_order = model.geom_type[geom1] <= model.geom_type[geom2]
                        found.append(Pair(geom1, geom2) if in_order else Pair(geom2, geom1))
            yield from sorted(found)


def _may_collide(model: mujoco.MjModel, body1: int, body2: int) -> bool:
    weld1, weld2 = model.body_weldid[body1], model.body_weldid[body2]
    parent1, parent2 = (model.body_weldid[model.body_parentid[weld]] for weld in (weld1, weld2))
    is_parent = weld1 != 0 and weld2 != 0 and (weld1 == parent2 or weld2 == parent1)
    return bool(weld1 != weld2 and not is_parent)


def _geoms_of(model: mujoco.MjModel, body: int) -> range:
    first = model.body_geomadr[body]
    return range(first, first + model.body_geomnum[body])


def most_contacts(model: mujoco.MjModel, pair: Pair) -> int:
    """Returns the most points at which the geoms of a pair touch."""
    types = [int(model.geom_type[geom]) for geom in pair]
    return 2 if types in ([PLANE, CAPSULE], [CAPSULE, CAPSULE]) else 1


def rows_per_contact(model: mujoco.MjModel, pair: Pair) -> int:
    """Returns the rows of constraints for each contact of a pair."""
    return 1 if dimensions_of(model, pair) == 1 else 4


def dimensions_of(model: mujoco.MjModel, pair: Pair) -> int:
    """Returns condim of the contacts of a pair."""
    return int(max(model.geom_condim[geom] for geom in pair))


def softness(model: mujoco.MjModel, pair: Pair) -> tuple[list[float], list[float]]:
    """Returns the solref and solimp of a pair."""
    a, b = pair
    weights = [float(model.geom_solmix[geom]) for geom in pair]
    if min(weights) < MINVAL:
        raise UnsupportedModelError(f"geom {a if weights[0] < weights[1] else b}: expected a solmix above 0")
    mix = weights[0] / (weights[0] + weights[1])

    def mixed(table: Any) -> list[float]:
        return [mix * float(one) + (1 - mix) * float(two) for one, two in zip(table[a], table[b], strict=True)]

    return mixed(model.geom_solref), mixed(model.geom_solimp)


def tendon_terms(model: mujoco.MjModel, i: int) -> range:
    """Returns the places of a tendon's joints in the table of all tendons' joints."""
    first = model.tendon_adr[i]
    return range(first, first + model.tendon_num[i])
