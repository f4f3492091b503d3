# SPDX-License-Identifier: Apache-2.0
"""One side of a comparison, started once a side under that side's interpreter: every peer's loop, over any action space.

A case may say `slow`: so many times the time that its steps took is then burnt after them, which is how a test sees
that check.py notices.
"""

import json
import re
import sys
import time

import numpy as np

sys.path[0] = sys.argv[2]  # the folder of side.py, in place of ours: mujoco.py, which lies beside this, is no package
from side import serve, stepping  # noqa: E402

sys.path.pop(0)

RING = 64  # batches of random actions, drawn before the clock starts
MOST_IN_ONE_PROCESS = 128  # of gymnasium's environments in Python, whose rate is the same for more


def ring(space, batch):
    """Batches of random actions."""
    random = np.random.default_rng(1)
    if hasattr(space, "n"):
        return random.integers(space.n, size=(RING, batch), dtype=np.int32)
    return random.uniform(space.low, space.high, (RING, batch, *space.shape)).astype(space.dtype)


def pool_of(case):
    """Ours or EnvPool's: what is called envpool here."""
    import envpool

    sizes = {name: case[name] for name in ("num_envs", "num_threads", "batch_size") if name in case}
    return envpool.make_gymnasium(case["task"], seed=1, **sizes, **case["options"])


def sync_loop(case):
    env = pool_of(case)
    env.reset()
    return stepping(env.step, ring(env.action_space, case["num_envs"]), case["num_envs"])


def async_loop(case):
    """env.recv of the environments that are ready, env.send of their actions."""
    env = pool_of(case)
    env.async_reset()

    def step(action):
        env.send(action, env.recv()[-1]["env_id"])

    return stepping(step, ring(env.action_space, case["batch_size"]), case["batch_size"])


def maker(case):
    """Gymnasium's environment, as it does what EnvPool's of that id does."""
    import gymnasium

    if not case.get("atari"):
        return lambda: gymnasium.make(case["task"], **case["options"])
    import ale_py
    from gymnasium.wrappers import AtariPreprocessing, FrameStackObservation

    gymnasium.register_envs(ale_py)
    task = f"ALE/{case['task']}"
    return lambda: FrameStackObservation(AtariPreprocessing(gymnasium.make(task, frameskip=1)), 4)


def gymnasium_loop(case):
    """One environment alone, reset when it ends."""
    env = maker(case)()
    env.reset(seed=1)

    def step(action):
        _, _, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            env.reset()

    actions = ring(env.action_space, 1)[:, 0]
    return stepping(step, actions.tolist() if actions.ndim == 1 else actions, 1)


def gymnasium_vector_loop(case):
    """Gymnasium's vectors: in one process; in as many as there would be threads; or as arrays of NumPy."""
    import gymnasium

    kind, count = case["loop"], case["num_envs"]
    if kind == "gymnasium_numpy":
        env = gymnasium.make_vec(case["task"], count, vectorization_mode="vector_entry_point")
    elif kind == "gymnasium_async":
        count = min(count, case["num_threads"])
        env = gymnasium.vector.AsyncVectorEnv([maker(case)] * count)
    else:
        count = min(count, case.get("most", MOST_IN_ONE_PROCESS))
        env = gymnasium.vector.SyncVectorEnv([maker(case)] * count)
    env.reset(seed=1)
    return stepping(env.step, ring(env.single_action_space, count), count)


def snake_case(task):
    """How ale-py names the ROM of SpaceInvaders-v5."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", task.removesuffix("-v5")).lower()


def ale_loop(case):
    """ale-py's own vector environment: the same skip, pictures and stack, in C++ threads."""
    from ale_py.vector_env import AtariVectorEnv

    batch = case.get("batch_size", case["num_envs"])
    threads = min(case["num_threads"], case["num_envs"])
    env = AtariVectorEnv(snake_case(case["task"]), case["num_envs"], batch_size=batch, num_threads=threads)
    env.reset(seed=1)
    return stepping(env.step, ring(env.single_action_space, batch), batch)


def ale_alone_loop(case):
    """ale-py's emulator for four frames: nothing is observed, nothing resized."""
    from ale_py import ALEInterface, roms

    ale = ALEInterface()
    ale.loadROM(roms.get_rom_path(snake_case(case["task"])))
    actions = ale.getMinimalActionSet()

    def step(action):
        for _ in range(4):
            ale.act(action)
        if ale.game_over():
            ale.reset_game()

    choices = np.random.default_rng(1).integers(len(actions), size=RING)
    return stepping(step, [actions[i] for i in choices], 1)


def gymnax_loop(case):
    """A jitted step of the batch, called from Python, as a policy outside JAX would."""
    import gymnax
    import jax

    env, params = gymnax.make(case["task"])
    keys = jax.random.split(jax.random.key(1), case["num_envs"])
    obs, state = jax.jit(jax.vmap(env.reset, (0, None)))(keys, params)
    jitted = jax.jit(jax.vmap(env.step, (0, 0, 0, None)))

    def step(action):
        nonlocal state
        obs, state, _, _, _ = jitted(keys, state, action, params)
        jax.block_until_ready(obs)

    return stepping(step, ring(env.action_space(params), case["num_envs"]), case["num_envs"])


def jit_loop(case):
    """A jitted scan of many steps, wholly inside JAX; `module` is envpool.jax or gymnax."""
    import importlib

    import jax
    import jax.numpy as jnp

    n, length = case["num_envs"], case["length"]
    env, params = importlib.import_module(case["module"]).make(case["task"])
    if case["module"] == "gymnax":
        one = jax.vmap(env.step, (0, 0, 0, None))
        # Legacy keys: adding to them costs nothing, and XLA cannot move the resets that they lead to out of the loop.
        fixed = jax.random.bits(jax.random.key(2), (n, 2), jnp.uint32)
        first = jax.vmap(env.reset, (0, None))(jax.random.split(jax.random.key(0), n), params)

        def advance(t, state, action):
            return one(fixed + t.astype(jnp.uint32), state, action, params)
    else:
        first = env.reset_batch(jax.random.key(0), n, params)

        def advance(t, state, action):
            return env.step_batch(None, state, action, params)

    space = env.action_space(params)
    actions = jax.vmap(jax.vmap(space.sample))(jax.random.split(jax.random.key(1), (RING, n)))

    def body(carry, t):
        _, state, total = carry
        obs, state, reward, done, _ = advance(t, state, actions[t % RING])
        return (obs, state, total + reward.sum() + done.sum()), None

    @jax.jit
    def run(obs, state):
        # Observations are carried, where a policy would read them: summed up, XLA would never write gymnax's.
        obs, _, total = jax.lax.scan(body, (obs, state, jnp.float32(0)), jnp.arange(length))[0]
        return total + obs.sum()

    def steps(count):
        for _ in range(count):
            jax.block_until_ready(run(*first))
        return count * n * length

    return steps


def rollout_loop(case):
    """MuJoCo's own batch of simulations in threads: physics alone, no observation and no reward."""
    import mujoco
    from mujoco.rollout import Rollout

    env = maker(case)().unwrapped
    model, count, physics = env.model, case["num_envs"], mujoco.mjtState.mjSTATE_FULLPHYSICS
    threads = min(case["num_threads"], count)
    datas = [mujoco.MjData(model) for _ in range(threads)]
    state = np.empty((count, mujoco.mj_stateSize(model, physics)))
    for row in state:
        env.reset()
        mujoco.mj_getState(model, env.data, row, physics)
    low, high = model.actuator_ctrlrange.T
    controls = np.random.default_rng(1).uniform(low, high, (RING, count, model.nu))
    controls = controls[:, :, None].repeat(env.frame_skip, axis=2)
    warm = np.zeros((count, model.nv))
    batch = Rollout(nthread=0 if threads == 1 else threads)

    def step(control):
        nonlocal state
        states, _ = batch.rollout(model, datas, state, control, initial_warmstart=warm)
        state = states[:, -1]

    return stepping(step, controls, count)


def with_slow_down(make):
    def loop(case):
        steps, slow = make(case), case.get("slow", 0)
        if not slow:
            return steps

        def slowed(count):
            started = time.process_time()
            total = steps(count)
            until = time.process_time() + slow * (time.process_time() - started)
            while time.process_time() < until:
                pass
            return total

        return slowed

    return loop


LOOPS = {
    "sync": sync_loop,
    "async": async_loop,
    "gymnasium": gymnasium_loop,
    "gymnasium_sync": gymnasium_vector_loop,
    "gymnasium_async": gymnasium_vector_loop,
    "gymnasium_numpy": gymnasium_vector_loop,
    "ale": ale_loop,
    "ale_alone": ale_alone_loop,
    "gymnax": gymnax_loop,
    "jit": jit_loop,
    "rollout": rollout_loop,
}
IMPORTS = {"sync": "envpool", "async": "envpool", "ale": "ale_py.vector_env", "ale_alone": "ale_py", "gymnax": "gymnax"}


def main():
    case = json.loads(sys.argv[1])
    started = time.perf_counter()
    __import__(case.get("module") or IMPORTS.get(case["loop"], "gymnasium"))
    serve(case, with_slow_down(LOOPS[case["loop"]]), import_s=time.perf_counter() - started)


if __name__ == "__main__":
    main()
