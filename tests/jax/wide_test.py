# SPDX-License-Identifier: Apache-2.0
"""Tests that 64-bit actions and arrays have the bits of a pool on the CPU, with and without JAX's 64-bit arrays.

`make test-jax-device` runs the same tests with the handlers for GPUs.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import envpool

jax = pytest.importorskip("jax")
jnp = jax.numpy

SOURCE = os.environ.get("ENVPOOL_SOURCE_DIR")
ON_GPU = bool(os.environ.get("ENVPOOL_STANDIN_XLA"))
NUM_ENVS, STEPS = 6, 40

pytestmark = [
    pytest.mark.skipif(SOURCE is None, reason="needs the sources: ENVPOOL_SOURCE_DIR"),
    pytest.mark.filterwarnings("ignore:.*is a stand-in"),
]


@pytest.fixture(scope="module", autouse=True)
def wide() -> None:
    envpool.compile(Path(str(SOURCE), "tests", "environments", "wide.h"), "Wide-v0")


def actions() -> dict[str, np.ndarray]:
    """Returns actions that 32 bits can hold. Some are subnormal."""
    rng = np.random.default_rng(5)
    push = (rng.normal(size=(STEPS, NUM_ENVS, 2)) * 10.0 ** rng.integers(-44, 4, (STEPS, NUM_ENVS, 2))).astype("f4")
    return {"push": push.astype("f8"), "add": rng.integers(-(2**31), 2**31, (STEPS, NUM_ENVS))}


def narrow(array):
    """Converts an array to the dtype that JAX gives it."""
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray(array).astype(jax.dtypes.canonicalize_dtype(np.asarray(array).dtype))


def assert_same(ours, theirs) -> None:
    expected = narrow(theirs)
    assert np.asarray(ours).dtype == expected.dtype
    np.testing.assert_array_equal(np.asarray(ours).view(np.uint8), expected.view(np.uint8))


def given() -> dict[str, np.ndarray]:
    return {name: narrow(array) for name, array in actions().items()}


@pytest.mark.sampled(one_in=2, group="wide")
def test_pure_functions() -> None:
    env, params = envpool.jax.make("Wide-v0")
    pool = envpool.make_gymnasium("Wide-v0", num_envs=NUM_ENVS, seed=7, autoreset_mode="same_step", num_threads=1)
    obs, state = env.reset_batch(jax.random.key(7), NUM_ENVS)
    theirs = pool.reset()
    for name, value in obs.items():
        assert_same(value, theirs[0][name])
    step = jax.jit(lambda state, action: env.step_batch(None, state, action, params))
    ends = 0
    for t in range(STEPS):
        obs, state, reward, done, info = step(state, {name: array[t] for name, array in given().items()})
        theirs = pool.step({name: array[t] for name, array in actions().items()})
        for name in ("real", "whole"):
            assert_same(obs[name], theirs[0][name])
        ended = theirs[2] | theirs[3]
        ends += ended.sum()
        for name in ("share", "total"):
            last = theirs[4][name].copy()
            if ended.any():
                last[ended] = theirs[4]["final_info"][name][ended]
            assert_same(info[name], last)
        if ended.any():
            assert_same(info["final_observation"]["real"][ended], theirs[4]["final_obs"]["real"][ended])
        assert_same(reward, theirs[1])
    assert ends > NUM_ENVS
    scanned = jax.jit(
        lambda state, actions: jax.lax.scan(lambda s, a: env.step_batch(None, s, a)[1::-1], state, actions)
    )
    final, observations = scanned(env.reset_batch(jax.random.key(7), NUM_ENVS)[1], given())
    np.testing.assert_array_equal(final.raw, state.raw)
    assert_same(observations["real"][-1], theirs[0]["real"])
    one = jax.vmap(lambda state, push, add: env.step(None, state, {"push": push, "add": add})[0]["whole"])
    assert_same(
        one(state, given()["push"][0], given()["add"][0]),
        pool.step({n: a[0] for n, a in actions().items()})[0]["whole"],
    )


def test_a_pool() -> None:
    device = {"device": "cuda"} if ON_GPU else {}
    options = {"num_envs": NUM_ENVS, "seed": 7, "autoreset_mode": "same_step"}
    env, plain = (envpool.make_gymnasium("Wide-v0", **options, **each) for each in (device, {}))
    env.reset(), plain.reset()
    handle, _, _, step = env.xla()
    results = jax.jit(lambda handle: jax.lax.scan(step, handle, given()))(handle)[1]
    for t in range(STEPS):
        theirs = plain.step({name: array[t] for name, array in actions().items()})
        for name in ("real", "whole"):
            assert_same(results[0][name][t], theirs[0][name])
        ended = theirs[2] | theirs[3]
        for name in ("share", "total"):
            assert_same(results[4][name][t], theirs[4][name])
            last = theirs[4]["final_info"][name][ended] if ended.any() else theirs[4][name][:0]
            assert_same(np.asarray(results[4]["final_info"][name][t])[ended], last)


def test_bad_actions() -> None:
    env, _ = envpool.jax.make("Wide-v0")
    _, state = env.reset_batch(jax.random.key(7), 2)
    bad = {"push": jnp.array([[0, 0], [0, jnp.inf]]), "add": jnp.zeros(2, int)}
    with pytest.raises(RuntimeError, match=r"\[Wide-v0\] push: expected finite numbers, got (inf|another) in row 1"):
        jax.block_until_ready(jax.jit(lambda push: env.step_batch(None, state, {**bad, "push": push})[0])(bad["push"]))


@pytest.mark.sampled(one_in=2, group="wide")
@pytest.mark.skipif(bool(jax.config.jax_enable_x64), reason="runs these tests with 64-bit arrays")
def test_with_64_bit_arrays() -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", __file__]
    environment = {**os.environ, "JAX_ENABLE_X64": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
