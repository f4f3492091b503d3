# SPDX-License-Identifier: Apache-2.0
"""Measures what a pool's statistics cost, beside gymnasium's vector wrappers: ``python benchmark/normalization.py``.

Each row compares pools that take turns: one without statistics, one with the option, and one without it in gymnasium's
wrapper. A turn is measured in CPU time of the process. The printed costs are medians over the rounds of the quotients
with the pool without statistics: the share of its step that the option adds, and the number of its steps that pass while
the wrapper works once.
"""

import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from absl import app, flags
from gymnasium.wrappers.vector import NormalizeObservation, NormalizeReward, RecordEpisodeStatistics

import envpool

FLAGS = flags.FLAGS
flags.DEFINE_list("tasks", ["CartPole-v1", "Pong-v5"], "ids")
flags.DEFINE_list("num_envs", ["64", "1024"], "numbers of environments")
flags.DEFINE_integer("num_threads", 1, "threads of each pool", lower_bound=1)
flags.DEFINE_integer("rounds", 15, "turns of each pool", lower_bound=1)
flags.DEFINE_float("window", 0.1, "seconds of one turn", lower_bound=0)
flags.DEFINE_string("json", None, "file to which the results are written")

WRAPPERS: dict[str, Callable[[Any], Any]] = {
    "episode_statistics": RecordEpisodeStatistics,
    "normalize_obs": NormalizeObservation,
    "normalize_reward": NormalizeReward,
}


class Turns:
    """A pool that is stepped for one turn at a time."""

    def __init__(self, env: Any, action: Any) -> None:
        self._env, self._action, self._steps = env, action, 1
        env.reset()

    def measure(self) -> float:
        """Steps the pool for the length of a turn, and returns the seconds of CPU time per step."""
        spent, begin = 0.0, time.process_time()
        while spent < FLAGS.window:
            for _ in range(self._steps):
                self._env.step(self._action)
            spent, count = time.process_time() - begin, self._steps
            if spent < FLAGS.window:
                self._steps, begin = 2 * self._steps, time.process_time()
        return spent / count


def costs(task_id: str, num_envs: int, name: str) -> tuple[float, float, float]:
    """Returns the seconds of a step, and what the option and the wrapper add to it as a part of that step."""
    options = {"num_envs": num_envs, "num_threads": FLAGS.num_threads, "seed": 1}
    names = [*WRAPPERS] if name == "all" else [name]
    plain = envpool.make_vec(task_id, **options)
    action = np.stack([plain.single_action_space.sample()] * num_envs)
    wrapped: Any = envpool.make_vec(task_id, **options)
    for each in names:
        wrapped = WRAPPERS[each](wrapped)
    sides = [plain, envpool.make_vec(task_id, **dict.fromkeys(names, True), **options), wrapped]
    turns = [Turns(env, action) for env in sides]
    for each in turns:
        each.measure()  # finds the number of steps of a turn
    rounds = []
    for index in range(FLAGS.rounds):
        order = [(index + k) % 3 for k in range(3)]
        seconds = {k: turns[k].measure() for k in order}
        rounds.append([seconds[k] for k in range(3)])
    for env in sides:
        env.close()
    step = statistics.median(each[0] for each in rounds)
    ours, theirs = (statistics.median(each[k] / each[0] - 1 for each in rounds) for k in (1, 2))
    return step, ours, theirs


def main(_: list[str]) -> None:
    """Prints a row for each id, number of environments, and option."""
    print(f"{FLAGS.num_threads} threads, Python {sys.version.split()[0]}, NumPy {np.__version__}")
    print("| id | environments | step | statistics | the option adds | gymnasium's wrapper takes |")
    print("|---|---|---|---|---|---|", flush=True)
    results = []
    for task_id in FLAGS.tasks:
        for num_envs in map(int, FLAGS.num_envs):
            for name in (*WRAPPERS, "all"):
                step, ours, theirs = costs(task_id, num_envs, name)
                print(
                    f"| {task_id} | {num_envs:,} | {1e6 * step:,.1f} µs | {name} | {1e6 * ours * step:,.1f} µs, "
                    f"{100 * ours:.1f} % | {1e6 * theirs * step:,.1f} µs, {theirs:.2f} steps |",
                    flush=True,
                )
                results.append([task_id, num_envs, name, step, ours, theirs])
    if FLAGS.json:
        Path(FLAGS.json).write_text(json.dumps(results))


if __name__ == "__main__":
    app.run(main)
