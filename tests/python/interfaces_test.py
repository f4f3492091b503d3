# SPDX-License-Identifier: Apache-2.0
"""Tests the return values of gymnasium's, gym's and dm_env's interfaces, with the test environments."""

import pickle

import dm_env
import gymnasium
import numpy as np
import pytest

import envpool
from tests.python.interfaces import INTERFACES, autoreset_constant, make, observation_of


def test_gymnasium_interface():
    env = envpool.make_gymnasium("Counter-v1", num_envs=3, step_reward=2.5)
    assert isinstance(env, gymnasium.vector.VectorEnv)
    assert env.observation_space == env.single_observation_space
    assert isinstance(env.action_space, gymnasium.spaces.Discrete)
    assert env.metadata["autoreset_mode"] == autoreset_constant("next_step")
    observation, info = env.reset()
    assert observation.dtype == np.float32
    assert set(info) == {"env_id", "players", "elapsed_step", "luck"}
    assert info["env_id"].dtype == info["players"]["env_id"].dtype == info["elapsed_step"].dtype == np.int32
    observation, reward, terminated, truncated, info = env.step(np.array([0, 1, 0]))
    assert observation.tolist() == [[1, 1]] * 3
    assert reward.tolist() == [2.5] * 3
    assert (reward.dtype, terminated.dtype, truncated.dtype) == (np.float32, np.bool_, np.bool_)
    assert terminated.tolist() == [False, True, False]
    assert not truncated.any()
    assert info["elapsed_step"].tolist() == [1, 1, 1]
    assert info["luck"].dtype == np.int64


def test_nested_observations_infos_and_actions():
    env = envpool.make_gymnasium("AllTypes-v0", num_envs=2)
    observation, info = env.reset()
    assert set(observation) == {"image", "body", "cards", "flags", "ticks"}
    assert set(observation["body"]) == {"place", "speed"}
    assert info["deep"]["er"]["wide"].shape == (2, 2, 2)
    assert info["deep"]["alone"].dtype == np.bool_
    turn = np.array([[0.5, -0.5], [1, 0]], np.float32)
    after, *_, info = env.step({"move": np.array([2, 1]), "turn": turn})
    assert ((after["body"]["place"] - observation["body"]["place"]) % 64).tolist() == [1, 0]
    np.testing.assert_array_equal(after["body"]["speed"], turn)
    np.testing.assert_array_equal(info["score"], np.float32(after["body"]["place"]) ** 2)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.longdouble])
@pytest.mark.parametrize("interface", INTERFACES)
def test_whole_floats_are_accepted_as_discrete_actions(interface, dtype):
    """EnvPool accepts them too, for policies that return floats. bad_calls_test tests floats that are not whole."""
    whole, floats = (make(interface, "Counter-v0", num_envs=4) for _ in range(2))
    whole.reset(), floats.reset()
    for action in ([0, 1, 1, 0], [1, 1, 0, 0]):
        given = np.array([action, action], dtype).T[:, 0]  # not contiguous
        for wanted, got in zip(_arrays(whole.step(action)), _arrays(floats.step(given)), strict=True):
            assert np.array_equal(wanted, got)
        assert np.array_equal(given, action)
    assert observation_of(floats.step([-0.0, 1.0, 1, True])).shape == (4, 2)


def _arrays(tree):
    if isinstance(tree, dict):
        tree = list(tree.values())
    return [array for part in tree for array in _arrays(part)] if isinstance(tree, (list, tuple)) else [tree]


def test_classic_gym_interface():
    env = envpool.make_gym("Counter-v1", num_envs=2, step_api="classic")
    observation = env.reset()
    assert observation.shape == (2, 2)
    for step in range(5):
        observation, reward, done, info = env.step(np.array([0, 0]))
        assert done.dtype == np.bool_
        assert done.tolist() == info["TimeLimit.truncated"].tolist() == [step == 4] * 2
    assert reward.tolist() == [1, 1]
    with_info = envpool.make_gym("Counter-v1", step_api="classic", gym_reset_return_info=True)
    assert len(with_info.reset()) == 2


def test_make_gym_follows_the_installed_version():
    env = envpool.make_gym("Counter-v1")
    modern = envpool.make_gym("Counter-v1", step_api="modern")
    modern.reset()
    assert len(modern.step([0])) == 5
    try:
        import gym
    except ImportError:
        assert isinstance(env, gymnasium.vector.VectorEnv)
        return
    assert isinstance(env, gym.Env)
    assert isinstance(env.action_space, gym.spaces.Discrete)
    assert env.spec.action_space == env.action_space
    assert env.spec.observation_space == env.observation_space
    assert pickle.loads(pickle.dumps(env.spec)).action_space == env.action_space
    assert isinstance(env.spec.gymnasium_action_space, gymnasium.spaces.Discrete)
    env.reset()
    assert len(env.step([0])) == (4 if tuple(map(int, gym.__version__.split(".")[:2])) < (0, 26) else 5)


@pytest.mark.parametrize("step_api", ["classic", "modern"])
def test_gym_wrapper_around_a_pool(step_api):
    gym = pytest.importorskip("gym", reason="gym is not installed")

    class Doubled(gym.Wrapper):
        def step(self, action):
            observation, reward, *rest = super().step(action)
            return observation, reward * 2, *rest

    env = Doubled(envpool.make_gym("Counter-v0", num_envs=2, step_api=step_api))
    assert env.num_envs == 2
    env.reset()
    assert env.step(np.array([0, 0]))[1].tolist() == [2, 2]


def test_gymnasium_wrapper_around_a_pool():
    """EnvPool's scripts set attributes of a pool and then wrap it like a single environment."""

    class Doubled(gymnasium.Wrapper):
        def __init__(self, env):
            super().__init__(env)
            self.num_envs = getattr(env, "num_envs", 1)

        def step(self, action):
            observation, reward, *rest = super().step(action)
            return observation, reward * 2, *rest

    pool = envpool.make("Counter-v0", env_type="gymnasium", num_envs=2)
    assert isinstance(pool, gymnasium.Env)
    assert pool.is_vector_env
    pool.num_envs, pool.single_action_space, pool.mine = 2, pool.action_space, "own"
    env = Doubled(pool)
    assert env.unwrapped is pool
    assert (env.num_envs, env.action_space, env.get_wrapper_attr("mine")) == (2, pool.action_space, "own")
    assert env.reset(seed=3)[0].shape[0] == 2
    assert env.step(np.array([0, 0]))[1].tolist() == [2, 2]
    assert isinstance(env.spec.config, env.spec.gen_config)
    env.close()
    assert pool.closed


def test_dm_env_interface_and_specs():
    env = envpool.make_dm("AllTypes-v0", num_envs=3)
    assert isinstance(env, dm_env.Environment)
    first = env.reset()
    assert first.step_type.tolist() == [0, 0, 0]
    assert first.discount.tolist() == [1, 1, 1]
    state = first.observation
    assert state._fields == ("env_id", "players", "image", "body", "cards", "flags", "ticks", "score", "deep")
    assert state.players.env_id.tolist() == state.env_id.tolist() == [0, 1, 2]
    step = env.step({"move": np.ones(3, np.int32), "turn": np.zeros((3, 2), np.float32)})
    assert (step.step_type.dtype, step.reward.dtype, step.discount.dtype) == (np.int32, np.float32, np.float32)
    specs = env.observation_spec()
    for row in range(3):
        specs.image.validate(step.observation.image[row])
        specs.body.place.validate(step.observation.body.place[row])
        specs.body.speed.validate(step.observation.body.speed[row])
        specs.deep.er.wide.validate(step.observation.deep.er.wide[row])
        specs.env_id.validate(step.observation.env_id[row])
        env.reward_spec().validate(step.reward[row])
        env.discount_spec().validate(step.discount[row])
    assert type(specs)._fields == state._fields


@pytest.mark.parametrize("task_id", ["CartPole-v1", "MountainCar-v0", "CliffWalking-v1", "Taxi-v3"])
def test_rewards_of_first_steps_are_in_dm_envs_spec(task_id):
    env = envpool.make_dm(task_id)
    for timestep in (env.reset(), env.step(np.zeros(1, np.int32))):
        env.reward_spec().validate(timestep.reward[0])


def test_number_of_players_varies():
    env = envpool.make_gymnasium("Crowd-v0", num_envs=8, fewest=0, length=3, num_threads=3)
    seen = set()
    observation, info = env.reset()
    for _ in range(30):
        players = env.players()
        seen |= set(players.tolist())
        owners = np.repeat(np.arange(8), players)
        assert info["players"]["env_id"].tolist() == owners.tolist()
        assert info["players"]["id"].tolist() == [i for n in players for i in range(n)]
        assert info["size"].tolist() == players.tolist()
        assert len(observation) == len(owners)
        action = np.arange(len(owners)) % 3
        observation, reward, terminated, truncated, info = env.step(action)
        assert len(terminated) == 8
        fresh = info["elapsed_step"] == 0
        if not fresh.any():
            assert reward.tolist() == (action - 1).tolist()
    assert seen == {0, 1, 2, 3, 4}


def test_actions_of_players_in_any_order():
    env = envpool.make_gymnasium("Crowd-v0", num_envs=2, fewest=3)
    _, info = env.reset()
    owners = info["players"]["env_id"]
    shuffled = np.concatenate([np.flatnonzero(owners == 1), np.flatnonzero(owners == 0)])
    action = np.arange(len(owners)) % 3
    result = env.step({"action": action[shuffled], "env_id": np.array([0, 1]), "players.env_id": owners[shuffled]})
    assert result[1].tolist() == (action - 1).tolist()


def test_render():
    env = envpool.make_gymnasium("AllTypes-v0", num_envs=3, render_mode="rgb_array", render_env_id=[2, 0])
    observation, _ = env.reset()
    frames = env.render()
    assert frames.shape == (2, 8, 8, 3)
    assert frames.dtype == np.uint8
    assert np.flatnonzero(frames[0, :, :, 0].ravel() == 255).tolist() == [observation["body"]["place"][2]]
    assert env.render([1]).shape == (1, 8, 8, 3)
    vec = envpool.make_vec("AllTypes-v0", 2, render_mode="rgb_array")
    vec.reset()
    assert [frame.shape for frame in vec.render()] == [(8, 8, 3)] * 2
