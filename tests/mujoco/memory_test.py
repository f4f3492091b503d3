# SPDX-License-Identifier: Apache-2.0
"""Tests that a pool that does not fit into memory is refused before its environments, which hold mjData, are made."""

import re

import pytest

import envpool
from envpool import _core
from envpool.mujoco.dmc.models import suite_model

MAX_ENVS = 2**20
BODIES = "".join(f"<body pos='{i} 0 0'><joint name='j{i}' type='slide'/><geom size='.1'/></body>" for i in range(3))
MODEL = f"<mujoco><worldbody>{BODIES}</worldbody><actuator><motor joint='j0'/></actuator></mujoco>"


def needed(task_id, **options):
    """Returns the bytes that a pool of MAX_ENVS environments would need, from the error message."""
    before = _core.usable_memory()
    with pytest.raises(MemoryError, match=rf"^\[{task_id}\] num_envs: no memory for {MAX_ENVS} environments") as caught:
        envpool.make_gymnasium(task_id, num_envs=MAX_ENVS, num_threads=1, **options)
    assert before - _core.usable_memory() < 2**30
    sentence = re.search(r"which need at least (\d+) MiB", str(caught.value))
    assert sentence is not None, caught.value
    return int(sentence[1]) * 2**20


@pytest.mark.parametrize("task_id", ["Ant-v5", "CartpoleThreePoles-v1", "Mujoco-v0"])
def test_the_data_of_a_large_model_is_counted(task_id):
    suite = task_id.startswith("Cartpole")
    model = suite_model("cartpole", "three_poles", 3) if suite else MODEL
    numbers = 10**6
    large = re.sub("(<mujoco.*?>)", rf"\1<size nuserdata='{numbers}'/>", model, count=1)
    assert needed(task_id, xml_file=large) >= MAX_ENVS * numbers * 8  # 8 TB


def test_stacked_images_are_counted():
    stack = 1000
    images = 84 * 84 * 3 * stack
    options = {"from_pixels": True, "frame_stack": stack, "batch_size": 1}
    # The images are stored in the environments and in the blocks of results.
    assert needed("Mujoco-v0", xml_file=MODEL, **options) >= MAX_ENVS * 2 * images


@pytest.mark.parametrize("task_id", ["Humanoid-v5", "HumanoidRun-v1"])
def test_ordinary_models_are_counted(task_id):
    if _core.usable_memory() > MAX_ENVS * 100_000:
        pytest.skip("this machine has enough memory for the largest pool")
    backend = {"backend": "mujoco"} if task_id == "Humanoid-v5" else {}
    assert needed(task_id, **backend) > MAX_ENVS * 100_000
