# SPDX-License-Identifier: Apache-2.0
"""Compares the interface and the dynamics of environments with gymnax 0.0.9.

gymnax computes in float32, and envpool in float64, as gymnasium does. Therefore single steps from equal float32 states
are compared, with a tolerance. Acrobot has a larger tolerance, because its step has four Runge-Kutta stages with speeds
up to 28 rad/s.
"""

from __future__ import annotations

import functools

import numpy as np
import pytest

import envpool

jax = pytest.importorskip("jax")
gymnax = pytest.importorskip("gymnax")
jnp = jax.numpy

TOLERANCE = {"rtol": 2e-5, "atol": 2e-5}
ACROBOT = {"rtol": 2e-4, "atol": 2e-4}
COUNT = 512

# For each id: the parts of our states, the corresponding parts of gymnax's states, and the range to draw each from.
PAIRS = {
    "CartPole-v1": {
        "position": ("x", 2.4),
        "velocity": ("x_dot", 3),
        "angle": ("theta", 0.2),
        "angular_velocity": ("theta_dot", 3),
    },
    "MountainCar-v0": {"position": ("position", (-1.2, 0.5)), "velocity": ("velocity", 0.07)},
    "Acrobot-v1": {
        "angle1": ("joint_angle1", 3),
        "angle2": ("joint_angle2", 3),
        "velocity1": ("velocity_1", 12),
        "velocity2": ("velocity_2", 28),
    },
    "Pendulum-v1": {"angle": ("theta", 3), "angular_velocity": ("theta_dot", 8)},
}


def states(env, params, other, other_params, parts):
    """Returns COUNT equal states of both packages."""
    rng = np.random.default_rng(0)
    keys = jax.random.split(jax.random.key(0), COUNT)
    ours = jax.vmap(env.reset, (0, None))(keys, params)[1]
    theirs = jax.vmap(other.reset, (0, None))(keys, other_params)[1]
    drawn = {}
    for name, (_, bound) in parts.items():
        low, high = bound if isinstance(bound, tuple) else (-bound, bound)
        drawn[name] = rng.uniform(low, high, COUNT).astype(np.float32)
    return ours.replace(**drawn), theirs.replace(**{parts[name][0]: value for name, value in drawn.items()})


@pytest.mark.sampled(one_in=2)
@pytest.mark.parametrize("task_id", PAIRS)
def test_dynamics_from_equal_states(task_id):
    parts = PAIRS[task_id]
    env, params = envpool.jax.make(task_id)
    other, other_params = gymnax.make(task_id)
    mine, theirs = states(env, params, other, other_params, parts)
    keys = jax.random.split(jax.random.key(1), COUNT)
    if task_id == "Pendulum-v1":
        actions = jax.random.uniform(keys[0], (COUNT, 1), minval=-2, maxval=2)
    else:
        actions = jax.random.randint(keys[0], (COUNT,), 0, env.num_actions)
    ours = jax.vmap(env.step_env, (0, 0, 0, None))(keys, mine, actions, params)
    ref = jax.vmap(other.step_env, (0, 0, 0, None))(keys, theirs, actions, other_params)
    tolerance = ACROBOT if task_id == "Acrobot-v1" else TOLERANCE
    np.testing.assert_allclose(ours[0], np.reshape(ref[0], ours[0].shape), **tolerance)
    np.testing.assert_array_equal(ours[3], ref[3])
    assert (task_id != "CartPole-v1") or ours[3].any()
    reward, done = np.reshape(ref[2], COUNT), np.asarray(ref[3])
    if task_id == "CartPole-v1":  # If a drawn state is out of bounds, gymnax treats it as terminal and gives reward 0.
        assert (np.asarray(ours[2]) == 1).all()
    elif task_id == "Acrobot-v1":  # the last step's reward is 0 in both
        np.testing.assert_array_equal(ours[2][~done], reward[~done])
    else:
        np.testing.assert_allclose(ours[2], reward, **TOLERANCE)


@pytest.mark.parametrize("task_id", [*PAIRS, "MountainCarContinuous-v0"])
def test_the_interface_is_that_of_gymnax(task_id):
    """Tests that signatures, shapes, dtypes and spaces are what code written for gymnax expects."""
    (env, params), (other, other_params) = envpool.jax.make(task_id), gymnax.make(task_id)
    assert env.num_actions == other.num_actions
    for name in ("action_space", "observation_space"):
        ours, theirs = getattr(env, name)(params), getattr(other, name)(other_params)
        assert type(ours) is type(theirs) and ours.shape == theirs.shape and ours.dtype == theirs.dtype
        if not hasattr(ours, "low") or np.isfinite(ours.low).all():  # gymnax's Box samples NaN if a bound is infinite.
            assert ours.contains(ours.sample(jax.random.key(0)))

    def rollout(env, params, key):
        key, first = jax.random.split(key)
        obs, state = env.reset(first, params)

        def step(carry, key):
            obs, state = carry
            key, draw = jax.random.split(key)
            action = env.action_space(params).sample(draw)
            obs, state, reward, done, info = env.step(key, state, action, params)
            return (obs, state), (obs, reward, done, info["discount"])

        return jax.lax.scan(step, (obs, state), jax.random.split(key, 7))[1]

    keys = jax.random.split(jax.random.key(0), 3)
    ours = jax.eval_shape(jax.vmap(lambda key: rollout(env, params, key)), keys)
    theirs = jax.eval_shape(jax.vmap(lambda key: rollout(other, other_params, key)), keys)
    assert ours[0].shape == theirs[0].shape
    assert [part.dtype for part in ours] == [part.dtype for part in theirs]


# SimpleBandit is missing, because gymnax's version cannot be stepped.
SHARED = [
    task_id
    for task_id in gymnax.registered_envs
    if task_id in envpool.list_all_envs() and task_id != "SimpleBandit-bsuite"
]
# In gymnax, the arrays of FourRooms and the space of Catch have inconsistent dtypes, and three rewards are not floats.
OTHER_DTYPES = {
    "FourRooms-misc": ("obs", "reward"),
    "BernoulliBandit-misc": ("reward",),
    "UmbrellaChain-bsuite": ("reward",),
    "Catch-bsuite": ("observation_space",),
}
OTHER_DEFAULTS = {"DeepSea-bsuite": ("randomize_actions",)}  # Our default is bsuite's.
TERMINATES_AT_LIMIT = ("DiscountingChain-bsuite",)  # in gymnax 0.0.9, too


@pytest.mark.sampled(one_in=4)
@pytest.mark.parametrize("task_id", SHARED)
def test_every_shared_id_has_gymnax_spaces_and_values(task_id):
    (env, params), (other, other_params) = envpool.jax.make(task_id), gymnax.make(task_id)
    for name in ("action_space", "observation_space"):
        ours, theirs = getattr(env, name)(params), getattr(other, name)(other_params)
        assert type(ours) is type(theirs) and ours.shape == theirs.shape, name
        assert ours.dtype == theirs.dtype or name in OTHER_DTYPES.get(task_id, ()), name
        assert getattr(ours, "n", None) == getattr(theirs, "n", None)
    assert env.num_actions == other.num_actions
    assert params.max_steps_in_episode == other_params.max_steps_in_episode
    shared = [name for name in vars(other_params) if name in params.format.names]
    for name in {*shared} - {*OTHER_DEFAULTS.get(task_id, ())}:
        np.testing.assert_allclose(getattr(params, name), getattr(other_params, name), rtol=1e-6, err_msg=name)
    if task_id.endswith("-misc"):
        assert {*shared, "max_steps_in_episode"} == {*vars(other_params)}

    key = jax.random.key(0)
    action = other.action_space(other_params).sample(key)
    obs, state = jax.eval_shape(env.reset, key, params)
    their_obs, their_state = jax.eval_shape(other.reset, key, other_params)
    values = jax.eval_shape(env.step, key, state, action, params)
    their_values = jax.eval_shape(other.step, key, their_state, action, other_params)
    assert len(values) == len(their_values) == 5 and "discount" in values[4]
    pairs = {
        "first": (obs, their_obs),
        "obs": (values[0], their_values[0]),
        "reward": (values[2], their_values[2]),
        "done": (values[3], their_values[3]),
    }
    for name, (ours, theirs) in pairs.items():
        assert ours.shape == theirs.shape, name
        if name.replace("first", "obs") not in OTHER_DTYPES.get(task_id, ()):
            assert ours.dtype == theirs.dtype, name


@pytest.mark.sampled(one_in=4)
@pytest.mark.parametrize("task_id", SHARED)
def test_six_values_as_gymnax_1_has_them(task_id):
    """Tests the six values obs, state, reward, terminated, truncated and info. `info` contains the step's
    observation."""
    env, params = envpool.jax.make(task_id, step_values=6)
    params = params.replace(max_steps_in_episode=2)
    key = jax.random.key(0)
    _, state = env.reset(key, params)
    action = jnp.zeros_like(env.action_space(params).sample(key))
    for t in range(2):
        assert state.time == t
        before = state
        obs, state, reward, terminated, truncated, info = env.step(key, state, action, params)
        assert reward.dtype == jnp.float32 and terminated.dtype == truncated.dtype == jnp.bool_
        assert (terminated if task_id in TERMINATES_AT_LIMIT else truncated) == (t == 1)
        assert info["truncated"] == truncated and info["terminated"] == terminated
        assert info["discount"] == 1 - terminated
        stepped, after, *_ = env.step_env(key, before, action, params)
        np.testing.assert_array_equal(info["final_observation"], stepped)
        np.testing.assert_array_equal(env.get_obs(after, params), stepped)
        np.testing.assert_array_equal(env.get_obs(state, params), obs)
        assert env.is_terminal(after, params) == (terminated | truncated)
        assert not env.is_terminal(state, params)
        if terminated:
            break


def test_get_obs_in_jitted_code():
    env, params = envpool.jax.make("Pendulum-v1")
    keys = jax.random.split(jax.random.key(0), 6)
    obs, state = jax.vmap(env.reset, (0, None))(keys, params)
    again = jax.jit(jax.vmap(lambda state: env.get_obs(state, params)))(state)
    np.testing.assert_array_equal(again, obs)


class Wrapper:
    """A wrapper as in training code for gymnax: it forwards attributes, and jits methods with a static `self`."""

    def __init__(self, env):
        self._env = env

    def __getattr__(self, name):
        return getattr(self._env, name)


class Flat(Wrapper):
    def observation_space(self, params):
        inner = self._env.observation_space(params)
        assert isinstance(inner, gymnax.environments.spaces.Box)
        return gymnax.environments.spaces.Box(inner.low, inner.high, (int(np.prod(inner.shape)),), inner.dtype)

    @functools.partial(jax.jit, static_argnums=(0,))
    def reset(self, key, params=None):
        obs, state = self._env.reset(key, params)
        return obs.reshape(-1), state

    @functools.partial(jax.jit, static_argnums=(0,))
    def step(self, key, state, action, params=None):
        obs, *rest = self._env.step(key, state, action, params)
        return obs.reshape(-1), *rest


class Logged(Wrapper):
    @functools.partial(jax.jit, static_argnums=(0,))
    def reset(self, key, params=None):
        obs, state = self._env.reset(key, params)
        return obs, (state, 0.0, 0)

    @functools.partial(jax.jit, static_argnums=(0,))
    def step(self, key, state, action, params=None):
        inner, total, length = state
        obs, inner, reward, done, info = self._env.step(key, inner, action, params)
        total, length = total + reward, length + 1
        info["returned_episode_returns"], info["returned_episode_lengths"] = total, length
        return obs, (inner, total * (1 - done), length * (1 - done)), reward, done, info


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize(("task_id", "limit"), [("CartPole-v1", 500), ("FourRooms-misc", 30), ("Catch-v0", 9)])
def test_training_code_of_gymnax_users(task_id, limit):
    """Wraps the environment twice, vmaps it, scans it with a policy, jits the whole, and vmaps it over seeds."""
    options = {} if task_id == "CartPole-v1" else {"max_episode_steps": limit}
    env, params = envpool.jax.make(task_id, **options)
    assert task_id in envpool.jax.registered_envs
    env = Logged(Flat(env))
    size, num_actions = env.observation_space(params).shape[0], env.action_space(params).n

    def train(key):
        key, *parts = jax.random.split(key, 3)
        weights = jax.random.normal(parts[0], (size, num_actions))
        obs, state = jax.vmap(env.reset, in_axes=(0, None))(jax.random.split(parts[1], 8), params)

        def step(carry, _):
            obs, state, key = carry
            key, draw, use = jax.random.split(key, 3)
            action = jax.random.categorical(draw, obs @ weights)
            obs, state, reward, done, info = jax.vmap(env.step, in_axes=(0, 0, 0, None))(
                jax.random.split(use, 8), state, action, params
            )
            return (obs, state, key), (reward, done, info)

        return jax.lax.scan(step, (obs, state, key), None, 60)[1]

    reward, done, info = jax.jit(jax.vmap(train))(jax.random.split(jax.random.key(0), 3))
    assert reward.shape == done.shape == (3, 60, 8)
    assert done.any(axis=(1, 2)).all()
    lengths, returns = info["returned_episode_lengths"], info["returned_episode_returns"]
    np.testing.assert_array_equal(lengths, info["elapsed_step"])
    assert lengths.max() <= limit
    if task_id == "CartPole-v1":
        np.testing.assert_array_equal(returns, lengths)


def test_gymnax_wrappers():
    from gymnax.wrappers import FlattenObservationWrapper, LogWrapper

    env, params = envpool.jax.make("CartPole-v1")
    wrapped = LogWrapper(FlattenObservationWrapper(env))
    keys = jax.random.split(jax.random.key(0), 4)
    obs, state = jax.vmap(wrapped.reset, (0, None))(keys, params)

    def step(state, _):
        obs, state, reward, done, info = jax.vmap(wrapped.step, (0, 0, 0, None))(
            keys, state, jnp.ones(4, jnp.int32), params
        )
        return state, (done, info["returned_episode_lengths"])

    _, (done, lengths) = jax.jit(lambda state: jax.lax.scan(step, state, length=30))(state)
    assert done.any() and lengths.max() in range(7, 13)


def test_spaces_follow_the_parameters():
    env, params = envpool.jax.make("CartPole-v1")
    wide = params.replace(x_threshold=10.0, kinematics_integrator="semi-implicit")
    assert env.observation_space(params).high[0] == np.float32(4.8)
    assert env.observation_space(wide).high[0] == 20
    assert env.observation_space().high[0] == np.float32(4.8)
    with pytest.raises(ValueError, match="x_threshold: expected shape"):
        env.observation_space(params.replace(x_threshold=np.array([1.0, 2.0])))
