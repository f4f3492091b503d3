# SPDX-License-Identifier: Apache-2.0
"""Compares our solver with mj_step on random models, bit for bit.

ENVPOOL_TEST_ROBOT_MODELS sets the number of models, of which every fourth is also compared in lanes.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.robots.model_library import SOURCE, compile_models, run_with_our_sine, tool
from tests.robots.random_models import random_model
from tests.support.samples import DAY

mujoco = pytest.importorskip("mujoco")
pytestmark = pytest.mark.skipif(SOURCE is None, reason="needs the sources: ENVPOOL_SOURCE_DIR")

COUNT = int(os.environ.get("ENVPOOL_TEST_ROBOT_MODELS", 4))
TOGETHER = 4  # models in a translation unit
STATES, STEPS = 20, 1000


def header_of(seed: int, folder: Path) -> str:
    """Saves a random model as <seed>.mjb and returns its header, or an empty string if it is outside the subset."""
    model = mujoco.MjModel.from_xml_string(random_model(seed))
    tables = tool("mujoco_tables")
    try:
        header = str(tables.header(model, f"Random{seed}Model", f"Random model {seed}"))
    except tables.UnsupportedModelError:
        return ""
    mujoco.mj_saveModel(model, str(folder / f"{seed}.mjb"))
    return header


def compare(first: int, folder: Path) -> list[dict[str, Any]]:
    """Compares TOGETHER models, whose seeds begin at `first`: first each stage in a few states, and then free steps."""
    headers: dict[int, str] = {}
    for seed in range(first, first + 100):
        if len(headers) < TOGETHER and (header := header_of(seed, folder)):
            headers[seed] = header
    library = folder / f"models_{first}.so"
    names = {seed: f"Random{seed}Model" for seed in headers}
    in_lanes = {min(headers)}
    # Without optimization, as in `make dev`, which takes a third of the time to compile and run.
    compile_models(library, [*headers.values()], [*names.values()], [names[seed] for seed in in_lanes], "-O0")
    common = [
        {"library": str(library), "name": names[seed], "file": str(folder / f"{seed}.mjb"), "seed": seed}
        for seed in headers
    ]
    stages = [{**model, "states": STATES} for model in common]
    results = json.loads(run_with_our_sine("tests.robots.stages", json.dumps(stages)))
    steps = [{**model, "steps": STEPS, "in_lanes": model["seed"] in in_lanes} for model in common]
    more = json.loads(run_with_our_sine("tests.robots.steps", json.dumps(steps)))
    return [{**one, **two} for one, two in zip(results, more, strict=True)]


@pytest.mark.parametrize("number", range(-(-COUNT // TOGETHER)))
def test_random_models_have_the_bits_of_the_library(number: int, tmp_path: Path) -> None:
    results = compare(100 * (1000 * DAY + number), tmp_path)
    print(json.dumps([{**result, "compared": ""} for result in results]))  # pytest -rP shows it
    assert len(results) == TOGETHER
    for result in results:
        assert result["differences"] == [], result
        assert result["steps"] == STEPS
        assert result["differing"] == 0, result
