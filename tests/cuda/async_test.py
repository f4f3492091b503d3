# SPDX-License-Identifier: Apache-2.0
"""Tests asynchronous pools on a GPU: batches are fixed groups of environments, received in the order they were sent."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import envpool
import tests.environments.registration  # noqa: F401  (registers Crowd)
from tests.cuda.device_arrays import DRIVER, OnDevice, make

pytestmark = pytest.mark.usefixtures("stand_in")


def batch_of(received: Any) -> list[np.ndarray]:
    """Returns the per-environment arrays of a step as NumPy arrays."""
    *arrays, info = received
    arrays = [*arrays, info["env_id"], info["elapsed_step"]]
    if "final_obs" in info:
        arrays += [info["_final_obs"], info["final_obs"]]
    return [array if isinstance(array, np.ndarray) else array.numpy() for array in arrays]


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
@pytest.mark.parametrize("task_id", ["CartPole-v1", "Acrobot-v1", "FrozenLake-v1"])
def test_groups_match_a_synchronous_pool_bit_for_bit(task_id: str, mode: str) -> None:
    given = {"num_envs": 12, "autoreset_mode": mode, "max_episode_steps": 9}
    gpu, cpu = make(task_id, batch_size=4, **given), make(task_id, device="cpu", **given)
    groups = [np.arange(first, first + 4) for first in (0, 4, 8)]
    gpu.async_reset()
    first = cpu.reset()[0]
    for ids in groups:
        observation, info = gpu.recv(reset=True)
        assert np.array_equal(info["env_id"].numpy(), ids) and np.array_equal(observation.numpy(), first[ids])
    rng = np.random.default_rng(1)
    ended = 0
    for _ in range(40):
        actions = [rng.integers(0, 2, 4) for _ in groups]
        for ids, action in zip(groups, actions, strict=True):
            gpu.send(action, ids)
        for ids, action in zip(groups, actions, strict=True):
            ours, theirs = batch_of(gpu.recv()), batch_of(cpu.step(action, ids))
            ended += int((theirs[2] | theirs[3]).sum())
            assert all(np.array_equal(mine, other) for mine, other in zip(ours[:6], theirs[:6], strict=True))
            if len(theirs) > 6:  # A CPU pool omits this array if no episode ended.
                assert np.array_equal(ours[6], theirs[6])
                assert np.array_equal(ours[7][ours[6]], theirs[7][theirs[6]])
    assert ended > 12
    assert [gpu.snapshot(i) for i in range(12)] == [cpu.snapshot(i) for i in range(12)]


def test_the_asynchronous_loop() -> None:
    """The received ids can be sent back, and the action may be an array on the GPU."""
    gpu = make(num_envs=6, batch_size=2)
    assert gpu.is_async
    gpu.async_reset()
    seen = []
    for _ in range(12):
        info = gpu.recv()[-1]
        seen.append(info["env_id"].numpy().tolist())
        gpu.send(OnDevice(np.ones(2, "i4")), info["env_id"])
    assert seen == [[0, 1], [2, 3], [4, 5]] * 4
    gpu.reset()  # pending batches are discarded
    for _ in range(2):
        gpu.recv()
    gpu.send({"action": np.zeros(2, int), "env_id": [3, 2]})  # one group, in another order
    assert gpu.recv()[-1]["env_id"].numpy().tolist() == [3, 2]
    gpu.send(np.zeros(6, int))  # all groups
    assert [gpu.recv()[-1]["env_id"].numpy().tolist() for _ in range(3)] == [[0, 1], [2, 3], [4, 5]]


def test_worlds_and_fields_in_groups() -> None:
    gpu, cpu = make("Crowd-v0", 6, batch_size=3), make("Crowd-v0", 6, device="cpu")
    first = cpu.reset(seed=list(range(6)))[1]["players"]["env_id"]
    gpu._call_reset(gpu._pool.reset, None, list(range(6)))
    for group in (0, 1):
        info = gpu.recv(reset=True)[1]
        ids = info["players"]["env_id"].numpy()
        assert np.array_equal(ids[ids >= 0], first[first // 3 == group])
    assert [gpu.snapshot(i) for i in range(6)] == [cpu.snapshot(i) for i in range(6)]
    assert gpu.players().tolist() == cpu.players().tolist()


def test_each_group_has_a_stream() -> None:
    before = DRIVER().count("streams")
    gpu = make(num_envs=8, batch_size=2)
    assert DRIVER().count("streams") == before + 4
    gpu.async_reset()
    streams = {gpu.recv()[0].__cuda_array_interface__["stream"] for _ in range(4)}
    independent = [DRIVER().get("cuStreamGetFlags", stream, at=1) for stream in streams]
    assert independent == [1] * 4  # Blocking streams would wait for each other through the legacy stream.
    gpu.close()
    del gpu
    assert DRIVER().count("streams") == before


def test_ids_are_returned_without_waiting() -> None:
    """Tests that the host knows the ids even if the launch that writes them failed or never ran."""
    gpu = make(num_envs=4, batch_size=2)
    gpu.async_reset()
    array = gpu.recv()[-1]["env_id"]
    gpu.close()
    assert array.numpy().tolist() == [0, 1]


@pytest.mark.parametrize(
    ("ids", "text"),
    [
        ([0], r"send: env_id: expected whole batches of 2 environments, got 1"),
        ([0, 1, 2], r"send: env_id: expected whole batches of 2 environments, got 3"),
        ([1, 2], r"send: env_id: expected environments 0 to 1, which are one batch, got 1 to 2"),
        ([0, 0], r"send: env_id: expected distinct ids, got 0 twice"),
        ([0, 1, 0, 1], r"send: env_id: expected distinct ids, got 0 twice"),
        ([], r"send: env_id: expected at least one environment, got none"),
        ([0, 6], r"env_id: expected ids in 0..5, got 6"),
    ],
)
def test_ids_must_be_whole_batches(ids: list[int], text: str) -> None:
    gpu = make(num_envs=6, batch_size=2)
    gpu.async_reset()
    for _ in range(3):
        gpu.recv()
    with pytest.raises(ValueError, match=r"\[CartPole-v1\] " + text):
        gpu.send(np.zeros(len(ids), int), np.array(ids, int))
    gpu.send(np.zeros(2, int), [2, 3])
    with pytest.raises(RuntimeError, match="send: environment 2 is under way"):
        gpu.send(np.zeros(6, int))
    gpu.recv()


def test_a_fault_names_the_environments_of_its_batch() -> None:
    gpu = make(num_envs=6, batch_size=2)
    gpu.async_reset()
    for _ in range(3):
        gpu.recv()
    gpu.send(OnDevice(np.array([1, 7])), [2, 3])
    gpu._pool.wait()
    words = r"expected an integer in 0..1, got another value in row 1 of an earlier step of environments 2 to 3; its environment"
    with pytest.raises(ValueError, match=words):
        gpu.recv()
    gpu.recv()


def test_dm_env_pools_can_be_asynchronous() -> None:
    pool = envpool.make_dm("CartPole-v1", num_envs=4, batch_size=2, device="cuda")
    pool.async_reset()
    step = pool.recv()
    assert step.observation.env_id.numpy().tolist() == [0, 1] and step.observation.obs.shape == (2, 4)
    pool.send(np.zeros(2, int), step.observation.env_id)
