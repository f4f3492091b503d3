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

pytestmark = pytest.mark.usefixtures("ends_promptly")

wrappers = pytest.importorskip("gymnasium.wrappers.vector")
numbers = [int(part) for part in gymnasium.__version__.split(".")[:2]]
like_ours = pytest.mark.skipif(
    numbers < [1, 4] or np.lib.NumpyVersion(np.__version__) < "2.0.0",
    reason="earlier versions of gymnasium's wrappers, and of NumPy's promotion, compute other numbers",
)

# Observations of float32, of bytes, of one column and of many.
IDS = [
    ("CartPole-v1", {"max_episode_steps": 9}),
    ("Pendulum-v1", {"max_episode_steps": 7}),
    ("Acrobot-v1", {"max_episode_steps": 5}),
    ("MountainCarContinuous-v0", {"max_episode_steps": 6}),
    ("Pong-v5", {"obs_type": "ram", "max_episode_steps": 4, "noop_max": 1}),
    ("Breakout-v5", {"img_height": 20, "img_width": 13, "stack_num": 2, "max_episode_steps": 5, "noop_max": 1}),
]
MODES = ["next_step", "same_step", "disabled"]


def actions_of(env, generator, count=None):
    space, count = env.single_action_space, env.num_envs if count is None else count
    if hasattr(space, "n"):
        return generator.integers(0, space.n, count)
    return generator.uniform(space.low, space.high, (count, *space.shape)).astype(space.dtype)


def play(env, steps, seed=0, resets=()):
    """Yields the result of each reset and step of an environment with gymnasium's interface, with random actions."""
    generator = np.random.default_rng(seed)
    disabled = str(env.metadata["autoreset_mode"]).upper().endswith("DISABLED")
    result = env.reset(seed=seed)
    yield result
    for step in range(steps):
        over = disabled and len(result) == 5 and (result[2] | result[3]).any()
        result = env.reset() if over or step in resets else env.step(actions_of(env, generator))
        yield result


def assert_same_bits(ours, theirs):
    assert ours.shape == np.shape(theirs)
    assert ours.dtype == np.asarray(theirs).dtype
    assert ours.tobytes() == np.ascontiguousarray(theirs).tobytes()


@like_ours
@pytest.mark.parametrize("num_envs", [1, 3, 8, 40, 300])
@pytest.mark.parametrize(("task_id", "options"), IDS, ids=[task_id for task_id, _ in IDS])
def test_observations_are_those_of_the_wrapper(task_id, options, num_envs):
    epsilon = 1e-8 if num_envs % 2 else 0.03
    env = envpool.make_vec(
        task_id, num_envs=num_envs, seed=3, normalize_obs={"epsilon": epsilon} if epsilon != 1e-8 else True, **options
    )
    wrapped = wrappers.NormalizeObservation(envpool.make_vec(task_id, num_envs=num_envs, seed=3, **options), epsilon)
    assert env.single_observation_space == wrapped.single_observation_space
    for ours, theirs in zip(play(env, 25, 1, (4, 17)), play(wrapped, 25, 1, (4, 17)), strict=True):
        assert_same_bits(ours[0], theirs[0])
        assert ours[0].base is None or ours[0].flags.writeable
        moments = env.statistics()["obs"]
        assert_same_bits(np.asarray(moments["mean"]), wrapped.obs_rms.mean)
        assert_same_bits(np.asarray(moments["var"]), wrapped.obs_rms.var)
        assert moments["count"] == wrapped.obs_rms.count


@like_ours
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("num_envs", [1, 7, 9, 130, 300])
@pytest.mark.parametrize("task_id", ["CartPole-v1", "Pendulum-v1", "MountainCarContinuous-v0"])
def test_rewards_are_those_of_the_wrapper(task_id, num_envs, mode):
    options = {"num_envs": num_envs, "seed": 5, "autoreset_mode": mode, "max_episode_steps": 11}
    gamma, epsilon = (0.99, 1e-8) if num_envs < 9 else (0.7, 0.01)
    env = envpool.make_vec(task_id, normalize_reward={"gamma": gamma, "epsilon": epsilon}, **options)
    wrapped = wrappers.NormalizeReward(envpool.make_vec(task_id, **options), gamma, epsilon)
    steps = zip(play(env, 60, 2, (20, 41)), play(wrapped, 60, 2, (20, 41)), strict=True)
    for ours, theirs in steps:
        if len(ours) == 5:
            assert_same_bits(ours[1], theirs[1].astype(np.float32))
        moments = env.statistics()["reward"]
        assert moments["mean"] == wrapped.return_rms.mean
        assert moments["var"] == wrapped.return_rms.var
        assert moments["count"] == wrapped.return_rms.count
        assert_same_bits(moments["discounted_return"], wrapped.accumulated_reward)


@like_ours
def test_both_normalizations_and_frozen_moments():
    options = {"num_envs": 12, "seed": 1, "max_episode_steps": 20}
    env = envpool.make_vec("Pendulum-v1", normalize_obs=True, normalize_reward=True, **options)
    wrapped = wrappers.NormalizeObservation(envpool.make_vec("Pendulum-v1", **options))
    wrapped = wrappers.NormalizeReward(wrapped)
    for index, (ours, theirs) in enumerate(zip(play(env, 90), play(wrapped, 90), strict=True)):
        assert_same_bits(ours[0], theirs[0])
        if len(ours) == 5:
            assert_same_bits(ours[1], theirs[1].astype(np.float32))
        env.update_running_mean = wrapped.update_running_mean = wrapped.env.update_running_mean = not 30 < index < 60
        assert env.update_running_mean is (not 30 < index < 60)


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


def expected_moments(mean, var, count, rows):
    """Returns gymnasium's update of moments, in float64."""
    total = count + len(rows)
    delta = rows.mean(0) - mean
    squares = var * count + rows.var(0) * len(rows) + delta**2 * count * len(rows) / total
    return mean + delta * len(rows) / total, squares / total, total


def test_a_batch_of_some_environments_counts_its_rows_only():
    options = {"num_envs": 6, "seed": 3}
    env, plain = envpool.make("Pendulum-v1", normalize_obs=True, **options), envpool.make("Pendulum-v1", **options)
    generator = np.random.default_rng(0)
    moments = (0.0, 1.0, 1e-4)
    for ids in ([0, 1, 2, 3, 4, 5], [4, 1], [2], [5, 3, 0], [1, 2]):
        if len(ids) != 2:
            seen, rows = env.reset(ids)[0], plain.reset(ids)[0]
        else:
            action = generator.uniform(-2, 2, (2, 1)).astype(np.float32)
            seen, rows = env.step(action, ids)[0], plain.step(action, ids)[0]
        moments = expected_moments(*moments, rows.astype(np.float64))
        np.testing.assert_allclose(env.statistics()["obs"]["mean"], moments[0], rtol=1e-5)
        np.testing.assert_allclose(env.statistics()["obs"]["var"], moments[1], rtol=1e-5)
        np.testing.assert_allclose(seen, (rows - moments[0]) / np.sqrt(moments[1] + 1e-8), rtol=1e-4, atol=1e-5)


def test_the_clips_limit_results():
    options = {"num_envs": 5, "seed": 3, "max_episode_steps": 9}
    clips = {"normalize_obs": {"clip": 0.8}, "normalize_reward": {"clip": 0.3, "gamma": 0.5}}
    env = envpool.make_vec("Pendulum-v1", **clips, **options)
    free = envpool.make_vec("Pendulum-v1", normalize_obs=True, normalize_reward={"gamma": 0.5}, **options)
    assert env.single_observation_space == gymnasium.spaces.Box(-0.8, 0.8, (3,), np.float32)
    clipped = 0
    for ours, theirs in zip(play(env, 40), play(free, 40), strict=True):
        assert_same_bits(ours[0], theirs[0].clip(np.float32(-0.8), np.float32(0.8)))
        if len(ours) == 5:
            assert_same_bits(ours[1], theirs[1].clip(np.float32(-0.3), np.float32(0.3)))
            clipped += (ours[1] != theirs[1]).sum()
    assert clipped > 10


def test_last_observations_are_normalized_by_the_same_moments():
    options = {"num_envs": 4, "seed": 3, "autoreset_mode": "same_step", "max_episode_steps": 5}
    env, plain = envpool.make("Pendulum-v1", normalize_obs=True, **options), envpool.make("Pendulum-v1", **options)
    for (ours, theirs), step in zip(zip(play(env, 12), play(plain, 12), strict=True), range(13), strict=True):
        moments = env.statistics()["obs"]
        deviation = np.sqrt(moments["var"] + np.float32(1e-8))
        assert_same_bits(ours[0], (theirs[0] - moments["mean"]) / deviation)
        assert ("final_obs" in ours[-1]) == (step in (5, 10))
        if "final_obs" in ours[-1]:
            assert_same_bits(ours[-1]["final_obs"], (theirs[-1]["final_obs"] - moments["mean"]) / deviation)


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
    ({"normalize_obs": {"gamma": 0.9}}, TypeError, ["unknown option 'gamma'", "epsilon, clip"]),
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
    ({"episode_statistics": True, "device": "cuda"}, ValueError, ["episode_statistics", "device='cuda:0'", "GPU"]),
    ({"normalize_obs": True, "device": "cuda"}, ValueError, ["normalize_obs", "device='cuda:0'", "GPU"]),
    ({"normalize_reward": True, "device": "cuda"}, ValueError, ["normalize_reward", "device='cuda:0'", "GPU"]),
]


@pytest.mark.parametrize(("options", "error", "parts"), REFUSED, ids=[str(options) for options, *_ in REFUSED])
def test_bad_options_are_refused(options, error, parts):
    raises_quickly(lambda: envpool.make("CartPole-v1", **{"num_envs": 4, **options}), error, "[CartPole-v1]", *parts)


@pytest.mark.parametrize(
    ("task_id", "options", "part"),
    [
        ("TagContinuous-v0", {"episode_statistics": True}, "because an episode of up to"),
        ("TagContinuous-v0", {"normalize_reward": True}, "because an episode of up to"),
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
    raises_quickly(lambda: envpool.make(task_id, **options), ValueError, f"[{task_id}] {name}: expected False", part)


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


class Numbers(gymnasium.Env):
    """Observes random numbers of the option `kind`: a dtype and a shape."""

    KINDS = {
        "one column": (np.float32, (1,)),
        "a number": (np.float32, ()),
        "doubles": (np.float64, (5,)),
        "one double": (np.float64, ()),
        "int32": (np.int32, (2,)),
        "int64": (np.int64, (3, 2)),
        "bytes": (np.uint8, (70,)),
    }

    def __init__(self, kind="one column"):
        self.dtype, self.shape = self.KINDS[kind]
        low, high = (0, 255) if self.dtype == np.uint8 else (-1000, 1000)
        self.observation_space = gymnasium.spaces.Box(low, high, self.shape, self.dtype)
        self.action_space = gymnasium.spaces.Discrete(2)

    def observed(self):
        return self.np_random.uniform(0, 255, self.shape).astype(self.dtype) if self.shape else self.number()

    def number(self):
        return np.array(self.np_random.uniform(0, 255), self.dtype)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self.observed(), {}

    def step(self, action):
        return self.observed(), self.np_random.normal(), self.np_random.random() < 0.1, False, {}


@pytest.fixture(scope="module")
def numbers_id():
    try:
        envpool.register_python("Numbers-v0", Numbers)
        envpool.make("Numbers-v0", num_workers=1).close()
    except RuntimeError as error:
        pytest.skip(str(error))
    return "Numbers-v0"


@like_ours
@pytest.mark.parametrize("num_envs", [5, 150])
@pytest.mark.parametrize("kind", list(Numbers.KINDS))
def test_observations_of_every_dtype_are_those_of_the_wrapper(numbers_id, kind, num_envs):
    options = {"num_envs": num_envs, "seed": 3, "kind": kind, "num_workers": 1}
    with (
        envpool.make_vec(numbers_id, normalize_obs=True, normalize_reward=True, **options) as env,
        envpool.make_vec(numbers_id, **options) as plain,
    ):
        wrapped = wrappers.NormalizeReward(wrappers.NormalizeObservation(plain))
        for ours, theirs in zip(play(env, 12, 1, (5,)), play(wrapped, 12, 1, (5,)), strict=True):
            assert_same_bits(ours[0], theirs[0])
            moments = env.statistics()["obs"]
            assert_same_bits(np.asarray(moments["mean"], wrapped.env.obs_rms.mean.dtype), wrapped.env.obs_rms.mean)
            assert_same_bits(np.asarray(moments["var"], wrapped.env.obs_rms.mean.dtype), wrapped.env.obs_rms.var)
            if len(ours) == 5:
                assert_same_bits(ours[1], theirs[1].astype(np.float32))
