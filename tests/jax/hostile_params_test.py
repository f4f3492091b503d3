# SPDX-License-Identifier: Apache-2.0
"""Tests changed rows of parameters, which are user input.

A changed row cannot be stepped. `replace` accepts it if its checksum and its values are valid.

`ENVPOOL_TEST_SAMPLES=whole` tries every byte for every portable id instead of a sample chosen by the date.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import threading

import numpy as np
import pytest

import envpool
from envpool.python.registry import find
from tests.support.mutate_states import Progress, portable, try_params
from tests.support.mutations import values_end, with_checksum
from tests.support.samples import DAY, WHOLE

jax = pytest.importorskip("jax")
jnp = jax.numpy

ERRORS = (RuntimeError, ValueError)  # Inside jit, the error is a RuntimeError.
KEY = jax.random.PRNGKey(0)
ENV, PARAMS = envpool.jax.make("CartPole-v1")
GRID = PARAMS.replace(gravity=jnp.linspace(5, 15, 8))


def sample():
    portables = [i for i in envpool.list_all_envs() if portable(i)]
    if os.environ.get("ENVPOOL_STANDIN_XLA"):  # XLA calls the handlers for GPUs, which test environments do not have
        portables = [i for i in portables if find(i).family not in ("", "atari")]
    if WHOLE:
        return portables
    families = {family: [i for i in portables if find(i).family == family] for family in map(_family, portables)}
    return [random.Random(f"{DAY} {family}").choice(ids) for family, ids in families.items()]


def _family(task_id):
    return find(task_id).family


@pytest.mark.sampled(one_in=2)
@pytest.mark.parametrize("task_id", sample())
def test_changed_bytes(task_id):
    found = try_params(task_id, random.Random(f"{DAY} {task_id}"), WHOLE, Progress(None))
    assert found["refused"] > 20, found


def put(row, at, what):
    """Returns a row with other bytes at `at` and an unchanged checksum."""
    changed = np.asarray(row).copy()
    changed.view(np.uint8)[..., at : at + len(what)] = np.frombuffer(what, np.uint8)
    return changed


def forged(name, value):
    """Returns a row with another value and a valid checksum, but without a valid signature."""
    changed = put(PARAMS.raw, dict(PARAMS.format.parts)[name].offset, np.float64(value).tobytes())
    return np.frombuffer(with_checksum(changed.tobytes(), values_end(len(PARAMS.format.options) - 1)), np.uint32)


def of(raw):
    return type(PARAMS)(jnp.asarray(raw), PARAMS.format, PARAMS.model)


def play(env, params, rows=8):
    """Returns the bytes of a few steps, with one row of parameters or one per environment."""
    actions = jnp.arange(rows) % 2
    obs, state = env.reset_batch(KEY, rows, params)
    results = [obs]
    for _ in range(20):
        obs, state, reward, done, _ = env.step_batch(None, state, actions, params)
        results += [obs, reward, done]
    return b"".join(np.asarray(array).tobytes() for array in results)


UNSIGNED = (
    r"\[CartPole-v1\] params: expected rows that make\(\) or replace\(\) of this process returned, got another in row "
)


def test_a_row_with_a_valid_checksum_is_signed_by_replace():
    """Such rows come from other processes, and are used with their own values."""
    params = PARAMS.replace(masscart=3.25)
    with pytest.raises(ERRORS, match=UNSIGNED + "0"):
        play(ENV, of(forged("masscart", 3.25)))
    again = of(forged("masscart", 3.25)).replace()
    assert np.array_equal(again.raw, params.raw)
    assert play(ENV, again) == play(ENV, params) != play(ENV, PARAMS)
    unsigned = put(PARAMS.raw, dict(PARAMS.format.parts)["masscart"].offset, np.float64(3.25).tobytes())
    with pytest.raises(ERRORS, match=r"\[CartPole-v1\] params: expected rows of CartPole .* in row 0"):
        jax.block_until_ready(of(unsigned).replace().raw)


@pytest.mark.parametrize("name,value", [("masscart", np.nan), ("masscart", -1.0), ("kinematics_integrator", 2.0)])
def test_one_row_of_a_batch_is_refused(name, value):
    raw = np.asarray(GRID.raw).copy()
    raw[5] = forged(name, value)
    with pytest.raises(ERRORS, match=UNSIGNED + "5"):
        play(ENV, of(raw))
    with pytest.raises(ERRORS, match=rf"\[CartPole-v1\] {name}: expected a number from"):
        jax.block_until_ready(of(raw).replace().raw)
    raw[5] = GRID.raw[5]
    raw[6, 2] ^= 1
    with pytest.raises(ERRORS, match=UNSIGNED + "6"):
        play(ENV, of(raw))
    with pytest.raises(ERRORS, match=r"\[CartPole-v1\] params: expected rows of CartPole .* in row 6"):
        jax.block_until_ready(of(raw).replace(masscart=2.0).raw)
    raw[6, 2] ^= 1
    assert play(ENV, of(raw)) == play(ENV, GRID)


def test_the_signature_depends_on_every_bit():
    raw = np.asarray(PARAMS.raw)
    bits = np.unpackbits(raw.view(np.uint8))
    for bit in range(len(bits)):
        flipped = bits.copy()
        flipped[bit] ^= 1
        with pytest.raises(ERRORS, match=UNSIGNED + "0"):
            ENV.reset(KEY, of(np.packbits(flipped).view(np.uint32)))


def test_another_process_has_another_signature():
    program = "import envpool.jax; print(envpool.jax.make('CartPole-v1')[1].raw.tolist())"
    printed = subprocess.run([sys.executable, "-c", program], check=True, env=os.environ, capture_output=True).stdout
    raw = np.array(json.loads(printed), np.uint32)
    assert np.array_equal(raw[:-4], PARAMS.raw[:-4]) and not np.array_equal(raw[-4:], PARAMS.raw[-4:])
    with pytest.raises(ERRORS, match=UNSIGNED + "0"):
        ENV.reset(KEY, of(raw))
    assert np.array_equal(of(raw).replace().raw, PARAMS.raw)


def test_rows_of_another_environment_of_the_id():
    """The rows may be in another order, and a row may occur twice."""
    fresh = envpool.jax.make("CartPole-v1")[0]
    expected = play(ENV, GRID)
    assert play(fresh, GRID) == expected == play(fresh, GRID)
    order = np.array([3, 3, 1, 0, 7, 6, 6, 2])
    assert play(fresh, of(GRID.raw[order])) == play(ENV, of(GRID.raw[order])) != expected


def test_rows_of_another_string_option_are_refused():
    one = envpool.jax.make("DiscountingChain-bsuite", reward_timestep=[1, 3, 10, 30, 100])
    other = envpool.jax.make("DiscountingChain-bsuite", reward_timestep=[2, 3, 10, 30, 100])
    assert play(one[0], one[1]) == play(one[0], one[1].replace()) != play(*other)
    with pytest.raises(
        ValueError, match="params: expected parameters of DiscountingChain, got parameters of .* other options"
    ):
        play(other[0], one[1])


def test_inside_of_vmap_and_scan_with_donated_buffers():
    def run(raw, states, actions):
        def step(states, actions):
            obs, states, *_ = jax.vmap(ENV.step, (None, 0, 0, 0))(None, states, actions, of(raw))
            return states, obs

        return raw, *jax.lax.scan(step, states, actions)

    actions = jnp.zeros((50, 8), np.int32)
    states = ENV.reset_batch(KEY, 8, GRID)[1]
    expected = run(GRID.raw, states, actions)[2]
    donating = jax.jit(run, donate_argnums=(0, 1))
    raw, after, obs = donating(jnp.copy(GRID.raw), jax.tree.map(jnp.copy, states), actions)
    assert np.array_equal(obs, expected) and np.array_equal(raw, GRID.raw)
    with pytest.raises(ERRORS, match=UNSIGNED + "2"):
        jax.block_until_ready(donating(GRID.raw.at[2, 3].add(1), after, actions))


def test_many_threads_with_new_rows():
    fresh = envpool.jax.make("CartPole-v1")[0]
    grids = [PARAMS.replace(gravity=jnp.linspace(5, 15 + k % 3, 32)) for k in range(6)]
    expected = [play(ENV, grid, 32) for grid in grids]
    got = [b""] * len(grids)

    def one(k):
        got[k] = play(fresh, grids[k], 32)

    threads = [threading.Thread(target=one, args=(k,)) for k in range(len(grids))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == expected
