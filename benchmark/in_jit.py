# SPDX-License-Identifier: Apache-2.0
"""envpool.jax and gymnax in one process: a jitted scan of some hundred steps of many environments, with autoreset.

Two loads: "env" steps with actions that are made before the clock starts and keys that cost nothing; "full" draws each
environment's action and splits its key at each step, as gymnax's users do. Sides take turns, the best turn counts.
Observations are carried from step to step, where a policy would read them: were they summed up, XLA would never write
those of an environment that it compiles itself.

Both sides run on the CPUs that the process may use:

    pip install 'gymnax==0.0.9' && taskset -c 0 python benchmark/in_jit.py --num_envs=2048

On a machine that others use too, --cpu_time counts the processor's time instead: it is right with one CPU.

gymnax's Asterix is left out, for it takes minutes: --tasks=Asterix-MinAtar --num_envs=128 --steps=50.
"""

import json
import time
from collections.abc import Callable
from typing import Any

import gymnax
import jax
import jax.numpy as jnp
from absl import app, flags

import envpool.jax

FLAGS = flags.FLAGS
flags.DEFINE_list("tasks", [], "which environments; by default all that both have")
flags.DEFINE_list("loads", ["env", "full"], "which loads")
flags.DEFINE_integer("num_envs", 2048, "how many at a time", lower_bound=1)
flags.DEFINE_integer("steps", 200, "length of the scan", lower_bound=1)
flags.DEFINE_integer("turns", 5, "turns of each side", lower_bound=1)
flags.DEFINE_bool("cpu_time", False, "count what the process computed, not what the clock shows")
flags.DEFINE_string("json", "", "file for the numbers")

# Asterix takes gymnax minutes, and its SimpleBandit cannot step.
LEFT_OUT = {"Asterix-MinAtar", "SimpleBandit-bsuite"}


def shared_tasks() -> list[str]:
    """What both have."""
    ours = set(envpool.list_all_envs())
    return [task for task in gymnax.registered_envs if task in ours - LEFT_OUT]


def batch_of(env: Any, params: Any) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """reset(key) and step(keys, states, actions) of a batch. Ours takes one key, or none."""
    n = FLAGS.num_envs
    if isinstance(env, envpool.jax.Environment):
        return lambda key: env.reset_batch(key, n, params), lambda keys, s, a: env.step_batch(keys, s, a, params)
    step = jax.vmap(env.step, (0, 0, 0, None))
    return lambda key: jax.vmap(env.reset, (0, None))(jax.random.split(key, n), params), lambda k, s, a: step(
        k, s, a, params
    )


def rollout(env: Any, params: Any, load: str) -> Callable[[], Any]:
    """One turn's work, compiled: it returns what depends on every step."""
    n, ours = FLAGS.num_envs, isinstance(env, envpool.jax.Environment)
    reset, step = batch_of(env, params)
    space = env.action_space(params)
    ring = jax.vmap(jax.vmap(space.sample))(jax.random.split(jax.random.key(1), (64, n)))
    # Legacy keys: adding to them costs nothing, and XLA cannot move the resets that they lead to out of the loop.
    fixed = jax.random.bits(jax.random.key(2), (n, 2), jnp.uint32)

    def body(carry: Any, t: Any) -> Any:
        key, state, total, _ = carry
        if load == "env":
            keys, actions = None if ours else fixed + t.astype(jnp.uint32), ring[t % 64]
        else:
            key, draw, use = jax.random.split(key, 3)
            actions = jax.vmap(space.sample)(jax.random.split(draw, n))
            keys = use if ours else jax.random.split(use, n)
        obs, state, reward, done, _ = step(keys, state, actions)
        return (key, state, total + reward.sum() + done.sum(), obs), None

    @jax.jit
    def run(key: Any) -> Any:
        obs, state = reset(key)
        _, _, total, obs = jax.lax.scan(body, (key, state, jnp.float32(0), obs), jnp.arange(FLAGS.steps))[0]
        return total + obs.sum()

    return lambda: jax.block_until_ready(run(jax.random.key(0)))


def main(_: list[str]) -> None:
    work = FLAGS.num_envs * FLAGS.steps
    clock = time.process_time if FLAGS.cpu_time else time.perf_counter
    results = []
    print(f"{FLAGS.num_envs} environments, {FLAGS.steps} steps, jax {jax.__version__}, million env-steps a second\n")
    print("| environment | load | envpool.jax | gymnax | ratio |\n|---|---|---|---|---|", flush=True)
    for task in FLAGS.tasks or shared_tasks():
        for load in FLAGS.loads:
            sides = [rollout(*module.make(task), load) for module in (envpool.jax, gymnax)]
            best = [float("inf")] * 2
            for side in sides:
                side()
            for _ in range(FLAGS.turns):
                for i, side in enumerate(sides):
                    started = clock()
                    side()
                    best[i] = min(best[i], clock() - started)
            ours, theirs = (work / seconds / 1e6 for seconds in best)
            print(f"| {task} | {load} | {ours:.1f} | {theirs:.1f} | {ours / theirs:.1f} |", flush=True)
            results.append({"task": task, "load": load, "envpool": ours, "gymnax": theirs})
    if FLAGS.json:
        with open(FLAGS.json, "w") as file:
            json.dump(results, file, indent=2)


if __name__ == "__main__":
    app.run(main)
