# SPDX-License-Identifier: Apache-2.0
"""Tests the parameters of environments inside and outside of jit: their leaves, their values and their bounds."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import os
import pickle
import random
import re

import gymnasium
import numpy as np
import pytest

import envpool
from envpool.python.common_options import COMMON_OPTIONS, MIXED_OPTIONS, RESERVED_OPTIONS
from envpool.python.pool_options import PoolOptions
from envpool.python.registry import find
from tests.support import option_values
from tests.support.mutate_states import Progress, try_params
from tests.support.samples import DAY, WHOLE

jax = pytest.importorskip("jax")
jnp = jax.numpy

from envpool.jax import gymnax1  # noqa: E402

ERRORS = (RuntimeError, ValueError)  # Inside jit, the error is a RuntimeError.
KEY = jax.random.PRNGKey(3)
ENV, PARAMS = envpool.jax.make("CartPole-v1")
ROWS = 6


def ids():
    """Returns an id of each table, or a few of them."""
    portable = option_values.portable()
    if WHOLE:
        return portable
    families = {find(i).family: [j for j in portable if find(j).family == find(i).family] for i in portable}
    return [random.Random(f"{DAY} {family}").choice(some) for family, some in families.items()]


def rounded(value):
    """Returns a value with the numbers that a float32 leaf holds."""
    if isinstance(value, list):
        return [rounded(element) for element in value]
    return float(np.float32(value)) if isinstance(value, float) else value


def draw(task_id, rows):
    """Returns combinations of option values that make() accepts."""
    draws, chosen = random.Random(f"{DAY} {task_id}"), []
    options = [o for o in option_values.tunable(task_id) if o.tunable]
    for _ in range(200):
        some = [o for o in options if draws.random() < 0.7]
        values = {o.name: rounded(option_values.random_value(o, draws)) for o in some}
        try:
            envpool.make_spec(task_id, **values)
        except ValueError:
            continue
        chosen.append(values)
        if len(chosen) == rows:
            return chosen
    raise AssertionError(f"{task_id}: no allowed combinations were found")


def columns(env, rows):
    """Returns the values of all rows as arrays, with the values of make() where a row has none."""
    options = env.default_params.format.options
    made = {name: env._made[name] for name in options}
    names = sorted({name for row in rows for name in row})
    return {name: [row.get(name, made[name]) for row in rows] for name in names}


@pytest.mark.parametrize("task_id", ids())
def test_arrays_of_values_equal_a_pool_whose_environments_have_these_options(task_id):
    env, params = envpool.jax.make(task_id)
    each = draw(task_id, ROWS)
    params = params.replace(**columns(env, each))
    obs, state = env.reset_batch(KEY, ROWS, params)
    spec = envpool.make_spec(task_id)
    worlds = env.num_actors > 1
    step = jax.jit(lambda state, action, params: env.step_batch(None, state, action, params))
    with envpool.make(
        task_id, num_envs=ROWS, num_threads=1, seed=3, autoreset_mode="same_step", env_options=each
    ) as pool:
        result = pool.reset()
        same(obs, result[0], env, result)
        for t in range(30):
            rows = ROWS * env.num_actors
            actions = option_values.actions_of(spec.action_space, rows, random.Random(t))
            if actions.dtype == np.float64:
                actions = actions.astype(np.float32).astype(np.float64)  # JAX has no 64-bit arrays here
            shaped = actions.reshape(ROWS, env.num_actors, *actions.shape[1:]) if worlds else actions
            obs, state, reward, _, info = step(state, shaped, params)
            owners = result[-1]["players"]["env_id"] if worlds else None
            result = pool.step({"action": actions, "players.env_id": owners} if worlds else actions)
            same(obs, result[0], env, result)
            same(reward, result[1], env, result)
            same(info["terminated"], result[2], env, result)
            same(info["truncated"], result[3], env, result)


def same(ours, theirs, env, result):
    if isinstance(theirs, dict):
        for name in theirs:
            same(ours[name], theirs[name], env, result)
        return
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    if env.num_players > 1 and len(theirs) == ROWS * env.num_players:
        theirs = theirs.reshape(ROWS, env.num_players, *theirs.shape[1:])
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(ours, theirs.astype(ours.dtype))


@pytest.mark.parametrize("task_id", ids())
def test_next_params_are_those_of_the_episodes_that_begin(task_id):
    env, params = envpool.jax.make(task_id, max_episode_steps=1)  # every step ends an episode
    each = draw(task_id, 2 * ROWS)
    now, then = (params.replace(**columns(env, rows)) for rows in (each[:ROWS], each[ROWS:]))
    space = envpool.make_spec(task_id).action_space
    actions = option_values.actions_of(space, ROWS * env.num_actors, random.Random(5))
    actions = actions.reshape(ROWS, env.num_actors, *actions.shape[1:]) if env.num_actors > 1 else actions
    if actions.dtype == np.float64:
        actions = actions.astype(np.float32)
    step = jax.jit(lambda state, now, then: env.step_batch(None, state, actions, now, next_params=then))
    _, state = env.reset_batch(KEY, ROWS, now)
    both, old, new, default = (step(state, *given) for given in ((now, then), (now, now), (then, then), (now, params)))
    assert both[3].all()
    jax.tree.map(np.testing.assert_array_equal, both[2:], old[2:])  # what belongs to the step
    for mine, theirs, of in ((both, new, then), (default, step(state, params, params), params)):
        # What belongs to the next episode. States may also remember images of the last one.
        jax.tree.map(np.testing.assert_array_equal, mine[0], theirs[0])
        following = [step(after[1], of, of) for after in (mine, theirs)]
        for after in following:
            after[4].pop("frame_number", None)  # of Atari: counts the frames of all episodes
            after[4].pop("total_regret", None)  # of SimpleBandit: the sum over all episodes
        jax.tree.map(np.testing.assert_array_equal, following[0][2:], following[1][2:])


def test_bad_next_params():
    state = ENV.reset_batch(KEY, 2)[1]
    actions = jnp.zeros(2, jnp.int32)
    with pytest.raises(TypeError, match=r"\[CartPole-v1\] next_params: expected EnvParams of CartPole, got dict"):
        ENV.step_batch(None, state, actions, next_params={})
    with pytest.raises(ValueError, match=r"\[CartPole-v1\] length: expected shape \(\) or \(2,\), got \(3,\)"):
        ENV.step_batch(None, state, actions, next_params=PARAMS.replace(length=[0.5, 0.5, 0.6]))
    bad = jax.jit(lambda value: PARAMS.replace(length=value))(jnp.array([0.5, np.nan]))
    step = jax.jit(lambda state, bad: ENV.step_batch(None, state, actions, next_params=bad)[3])
    assert not step(state, bad).any()  # values are checked when an episode begins with them
    with pytest.raises(ERRORS, match="length: expected a number from 1e-06 to 1000000, got (nan|another) in row 1"):
        last = state.replace(elapsed_step=ENV.default_params.max_episode_steps - 1)
        jax.block_until_ready(step(last, bad))
        jax.block_until_ready(step(last, PARAMS))  # on a GPU, the next call raises the error


@pytest.mark.parametrize("task_id", ids())
def test_parameters_change_neither_arrays_nor_states(task_id):
    env = envpool.jax.make(task_id)[0]
    for values in draw(task_id, 4):
        other = envpool.jax.make(task_id, **values)[0]
        assert other._state_format == env._state_format, values
        assert [f.shape for f in other._arrays.observations] == [f.shape for f in env._arrays.observations]


@pytest.mark.parametrize("task_id", ids())
def test_any_bits_of_a_leaf_are_an_error_or_a_safe_step(task_id):
    found = try_params(task_id, random.Random(f"{DAY} {task_id}"), WHOLE, Progress(None))
    assert found["refused"] and found["accepted"], found


def test_leaves_are_named_and_typed():
    assert PARAMS.format.names[:3] == ("max_episode_steps", "gravity", "masscart")
    dtypes = {name: leaf.dtype for name, leaf in PARAMS.items()}
    assert dtypes["max_episode_steps"] == np.int32 and dtypes["kinematics_integrator"] == np.int32
    assert dtypes["gravity"] == np.float32 and dtypes["sutton_barto_reward"] == np.bool_
    assert PARAMS.gravity == np.float32(9.8) and PARAMS.max_episode_steps == 500
    assert len(jax.tree.leaves(PARAMS)) == len(PARAMS.format.names)
    paths = [jax.tree_util.keystr(path) for path, _ in jax.tree_util.tree_leaves_with_path(PARAMS)]
    assert paths[1] == ".gravity"
    doubled = jax.tree.map(lambda leaf: jnp.stack([leaf, leaf]), PARAMS)
    assert doubled.gravity.shape == (2,)
    scale = env_step(PARAMS.replace(gravity=19.6))
    assert np.array_equal(scale, env_step(PARAMS.replace(gravity=PARAMS.gravity * 2)))


def env_step(params, rows=4):
    obs, state = ENV.reset_batch(KEY, rows, params)
    results = [obs]
    for _ in range(10):
        obs, state, *_ = ENV.step_batch(None, state, jnp.ones(rows, jnp.int32), params)
        results.append(obs)
    return np.stack(results)


def test_every_way_to_pass_values_gives_the_same_bits():
    values = np.linspace(5, 15, 4).astype(np.float32)
    expected = env_step(PARAMS.replace(gravity=values))
    obs, state = ENV.reset_batch(KEY, 4)
    step = jax.vmap(lambda s, g: ENV.step(None, s, 1, PARAMS.replace(gravity=g)))
    mapped = [obs]
    for _ in range(10):
        obs, state, *_ = step(state, jnp.asarray(values))
        mapped.append(obs)
    assert np.array_equal(np.stack(mapped), expected)
    params = PARAMS.replace(gravity=values)
    obs, state = ENV.reset_batch(KEY, 4)
    step = jax.jit(jax.vmap(ENV.step, in_axes=(None, 0, None, params.axes())))
    mapped = [obs]
    for _ in range(10):
        obs, state, *_ = step(None, state, 1, params)
        mapped.append(obs)
    assert np.array_equal(np.stack(mapped), expected)

    @jax.jit
    def scanned(gravity):
        def body(state, _):
            obs, state, *_ = ENV.step_batch(None, state, jnp.ones(4, jnp.int32), PARAMS.replace(gravity=gravity))
            return state, obs

        obs, state = ENV.reset_batch(KEY, 4)
        return jnp.concatenate([obs[None], jax.lax.scan(body, state, length=10)[1]])

    assert np.array_equal(scanned(values), expected)
    lists = [env_step(PARAMS.replace(gravity=float(value)))[:, i] for i, value in enumerate(values)]
    assert np.array_equal(np.stack(lists, 1), expected)


def test_a_grid_of_two_options():
    """Two nested vmaps, in which one option varies along each axis."""
    state = ENV.reset(KEY)[1]

    def one(gravity, length):
        return ENV.step(None, state, 1, PARAMS.replace(gravity=gravity, length=length))[0]

    gravity, length = jnp.linspace(5.0, 15, 3), jnp.linspace(0.3, 0.8, 5)
    grid = jax.jit(jax.vmap(jax.vmap(one, (None, 0)), (0, None)))(gravity, length)
    assert grid.shape == (3, 5, 4)
    for i in range(3):
        for j in range(5):
            assert np.array_equal(grid[i, j], one(float(gravity[i]), float(length[j])))


def test_an_unchanged_value_is_that_of_make_with_all_digits():
    """9.8 is not a float32, but a leaf that was not changed stands for it."""
    with envpool.make("CartPole-v1", num_envs=4, num_threads=1, seed=3) as pool:
        expected = [pool.reset()[0]] + [pool.step(np.ones(4, np.int32))[0] for _ in range(9)]
    traced = jax.jit(lambda p: ENV.step_batch(None, ENV.reset_batch(KEY, 4, p)[1], jnp.ones(4, jnp.int32), p)[0])
    assert np.array_equal(traced(PARAMS), expected[1])  # all leaves are operands
    assert np.array_equal(env_step(PARAMS)[:9], expected[:9])
    changed, pool_value = np.float32(9.7), float(np.float32(9.7))
    with envpool.make("CartPole-v1", num_envs=4, num_threads=1, seed=3, gravity=pool_value) as pool:
        pool.reset()
        assert np.array_equal(traced(PARAMS.replace(gravity=changed)), pool.step(np.ones(4, np.int32))[0])


def test_a_bound_is_allowed_although_its_float32_is_beyond_it():
    assert float(np.float32(1e-6)) < 1e-6
    env_step(PARAMS.replace(tau=1e-6))
    env_step(PARAMS.replace(tau=jnp.full(4, 1e-6)))
    got = r"(9.9\d*e-07|another)"  # a GPU does not say which
    with pytest.raises(ERRORS, match=rf"\[CartPole-v1\] tau: expected a number from 1e-06 to 1, got {got} in row 2"):
        jax.block_until_ready(jax.jit(env_first)(jnp.array([1e-6, 1, np.nextafter(np.float32(1e-6), 0), 1])))


def env_first(tau):
    return ENV.reset_batch(KEY, 4, PARAMS.replace(tau=tau))[0]


@pytest.mark.parametrize(
    "options,error,text",
    [
        ({"gravity": "9"}, TypeError, r"\[CartPole-v1\] gravity: expected a number, got '9'"),
        ({"length": 0.0}, ValueError, r"\[CartPole-v1\] length: expected a number from 1e-06 to 1000000, got 0.0"),
        ({"length": [1.0, -2.0]}, ValueError, r"length: expected a number from 1e-06 to 1000000, got -2.0"),
        ({"length": np.nan}, ValueError, "length: expected a number"),
        ({"gravity": None}, TypeError, "gravity: expected a number, got None"),
        ({"gravity": True}, TypeError, "gravity: expected a number, got True"),
        ({"gravity": [True]}, TypeError, "gravity: expected a number, got True"),
        ({"sutton_barto_reward": 2.5}, TypeError, "sutton_barto_reward: expected True or False, got 2.5"),
        ({"max_episode_steps": 1.5}, TypeError, "max_episode_steps: expected an int"),
        ({"max_episode_steps": -1}, ValueError, "max_episode_steps: expected an int from 0"),
        (
            {"length": np.ma.masked_array([0.3, 0.4], [True, False])},
            TypeError,
            r"^\[CartPole-v1\] length: expected an array without a mask, got ",
        ),
        (
            {"kinematics_integrator": "rk4"},
            ValueError,
            "kinematics_integrator: expected one of 'euler', 'semi-implicit'",
        ),
        (
            {"kinematics_integrator": 2},
            ValueError,
            "kinematics_integrator: expected one of .* or an index from 0 to 1, got 2",
        ),
        (
            {"unknown": 1},
            TypeError,
            r"\[CartPole-v1\] params: expected one of max_episode_steps, gravity, .* got 'unknown'",
        ),
    ],
)
def test_replace_refuses(options, error, text):
    with pytest.raises(error, match=text):
        PARAMS.replace(**options)


def test_integers_that_a_leaf_cannot_hold():
    """A leaf at the end of its dtype stands for the integer beyond it that `make` got; no other can be beyond it."""
    params = envpool.jax.make("DeepSea-bsuite")[1]
    for seed in (2**31, 2**53, np.uint32(2**31), [0, 2**40]):
        beyond = (
            r"^\[DeepSea-bsuite\] mapping_seed: expected an int from .* to 2147483647 without jax_enable_x64, got \d+$"
        )
        with pytest.raises(ValueError, match=beyond):
            params.replace(mapping_seed=seed)
    assert params.replace(mapping_seed=2**31 - 1).mapping_seed == 2**31 - 1
    for seed in (2**31, 2**40):
        env, params = envpool.jax.make("DeepSea-bsuite", mapping_seed=seed)
        assert params.mapping_seed == 2**31 - 1
        action = jnp.zeros(16, jnp.int32)
        traced = jax.jit(lambda p, env=env, a=action: env.step_batch(None, env.reset_batch(KEY, 16, p)[1], a, p)[0])
        with envpool.make("DeepSea-bsuite", num_envs=16, num_threads=1, seed=3, mapping_seed=seed) as pool:
            pool.reset()
            np.testing.assert_array_equal(traced(params), pool.step(np.zeros(16, np.int32))[0])


def test_options_that_change_shapes_are_arguments_of_make():
    params = envpool.jax.make("Catch-v0")[1]
    with pytest.raises(
        TypeError, match=r"height'?, which is an argument of make: envpool.jax.make\('Catch-v0', height=...\)"
    ):
        params.replace(height=4)


TRACED = [
    ("length", jnp.array([1.0, 2, -1, 1]), "length: expected a number from 1e-06 to 1000000, got -1 in row 2"),
    ("length", jnp.array([1.0, jnp.nan, -1, 1]), "length: expected a number from 1e-06 to 1000000, got nan in row 1"),
    (
        "max_episode_steps",
        jnp.array([1, 1, 1, -5]),
        "max_episode_steps: expected a number from 0 to 2147483647, got -5 in row 3",
    ),
    (
        "max_episode_steps",
        jnp.array([1, 4_000_000_000, 1, 1], jnp.uint32),
        "max_episode_steps: expected a number from 0 to 2147483647, got -2147483648 in row 1",
    ),
    (
        "kinematics_integrator",
        jnp.array([1, 1, 4_000_000_000, 0], jnp.uint32),
        "kinematics_integrator: expected an integer from 0 to 1, got 2147483647 in row 2",
    ),
    (
        "kinematics_integrator",
        jnp.array([0, 2, 1, 1]),
        "kinematics_integrator: expected an integer from 0 to 1, got 2 in row 1",
    ),
]


@pytest.mark.parametrize("name,values,text", TRACED)
def test_traced_values_are_checked_as_actions_are(name, values, text):
    if os.environ.get("ENVPOOL_STANDIN_XLA"):  # a kernel does not report the value
        text = re.sub(r"got \S+ in", "got another in", text)
    run = jax.jit(lambda values: ENV.reset_batch(KEY, 4, PARAMS.replace(**{name: values}))[0])
    with pytest.raises(ERRORS, match=rf"\[CartPole-v1\] {text}"):
        jax.block_until_ready(run(values))
    state = ENV.reset_batch(KEY, 4)[1]
    step = jax.jit(lambda v: ENV.step_batch(None, state, jnp.ones(4, jnp.int32), PARAMS.replace(**{name: v}))[0])
    with pytest.raises(ERRORS, match=rf"\[CartPole-v1\] {text}"):
        jax.block_until_ready(step(values))


@pytest.mark.parametrize(
    "leaf,error,text",
    [
        (np.zeros(3, np.float32), ValueError, r"gravity: expected shape \(\) or \(4,\), got \(3,\)"),
        (np.zeros((4, 1), np.float32), ValueError, r"gravity: expected shape \(\) or \(4,\), got \(4, 1\)"),
        (np.zeros((), bool), TypeError, "gravity: expected a number, got bool"),
        ("9.8", TypeError, "gravity: expected a number, got str"),
        (object(), TypeError, "gravity: expected a number, got object"),
        (np.array(1j), TypeError, "gravity: expected a number, got complex"),
    ],
)
def test_leaves_of_trees_are_checked_by_the_call(leaf, error, text):
    params = jax.tree.map(lambda x: leaf if x is PARAMS.gravity else x, PARAMS)
    with pytest.raises(error, match=rf"\[CartPole-v1\] {text}"):
        ENV.reset_batch(KEY, 4, params)


def test_batches_need_vmap_or_a_batched_call():
    with pytest.raises(ValueError, match=r"gravity: expected shape \(\), got \(4,\); use jax.vmap or step_batch"):
        ENV.reset(KEY, PARAMS.replace(gravity=[1, 2, 3, 4]))


def test_parameters_of_another_environment_are_refused():
    other = envpool.jax.make("Pendulum-v1")[1]
    with pytest.raises(
        ValueError, match=r"\[CartPole-v1\] params: expected parameters of CartPole, got parameters of Pendulum"
    ):
        ENV.reset(KEY, other)
    with pytest.raises(TypeError, match="params: expected EnvParams of CartPole, got dict"):
        ENV.reset(KEY, {"gravity": 1})
    with pytest.raises(TypeError, match="other: expected EnvParams of CartPole, got int"):
        PARAMS.where(jnp.ones(4, bool), 3)


def test_unknown_names_and_assignments_are_refused():
    with pytest.raises(
        AttributeError, match=r"\[CartPole-v1\] mass: expected one of max_episode_steps, .* got an unknown name"
    ):
        _ = PARAMS.mass
    with pytest.raises(AttributeError, match=r"gravity: expected replace\(gravity=...\), which returns a changed copy"):
        PARAMS.gravity = 3


def test_parameters_of_an_environment_with_other_options():
    other = dataclasses.replace(PARAMS.format, names=("max_episode_steps", "wind", *PARAMS.format.names[2:]))
    with pytest.raises(
        ValueError,
        match=rf"^\[CartPole-v1\] params: expected parameters of CartPole with the option {PARAMS.format.names[1]} and "
        r"without wind, got parameters of another CartPole$",
    ):
        ENV.reset(KEY, type(PARAMS)(other, [leaf for _, leaf in PARAMS.items()]))


def test_where_and_axes():
    grid = PARAMS.replace(gravity=[5, 6, 7, 8], length=0.7)
    done = jnp.array([True, False, True, False])
    mixed = PARAMS.where(done, grid)
    np.testing.assert_array_equal(mixed.gravity, np.float32([9.8, 6, 9.8, 8]))
    np.testing.assert_array_equal(mixed.length, np.float32([0.5, 0.7, 0.5, 0.7]))
    assert mixed.masscart is PARAMS.masscart
    for bad in (jnp.ones(3, bool), jnp.ones((4, 2), bool), done[:, None]):
        shape = re.escape(str(bad.shape))
        text = (
            rf"\[CartPole-v1\] condition: expected a bool, or one for each of the values of gravity, got shape {shape}"
        )
        with pytest.raises(ValueError, match=text):
            PARAMS.where(bad, grid)
        with pytest.raises(ValueError, match=text):
            jax.jit(PARAMS.where)(bad, grid)
    for bad in ([True] * 4, None, "all"):
        with pytest.raises(TypeError, match=r"^\[CartPole-v1\] condition: expected a bool, or an array of bools, got "):
            PARAMS.where(bad, grid)
    for bad in (jnp.array([0.5, -1.0, 2.0, 0.0]), np.ones(4, np.int32)):
        text = rf"^\[CartPole-v1\] condition: expected a bool, or an array of bools, got an array of {bad.dtype}"
        with pytest.raises(TypeError, match=text):
            PARAMS.where(bad, grid)
        with pytest.raises(TypeError, match=text):
            jax.jit(PARAMS.where)(bad, grid)
    with pytest.raises(
        ValueError, match=r"other: expected as many values of gravity as here, shape \(3,\), got \(4,\)$"
    ):
        PARAMS.replace(gravity=[1, 2, 3]).where(True, grid)  # noqa: FBT003
    axes = dict(grid.axes().items())
    assert axes.pop("gravity") == 0 and set(axes.values()) == {None}
    assert grid.axes(length=1).length == 1
    with pytest.raises(TypeError, match="expected one of"):
        grid.axes(unknown=0)


def test_copies_and_pickles_work_in_every_process():
    grid = PARAMS.replace(gravity=[5.0, 6, 7, 8])
    for again in (copy.copy(grid), copy.deepcopy(grid), pickle.loads(pickle.dumps(grid))):
        assert np.array_equal(env_step(again), env_step(grid))
    fresh = envpool.jax.make("CartPole-v1")[0]
    assert np.array_equal(fresh.reset_batch(KEY, 4, grid)[0], ENV.reset_batch(KEY, 4, grid)[0])


def test_the_space_has_the_bounds_of_the_options():
    space = ENV.params_space
    assert set(space.spaces) == set(PARAMS.format.names)
    assert bool(space.contains(PARAMS))
    assert space.spaces["kinematics_integrator"].n == 2
    assert space.spaces["length"].low == np.float32(1e-6)


def test_default_parameters_are_not_operands():
    """So programs that use them stay as they were."""
    assert ENV._params(None) == ((), [])
    assert ENV._params(PARAMS) == ((), [])
    assert ENV._params(pickle.loads(pickle.dumps(PARAMS))) == ((), [])
    assert ENV._params(PARAMS.replace(length=0.6))[0] == (PARAMS.format.number("length"),)
    assert ENV._params(PARAMS.replace(length=0.5)) == ((), [])


def test_64_bit_leaves():
    enable_x64 = jax.enable_x64 if hasattr(jax, "enable_x64") else jax.experimental.enable_x64
    with enable_x64(True):  # noqa: FBT003
        params = ENV.default_params
        assert params.gravity.dtype == np.float64 and params.gravity == 9.8
        run = jax.jit(lambda p: ENV.step_batch(None, ENV.reset_batch(KEY, 4, p)[1], jnp.ones(4, jnp.int32), p)[0])
        obs = run(params.replace(gravity=9.7))
    with envpool.make("CartPole-v1", num_envs=4, num_threads=1, seed=3, gravity=9.7) as pool:
        pool.reset()
        assert np.array_equal(obs, pool.step(np.ones(4, np.int32))[0])


def test_spaces_depend_on_the_parameters():
    wide = ENV.observation_space(PARAMS.replace(x_threshold=10.0))
    assert wide.high[0] == np.float32(20) and ENV.observation_space(PARAMS).high[0] == np.float32(4.8)
    with pytest.raises(ValueError, match="x_threshold: expected"):
        ENV.observation_space(PARAMS.replace(x_threshold=[1.0, 2.0]))


def test_options_cannot_have_names_that_calls_use():
    """Each argument beside options, and each attribute of the parameters, is a name that no option can have."""
    calls = [getattr(envpool, name) for name in envpool.__all__ if name.startswith("make")]
    calls += [
        gymnasium.make,
        gymnasium.make_vec,
        envpool.jax.make,
        gymnax1.make,
        PoolOptions.set_options,
        type(PARAMS).replace,
        type(PARAMS).axes,
    ]
    parameters = [each for call in calls for each in inspect.signature(call).parameters.values()]
    used = {each.name for each in parameters if each.kind is not each.VAR_KEYWORD}
    used |= {name for name in dir(type(PARAMS)) if not name.startswith("_")} | {*MIXED_OPTIONS}
    assert used <= {*RESERVED_OPTIONS, *COMMON_OPTIONS}
