# SPDX-License-Identifier: Apache-2.0
"""Runs one side of a comparison, in its own process and with that side's interpreter.

LOOPS also contains the loops of `envpool bench` (envpool/cli/bench_side.py). A test sets `slow` to a factor, to check
that check.py notices a slow-down: after each turn, the side burns `slow` times the CPU time that its steps took.
"""

import functools
import json
import sys
import time

import numpy as np

# Replaces this folder, whose mujoco.py would hide the package mujoco, with the folder of side.py and bench_side.py.
sys.path[0] = sys.argv[2]
import bench_side  # noqa: E402  (removes that folder from the path)
from bench_side import RING, make_pool, maker, ring, rom_name  # noqa: E402
from side import serve, stepping  # noqa: E402

MOST_IN_ONE_PROCESS = 128  # maximum number of Gymnasium environments; with more, their rate is the same


def async_loop(case):
    """Steps the environments that are ready, by env.recv and env.send."""
    env = make_pool(case)
    env.async_reset()

    def step(action):
        env.send(action, env.recv()[-1]["env_id"])

    return stepping(step, ring(env.action_space, case["batch_size"]), case["batch_size"])


def gymnasium_loop(case):
    """Steps one Gymnasium environment, and resets it when its episode ends."""
    env = maker(case)()
    env.reset(seed=1)

    def step(action):
        _, _, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            env.reset()

    actions = ring(env.action_space, 1)[:, 0]
    return stepping(step, actions.tolist() if actions.ndim == 1 else actions, 1)


def gymnasium_sync_loop(case):
    """Steps Gymnasium environments one after the other in one process."""
    return bench_side.vectors({"most": MOST_IN_ONE_PROCESS, **case})


def gymnasium_async_loop(case):
    """Steps Gymnasium environments in separate processes, as many as the other sides have threads."""
    return bench_side.processes({"processes": case["num_threads"], **case})


def gymnasium_numpy_loop(case):
    """Steps Gymnasium's vector environment of NumPy arrays, for the tasks that have one."""
    import gymnasium

    env = gymnasium.make_vec(case["task"], case["num_envs"], vectorization_mode="vector_entry_point")
    env.reset(seed=1)
    return stepping(env.step, ring(env.single_action_space, case["num_envs"]), case["num_envs"])


def ale_alone_loop(case):
    """Steps ale-py's emulator for four frames, without observing or resizing a screen."""
    from ale_py import ALEInterface, roms

    ale = ALEInterface()
    ale.loadROM(roms.get_rom_path(rom_name(case["task"])))
    actions = ale.getMinimalActionSet()

    def step(action):
        for _ in range(4):
            ale.act(action)
        if ale.game_over():
            ale.reset_game()

    choices = np.random.default_rng(1).integers(len(actions), size=RING)
    return stepping(step, [actions[i] for i in choices], 1)


def doom_package_loop(case):
    """Steps a game of the package vizdoom for four tics, and resizes its screen, as EnvPool's environments do."""
    import cv2
    import vizdoom

    words = "".join(f"_{c.lower()}" if c.isupper() else c for c in case["task"].partition("-")[0])
    game = vizdoom.DoomGame()
    game.load_config(f"{vizdoom.scenarios_path}/{words[1:]}.cfg")
    game.set_window_visible(False)
    game.init()
    random = np.random.default_rng(1)
    stack = []

    def step(action):
        game.make_action(action, 4)
        if game.is_episode_finished():
            game.new_episode()
        screen = game.get_state().screen_buffer
        planes = screen if screen.ndim == 3 else [screen]
        stack.append([cv2.resize(plane, (84, 84), interpolation=cv2.INTER_AREA) for plane in planes])
        if len(stack) > 4:
            del stack[0]
        np.concatenate(stack)

    return stepping(step, random.integers(2, size=(RING, game.get_available_buttons_size())).tolist(), 1)


def gymnax_loop(case):
    """Calls gymnax's jitted step of a batch from Python, as a policy outside JAX does."""
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
    """Runs a jitted scan of many steps with autoreset; `module` is envpool.jax or gymnax.

    With the workload "env", actions are sampled before the clock starts and keys cost nothing. With "each", every
    environment also has its own value of each parameter that is a float. With "full", each step samples every
    environment's action and splits its key, as users of gymnax do.
    """
    import importlib

    import jax
    import jax.numpy as jnp

    n, length, full = case["num_envs"], case["length"], case.get("load") == "full"
    env, params = importlib.import_module(case["module"]).make(case["task"])
    ours = case["module"] == "envpool.jax"
    space = env.action_space(params)
    traced = None  # parameters that are arguments of the jitted function, so that XLA cannot treat them as constants
    if case.get("load") == "each":
        factor = jax.random.uniform(jax.random.key(4), (n,), minval=0.9, maxval=1.1)
        params = jax.tree.map(lambda leaf: leaf * factor if isinstance(leaf, (float, np.floating)) else leaf, params)
        traced = params
    if ours:  # envpool.jax's functions for batches take one key or none
        first = env.reset_batch(jax.random.key(0), n, params)
    else:
        axes = jax.tree.map(lambda leaf: 0 if jnp.shape(leaf) == (n,) else None, params)
        first = jax.vmap(env.reset, (0, axes))(jax.random.split(jax.random.key(0), n), params)
        step_all = jax.vmap(env.step, (0, 0, 0, axes))
    # Each step adds its number to these keys (uint32, JAX's old format), which costs nothing. With the same keys in
    # every step, XLA would compute the resets once, before the loop.
    fixed_keys = jax.random.bits(jax.random.key(2), (n, 2), jnp.uint32)
    ring_of_actions = jax.vmap(jax.vmap(space.sample))(jax.random.split(jax.random.key(1), (RING, n)))

    def body(traced, carry, t):
        key, _, state, total = carry
        given = params if traced is None else traced
        if full:
            key, action_key, step_key = jax.random.split(key, 3)
            actions = jax.vmap(space.sample)(jax.random.split(action_key, n))
            keys = step_key if ours else jax.random.split(step_key, n)
        else:
            actions = ring_of_actions[t % RING]
            keys = None if ours else fixed_keys + t.astype(jnp.uint32)
        stepped = (env.step_batch if ours else step_all)(keys, state, actions, given)
        obs, state, reward, done, _ = stepped
        return (key, obs, state, total + reward.sum() + done.sum()), None

    @jax.jit
    def run(obs, state, traced):
        # Observations are carried from step to step because a policy would read them. If they were only summed, XLA
        # would not store the observations of environments that it compiles itself, such as gymnax's.
        carry = (jax.random.key(3), obs, state, jnp.float32(0))
        _, obs, _, total = jax.lax.scan(functools.partial(body, traced), carry, jnp.arange(length))[0]
        return total + obs.sum()

    def steps(count):
        for _ in range(count):
            jax.block_until_ready(run(*first, traced))
        return count * n * length

    return steps


def rollout_loop(case):
    """Steps MuJoCo's own batch of simulations in threads: physics alone, without observations and rewards."""
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
    """Wraps a loop so that it burns CPU time if the case sets `slow`."""

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
    "sync": bench_side.pool,
    "async": async_loop,
    "gymnasium": gymnasium_loop,
    "gymnasium_sync": gymnasium_sync_loop,
    "gymnasium_async": gymnasium_async_loop,
    "gymnasium_numpy": gymnasium_numpy_loop,
    "ale": bench_side.ale,
    "ale_alone": ale_alone_loop,
    "doom_package": doom_package_loop,
    "gymnax": gymnax_loop,
    "jit": jit_loop,
    "rollout": rollout_loop,
}
# The module whose import is measured for a loop. For other loops it is gymnasium.
IMPORTS = {"sync": "envpool", "async": "envpool", "ale": "ale_py.vector_env", "ale_alone": "ale_py", "gymnax": "gymnax"}


def main():
    case = json.loads(sys.argv[1])
    started = time.perf_counter()
    __import__(case.get("module") or IMPORTS.get(case["loop"], "gymnasium"))
    serve(case, with_slow_down(LOOPS[case["loop"]]), import_s=time.perf_counter() - started)


if __name__ == "__main__":
    main()
