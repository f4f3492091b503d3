# SPDX-License-Identifier: Apache-2.0
"""Programs of JAX with environments and pools in them, whose results must be the same bits on every platform.

    python jitted.py scan results.npz        writes the arrays that a program returns
    python jitted.py --time 2048             prints steps per second as JSON

JAX runs them on its default platform, or on the one that $JAX_PLATFORMS names; gpu_proof.py compares two runs.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import envpool
import envpool.jax
from tests.proof.jax_programs import IDS, POOLS, WORLDS

Arrays = dict[str, Any]

LIMIT = 40  # steps of an episode, so that each program has resets


def drawn(task_id: str, *extents: int, **options: Any) -> Any:
    """Returns random actions of shape (*extents, ...), with an axis of players if each of several acts."""
    spec = envpool.make_spec(task_id, **options)
    most, space = spec.arrays.actors, spec.action_space
    rng, shape = np.random.default_rng(5), (*extents, *([most] if most > 1 else []))
    if hasattr(space, "nvec"):
        return rng.integers(0, space.nvec, (*shape, *space.nvec.shape), np.int32)
    if hasattr(space, "n"):
        return rng.integers(0, space.n, shape, np.int32)
    return rng.uniform(-1, 1, (*shape, *space.shape)).astype(space.dtype)


def flat(name: str, tree: Any) -> Arrays:
    """Returns the arrays of a tree by name."""
    return {f"{name} {number}": np.asarray(leaf) for number, leaf in enumerate(jax.tree.leaves(tree))}


def stepped(params: Any, state: Any, actions: Any, step: Callable[..., Any]) -> list[Any]:
    """Returns the results of each step of a Python loop."""
    seen = []
    for action in actions:
        obs, state, *rest = step(state, action, params)
        seen.append((np.asarray(obs), np.asarray(state.raw), jax.tree.map(np.asarray, rest)))
    return seen


# --- the programs ---


def jit() -> Arrays:
    """Steps in a Python loop of jitted calls, once with a key for each step, once with the state's own generator."""
    found = {}
    for task_id in IDS:
        env, params = envpool.jax.make(task_id, max_episode_steps=LIMIT)
        obs, state = jax.jit(env.reset_batch, static_argnums=1)(jax.random.key(7), 33, params)
        keyed = jax.jit(lambda state, action, params, env=env: env.step_batch(jax.random.key(3), state, action, params))
        plain = jax.jit(lambda state, action, params, env=env: env.step_batch(None, state, action, params))
        actions = drawn(task_id, 60, 33)
        found |= flat(f"{task_id} first", (obs, state.raw))
        found |= flat(f"{task_id} keyed", stepped(params, state, actions[:10], keyed))
        found |= flat(f"{task_id} steps", stepped(params, state, actions, plain))
    return found


def _scanned(task_id: str, rows: int, steps: int, **options: Any) -> Arrays:
    env, params = envpool.jax.make(task_id, max_episode_steps=LIMIT, **options)

    @jax.jit
    def play(key: Any, actions: Any) -> Any:
        def step(state: Any, action: Any) -> Any:
            obs, state, reward, done, info = env.step_batch(None, state, action, params)
            return state, (obs, reward, done, info)

        state, seen = jax.lax.scan(step, env.reset_batch(key, rows, params)[1], actions)
        return state.raw, seen

    return flat(task_id, play(jax.random.key(1), jnp.asarray(drawn(task_id, steps, rows, **options))))


def scan() -> Arrays:
    """Steps in a jitted scan, which XLA compiles to a loop."""
    found = {}
    for task_id in IDS:
        found |= _scanned(task_id, 64, 100)
    return found


def players() -> Arrays:
    """Does the same as `scan` with worlds of several players."""
    found = {}
    for task_id, options in WORLDS.items():
        found |= _scanned(task_id, 17, 70, **options)
    return found


def atari() -> Arrays:
    """Does the same as `scan` with two games."""
    return _scanned("Pong-v5", 4, 40) | _scanned("Breakout-v5", 4, 40)


def robots() -> Arrays:
    """Does the same as `scan` with robots."""
    return _scanned("HalfCheetah-v5", 64, 60) | _scanned("Ant-v5", 64, 60)


def vmap() -> Arrays:
    """Maps over keys, states, actions and parameters, in two nested axes."""
    found = {}
    for task_id in IDS[:4]:
        env, params = envpool.jax.make(task_id, max_episode_steps=LIMIT)
        keys = jax.random.split(jax.random.key(2), (3, 5))
        step = jax.jit(jax.vmap(jax.vmap(env.step, (0, 0, 0, None)), (0, 0, 0, None)))
        obs, state = jax.jit(jax.vmap(jax.vmap(env.reset, (0, None)), (0, None)))(keys, params)
        found |= flat(f"{task_id} first", (obs, state.raw))
        for number, action in enumerate(drawn(task_id, 20, 3, 5)):
            obs, state, *rest = step(keys, state, action, params)
            found |= flat(f"{task_id} {number}", (obs, state.raw, rest))
        one = jax.tree.map(lambda x: x[0, 0], state)
        found |= flat(
            f"{task_id} one state", jax.vmap(lambda x, env=env, one=one: env.step(None, one, x))(action[0])[0]
        )
    return found


def donated() -> Arrays:
    """Donates the state, so that a step works in place."""
    found = {}
    for task_id in (*IDS[:4], "TagGridWorld-v0"):
        env, params = envpool.jax.make(task_id, max_episode_steps=LIMIT)
        step = jax.jit(
            lambda state, action, env=env, params=params: env.step_batch(None, state, action, params), donate_argnums=0
        )
        state = env.reset_batch(jax.random.key(4), 65, params)[1]
        for number, action in enumerate(drawn(task_id, 50, 65)):
            given = state
            obs, state, *rest = step(given, action)
            found |= flat(f"{task_id} {number}", (obs, rest))
        found |= flat(f"{task_id} state", state.raw)
    return found


def parameters() -> Arrays:
    """Gives each row parameters of its own, and reads and replaces parts of states and of parameters inside jit."""
    env, params = envpool.jax.make("CartPole-v1", max_episode_steps=LIMIT)
    gravity = jnp.asarray(np.linspace(1, 30, 64, dtype=np.float32))  # XLA's own linspace rounds differently on a GPU
    limits = jnp.arange(5, 69)

    @jax.jit
    def play(actions: Any, gravity: Any, limits: Any) -> Any:
        rows = params.replace(gravity=gravity, max_episode_steps=limits)
        state = env.reset_batch(jax.random.key(9), 64, rows)[1]

        def step(state: Any, action: Any) -> Any:
            state = state.replace(velocity=state.velocity * 0.5)
            obs, state, reward, done, info = env.step_batch(None, state, action, rows)
            return state, (obs, reward, done, info, state.angle, state.elapsed_step)

        state, seen = jax.lax.scan(step, state, actions)
        return state.raw, jax.tree.leaves(rows), seen

    return flat("rows", play(jnp.asarray(drawn("CartPole-v1", 80, 64)), gravity, limits))


def pool(**options: Any) -> Arrays:
    """Steps a pool of environments on the CPU from jitted code (env.xla())."""
    found = {}
    for task_id, make in zip(POOLS, (envpool.make_gymnasium, envpool.make_dm), strict=True):
        with make(task_id, num_envs=16, seed=3, max_episode_steps=LIMIT, **options) as env:
            env.reset()
            handle, _, _, step = env.xla()
            play = jax.jit(lambda handle, actions, step=step: jax.lax.scan(step, handle, actions)[1])
            found |= flat(task_id, play(handle, jnp.asarray(drawn(task_id, 60, 16))))
    return found


def device_pool() -> Arrays:
    """Steps a pool on the platform that JAX uses."""
    on_cpu = jax.default_backend() == "cpu" and not os.environ.get("ENVPOOL_STANDIN_XLA")
    return pool() if on_cpu else pool(device="cuda")


def refused() -> Arrays:
    """Records whether a bad action in a jitted program raises an error with its row, and whether JAX still works."""
    env, params = envpool.jax.make("CartPole-v1")
    state = env.reset_batch(jax.random.key(4), 9, params)[1]
    step = jax.jit(lambda state, action: env.step_batch(None, state, action, params))
    named = []
    for row in (5, 0):
        try:
            jax.block_until_ready(step(state, jnp.zeros(9, jnp.int32).at[row].set(7)))
            jax.block_until_ready(step(state, jnp.zeros(9, jnp.int32)))  # on a GPU, this call raises the error
            named.append(False)
        except Exception as error:  # noqa: BLE001  (JAX's own type differs between versions)
            named.append(f"row {row}" in str(error) and "CartPole-v1" in str(error))
    obs = step(state, jnp.zeros(9, jnp.int32))[0]
    return {"named": np.asarray(named), "all": np.asarray([all(named)]), "obs": np.asarray(obs)}


PROGRAMS: dict[str, Callable[[], Arrays]] = {
    each.__name__: each
    for each in (jit, scan, vmap, donated, players, parameters, pool, device_pool, refused, atari, robots)
}


# --- speed ---


def _ours(num_envs: int, steps: int) -> Callable[[Any], Any]:
    env, params = envpool.jax.make("CartPole-v1")

    @jax.jit
    def play(key: Any) -> Any:
        def step(state: Any, key: Any) -> Any:
            action = jax.random.randint(key, (num_envs,), 0, 2)
            obs, state, reward, *_ = env.step_batch(None, state, action, params)
            return state, reward.sum() + obs.sum()

        return jax.lax.scan(step, env.reset_batch(key, num_envs, params)[1], jax.random.split(key, steps))[1].sum()

    return play


def _gymnax(num_envs: int, steps: int) -> Callable[[Any], Any]:
    import gymnax

    env, params = gymnax.make("CartPole-v1")

    @jax.jit
    def play(key: Any) -> Any:
        def step(state: Any, key: Any) -> Any:
            action = jax.random.randint(key, (num_envs,), 0, 2)
            keys = jax.random.split(key, num_envs)
            obs, state, reward, *_ = jax.vmap(env.step, (0, 0, 0, None))(keys, state, action, params)
            return state, reward.sum() + obs.sum()

        state = jax.vmap(env.reset, (0, None))(jax.random.split(key, num_envs), params)[1]
        return jax.lax.scan(step, state, jax.random.split(key, steps))[1].sum()

    return play


def timed(num_envs: int, steps: int = 1000, turns: int = 5) -> dict[str, Any]:
    """Returns the steps per second of CartPole in a jitted scan, ours and gymnax's in turn, as medians.

    Both draw a random action for every environment. gymnax also splits a key for each, which its resets need.
    """
    sides, missing = {"ours": _ours(num_envs, steps)}, ""
    try:
        sides["gymnax"] = _gymnax(num_envs, steps)
    except ImportError as error:
        missing = str(error)
    seconds: dict[str, list[float]] = {side: [] for side in sides}
    for side in sides.values():
        jax.block_until_ready(side(jax.random.key(0)))
    for turn in range(turns):
        for name, side in sides.items():
            begun = time.perf_counter()
            jax.block_until_ready(side(jax.random.key(turn)))
            seconds[name].append(time.perf_counter() - begun)
    rates = {name: num_envs * steps / statistics.median(taken) for name, taken in seconds.items()}
    return {
        "device": jax.devices()[0].device_kind,
        "num_envs": num_envs,
        "steps_per_second": rates["ours"],
        "microseconds_per_call": num_envs / rates["ours"] * 1e6,
        **({"gymnax": rates["gymnax"], "over_gymnax": rates["ours"] / rates["gymnax"]} if not missing else {}),
        **({"without_gymnax": missing} if missing else {}),
    }


def main() -> None:
    """Runs a program, or measures the speed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", choices=list(PROGRAMS))
    parser.add_argument("out", nargs="?", type=Path)
    parser.add_argument("--time", type=int, help="number of environments")
    parser.add_argument("--steps", type=int, default=1000)
    arguments = parser.parse_args()
    if arguments.time:
        print(json.dumps(timed(arguments.time, arguments.steps)))
    else:
        np.savez(arguments.out, **PROGRAMS[arguments.program]())
    driver = os.environ.get("ENVPOOL_LIBCUDA", "")
    on_device = arguments.program != "pool"  # its pools are on the CPU
    loaded = os.path.realpath(driver) in Path("/proc/self/maps").read_text()
    if os.environ.get("ENVPOOL_STANDIN_XLA") and on_device and not loaded:
        raise RuntimeError(f"the program did not use the stand-in {driver!r}")


if __name__ == "__main__":
    main()
