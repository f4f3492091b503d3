# SPDX-License-Identifier: Apache-2.0
"""Compares the statistics of pools, bit for bit, with gymnasium's vector wrappers around pools without them."""

import math
import pickle
from itertools import pairwise

import gymnasium
import numpy as np
import pytest

import envpool
from tests.python.interfaces import raises_quickly
from tests.python.played import assert_same_bits, like_ours, play, wrappers

pytestmark = pytest.mark.usefixtures("ends_promptly")


MODES = ["next_step", "same_step", "disabled"]


@like_ours
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("task_id", ["CartPole-v1", "Pendulum-v1", "ALE/Breakout-v5"])
def test_returns_and_lengths_are_those_of_the_wrapper(task_id, mode):
    options = {"num_envs": 6, "seed": 4, "autoreset_mode": mode}
    if task_id != "CartPole-v1":
        options["max_episode_steps"] = 33
    env = envpool.make_vec(task_id, episode_statistics=True, **options)
    wrapped = wrappers.RecordEpisodeStatistics(envpool.make_vec(task_id, **options))
    ended = 0
    for ours, theirs in zip(play(env, 200), play(wrapped, 200), strict=True):
        info = ours[-1]
        assert (info["episode_return"].dtype, info["episode_length"].dtype) == (np.float64, np.int32)
        if len(ours) == 2:
            assert not info["episode_return"].any()
            assert not info["episode_length"].any()
        elif "episode" in theirs[-1]:
            over = theirs[-1]["_episode"]
            ended += over.sum()
            assert_same_bits(info["episode_return"][over], theirs[-1]["episode"]["r"][over])
            assert (info["episode_length"][over] == theirs[-1]["episode"]["l"][over]).all()
    assert ended > 15


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
def test_returns_are_those_of_the_game_beside_clipped_rewards_and_lives(mode):
    options = {"num_envs": 8, "seed": 1, "autoreset_mode": mode}
    env = envpool.make("Breakout-v5", episodic_life=True, reward_clip=True, episode_statistics=True, **options)
    plain = envpool.make("Breakout-v5", **options)
    generator = np.random.default_rng(0)
    env.reset()
    plain.reset()
    found, lives, expected = [], 0, []
    score = np.zeros(8)
    for _ in range(1000):
        _, reward, terminated, truncated, info = env.step(generator.integers(0, 4, 8))
        assert set(reward.tolist()) <= {0.0, 1.0}
        true = info["reward"]
        if "final_info" in info:
            true = np.where(info["_final_info"], info["final_info"]["reward"], true)
        score += true
        assert (info["episode_return"] == score).all()
        lost = terminated | truncated
        lives += lost.sum()
        over = (info["final_info"]["terminated"] if "final_info" in info else info["terminated"]) != 0
        over = over & lost
        found += info["episode_return"][over].tolist()
        expected += score[over].tolist()
        assert (info["episode_length"] == info["elapsed_step"]).all()
        score[over] = 0
    assert len(found) > 8
    assert found == expected
    assert max(found) > 1
    assert lives > 4 * len(found)
    # A pool that clips nothing and ends episodes with games has returns of the same kind.
    env, total = envpool.make("Breakout-v5", episode_statistics=True, **options), np.zeros(8)
    env.reset()
    for _ in range(300):
        _, reward, terminated, truncated, info = env.step(generator.integers(0, 4, 8))
        total += reward
        assert (info["episode_return"] == total).all()
        total[terminated | truncated] = 0


def test_an_asynchronous_pool_returns_statistics_of_episodes():
    options = {"num_envs": 9, "batch_size": 4, "seed": 2, "episode_statistics": True, "num_threads": 3}
    env = envpool.make("CartPole-v1", **options)
    env.async_reset()
    total, ended = np.zeros(9), 0
    for _ in range(400):
        _, reward, terminated, truncated, info = env.recv()
        ids = info["env_id"]
        total[ids] = np.where(info["elapsed_step"] == 0, 0, total[ids] + reward)
        assert (info["episode_return"] == total[ids]).all()
        ended += (terminated | truncated).sum()
        env.send(np.zeros(4, np.int32), ids)
    assert ended > 50


@pytest.mark.parametrize(("task_id", "num_envs"), [("Pendulum-v1", 150), ("Pong-v5", 12)])
def test_results_do_not_depend_on_threads(task_id, num_envs):
    everything = {"episode_statistics": True, "normalize_obs": True, "normalize_reward": True}
    digests = set()
    for threads in (1, 2, 5):
        env = envpool.make_vec(
            task_id, num_envs=num_envs, num_threads=threads, seed=1, max_episode_steps=8, **everything
        )
        parts = [part for result in play(env, 20) for part in (*result[:-1], result[-1]["episode_return"])]
        digests.add(b"".join(part.tobytes() for part in parts))
    assert len(digests) == 1


EVERYTHING = {"episode_statistics": True, "normalize_obs": True, "normalize_reward": True}


def make(num_envs=4, **options):
    return envpool.make(
        "Pendulum-v1", **{"num_envs": num_envs, "seed": 1, "max_episode_steps": 9, **EVERYTHING, **options}
    )


def equal(a, b):
    return all(equal(a[key], b[key]) if isinstance(a[key], dict) else np.array_equal(a[key], b[key]) for key in a | b)


def test_a_program_continues_with_states_and_statistics():
    env = make()
    results = list(play(env, 14))
    statistics, states = env.statistics(), env.snapshot()
    assert equal(pickle.loads(pickle.dumps(statistics)), statistics)
    resumed = make()
    resumed.restore(None, states)
    resumed.set_statistics(statistics)
    assert equal(resumed.statistics(), statistics)
    assert_same_bits(resumed.observe()[0], results[-1][0])
    assert_same_bits(resumed.observe()[1]["episode_return"], results[-1][-1]["episode_return"])
    for step in range(30):
        action = np.full((4, 1), np.sin(step), np.float32)
        for ours, theirs in pairwise([env.step(action), resumed.step(action)]):
            parts = ((*result[:-1], result[-1]["episode_return"]) for result in (ours, theirs))
            for a, b in zip(*parts, strict=True):
                assert_same_bits(a, b)
    assert equal(resumed.statistics(), env.statistics())


def test_a_restored_episode_has_an_unknown_return_and_a_copied_one_that_of_its_source():
    env = make(3)
    *_, (_, _, _, _, info) = play(env, 4)
    env.clone([0, 0], [1, 2])
    first = info["episode_return"][0]
    assert env.observe()[1]["episode_return"].tolist() == [first] * 3
    assert len(set(env.statistics()["reward"]["discounted_return"].tolist())) == 1
    env.clone([1, 0], [0, 1])
    env.restore(2, env.snapshot(0))
    assert np.isnan(env.observe()[1]["episode_return"]).tolist() == [False, False, True]
    assert env.statistics()["reward"]["discounted_return"][2] == 0
    returns = [env.step(np.zeros((3, 1), np.float32))[-1]["episode_return"] for _ in range(7)]
    assert np.isnan(returns[4]).tolist() == [False, False, True]  # the last step of the episode
    assert returns[5].tolist() == [0, 0, 0]
    assert np.isfinite(returns[6]).all()


def test_an_episode_that_is_restored_at_its_start_has_returned_nothing():
    env = make()
    env.reset()
    start = env.snapshot(1)
    list(play(env, 3))
    env.restore(1, start)
    info = env.observe()[1]
    assert info["elapsed_step"][1] == 0
    assert info["episode_return"][1] == 0


def test_observing_changes_no_statistics():
    env = make()
    results = list(play(env, 5))
    before = env.statistics()
    observed, info = env.observe()
    assert_same_bits(observed, results[-1][0])
    assert_same_bits(info["episode_return"], results[-1][-1]["episode_return"])
    env.observe([2, 1])
    assert equal(env.statistics(), before)
    held = observed.copy()
    env.step(np.ones((4, 1), np.float32))
    assert (observed == held).all()


def test_moments_of_another_pool():
    train, test = make(8), make(3, episode_statistics=False)
    list(play(train, 20))
    test.set_statistics({"obs": train.statistics()["obs"]})
    test.update_running_mean = False
    list(play(test, 20))
    assert equal(test.statistics()["obs"], train.statistics()["obs"])
    assert equal(
        {k: test.statistics()["reward"][k] for k in ("mean", "var", "count")}, {"mean": 0, "var": 1, "count": 1e-4}
    )
    test.set_statistics({"reward": {"var": 4}})
    test.reset()
    raw = envpool.make("Pendulum-v1", num_envs=3, seed=1)
    raw.restore(None, test.snapshot())
    action = np.zeros((3, 1), np.float32)
    expected = raw.step(action)[1].astype(np.float64) / np.sqrt(4 + 1e-8)
    assert_same_bits(test.step(action)[1], expected.astype(np.float32))


@pytest.mark.parametrize("interface", ["gym", "gymnasium", "dm", "vec", "single"])
def test_every_interface(interface):
    options = {"seed": 1, **EVERYTHING}
    if interface == "single":
        env = gymnasium.make("envpool/Pendulum-v1", **options)
        obs, info = env.reset(seed=1)
        _, reward, _, _, info = env.step([0.5])
        assert obs.dtype == np.float32
        assert info["episode_return"] < 0
        assert info["episode_length"] == 1
        assert reward != info["episode_return"]
        return
    if interface == "vec":
        env = envpool.make_vec("Pendulum-v1", num_envs=3, **options)
        env.reset()
        info = env.step(np.zeros((3, 1), np.float32))[-1]
        assert info["_episode_return"].all()
        assert env.observation_space.shape == (3, 3)
        assert env.observation_space.low.min() == -np.inf
        return
    env = envpool.make("Pendulum-v1", env_type=interface, num_envs=3, **options)
    assert env.config["normalize_obs"] == {"epsilon": 1e-8, "clip": math.inf}
    assert env.config["normalize_reward"] == {"gamma": 0.99, "epsilon": 1e-8, "clip": math.inf}
    assert envpool.make("Pendulum-v1", env_type=interface, **env.config).config == env.config
    copy = pickle.loads(pickle.dumps(env))
    assert copy.config == env.config
    for pool in (env, copy):
        pool.reset()
        result = pool.step(np.zeros((3, 1), np.float32))
        if interface == "dm":
            state = result.observation
            assert (state.episode_return < result.reward).all()
            assert state.episode_length.tolist() == [1, 1, 1]
            assert state.obs.dtype == np.float32
            specs = env.observation_spec()
            assert specs.obs.minimum == -np.inf
            assert specs.episode_return.dtype == np.float64
            assert specs.episode_length.dtype == np.int32
            assert env.reward_spec().minimum == -np.inf
        else:
            assert env.observation_space.low.tolist() == [-np.inf] * 3
            assert (result[-1]["episode_return"] < result[1]).all()
            assert list(result[-1])[-2:] == ["episode_return", "episode_length"]


def mixed_and_single(function):
    """Returns two pools of the same environments, of which the first is mixed, and their results."""
    options = {"num_envs": 4, "seed": 1, "max_episode_steps": 3, **EVERYTHING}
    envs = [function(task_id, **options) for task_id in (["Pendulum-v1"] * 2, "Pendulum-v1")]
    actions = [np.full((4, 1), np.sin(step), np.float32) for step in range(5)]
    return *envs, [[env.reset(), *map(env.step, actions)] for env in envs]


@pytest.mark.parametrize("function", [envpool.make_gym, envpool.make_gymnasium, envpool.make_vec])
def test_mixed_pools_return_what_pools_of_one_id_return(function):
    mixed, single, results = mixed_and_single(function)
    for ours, expected in zip(*results, strict=True):
        tasks = [ours[-1].pop(key) for key in ("task_id", "_task_id") if key in ours[-1]]
        assert tasks[0].tolist() == [0, 0, 1, 1]
        np.testing.assert_equal(ours, expected)
    assert equal(mixed.statistics(), single.statistics())
    assert mixed.observation_space.dtype == np.float32
    for spec in (mixed.spec, *mixed.spec.task_specs):
        assert spec.observation_space == single.spec.observation_space
        assert spec.reward_spec() == single.spec.reward_spec()
    if function is not envpool.make_vec:
        assert mixed.reset([])[0].dtype == np.float32


def test_mixed_pools_of_dm_env():
    mixed, single, results = mixed_and_single(envpool.make_dm)
    for ours, expected in zip(*results, strict=True):
        np.testing.assert_equal(ours[:-1], expected[:-1])
        np.testing.assert_equal(
            ours.observation._asdict() | {"task_id": 0}, expected.observation._asdict() | {"task_id": 0}
        )
    assert mixed.observation_spec()._asdict() == single.observation_spec()._asdict() | {
        "task_id": mixed.observation_spec().task_id
    }


def test_mixed_pools_of_stable_baselines3():
    pytest.importorskip("stable_baselines3")
    mixed, _, results = mixed_and_single(envpool.make_sb3)
    for ours, expected in zip(*results, strict=True):
        np.testing.assert_equal(ours[:3], expected[:3])
    assert mixed.observation_space.dtype == np.float32
    ends = [results[place][3][-1] for place in (0, 1)]
    assert [info["episode"]["r"] for info in ends[0]] == [info["episode"]["r"] for info in ends[1]]


def test_jitted_code_receives_the_same_statistics():
    jax = pytest.importorskip("jax")
    env, twin = make(), make()
    env.reset()
    twin.reset()
    handle, _, _, step = env.xla()
    jitted = jax.jit(step)
    for _ in range(12):
        action = np.full((4, 1), 0.3, np.float32)
        handle, ours = jitted(handle, action)
        theirs = twin.step(action)
        for a, b in zip(ours[:-1], theirs[:-1], strict=True):
            assert_same_bits(np.asarray(a), b)
        returns = np.asarray(ours[-1]["episode_return"])
        assert_same_bits(returns, theirs[-1]["episode_return"].astype(returns.dtype))
    assert equal(env.statistics(), twin.statistics())


def test_a_batch_that_was_not_taken_is_processed_once():
    env, twin = make(), make()
    for pool in (env, twin):
        pool.reset()
    env.send(np.zeros((4, 1), np.float32))
    with pytest.raises(ValueError, match="timeout"):
        env.recv(timeout=-1)
    before = env.statistics()
    ours, theirs = env.recv(), twin.step(np.zeros((4, 1), np.float32))
    assert not equal(before, env.statistics())
    assert equal(env.statistics(), twin.statistics())
    assert_same_bits(ours[1], theirs[1])


REFUSED = [
    ({"episode_statistics": 1}, TypeError, ["episode_statistics: expected True or False, got 1"]),
    ({"episode_statistics": None}, TypeError, ["episode_statistics", "got None"]),
    ({"normalize_obs": "yes"}, TypeError, ["normalize_obs: expected True, False, or a mapping", "'epsilon', 'clip'"]),
    ({"normalize_obs": None}, TypeError, ["normalize_obs", "got None"]),
    ({"normalize_obs": 1}, TypeError, ["normalize_obs", "got 1"]),
    ({"normalize_obs": {"gamma": 0.9}}, TypeError, ["normalize_obs: expected", "'clip', got the key 'gamma'"]),
    ({"normalize_reward": {3: 0.9}}, TypeError, ["normalize_reward: expected", "'epsilon', 'clip', got the key 3"]),
    ({"normalize_obs": {"epsilon": 0}}, ValueError, ["normalize_obs['epsilon']: expected a number above 0, got 0"]),
    ({"normalize_obs": {"epsilon": math.nan}}, ValueError, ["normalize_obs['epsilon']", "got nan"]),
    ({"normalize_obs": {"epsilon": math.inf}}, ValueError, ["normalize_obs['epsilon']", "got inf"]),
    ({"normalize_obs": {"epsilon": "small"}}, TypeError, ["normalize_obs['epsilon']: expected a number, got 'small'"]),
    ({"normalize_obs": {"clip": -1.0}}, ValueError, ["normalize_obs['clip']: expected a number above 0, got -1.0"]),
    ({"normalize_reward": {"gamma": 1.1}}, ValueError, ["normalize_reward['gamma']", "from 0 to 1, got 1.1"]),
    ({"normalize_reward": {"gamma": True}}, TypeError, ["normalize_reward['gamma']", "got True"]),
    ({"normalize_reward": [0.9]}, TypeError, ["normalize_reward", "'gamma', 'epsilon', 'clip'", "got [0.9]"]),
    (
        {"normalize_obs": True, "batch_size": 2},
        ValueError,
        ["normalize_obs: expected False with batch_size=2 and num_envs=4", "depend on time, got {"],
    ),
    ({"normalize_reward": True, "batch_size": 2}, ValueError, ["normalize_reward", "asynchronous"]),
]


@pytest.mark.parametrize(("options", "error", "parts"), REFUSED, ids=[str(options) for options, *_ in REFUSED])
def test_bad_options_are_refused(options, error, parts):
    for task_id, label in (("CartPole-v1", "[CartPole-v1]"), (["CartPole-v1"] * 2, "[CartPole-v1, CartPole-v1]")):
        raises_quickly(
            lambda task_id=task_id: envpool.make(task_id, **{"num_envs": 4, **options}), error, label, *parts
        )


@pytest.mark.parametrize(
    ("task_id", "options", "part"),
    [
        ("TagContinuous-v0", {"episode_statistics": True}, "because an episode of up to"),
        ("TagContinuous-v0", {"normalize_reward": True}, "because an episode of up to"),
        ("TicTacToe-v1", {"episode_statistics": True}, "because an episode of up to 2 players"),
        ("FrozenLake-v1", {"normalize_obs": True}, "because the observation consists of categories"),
        ("MiniGrid-Empty-5x5-v0", {"normalize_obs": True}, "because the observation is not a single array"),
    ],
)
def test_unsuitable_environments_are_refused(task_id, options, part):
    try:
        envpool.make(task_id)
    except RuntimeError as error:
        pytest.skip(str(error))
    (name,) = options
    for ids, label in ((task_id, task_id), ([task_id, task_id], f"{task_id}, {task_id}")):
        raises_quickly(
            lambda ids=ids: envpool.make(ids, **options), ValueError, f"[{label}] {name}: expected False", part
        )


STATISTICS = [
    (3, TypeError, "statistics: expected a mapping, got 3"),
    ({"speed": 1}, ValueError, "expected entries episode_return, obs.mean, .*, got 'speed'"),
    ({"obs": 3}, TypeError, "obs: expected a mapping, got 3"),
    ({"obs": {"median": 3}}, ValueError, "got 'obs.median'"),
    ({"obs": {"mean": [1, 2]}}, ValueError, r"obs.mean: expected shape \(3,\), got \(2,\)"),
    ({"obs": {"mean": [1, 2, math.nan]}}, ValueError, "obs.mean: expected numbers that are finite"),
    ({"obs": {"mean": [1, 2, 1e300]}}, ValueError, "obs.mean: expected numbers that are finite"),
    ({"obs": {"mean": ["a", "b", "c"]}}, TypeError, "obs.mean: expected numbers"),
    ({"obs": {"mean": [True, False, True]}}, TypeError, "obs.mean: expected numbers"),
    ({"obs": {"var": [1, 2, -1]}}, ValueError, "obs.var: expected numbers of at least 0"),
    ({"obs": {"count": 0}}, ValueError, "obs.count: expected a number above 0, got 0"),
    ({"obs": {"count": [1.0]}}, ValueError, r"obs.count: expected shape \(\), got \(1,\)"),
    ({"reward": {"var": math.inf}}, ValueError, "reward.var: expected numbers that are finite, got inf"),
    ({"reward": {"discounted_return": [0.0]}}, ValueError, r"reward.discounted_return: expected shape \(4,\)"),
    ({"episode_return": {"mean": 3}}, TypeError, "episode_return: expected numbers"),
]


@pytest.mark.parametrize(("values", "error", "text"), STATISTICS, ids=[text for *_, text in STATISTICS])
def test_bad_statistics_are_refused(values, error, text):
    env = make()
    list(play(env, 3))
    before = env.statistics()
    given = {"reward": {"mean": 7.0}, **values} if isinstance(values, dict) and "reward" not in values else values
    with pytest.raises(error, match=rf"\[Pendulum-v1\] .*{text}"):
        env.set_statistics(given)
    assert equal(env.statistics(), before)


def test_pools_without_statistics_refuse_the_calls():
    env = envpool.make("Pendulum-v1")
    for call in (env.statistics, lambda: env.set_statistics({}), lambda: env.update_running_mean):
        with pytest.raises(RuntimeError, match=r"\[Pendulum-v1\] \w+: expected a pool made with "):
            call()
    env = envpool.make("Pendulum-v1", episode_statistics=True)
    with pytest.raises(RuntimeError, match="update_running_mean: expected a pool made with normalize_obs or"):
        env.update_running_mean = False
    env = make()
    with pytest.raises(TypeError, match="update_running_mean: expected True or False, got 1"):
        env.update_running_mean = 1
    env.close()
    for call in (env.statistics, lambda: env.set_statistics({}), lambda: env.update_running_mean):
        with pytest.raises(RuntimeError, match="the pool is closed"):
            call()
