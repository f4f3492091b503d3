# SPDX-License-Identifier: Apache-2.0
"""Compares each stage of our solver with the members of mjData, bit for bit, for the models of all robots."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.robots.model_library import SOURCE, compile_models, run_with_our_sine, tool

pytest.importorskip("mujoco")
gymnasium = pytest.importorskip("gymnasium")
pytestmark = pytest.mark.skipif(SOURCE is None, reason="needs the sources: ENVPOOL_SOURCE_DIR")

STATES = int(os.environ.get("ENVPOOL_TEST_ROBOT_STATES", 200))
ROBOTS: dict[str, str] = tool("mujoco_tables").ROBOTS if SOURCE else {}
ASSETS = Path(gymnasium.__file__).parent / "envs" / "mujoco" / "assets"
WITHOUT_CONTACTS = {"InvertedDoublePendulumModel", "InvertedPendulumModel", "ReacherModel", "SwimmerModel"}
WITHOUT_TENDONS = set(ROBOTS) - {"HumanoidModel", "HumanoidStandupModel"}


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize("name", ROBOTS)
def test_every_stage_has_the_bits_of_the_library(name: str, tmp_path: Path) -> None:
    file, library = ROBOTS[name], tmp_path / "model.so"
    compile_models(library, [f'#include "envpool/robots/models/{Path(file).stem}.h"'], [name])
    model = {"library": str(library), "name": name, "text": str(ASSETS / file), "states": STATES, "seed": 5}
    (result,) = json.loads(run_with_our_sine("tests.robots.stages", json.dumps([model])))
    assert result["differences"] == []
    # Every stage has had something to compute, unless the robot has none of it.
    empty = {stage for stage, count in result["compared"].items() if count == 0}
    expected = {"tendons"} if name in WITHOUT_TENDONS else set()
    expected |= {"collisions", "jacobian"} if name in WITHOUT_CONTACTS else set()
    assert empty == expected
