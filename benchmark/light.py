# SPDX-License-Identifier: Apache-2.0
"""What games cost before they are played: seconds to make a pool of them, and the memory of each.

Memory is what the system gives a process with so many and one with a sixth of them, subtracted, when they have stepped
a little; in it is the batch that the caller holds while the next one is made. EnvPool needs some 0.1 s for each, so it
makes fewer.

    python benchmark/light.py --games=Pong,Breakout
"""

import json
import subprocess

import pool
from absl import flags

FLAGS = flags.FLAGS
flags.DEFINE_list("games", ["Pong"], "which games")
flags.DEFINE_integer("num_envs", 1200, "how many of ours are made", lower_bound=6)
flags.DEFINE_integer("peer_num_envs", 60, "how many of EnvPool's", lower_bound=6)

PROGRAM = """
import json, os, sys, time
import numpy as np
import envpool

task, num_envs = sys.argv[1], int(sys.argv[2])
envpool.make_gymnasium(task, num_envs=1).reset()  # what is imported and loaded once is not counted
started = time.perf_counter()
env = envpool.make_gymnasium(task, num_envs=num_envs, num_threads=2)
made = time.perf_counter() - started
held = env.reset()
for _ in range(5):
    held = env.step(np.zeros(num_envs, np.int32))
with open("/proc/self/statm") as memory:
    resident = int(memory.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
print(json.dumps([made, resident]))
"""


def measure(python: str, task: str, num_envs: int) -> tuple[float, int]:
    """Seconds to make so many, and bytes resident at the end."""
    program = [python, "-I", "-W", "ignore", "-c", PROGRAM, task, str(num_envs)]
    out = subprocess.run(program, check=True, stdout=subprocess.PIPE, text=True).stdout
    seconds, resident = json.loads(out.rstrip().split("\n")[-1])
    return seconds, resident


def main(_: list[str]) -> None:
    sides = {
        "this package": (FLAGS.python, FLAGS.num_envs),
        "EnvPool": (pool.peer_python(), FLAGS.peer_num_envs),
    }
    print("| game | side | environments | s to make them | kB each |\n|---|---|---|---|---|", flush=True)
    for game in FLAGS.games:
        for side, (python, num_envs) in sides.items():
            seconds, resident = measure(python, f"{game}-v5", num_envs)
            few = num_envs // 6
            each = (resident - measure(python, f"{game}-v5", few)[1]) / (num_envs - few) / 1000
            print(f"| {game} | {side} | {num_envs} | {seconds:.2f} | {each:.0f} |", flush=True)


if __name__ == "__main__":
    pool.run(main)
