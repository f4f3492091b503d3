# SPDX-License-Identifier: Apache-2.0
"""Tests that bad arguments raise exceptions that name the argument, the expected value and the given one."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

import envpool
import tests.environments.registration  # noqa: F401 (registers AllTypes, Crowd and Faulty)

jax = pytest.importorskip("jax")
jnp = jax.numpy

ENV, PARAMS = envpool.jax.make("CartPole-v1")
PENDULUM, PENDULUM_PARAMS = envpool.jax.make("Pendulum-v1")
ALL_TYPES, ALL_TYPES_PARAMS = envpool.jax.make("AllTypes-v0")
ALL_TYPES_STATE = jax.eval_shape(ALL_TYPES.reset, jax.random.PRNGKey(0))[1]
KEY = jax.random.PRNGKey(0)
STATE = ENV.reset(KEY, PARAMS)[1]
SWING = PENDULUM.reset(KEY)[1]
FINITE = np.zeros(2, np.float32)

CALLS = [
    # key
    (lambda: ENV.reset(0), TypeError, "key: expected a key of jax.random .uint32., got int"),
    (lambda: ENV.reset(None), TypeError, "key: .*got NoneType"),
    (lambda: ENV.reset(np.zeros(2, np.int32)), TypeError, "key: .*got int32"),
    (lambda: ENV.reset(np.zeros(3, np.uint32)), ValueError, r"key: .*shape \(2,\), got shape \(3,\)"),
    (lambda: ENV.reset(jax.random.split(KEY, 4)), ValueError, r"key: .*got shape \(4, 2\)"),
    (lambda: ENV.reset(np.zeros(5, np.uint32)), ValueError, r"key: .*two words .or four, .*got shape \(5,\)"),
    (lambda: ENV.step(1.5, STATE, 0), TypeError, "key: .*got float"),
    # params
    (lambda: ENV.reset(KEY, 3), TypeError, "params: expected EnvParams of CartPole, got int"),
    (lambda: ENV.reset(KEY, STATE), TypeError, "params: expected EnvParams of CartPole, got EnvState"),
    (
        lambda: ENV.reset(KEY, PENDULUM_PARAMS),
        ValueError,
        "params: expected parameters of CartPole, got parameters of Pendulum",
    ),
    (
        lambda: ENV.reset(KEY, PARAMS.replace(gravity=[1.0, 2.0])),
        ValueError,
        r"gravity: expected shape \(\), got \(2,\)",
    ),
    (
        lambda: PARAMS.replace(gravitas=1),
        TypeError,
        "params: expected one of max_episode_steps, gravity.*got 'gravitas'",
    ),
    (lambda: PARAMS.replace(gravity="up"), TypeError, "gravity: expected a number, got 'up'"),
    (lambda: PARAMS.replace(masscart=-1), ValueError, "masscart: expected a number from 1e-06 to 1000000, got -1"),
    (lambda: PARAMS.replace(masscart=np.nan), ValueError, "masscart: expected .*got nan"),
    (lambda: PARAMS.replace(max_episode_steps=-1), ValueError, "max_episode_steps: expected .*got -1"),
    (lambda: PARAMS.replace(max_episode_steps=2.5), TypeError, "max_episode_steps: expected .*got 2.5"),
    (lambda: PARAMS.replace(kinematics_integrator="verlet"), ValueError, "kinematics_integrator: expected one of"),
    (
        lambda: ENV.reset_batch(KEY, 2, PARAMS.replace(gravity=[1.0, 2.0], tau=[0.1, 0.1, 0.1])),
        ValueError,
        r"tau: expected shape \(\) or \(2,\), got \(3,\)",
    ),
    (lambda: PARAMS.gravitas, AttributeError, "gravitas: expected one of .*got an unknown name"),
    # state
    (lambda: ENV.step(KEY, SWING, 0), ValueError, "state: expected a state of CartPole, got a state of Pendulum"),
    (lambda: ENV.step(KEY, PARAMS, 0), TypeError, "state: expected an EnvState of CartPole, got EnvParams"),
    (lambda: ENV.step(KEY, np.zeros(4), 0), TypeError, "state: .*got ndarray"),
    (lambda: ENV.step(KEY, ENV.reset_batch(KEY, 2)[1], 0), ValueError, r"state: expected shape \(20,\), got \(2, 20\)"),
    (lambda: ENV.step_batch(KEY, STATE, [0]), ValueError, r"state: expected a batch of shape \(num_envs, 20\)"),
    (
        lambda: STATE.replace(elapsed_step=2**31),
        ValueError,
        "elapsed_step: expected integers from -2147483648 to 21474836",
    ),
    (
        lambda: STATE.replace(time=np.uint32(2**32 - 1)),
        ValueError,
        "elapsed_step: expected integers .*, got 4294967295",
    ),
    (lambda: STATE.replace(height=1), TypeError, "height: expected one of .*got an unknown name"),
    (lambda: STATE.replace(position=np.zeros(3)), ValueError, r"position: expected shape \(\), got \(3,\)"),
    (
        lambda: ENV.reset_batch(KEY, 2)[1].replace(position=np.zeros(3)),
        ValueError,
        r"position: expected shape \(\) or \(2,\), got \(3,\)",
    ),
    (lambda: STATE.replace(position="left"), TypeError, "position: expected float64, got <U4"),
    (lambda: STATE.replace(elapsed_step=0.5), TypeError, "elapsed_step: expected int32, got float64"),
    # action
    (lambda: ENV.step(KEY, STATE, 2), ValueError, "action: expected an integer in 0..1, got (2|another)"),
    (lambda: ENV.step(KEY, STATE, -1), ValueError, "action: expected an integer in 0..1, got -1"),
    (lambda: ENV.step(KEY, STATE, 2**40), ValueError, "action: expected an integer in 0..1, got 1099511627776"),
    (lambda: ENV.step(KEY, STATE, 0.5), TypeError, "action: expected integers .int32., got float64"),
    (lambda: ENV.step(KEY, STATE, None), TypeError, "action: expected integers .int32., got None"),
    (lambda: ENV.step(KEY, STATE, [0]), ValueError, r"action: expected shape \(\), got \(1,\)"),
    (
        lambda: ENV.step_batch(KEY, ENV.reset_batch(KEY, 2)[1], 0),
        ValueError,
        r"action: expected shape \(2,\), one row per environment, got \(\)",
    ),
    (lambda: PENDULUM.step(KEY, SWING, 0.5), ValueError, r"action: expected shape \(1,\), got \(\)"),
    (lambda: PENDULUM.step(KEY, SWING, [np.nan]), ValueError, "action: expected finite numbers, got nan in row 0"),
    (lambda: PENDULUM.step(KEY, SWING, [True]), TypeError, "action: expected floats .float32., got bool"),
    (
        lambda: ALL_TYPES.step(KEY, ALL_TYPES_STATE, 0),
        TypeError,
        "action: expected a dict with keys move, turn, got int",
    ),
    (
        lambda: ALL_TYPES.step(KEY, ALL_TYPES_STATE, {"move": 0}),
        ValueError,
        "action: expected keys move, turn, got no key turn",
    ),
    # make
    (
        lambda: envpool.jax.make("CartPole-v7"),
        ValueError,
        "task_id: expected a registered id, got 'CartPole-v7'; did you mean 'CartPole-v",
    ),
    (lambda: envpool.jax.make("CartPole-v1", num_envs=3), TypeError, "num_envs: .*got an option of pools"),
    (lambda: envpool.jax.make("CartPole-v1", seed=3), TypeError, "seed: .*got an option of pools"),
    (lambda: envpool.jax.make("FrozenLake-v1", size=10**30), ValueError, "size: expected an int, got 1000000000"),
    (lambda: envpool.jax.make("CartPole-v1", gravitas=3), TypeError, "unknown option 'gravitas'"),
    (lambda: envpool.jax.make("CartPole-v1", step_values=4), ValueError, "step_values: expected 5 or 6, got 4"),
    (lambda: envpool.jax.make("Faulty-v0"), ValueError, "Faulty-v0. task_id: expected a portable .*; env.xla()"),
    (lambda: ENV.reset_batch(KEY, 0), ValueError, "num_envs: expected an int from 1 to .*, got 0"),
    (lambda: ENV.reset_batch(KEY, True), ValueError, "num_envs: expected an int from 1 to .*, got True"),  # noqa: FBT003
    (lambda: jax.jit(ENV.reset_batch)(KEY, 3), ValueError, "num_envs: expected an int from 1 to .*, got"),
    (lambda: ENV.reset_batch(KEY, 2.0), ValueError, "num_envs: expected an int from 1 to .*, got 2.0"),
]


@pytest.mark.parametrize("call,error,text", CALLS, ids=range(len(CALLS)))
def test_errors_before_execution(call, error, text):
    with pytest.raises(error, match=text):
        call()
    assert ENV.step(KEY, STATE, 0)[2] == 1


def test_a_number_of_environments_of_numpy():
    assert ENV.reset_batch(KEY, np.int64(3))[0].shape == (3, 4)


def test_traced_actions_of_any_integer_dtype():
    step = jax.jit(lambda action: ENV.step(KEY, STATE, action)[1].raw)
    for dtype in (jnp.int8, jnp.uint8, jnp.int32, jnp.uint32):
        for action in (0, 1):
            np.testing.assert_array_equal(step(dtype(action)), ENV.step(KEY, STATE, action)[1].raw)
    swing = jax.jit(lambda action: PENDULUM.step(KEY, SWING, action)[1].raw)
    for dtype in (jnp.int8, jnp.int32, jnp.uint32, jnp.bfloat16):
        np.testing.assert_array_equal(swing(jnp.ones(1, dtype)), PENDULUM.step(KEY, SWING, np.float32([1]))[1].raw)


def garbage(row):
    return jax.tree.map(lambda raw: raw * 3, row)


RUNS = [
    (
        lambda x: ENV.step(KEY, STATE, x.astype(int))[0],
        7.0,
        "action: expected an integer in 0..1, got (7|another) in row 0",
    ),
    (
        lambda x: ENV.step(KEY, STATE, x.astype(jnp.uint32) + jnp.uint32(2**32 - 2))[0],
        1.0,
        "action: expected an integer in 0..1, got (2147483647|another) in row 0",
    ),
    (
        lambda x: jax.vmap(lambda a: ENV.step(KEY, STATE, a)[0])(jnp.array([0, 1, 5, 1]) + x.astype(int)),
        0.0,
        "action: expected an integer in 0..1, got (5|another) in row 2",
    ),
    (
        lambda x: PENDULUM.step(KEY, SWING, x[None] / 0)[0],
        1.0,
        "action: expected finite numbers, got (inf|another) in row 0",
    ),
    (
        lambda x: ENV.reset(KEY, PARAMS.replace(masscart=x))[0],
        -1.0,
        "masscart: expected a number from .*, got (-1|another)",
    ),
    (
        lambda x: ENV.reset(KEY, PARAMS.replace(masscart=x / 0))[0],
        0.0,
        "masscart: expected a number from .*, got (nan|another)",
    ),
    (lambda x: ENV.step(KEY, garbage(STATE), 0)[0] + x, 0.0, "state: expected rows of CartPole"),
]


@pytest.mark.parametrize("call,value,text", RUNS, ids=range(len(RUNS)))
def test_errors_inside_jit(call, value, text):
    # RuntimeError is the base class of XLA's exception, whose name depends on the release of JAX.
    with pytest.raises(RuntimeError, match=text):
        jax.block_until_ready(jax.jit(call)(jnp.float32(value)))
    assert ENV.step(KEY, STATE, 0)[2] == 1


def test_errors_inside_a_scan():
    def step(state, action):
        return ENV.step(None, state, action)[1], None

    with pytest.raises(RuntimeError, match="action: expected an integer in 0..1, got (2|another)"):
        jax.block_until_ready(jax.jit(lambda: jax.lax.scan(step, STATE, jnp.arange(9)))()[0].raw)


def test_dtypes_are_checked_while_tracing():
    with pytest.raises(TypeError, match="action: expected integers .int32., got float32"):
        jax.jit(lambda a: ENV.step(KEY, STATE, a))(jnp.float32(1))
    with pytest.raises(TypeError, match="max_episode_steps: expected an int"):
        jax.jit(lambda n: PARAMS.replace(max_episode_steps=n))(jnp.float32(3))


def test_import_envpool_does_not_import_jax():
    code = "import sys, envpool; envpool.make('CartPole-v1'); sys.exit('jax' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, env=os.environ)


def test_the_error_without_jax_says_what_to_install():
    code = "import sys; sys.modules['jax'] = None\nimport envpool\nenvpool.jax.make"
    done = subprocess.run([sys.executable, "-c", code], env=os.environ, capture_output=True, text=True, check=False)
    assert (
        "MissingPackageError: [envpool] envpool.jax needs JAX, which is not installed: pip install 'jax>="
        in done.stderr
    )
