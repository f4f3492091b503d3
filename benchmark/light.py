# SPDX-License-Identifier: Apache-2.0
"""Measures the seconds to make a pool of Atari games, and the memory of each game.

For the memory of a game, two processes take a few steps, one with all of the environments and one with a sixth of them.
The difference in resident size is divided by the difference in number. The result includes the batch that the caller
holds while the next one is made. The released EnvPool takes about 0.1 s to make a game, so fewer of its games are made.

    python benchmark/light.py --games=Pong,Breakout
"""

import json
import subprocess

from absl import flags
from harness import begin_table, peer_python, row, run, write_json

FLAGS = flags.FLAGS
flags.DEFINE_list("games", ["Pong"], "games to make")
flags.DEFINE_integer("num_envs", 1200, "environments of this package", lower_bound=6)
flags.DEFINE_integer("peer_num_envs", 60, "environments of the released EnvPool", lower_bound=6)

PROGRAM = """
import json, os, sys, time
import numpy as np
import envpool

task, num_envs = sys.argv[1], int(sys.argv[2])
envpool.make_gymnasium(task, num_envs=1).reset()  # imports and the ROM are loaded once and not counted
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
    """Returns the seconds to make a pool, and the resident size of the process at the end in bytes."""
    program = [python, "-I", "-W", "ignore", "-c", PROGRAM, task, str(num_envs)]
    out = subprocess.run(program, check=True, stdout=subprocess.PIPE, text=True).stdout
    seconds, resident = json.loads(out.rstrip().split("\n")[-1])
    return seconds, resident


def main(_: list[str]) -> None:
    sides = {
        "this package": (FLAGS.python, FLAGS.num_envs),
        "EnvPool": (peer_python(), FLAGS.peer_num_envs),
    }
    begin_table(["game", "side", "environments", "s to make them", "kB each"])
    results = []
    for game in FLAGS.games:
        for side, (python, num_envs) in sides.items():
            seconds, resident = measure(python, f"{game}-v5", num_envs)
            few = num_envs // 6
            each = (resident - measure(python, f"{game}-v5", few)[1]) / (num_envs - few) / 1000
            print(row([game, side, num_envs, f"{seconds:.2f}", f"{each:.0f}"]), flush=True)
            results.append({"game": game, "side": side, "num_envs": num_envs, "make_s": seconds, "kb_each": each})
    write_json(results=results)


if __name__ == "__main__":
    run(main)
