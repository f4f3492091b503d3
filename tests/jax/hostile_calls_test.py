# SPDX-License-Identifier: Apache-2.0
"""Tests that the compiled handlers refuse bad calls, even from programs that bypass `envpool.jax`.

No attribute, shape or dtype may make them access memory outside an array.
"""

from __future__ import annotations

import numpy as np
import pytest

import envpool
from envpool import _core
from envpool.jax import ffi

jax = pytest.importorskip("jax")
jnp = jax.numpy

KEY = jax.random.PRNGKey(0)
ENV, PARAMS = envpool.jax.make("CartPole-v1")
STATE = ENV.reset(KEY, PARAMS)[1]
STATES = ENV.reset_batch(KEY, 3, PARAMS)[1]
WORDS = STATE.raw.shape[-1]
MODEL = int(ENV._calls._attributes["model"])


NONE = np.array([], np.int32)


def numbers(*options):
    return np.array(options, np.int32)


def of(shape, dtype=np.float32):
    return jax.ShapeDtypeStruct(shape, dtype)


def reset(results=None, operands=None, **changes):
    results = results or [of((WORDS,), np.uint32), of((4,))]
    operands = operands or [KEY, np.uint32(0)]
    attributes = {"model": np.int64(MODEL), "observed": np.int64(1), "options": NONE} | changes
    return ffi.call("envpool_reset", results, *operands, **attributes)


STEPPED = {
    "state": of((WORDS,), np.uint32),
    "reward": of(()),
    "discount": of(()),
    "terminated": of((), np.bool_),
    "truncated": of((), np.bool_),
    "elapsed_step": of((), np.int32),
    "obs": of((4,)),
    "last": of((4,)),
}


def step(given=None, operands=None, **attributes):
    operands = operands or [KEY, np.uint32(0), STATE.raw, np.int32(0)]
    attributes = {
        "model": np.int64(MODEL),
        "observed": np.int64(1),
        "options": NONE,
        "keyed": np.int64(0),
        "autoreset": np.int64(1),
        "num_next": np.int64(-1),
    } | attributes
    return ffi.call("envpool_step", [*(STEPPED | (given or {})).values()], *operands, **attributes)


BIG = 2**62
ROW = of((WORDS,), np.uint32)
CALLS = [
    # unknown models
    *(lambda n=n: reset(model=np.int64(n)) for n in (-1, 10**6, -(2**63), 2**63 - 1)),
    lambda: reset(model=np.int32(MODEL)),
    # results with wrong shapes and dtypes
    lambda: reset([of((), np.uint32), of((4,))]),
    lambda: reset([of((WORDS - 1,), np.uint32), of((4,))]),
    lambda: reset([of((WORDS,), np.float32), of((4,))]),
    lambda: reset([of((WORDS,), np.uint32), of((3,))]),
    lambda: reset([of((WORDS,), np.uint32), of((4,)), of((4,))]),
    lambda: reset([of((WORDS,), np.uint32)]),
    lambda: reset([of((1000, WORDS), np.uint32), of((1, 4))]),
    *(lambda name=name: step({name: of((0,), STEPPED[name].dtype)}) for name in STEPPED),
    *(lambda name=name: step({name: of(STEPPED[name].shape, np.int16)}) for name in STEPPED),
    lambda: step({"reward": of((2,))}),
    lambda: step({"terminated": of((), np.int32)}),
    lambda: step({"elapsed_step": of((), np.bool_)}),
    # operands with wrong shapes and dtypes
    lambda: reset(operands=[np.uint32(0), np.uint32(0)]),
    lambda: reset(operands=[jnp.zeros(3, np.uint32), np.uint32(0)]),
    lambda: reset(operands=[KEY, jnp.zeros(1, np.uint32)]),
    lambda: reset(operands=[KEY, np.uint32(0), STATE.raw]),
    lambda: reset(operands=[KEY]),
    lambda: step(operands=[KEY, np.uint32(0), STATE.raw[:-1], np.int32(0)]),
    lambda: step(operands=[KEY, np.uint32(0), STATE.raw, np.int16(0)]),
    lambda: step(operands=[KEY, np.uint32(0), STATE.raw, jnp.zeros(2, np.int32)]),
    lambda: step(operands=[KEY, np.uint32(0), STATE.raw, jnp.zeros((), np.complex64)]),
    # attributes with wrong values and dtypes
    lambda: step(keyed=np.int64(3)),
    lambda: step(keyed=np.int64(-1)),
    lambda: step(observed=np.int64(0)),
    lambda: step(keyed=np.int32(0)),
    # options
    *(lambda n=n: reset(operands=[KEY, np.uint32(0), np.float32(5)], options=numbers(n)) for n in (-2, 99, 2**31 - 1)),
    lambda: reset(options=numbers(0)),
    lambda: reset(operands=[KEY, np.uint32(0), np.float32(5)], options=numbers(0, 1)),
    lambda: reset(operands=[KEY, np.uint32(0), jnp.zeros(3, np.float32)], options=numbers(0)),
    lambda: reset(operands=[KEY, np.uint32(0), np.uint32(5)], options=numbers(0)),
    lambda: reset(operands=[KEY, np.uint32(0), np.int16(5)], options=numbers(0)),
    lambda: reset(operands=[KEY, np.uint32(0), jnp.complex64(5)], options=numbers(0)),
    lambda: reset(operands=[KEY, np.uint32(0), np.float32(5)], options=np.int64(0)),
    lambda: reset(operands=[KEY, np.uint32(0), np.float32(5)], options=np.array([0], np.int64)),
    lambda: step(operands=[KEY, np.uint32(0), STATE.raw, np.int32(0), jnp.zeros(2)], options=numbers(0)),
    lambda: step(operands=[KEY, np.uint32(0), np.float32(5), STATE.raw, np.int32(0)], options=numbers(0)),
    *(lambda n=n: step(num_next=np.int64(n)) for n in (-2, 1, 2**32, 2**63 - 1, -(2**63))),
    lambda: step(
        operands=[KEY, np.uint32(0), STATE.raw, np.int32(0), np.float32(5)], options=numbers(0), num_next=np.int64(2)
    ),
    lambda: step(num_next=np.int32(-1)),
]


@pytest.mark.parametrize("call", CALLS, ids=range(len(CALLS)))
def test_bad_calls_are_refused(call):
    with pytest.raises((RuntimeError, ValueError, TypeError)):
        jax.block_until_ready(jax.jit(call)())
    assert ENV.step(None, STATE, 0)[2] == 1


def test_valid_calls_succeed():
    """Each bad call above differs from these valid calls in one respect."""
    raw, obs = reset()
    np.testing.assert_array_equal(obs, ENV.reset(KEY, PARAMS)[0])
    np.testing.assert_array_equal(step()[6], ENV.step(None, STATE, 0)[0])
    changed = reset(operands=[KEY, np.uint32(0), np.float32(5)], options=numbers(0))
    np.testing.assert_array_equal(changed[1], obs)
    gravity = step(operands=[KEY, np.uint32(0), STATE.raw, np.int32(0), np.float32(5)], options=numbers(0))[6]
    np.testing.assert_array_equal(gravity, ENV.step(None, STATE, 0, PARAMS.replace(gravity=5.0))[0])


def test_batches_without_rows():
    none = jax.vmap(ENV.reset)(jnp.zeros((0, 2), np.uint32))
    assert none[0].shape == (0, 4) and none[1].raw.shape == (0, WORDS)
    obs, state, reward, *_ = jax.vmap(ENV.step, (None, 0, 0))(None, none[1], jnp.zeros(0, np.int32))
    assert obs.shape == (0, 4) and reward.shape == (0,) and state.position.shape == (0,)
    assert state.replace(position=jnp.zeros(0)).raw.shape == (0, WORDS)
    obs = jax.vmap(lambda g: ENV.reset(KEY, PARAMS.replace(gravity=g))[0])(jnp.zeros(0))
    assert obs.shape == (0, 4)
    assert ENV.step_batch(None, none[1], jnp.zeros(0, np.int32))[0].shape == (0, 4)


def test_batches_that_exceed_memory():
    for rows in (2**31, 2**62, 10**30):
        with pytest.raises(ValueError, match="num_envs: expected an int from 1 to .*, got"):
            ENV.reset_batch(KEY, rows)
    with pytest.raises(MemoryError, match=r"^\[CartPole-v1\] num_envs: no memory for 2147483647 "):
        ENV.reset_batch(KEY, 2**31 - 1)


def test_memory_limits_of_batches(monkeypatch):
    monkeypatch.setattr("envpool._core.usable_memory", lambda: 10 * 2**10)
    assert ENV.reset_batch(KEY, 10)[0].shape == (10, 4)
    with pytest.raises(MemoryError, match=r"^\[CartPole-v1\] num_envs: no memory for 1000 "):
        ENV.reset_batch(KEY, 1000)


def test_memory_limits_of_batches_on_a_gpu(monkeypatch):
    class Gpu:
        platform = "gpu"

        def memory_stats(self):
            return {"bytes_limit": 10 * 2**10}

        def __repr__(self):
            return "CudaDevice(id=0)"

    monkeypatch.setattr("envpool._core.usable_memory", lambda: 0)
    monkeypatch.setattr("jax.local_devices", lambda **_: [Gpu()])
    assert ENV.reset_batch(KEY, 10)[0].shape == (10, 4)
    expected = r"^\[CartPole-v1\] num_envs: no memory for 1000 states and observations on CudaDevice\(id=0\)"
    with pytest.raises(MemoryError, match=expected):
        ENV.reset_batch(KEY, 1000)
    monkeypatch.setattr(Gpu, "memory_stats", lambda self: None)  # as with allocators that have no limit
    assert ENV.reset_batch(KEY, 1000)[0].shape == (1000, 4)


def test_a_donated_state_cannot_be_used_again():
    step = jax.jit(lambda state, action: ENV.step(None, state, action)[1], donate_argnums=0)
    state = jax.tree.map(jnp.copy, STATE)
    kept = step(state, 0)
    with pytest.raises((RuntimeError, ValueError), match="deleted|donated"):
        step(state, 0)
    with pytest.raises((RuntimeError, ValueError), match="expected an integer in 0..1, got (7|another)"):
        jax.block_until_ready(step(jax.tree.map(jnp.copy, STATE), 7))
    np.testing.assert_array_equal(kept.raw, ENV.step(None, STATE, 0)[1].raw)


# ---- pools ----

POOL = envpool.make_gymnasium("CartPole-v1", num_envs=2)
POOL.reset()
HANDLE, OUTPUTS = POOL.xla()[0], POOL._pool.xla()[2]
NUMBER = POOL._pool.xla()[1]
RESULTS = [of((8,), np.uint8), *(of((2, *shape), jax.dtypes.canonicalize_dtype(d)) for _, d, shape, _ in OUTPUTS)]
INDICES = np.array([array for array, *_ in OUTPUTS], np.int32)


def pool_step(results=None, operands=None, **changes):
    attributes = {"pool": np.int64(NUMBER), "named": np.int64(0), "outputs": INDICES} | changes
    return ffi.call_with_side_effect(
        "envpool_pool_step", results or RESULTS, *(operands or [HANDLE, np.zeros(2, np.int32)]), **attributes
    )


REFUSED = [
    *(lambda n=n: pool_step(pool=np.int64(n)) for n in (-1, 10**6, -(2**63), 2**63 - 1)),
    *(lambda n=n: pool_step(outputs=INDICES + n) for n in (-100, 100)),
    lambda: pool_step(outputs=INDICES[:0].astype(np.int64)),
    lambda: pool_step(outputs=np.tile(INDICES, 2)),
    lambda: pool_step([*RESULTS[:1], of((2, 3)), *RESULTS[2:]]),
    lambda: pool_step([of((4,), np.uint8), *RESULTS[1:]]),
    lambda: pool_step([of((8,), np.uint8), *(of((0,), r.dtype) for r in RESULTS[1:])]),
    lambda: pool_step(operands=[HANDLE]),
    lambda: pool_step(operands=[HANDLE, np.zeros((), np.int32)]),
    lambda: pool_step(operands=[HANDLE, np.zeros(3, np.int32)]),
    lambda: pool_step(operands=[HANDLE, np.zeros(2, np.float32)]),
    lambda: pool_step(operands=[HANDLE[:4], np.zeros(2, np.int32)]),
    lambda: pool_step(named=np.int64(-1)),
    lambda: pool_step(named=np.int64(3)),
]


@pytest.mark.parametrize("call", REFUSED, ids=range(len(REFUSED)))
def test_bad_pool_calls_are_refused(call):
    with pytest.raises((RuntimeError, ValueError, TypeError)):
        jax.block_until_ready(jax.jit(call)())
    while POOL._pool.under_way:
        POOL.recv()


def test_live_models_and_ports_are_counted():
    assert _core.live_models() > 0 and _core.live_pool_entries() > 0
    jax.block_until_ready(jax.jit(pool_step)())
