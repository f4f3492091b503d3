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
from typing import Any

import mujoco
import numpy as np
from mujoco_subset import (
    CAPSULE,
    FREE,
    HINGE,
    MINVAL,
    PLANE,
    SLIDE,
    SPHERE,
    Pair,
    UnsupportedModelError,
    check,
    dimensions_of,
    most_contacts,
    moving_body,
    pairs_of,
    rows_per_contact,
    softness,
    tendon_terms,
)

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

_SAME_FRAMES = ("kNone", "kBody", "kInertia", "kBodyRotation", "kInertiaRotation")
_JOINTS = {FREE: "kFree", SLIDE: "kSlide", HINGE: "kHinge"}
_GEOMS = {PLANE: "kPlane", SPHERE: "kSphere", CAPSULE: "kCapsule"}

# Geoms that images show. A cylinder looks like a capsule.
_SHAPES = {SPHERE: "kSphere", CAPSULE: "kCapsule", int(mujoco.mjtGeom.mjGEOM_CYLINDER): "kCapsule"}


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
    pairs = list(pairs_of(model))
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
        "kModelGeoms": model.ngeom,
        "kGeoms": len(geoms),
        "kPairs": len(pairs),
        "kContacts": sum(most_contacts(model, pair) for pair in pairs),
        "kContactRows": sum(most_contacts(model, pair) * rows_per_contact(model, pair) for pair in pairs),
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
        f"  static constexpr bool kFreeJoints = {_bool(FREE in model.jnt_type)};",
        f"  static constexpr bool kSimpleDofs = {_bool(bool(np.any(model.dof_simplenum > 0)))};",
        "",
        _table("f64", "gravity", (_real(value) for value in options.gravity)),
        _table("f64", "initial", (_real(value) for value in model.qpos0)),
        _table("Body", "body", (_body(model, i) for i in range(model.nbody))),
        _table("Joint", "joint", (_joint(model, i) for i in range(model.njnt))),
        _table("Dof", "dof", (_dof(model, i) for i in range(model.nv))),
        _table("Tree", "tree", (_tree(model, i) for i in range(model.ntree))),
        _table("i32", "column", (str(column) for column in model.M_colind)),
        _table("Geom", "geom", (_geom(model, i) for i in geoms)),
        _table("f64", "friction", (_real(value) for value in model.geom_friction.ravel())),
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


def _impedance(model: mujoco.MjModel, solref: Any, solimp: Any, margin: float) -> str:
    """Returns the table of an Impedance. The order of operations is MuJoCo's."""
    low, high, width, middle, _ = (float(value) for value in solimp)
    low, high, middle = (min(max(value, 0.0001), 0.9999) for value in (low, high, middle))
    width = max(width, 0.0)
    time, ratio = max(float(solref[0]), 2 * model.opt.timestep), float(solref[1])
    stiffness = 1 / max(MINVAL, high * high * time * time * ratio * ratio)
    damping = 2 / max(MINVAL, high * time)
    return _braces(map(_real, (stiffness, damping, low, high, width, middle, margin)))


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
            _real(model.body_invweight0[i][0]),
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
            str(i),
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


def _tendon_joints(model: mujoco.MjModel) -> Iterator[str]:
    for i in range(model.ntendon):
        for place in tendon_terms(model, i):
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
        if not model.jnt_limited[i] or model.jnt_type[i] == FREE:
            continue
        impedance = _impedance(model, model.jnt_solref[i], model.jnt_solimp[i], model.jnt_margin[i])
        position, dof = model.jnt_qposadr[i], model.jnt_dofadr[i]
        places = [str(position), str(dof), str(model.dof_treeid[dof])]
        numbers = (*model.jnt_range[i], model.dof_invweight0[dof])
        yield _braces([*places, *map(_real, numbers), impedance])


def _pair_rows(model: mujoco.MjModel, pairs: list[Pair], geoms: list[int]) -> tuple[list[int], list[str]]:
    """Returns the table of chains, and the rows of the table of pairs."""
    chains: list[int] = []
    rows = []
    for pair in pairs:
        dofs1, dofs2 = (_dofs_moving(model, model.geom_bodyid[geom]) for geom in pair)
        only1, only2 = [dof for dof in dofs1 if dof not in dofs2], [dof for dof in dofs2 if dof not in dofs1]
        chain = [*only1, *only2]
        dimensions, moving = dimensions_of(model, pair), moving_body(model, pair)
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
                    _impedance(model, *softness(model, pair), margin),
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
