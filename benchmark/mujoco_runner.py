# SPDX-License-Identifier: Apache-2.0
"""One side of mujoco.py, as runner.py is of pool.py: loops over continuous actions."""

import sys

import numpy as np
import runner
from runner import RING

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

    def steps(count):
        for i in range(count):
            env.step(actions[i % RING])
        return count * case["num_envs"]

    return steps


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
    actions = ring(env.action_space.low, env.action_space.high, case["batch_size"])

    def steps(count):
        for i in range(count):
            info = env.recv()[-1]
            env.send(actions[i % RING], info["env_id"])
        return count * case["batch_size"]

    return steps


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
    actions = ring(space.low, space.high, count)

    def steps(calls):
        for i in range(calls):
            env.step(actions[i % RING])
        return calls * count

    return steps


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

    def steps(calls):
        nonlocal state
        for i in range(calls):
            states, _ = pool.rollout(model, datas, state, controls[i % RING], initial_warmstart=warm)
            state = states[:, -1]
        return calls * count

    return steps


runner.LOOPS = {
    "sync": sync_loop,
    "async": async_loop,
    "gymnasium_sync": vector_loop,
    "gymnasium_async": vector_loop,
    "rollout": rollout_loop,
}

if __name__ == "__main__":
    runner.main()
