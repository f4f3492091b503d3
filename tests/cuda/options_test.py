# SPDX-License-Identifier: Apache-2.0
"""Tests options of pools on a GPU that change from episode to episode: they do what they do on the CPU, bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import envpool
from tests.cuda.device_arrays import OnDevice, make
from tests.cuda.in_place_test import Graph

pytestmark = pytest.mark.usefixtures("stand_in")

N = 8
# Options of each id, with a value for each of the environments that change their episodes, and the length of episodes.
CASES: dict[str, tuple[dict[str, Any], int]] = {
    "CartPole-v1": ({"length": np.linspace(0.1, 2.0, N), "max_episode_steps": np.arange(N) + 3}, 9),
    "Taxi-v3": ({"is_rainy": np.arange(N) % 2 == 0}, 8),
    "UEDMaze-v0": (
        {"walls": np.random.default_rng(0).random((N, 13, 13)) < 0.3, "start": np.arange(2 * N).reshape(N, 2) % 13},
        8,
    ),
    "WarpDrive/TagGridWorld-v0": ({"tag_reward_for_tagger": np.linspace(1.0, 5.0, N)}, 7),
    "HalfCheetah-v5": ({"model.opt.gravity": [[0.0, 0.0, -1.0 - i] for i in range(N)], "ctrl_cost_weight": 0.3}, 4),
}


def both(task_id: str, **options: Any) -> tuple[Any, Any]:
    """Returns a pool on the device and one on the CPU."""
    given = {"num_envs": N, "seed": 3, "max_episode_steps": CASES[task_id][1], **options}
    return make(task_id, **given), envpool.make_gymnasium(task_id, **given)


def check(ours: Any, theirs: Any, rows: Any = slice(None), name: str = "") -> None:
    """Compares all arrays of two results, of a pool on the device and one on the CPU."""
    if isinstance(theirs, dict):
        assert set(ours) == set(theirs)
        for key, value in theirs.items():
            check(ours[key], value, rows, f"{name}.{key}")
    elif isinstance(theirs, tuple):
        assert len(ours) == len(theirs)
        done = theirs[2] | theirs[3] if len(theirs) == 5 else rows
        for i, value in enumerate(theirs):
            if i + 1 < len(theirs) or not isinstance(value, dict):
                check(ours[i], value, name=f"{name}[{i}]")
                continue
            # Rows of the last observations are those of episodes that have ended.
            last = {key for key in value if key.startswith("final_")}
            assert set(ours[i]) >= set(value)  # the CPU leaves them out if no episode has ended
            for key in value:
                check(ours[i][key], value[key], done if key in last else slice(None), key)
    else:
        mine = ours.numpy() if hasattr(ours, "numpy") else ours
        other = np.asarray(theirs)
        if not isinstance(rows, slice) and len(other) > len(rows):
            rows = np.repeat(rows, len(other) // len(rows))
        assert mine.dtype == other.dtype and mine[rows].tobytes() == other[rows].tobytes(), name


def step(pools: tuple[Any, Any], count: int) -> list[Any]:
    """Steps both pools with the same actions, and compares them. Returns the last results of the CPU's pool."""
    device, cpu = pools
    last: Any = None
    for _ in range(count):
        action = np.array([cpu.action_space.sample() for _ in cpu.all_env_ids])
        if cpu.config["max_num_players"] > 1:
            action = np.array([cpu.action_space.sample() for _ in range(int(cpu.players().sum()))])
        last = cpu.step(action)
        check(device.step(action), last)
    return last


def check_options(pools: tuple[Any, Any]) -> None:
    device, cpu = (pool.options() for pool in pools)
    assert list(device) == list(cpu)
    for name, values in cpu.items():
        assert device[name].dtype == values.dtype
        np.testing.assert_array_equal(device[name], values)


@pytest.mark.sampled(one_in=2)
@pytest.mark.parametrize("mode", ["next_step", "same_step"])
@pytest.mark.parametrize("task_id", CASES)
def test_options_change_as_on_the_cpu(task_id: str, mode: str) -> None:
    values, length = CASES[task_id]
    pools = both(task_id, autoreset_mode=mode, render_mode=None if task_id == "HalfCheetah-v5" else "rgb_array")
    device, cpu = pools
    check(device.reset(), cpu.reset())
    check_options(pools)
    step(pools, 2)
    for pool in pools:
        pool.set_options(**values)
    check_options(pools)
    step(pools, length + 3)
    check_options(pools)

    # Snapshots, observations and images are those of the new options.
    check(device.observe(), cpu.observe())
    if task_id != "HalfCheetah-v5":
        np.testing.assert_array_equal(device.render([0, 5]), cpu.render([0, 5]))
    ids = np.array([6, 1, 2], np.int32)
    some = {
        name: value[ids[::-1]] if isinstance(value, np.ndarray) else value
        for name, value in values.items()
        if not isinstance(value, list)
    }
    for pool in pools:
        pool.restore([0, 1], pool.snapshot([3, 4]))
        pool.clone([7, 2], [3, 5])
        pool.set_options(ids, max_episode_steps=5)
        pool.set_options(ids, **some)
    step(pools, 2 * length)
    check_options(pools)
    assert device.snapshot(range(N)) == cpu.snapshot(range(N))
    for pool in pools:
        pool.close()


def test_options_of_a_pool_made_with_options_of_each() -> None:
    each = [{"length": 0.1 + 0.2 * i} for i in range(N)]
    pools = both("CartPole-v1", env_options=each)
    check_options(pools)
    check(pools[0].reset(), pools[1].reset())
    for pool in pools:
        pool.set_options([2, 3, 4], gravity=[5.0, 6.0, 7.0])
    step(pools, 20)
    check_options(pools)
    assert pools[0].options([3, 0])["length"].tolist() == pytest.approx([0.7, 0.1])


def test_a_reset_takes_options() -> None:
    pools = both("CartPole-v1")
    results = [pool.reset(options={"length": np.linspace(0.2, 0.9, N)}) for pool in pools]
    check(*results)
    check_options(pools)
    step(pools, 12)
    mask = np.arange(N) % 3 == 0
    results = [pool.reset(options={"reset_mask": mask, "gravity": 3.0}) for pool in pools]
    check(*results)
    check_options(pools)
    step(pools, 12)


def test_asynchronous_groups_have_options() -> None:
    device = make("CartPole-v1", N, batch_size=4, max_episode_steps=9)
    cpu = envpool.make_gymnasium("CartPole-v1", num_envs=N, max_episode_steps=9, seed=3)
    device.async_reset()
    check_rows = cpu.reset()[0]
    with pytest.raises(RuntimeError, match=r"^\[CartPole-v1\] set_options: environment 0 is under way"):
        device.set_options([0], length=0.3)
    first = device.recv()[-1]["env_id"].numpy()
    lengths = np.linspace(0.3, 0.6, 4)
    for pool in (device, cpu):
        pool.set_options(first, length=lengths, max_episode_steps=4)
    ids = device.recv()[-1]["env_id"].numpy()
    assert sorted([*first, *ids]) == list(range(N)) and check_rows.shape == (N, 4)
    for step in range(40):
        ids = (first, ids)[step % 2] if step else first
        action = np.arange(4, dtype=np.int32) % 2
        device.send(action, ids)
        ours, theirs = device.recv(), cpu.step(action, ids)
        check(ours, theirs)
        first, ids = ids, np.setdiff1d(np.arange(N, dtype=np.int32), ids).astype(np.int32)
    check_options((device, cpu))


def test_nothing_changes_if_a_value_is_refused() -> None:
    device, cpu = both("CartPole-v1")
    device.reset(), cpu.reset()
    bad: list[tuple[dict[str, Any], type[Exception]]] = [
        ({"length": np.where(np.arange(N) == 5, -1.0, 0.3)}, ValueError),
        ({"length": np.nan}, ValueError),
        ({"length": "long"}, TypeError),
        ({"length": [0.1, 0.2]}, ValueError),
        ({"width": 3}, TypeError),
        ({"env_ids": [0, 0], "length": 0.3}, ValueError),
        ({"env_ids": [N], "length": 0.3}, ValueError),
        ({"env_ids": [-1], "length": 0.3}, ValueError),
    ]
    for arguments, error in bad:
        texts = []
        for pool in (device, cpu):
            with pytest.raises(error) as raised:
                pool.set_options(**arguments)
            texts.append(str(raised.value))
        assert texts[0] == texts[1] and texts[0].startswith("[CartPole-v1] ")
    step((device, cpu), 12)
    check_options((device, cpu))
    device.close()
    with pytest.raises(RuntimeError, match="closed"):
        device.set_options(length=0.3)
    with pytest.raises(RuntimeError, match="closed"):
        device.options()


def captured_step(pool: Any, action: OnDevice, stream: int) -> None:
    obs, *_ = pool.step(action)
    obs.__dlpack__(stream=stream)  # lets the captured stream wait for the step


def test_graphs_use_the_options_that_are_set_after_the_capture() -> None:
    early, late = (make("CartPole-v1", N, in_place=True, max_episode_steps=4) for _ in range(2))
    cpu = envpool.make_gymnasium("CartPole-v1", num_envs=N, max_episode_steps=4, seed=3)
    for pool in (early, late, cpu):
        pool.reset()
    for pool in (late, cpu):
        pool.set_options(length=0.7)
    action = np.ones(N, np.int32)
    for pool in (early, late):
        graph = Graph()
        on_device = OnDevice(action, stream=graph.stream)
        graph.capture(lambda: captured_step(pool, on_device, graph.stream))  # noqa: B023
    with pytest.raises(
        RuntimeError, match=r"^\[CartPole-v1\] set_options: CUDA graphs have captured steps of this pool"
    ):
        early.set_options(length=0.7)
    early.step(action)
    for pool in (late, cpu):
        pool.set_options([1, 2], length=[0.3, 1.9], max_episode_steps=2)
    for _ in range(9):
        graph.replay()
        expected = cpu.step(action)
    np.testing.assert_array_equal(late.observe()[0].numpy(), expected[0])
    check_options((late, cpu))


STARTS: dict[str, dict[str, float]] = {
    "CartPole-v1": {"low": 0.1, "high": 0.3},
    "Acrobot-v1": {"low": -0.02, "high": 0.5},
    "MountainCar-v0": {"low": -0.5, "high": -0.45},
    "MountainCarContinuous-v0": {"high": -0.3},
    "Pendulum-v1": {"x_init": 0.5, "y_init": 0.0},
}


@pytest.mark.parametrize("task_id", STARTS)
def test_ranges_of_initial_states_of_one_reset(task_id: str) -> None:
    given: dict[str, Any] = {"num_envs": N, "seed": 3, "max_episode_steps": 4}
    device, cpu = pools = make(task_id, **given), envpool.make_gymnasium(task_id, **given)
    other = cpu.reset()[0]
    check(device.reset(), (other, cpu.observe()[1]))
    moved = cpu.reset(options=STARTS[task_id])
    check(device.reset(options=STARTS[task_id]), moved)
    assert not (moved[0] == other).all(axis=1).any()
    step(pools, 6)  # the episodes after this one begin in the environment's own range again
    mask = np.arange(N) % 3 == 1
    for pool in pools:
        pool.reset(options={"reset_mask": mask, **STARTS[task_id], "max_episode_steps": 3})
    assert device.snapshot(range(N)) == cpu.snapshot(range(N))
    step(pools, 5)
    assert device.snapshot(range(N)) == cpu.snapshot(range(N))
    for pool in pools:
        pool.close()


def test_ranges_of_initial_states_are_checked() -> None:
    refused = pytest.raises(ValueError, match="options: expected none in an asynchronous pool")
    with make("CartPole-v1", num_envs=4, batch_size=2) as pool, refused:
        pool.reset(options={"low": 0.0})
    with make("CartPole-v1", num_envs=2) as pool:
        pool.reset()
        before = pool.snapshot([0, 1])
        with pytest.raises(ValueError, match="options: expected 'low' of at most 'high', got 0.06, 0.05"):
            pool.reset(options={"low": 0.06})
        assert pool.snapshot([0, 1]) == before
        core = pool._pool
        for offset, size in ((-1, 4), (0, -1), (1 << 40, 8), (0, 1 << 40)):
            with pytest.raises(ValueError, match="states: expected a part of a state of"):
                core.read_states([0], offset, size)
        with pytest.raises(ValueError, match="states: expected an array with one row of bytes per environment"):
            core.write_states([0], 0, np.zeros((2, 4), np.uint8))
