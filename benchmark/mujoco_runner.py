# SPDX-License-Identifier: Apache-2.0
"""One side of mujoco.py, as runner.py is of pool.py: loops over continuous actions."""

import sys

import numpy as np
import runner
from runner import RING, stepping

sys.path.pop(0)  # mujoco.py, which lies beside this, is not the package


def ring(low, high, batch):
    return np.random.default_rng(1).uniform(low, high, (RING, batch, len(low)))


def sync_loop(case):
    """env.step on the whole batch."""
    import envpool

    env = envpool.make_gymnasium(
        case["task"], num_envs=case["num_envs"], num_threads=case["num_threads"], seed=1, **case["options"]
    )
    env.reset()
    actions = ring(env.action_space.low, env.action_space.high, case["num_envs"])
    return stepping(env.step, actions, case["num_envs"])


def async_loop(case):
    """env.recv of the environments that are ready, env.send of their actions."""
    import envpool

    env = envpool.make_gymnasium(
        case["task"],
        num_envs=case["num_envs"],
        batch_size=case["batch_size"],
        num_threads=case["num_threads"],
        seed=1,
        **case["options"],
    )
    env.async_reset()

    def step(action):
        env.send(action, env.recv()[-1]["env_id"])

    actions = ring(env.action_space.low, env.action_space.high, case["batch_size"])
    return stepping(step, actions, case["batch_size"])


def vector_loop(case):
    """Gymnasium's vectors: in one process, or in as many as there would be threads, each with its share."""
    import gymnasium

    count = case["num_envs"]
    if case["loop"] == "gymnasium_async":
        count = min(count, case["num_threads"])
        vector = gymnasium.vector.AsyncVectorEnv
    else:
        vector = gymnasium.vector.SyncVectorEnv
    env = vector([lambda: gymnasium.make(case["task"], **case["options"])] * count)
    env.reset(seed=1)
    space = env.single_action_space
    return stepping(env.step, ring(space.low, space.high, count), count)


def rollout_loop(case):
    """MuJoCo's own batch of simulations in threads: physics alone, no observation and no reward."""
    import gymnasium
    import mujoco
    from mujoco.rollout import Rollout

    env = gymnasium.make(case["task"], **case["options"]).unwrapped
    model, skip, count = env.model, env.frame_skip, case["num_envs"]
    threads = min(case["num_threads"], count)
    datas = [mujoco.MjData(model) for _ in range(threads)]
    size = mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    state = np.empty((count, size))
    for row in state:
        env.reset()
        mujoco.mj_getState(model, env.data, row, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    controls = ring(*model.actuator_ctrlrange.T, count)[:, :, None].repeat(skip, axis=2)
    warm = np.zeros((count, model.nv))
    pool = Rollout(nthread=0 if threads == 1 else threads)

    def step(control):
        nonlocal state
        states, _ = pool.rollout(model, datas, state, control, initial_warmstart=warm)
        state = states[:, -1]

    return stepping(step, controls, count)


runner.LOOPS = {
    "sync": sync_loop,
    "async": async_loop,
    "gymnasium_sync": vector_loop,
    "gymnasium_async": vector_loop,
    "rollout": rollout_loop,
}

if __name__ == "__main__":
    runner.main()
