# SPDX-License-Identifier: Apache-2.0
"""What a batch costs on its way from a worker to the driver, and what follows for a thousand cores.

    python benchmark/ray_cost.py --json=build/ray_cost.json     # where Ray is installed; not from a folder with envpool/

A worker of one thread, on the driver's node and then on another, steps beside the same pool in this process, in turns.
Both nodes are on this machine, but each has a store of its own, so that large batches go from raylet to raylet over TCP as
they would between machines; the wire itself is missing. CPU times are those of processes, all threads together, of which
other programs of a crowded machine change less:

    way      wall-clock time of a step, less that of the pool here: how much later a batch comes
    driver   CPU time of the driver and of its node's raylet: what one driver has to spend
    worker   CPU time of the worker and of its node's raylet, less that of the pool here (on one node: without raylet)

Ray sends what is at most 100 KiB along with its answer, and puts what is more into a store; each kind is fitted by
`fixed + per_byte * bytes`, by least squares of relative errors.
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

CASES = [("CartPole-v1", n) for n in (16, 128, 1024, 3072, 8192)] + [("Pong-v5", n) for n in (1, 3, 8, 32, 128, 256)]
INLINE = 100 << 10  # bytes; Ray's max_direct_call_object_size
# Seconds of one step of one environment on one core, and bytes of its observation.
MODELS = {"CartPole-v1": (6e-8, 16), "HalfCheetah-v5": (2.8e-5, 17 * 8), "Pong-v5": (1.06e-4, 4 * 84 * 84)}
WIRE = 25e9 / 8  # bytes a second into the driver's machine


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="times the two take turns (default: 5)")
    parser.add_argument("--window", type=float, default=0.5, help="seconds of one turn (default: 0.5)")
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
        size, value = 0, far._value

        def weighed(shard, ref):
            nonlocal size
            arrays = value(shard, ref)
            size = sum(a.nbytes for a in arrays)
            return arrays

        far._value = weighed
        far.reset()
        far._value = value
        near.reset()
        turns = []
        for _ in range(o.rounds + 1):
            there, step = turn(far, action, o.window, [[me, raylets[0]], [worker, *raylets[1:]]])
            there[1 : 1 + len(idle)] -= idle * step  # what a raylet does without us
            here, _ = turn(near, action, o.window, [[me]])
            turns.append([there[0] - here[0], there[1], there[2] - here[1], here[0]])
    way, driver, work, here = (sorted(column) for column in zip(*turns[1:], strict=True))
    return {
        "task": task,
        "num_envs": num_envs,
        "bytes": size,
        "way": way,
        "driver": driver,
        "worker": work,
        "here": here,
    }


def fitted(results, name):
    """Least squares of relative errors, so that small batches count as much as large ones."""
    size = np.array([r["bytes"] for r in results], float)
    cost = np.array([max(statistics.median(r[name]), 1e-6) for r in results])
    design = np.stack([np.ones_like(size), size], 1) / cost[:, None]
    fixed, per_byte = np.linalg.lstsq(design, np.ones(len(cost)), rcond=None)[0]
    return max(float(fixed), 0.0), max(float(per_byte), 0.0)


def model(fits, wire):
    """Cores that one driver keeps busy, `rows * step / driver(rows * size)`, and what follows from it.

    What comes over a wire cannot keep more than `wire * step / size` busy, however large its batches.
    """

    def driver(size):
        fixed, per_byte = fits["small" if size <= INLINE else "large"]["driver"]
        return fixed + per_byte * size

    table = []
    for task, (step, observation) in MODELS.items():
        size = observation + 18  # reward, ends, env_id twice, elapsed_step
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
    """Takes the only CPU of a node, so that workers go elsewhere."""

    def there(self):
        return True


def idle_rates(raylets):
    time.sleep(4)  # what starts a node is over
    before = [cpu_seconds(pid) for pid in raylets]
    time.sleep(3)
    return np.array([cpu_seconds(pid) - b for pid, b in zip(raylets, before, strict=True)]) / 3


def measured(place, o, raylets):
    idle = idle_rates(raylets)
    results = [measure(task, n, o, raylets, idle) for task, n in tqdm(CASES, unit=" cases", desc=place)]
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
            print(f"{place} {kind} {name:6} = {fixed * 1e6:.0f} us + {per_byte * 1e9:.3f} ns a byte")
    table = model(fits, WIRE if place == "other node" else np.inf)
    for row in table:
        print(json.dumps(row))
    return {"results": results, "fits": fits, "model": table}


def main():
    o = parse()
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "object_store_memory": 1 << 30})
    ray.init(address=cluster.address, log_to_driver=False)

    def raylet(node):
        return node.all_processes["raylet"][0].process.pid

    found = {"ray": ray.__version__, "same_node": measured("same node", o, [raylet(cluster.head_node)])}
    occupant = Occupant.remote()
    ray.get(occupant.there.remote())
    other = cluster.add_node(num_cpus=1, object_store_memory=1 << 30)
    found["other_node"] = measured("other node", o, [raylet(cluster.head_node), raylet(other)])
    if o.json:
        with open(o.json, "w") as file:
            json.dump(found, file, indent=1)
    ray.shutdown()
    cluster.shutdown()


if __name__ == "__main__":
    main()
