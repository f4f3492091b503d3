# SPDX-License-Identifier: Apache-2.0
"""What a batch costs on its way from a Ray worker to the driver, and what follows for many machines.

    python benchmark/ray_cost.py --json=build/ray_cost.json     # in an environment that holds Ray

One worker with one thread, beside the same pool in this process, steps in turn: what a step takes longer there is the cost
of the way. Batches grow from a kilobyte to megabytes; `seconds = fixed + per_byte * bytes` is fitted to the medians. The
model then asks of W workers, each stepping b environments of a given cost and size: a driver that receives one batch after
another is kept busy W * (fixed + per_byte * bytes) seconds while the workers need b * step seconds.
"""

import argparse
import json
import statistics
import time

import numpy as np
import ray
from tqdm import tqdm

import envpool
import envpool.ray

CASES = [("CartPole-v1", n) for n in (16, 128, 1024, 8192, 32768)] + [("Pong-v5", n) for n in (1, 8, 32, 128)]
# Seconds of one step of one environment on one core, and bytes of its observation: README's figures.
MODELS = {"CartPole-v1": (6e-8, 16), "Pong-v5": (1.06e-4, 4 * 84 * 84), "HalfCheetah-v5": (2.8e-5, 17 * 8)}


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7, help="times the two take turns (default: 7)")
    parser.add_argument("--window", type=float, default=0.4, help="seconds of one turn (default: 0.4)")
    parser.add_argument("--json", default="", help="file that the results are written to")
    return parser.parse_args()


def seconds_a_step(env, action, window):
    count, started = 0, time.perf_counter()
    while (passed := time.perf_counter() - started) < window:
        env.step(action)
        count += 1
    return passed / count


def measure(task, num_envs, rounds, window):
    with (
        envpool.ray.make(task, num_envs, 1, num_threads=1) as far,
        envpool.make_gymnasium(task, num_envs=num_envs, num_threads=1) as near,
    ):
        action = np.zeros(num_envs, np.int32)
        size = sum(np.asarray(x).nbytes for x in far.reset()[:1])
        near.reset()
        turns = [[seconds_a_step(env, action, window) for env in (far, near)] for _ in range(rounds + 1)][1:]
    there, here = (statistics.median(turn[side] for turn in turns) for side in (0, 1))
    extra = sorted(a - b for a, b in turns)
    return {"task": task, "num_envs": num_envs, "bytes": size, "there": there, "here": here, "extra": extra}


def fitted(results):
    """Least squares of relative errors, so that small batches count as much as large ones."""
    size = np.array([r["bytes"] for r in results], float)
    cost = np.array([max(statistics.median(r["extra"]), 1e-6) for r in results])
    design = np.stack([np.ones_like(size), size], 1) / cost[:, None]
    fixed, per_byte = np.linalg.lstsq(design, np.ones(len(cost)), rcond=None)[0]
    return max(float(fixed), 0.0), max(float(per_byte), 0.0)


def model(fixed, per_byte):
    """For each environment: rows from which on the way costs less than a tenth of the work, and workers a driver feeds."""
    table = []
    for task, (step, size) in MODELS.items():
        rest = 0.1 * step - per_byte * size
        rows = int(np.ceil(fixed / rest)) if rest > 0 else None
        batch = 1024
        workers = batch * step / (fixed + per_byte * batch * size)
        table.append({"task": task, "rows_for_a_tenth": rows, "workers_at_1024_rows": workers})
    return table


def main():
    o = parse()
    ray.init(num_cpus=2, log_to_driver=False)
    results = [measure(task, n, o.rounds, o.window) for task, n in tqdm(CASES, unit=" cases")]
    for r in results:
        low, mid, high = (r["extra"][len(r["extra"]) * q // 4] for q in (1, 2, 3))
        print(
            f"{r['task']:12} {r['num_envs']:6} environments {r['bytes']:10,} bytes  here {r['here'] * 1e6:9.0f} us  "
            f"there {r['there'] * 1e6:9.0f} us  the way {mid * 1e6:7.0f} us ({low * 1e6:.0f} to {high * 1e6:.0f})"
        )
    fixed, per_byte = fitted(results)
    print(f"the way = {fixed * 1e6:.0f} us + {per_byte * 1e9:.3f} ns a byte")
    for row in model(fixed, per_byte):
        rows = row["rows_for_a_tenth"]
        print(
            f"{row['task']:15} a tenth of the work from {rows if rows else 'no number of'} rows a worker on; "
            f"at 1,024 rows one driver keeps up with {row['workers_at_1024_rows']:.1f} workers of one core"
        )
    if o.json:
        with open(o.json, "w") as file:
            json.dump(
                {"results": results, "fixed": fixed, "per_byte": per_byte, "ray": ray.__version__}, file, indent=1
            )


if __name__ == "__main__":
    main()
