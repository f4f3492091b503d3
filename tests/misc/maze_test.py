# SPDX-License-Identifier: Apache-2.0
"""Compares Maze with jaxued 0.0.1 on random levels, and tests levels that differ between environments and episodes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import envpool
from tests.support.samples import DAY

jax = pytest.importorskip("jax")
maze = pytest.importorskip("jaxued.environments.maze")
jnp = jax.numpy

LEVELS, SIDE, STEPS = 200, 13, 260
KEY = jax.random.PRNGKey(DAY)


def random_levels(count, walls=60, key=KEY):
    """Returns levels that jaxued has drawn."""
    sample = maze.make_level_generator(SIDE, SIDE, walls)
    return jax.vmap(sample)(jax.random.split(key, count))


def params_of(params, levels):
    """Returns our parameters of jaxued's levels."""
    return params.replace(
        walls=np.asarray(levels.wall_map),
        start=np.asarray(levels.agent_pos, np.int32),
        goal=np.asarray(levels.goal_pos, np.int32),
        direction=np.asarray(levels.agent_dir, np.int32),
    )


def actions_towards(rng, shape):
    """Returns random actions, most of which go forward."""
    return rng.choice(7, p=[0.15, 0.15, 0.6, 0.025, 0.025, 0.025, 0.025], size=shape).astype(np.int32)


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize(
    ("options", "theirs"),
    [
        ({}, {}),
        ({"agent_view_size": 7, "see_agent": True}, {"agent_view_size": 7, "see_agent": True}),
        ({"agent_view_size": 3, "penalize_time": False}, {"agent_view_size": 3, "penalize_time": False}),
    ],
)
def test_equal_to_jaxued(options, theirs):
    env, params = envpool.jax.make("UEDMaze-v0", **options)
    other = maze.Maze(**theirs)
    levels = random_levels(LEVELS)
    # Starts on goals and in walls are allowed, and goals in walls.
    corner = jnp.zeros_like(levels.agent_pos).at[:, 1].set(3)
    levels = levels.replace(
        agent_pos=jnp.where(jnp.arange(LEVELS)[:, None] % 11 == 0, levels.goal_pos, levels.agent_pos)
    )
    levels = levels.replace(agent_pos=jnp.where(jnp.arange(LEVELS)[:, None] % 7 == 0, corner, levels.agent_pos))
    levels = levels.replace(goal_pos=jnp.where(jnp.arange(LEVELS)[:, None] % 13 == 0, corner, levels.goal_pos))
    params = params_of(params, levels)
    obs, state = env.reset_batch(KEY, LEVELS, params)
    their_params = other.default_params
    their_obs, their_state = jax.vmap(other.reset_env_to_level, (None, 0, None))(KEY, levels, their_params)

    @jax.jit
    def step(state, their_state, action):
        ours = jax.vmap(env.step_env, (None, 0, 0, params.axes()))(None, state, action, params)
        return ours[:4], jax.vmap(other.step_env, (None, 0, 0, None))(KEY, their_state, action, their_params)[:4]

    rng = np.random.default_rng(DAY)
    over, rewards = np.zeros(LEVELS, bool), 0
    for time in range(250):
        image = np.asarray(their_obs.image)
        np.testing.assert_array_equal(np.asarray(obs["image"])[~over], image[~over])
        np.testing.assert_array_equal(np.asarray(obs["direction"])[~over], np.asarray(their_obs.agent_dir)[~over])
        mine, others = step(state, their_state, actions_towards(rng, LEVELS))
        (obs, state, reward, done), (their_obs, their_state, their_reward, their_done) = mine, others
        # XLA rounds their reward in another way.
        np.testing.assert_allclose(np.asarray(reward)[~over], np.asarray(their_reward)[~over], rtol=0, atol=1.2e-7)
        most = (
            1 - np.float32(0.9) * (np.float32(time + 1) / np.float32(250)) if options.get("penalize_time", True) else 1
        )
        assert set(np.asarray(reward).tolist()) <= {0, float(most)}
        np.testing.assert_array_equal(np.asarray(state.pos)[~over], np.asarray(their_state.agent_pos)[~over])
        np.testing.assert_array_equal(np.asarray(done)[~over], np.asarray(their_done)[~over])
        rewards += int((np.asarray(reward) > 0).sum())
        over |= np.asarray(done)
    assert over.all() and 10 < rewards < LEVELS


def test_random_levels_have_the_distribution_of_jaxued():
    count, walls = 8000, 40
    env, params = envpool.jax.make("UEDMaze-v0", random_walls=walls)
    _, state = jax.jit(lambda key: env.reset_batch(key, count, params))(KEY)
    levels = random_levels(count, walls)
    rows = np.asarray(state.walls)
    ours = (rows[:, :, None] >> np.arange(SIDE) & 1).astype(bool)
    theirs = np.asarray(levels.wall_map)
    number = ours.sum((1, 2)), theirs.sum((1, 2))
    assert stats.ks_2samp(*number).pvalue > 1e-4
    assert abs(ours.mean(0) - theirs.mean()).max() < 0.03  # every cell is equally often a wall
    start, goal = np.asarray(state.pos), np.asarray(state.goal)
    each = np.arange(count)
    for cells in (start, goal):
        assert not ours[each, cells[:, 1], cells[:, 0]].any()
        seen = np.bincount(cells[:, 1] * SIDE + cells[:, 0], minlength=SIDE * SIDE)
        assert stats.chisquare(seen).pvalue > 1e-4
    assert (start != goal).any(1).all()
    assert stats.chisquare(np.bincount(np.asarray(state.direction), minlength=4)).pvalue > 1e-4


def test_next_params_begin_the_next_episodes():
    env, params = envpool.jax.make("UEDMaze-v0", max_episode_steps=3)
    now, then = (params_of(params, random_levels(6, key=jax.random.PRNGKey(k))) for k in (1, 2))
    _, state = env.reset_batch(KEY, 6, now)
    expected = env.reset_batch(KEY, 6, then)[1]

    @jax.jit
    def step(state, now, then):
        obs, state, _, done, _ = env.step_batch(None, state, jnp.zeros(6, jnp.int32), now, next_params=then)
        return obs, state, done, then.where(done, now)

    for _ in range(2):
        _, state, done, now = step(state, now, then)
        assert not done.any()
        assert (np.asarray(state.walls) != np.asarray(expected.walls)).any((1,)).all()
    obs, state, done, now = step(state, now, then)
    assert done.all()
    np.testing.assert_array_equal(state.walls, expected.walls)
    np.testing.assert_array_equal(state.goal, then.goal)
    np.testing.assert_array_equal(now.walls, then.walls)
    np.testing.assert_array_equal(obs["direction"], then.direction)
    # Without next_params, episodes begin with the parameters of the step, and with the default ones if they are given.
    _, state, _, done, _ = jax.vmap(env.step, (None, 0, None, now.axes()))(None, state, 0, now)
    for given, walls in ((None, now.walls), (params, jnp.broadcast_to(params.walls, now.walls.shape))):
        last = state.replace(elapsed_step=2)
        after = env.step_batch(None, last, jnp.zeros(6, jnp.int32), now, next_params=given)[1]
        rows = np.asarray(after.walls)
        np.testing.assert_array_equal((rows[:, :, None] >> np.arange(SIDE) & 1).astype(bool), walls)


def test_pools_have_a_level_in_each_environment_and_episode():
    levels = random_levels(4)
    values = {
        "walls": np.asarray(levels.wall_map),
        "start": np.asarray(levels.agent_pos),
        "goal": np.asarray(levels.goal_pos),
        "direction": np.asarray(levels.agent_dir),
    }
    pool = envpool.make_gymnasium("UEDMaze-v0", num_envs=4)
    with pool:
        obs, _ = pool.reset(options=values)
        env, params = envpool.jax.make("UEDMaze-v0")
        expected, _ = env.reset_batch(KEY, 4, params_of(params, levels))
        np.testing.assert_array_equal(obs["image"], expected["image"])
        read = pool.options()
        for name, value in values.items():
            np.testing.assert_array_equal(read[name], value, name)
        one = {name: value[0] for name, value in values.items()}
        pool.set_options([1, 3], **one)
        mask = np.array([False, True, False, True])
        again, _ = pool.reset(options={"reset_mask": mask, "goal": values["goal"]})
        for row in (1, 3):
            np.testing.assert_array_equal(pool.options()["walls"][row], values["walls"][0])
            np.testing.assert_array_equal(pool.options()["goal"][row], values["goal"][row])
    each = [{name: value[row].tolist() for name, value in values.items()} for row in range(4)]
    made = envpool.make_gymnasium("UEDMaze-v0", num_envs=4, env_options=each)
    with made:
        np.testing.assert_array_equal(made.reset()[0]["image"], obs["image"])


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        (
            {"walls": np.zeros((13, 12), bool)},
            ValueError,
            r"walls: expected an array of shape \(13, 13\), .*, got shape",
        ),
        (
            {"walls": np.zeros((13, 13))},
            TypeError,
            r"walls: expected an array of shape \(13, 13\), each element True or",
        ),
        ({"walls": 1}, TypeError, "walls: expected"),
        ({"walls": None}, TypeError, "walls: expected"),
        ({"walls": [[True], [True, False]]}, (TypeError, ValueError), "walls: expected"),
        ({"start": [1, 13]}, ValueError, r"start: expected .* an int from 0 to 12, got 13 in it"),
        ({"start": [1.0, 2.0]}, TypeError, "start: expected"),
        ({"start": 3}, ValueError, "start: expected"),
        ({"goal": np.ma.array([1, 2])}, TypeError, "goal: expected"),
        ({"agent_view_size": 4}, ValueError, "agent_view_size: expected an odd number, got 4"),
    ],
)
def test_bad_levels(options, error, words):
    with pytest.raises(error, match=words):
        envpool.make_gymnasium("UEDMaze-v0", **options)
    with pytest.raises(error, match=words):
        envpool.jax.make("UEDMaze-v0", **options)
    if "agent_view_size" in options:
        return
    with envpool.make_gymnasium("UEDMaze-v0", num_envs=3) as pool:
        pool.reset()
        before = pool.options()
        for call in (lambda: pool.set_options(**options), lambda: pool.reset(options=options)):
            with pytest.raises(error, match=next(iter(options))):
                call()
        np.testing.assert_equal(pool.options(), before)
    with pytest.raises(error, match=next(iter(options))):
        envpool.jax.make("UEDMaze-v0")[1].replace(**options)


def test_bad_leaves():
    env, params = envpool.jax.make("UEDMaze-v0")
    _, state = env.reset_batch(KEY, 2)
    step = jax.jit(lambda state, params: env.step_batch(None, state, jnp.zeros(2, jnp.int32), params)[2])
    with pytest.raises((RuntimeError, ValueError), match="start: expected numbers from 0 to 12, got 13 in row 1"):
        step(state, jax.jit(lambda x: params.replace(start=x))(jnp.array([[0, 1], [2, 13]]))).block_until_ready()
    with pytest.raises(ValueError, match=r"walls: expected shape \(13, 13\) or \(2, 13, 13\), got \(3, 13, 13\)"):
        step(state, params.replace(walls=np.zeros((3, 13, 13), bool)))
    with pytest.raises(ValueError, match="next_params: expected parameters of Maze, got parameters of CartPole"):
        env.step_batch(None, state, jnp.zeros(2, jnp.int32), next_params=envpool.jax.make("CartPole-v1")[1])
    assert env.params_space.spaces["walls"].shape == (13, 13)
