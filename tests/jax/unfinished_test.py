# SPDX-License-Identifier: Apache-2.0
"""Tests calls to a pool whose arguments a jitted program is still computing, when that program also steps the pool.

Such a call must wait for the argument before it takes a lock that the program's own call needs.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytest.importorskip("jax")

DEVICES = ["cpu", *["cuda"] * bool(os.environ.get("ENVPOOL_STANDIN_XLA"))]
CALLS = {
    "step": "env.step(actions)",
    "step with ids": "env.step(actions[:2], ids[:2])",
    "send": "env.send(actions); env.recv()",
    "reset": "env.reset(env_id=ids)",
    "clone": "env.clone(0, ids)",
    "snapshot": "env.snapshot(ids)",
    "observe": "env.observe(ids)",
    "set_options": "env.set_options(ids, gravity=9.8)",
    "players": "env.players(ids)",
}

# The program computes `actions` and `ids` slowly, steps the pool, and returns both.
PROGRAM = """
import sys, time, warnings
warnings.simplefilter("ignore")
import jax, jax.numpy as jnp, numpy as np
import envpool

device, call = sys.argv[1:]
env = envpool.make_gymnasium("CartPole-v1", num_envs=4, seed=1, **({"device": device} if device == "cuda" else {}))
env.reset()
handle, _, _, step = env.xla()

@jax.jit
def program(handle, count):
    slow = jax.lax.fori_loop(0, count, lambda _, x: jnp.sin(x @ x), jnp.full((128, 128), 0.01))
    actions = jnp.zeros(4, jnp.int32) + (slow[0, 0] > 2).astype(jnp.int32)
    handle, _ = step(handle, actions)
    elapsed = step(handle, actions)[1][-1]["elapsed_step"]
    return actions, jnp.where(elapsed < 9, jnp.arange(4, dtype=jnp.int32), 0)

count, seconds = 64, 0
program(handle, count)  # compiles it
env.reset()
while seconds < 0.5:
    count, start = 2 * count, time.perf_counter()
    jax.block_until_ready(program(handle, count))
    seconds = time.perf_counter() - start
    env.reset()
actions, ids = program(handle, count)
assert not ids.is_ready(), "the program does not run asynchronously"
exec(call)
elapsed = np.asarray(jax.jit(step)(handle, np.zeros(4, np.int32))[1][-1]["elapsed_step"])
print("elapsed:", elapsed.tolist())
"""


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("call", CALLS)
def test_arguments_that_are_not_computed_yet(device: str, call: str) -> None:
    command = [sys.executable, "-c", PROGRAM, device, CALLS[call]]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    expected = {"reset": [1] * 4, "step": [4] * 4, "step with ids": [4, 4, 3, 3], "send": [4] * 4}
    assert done.stdout == f"elapsed: {expected.get(call, [3] * 4)}\n"
