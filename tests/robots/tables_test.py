# SPDX-License-Identifier: Apache-2.0
"""Tests tools/mujoco_tables.py: the tables of our robots, and the models that it refuses."""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path
from types import ModuleType

import pytest

mujoco = pytest.importorskip("mujoco")

SOURCE = os.environ.get("ENVPOOL_SOURCE_DIR")
pytestmark = pytest.mark.skipif(SOURCE is None, reason="needs the sources: ENVPOOL_SOURCE_DIR")


@pytest.fixture(scope="module")
def tables() -> ModuleType:
    """The tool, as a module."""
    folder = str(Path(str(SOURCE), "tools"))
    sys.path.insert(0, folder)
    try:
        return importlib.import_module("mujoco_tables")
    finally:
        sys.path.remove(folder)


def test_the_tables_are_those_of_the_installed_mujoco(tables: ModuleType) -> None:
    """Fails if a release of MuJoCo or gymnasium changes a constant of a robot."""
    headers = tables.robot_headers()
    assert headers.keys() == {path.name for path in tables.MODELS.glob("*.h")}
    for name, text in headers.items():
        assert (tables.MODELS / name).read_text() == text, f"{name} is out of date: make generated"


XML = """
<mujoco>
  <option {option}/>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 1" {floor}/>
    <body name="cart">
      <joint name="slide" type="{joint}" {limits}/>
      <geom name="pole" type="{geom}" size="0.1 0.2 0.3" {softness}/>
      <body name="pole" pos="0 0 1">
        <joint name="hinge" {friction}/>
        <geom name="ball" type="sphere" size="0.1"/>
      </body>
    </body>
  </worldbody>
  <actuator><{actuator} name="motor" joint="hinge" {force}/></actuator>
  {more}
</mujoco>
"""
SECOND = '<body><joint/><geom size="0.1" contype="0" conaffinity="0"/></body>'
SITES = '<worldbody><site name="a"/><site name="b"/></worldbody>'
SPATIAL = f'{SITES}<tendon><spatial name="rope"><site site="a"/><site site="b"/></spatial></tendon>'
FLOATING = '<worldbody><body name="{name}" {more}><freejoint/><geom name="{name}" size="0.1"/></body></worldbody>'
SLIDE = '<joint joint="slide" coef="1"/>'
LINK = "<body><joint/>" + 20 * '<geom size="0.1"/>' + "</body>"
NAN, INFINITE = float("nan"), float("inf")
PLAIN = {"joint": "slide", "geom": "capsule", "actuator": "motor"}


def model(**parts: str) -> object:
    names = ("option", "floor", "joint", "limits", "geom", "softness", "friction", "actuator", "force", "more")
    return mujoco.MjModel.from_xml_string(XML.format(**{**dict.fromkeys(names, ""), **PLAIN, **parts}))


def test_a_model_within_the_subset_is_accepted(tables: ModuleType) -> None:
    header = tables.header(model(), "Mine", "A test")
    assert "struct Mine {" in header and "kPairs = 2;" in header


def test_pairs_belong_to_the_tree_of_the_body_that_moves(tables: ModuleType) -> None:
    walls = '<worldbody><body name="wall"><geom name="wall" size="0.1"/></body></worldbody>'
    for changed in (model(), model(more=walls)):  # the wall comes after the bodies that move
        moving = [tables.moving_body(changed, pair) for pair in tables.pairs_of(changed)]
        assert moving and all(changed.body_treeid[body] == 0 for body in moving)


def test_only_the_differences_from_a_base_are_written(tables: ModuleType) -> None:
    base = tables.header(model(), "Mine", "A test")
    other = tables.header(model(softness='friction="2"'), "Other", "A test", (model(), "Walker2dModel"))
    assert "struct Other : Walker2dModel {" in other
    assert [line for line in other.splitlines() if "ENVPOOL_FN" in line] == [
        "  ENVPOOL_FN static const f64& friction(i32 i) {"
    ]
    assert base.count("ENVPOOL_FN") > 10 and "kControls" in base and "kControls" not in other


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"joint": "ball"}, "joint 'slide': expected a free, slide or hinge joint"),
        ({"geom": "box"}, "geom 'pole': expected a plane, sphere or capsule"),
        ({"geom": "cylinder"}, "geom 'pole': expected a plane, sphere or capsule"),
        ({"softness": 'gap="0.1"'}, "geom 'pole': expected no gap"),
        ({"softness": 'priority="1"'}, "geom 'pole': expected priority 0"),
        ({"softness": 'condim="4"'}, "geom 'pole': expected condim 1 or 3"),
        ({"softness": 'solref="-100 -1"'}, "geom 'pole': expected positive solref"),
        ({"softness": 'solimp="0.9 0.95 0.001 0.5 3"'}, "geom 'pole': expected the power 2 in solimp"),
        ({"friction": 'frictionloss="1"'}, "joint 'hinge': expected no frictionloss"),
        ({"limits": 'range="0 0.1" margin="0.1" limited="true"'}, "joint 'slide': expected a range wider than"),
        ({"actuator": "position"}, "actuator 'motor': expected no bias"),
        ({"force": 'forcerange="-1 1" forcelimited="true"'}, "actuator 'motor': expected no forcerange"),
        ({"option": 'solver="CG"'}, "option: expected solver Newton or PGS, got mjSOL_CG"),
        (
            {"option": 'solver="PGS"', "more": f"<worldbody>{SECOND}</worldbody>"},
            "option: expected solver Newton, or a single kinematic tree, got solver PGS and 2 trees",
        ),
        ({"option": 'cone="elliptic"'}, "option: expected pyramidal cones, got mjCONE_ELLIPTIC"),
        ({"option": 'integrator="implicit"'}, "option: expected integrator Euler or RK4, got mjINT_IMPLICIT"),
        ({"option": 'impratio="2"'}, "option: expected impratio 1, got 2.0"),
        ({"option": 'wind="1 0 0"'}, "option: expected no wind"),
        ({"option": 'timestep="0"'}, "option: expected a timestep above 0, got 0.0"),
        ({"option": 'density="-1"'}, "option: expected a density of at least 0, got -1.0"),
        ({"option": 'iterations="100000"'}, "option: expected 1 to 1000 iterations, got 100000"),
        ({"option": 'ls_iterations="0"'}, "option: expected at least 1 for ls_iterations, got 0"),
        ({"option": 'jacobian="sparse"'}, "option: expected a dense Jacobian"),
        ({"option": 'actuatorgroupdisable="2"'}, "option: expected no disabled actuators, got the groups 0b100"),
        ({"option": 'noslip_iterations="1"'}, "option: expected noslip_iterations 0, got 1"),
        ({"more": '<option><flag contact="disable"/></option>'}, "option: expected no disable flags"),
        ({"more": '<option><flag energy="enable"/></option>'}, "option: expected no enable flags"),
        ({"friction": 'stiffness="1 2"'}, "joint 'hinge': expected no stiffnesspoly"),
        ({"friction": 'damping="1 2"'}, "joint 'hinge': expected no dampingpoly"),
        ({"friction": 'damping="-1"'}, "joint 'hinge': expected damping of at least 0"),
        ({"friction": 'actuatorfrcrange="-1 1"'}, "joint 'hinge': expected no actuatorfrcrange"),
        ({"softness": 'fluidshape="ellipsoid"'}, "geom 'pole': expected no fluid"),
        ({"softness": 'solmix="0"'}, "geom 1: expected a solmix above 0"),
        ({"geom": "ellipsoid"}, "geom 'pole': expected a plane, sphere or capsule"),
        ({"actuator": "velocity"}, "actuator 'motor': expected no bias"),
        (
            {"actuator": "intvelocity", "force": 'actrange="0 1"'},
            "without actuators with an activation, got one with 1",
        ),
        ({"force": 'delay="0.1" nsample="3"'}, "actuator 'motor': expected no delay"),
        ({"more": SPATIAL}, "tendon 'rope': expected a fixed tendon"),
        ({"more": FLOATING.format(name="ball2", more="")}, "'pole': expected collisions within one kinematic tree"),
        ({"more": FLOATING.format(name="air", more='gravcomp="1"')}, "body 'air': expected no gravcomp"),
        (
            {"more": FLOATING.format(name="hand", more='mocap="true"').replace("<freejoint/>", "")},
            "without mocap bodies",
        ),
        ({"more": '<contact><pair geom1="pole" geom2="floor"/></contact>'}, "without contact pairs, got one with 1"),
        (
            {"more": '<equality><joint joint1="hinge" joint2="slide"/></equality>'},
            "expected a model without equality constraints, got one with 1",
        ),
        (
            {"more": '<tendon><fixed name="rope" stiffness="1"><joint joint="hinge" coef="1"/></fixed></tendon>'},
            "tendon 'rope': expected no stiffness",
        ),
        (
            {"more": f"<tendon><fixed>{SLIDE}{SLIDE}</fixed></tendon>"},
            "tendon 0: expected at most three joints, in order",
        ),
    ],
)
def test_other_models_are_refused_by_the_name_of_the_element(
    tables: ModuleType, parts: dict[str, str], message: str
) -> None:
    with pytest.raises(tables.UnsupportedModelError, match=message.replace("(", r"\(")):
        tables.header(model(**parts), "Mine", "A test")


@pytest.mark.parametrize(
    ("table", "index", "number", "message"),
    [
        ("body_mass", 1, 0, "body 'cart': expected a mass above 0"),
        ("body_mass", 2, -1, "body 'pole': expected a mass above 0"),
        ("body_inertia", (1, 2), 0, "body 'cart': expected a mass above 0"),
        ("body_pos", (2, 1), NAN, "body 'pole': expected finite numbers in pos"),
        ("body_subtreemass", 0, INFINITE, "body 'world': expected finite numbers in subtreemass"),
        ("qpos0", 1, NAN, "joint 'hinge': expected finite numbers in qpos0"),
        ("qpos_spring", 0, NAN, "joint 'slide': expected finite numbers in qpos_spring"),
        ("jnt_axis", (1, 0), NAN, "joint 'hinge': expected finite numbers in axis"),
        ("dof_armature", 1, NAN, "joint 'hinge': expected finite numbers in armature"),
        ("geom_friction", (1, 0), NAN, "geom 'pole': expected finite numbers in friction"),
        ("geom_rgba", (0, 3), NAN, "geom 'floor': expected finite numbers in rgba"),
        ("geom_solimp", (2, 4), INFINITE, "geom 'ball': expected finite numbers in solimp"),
        ("actuator_gear", (0, 0), NAN, "actuator 'motor': expected finite numbers in gear"),
    ],
)
def test_numbers_that_are_not_finite_and_masses_of_0_are_refused(
    tables: ModuleType, table: str, index: object, number: float, message: str
) -> None:
    changed = model()
    getattr(changed, table)[index] = number
    with pytest.raises(tables.UnsupportedModelError, match=message):
        tables.header(changed, "Mine", "A test")


@pytest.mark.parametrize("option", ["timestep", "density", "viscosity", "tolerance", "ls_tolerance", "impratio"])
def test_options_that_are_not_finite_are_refused(tables: ModuleType, option: str) -> None:
    changed = model()
    setattr(changed.opt, option, NAN)
    with pytest.raises(tables.UnsupportedModelError, match=f"option: expected finite numbers, got {option} nan"):
        tables.header(changed, "Mine", "A test")


def test_models_without_joints_or_with_too_many_contacts_are_refused(tables: ModuleType) -> None:
    for bodies, message in (
        ("<body><geom size='0.1'/></body>", "expected a model with joints, got one without"),
        (
            f"<body><joint/><geom size='0.1'/>{LINK * 20}</body>",
            "expected at most 1000 rows of contacts, got up to 304000",
        ),
    ):
        changed = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{bodies}</worldbody></mujoco>")
        with pytest.raises(tables.UnsupportedModelError, match=message):
            tables.header(changed, "Mine", "A test")
