# SPDX-License-Identifier: Apache-2.0
"""Compares our solver with mj_step on random models, bit for bit.

ENVPOOL_TEST_ROBOT_MODELS sets the number of models, of which every fourth is also compared in lanes.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.robots.model_library import SOURCE, compile_models, run_with_our_sine, tool
from tests.robots.random_models import random_model
from tests.support.samples import DAY

mujoco = pytest.importorskip("mujoco")
pytestmark = pytest.mark.skipif(SOURCE is None, reason="needs the sources: ENVPOOL_SOURCE_DIR")

COUNT = int(os.environ.get("ENVPOOL_TEST_ROBOT_MODELS", 4))
TOGETHER = 4  # models in a translation unit
STATES, STEPS = 20, 1000


# What random models rarely have: static bodies after those that move, inertia matrices that are always singular, limbs
# that cross, and contacts whose forces move nothing.
RARE = [
    """<mujoco><worldbody><body pos="0 0 .3"><freejoint/><geom type="capsule" size=".1 .2"/></body>
    <body pos=".1 0 0" quat="1 .3 0 0"><geom type="capsule" size=".1 .3"/></body></worldbody></mujoco>""",
    """<mujoco><worldbody><body><joint axis="0 1 0"/><joint axis="0 1 0"/><geom size=".1" pos=".3 0 0"/><body pos=".5 0 0">
    <joint axis="0 1 0" range="-.1 .1" limited="true"/><geom size=".1" pos=".2 0 0"/></body></body></worldbody></mujoco>""",
    """<mujoco><option integrator="RK4" timestep=".002"/><default><geom type="capsule" size=".05"/>
    <joint axis="0 1 0" damping="1"/></default><worldbody><body><joint/><geom fromto="0 0 0 0 0 -.5"/>
    <body pos="0 0 -.5"><joint/><geom fromto="0 0 0 .2 0 -.3"/><body pos=".2 0 -.3"><joint/>
    <geom fromto="0 0 0 -.5 0 .3"/></body></body></body></worldbody></mujoco>""",
]


def header_of(number: int, text: str, folder: Path) -> str:
    """Saves a model as <number>.mjb and returns its header, or an empty string if it is outside the subset."""
    model = mujoco.MjModel.from_xml_string(text)
    tables = tool("mujoco_tables")
    try:
        header = str(tables.header(model, f"Random{number}Model", f"Random model {number}"))
    except tables.UnsupportedModelError:
        return ""
    mujoco.mj_saveModel(model, str(folder / f"{number}.mjb"))
    return header


def compare(texts: dict[int, str], folder: Path, count: int) -> None:
    """Compares `count` of the models, by their numbers: first each stage in a few states, and then free steps."""
    headers: dict[int, str] = {}
    for number, text in texts.items():
        if len(headers) < count and (header := header_of(number, text, folder)):
            headers[number] = header
    assert len(headers) == count
    library = folder / "models.so"
    names = {number: f"Random{number}Model" for number in headers}
    in_lanes = {min(headers)}
    # Without optimization, as in `make dev`, which takes a third of the time to compile and run.
    compile_models(library, [*headers.values()], [*names.values()], [names[number] for number in in_lanes], "-O0")
    models = [
        {"library": str(library), "name": name, "file": str(folder / f"{number}.mjb"), "seed": number}
        for number, name in names.items()
    ]
    stages = [{**model, "states": STATES} for model in models]
    for result in json.loads(run_with_our_sine("tests.robots.stages", json.dumps(stages))):
        assert result["differences"] == [], result
    steps = [{**model, "steps": STEPS, "in_lanes": model["seed"] in in_lanes} for model in models]
    results = json.loads(run_with_our_sine("tests.robots.steps", json.dumps(steps)))
    print(json.dumps(results))  # pytest -rP shows it
    for result in results:
        assert result["steps"] == STEPS
        assert result["differing"] == 0, result


@pytest.mark.parametrize("number", range(-(-COUNT // TOGETHER)))
def test_random_models_have_the_bits_of_the_library(number: int, tmp_path: Path) -> None:
    first = 100 * (1000 * DAY + number)
    compare({seed: random_model(seed) for seed in range(first, first + 20)}, tmp_path, TOGETHER)


def test_rare_models_have_the_bits_of_the_library(tmp_path: Path) -> None:
    compare(dict(enumerate(RARE)), tmp_path, len(RARE))
