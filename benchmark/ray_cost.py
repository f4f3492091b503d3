# SPDX-License-Identifier: Apache-2.0
"""What a batch costs on its way from a worker on another node to the driver, and what follows for a thousand cores.

    python benchmark/ray_cost.py --json=build/ray_cost.json     # where Ray is installed; not from a folder with envpool/

A worker of one thread on a node of its own steps beside the same pool in this process, in turns. Both nodes are on this
machine, but each has a store of its own, so that large batches go from raylet to raylet over TCP as they would between
machines; the wire itself is missing. CPU times are those of processes, all threads together, which other programs of a
crowded machine hardly change:

    way      wall-clock time of a step, less that of the pool here: how much later a batch comes
    driver   CPU time of the driver and of its node's raylet: what one driver has to spend
    worker   CPU time of the worker and of its node's raylet, less that of the pool here

Each is fitted by `fixed + per_byte * bytes`, by least squares of relative errors.
"""

import argparse
import json
import os
import statistics
import time
from pathlib import Path

import numpy as np
import ray
from ray.cluster_utils import Cluster
from tqdm import tqdm

import envpool
import envpool.ray

CASES = [("CartPole-v1", n) for n in (16, 128, 1024, 8192, 65536)] + [("Pong-v5", n) for n in (1, 8, 32, 128)]
# Seconds of one step of one environment on one core, and bytes of its row beside the 17 of reward, ends and info.
MODELS = {"CartPole-v1": (6e-8, 16), "HalfCheetah-v5": (2.8e-5, 17 * 8), "Pong-v5": (1.06e-4, 4 * 84 * 84)}
WIRE = 25e9 / 8  # bytes a second into the driver's machine


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="times the two take turns (default: 5)")
    parser.add_argument("--window", type=float, default=1.0, help="seconds of one turn (default: 1)")
    parser.add_argument("--json", default="", help="file that the results are written to")
    return parser.parse_args()


def cpu_seconds(*pids):
    """CPU time that all threads of these processes have had."""
    total = 0
    for pid in pids:
        for thread in Path(f"/proc/{pid}/task").iterdir():
            total += int((thread / "schedstat").read_text().split()[0])
    return total / 1e9


def turn(env, action, window, groups):
    """Seconds of a step, and CPU seconds of it in each group of processes."""
    before = [cpu_seconds(*pids) for pids in groups]
    count, started = 0, time.perf_counter()
    while (passed := time.perf_counter() - started) < window:
        env.step(action)
        count += 1
    spent = [cpu_seconds(*pids) - b for pids, b in zip(groups, before, strict=True)]
    return np.array([passed, *spent]) / count, passed / count


def measure(task, num_envs, o, raylets, idle):
    me = os.getpid()
    with (
        envpool.ray.make(task, num_envs, 1, num_threads=1) as far,
        envpool.make_gymnasium(task, num_envs=num_envs, num_threads=1) as near,
    ):
        worker = ray.get(far._shards[0].actor.__ray_call__.remote(lambda _: os.getpid()))
        action = np.zeros(num_envs, np.int32)
        obs, info = far.reset()
        near.reset()
        rows = far.step(action)
        size = sum(np.asarray(x).nbytes for x in rows[:-1]) + sum(np.asarray(info[k]).nbytes for k in ("env_id",))
        turns = []
        for _ in range(o.rounds + 1):
            there, step = turn(far, action, o.window, [[me, raylets[0]], [worker, raylets[1]]])
            there[1:] -= idle * step  # what a raylet does without us
            here, _ = turn(near, action, o.window, [[me]])
            turns.append([there[0] - here[0], there[1], there[2] - here[1], here[0]])
    way, driver, work, here = (sorted(column) for column in zip(*turns[1:], strict=True))
    return {"task": task, "num_envs": num_envs, "bytes": size, "way": way, "driver": driver, "worker": work, "here": here}


def fitted(results, name):
    """Least squares of relative errors, so that small batches count as much as large ones."""
    size = np.array([r["bytes"] for r in results], float)
    cost = np.array([max(statistics.median(r[name]), 1e-6) for r in results])
    design = np.stack([np.ones_like(size), size], 1) / cost[:, None]
    fixed, per_byte = np.linalg.lstsq(design, np.ones(len(cost)), rcond=None)[0]
    return max(float(fixed), 0.0), max(float(per_byte), 0.0)


def model(driver):
    """Cores that one driver keeps busy, `rows * step / (fixed + per_byte * rows * size)`, and what follows from it."""
    fixed, per_byte = driver
    table = []
    for task, (step, observation) in MODELS.items():
        size = observation + 17

        def rows_for(cores, step=step, size=size):
            left = step / cores - per_byte * size
            return int(np.ceil(fixed / left)) if left > 0 else None

        table.append(
            {
                "task": task,
                "step": step,
                "row_bytes": size,
                "pays_from_rows": rows_for(1),
                "cores_at_rows": {b: b * step / (fixed + per_byte * b * size) for b in (32, 256, 1024, 8192)},
                "rows_for_100_cores": rows_for(100),
                "rows_for_1000_cores": rows_for(1000),
                "most_cores": step / (per_byte * size) if per_byte else None,
                "cores_of_the_wire": WIRE * step / size,
            }
        )
    return table


def main():
    o = parse()
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "object_store_memory": 1 << 30})
    far = cluster.add_node(num_cpus=1, object_store_memory=1 << 30)
    ray.init(address=cluster.address, log_to_driver=False)
    raylets = [node.all_processes["raylet"][0].process.pid for node in (cluster.head_node, far)]
    time.sleep(5)  # what starts a cluster is over
    before = [cpu_seconds(pid) for pid in raylets]
    time.sleep(3)
    idle = np.array([cpu_seconds(pid) - b for pid, b in zip(raylets, before, strict=True)]) / 3
    results = [measure(task, n, o, raylets, idle) for task, n in tqdm(CASES, unit=" cases")]
    for r in results:
        text = f"{r['task']:12} {r['num_envs']:6} rows {r['bytes']:10,} bytes"
        for name in ("here", "way", "driver", "worker"):
            values = np.array(r[name]) * 1e6
            text += f"  {name} {np.median(values):6.0f} ({np.quantile(values, 0.25):.0f} to {np.quantile(values, 0.75):.0f})"
        print(text + " us")
    fits = {name: fitted(results, name) for name in ("way", "driver", "worker")}
    for name, (fixed, per_byte) in fits.items():
        print(f"{name:6} = {fixed * 1e6:.0f} us + {per_byte * 1e9:.3f} ns a byte")
    table = model(fits["driver"])
    for row in table:
        print(json.dumps(row))
    if o.json:
        with open(o.json, "w") as file:
            json.dump({"results": results, "fits": fits, "model": table, "ray": ray.__version__}, file, indent=1)
    ray.shutdown()
    cluster.shutdown()


if __name__ == "__main__":
    main()
