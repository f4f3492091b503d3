# SPDX-License-Identifier: Apache-2.0
"""Tests environments on a mesh with explicit axes, where the sharding of an array is a part of its type."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

jax = pytest.importorskip("jax")

pytestmark = pytest.mark.skipif(
    not (hasattr(jax, "set_mesh") and hasattr(jax, "typeof")), reason="this version of JAX has no explicit axes"
)

PROGRAM = """
import contextlib
import jax, jax.numpy as jnp, numpy as np
import envpool, envpool.jax
from jax.sharding import AxisType, NamedSharding, PartitionSpec

env, params = envpool.jax.make("CartPole-v1", max_episode_steps=9)
keys, actions = jax.random.split(jax.random.key(0), 8), np.arange(8, dtype=np.int32) % 2
each = jax.vmap(lambda gravity: params.replace(gravity=gravity))(jnp.arange(8.0) + 5)
obs, state = jax.jit(jax.vmap(env.reset, (0, None)))(keys, params)

def carried(step):
    return lambda state, *rest: jax.lax.scan(lambda state, _: step(state, *rest)[1::-1], state, None, 20)

def batch(state, action): return env.step_batch(None, state, action)
def keyed(state, action): return env.step_batch(jax.random.key(3), state, action)
def with_params(state, action, params): return env.step_batch(None, state, action, params)
def one(state, action): return env.step(None, state, action)
def one_with_params(state, action, params): return env.step(None, state, action, params)
def moved(state, action): return env.step_batch(None, state.replace(position=state.velocity), action), state.position

cases = {
    "batch": (batch, state, actions),
    "keyed": (keyed, state, actions),
    "parameters": (with_params, state, actions, params),
    "parameters of each": (with_params, state, actions, each),
    "changed": (moved, state, actions),
    "vmap": (jax.vmap(one), state, actions),
    "vmap with parameters of each": (jax.vmap(one_with_params), state, actions, each),
    "vmap in vmap": (jax.vmap(jax.vmap(one, (None, 0)), (0, None)), state, actions[:3]),
    "scan": (carried(batch), state, actions),
    "scan of vmap": (carried(jax.vmap(one)), state, actions),
    "vmap of scan": (jax.vmap(carried(one)), state, actions),
    "reset": (lambda keys: jax.vmap(env.reset)(keys)[0], keys),
    "shared reset": (lambda keys: env.reset_batch(jax.random.key(5), 8)[0], keys),
}

for kind in (AxisType.Auto, AxisType.Explicit):
    mesh = jax.make_mesh((2,), ("x",), axis_types=(kind,))
    spread = NamedSharding(mesh, PartitionSpec("x"))
    for name, (function, *given) in cases.items():
        chosen = name in ("batch", "scan of vmap", "reset")
        if kind == AxisType.Auto and not chosen:
            continue
        expected = jax.jit(function)(*given)
        ours = jax.tree.map(lambda x: jax.device_put(x, spread) if x.ndim and x.shape[0] == 8 else x, given)
        for context in (contextlib.nullcontext(), jax.set_mesh(mesh))[: 1 + chosen]:
            with context:
                found = jax.jit(function)(*ours)
                jax.tree.map(lambda a, b: np.testing.assert_array_equal(np.asarray(a), np.asarray(b), name), found, expected)
            if kind == AxisType.Explicit and name not in ("shared reset", "vmap of scan"):
                assert jax.tree.leaves(found)[0].sharding.spec[:1] == ("x",), name
    with jax.set_mesh(mesh):
        assert env.step_batch(None, *jax.device_put((state, actions), spread))[0].shape == (8, 4)
print("done")
"""


def test_programs_on_explicit_axes_match_those_on_one_device() -> None:
    environment = {**os.environ, "XLA_FLAGS": "--xla_force_host_platform_device_count=2"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.split() == ["done"]
