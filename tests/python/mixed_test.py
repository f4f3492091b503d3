# SPDX-License-Identifier: Apache-2.0
"""Tests mixed pools with each interface: their info, specs, states, images and copies, and bad input."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import envpool
from envpool.python.errors import EnvError
from tests.python.interfaces import INTERFACES, make, raises_quickly

IDS = ["Counter-v0", "Counter-v1"]
LEVELS = ["MiniGrid-Empty-5x5-v0", "MiniGrid-DoorKey-8x8-v0"]
GAMES = ["Pong-v5", "Breakout-v5"]


def test_a_sequence_of_ids_makes_a_mixed_pool() -> None:
    for ids in (IDS, tuple(IDS), ["envpool/Counter-v0", "counter"]):
        with envpool.make(ids) as env:
            assert env.num_envs == 2
            assert env.tasks == env.spec.tasks == ("Counter-v0", "Counter-v1")
            assert str(env).startswith("GymnasiumEnvPool('Counter-v0, Counter-v1', num_envs=2, ")
    with envpool.make(IDS, num_envs=6) as env:
        assert env.reset()[1]["task_id"].tolist() == [0, 0, 0, 1, 1, 1]
    with envpool.make(IDS, num_envs=6, envs_per_task=np.array([5, 1])) as env:
        assert env.reset()[1]["task_id"].tolist() == [0, 0, 0, 0, 0, 1]
    with envpool.make(IDS * 4, envs_per_task=[1] * 8) as env:
        assert env.spec.id == "Counter-v0, Counter-v1, and 6 more"
        assert env.reset()[1]["task_id"].tolist() == list(range(8))


def test_a_pool_of_one_id_has_one_task() -> None:
    with envpool.make("Counter-v1", num_envs=2) as env:
        assert env.tasks == env.spec.tasks == ("Counter-v1",)
        assert env.spec.task_specs == (env.spec,)
        assert "task_id" not in env.reset()[1]
        assert "info:task_id" not in env.spec.state_array_spec


@pytest.mark.parametrize("interface", INTERFACES)
def test_every_interface_has_the_number_of_the_task(interface: str) -> None:
    with make(interface, IDS, num_envs=4) as env:
        results = [env.reset(), env.step(np.zeros(4, int))]
        env.send(np.zeros(4, int))
        results.append(env.recv())
        if interface != "classic":
            results.append(env.observe())
        for index, result in enumerate(results):
            if interface == "classic" and index == 0:
                continue  # an observation without info
            task_id = result.observation.task_id if interface == "dm" else result[-1]["task_id"]
            assert (task_id.dtype, task_id.tolist()) == (np.int32, [0, 0, 1, 1])
        assert env.tasks == tuple(IDS)


def test_vectors_of_gymnasium() -> None:
    gymnasium = pytest.importorskip("gymnasium")
    with envpool.make_vec(IDS, 4, autoreset_mode="same_step") as env:
        assert env.observation_space.shape == (4, 2)
        _, info = env.reset(options={"reset_mask": np.array([True] * 4)})
        assert info["task_id"].tolist() == [0, 0, 1, 1]
        assert info["_task_id"].all()
        _, info = env.reset(options={"reset_mask": np.array([False, False, True, False])})
        assert info["task_id"].tolist() == [0, 0, 1, 1]
        *_, info = env.step(np.ones(4, int))
        assert [each.tolist() for each in info["final_obs"]] == [[1, 1]] * 4
        assert "task_id" not in info["final_info"]
    env = gymnasium.wrappers.vector.RecordEpisodeStatistics(envpool.make_vec(IDS))
    env.reset()
    assert "episode" in env.step(np.ones(2, int))[-1]
    env.close()


def test_stable_baselines3() -> None:
    pytest.importorskip("stable_baselines3")
    env = envpool.make_sb3(IDS, 4)
    env.reset()
    *_, infos = env.step(np.zeros(4, int))
    assert [info["task_id"] for info in infos] == [0, 0, 1, 1]
    env.close()


def test_jitted_code() -> None:
    jax = pytest.importorskip("jax")
    with envpool.make(IDS, envs_per_task=[1, 3]) as env:
        env.reset()
        handle, recv, send, step = env.xla()

        @jax.jit
        def play(handle: Any) -> Any:
            handle, (obs, *_, info) = step(handle, np.zeros(4, np.int32))
            handle = send(handle, np.zeros(2, np.int32), np.array([3, 0]))
            handle, (*_, some) = recv(handle)
            return obs, info["task_id"], some["env_id"], some["task_id"]

        obs, task_id, env_id, some = play(handle)
    assert obs.tolist() == [[1, 1]] * 4
    assert (task_id.dtype, task_id.tolist()) == (np.int32, [0, 1, 1, 1])
    assert env_id.tolist() == [3, 0, -1, -1]
    assert some.tolist() == [1, 0, -1, -1]  # unused rows belong to no task


def test_the_spec() -> None:
    spec = envpool.make_spec(LEVELS, num_envs=4, task_options=[{"max_episode_steps": 10}, {}])
    assert (spec.id, spec.tasks) == (", ".join(LEVELS), tuple(LEVELS))
    first, second = spec.task_specs
    assert (first.id, second.id) == tuple(LEVELS)
    assert (first.max_episode_steps, second.max_episode_steps) == (10, None)
    assert spec.max_episode_steps is None
    assert spec.observation_space == first.observation_space == second.observation_space
    assert spec.action_space == first.action_space
    array = spec.state_array_spec["info:task_id"]
    assert (array.dtype, array.minimum, array.maximum) == (np.int32, 0, 1)
    assert spec.observation_spec().task_id.maximum == 1
    # An info may have other bounds in each task. The pool's hold for all of them.
    bounds = [each.state_array_spec["info:agent_pos"].maximum for each in (first, second, spec)]
    assert [np.max(each) for each in bounds] == [4, 7, 7]
    assert envpool.make_spec(IDS).max_episode_steps is None
    assert envpool.make_spec(IDS, max_episode_steps=7).max_episode_steps == 7
    assert envpool.make_spec(IDS).reward_threshold is None
    assert envpool.make_spec(IDS, reward_threshold=3).reward_threshold == 3
    thresholds = [each.reward_threshold for each in envpool.make_spec(IDS).task_specs]
    assert thresholds == [None, 5]
    rewards = envpool.make_spec(["CartPole-v0", "CartPole-v0"], task_options=[{}, {"sutton_barto_reward": True}])
    assert rewards.reward_spec().minimum <= min(each.reward_spec().minimum for each in rewards.task_specs)


def test_copies_of_pools_and_specs() -> None:
    options: dict[str, Any] = {"task_options": [{"colour": "green"}, {"step_reward": 4}], "envs_per_task": [1, 2]}
    env = envpool.make(IDS, seed=None, **options)
    expected = env.reset()
    pools = [pickle.loads(pickle.dumps(env)), copy.copy(env), copy.deepcopy(env), envpool.make(IDS, **env.config)]
    for pool in pools:
        assert pool.config == env.config
        assert pool.tasks == env.tasks
        obs, info = pool.reset()
        np.testing.assert_array_equal(obs, expected[0])
        np.testing.assert_equal(info, expected[1])
        assert pool.step(np.zeros(3, int))[1].tolist() == [1, 4, 4]
        pool.close()
    spec = pickle.loads(pickle.dumps(env.spec))
    assert spec.tasks == env.spec.tasks
    assert spec.values["task_options"][1]["step_reward"] == 4
    assert spec.config.envs_per_task == [1, 2]
    assert spec.gen_config().num_envs == 2
    env.close()


def test_options_of_single_environments_have_the_numbers_of_the_pool() -> None:
    each = [{"max_episode_steps": 2}, {}, {}, {"step_reward": 3}]
    with envpool.make(IDS, num_envs=4, env_options=each) as env:
        env.reset()
        env.step(np.zeros(4, int))
        _, reward, _, truncated, _ = env.step(np.zeros(4, int))
        assert reward.tolist() == [1, 1, 1, 3]
        assert truncated.tolist() == [True, False, False, False]
    each[3] = {"step_reward": "much"}
    with pytest.raises(TypeError, match=r"^\[Counter-v1\] \[env_options\[3\]\] step_reward: expected a number"):
        envpool.make(IDS, num_envs=4, env_options=each)


def test_options_of_a_task_precede_those_of_all_tasks() -> None:
    own = [{}, {"step_reward": 3, "max_episode_steps": 1}]
    with envpool.make(IDS, step_reward=2, max_episode_steps=4, task_options=own) as env:
        env.reset()
        _, reward, _, truncated, _ = env.step(np.zeros(2, int))
        assert reward.tolist() == [2, 3]
        assert truncated.tolist() == [False, True]
        assert [spec.max_episode_steps for spec in env.spec.task_specs] == [4, 1]


def test_tasks_share_snapshots_with_separate_pools() -> None:
    with envpool.make(LEVELS, num_envs=4) as env, envpool.make(LEVELS[1], num_envs=1, seed=1) as separate:
        env.reset()
        separate.reset()
        env.step([2, 2, 2, 2])
        state = env.snapshot(3)
        separate.restore(0, state)
        assert separate.snapshot(0) == state
        env.restore([2], [state])
        assert env.observe([2])[0]["image"].tobytes() == env.observe([3])[0]["image"].tobytes()
        for action in (1, 2, 5, 2, 0):
            ours, theirs = env.step([action] * 4), separate.step([action])
            for row in (2, 3):
                assert ours[0]["image"][row].tobytes() == theirs[0]["image"][0].tobytes()
                assert ours[1][row] == theirs[1][0]
        with pytest.raises(ValueError, match=rf"^\[{LEVELS[0]}\] restore: state: expected a snapshot of {LEVELS[0]}"):
            env.restore(0, state)
        with pytest.raises(ValueError, match="clone: env_id: expected environments with the options of environment 3"):
            env.clone(3, [0])
        env.clone(3, [2])
        assert env.snapshot(2) == env.snapshot(3)


def test_images_of_each_task() -> None:
    separate = [envpool.make(task, num_envs=4, render_mode="rgb_array") for task in LEVELS]
    env = envpool.make(LEVELS, num_envs=4, render_mode="rgb_array")
    for pool in (env, *separate):
        pool.reset()
    for env_id in range(4):
        np.testing.assert_array_equal(env.render([env_id]), separate[env_id // 2].render([env_id]))
    assert env.render([2, 3]).shape == (2, 256, 256, 3)
    assert env.render([]).shape[0] == 0
    raises_quickly(lambda: env.render([0, 2]), ValueError, "same size, got (160, 160) and (256, 256)", "render_width")
    with pytest.raises(ValueError, match="render: env_ids: expected environments whose images have the same size"):
        env._pool.render(np.array([0, 2], np.int32))
    sized = envpool.make(LEVELS, num_envs=4, render_mode="rgb_array", render_width=64, render_height=48)
    sized.reset()
    images = sized.render([3, 0, 2])
    assert images.shape == (3, 48, 64, 3)
    for image, env_id in zip(images, (3, 0, 2), strict=True):
        np.testing.assert_array_equal(image, sized.render([env_id])[0])
    for pool in (env, sized, *separate):
        pool.close()
    robots = ["Hopper-v3", "Hopper-v4"]
    with envpool.make(robots, render_mode="rgb_array", render_width=32, render_height=32) as env:
        env.reset()
        assert env.render([1, 0]).shape == (2, 32, 32, 3)


def test_failures_name_the_environment_of_the_pool() -> None:
    with envpool.make(["Faulty-v0", "Faulty-v0"], num_envs=4) as env:
        env.reset()
        with pytest.raises(EnvError) as caught:
            env.step([0, 0, 0, 1])
        assert caught.value.env_id == [3]
        assert caught.value.result[-1]["task_id"].tolist() == [0, 0, 1, 1]
        assert caught.value.result[-1]["env_id"].tolist() == [0, 1, 2, 3]


BAD = [
    ([], {}, ValueError, ["[envpool] task_id: expected a str such as 'Pong-v5', or a sequence of them", "empty"]),
    (["Counter-v0", "Pong-v6"], {}, ValueError, ["[Pong-v6] task_id: expected a registered id"]),
    ([["Counter-v0"]], {}, TypeError, ["[envpool] task_id", "['Counter-v0'] in place 0"]),
    (["Counter-v0", 3], {}, TypeError, ["[envpool] task_id", "got 3 in place 1"]),
    (["Counter-v0", None], {}, TypeError, ["got None in place 1"]),
    ({"Counter-v0"}, {}, TypeError, ["[envpool] task_id", "a sequence of them, got {'Counter-v0'}"]),
    ({"Counter-v0": 2}, {}, TypeError, ["[envpool] task_id"]),
    (b"Counter-v0", {}, TypeError, ["[envpool] task_id"]),
    (7, {}, TypeError, ["[envpool] task_id: expected a str such as 'Pong-v5', or a sequence of them, got 7"]),
    (IDS, {"num_envs": 3}, ValueError, ["num_envs: expected a multiple of 2", "got 3", "envs_per_task"]),
    (IDS, {"num_envs": 1}, ValueError, ["num_envs: expected a multiple of 2", "got 1"]),
    (IDS, {"num_envs": 0}, ValueError, ["num_envs: expected an int from 1"]),
    (IDS, {"num_envs": [1, 1]}, TypeError, ["num_envs: expected an int"]),
    (IDS, {"num_envs": 4, "envs_per_task": [1, 2]}, ValueError, ["add up to num_envs = 4, got [1, 2]", "up to 3"]),
    (IDS, {"envs_per_task": [1, 2, 3]}, ValueError, ["envs_per_task: expected a sequence of 2 ints", "got [1, 2, 3]"]),
    (IDS, {"envs_per_task": []}, ValueError, ["envs_per_task: expected a sequence of 2 ints", "got []"]),
    (IDS, {"envs_per_task": [2, 0]}, ValueError, ["envs_per_task", "of at least 1", "got [2, 0]"]),
    (IDS, {"envs_per_task": [3, -1]}, ValueError, ["envs_per_task", "got [3, -1]"]),
    (IDS, {"envs_per_task": [2**40, 1]}, ValueError, ["num_envs: expected an int from 1 to 1048576"]),
    (IDS, {"envs_per_task": 2}, TypeError, ["envs_per_task: expected a sequence of 2 ints", "got 2"]),
    (IDS, {"envs_per_task": [1.5, 1]}, TypeError, ["envs_per_task", "got [1.5, 1]"]),
    (IDS, {"envs_per_task": [True, 1]}, TypeError, ["envs_per_task", "got [True, 1]"]),
    (IDS, {"envs_per_task": "12"}, TypeError, ["envs_per_task", "got '12'"]),
    (IDS, {"task_options": [{}]}, ValueError, ["task_options: expected a sequence of 2 mappings", "got 1"]),
    (IDS, {"task_options": {"colour": "red"}}, TypeError, ["task_options: expected a sequence of 2 mappings"]),
    (IDS, {"task_options": [{}, 3]}, TypeError, ["task_options: expected a sequence of 2 mappings"]),
    (IDS, {"task_options": [{}, {"colour": "pink"}]}, ValueError, ["[Counter-v1] colour: expected one of"]),
    (IDS, {"task_options": [{}, {"color": "red"}]}, TypeError, ["[Counter-v1] unknown option 'color'"]),
    (IDS, {"task_options": [{"num_threads": 1}, {}]}, ValueError, ["task_options[0]", "'num_threads'", "as a whole"]),
    (IDS, {"task_options": [{}, {"task_options": []}]}, ValueError, ["task_options[1]", "as a whole"]),
    (IDS, {"env_options": [{}]}, ValueError, ["env_options: expected a sequence of num_envs = 2 mappings, got 1"]),
    (IDS, {"size": 5}, TypeError, ["[Counter-v0] unknown option 'size'"]),
    (IDS, {"seed": [1, 2, 3]}, ValueError, ["seed: expected", "sequence of 2", "got a sequence of 3"]),
    (IDS, {"device": "cuda"}, ValueError, ["device: expected 'cpu' for a pool of several ids, got 'cuda:0'"]),
    (IDS, {"render_mode": "rgb_array"}, ValueError, ["[Counter-v0] render_mode: expected None"]),
    ("Counter-v0", {"envs_per_task": [1]}, TypeError, ["[Counter-v0] unknown option 'envs_per_task'"]),
    (
        ["Counter-v0", "Counter-v0"],
        {"task_options": [{}, {"width": 3}]},
        ValueError,
        ["task_id: expected ids with equal spaces: Counter-v0 has the observation 'obs' of float32 of shape (2,), "],
    ),
    (
        GAMES,
        {},
        ValueError,
        [
            "[Pong-v5, Breakout-v5] task_id: expected ids with equal spaces: Pong-v5 has the action 'action' from 0 to 5, "
        ]
        + ["Breakout-v5 has one from 0 to 3"],
    ),
    (
        ["CartPole-v1", "Pendulum-v1"],
        {},
        ValueError,
        ["CartPole-v1 has the action 'action' of int32 of shape (), Pendulum-v1 has one of float32 of shape (1,)"],
    ),
    (
        ["CartPole-v1", "phys2d/CartPole-v1"],
        {},
        ValueError,
        [
            "CartPole-v1 has the observation 'obs' with element 0 from -4.8",
            "phys2d/CartPole-v1 has one from -inf to inf",
        ],
    ),
    (
        ["Humanoid-v5", "HumanoidStandup-v5"],
        {},
        ValueError,
        ["Humanoid-v5 has the info 'x_position', HumanoidStandup-v5 has the info 'reward_linup'"],
    ),
    (
        ["Walker2d-v4", "Walker2d-v5"],
        {},
        ValueError,
        ["Walker2d-v4 has no further info, Walker2d-v5 has the info 'z_distance_from_origin'"],
    ),
    (["Counter-v0", "Crowd-v0"], {}, ValueError, ["Counter-v0 has up to 1 players, Crowd-v0 has up to 4"]),
]


@pytest.mark.parametrize(("ids", "options", "error", "words"), BAD, ids=lambda value: repr(value)[:50])
def test_bad_input(ids: Any, options: dict[str, Any], error: type[Exception], words: list[str]) -> None:
    for function in (envpool.make, envpool.make_gym, envpool.make_dm, envpool.make_spec, envpool.make_vec):
        if function is envpool.make_vec and "device" in options:
            continue  # refused by the interface
        raises_quickly(lambda function=function: function(ids, **options), error, *words)


def test_what_mixed_pools_do_not_have() -> None:
    with envpool.make(["CartPole-v0", "CartPole-v1"]) as env:
        options = {"low": -0.01, "high": 0.01}
        raises_quickly(
            lambda: env.reset(options=options), ValueError, "options: expected only 'max_episode_steps', 'gravity', "
        )
        env.reset()
    pytest.importorskip("jax")
    raises_quickly(lambda: envpool.jax.make(IDS), TypeError, "task_id: expected a str such as 'Pong-v5'")
    pytest.importorskip("pettingzoo")
    raises_quickly(lambda: envpool.make_pettingzoo(IDS), TypeError, "task_id: expected a str such as 'Pong-v5'")
