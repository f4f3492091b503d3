# SPDX-License-Identifier: Apache-2.0
"""Compares the Stable-Baselines3 interface with that library's DummyVecEnv of the same environments."""

import subprocess
import sys

import gymnasium
import numpy as np
import pytest

import envpool
import tests.environments.registration  # noqa: F401  (registers the test environments)

WITHOUT = "import sys; sys.modules['stable_baselines3'] = None; import envpool; envpool.make_sb3('CartPole-v1')"


def test_without_the_library():
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        "envpool.python.errors.MissingPackageError: [envpool] make_sb3 needs Stable-Baselines3, which is not installed: pip install stable-baselines3"
    )


@pytest.fixture(scope="module")
def vec_env():
    return pytest.importorskip("stable_baselines3.common.vec_env")


class One(gymnasium.Env):
    """One environment, for DummyVecEnv."""

    def __init__(self, task_id):
        self.pool = envpool.make_gymnasium(task_id, autoreset_mode="disabled")
        self.observation_space, self.action_space = self.pool.observation_space, self.pool.action_space

    def reset(self, *, seed=None, options=None):
        observation, info = self.pool.reset(seed=None if seed is None else [seed])
        return observation[0], self.first(info)

    def step(self, action):
        observation, reward, terminated, truncated, info = self.pool.step(np.array([action]))
        return observation[0], reward[0], bool(terminated[0]), bool(truncated[0]), self.first(info)

    @staticmethod
    def first(info):
        # These entries exist only in pools.
        return {key: value[0] for key, value in info.items() if key not in ("env_id", "players", "elapsed_step")}


@pytest.mark.parametrize("task_id", ["Counter-v1", "CartPole-v1", "MountainCarContinuous-v0", "Breakout-MinAtar"])
def test_equal_to_dummy_vec_env(vec_env, task_id):
    ours = envpool.make_sb3(task_id, 3)
    theirs = vec_env.DummyVecEnv([lambda: One(task_id)] * 3)
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    assert ours.seed(7) == theirs.seed(7)
    np.testing.assert_array_equal(ours.reset(), theirs.reset())
    ours.action_space.seed(1)
    ends = 0
    for _ in range(150):
        actions = np.array([ours.action_space.sample() for _ in range(3)])
        (observation, reward, done, infos), expected = ours.step(actions), theirs.step(actions)
        np.testing.assert_array_equal(observation, expected[0])
        np.testing.assert_array_equal(reward, expected[1])
        np.testing.assert_array_equal(done, expected[2])
        assert (reward.dtype, done.dtype) == (expected[1].dtype, expected[2].dtype)
        assert isinstance(infos, list)
        for i, (got, wanted) in enumerate(zip(infos, expected[3], strict=True)):
            assert got.pop("env_id") == i
            assert ("terminal_observation" in got) == done[i]
            got.pop("elapsed_step", None)
            if not done[i]:
                wanted.pop("TimeLimit.truncated")
            np.testing.assert_equal(got, wanted)
        ends += done.sum()
    assert ends or "Mountain" in task_id
    ours.close()
    assert ours.pool.closed


def test_infos_of_resets(vec_env):
    env = envpool.make_sb3("Counter-v1", 2, seed=3)
    env.reset()
    before = [info["luck"] for info in env.reset_infos]
    _, _, _, infos = env.step(np.array([0, 1]))
    assert infos[0]["luck"] == before[0]
    assert infos[1]["luck"] == before[1]  # the value in the episode that ended
    assert env.reset_infos[0]["luck"] == before[0]
    assert env.reset_infos[1]["luck"] != before[1]


def test_wrappers(vec_env):
    env = vec_env.VecMonitor(envpool.make_sb3("Counter-v1", 2, step_reward=2.0))
    env = vec_env.VecFrameStack(vec_env.VecNormalize(vec_env.VecCheckNan(env, raise_exception=True)), 3)
    assert env.reset().shape == (2, 3 * env.unwrapped.observation_space.shape[0])
    lengths = []
    for _ in range(20):
        _, _, done, infos = env.step(np.array([0, 0]))
        lengths += [infos[i]["episode"]["l"] for i in np.flatnonzero(done)]
        assert all(infos[i]["episode"]["r"] == 2 * infos[i]["episode"]["l"] for i in np.flatnonzero(done))
    assert lengths == [5] * 8


def test_rendered_images(vec_env):
    env = envpool.make_sb3("AllTypes-v0", 3, render_mode="rgb_array")
    env.reset()
    assert env.render_mode == "rgb_array"
    assert env.render().shape == (16, 16, 3)


@pytest.mark.parametrize("make", [envpool.make, envpool.make_vec])
def test_a_pool_in_place_of_a_vec_env(vec_env, make):
    from stable_baselines3 import PPO
    from stable_baselines3.common.env_util import make_vec_env

    expected = r"expected a VecEnv for Stable-Baselines3, .* envpool.make_sb3\('CartPole-v1', num_envs=4\) makes"
    with pytest.raises(TypeError, match=rf"^\[CartPole-v1\] env: {expected}"):
        PPO("MlpPolicy", make("CartPole-v1", num_envs=4))
    with pytest.raises(TypeError, match=expected):
        make_vec_env(lambda: make("CartPole-v1", num_envs=4))
    pool = make("CartPole-v1", num_envs=4)
    assert pool.unwrapped is pool


@pytest.mark.parametrize(
    ("make", "got"),
    [
        (lambda: envpool.make_dm("CartPole-v1", num_envs=4), "a pool with dm_env's interface"),
        (lambda: envpool.make("CartPole-v1", "dm", num_envs=4), "a pool with dm_env's interface"),
        (lambda: envpool.make_gym("CartPole-v1", num_envs=4), "a pool with (gym|gymnasium)'s interface"),
        (lambda: envpool.make_gym("CartPole-v1", num_envs=4, step_api="classic"), "a pool with gym's interface"),
        (lambda: envpool.make_gymnasium("CartPole-v1", num_envs=4), "a pool with gymnasium's interface"),
        (lambda: envpool.ray.make("CartPole-v1", 4, 1), "a pool of Ray actors"),
    ],
    ids=["dm", "make_dm", "gym", "classic", "gymnasium", "ray"],
)
def test_a_pool_of_another_interface_in_place_of_a_vec_env(vec_env, make, got, request):
    from stable_baselines3 import PPO
    from stable_baselines3.common.env_util import make_vec_env

    if request.node.callspec.id == "ray":
        pytest.importorskip("ray")
    pool = make()
    expected = (
        rf"^\[CartPole-v1\] env: expected a VecEnv for Stable-Baselines3, got {got}; "
        r"envpool.make_sb3\('CartPole-v1', num_envs=4\) makes a VecEnv$"
    )
    for pass_to_sb3 in (
        PPO,
        lambda _, env: make_vec_env(lambda: env),
        lambda _, env: vec_env.DummyVecEnv([lambda: env]),
    ):
        with pytest.raises(TypeError, match=expected):
            pass_to_sb3("MlpPolicy", pool)
    assert pool.__class__ is type(pool)
    assert isinstance(pool, type(pool))
    assert not isinstance(pool, vec_env.VecEnv)
    pool.close()


def test_other_environments_in_place_of_a_vec_env(vec_env):
    from stable_baselines3 import PPO

    pytest.importorskip("jax")
    import envpool.jax

    environment, _ = envpool.jax.make("CartPole-v1")
    expected = (
        r"^\[CartPole-v1\] env: .*, got pure functions for JAX; envpool.make_sb3\('CartPole-v1'\) makes a VecEnv$"
    )
    with pytest.raises(TypeError, match=expected):
        PPO("MlpPolicy", environment)
    pytest.importorskip("pettingzoo")
    expected = r"^\[TagContinuous-v0\] env: .*, got an environment with PettingZoo's interface; .* with one player$"
    with pytest.raises(TypeError, match=expected):
        PPO("MlpPolicy", envpool.make_pettingzoo("TagContinuous-v0"))


def test_gymnasiums_single_environment():
    pytest.importorskip("stable_baselines3")
    from stable_baselines3 import PPO
    from stable_baselines3.common.env_checker import check_env

    check_env(gymnasium.make("envpool/CartPole-v1").unwrapped)
    PPO("MlpPolicy", "envpool/CartPole-v1", n_steps=64, batch_size=32).learn(64)


def test_bad_input(vec_env):
    with pytest.raises(
        ValueError, match=r"^\[TagContinuous-v0\] task_id: expected .* one player .* see make_pettingzoo$"
    ):
        envpool.make_sb3("TagContinuous-v0", 2)
    with pytest.raises(ValueError, match=r"^\[Counter-v0\] autoreset_mode: expected 'same_step'.* got 'disabled'$"):
        envpool.make_sb3("Counter-v0", 2, autoreset_mode="disabled")
    with pytest.raises(ValueError, match=r"^\[Counter-v0\] batch_size: expected num_envs = 4, .* got 2$"):
        envpool.make_sb3("Counter-v0", 4, batch_size=2)
    env = envpool.make_sb3("Counter-v0", 2)
    env.reset()
    with pytest.raises(ValueError, match=r"^\[Counter-v0\] action"):
        env.step(np.zeros(3, int))
    with pytest.raises(NotImplementedError, match=r"^\[Counter-v0\] .* no attribute 'x'; "):
        env.set_attr("x", 1)
    with pytest.raises(NotImplementedError, match=r"^\[Counter-v0\] .* no method 'x'"):
        env.env_method("x")
    with pytest.raises(AttributeError, match="nothing"):
        env.get_attr("nothing")
    env.set_options({"level": 3})
    with pytest.raises(ValueError, match=r"^\[Counter-v0\] options: expected only 'max_episode_steps', .*got 'level'"):
        env.reset()


def test_infos_at_an_end_are_those_of_dummy_vec_env(vec_env):
    ours = envpool.make_sb3("CartPole-v1", 1, max_episode_steps=3)
    theirs = vec_env.DummyVecEnv([lambda: gymnasium.make("envpool/CartPole-v1", max_episode_steps=3)])
    for env in (ours, theirs):
        env.seed(1)
        env.reset()
        steps = [env.step(np.array([0]))[3][0]["elapsed_step"] for _ in range(3)]
        assert steps == [1, 2, 3]
        assert env.reset_infos[0]["elapsed_step"] == 0
        assert env.step(np.array([0]))[3][0]["elapsed_step"] == 1
        assert env.reset_infos[0]["elapsed_step"] == 0


def test_options_of_resets(vec_env):
    env = envpool.make_sb3("CartPole-v1", 3)
    env.set_options({"low": 0.1, "high": 0.2})
    assert (env.reset() >= np.float32(0.1)).all()
    assert (np.abs(env.reset()) <= 0.05).all()  # options apply to one reset, as in DummyVecEnv
    env.set_options([{"low": 0.1, "high": 0.2}, {}, {"low": 0.3, "high": 0.4}])
    env.seed(4)
    observation = env.reset()
    plain = envpool.make_sb3("CartPole-v1", 3)
    plain.seed(4)
    np.testing.assert_array_equal(observation[1], plain.reset()[1])
    assert (observation[0] >= np.float32(0.1)).all()
    assert (observation[2] >= np.float32(0.3)).all()


def test_masks_of_actions(vec_env):
    env = envpool.make_sb3("Taxi-v3", 3, seed=2)
    assert env.has_attr("action_masks")
    with pytest.raises(RuntimeError, match=r"^\[Taxi-v3\] action_masks: expected a call of reset"):
        env.env_method("action_masks")
    env.reset()
    pool = envpool.make_gymnasium("Taxi-v3", num_envs=3, seed=2, autoreset_mode="same_step")
    expected = pool.reset()[1]["action_mask"]
    for _ in range(40):
        masks = env.env_method("action_masks")
        np.testing.assert_array_equal(masks, expected)
        np.testing.assert_array_equal(env.get_attr("action_masks", [1])[0](), expected[1])
        assert [len(env.env_method("action_masks", indices=i)) for i in (0, [0, 2])] == [1, 2]
        actions = np.array([np.flatnonzero(mask)[-1] for mask in masks])
        env.step(actions)
        expected = pool.step(actions)[-1]["action_mask"]
    assert not envpool.make_sb3("CartPole-v1").has_attr("action_masks")


def test_maskable_ppo(vec_env):
    contrib = pytest.importorskip("sb3_contrib")
    contrib.MaskablePPO("MlpPolicy", envpool.make_sb3("Taxi-v3", num_envs=2), n_steps=8, batch_size=16).learn(32)


def test_snapshots(vec_env):
    env = envpool.make_sb3("Taxi-v3", 2, seed=1)
    first = env.reset()
    masks = env.action_masks()
    state = env.snapshot(1)
    for _ in range(4):
        env.step(np.array([0, 2]))
    env.restore(1, state)
    assert env.observe()[1] == first[1]
    np.testing.assert_array_equal(env.action_masks()[1], masks[1])
    env.step(np.array([1, 1]))
    env.pool.restore(1, state)  # also past this interface
    np.testing.assert_array_equal(env.env_method("action_masks")[1], masks[1])
    env.clone(1)
    assert env.observe().tolist() == [first[1]] * 2


def test_calls_before_the_first_reset(vec_env):
    source = envpool.make_sb3("Taxi-v3", 2, seed=1)
    needed = r"^\[Taxi-v3\] step: expected a call of reset before the first step, got none"
    with pytest.raises(gymnasium.error.ResetNeeded, match=needed):  # the step would ignore its actions
        source.step(np.array([0, 0]))
    first = source.reset()
    env = envpool.make_sb3("Taxi-v3", 2)
    env.restore(0, source.snapshot(0))
    with pytest.raises(gymnasium.error.ResetNeeded, match=needed):
        env.step(np.array([0, 0]))
    env.restore(None, source.snapshot())
    np.testing.assert_array_equal(env.action_masks(), source.action_masks())
    np.testing.assert_array_equal(env.observe(), first)
    env.step(np.array([0, 0]))


def test_wrong_options_fail_one_reset(vec_env):
    env = envpool.make_sb3("CartPole-v1", 2)
    for options in ({"hihg": 1}, [{"low": 0.1, "high": 0.2}, {"hihg": 1}]):
        env.set_options(options)
        with pytest.raises(ValueError, match=r"^\[CartPole-v1\] options: expected only 'low', 'high', .*, got 'hihg'"):
            env.reset()
        assert np.abs(env.reset()).max() <= 0.05


def test_a_refused_reset_changes_nothing(vec_env):
    env = envpool.make_sb3("CartPole-v1", 3)
    env.reset()
    env.step(np.array([0, 1, 0]))
    before = env.pool.snapshot()
    each = [{"length": 0.3}, {"length": 0.4, "low": -0.1}, {}]
    for seed, last in ((None, {"length": -3}), (2**64 - 2, {})):
        env.seed(seed)
        env.set_options([*each[:2], last])
        with pytest.raises(ValueError, match=r"^\[CartPole-v1\] (length|seed\[2\]): expected"):
            env.reset()
        assert env.pool.snapshot() == before
        assert env.pool.options()["length"].tolist() == [0.5] * 3


def test_names_of_ids_and_modes(vec_env):
    assert envpool.make_sb3("envpool/CartPole-v1", num_envs=2, autoreset_mode="SameStep").num_envs == 2


def test_episodes_are_those_of_vec_monitor(vec_env):
    from stable_baselines3.common.monitor import Monitor

    ours = envpool.make_sb3("CartPole-v1", 4, seed=1, episode_statistics=True)
    theirs = vec_env.VecMonitor(envpool.make_sb3("CartPole-v1", 4, seed=1))
    assert ours.env_is_wrapped(Monitor) == [True] * 4
    assert theirs.venv.env_is_wrapped(Monitor) == [False] * 4
    ours.reset()
    theirs.reset()
    ends = 0
    for step in range(150):
        actions = np.arange(4) * step // 3 % 2
        for own, expected in zip(ours.step(actions)[-1], theirs.step(actions)[-1], strict=True):
            assert ("episode" in own) == ("episode" in expected)
            if "episode" in own:
                ends += 1
                assert own["episode"].keys() == expected["episode"].keys()
                assert own["episode"]["r"] == expected["episode"]["r"] == own["episode_return"]
                assert own["episode"]["l"] == expected["episode"]["l"] == own["episode_length"]
                assert own["episode"]["t"] >= 0
    assert ends > 15
    assert [info["episode_return"] for info in ours.reset_infos] == [0.0] * 4


def test_episodes_of_a_monitor_are_games(vec_env):
    env = envpool.make_sb3("Breakout-v5", 4, seed=1, episodic_life=True, reward_clip=True, episode_statistics=True)
    env.reset()
    score, games, lives = np.zeros(4), 0, 0
    for step in range(900):
        _, _, dones, infos = env.step((np.arange(4) + step // 2) % 4)
        for i in range(4):
            score[i] += infos[i]["reward"]
            assert ("episode" in infos[i]) == bool(dones[i] and infos[i]["terminated"])
            lives += dones[i]
            if dones[i]:
                counts = {key: env.pool.observe([i])[1][key][0] for key in ("elapsed_step", "episode_length")}
                assert counts == {key: env.reset_infos[i][key] for key in counts}
            if "episode" in infos[i]:
                games += 1
                assert infos[i]["episode"]["r"] == score[i]
                score[i] = 0
    assert games > 3
    assert lives > 4 * games


def test_normalization_is_close_to_that_of_vec_normalize(vec_env):
    options = {"seed": 1, "max_episode_steps": 20}
    ours = envpool.make_sb3("Pendulum-v1", 6, normalize_obs={"clip": 10}, normalize_reward={"clip": 10}, **options)
    theirs = vec_env.VecNormalize(envpool.make_sb3("Pendulum-v1", 6, **options))
    np.testing.assert_allclose(ours.reset(), theirs.reset(), rtol=1e-4, atol=1e-5)
    for step in range(70):
        actions = np.full((6, 1), np.sin(step), np.float32)
        own, expected = ours.step(actions), theirs.step(actions)
        np.testing.assert_allclose(own[0], expected[0], rtol=1e-4, atol=1e-4)
        np.testing.assert_allclose(own[1], expected[1], rtol=1e-4)
        for one, other in zip(own[-1], expected[-1], strict=True):
            last = [info.get("terminal_observation", np.zeros(3)) for info in (one, other)]
            np.testing.assert_allclose(*last, rtol=1e-4, atol=1e-4)
