# SPDX-License-Identifier: Apache-2.0
"""Measures what it costs to bring a batch from a Ray worker to the driver, and extrapolates to a thousand cores.

    python benchmark/ray_cost.py --json=build/ray_cost.json     # with a Python that has Ray and this package

A worker with a pool of one thread takes turns with an equal pool in this process (the driver). All cases are measured
twice: with the worker on the driver's node, and with the worker on another node. Both nodes are on this machine, but
each has its own object store. Large batches therefore go from raylet to raylet over TCP, as between machines, but
without a network. The table has CPU times of whole processes, because other programs on the machine affect CPU time
little. The results of a case are:

    way      latency that Ray adds to a step: its wall-clock time, minus that of the pool in this process
    driver   CPU time that a step costs the driver and its node's raylet
    worker   CPU time that a step costs the worker and its node's raylet, minus that of the pool in this process
             (if they are on the same node, its raylet counts only under "driver")
    here     wall-clock time of a step of the pool in this process

Ray sends a result of up to 100 KiB with its reply, and puts a larger one into an object store. The script fits
`fixed + per_byte * bytes` to each of the two kinds, by least squares of relative errors.
"""

import json
import os
import statistics
import time
from pathlib import Path
from typing import Any

import numpy as np
import ray
from absl import flags
from harness import run, take_turns, write_json
from ray.cluster_utils import Cluster
from tqdm import tqdm

import envpool
import envpool.ray

FLAGS = flags.FLAGS
FLAGS.set_default("rounds", 5)
FLAGS.set_default("window", 0.5)

CASES = [("CartPole-v1", n) for n in (16, 128, 1024, 3072, 8192)] + [("Pong-v5", n) for n in (1, 3, 8, 32, 128, 256)]
INLINE = 100 << 10  # bytes; Ray's max_direct_call_object_size
# The values are the seconds per step of one environment on one core, and the bytes of its observation.
MODELS = {"CartPole-v1": (6e-8, 16), "HalfCheetah-v5": (2.8e-5, 17 * 8), "Pong-v5": (1.06e-4, 4 * 84 * 84)}
WIRE = 25e9 / 8  # bytes per second that the driver's machine can receive


def cpu_seconds(*pids):
    """Returns the CPU time that all threads of some processes have used."""
    total = 0
    for pid in pids:
        for thread in Path(f"/proc/{pid}/task").iterdir():
            total += int((thread / "schedstat").read_text().split()[0])
    return total / 1e9


class PoolSide:
    """Steps a pool, and measures the CPU times of the driver's and the worker's processes.

    `idle` is the CPU time per second that the raylets use without work. It is subtracted.
    """

    def __init__(self, env: Any, driver: list[int], worker: list[int], idle: tuple[float, float] = (0.0, 0.0)) -> None:
        self.env, self.groups, self.idle = env, (driver, worker), idle
        self.action = np.zeros(env.config["num_envs"], np.int32)
        env.reset()

    def turn(self, seconds: float) -> dict[str, Any]:
        before = [cpu_seconds(*pids) for pids in self.groups]
        count, started = 0, time.perf_counter()
        while (passed := time.perf_counter() - started) < seconds:
            self.env.step(self.action)
            count += 1
        spent = [cpu_seconds(*pids) - b for pids, b in zip(self.groups, before, strict=True)]
        driver, worker = ((cpu - rate * passed) / count for cpu, rate in zip(spent, self.idle, strict=True))
        return {"step": passed / count, "driver": driver, "worker": worker}

    def close(self) -> None:
        self.env.close()


def measure(task, num_envs, raylets, idle):
    far_pool = envpool.ray.make(task, num_envs, 1, num_threads=1)
    near_pool = envpool.make_gymnasium(task, num_envs=num_envs, num_threads=1)
    worker = ray.get(far_pool._shards.all[0].actor.__ray_call__.remote(lambda _: os.getpid()))
    size, value = 0, far_pool._value

    def value_with_size(shard, ref):
        nonlocal size
        arrays = value(shard, ref)
        size = sum(a.nbytes for a in arrays)
        return arrays

    far_pool._value = value_with_size  # the constructor of PoolSide resets the pool, which records the size
    far = PoolSide(far_pool, [os.getpid(), raylets[0]], [worker, *raylets[1:]], (*idle, 0.0)[:2])
    far_pool._value = value
    turns = take_turns({"far": far, "near": PoolSide(near_pool, [os.getpid()], [])})
    pairs = [(round_["far"], round_["near"]) for round_ in turns.rounds]
    return {
        "task": task,
        "num_envs": num_envs,
        "bytes": size,
        "way": sorted(far["step"] - near["step"] for far, near in pairs),
        "driver": sorted(far["driver"] for far, _ in pairs),
        "worker": sorted(far["worker"] - near["driver"] for far, near in pairs),
        "here": sorted(near["step"] for _, near in pairs),
    }


def fitted(results, name):
    """Returns the fitted fixed cost and cost per byte.

    It uses relative errors, so small batches count as much as large ones.
    """
    size = np.array([r["bytes"] for r in results], float)
    cost = np.array([max(statistics.median(r[name]), 1e-6) for r in results])
    design = np.stack([np.ones_like(size), size], 1) / cost[:, None]
    fixed, per_byte = np.linalg.lstsq(design, np.ones(len(cost)), rcond=None)[0]
    return max(float(fixed), 0.0), max(float(per_byte), 0.0)


def model(fits, wire):
    """Estimates for each task how many cores one driver keeps busy: `rows * step / driver(rows * size)`.

    If batches come over a network, no batch size keeps more than `wire * step / size` cores busy.
    """

    def driver(size):
        fixed, per_byte = fits["small" if size <= INLINE else "large"]["driver"]
        return fixed + per_byte * size

    table = []
    for task, (step, observation) in MODELS.items():
        size = observation + 18  # reward, terminated, truncated, env_id twice, elapsed_step
        cores = {rows: rows * step / driver(rows * size) for rows in range(1, 1 << 17)}
        most = min(step / max(fits["large"]["driver"][1] * size, 1e-12), wire * step / size)
        table.append(
            {
                "task": task,
                "step": step,
                "row_bytes": size,
                "rows_for_cores": {n: next((r for r, c in cores.items() if c >= n), None) for n in (1, 10, 100)},
                "cores_at_rows": {rows: cores[rows] for rows in (32, 256, 1024, 8192)},
                "most_cores": most,
                "drivers_for_1000_cores": int(np.ceil(1000 / most)),
            }
        )
    return table


@ray.remote(num_cpus=1)
class Occupant:
    """Occupies the only CPU of a node, so that workers start on another one."""

    def there(self):
        return True


def idle_rates(raylets):
    """Returns the CPU seconds that each raylet uses per second while it is idle."""
    time.sleep(4)  # lets the node finish starting
    before = [cpu_seconds(pid) for pid in raylets]
    time.sleep(3)
    return np.array([cpu_seconds(pid) - b for pid, b in zip(raylets, before, strict=True)]) / 3


def measure_all(place, raylets):
    idle = idle_rates(raylets)
    results = [measure(task, n, raylets, idle) for task, n in tqdm(CASES, unit=" cases", desc=place)]
    for r in results:
        text = f"{place} {r['task']:12} {r['num_envs']:6} rows {r['bytes']:10,} bytes"
        for name in ("here", "way", "driver", "worker"):
            low, mid, high = np.quantile(np.array(r[name]) * 1e6, [0.25, 0.5, 0.75])
            text += f"  {name} {mid:.0f} ({low:.0f} to {high:.0f})"
        print(text + " us")
    fits = {}
    for kind in ("small", "large"):
        some = [r for r in results if (r["bytes"] <= INLINE) == (kind == "small")]
        fits[kind] = {name: fitted(some, name) for name in ("way", "driver", "worker")}
        for name, (fixed, per_byte) in fits[kind].items():
            print(f"{place} {kind} {name:6} = {fixed * 1e6:.0f} us + {per_byte * 1e9:.3f} ns per byte")
    table = model(fits, WIRE if place == "other node" else np.inf)
    for row in table:
        print(json.dumps(row))
    return {"results": results, "fits": fits, "model": table}


def main(_):
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "object_store_memory": 1 << 30})
    try:
        ray.init(address=cluster.address, log_to_driver=False)

        def raylet(node):
            return node.all_processes["raylet"][0].process.pid

        found = {"ray": ray.__version__, "same_node": measure_all("same node", [raylet(cluster.head_node)])}
        occupant = Occupant.remote()
        ray.get(occupant.there.remote())
        other = cluster.add_node(num_cpus=1, object_store_memory=1 << 30)
        found["other_node"] = measure_all("other node", [raylet(cluster.head_node), raylet(other)])
        write_json(**found)
    finally:
        ray.shutdown()
        cluster.shutdown()


if __name__ == "__main__":
    run(main)
