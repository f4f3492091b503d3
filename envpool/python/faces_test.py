# SPDX-License-Identifier: Apache-2.0
"""What the faces of a pool return, for environments whose every number is known (envpool/testing)."""

import copy
import gc
import pickle
import subprocess
import sys
import weakref

import dm_env
import gymnasium
import numpy as np
import pytest

import envpool
import envpool.testing.registration  # noqa: F401  (registers the test environments)
from envpool.python.registry import find

CALL = {
    "gymnasium": {"env_type": "gymnasium"},
    "classic": {"env_type": "gym", "step_api": "classic"},
    "dm": {"env_type": "dm"},
}
FACES = list(CALL)


def constant_of(name):
    """gymnasium's constant for an autoreset mode; before 1.1 it has none."""
    modes = getattr(gymnasium.vector, "AutoresetMode", None)
    return modes[name.upper()] if modes else name


def make(face, task_id, **options):
    return envpool.make(task_id, **CALL[face], **options)


def observation_of(result):
    """The observation in whatever a face returned."""
    if isinstance(result, dm_env.TimeStep):
        return result.observation.obs
    return result[0] if isinstance(result, tuple) else result


def rollout(env, steps, seed=None):
    """Observations and luck of a Counter pool, with an action that differs by environment and step."""
    history = [env.reset(seed=seed)]
    for step in range(steps):
        history.append(env.step((np.arange(len(env)) + step) % 7 == 0))
    return history


def luck_of(env, **options):
    return env.reset(**options)[1]["luck"]


# ---- registry ----


@pytest.mark.parametrize("task_id", [name for name in envpool.list_all_envs() if name != "Trouble-v0"])
def test_observations_lie_in_the_space_of(task_id):
    if find(task_id).family == "mujoco":  # it is an environment with another gym or gymnasium that may lack it
        pytest.importorskip("mujoco")
    env = envpool.make_gymnasium(task_id, num_envs=2, num_threads=1)
    space = env.single_observation_space
    assert envpool.make_spec(task_id).observation_space == space
    env.action_space.seed(0)
    results = [env.reset()]
    for _ in range(3):
        actions = [env.action_space.sample() for _ in range(env.players().sum())]
        batch = (
            {key: np.stack([action[key] for action in actions]) for key in actions[0]}
            if isinstance(actions[0], dict)
            else actions
        )
        results.append(env.step(batch))
    for result in results:
        for row in range(len(result[-1]["players"]["env_id"])):
            single = pick(result[0], row)
            assert space.contains(single), (row, single)


def pick(tree, row):
    return {key: pick(value, row) for key, value in tree.items()} if isinstance(tree, dict) else tree[row]


def test_import_is_light():
    code = (
        "import sys, envpool; envpool.list_all_envs();"
        "print([m for m in ('gymnasium', 'dm_env', 'gym', 'ale_py', 'numpy') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_aliases_and_thresholds():
    assert {"Counter-v1", "counter"} <= set(envpool.list_all_envs())
    assert envpool.make_spec("counter").reward_threshold == 5.0
    assert envpool.make_spec("counter").id == "Counter-v1"
    assert "counts its steps" in envpool.make_spec("Counter-v0").doc
    assert envpool.make_spec("counter", reward_threshold=7).reward_threshold == 7.0
    assert envpool.make_spec("Counter-v0").reward_threshold is None


def test_registering_twice_and_in_envpools_way():
    with pytest.raises(ValueError, match="Counter-v0.*registered already"):
        envpool.register("Counter-v0", "x.so", "Counter")
    with pytest.raises(TypeError, match="plugin="):
        envpool.register("Other-v0", import_path="a", spec_cls="b", dm_cls="c", gymnasium_cls="d")
    with pytest.raises(TypeError, match="plugin"):
        envpool.register("Other-v0")
    envpool.register("Absent-v0", "/nowhere/libabsent.so", "Absent")
    with pytest.raises(RuntimeError, match=r"\[Absent-v0\].*libabsent.so"):
        envpool.make("Absent-v0")


# ---- actions ----


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.longdouble])
@pytest.mark.parametrize("face", FACES)
def test_whole_floats_are_actions(face, dtype):
    """As in EnvPool, for policies that return floats; bad_input_test has those that are none."""
    whole, floats = (make(face, "Counter-v0", num_envs=4) for _ in range(2))
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


# ---- specs ----


def test_bounds_are_one_value_where_it_bounds_all():
    """The numbers are those that the released EnvPool has for these ids, with arrays and scalars where it has them."""
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


def test_bounds_of_a_body():
    pytest.importorskip("mujoco")
    cheetah = envpool.make_spec("HalfCheetah-v4")
    assert (float(cheetah.observation_spec().obs.minimum), cheetah.observation_spec().obs.shape) == (-np.inf, (17,))
    assert cheetah.action_array_spec["action"] == ([-1, 6], np.float64, -1, 1)


@pytest.mark.parametrize("task_id", ["Counter-v0", "Zoo-v0", "Crowd-v0", "CartPole-v1"])
def test_actions_have_the_batchs_axis(task_id):
    spec = envpool.make_spec(task_id)
    specs = spec.action_array_spec
    assert specs["env_id"].shape == []
    assert specs["players.env_id"].shape == [-1]
    tree = spec.action_space.spaces if hasattr(spec.action_space, "spaces") else {"action": spec.action_space}
    assert {name: specs[name].shape for name in tree} == {name: [-1, *it.shape] for name, it in tree.items()}


def test_config_makes_configs():
    """As in EnvPool: `gen_config` has the id's defaults, whatever the spec was made with."""
    spec = envpool.make_spec("Counter-v1", num_envs=4, seed=9)
    config = spec.gen_config(num_envs=3)
    assert (config.num_envs, config.batch_size, config.seed, config.max_episode_steps) == (3, 0, 42, 5)
    assert envpool.make_spec("Counter-v1", **config._asdict()).config.batch_size == 3
    assert (spec.config.num_envs, spec.config.seed) == (4, 9)


def test_config_where_the_defaults_make_nothing(monkeypatch, tmp_path):
    from envpool.atari import registration

    rom = tmp_path / "pong.bin"
    rom.write_bytes(registration._read_rom("pong"))

    def absent(name):
        raise RuntimeError(f"no ROM of {name}")

    monkeypatch.setattr(registration, "_read_rom", absent)
    spec = envpool.make_spec("Pong-v5", rom_path=str(rom))
    assert spec.config.rom_path == str(rom)
    assert "stack_num" in spec.gen_config._fields


# ---- attributes ----


@pytest.mark.parametrize("face", FACES)
def test_attributes_that_envpools_scripts_read(face):
    from envpool.python.envpool import EnvPoolMixin
    from envpool.python.protocol import EnvPool

    env = make(face, "Counter-v1", num_envs=4, batch_size=2, num_threads=1, seed=7)
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
    assert repr(make(face, "Counter-v1", step_reward=2.5)).endswith("autoreset_mode='next_step', step_reward=2.5)")


def test_config_makes_the_same_again():
    env = envpool.make("Counter-v1", num_envs=3, seed=[5, 6, 7], step_reward=2, max_episode_steps=4)
    again = envpool.make("Counter-v1", **env.config)
    assert again.config == env.config
    for a, b in zip(rollout(env, 9), rollout(again, 9), strict=True):
        np.testing.assert_equal(a, b)


def test_config_is_the_callers_copy():
    env = envpool.make("Counter-v0")
    env.config["num_envs"] = 99
    assert env.config["num_envs"] == 1


def test_plain_attributes_can_be_set_as_cleanrl_does():
    env = envpool.make_gym("Counter-v0", num_envs=2, step_api="classic")
    env.num_envs = 2
    env.single_action_space = env.action_space
    env.single_observation_space = env.observation_space
    env.is_vector_env = True
    assert env.action_space.n == 2


def test_unlimited_episodes_read_as_in_envpool():
    assert envpool.make_spec("Counter-v0").config.max_episode_steps == 2**31 - 1
    assert envpool.make_spec("Counter-v1", max_episode_steps=None).config.max_episode_steps == 2**31 - 1


# ---- forms ----


def test_gymnasium_form():
    env = envpool.make_gymnasium("Counter-v1", num_envs=3, step_reward=2.5)
    assert isinstance(env, gymnasium.vector.VectorEnv)
    assert env.observation_space == env.single_observation_space
    assert isinstance(env.action_space, gymnasium.spaces.Discrete)
    assert env.metadata["autoreset_mode"] == constant_of("next_step")
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
    env = envpool.make_gymnasium("Zoo-v0", num_envs=2)
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


def test_spaces_say_what_cpp_declares():
    spec = envpool.make_spec("Zoo-v0")
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


def test_classic_form():
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


def test_gym_door_follows_what_is_installed():
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
def test_wrapper_of_gym_around_a_pool(step_api):
    gym = pytest.importorskip("gym", reason="gym is not installed")

    class Doubled(gym.Wrapper):
        def step(self, action):
            observation, reward, *rest = super().step(action)
            return observation, reward * 2, *rest

    env = Doubled(envpool.make_gym("Counter-v0", num_envs=2, step_api=step_api))
    assert env.num_envs == 2
    env.reset()
    assert env.step(np.array([0, 0]))[1].tolist() == [2, 2]


def test_wrapper_of_gymnasium_around_a_pool():
    """As EnvPool's scripts do it: attributes are set, then the pool is wrapped like one environment."""

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


def test_dm_form_and_specs():
    env = envpool.make_dm("Zoo-v0", num_envs=3)
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


def test_players_come_and_go():
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


def test_players_actions_by_their_environment():
    env = envpool.make_gymnasium("Crowd-v0", num_envs=2, fewest=3)
    _, info = env.reset()
    owners = info["players"]["env_id"]
    shuffled = np.concatenate([np.flatnonzero(owners == 1), np.flatnonzero(owners == 0)])
    action = np.arange(len(owners)) % 3
    result = env.step({"action": action[shuffled], "env_id": np.array([0, 1]), "players.env_id": owners[shuffled]})
    assert result[1].tolist() == (action - 1).tolist()


# ---- order, subsets, async ----


@pytest.mark.parametrize("face", FACES)
def test_rows_come_in_the_order_asked_for(face):
    env = make(face, "Trouble-v0", num_envs=6, num_threads=3)
    env.reset()
    for ids in ([5, 0, 3], [2], [1, 4], [0, 1, 2, 3, 4, 5]):
        observation = observation_of(env.step(np.full(len(ids), 2), np.array(ids)))
        assert observation[:, 1].tolist() == ids


@pytest.mark.parametrize("face", FACES)
def test_several_sends_come_back_in_their_order(face):
    env = make(face, "Trouble-v0", num_envs=4, num_threads=2)
    env.reset()
    env.send(np.array([2, 2]), [3, 1])
    env.send(np.array([0]), [0])
    assert observation_of(env.recv())[:, 1].tolist() == [3, 1]
    assert observation_of(env.recv())[:, 1].tolist() == [0]


def test_reset_of_some():
    env = envpool.make_gymnasium("Counter-v0", num_envs=4)
    env.reset()
    env.step([0, 0, 0, 0])
    observation, info = env.reset([2, 1])
    assert info["env_id"].tolist() == [2, 1]
    assert observation.tolist() == [[0, 0]] * 2
    assert env.step([0, 0, 0, 0])[0][:, 0].tolist() == [2, 1, 1, 2]
    _, info = env.reset(options={"reset_mask": np.array([True, False, False, True])})
    assert info["env_id"].tolist() == [0, 3]


@pytest.mark.parametrize("face", FACES)
def test_async_loop_reaches_every_environment(face):
    env = make(face, "Trouble-v0", num_envs=9, batch_size=4, num_threads=3, sleep_ms=1)
    env.async_reset()
    counts = np.zeros(9, int)
    for _ in range(200):
        observation = observation_of(env.recv())
        ids = observation[:, 1].astype(int)
        assert len(set(ids)) == 4
        np.testing.assert_array_equal(observation[:, 0], counts[ids])
        counts[ids] += 1
        env.send(np.where(ids % 3, 0, 2), ids)
    assert counts.min() >= 10


def test_async_recv_in_the_form_of_reset():
    env = envpool.make_gymnasium("Counter-v0", num_envs=3, batch_size=2)
    env.async_reset()
    observation, info = env.recv(reset=True)
    assert len(info["env_id"]) == 2
    env.send([0, 0], info["env_id"])
    assert env.recv(reset=True, return_info=False).shape == (2, 2)


def test_reset_and_async_reset_drop_what_is_under_way():
    env = envpool.make_gymnasium("Counter-v0", num_envs=4, batch_size=2)
    for _ in range(50):
        env.async_reset()
    assert env.reset()[0].tolist() == [[0, 0]] * 2
    assert len(env.reset()[1]["env_id"]) == 2


def test_arrays_are_the_callers():
    env = envpool.make_gymnasium("Counter-v0", num_envs=2)
    env.reset()
    first = env.step([0, 0])[0]
    first += 100
    second = env.step([0, 0])[0]
    assert first.tolist() == [[101, 101]] * 2
    assert second.tolist() == [[2, 2]] * 2
    action = np.zeros(2, np.int32)
    env.send(action)
    action[:] = 1
    assert not env.recv()[2].any()


# ---- ends ----


def test_next_step_autoreset():
    env = envpool.make_gymnasium("Counter-v0", num_envs=2)
    env.reset()
    observation, _, terminated, _, _ = env.step([1, 0])
    assert observation[:, 0].tolist() == [1, 1]
    assert terminated.tolist() == [True, False]
    observation, reward, terminated, _, info = env.step([1, 0])  # the first action is discarded
    assert observation[:, 0].tolist() == [0, 2]
    assert reward.tolist() == [0, 1]
    assert not terminated.any()
    assert info["elapsed_step"].tolist() == [0, 2]


@pytest.mark.parametrize("door", [envpool.make_gymnasium, envpool.make_vec])
def test_same_step_autoreset(door):
    env = door("Counter-v1", num_envs=2, autoreset_mode=constant_of("same_step"))
    assert env.metadata["autoreset_mode"] == constant_of("same_step")
    _, info = env.reset()
    luck = info["luck"].copy()
    assert "final_obs" not in info
    _, _, _, _, info = env.step([0, 0])
    assert "final_obs" not in info
    observation, reward, terminated, _, info = env.step([1, 0])
    assert observation[:, 0].tolist() == [0, 2]
    assert reward.tolist() == [1, 1]
    assert terminated.tolist() == info["_final_obs"].tolist() == info["_final_info"].tolist() == [True, False]
    assert info["final_obs"][0].tolist() == [2, 2]
    assert info["final_info"]["luck"][0] == luck[0] != info["luck"][0]
    assert info["elapsed_step"].tolist() == [2, 2]  # of the step that was done


def test_disabled_autoreset():
    env = envpool.make_gymnasium("Counter-v0", num_envs=2, autoreset_mode="disabled")
    env.reset()
    env.step([1, 0])
    with pytest.raises(ValueError, match="environment 0 is over"):
        env.step([0, 0])
    assert env.step([0], [1])[0].tolist() == [[2, 2]]
    env.reset([0])
    assert env.step([0, 0])[0][:, 0].tolist() == [1, 3]


def test_terminated_and_truncated_are_independent():
    env = envpool.make_gymnasium("Counter-v1", num_envs=2)
    env.reset()
    for _ in range(4):
        env.step([0, 0])
    _, _, terminated, truncated, _ = env.step([1, 0])  # the fifth step is also the limit
    assert terminated.tolist() == [True, False]
    assert truncated.tolist() == [True, True]


def test_dm_discount_is_one_on_truncation():
    env = envpool.make_dm("Counter-v1", num_envs=2, max_episode_steps=2)
    env.reset()
    step = env.step(np.array([1, 0]))
    assert step.discount.tolist() == [0, 1]
    step = env.step(np.array([0, 0]))
    assert step.step_type.tolist() == [0, 2]
    assert step.discount.tolist() == [1, 1]


# ---- seeds and state ----


@pytest.mark.parametrize("face", FACES)
def test_reset_seed_is_honoured(face):
    env = make(face, "Counter-v0", num_envs=4, gym_reset_return_info=True)

    def draw(**options):
        result = env.reset(**options)
        return (result.observation.luck if face == "dm" else result[1]["luck"]).tolist()

    first = draw(seed=5)
    assert draw() != first
    assert draw(seed=5) == first
    assert draw(seed=6) != first
    assert draw(env_id=[2, 1], seed=5) == [first[2], first[1]]
    env.seed(5)
    assert draw() == first


def test_seeds_share_no_stream():
    seen = [int(word) for seed in range(42, 52) for word in luck_of(envpool.make("Counter-v0", num_envs=50, seed=seed))]
    assert len(set(seen)) == len(seen)


def test_default_seed_and_seed_none():
    default = luck_of(envpool.make("Counter-v0", num_envs=3)).tolist()
    assert luck_of(envpool.make("Counter-v0", num_envs=3, seed=42)).tolist() == default
    fresh = envpool.make("Counter-v0", num_envs=3, seed=None)
    drawn = luck_of(fresh).tolist()
    assert drawn != default
    assert luck_of(envpool.make("Counter-v0", num_envs=3, seed=fresh.config["seed"])).tolist() == drawn


def test_seed_of_each_environment():
    pool = luck_of(envpool.make("Counter-v0", num_envs=3, seed=[9, 8, 9])).tolist()
    assert pool[0] == pool[2] != pool[1]
    assert luck_of(envpool.make("Counter-v0", num_envs=3, env_seed=[9, 8, 9])).tolist() == pool
    env = envpool.make("Counter-v0", num_envs=3)
    assert luck_of(env, seed=[9, 8, 9]).tolist() == pool
    assert luck_of(env, env_id=[1], seed=[8]).tolist() == [pool[1]]
    big = luck_of(envpool.make("Counter-v0", num_envs=2, seed=2**64 - 1)).tolist()
    assert big != luck_of(envpool.make("Counter-v0", num_envs=2, seed=2**32 - 1)).tolist()


def test_a_pools_size_does_not_change_its_environments():
    small = luck_of(envpool.make("Counter-v0", num_envs=2)).tolist()
    assert luck_of(envpool.make("Counter-v0", num_envs=20)).tolist()[:2] == small


def test_snapshot_goes_on_exactly():
    env = envpool.make_gymnasium("Zoo-v0", num_envs=3)
    space = gymnasium.vector.utils.batch_space(env.action_space, 3)
    space.seed(1)
    actions = [space.sample() for _ in range(60)]
    env.reset(seed=1)
    for action in actions[:30]:
        env.step(action)
    states = [env.snapshot(i) for i in range(3)]
    after = [env.step(action) for action in actions[30:]]
    for i, state in enumerate(states):
        env.restore(i, state)
    for action, want in zip(actions[30:], after, strict=True):
        np.testing.assert_equal(env.step(action), want)
    other = envpool.make_gymnasium("Zoo-v0", num_envs=1, seed=9)
    other.reset()
    other.restore(0, states[1])
    first = other.step({key: value[1:2] for key, value in actions[30].items()})
    np.testing.assert_equal(first[0], pick_row(after[0][0], 1))


@pytest.mark.parametrize("face", FACES)
def test_clones_go_on_as_their_source(face):
    env = make(face, "Counter-v1", num_envs=5, seed=3)
    env.reset()
    for step in range(4):
        env.step((np.arange(5) + step) % 2)
    env.clone(1, [0, 3])
    for _ in range(12):  # over the ends of episodes
        rows = observation_of(env.step(np.zeros(5, np.int32)))
        assert (rows[[0, 3]] == rows[1]).all()
    assert not (rows == rows[1]).all()
    env.clone(2)
    rows = observation_of(env.step(np.zeros(5, np.int32)))
    assert (rows == rows[2]).all()


def test_clones_of_a_host_environment():
    env = envpool.make_gymnasium("Trouble-v0", num_envs=3)
    env.reset()
    env.step([0], [1])
    env.clone(1, (2, 1))
    assert env.step([0, 0, 0])[0][:, 0].tolist() == [1, 2, 2]


def test_clones_with_random_numbers_of_their_own():
    def after(seed):
        env = envpool.make_gymnasium("Zoo-v0", num_envs=4, seed=5)
        space = gymnasium.vector.utils.batch_space(env.action_space, 4)
        space.seed(1)
        env.reset()
        env.clone(0, seed=seed)
        return [env.step(space.sample()) for _ in range(8)], env.reset()

    for seed in (7, [1, 2, 3, 4]):
        np.testing.assert_equal(after(seed), after(seed))
    env = envpool.make_gymnasium("Counter-v0", num_envs=4)
    env.reset()
    env.clone(0)
    assert len(set(env.reset()[1]["luck"].tolist())) == 1  # they share even the resets
    env.clone(0, seed=7)
    assert env.reset()[1]["luck"].tolist() == luck_of(env, seed=7).tolist()


def pick_row(tree, row):
    return {k: pick_row(v, row) for k, v in tree.items()} if isinstance(tree, dict) else tree[row : row + 1]


def test_snapshot_of_a_host_environment():
    env = envpool.make_gymnasium("Trouble-v0", num_envs=2)
    env.reset()
    env.step([0, 0])
    state = env.snapshot(0)
    env.step([0, 0])
    env.restore(0, state)
    assert env.step([0, 0])[0][:, 0].tolist() == [2, 3]


@pytest.mark.parametrize("face", [*FACES, "vec"])
@pytest.mark.parametrize("clone", [lambda env: pickle.loads(pickle.dumps(env)), copy.deepcopy, copy.copy])
def test_pools_are_copied_by_their_construction(face, clone):
    options = {"num_envs": 2, "seed": 3, "step_reward": 4.0}
    env = envpool.make_vec("Counter-v1", **options) if face == "vec" else make(face, "Counter-v1", **options)
    env.reset()
    env.step(np.array([0, 0]))
    again = clone(env)
    assert type(again) is type(env)
    assert again.config == env.config
    np.testing.assert_equal(again.reset(), type(env)(env._construction.registration, env._construction.given).reset())


def test_specs_are_pickled():
    spec = envpool.make_spec("Zoo-v0")
    assert pickle.loads(pickle.dumps(spec)).observation_space == spec.observation_space


def test_options_of_single_environments():
    env = envpool.make(
        "Counter-v0",
        num_envs=3,
        step_reward=1,
        env_options=[{}, {"step_reward": 5}, {"max_episode_steps": 2, "colour": "green"}],
    )
    env.reset()
    assert env.step([0, 0, 0])[1].tolist() == [1, 5, 1]
    assert env.step([0, 0, 0])[3].tolist() == [False, False, True]


def test_context_manager_and_closing_twice():
    with envpool.make("Counter-v0") as env:
        env.reset()
    assert env.closed
    env.close()


@pytest.mark.parametrize("face", [*FACES, "vec"])
def test_a_dropped_pool_ends_at_once(face):
    env = envpool.make_vec("Counter-v1", 2) if face == "vec" else make(face, "Counter-v1", num_envs=2)
    env.reset()
    env.step(np.array([0, 0]))
    pool = weakref.ref(env._pool)
    gc.disable()
    try:
        del env
        assert pool() is None  # no reference cycle keeps threads and environments alive
    finally:
        gc.enable()


def test_pictures():
    env = envpool.make_gymnasium("Zoo-v0", num_envs=3, render_mode="rgb_array", render_env_id=[2, 0])
    observation, _ = env.reset()
    frames = env.render()
    assert frames.shape == (2, 8, 8, 3)
    assert frames.dtype == np.uint8
    assert np.flatnonzero(frames[0, :, :, 0].ravel() == 255).tolist() == [observation["body"]["place"][2]]
    assert env.render([1]).shape == (1, 8, 8, 3)
    vec = envpool.make_vec("Zoo-v0", 2, render_mode="rgb_array")
    vec.reset()
    assert [frame.shape for frame in vec.render()] == [(8, 8, 3)] * 2


@pytest.mark.parametrize("task_id", ["Counter-v1", "Zoo-v0", "Crowd-v0"])
@pytest.mark.parametrize("face", FACES)
def test_reset_of_none(face, task_id):
    """What comes back is like that of some, of no row, and nothing has happened."""
    env = make(face, task_id, num_envs=3)
    env.reset(seed=1)
    before = [env.snapshot(i) for i in range(3)]
    for none in ([], np.zeros(0, np.int64)):
        got = leaves_of(env.reset(none))
        some = leaves_of(make(face, task_id, num_envs=3).reset(np.array([1])))
        assert [(key, leaf.dtype, leaf.shape[1:]) for key, leaf in got] == [
            (key, leaf.dtype, leaf.shape[1:]) for key, leaf in some
        ]
        assert all(len(leaf) == 0 for _, leaf in got)
    assert [env.snapshot(i) for i in range(3)] == before
    env.close()
    with pytest.raises(RuntimeError, match="closed"):
        env.reset([])


def leaves_of(tree, path=""):
    """The arrays of nested tuples and dicts, with their paths."""
    if isinstance(tree, np.ndarray):
        return [(path, tree)]
    entries = tree.items() if isinstance(tree, dict) else enumerate(tree)
    return [leaf for key, value in entries for leaf in leaves_of(value, f"{path}/{key}")]
