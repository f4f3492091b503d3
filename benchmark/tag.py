# SPDX-License-Identifier: Apache-2.0
"""Tag with 5, 100 and 1,000 players: agent-steps per second through the pool and through a plain C++ loop.

The loop (tag_loop.cc) is around the same functions. Settings are those that WarpDrive trains with.

The sides take turns; a rate is per second of CPU time, of all threads together, so that others on the machine count for
little. A ratio is the median over the rounds of the quotient within a round.

    python benchmark/tag.py                     # all; builds build/benchmark/tag_loop itself
    python benchmark/tag.py --only=1000 --rounds=5
"""

import os
import re
import statistics
import subprocess
import time
from pathlib import Path

import numpy as np
from absl import app, flags

import envpool

HERE = Path(__file__).resolve().parent
FLAGS = flags.FLAGS
flags.DEFINE_integer("rounds", 7, "how often each side has its turn", lower_bound=1)
flags.DEFINE_float("window", 0.5, "seconds of CPU time of one turn")
flags.DEFINE_string("only", "", "measure only the cases whose name holds this")

# Worlds, taggers, runners, how many of the nearest are observed (0: all).
CASES = {
    "5 players, all seen": (200, 1, 4, 0),
    "100 players, 10 seen": (20, 5, 95, 10),
    "1000 players, 10 seen": (4, 50, 950, 10),
    "1000 players, 2 seen": (4, 5, 995, 2),
}


def build() -> Path:
    """The plain loop."""
    program = Path("build/benchmark/tag_loop").resolve()
    program.parent.mkdir(parents=True, exist_ok=True)
    compiler = os.environ.get("CXX", "c++")
    command = [compiler, "-std=c++20", "-O3", "-ffp-contract=off", f"-I{HERE.parent}"]
    subprocess.run([*command, str(HERE / "tag_loop.cc"), "-o", str(program)], check=True)
    return program


class Pool:
    """TagContinuous in a pool, with a ring of random actions."""

    def __init__(self, worlds: int, taggers: int, runners: int, seen: int, num_threads: int):
        self.rows = worlds * (taggers + runners)
        self.env = envpool.make_gymnasium(
            "TagContinuous-v0",
            num_envs=worlds,
            num_threads=num_threads,
            num_taggers=taggers,
            num_runners=runners,
            use_full_observation=seen == 0,
            num_other_agents_observed=max(seen, 1),
            grid_length=20.0,
            episode_length=500,
            max_acceleration=0.1,
            min_acceleration=-0.1,
            max_turn=2.356,
            min_turn=-2.356,
            num_acceleration_levels=20,
            num_turn_levels=20,
            tagging_distance=0.02,
        )
        random = np.random.default_rng(1)
        self.actions = [random.integers(0, 21, (self.rows, 2), dtype=np.int32) for _ in range(8)]
        self.env.reset()

    def turn(self) -> float:
        """Agent-steps per second of CPU time."""
        cpu, steps = time.process_time(), 0
        while time.process_time() - cpu < FLAGS.window:
            for action in self.actions:
                self.env.step(action)
            steps += len(self.actions) * self.rows
        return steps / (time.process_time() - cpu)


def main(_: list[str]) -> None:
    program = build()
    print("| TagContinuous | one thread | two threads, per core | plain loop | pool / loop |")
    print("|---|---|---|---|---|")
    for name, case in CASES.items():
        if FLAGS.only not in name:
            continue
        one, two = Pool(*case, num_threads=1), Pool(*case, num_threads=2)
        rounds = []
        for _ in range(FLAGS.rounds):
            command = [str(program), *map(str, case), str(FLAGS.window)]
            out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            loop = float(re.search(r"([0-9]+) agent-steps", out).group(1))
            rounds.append((one.turn(), two.turn(), loop))
        single, both, loop = (statistics.median(column) / 1e6 for column in zip(*rounds, strict=True))
        ratio = statistics.median(single / loop for single, _, loop in rounds)
        print(f"| {name} | {single:.2f} M | {both:.2f} M | {loop:.2f} M | **{ratio:.2f}** |", flush=True)


if __name__ == "__main__":
    app.run(main)
