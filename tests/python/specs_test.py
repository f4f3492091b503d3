# SPDX-License-Identifier: Apache-2.0
"""Tests specs, configs and attributes of pools, and the options of single environments."""

import pickle

import gymnasium
import numpy as np
import pytest

import envpool
from tests.python.interfaces import INTERFACES, make


def test_equal_bounds_are_a_scalar():
    """In the released EnvPool, these ids have the same bounds, and the same bounds are scalars."""
    pole, swing, pong = (envpool.make_spec(name) for name in ("CartPole-v1", "Pendulum-v1", "Pong-v5"))
    obs = pong.observation_spec().obs
    assert (obs.minimum.shape, int(obs.minimum), int(obs.maximum)) == ((), 0, 255)
    assert pong.state_array_spec["obs"] == ([4, 84, 84], np.uint8, 0, 255)
    assert pong.observation_spec().terminated.num_values == 2
    assert swing.observation_spec().obs.minimum.tolist() == [-1, -1, -8]
    assert swing.state_array_spec["obs"].maximum.tolist() == [1, 1, 8]
    assert (swing.action_spec().minimum.shape, float(swing.action_spec().minimum)) == ((), -2)
    assert pole.state_array_spec["obs"].minimum.tolist() == pytest.approx([-4.8, -np.inf, -0.41887903, -np.inf])
    assert pole.observation_spec().players.env_id.name == "env_id"


def test_bounds_of_mujoco_specs():
    pytest.importorskip("mujoco")
    cheetah = envpool.make_spec("HalfCheetah-v4")
    assert (float(cheetah.observation_spec().obs.minimum), cheetah.observation_spec().obs.shape) == (-np.inf, (17,))
    assert cheetah.action_array_spec["action"] == ([-1, 6], np.float64, -1, 1)


@pytest.mark.parametrize("task_id", ["Counter-v0", "AllTypes-v0", "Crowd-v0", "CartPole-v1"])
def test_action_specs_have_a_batch_axis(task_id):
    spec = envpool.make_spec(task_id)
    specs = spec.action_array_spec
    assert specs["env_id"].shape == []
    assert specs["players.env_id"].shape == [-1]
    tree = spec.action_space.spaces if hasattr(spec.action_space, "spaces") else {"action": spec.action_space}
    assert {name: specs[name].shape for name in tree} == {name: [-1, *it.shape] for name, it in tree.items()}


def test_spaces_match_the_cpp_declaration():
    spec = envpool.make_spec("AllTypes-v0")
    space = spec.observation_space
    assert space["image"] == gymnasium.spaces.Box(0, 255, (1, 8, 8), np.uint8)
    assert space["body"]["place"] == gymnasium.spaces.Discrete(64)
    np.testing.assert_array_equal(space["body"]["speed"].low, [-1, -np.inf])
    np.testing.assert_array_equal(space["body"]["speed"].high, [1, np.inf])
    assert space["cards"] == gymnasium.spaces.MultiDiscrete([5, 5, 5], np.int32)
    assert space["flags"] == gymnasium.spaces.MultiBinary(4)
    assert (space["ticks"].low[0], space["ticks"].high[0]) == (-(2**63), 2**63 - 1)
    assert spec.action_space["turn"] == gymnasium.spaces.Box(-1, 1, (2,), np.float32)
    assert spec.action_spec()["move"].num_values == 3
    assert spec.state_array_spec["obs:image"].shape == [1, 8, 8]
    assert spec.action_array_spec["move"].maximum == 2
    assert spec.options == {}
    assert envpool.make_spec("Counter-v0").options["colour"].choices == ("red", "green")
    assert envpool.make_spec("Counter-v0", width=5).observation_space.shape == (5,)


def test_gen_config_has_the_defaults_of_the_id():
    """`gen_config` has the id's defaults, regardless of the options of the spec, as in EnvPool."""
    spec = envpool.make_spec("Counter-v1", num_envs=4, seed=9)
    config = spec.gen_config(num_envs=3)
    assert (config.num_envs, config.batch_size, config.seed, config.max_episode_steps) == (3, 0, 42, 5)
    assert envpool.make_spec("Counter-v1", **config._asdict()).config.batch_size == 3
    assert (spec.config.num_envs, spec.config.seed) == (4, 9)


def test_gen_config_of_an_id_that_requires_an_option(monkeypatch, tmp_path):
    from envpool.atari import registration

    rom = tmp_path / "pong.bin"
    rom.write_bytes(registration._read_rom("pong"))

    def absent(name):
        raise RuntimeError(f"no ROM of {name}")

    monkeypatch.setattr(registration, "_read_rom", absent)
    spec = envpool.make_spec("Pong-v5", rom_path=str(rom))
    assert spec.config.rom_path == str(rom)
    assert "stack_num" in spec.gen_config._fields


@pytest.mark.parametrize("interface", INTERFACES)
def test_attributes_that_envpools_scripts_read(interface):
    from envpool.python.envpool import EnvPoolMixin
    from envpool.python.protocol import EnvPool

    env = make(interface, "Counter-v1", num_envs=4, batch_size=2, num_threads=1, seed=7)
    assert isinstance(env, EnvPoolMixin)
    assert isinstance(env, EnvPool)
    assert len(env) == 4
    assert env.is_async
    assert env.all_env_ids.tolist() == [0, 1, 2, 3]
    assert env.all_env_ids.dtype == np.int32
    wanted = {"num_envs": 4, "batch_size": 2, "num_threads": 1, "seed": 7, "max_episode_steps": 5, "colour": "green"}
    assert wanted.items() <= env.config.items()
    assert env.spec.config.num_envs == 4
    assert env.spec.id == "Counter-v1"
    assert repr(env) == str(env)
    assert "'Counter-v1', num_envs=4, batch_size=2, num_threads=1, autoreset_mode='next_step')" in repr(env)
    env.close()
    assert repr(env).endswith(", closed)")
    assert repr(make(interface, "Counter-v1", step_reward=2.5)).endswith("autoreset_mode='next_step', step_reward=2.5)")


def rollout(env, steps, seed=None):
    """Returns the results of a Counter pool, with actions that differ by environment and step."""
    history = [env.reset(seed=seed)]
    for step in range(steps):
        history.append(env.step((np.arange(len(env)) + step) % 7 == 0))
    return history


def test_config_constructs_an_equal_pool():
    env = envpool.make("Counter-v1", num_envs=3, seed=[5, 6, 7], step_reward=2, max_episode_steps=4)
    again = envpool.make("Counter-v1", **env.config)
    assert again.config == env.config
    for a, b in zip(rollout(env, 9), rollout(again, 9), strict=True):
        np.testing.assert_equal(a, b)


def test_config_is_a_copy():
    env = envpool.make("Counter-v0")
    env.config["num_envs"] = 99
    assert env.config["num_envs"] == 1


def test_attributes_that_cleanrl_sets():
    env = envpool.make_gym("Counter-v0", num_envs=2, step_api="classic")
    env.num_envs = 2
    env.single_action_space = env.action_space
    env.single_observation_space = env.observation_space
    env.is_vector_env = True
    assert env.action_space.n == 2


def test_max_episode_steps_without_a_limit():
    assert envpool.make_spec("Counter-v0").config.max_episode_steps == 2**31 - 1
    assert envpool.make_spec("Counter-v1", max_episode_steps=None).config.max_episode_steps == 2**31 - 1


def test_specs_can_be_pickled():
    spec = envpool.make_spec("AllTypes-v0")
    assert pickle.loads(pickle.dumps(spec)).observation_space == spec.observation_space


def test_env_options():
    env = envpool.make(
        "Counter-v0",
        num_envs=3,
        step_reward=1,
        env_options=[{}, {"step_reward": 5}, {"max_episode_steps": 2, "colour": "green"}],
    )
    env.reset()
    assert env.step([0, 0, 0])[1].tolist() == [1, 5, 1]
    assert env.step([0, 0, 0])[3].tolist() == [False, False, True]
