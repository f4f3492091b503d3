# SPDX-License-Identifier: Apache-2.0
"""Compares envpool.jax with gymnax: a jitted scan over a few hundred steps of many environments, with autoreset.

There are three workloads, --loads. In "env", actions are sampled before the clock starts and making keys costs almost
nothing. In "each", every environment also has its own value of each parameter that is a float, such as gravity. In
"full", each step samples every environment's action and splits its key, as users of gymnax do. The interpreter that
--python names needs both packages.

    pip install 'gymnax==0.0.9' && taskset -c 0 python benchmark/in_jit.py --num_envs=2048

--cpu_time gives rates per second of CPU time, which other programs on the machine affect less.

With --peer=pool, the peer is our own pool with one thread, whose actions are sampled before the clock starts too. It
shows whether a jitted program uses the SIMD code that a pool uses, also for environments that gymnax does not have:

    python benchmark/in_jit.py --peer=pool --tasks=LunarLander-v3,BipedalWalker-v3 --loads=env --num_envs=256 --steps=50

By default Asterix is not measured, because gymnax takes minutes for it. To measure it, use
--tasks=Asterix-MinAtar --num_envs=128 --steps=50.
"""

import statistics
from typing import Any

from absl import flags
from harness import (
    PythonSide,
    begin_table,
    define_choices,
    record_of,
    row,
    run,
    take_turns,
    tasks_of_gymnax,
    times,
    write_json,
)

FLAGS = flags.FLAGS
flags.DEFINE_list("tasks", [], "environments (default: all that both packages have)")
flags.DEFINE_enum("peer", "gymnax", ["gymnax", "pool"], "what envpool.jax is compared with")
define_choices("loads", ["env", "each", "full"], "workloads to measure")
flags.DEFINE_integer("num_envs", 2048, "number of environments", lower_bound=1)
flags.DEFINE_integer("steps", 200, "length of the scan", lower_bound=1)
flags.DEFINE_bool("cpu_time", False, "print rates and ratios by CPU time")
FLAGS.set_default("rounds", 5)
FLAGS.set_default("window", 0.4)


def case_of(task: str, load: str, module: str) -> dict[str, Any]:
    """Returns the case of a jitted program, or of our pool."""
    if module == "pool":
        return {"task": task, "loop": "sync", "num_envs": FLAGS.num_envs, "num_threads": 1}
    return {
        "task": task,
        "loop": "jit",
        "load": load,
        "num_envs": FLAGS.num_envs,
        "length": FLAGS.steps,
        "module": module,
    }


def main(_: list[str]) -> None:
    unit = "second of CPU time" if FLAGS.cpu_time else "second"
    print(f"{FLAGS.num_envs} environments, {FLAGS.steps} steps, million env-steps per {unit}\n")
    peer = FLAGS.peer
    modules = {"ours": "envpool.jax", peer: peer}
    begin_table(["environment", "load", *modules.values(), "ratio (quartiles)"])
    results = {}
    for task in FLAGS.tasks or tasks_of_gymnax(FLAGS.python, FLAGS.python):
        for load in FLAGS.loads:
            case = case_of(task, load, "envpool.jax")
            sides = {name: PythonSide(FLAGS.python, case_of(task, load, module)) for name, module in modules.items()}
            turns = take_turns(sides)
            ratio = turns.by_cpu(peer) if FLAGS.cpu_time else turns.ours_over(peer)
            rates = []
            for name in sides:
                per_second = [1 / x for x in turns.cpu_times(name)] if FLAGS.cpu_time else turns.rates(name)
                rates.append(f"{statistics.median(per_second) / 1e6:.3g}")
            print(row([task, load, *rates, times(ratio)]), flush=True)
            by_clock, by_cpu = turns.ours_over(peer), turns.by_cpu(peer)
            result = {"case": case, **record_of(turns), "ours_over": by_clock, "ours_over_by_cpu": by_cpu}
            results[f"{task}, {load}"] = result
    write_json(results=results)


if __name__ == "__main__":
    run(main)
