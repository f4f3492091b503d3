# SPDX-License-Identifier: Apache-2.0
"""Tests that the process ends normally while XLA's threads run programs, or compile kernels for them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("jax")

ON_GPU = bool(os.environ.get("ENVPOOL_STANDIN_XLA"))

# Python's own threads take no part: JAX itself cannot return to a daemon thread of a finalized interpreter.
PROGRAM = """
import sys, time, warnings
warnings.simplefilter("ignore")
import jax, jax.numpy as jnp, numpy as np
import envpool, envpool.jax

jitted, steps, delay = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])

def pure(task_id):
    env, params = envpool.jax.make(task_id)
    action = jnp.zeros((64, *env.action_space().shape), env.action_space().dtype)
    def run(key):
        state = env.reset_batch(key, 64, params)[1]
        return jax.lax.scan(lambda s, _: (env.step_batch(None, s, action, params)[1], None), state, length=steps)[0]
    return jax.jit(run), jax.random.PRNGKey(0)

def pool(task_id):
    env = envpool.make_gymnasium(task_id, num_envs=64, **({"device": "cuda"} if jitted == "device_pool" else {}))
    env.reset()
    handle, recv, send, step = env.xla()
    space = env.single_action_space
    action = np.zeros((64, *space.shape), space.dtype)
    return jax.jit(lambda h: jax.lax.scan(lambda h, _: (step(h, action)[0], None), h, length=steps)[0]), handle

kept = []
for task_id in ("CartPole-v1", "MountainCar-v0"):
    program, carry = (pure if jitted == "pure" else pool)(task_id)
    kept.append((program, program(carry)))
time.sleep(delay)
"""


@pytest.mark.parametrize("jitted", ["pure", "pool", *["device_pool"] * ON_GPU])
@pytest.mark.parametrize("when", ["running", "compiling"])
def test_exit_while_programs_run(jitted: str, when: str, tmp_path: Path) -> None:
    for turn in range(int(os.environ.get("ENVPOOL_TEST_EXITS", "1"))):
        environment = {**os.environ}
        if when == "compiling":
            if not ON_GPU or jitted != "pure":
                pytest.skip("no kernel is compiled on XLA's threads")
            environment["ENVPOOL_CACHE_DIR"] = str(tmp_path / str(turn))
        steps = "20000" if when == "running" else "10"
        command = [sys.executable, "-c", PROGRAM, jitted, steps, str(0.02 * turn)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, (turn, done.returncode, done.stderr)
