# SPDX-License-Identifier: Apache-2.0
"""Compares our solver with mjData, bit for bit, for the models of all robots: each stage, and steps of free motion.

ENVPOOL_TEST_ROBOT_STEPS sets the number of steps.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.robots.model_library import SOURCE, compile_models, run_with_our_sine, tool
from tests.support.samples import DAY

mujoco = pytest.importorskip("mujoco")
gymnasium = pytest.importorskip("gymnasium")
pytestmark = pytest.mark.skipif(SOURCE is None, reason="needs the sources: ENVPOOL_SOURCE_DIR")

STEPS = int(os.environ.get("ENVPOOL_TEST_ROBOT_STEPS", 2000))
ROBOTS: dict[str, str] = tool("mujoco_tables").ROBOTS if SOURCE else {}
ASSETS = Path(gymnasium.__file__).parent / "envs" / "mujoco" / "assets"
WITHOUT_CONTACTS = {"InvertedDoublePendulumModel", "InvertedPendulumModel", "ReacherModel", "SwimmerModel"}
WITHOUT_TENDONS = set(ROBOTS) - {"HumanoidModel", "HumanoidStandupModel"}


@pytest.mark.sampled(one_in=4)
@pytest.mark.parametrize("name", ROBOTS)
def test_stages_and_free_steps_have_the_bits_of_the_library(name: str, tmp_path: Path) -> None:
    file, library = ROBOTS[name], tmp_path / f"{name}.so"
    compile_models(library, [f'#include "envpool/robots/models/{Path(file).stem}.h"'], [name], in_lanes=[name])
    mujoco.mj_saveModel(mujoco.MjModel.from_xml_path(str(ASSETS / file)), str(tmp_path / "model.mjb"))
    model = {"library": str(library), "name": name, "file": str(tmp_path / "model.mjb")}

    (result,) = json.loads(run_with_our_sine("tests.robots.stages", json.dumps([{**model, "states": 200, "seed": 5}])))
    assert result["differences"] == []
    # Every stage has had something to compute, unless the robot has none of it.
    empty = {stage for stage, count in result["compared"].items() if count == 0}
    expected = {"tendons"} if name in WITHOUT_TENDONS else set()
    expected |= {"collisions", "jacobian"} if name in WITHOUT_CONTACTS else set()
    assert empty == expected

    free = {**model, "steps": STEPS, "seed": DAY, "in_lanes": True}
    (result,) = json.loads(run_with_our_sine("tests.robots.steps", json.dumps([free])))
    print(json.dumps(result))  # pytest -rP shows it
    assert result["differing"] == 0, result
    assert result["lanes"] > STEPS // 2
