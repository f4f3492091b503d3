# SPDX-License-Identifier: Apache-2.0
"""Tests the named parts of states on a GPU, which callers read and write."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

from tests.cuda.device_arrays import DRIVER, make
from tests.cuda.device_comparison import random_actions, tasks, tasks_of_today

pytestmark = pytest.mark.usefixtures("stand_in")
WHOLE = os.environ.get("ENVPOOL_TEST_DEVICE") == "whole"


def test_parts_match_the_observations() -> None:
    pool = make(num_envs=5)
    observation = pool.reset()[0]
    for step in range(4):
        parts = pool.states()
        assert list(parts) == ["elapsed_step", "episode", "over", "position", "velocity", "angle", "angular_velocity"]
        assert parts["elapsed_step"].numpy().tolist() == [step] * 5
        assert parts["episode"].numpy().tolist() == [1] * 5
        seen = np.stack([parts[name].numpy() for name in list(parts)[3:]], axis=1)
        assert seen.dtype == np.float64 and np.array_equal(seen.astype(np.float32), observation.numpy())
        observation = pool.step(np.ones(5, int))[0]


def test_a_part_is_a_view() -> None:
    pool = make(num_envs=5)
    pool.reset()
    position = pool.states()["position"]
    assert (position.shape, position.dtype, len(position)) == ((5,), np.float64, 5)
    interface = position.__cuda_array_interface__
    assert interface["strides"] == (80,)  # the size of a CartPole slot in bytes
    word = DRIVER().download(interface["data"][0] + 80, np.zeros(1))
    assert word[0] == position.numpy()[1]
    catch = make("Breakout-MinAtar", num_envs=2).states()
    assert all(part.shape[0] == 2 for part in catch.values())


def test_written_states_are_stepped() -> None:
    pool, cpu = make(num_envs=3), make(num_envs=3, device="cpu")
    pool.reset(), cpu.reset()
    parts = pool.states()
    parts["position"].assign([0.5, -0.5, 1.0])
    parts["velocity"].assign(2.0)
    assert parts["position"].numpy().tolist() == [0.5, -0.5, 1.0]
    for env_id in range(3):
        cpu.restore(env_id, pool.snapshot(env_id))
    ours, theirs = pool.step(np.zeros(3, int)), cpu.step(np.zeros(3, int))
    assert np.array_equal(ours[0].numpy(), theirs[0])
    assert np.allclose(theirs[0][:, 0], np.array([0.5, -0.5, 1.0]) + 0.02 * 2)


def test_robots_are_drawn_from_their_states() -> None:
    pytest.importorskip("mujoco")
    options: dict[str, Any] = {"num_envs": 3, "render_mode": "rgb_array", "width": 40, "height": 30}
    options |= {"shadow_size": 0, "antialias": 0}
    pool, cpu = make("HalfCheetah-v5", **options), make("HalfCheetah-v5", device="cpu", **options)
    pool.reset(), cpu.reset()
    pool.step(np.full((3, 6), 0.3)), cpu.step(np.full((3, 6), 0.3))
    try:
        expected = cpu.render([0, 2])
    except RuntimeError as error:
        assert "OpenGL" in str(error)
        pytest.skip("OpenGL is not installed")
    assert np.array_equal(pool.render([0, 2]), expected)


@pytest.mark.sampled(one_in=2)
@pytest.mark.parametrize("task_id", ["Ant-v5", "Humanoid-v5"])
def test_robots_with_more_contacts_than_a_stack_has_room_for(task_id: str) -> None:
    pool, cpu = make(task_id, num_envs=5), make(task_id, num_envs=5, device="cpu")
    pool.reset(), cpu.reset()
    qpos = pool.states()["qpos"]
    positions = qpos.numpy()
    positions[1:4, 2] = -1  # The whole robots are below the floor, so all of their geoms touch it.
    qpos.assign(positions)
    for env_id in range(5):
        cpu.restore(env_id, pool.snapshot(env_id))
    action = np.full((5, *pool.action_space.shape), 0.1)
    for _ in range(3):
        pool.step(action), cpu.step(action)
        for env_id in range(5):
            assert pool.snapshot(env_id) == cpu.snapshot(env_id)


def test_writing_over_begins_new_episodes() -> None:
    pool = make(num_envs=3)
    pool.reset()
    pool.step(np.zeros(3, int))
    pool.states()["over"].assign([True, False, True])
    assert pool.step(np.zeros(3, int))[4]["elapsed_step"].numpy().tolist() == [0, 2, 0]


def leaves(tree: Any) -> list[Any]:
    """Returns the arrays of an observation, which may be a dict."""
    return [leaf for value in tree.values() for leaf in leaves(value)] if isinstance(tree, dict) else [tree]


@pytest.mark.parametrize("task_id", [task for task in (tasks() if WHOLE else tasks_of_today()) if task != "Pong-v5"])
def test_random_bytes_are_repaired(task_id: str) -> None:
    """After random bytes are written, the pool steps like a CPU pool that restored the same bytes."""
    count = 4 if "Tag" in task_id else 16
    pool, cpu = make(task_id, count), make(task_id, count, device="cpu")
    pool.reset(), cpu.reset()
    arrays = pool._construction.arrays
    rng = np.random.default_rng(7)
    for _ in range(4):
        for name, part in pool.states().items():
            interface = part.__cuda_array_interface__
            width = part.dtype.itemsize * int(np.prod(part.shape[1:]))
            # If an episode is over, the next step resets it without using the other parts, so `over` is set in one row
            # only.
            for row in range(count if name != "over" else 1):
                junk = rng.integers(0, 256, width, np.uint8)
                DRIVER().upload(junk, interface["data"][0] + row * interface["strides"][0])
        for env_id in range(count):
            cpu.restore(env_id, pool.snapshot(env_id))
        action = random_actions(arrays, rng, count)
        if arrays.max_players > 1:
            pool.step(action)
            continue
        ours, theirs = pool.step(*action.values()), cpu.step(*action.values())
        for mine, other in zip(leaves(ours[0]), leaves(theirs[0]), strict=True):
            assert np.array_equal(mine.numpy(), other, equal_nan=True)
        assert np.array_equal(ours[1].numpy(), theirs[1], equal_nan=True)
        assert np.array_equal(ours[2].numpy(), theirs[2])
    pool._pool.wait()
    pool.close()


def test_invalid_uses_of_states_are_refused() -> None:
    with pytest.raises(RuntimeError, match=r"\[CartPole-v1\] states: expected a pool on a GPU, got one on 'cpu'"):
        make(device="cpu").states()
    pool = make()
    part = pool.states()["position"]
    with pytest.raises(ValueError, match="could not broadcast"):
        part.assign(np.zeros(3))
    with pytest.raises(TypeError, match="Cannot cast"):
        pool.states()["elapsed_step"].assign(0.5)
    pool.close()
    part.assign(1.0)  # The array keeps its memory after its pool is closed.
    assert part.numpy().tolist() == [1.0] * 4
    with pytest.raises(RuntimeError, match="the pool is closed"):
        pool.states()
