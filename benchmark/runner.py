# SPDX-License-Identifier: Apache-2.0
"""One side of a comparison; pool.py starts it, once a side, under that side's interpreter.

It makes what the JSON in its first argument says, then steps it for as many seconds as each line of its input says, and
answers every line with one of JSON; {"latency": seconds} asks for percentiles of single calls. Between lines it is idle,
so that the sides can take turns.
"""

import importlib.metadata
import itertools
import json
import os
import platform
import re
import sys
import time
from pathlib import Path

import numpy as np

RING = 64  # batches of random actions, drawn before the clock starts


def stepping(step, actions, rows):
    """Steps with actions that go on from call to call: the same few again and again would lead to states of their own."""
    rest = itertools.cycle(actions)

    def steps(count):
        for action in itertools.islice(rest, count):
            step(action)
        return count * rows

    return steps


def sync_loop(case):
    """env.step on the whole batch."""
    import envpool

    env = envpool.make_gymnasium(
        case["task"], num_envs=case["num_envs"], num_threads=case["num_threads"], seed=1, **case["options"]
    )
    env.reset()
    return stepping(env.step, ring_of(env.action_space, case["num_envs"]), case["num_envs"])


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

    return stepping(step, ring(env.action_space.n, case["batch_size"]), case["batch_size"])


def gymnasium_loop(case):
    """One environment of gymnasium, reset when it ends."""
    import gymnasium

    env = gymnasium.make(case["task"])
    env.reset(seed=1)

    def step(action):
        _, _, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            env.reset()

    return stepping(step, ring(env.action_space.n, 1)[:, 0].tolist(), 1)


def ale_loop(case):
    """ale-py's own vector environment: the same skip, pictures and stack, in C++ threads."""
    from ale_py.vector_env import AtariVectorEnv

    batch = case.get("batch_size", case["num_envs"])
    env = AtariVectorEnv(snake_case(case["task"]), case["num_envs"], batch_size=batch, num_threads=case["num_threads"])
    env.reset(seed=1)  # returns the first batch
    # A step sends to the batch that came last, and receives the next.
    return stepping(env.step, ring(env.single_action_space.n, batch), batch)


def gymnasium_processes_loop(case):
    """Gymnasium's AtariPreprocessing and frame stack, a process an environment."""
    import ale_py
    import gymnasium
    from gymnasium.wrappers import AtariPreprocessing, FrameStackObservation

    gymnasium.register_envs(ale_py)
    task = f"ALE/{case['task']}"

    def make():
        return FrameStackObservation(AtariPreprocessing(gymnasium.make(task, frameskip=1)), 4)

    env = gymnasium.vector.AsyncVectorEnv([make] * case["num_envs"], shared_memory=True)
    env.reset(seed=1)
    return stepping(env.step, ring(env.single_action_space.n, case["num_envs"]), case["num_envs"])


def snake_case(task):
    """How ale-py names the ROM of SpaceInvaders-v5."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", task.removesuffix("-v5")).lower()


LOOPS = {
    "sync": sync_loop,
    "async": async_loop,
    "gymnasium": gymnasium_loop,
    "ale": ale_loop,
    "gymnasium_processes": gymnasium_processes_loop,
}


def ring_of(space, batch):
    """Of any space that is a number or a box."""
    if hasattr(space, "n"):
        return ring(space.n, batch)
    values = np.random.default_rng(1).uniform(space.low, space.high, size=(RING, batch, *space.shape))
    return values.astype(space.dtype)


def ring(choices, batch):
    return np.random.default_rng(1).integers(choices, size=(RING, batch), dtype=np.int32)


def busy_seconds():
    """CPU seconds that all processes together have used."""
    ticks = [int(word) for word in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    user, nice, system, _, _, irq, softirq, _ = ticks
    return (user + nice + system + irq + softirq) / 100


def latencies(steps, seconds):
    """Microseconds of single calls, for about `seconds`."""
    clock, taken = time.perf_counter_ns, []
    until = clock() + 1e9 * seconds
    now = clock()
    while now < until:
        before = clock()
        steps(1)
        now = clock()
        taken.append(now - before)
    percentiles = np.percentile(taken, (50, 90, 99)) / 1000
    return {"calls": len(taken), **dict(zip(("p50", "p90", "p99"), percentiles.tolist(), strict=True))}


def resident():
    """Bytes of memory that the process has."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def measure(steps, seconds, chunk):
    """Steps for about `seconds`; the clock is read once every `chunk` calls."""
    busy, cpu, started = busy_seconds(), time.process_time(), time.perf_counter()
    total = 0
    while True:
        total += steps(chunk)
        wall = time.perf_counter() - started
        if wall >= seconds:
            break
    cpu = time.process_time() - cpu
    return {"steps": total, "wall_s": wall, "cpu_s": cpu, "other_cores": max(0.0, (busy_seconds() - busy - cpu) / wall)}


def versions():
    found = {"python": platform.python_version()}
    for name in ("envpool", "numpy", "gymnasium", "ale-py", "mujoco", "jax", "gymnax"):
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = None
    return found


def main(**start):
    """Serves; `start` is answered first, with what becomes known."""
    case = json.loads(sys.argv[1])
    answers, sys.stdout = sys.stdout, sys.stderr  # whatever a package prints is no answer

    def answer(**values):
        print(json.dumps(values), file=answers, flush=True)

    started = time.perf_counter()
    steps = LOOPS[case["loop"]](case)
    steps(1)
    ready = time.perf_counter() - started

    chunk = 1  # so many calls that the clock costs nothing
    while measure(steps, 0, chunk)["wall_s"] < 0.02:
        chunk *= 2
    answer(ready_s=ready, resident=resident(), versions=versions(), **start)
    for line in sys.stdin:
        turn = json.loads(line)
        answer(**(latencies(steps, turn["latency"]) if isinstance(turn, dict) else measure(steps, turn, chunk)))


if __name__ == "__main__":
    main()
