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
SLIDE = '<joint joint="slide" coef="1"/>'
PLAIN = {"joint": "slide", "geom": "capsule", "actuator": "motor"}


def model(**parts: str) -> object:
    names = ("option", "floor", "joint", "limits", "geom", "softness", "friction", "actuator", "force", "more")
    return mujoco.MjModel.from_xml_string(XML.format(**{**dict.fromkeys(names, ""), **PLAIN, **parts}))


def test_a_model_within_the_subset_is_accepted(tables: ModuleType) -> None:
    header = tables.header(model(), "Mine", "A test")
    assert "struct Mine {" in header and "kPairs = 2;" in header


def test_only_the_differences_from_a_base_are_written(tables: ModuleType) -> None:
    base = tables.header(model(), "Mine", "A test")
    other = tables.header(model(softness='friction="2"'), "Other", "A test", (model(), "Walker2dModel"))
    assert "struct Other : Walker2dModel {" in other
    assert [line for line in other.splitlines() if "ENVPOOL_FN" in line] == [
        "  ENVPOOL_FN static const Pair& pair(i32 i) {"
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
