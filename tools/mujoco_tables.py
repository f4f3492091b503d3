# SPDX-License-Identifier: Apache-2.0
"""Writes the tables of a robot's model, envpool/robots/models/*.h, from a model that MuJoCo has compiled.

`python tools/mujoco_tables.py` writes the headers of all robots (make generated). A model that has something for which
the solver in envpool/robots has no code is refused: UnsupportedModelError names the element.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import mujoco
import numpy as np

MODELS = Path(__file__).parent.parent / "envpool" / "robots" / "models"

# The name of each struct, and gymnasium's file with its model.
ROBOTS = {
    "AntModel": "ant.xml",
    "HalfCheetahModel": "half_cheetah.xml",
    "HopperModel": "hopper.xml",
    "HumanoidModel": "humanoid.xml",
    "HumanoidStandupModel": "humanoidstandup.xml",
    "InvertedDoublePendulumModel": "inverted_double_pendulum.xml",
    "InvertedPendulumModel": "inverted_pendulum.xml",
    "ReacherModel": "reacher.xml",
    "SwimmerModel": "swimmer.xml",
    "Walker2dModel": "walker2d_v5.xml",
    "Walker2dOldModel": "walker2d.xml",
}

# Models of which only the differences from another model are written.
BASES = {"HumanoidStandupModel": "HumanoidModel", "Walker2dOldModel": "Walker2dModel"}

_MINVAL = 1e-15  # mjMINVAL
_Joint, _Geom = mujoco.mjtJoint, mujoco.mjtGeom
_SOLVERS = (mujoco.mjtSolver.mjSOL_NEWTON, mujoco.mjtSolver.mjSOL_PGS)
_SAME_FRAMES = ("kNone", "kBody", "kInertia", "kBodyRotation", "kInertiaRotation")
_FREE, _SLIDE, _HINGE = (int(kind) for kind in (_Joint.mjJNT_FREE, _Joint.mjJNT_SLIDE, _Joint.mjJNT_HINGE))
_JOINTS = {_FREE: "kFree", _SLIDE: "kSlide", _HINGE: "kHinge"}
_PLANE, _SPHERE, _CAPSULE = (int(kind) for kind in (_Geom.mjGEOM_PLANE, _Geom.mjGEOM_SPHERE, _Geom.mjGEOM_CAPSULE))
_GEOMS = {_PLANE: "kPlane", _SPHERE: "kSphere", _CAPSULE: "kCapsule"}

# Geoms that images show. A cylinder looks like a capsule.
_SHAPES = {_SPHERE: "kSphere", _CAPSULE: "kCapsule", int(_Geom.mjGEOM_CYLINDER): "kCapsule"}


class UnsupportedModelError(ValueError):
    """A model has an element for which the solver has no code."""


class _Pair(NamedTuple):
    geom1: int
    geom2: int


def header(model: mujoco.MjModel, name: str, source: str, base: tuple[mujoco.MjModel, str] | None = None) -> str:
    """Returns the header with the tables of a model.

    Args:
        model: the model.
        name: the name of the struct.
        source: where the model comes from, for the comment at the top.
        base: a model of which only the differences are written, and the name of its struct.

    Raises:
        UnsupportedModelError: the solver has no code for an element of the model.
    """
    check(model)
    members, host_members = _members(model), _host_members(model)
    include, inherited = "model", ""
    if base is not None:
        members = [member for member in members if member not in _members(base[0])]
        host_members = [member for member in host_members if member not in _host_members(base[0])]
        include, inherited = f"models/{Path(ROBOTS[base[1]]).stem}", f" : {base[1]}"
    if host_members:
        host_members = ["#if ENVPOOL_HOST", *host_members, "#endif"]
    lines = [
        "// SPDX-License-Identifier: Apache-2.0",
        "//",
        f"// {source}.",
        "// Written by tools/mujoco_tables.py; do not edit.",
        "#pragma once",
        "",
        f'#include "envpool/robots/{include}.h"',
        "",
        "namespace envpool::robots {",
        "",
        "// clang-format off",
        f"struct {name}{inherited} {{",
        *members,
        *host_members,
        "};",
        "// clang-format on",
        "",
        "}  // namespace envpool::robots",
        "",
    ]
    return "\n".join(lines)


def _members(model: mujoco.MjModel) -> list[str]:
    """Returns the texts of the members of a struct: constants and tables."""
    pairs = list(_pairs(model))
    geoms = sorted({geom for pair in pairs for geom in pair})
    limits = list(_limits(model))
    chains, pair_rows = _pair_rows(model, pairs, geoms)
    counts = {
        "kPositions": model.nq,
        "kDofs": model.nv,
        "kBodies": model.nbody,
        "kJoints": model.njnt,
        "kElements": len(model.M_colind),
        "kTrees": model.ntree,
        "kGeoms": len(geoms),
        "kPairs": len(pairs),
        "kContacts": sum(_most_contacts(model, pair) for pair in pairs),
        "kContactRows": sum(_most_contacts(model, pair) * _rows_per_contact(model, pair) for pair in pairs),
        "kLimits": len(limits),
        "kActuators": model.nu,
        "kTendons": model.ntendon,
        "kTendonJoints": len(model.wrap_prm),
        "kSites": model.nsite,
        "kShapes": len(_shapes(model)),
    }
    options = model.opt
    reals = {
        "kTimestep": options.timestep,
        "kTolerance": options.tolerance,
        "kLineSearchTolerance": options.ls_tolerance,
        "kDensity": options.density,
        "kViscosity": options.viscosity,
    }
    integrator = "kEuler" if options.integrator == mujoco.mjtIntegrator.mjINT_EULER else "kRk4"
    solver = "kPgs" if options.solver == mujoco.mjtSolver.mjSOL_PGS else "kNewton"
    return [
        *(f"  static constexpr i32 {key} = {value};" for key, value in counts.items()),
        f"  static constexpr i32 kIterations = {options.iterations}, kLineSearchIterations = {options.ls_iterations};",
        *(f"  static constexpr f64 {key} = {_real(value)};" for key, value in reals.items()),
        f"  static constexpr Integrator kIntegrator = Integrator::{integrator};",
        f"  static constexpr Solver kSolver = Solver::{solver};",
        f"  static constexpr bool kDamped = {_bool(bool(np.any(model.dof_damping > 0)))};",
        f"  static constexpr bool kFreeJoints = {_bool(_FREE in model.jnt_type)};",
        f"  static constexpr bool kSprings = {_bool(bool(np.any(model.jnt_stiffness != 0)))};",
        "",
        _table("f64", "gravity", (_real(value) for value in options.gravity)),
        _table("f64", "initial", (_real(value) for value in model.qpos0)),
        _table("Body", "body", (_body(model, i) for i in range(model.nbody))),
        _table("Joint", "joint", (_joint(model, i) for i in range(model.njnt))),
        _table("Dof", "dof", (_dof(model, i) for i in range(model.nv))),
        _table("Tree", "tree", (_tree(model, i) for i in range(model.ntree))),
        _table("i32", "column", (str(column) for column in model.M_colind)),
        _table("Geom", "geom", (_geom(model, i) for i in geoms)),
        _table("Pair", "pair", pair_rows),
        _table("i32", "chain", (str(dof) for dof in chains)),
        _table("Limit", "limit", limits),
        _table("Actuator", "actuator", (_actuator(model, i) for i in range(model.nu))),
        _table("TendonJoint", "tendon_joint", _tendon_joints(model)),
        _table("Site", "site", (_site(model, i) for i in range(model.nsite))),
    ]


def _host_members(model: mujoco.MjModel) -> list[str]:
    """Returns the texts of the members that only the host uses."""
    controls = ", ".join(_control(model, i) for i in range(model.nu))
    return [
        f'  static constexpr const char* kControls = "{controls}";',
        _table("Shape", "shape", (_shape(model, i) for i in _shapes(model))),
    ]


def _shapes(model: mujoco.MjModel) -> list[int]:
    """Returns the geoms that images show."""
    return [i for i in range(model.ngeom) if int(model.geom_type[i]) in _SHAPES]


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
    pairs = list(_pairs(model))
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
    _require(kind in _JOINTS, model, "joint", i, "a free, slide or hinge joint")
    _require(not model.jnt_actfrclimited[i], model, "joint", i, "no actuatorfrcrange")
    if kind == _FREE:
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
    _require(model.jnt_type[joint] != _FREE, model, "actuator", i, "a slide or hinge joint")
    _require(model.actuator_gaintype[i] == mujoco.mjtGain.mjGAIN_FIXED, model, "actuator", i, "a fixed gain")
    _require(model.actuator_biastype[i] == mujoco.mjtBias.mjBIAS_NONE, model, "actuator", i, "no bias")
    _require(model.actuator_dyntype[i] == mujoco.mjtDyn.mjDYN_NONE, model, "actuator", i, "no dynamics")
    _require(not model.actuator_forcelimited[i], model, "actuator", i, "no forcerange")


def _check_tendon(model: mujoco.MjModel, i: int) -> None:
    """Accepts tendons that exert no forces, of which only the lengths and velocities are known."""
    joints = _tendon(model, i)
    kinds = model.wrap_type[joints.start : joints.stop]
    _require(bool(np.all(kinds == mujoco.mjtWrap.mjWRAP_JOINT)), model, "tendon", i, "a fixed tendon")
    dofs = model.jnt_dofadr[model.wrap_objid[joints.start : joints.stop]]
    # MuJoCo sums the terms of a velocity in this order if there are fewer than four.
    _require(len(dofs) < 4 and bool(np.all(np.diff(dofs) > 0)), model, "tendon", i, "at most three joints, in order")
    for name in ("stiffness", "damping", "frictionloss", "armature", "limited", "actfrclimited"):
        _require(not getattr(model, f"tendon_{name}")[i], model, "tendon", i, f"no {name}")


def _check_geom(model: mujoco.MjModel, i: int) -> None:
    _require(int(model.geom_type[i]) in _GEOMS, model, "geom", i, "a plane, sphere or capsule")
    _require(model.geom_gap[i] == 0, model, "geom", i, "no gap")
    _require(model.geom_priority[i] == 0, model, "geom", i, "priority 0")
    if model.geom_type[i] == _PLANE:
        _require(model.geom_bodyid[i] == 0, model, "geom", i, "a plane of the world body")


def _check_pair(model: mujoco.MjModel, pair: _Pair) -> None:
    bodies = model.geom_bodyid[list(pair)]
    trees = {int(tree) for tree in model.body_treeid[bodies] if tree >= 0}
    _require(len(trees) < 2, model, "geom", pair.geom2, "collisions within one kinematic tree or with the world")
    _require(_dimensions(model, pair) in (1, 3), model, "geom", pair.geom2, "condim 1 or 3")
    types = model.geom_type[list(pair)]
    _require(bool(types[0] != types[1] or types[0] != _PLANE), model, "geom", pair.geom2, "one plane")
    _check_softness(model, "geom", pair.geom2, *_softness(model, pair))


def _check_softness(model: mujoco.MjModel, kind: str, i: int, solref: Any, solimp: Any) -> None:
    _require(bool(np.all(np.asarray(solref) > 0)), model, kind, i, "positive solref")
    _require(solimp[4] == 2, model, kind, i, "the power 2 in solimp")


def _require(holds: bool, model: mujoco.MjModel, kind: str, i: int, expected: str) -> None:
    if holds:
        return
    name = mujoco.mj_id2name(model, getattr(mujoco.mjtObj, f"mjOBJ_{kind.upper()}"), int(i))
    raise UnsupportedModelError(f"{kind} {repr(name) if name else int(i)}: expected {expected}")


def _pairs(model: mujoco.MjModel) -> Iterator[_Pair]:
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
                        found.append(_Pair(geom1, geom2) if in_order else _Pair(geom2, geom1))
            yield from sorted(found)


def _may_collide(model: mujoco.MjModel, body1: int, body2: int) -> bool:
    weld1, weld2 = model.body_weldid[body1], model.body_weldid[body2]
    parent1, parent2 = (model.body_weldid[model.body_parentid[weld]] for weld in (weld1, weld2))
    is_parent = weld1 != 0 and weld2 != 0 and (weld1 == parent2 or weld2 == parent1)
    return bool(weld1 != weld2 and not is_parent)


def _geoms_of(model: mujoco.MjModel, body: int) -> range:
    first = model.body_geomadr[body]
    return range(first, first + model.body_geomnum[body])


def _most_contacts(model: mujoco.MjModel, pair: _Pair) -> int:
    types = [int(model.geom_type[geom]) for geom in pair]
    return 2 if types in ([_PLANE, _CAPSULE], [_CAPSULE, _CAPSULE]) else 1


def _rows_per_contact(model: mujoco.MjModel, pair: _Pair) -> int:
    return 1 if _dimensions(model, pair) == 1 else 4


def _dimensions(model: mujoco.MjModel, pair: _Pair) -> int:
    return int(max(model.geom_condim[geom] for geom in pair))


def _softness(model: mujoco.MjModel, pair: _Pair) -> tuple[list[float], list[float]]:
    """Returns the solref and solimp of a pair."""
    a, b = pair
    weights = [float(model.geom_solmix[geom]) for geom in pair]
    if min(weights) < _MINVAL:
        raise UnsupportedModelError(f"geom {a if weights[0] < weights[1] else b}: expected a solmix above 0")
    mix = weights[0] / (weights[0] + weights[1])

    def mixed(table: Any) -> list[float]:
        return [mix * float(one) + (1 - mix) * float(two) for one, two in zip(table[a], table[b], strict=True)]

    return mixed(model.geom_solref), mixed(model.geom_solimp)


def _impedance(model: mujoco.MjModel, solref: Any, solimp: Any, margin: float, diagonal: float) -> str:
    """Returns the table of an Impedance. The order of operations is MuJoCo's."""
    low, high, width, middle, _ = (float(value) for value in solimp)
    low, high, middle = (min(max(value, 0.0001), 0.9999) for value in (low, high, middle))
    width = max(width, 0.0)
    time, ratio = max(float(solref[0]), 2 * model.opt.timestep), float(solref[1])
    stiffness = 1 / max(_MINVAL, high * high * time * time * ratio * ratio)
    damping = 2 / max(_MINVAL, high * time)
    return _braces(map(_real, (stiffness, damping, low, high, width, middle, margin, diagonal)))


def _body(model: mujoco.MjModel, i: int) -> str:
    return _braces(
        [
            str(model.body_parentid[i]),
            str(model.body_rootid[i]),
            f"SameFrame::{_SAME_FRAMES[model.body_sameframe[i]]}",
            str(model.body_jntadr[i]),
            str(model.body_jntnum[i]),
            str(model.body_dofadr[i]),
            str(model.body_dofnum[i]),
            _reals(model.body_pos[i]),
            _reals(model.body_quat[i]),
            _reals(model.body_ipos[i]),
            _reals(model.body_iquat[i]),
            _real(model.body_mass[i]),
            _reals(model.body_inertia[i]),
            _real(model.body_subtreemass[i]),
        ]
    )


def _joint(model: mujoco.MjModel, i: int) -> str:
    position = model.jnt_qposadr[i]
    return _braces(
        [
            f"JointType::{_JOINTS[int(model.jnt_type[i])]}",
            str(model.jnt_bodyid[i]),
            str(position),
            str(model.jnt_dofadr[i]),
            _reals(model.jnt_pos[i]),
            _reals(model.jnt_axis[i]),
            _real(model.jnt_stiffness[i]),
            _real(model.qpos_spring[position]),
        ]
    )


def _dof(model: mujoco.MjModel, i: int) -> str:
    return _braces(
        [
            str(model.dof_bodyid[i]),
            str(model.M_rowadr[i]),
            str(model.M_rownnz[i] - 1),
            _bool(bool(model.dof_simplenum[i])),
            _real(model.dof_armature[i]),
            _real(model.dof_damping[i]),
            _real(model.dof_M0[i]),
        ]
    )


def _tree(model: mujoco.MjModel, i: int) -> str:
    dofs = np.flatnonzero(model.dof_treeid == i)
    return _braces([str(dofs[0]), str(len(dofs))])


def _geom(model: mujoco.MjModel, i: int) -> str:
    kind = _GEOMS[int(model.geom_type[i])]
    radius, half_length = (0.0, 0.0) if kind == "kPlane" else model.geom_size[i][:2]
    return _braces(
        [
            f"GeomType::{kind}",
            str(model.geom_bodyid[i]),
            f"SameFrame::{_SAME_FRAMES[model.geom_sameframe[i]]}",
            _reals(model.geom_pos[i]),
            _reals(model.geom_quat[i]),
            _real(radius),
            _real(half_length),
            _real(model.geom_rbound[i]),
        ]
    )


def _shape(model: mujoco.MjModel, i: int) -> str:
    kind = _SHAPES[int(model.geom_type[i])]
    half_length = 0.0 if kind == "kSphere" else model.geom_size[i][1]
    return _braces(
        [
            f"GeomType::{kind}",
            str(model.geom_bodyid[i]),
            f"SameFrame::{_SAME_FRAMES[model.geom_sameframe[i]]}",
            _reals(model.geom_pos[i]),
            _reals(model.geom_quat[i]),
            _real(model.geom_size[i][0]),
            _real(half_length),
            _braces(str(round(255 * float(part))) for part in model.geom_rgba[i][:3]),
        ]
    )


def _control(model: mujoco.MjModel, i: int) -> str:
    """Returns the name of an actuator, or of its joint."""
    joint = model.actuator_trnid[i][0]
    return str(model.actuator(i).name or model.joint(joint).name or i)


def _tendon(model: mujoco.MjModel, i: int) -> range:
    """Returns the places of a tendon's joints in the table of all tendons' joints."""
    first = model.tendon_adr[i]
    return range(first, first + model.tendon_num[i])


def _tendon_joints(model: mujoco.MjModel) -> Iterator[str]:
    for i in range(model.ntendon):
        for place in _tendon(model, i):
            joint = model.wrap_objid[place]
            addresses = [str(model.jnt_qposadr[joint]), str(model.jnt_dofadr[joint])]
            yield _braces([str(i), *addresses, _real(model.wrap_prm[place])])


def _site(model: mujoco.MjModel, i: int) -> str:
    same_frame = f"SameFrame::{_SAME_FRAMES[model.site_sameframe[i]]}"
    return _braces([str(model.site_bodyid[i]), same_frame, _reals(model.site_pos[i])])


def _actuator(model: mujoco.MjModel, i: int) -> str:
    low, high = model.actuator_ctrlrange[i]
    return _braces(
        [
            str(model.jnt_dofadr[model.actuator_trnid[i][0]]),
            _real(model.actuator_gainprm[i][0]),
            _real(model.actuator_gear[i][0]),
            _bool(bool(model.actuator_ctrllimited[i])),
            _real(low),
            _real(high),
        ]
    )


def _limits(model: mujoco.MjModel) -> Iterator[str]:
    for i in range(model.njnt):
        if not model.jnt_limited[i] or model.jnt_type[i] == _FREE:
            continue
        diagonal = model.dof_invweight0[model.jnt_dofadr[i]]
        impedance = _impedance(model, model.jnt_solref[i], model.jnt_solimp[i], model.jnt_margin[i], diagonal)
        position, dof = model.jnt_qposadr[i], model.jnt_dofadr[i]
        places = [str(position), str(dof), str(model.dof_treeid[dof])]
        yield _braces([*places, _real(model.jnt_range[i][0]), _real(model.jnt_range[i][1]), impedance])


def _pair_rows(model: mujoco.MjModel, pairs: list[_Pair], geoms: list[int]) -> tuple[list[int], list[str]]:
    """Returns the table of chains, and the rows of the table of pairs."""
    chains: list[int] = []
    rows = []
    for pair in pairs:
        dofs1, dofs2 = (_dofs_moving(model, model.geom_bodyid[geom]) for geom in pair)
        only1, only2 = [dof for dof in dofs1 if dof not in dofs2], [dof for dof in dofs2 if dof not in dofs1]
        chain = [*only1, *only2]
        friction = max(1e-5, *(float(model.geom_friction[geom][0]) for geom in pair))
        weight = sum(float(model.body_invweight0[model.geom_bodyid[geom]][0]) for geom in pair)
        dimensions, moving = _dimensions(model, pair), int(max(model.geom_bodyid[geom] for geom in pair))
        diagonal = weight if dimensions == 1 else weight + friction * friction * weight
        margin = float(model.geom_margin[pair.geom1]) + float(model.geom_margin[pair.geom2])
        rows.append(
            _braces(
                [
                    str(geoms.index(pair.geom1)),
                    str(geoms.index(pair.geom2)),
                    str(model.body_rootid[moving]),
                    str(model.body_treeid[moving]),
                    str(dimensions),
                    str(len(chains)),
                    str(len(only1)),
                    str(len(chain)),
                    _real(friction),
                    _impedance(model, *_softness(model, pair), margin, diagonal),
                ]
            )
        )
        chains += chain
    return chains, rows


def _dofs_moving(model: mujoco.MjModel, body: int) -> list[int]:
    dofs: list[int] = []
    while body > 0:
        first = model.body_dofadr[body]
        dofs += range(first, first + model.body_dofnum[body])
        body = model.body_parentid[body]
    return sorted(int(dof) for dof in dofs)


def _table(kind: str, name: str, rows: Iterable[str]) -> str:
    """Returns the text of a function that returns an element of a table. A table without elements has one of zeros."""
    rows = list(rows) or ["{}"]
    separator = ", " if kind in ("f64", "i32") else ",\n        "
    values = separator.join(rows)
    return "\n".join(
        [
            f"  ENVPOOL_FN static const {kind}& {name}(i32 i) {{",
            f"    static constexpr {kind} table[] = {{\n        {values}}};",
            "    return table[i];",
            "  }",
        ]
    )


def _real(value: Any) -> str:
    number = float(value)
    if not math.isfinite(number):
        raise UnsupportedModelError(f"expected finite numbers, got {number}")
    return repr(number)


def _bool(value: bool) -> str:
    return "true" if value else "false"


def _reals(values: Any) -> str:
    return _braces(_real(value) for value in values)


def _braces(values: Iterable[str]) -> str:
    return "{" + ", ".join(values) + "}"


def robot_headers() -> dict[str, str]:
    """Returns the names of the headers of all robots in MODELS, and their texts."""
    import gymnasium

    assets = Path(gymnasium.__file__).parent / "envs" / "mujoco" / "assets"
    models = {name: mujoco.MjModel.from_xml_path(str(assets / file)) for name, file in ROBOTS.items()}
    headers = {}
    for name, file in ROBOTS.items():
        source = f"The model {file} of gymnasium {gymnasium.__version__}, compiled by MuJoCo {mujoco.__version__}"
        base = (models[BASES[name]], BASES[name]) if name in BASES else None
        headers[Path(file).stem + ".h"] = header(models[name], name, source, base)
    return headers


def main() -> int:
    """Writes the headers of all robots."""
    MODELS.mkdir(exist_ok=True)
    for name, text in robot_headers().items():
        (MODELS / name).write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
