# SPDX-License-Identifier: Apache-2.0
"""Pools that memory could not hold are refused before any of it is taken: each environment has an mjData of its own."""

import re

import pytest

import envpool
from envpool import _core
from envpool.mujoco.dmc.models import suite_model

MOST_ENVS = 2**20
BODIES = "".join(f"<body pos='{i} 0 0'><joint name='j{i}' type='slide'/><geom size='.1'/></body>" for i in range(3))
MODEL = f"<mujoco><worldbody>{BODIES}</worldbody><actuator><motor joint='j0'/></actuator></mujoco>"


def needed(task_id, **options):
    """The bytes that a pool of MOST_ENVS environments would need, as its refusal says."""
    before = _core.usable_memory()
    with pytest.raises(
        MemoryError, match=rf"^\[{task_id}\] num_envs: no memory for {MOST_ENVS} environments"
    ) as caught:
        envpool.make_gymnasium(task_id, num_envs=MOST_ENVS, num_threads=1, **options)
    assert before - _core.usable_memory() < 2**30
    said = re.search(r"which need at least (\d+) MiB", str(caught.value))
    assert said is not None, caught.value
    return int(said[1]) * 2**20


@pytest.mark.parametrize("task_id", ["Ant-v5", "CartpoleThreePoles-v1", "Mujoco-v0"])
def test_the_data_of_a_large_model_counts(task_id):
    suite = task_id.startswith("Cartpole")
    model = suite_model("cartpole", "three_poles", 3) if suite else MODEL
    numbers = 10**6
    large = re.sub("(<mujoco.*?>)", rf"\1<size nuserdata='{numbers}'/>", model, count=1)
    assert needed(task_id, xml_file=large) >= MOST_ENVS * numbers * 8  # 8 TB


def test_pictures_that_are_kept_count():
    stack = 1000
    pictures = 84 * 84 * 3 * stack
    options = {"from_pixels": True, "frame_stack": stack, "batch_size": 1}
    # Once in the environments, and once in the blocks that they write to.
    assert needed("Mujoco-v0", xml_file=MODEL, **options) >= MOST_ENVS * 2 * pictures


@pytest.mark.parametrize("task_id", ["Humanoid-v5", "HumanoidRun-v1"])
def test_ordinary_bodies_count(task_id):
    if _core.usable_memory() > MOST_ENVS * 100_000:
        pytest.skip("this machine has memory for as many environments as a pool may have")
    assert needed(task_id) > MOST_ENVS * 100_000
