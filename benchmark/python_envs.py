# SPDX-License-Identifier: Apache-2.0
"""Compares pools of Python environments with gymnasium's AsyncVectorEnv.

All sides run the same environments of gymnasium in worker processes. Our pool is measured with the default number of
workers (`ours`), with one worker, and with one worker for each environment, as AsyncVectorEnv has (`one each`). The sides
take turns in one process.

    python benchmark/python_envs.py                                # CartPole, 2 to 32 environments
    python benchmark/python_envs.py --tasks=Acrobot-v1 --num_envs=64
"""

import statistics
import time
from typing import Any

import gymnasium
import numpy as np
from absl import flags
from harness import begin_table, row, run, write_json

import envpool

FLAGS = flags.FLAGS
flags.DEFINE_list("tasks", ["CartPole-v1"], "ids of gymnasium")
flags.DEFINE_multi_integer("num_envs", [2, 8, 32], "number of environments; may be given several times", lower_bound=1)

SIDES = ("ours", "one worker", "one each")


def rate(env: Any, actions: Any, seconds: float) -> float:
    """Returns the environment steps per second, measured for at least this many seconds."""
    steps, begin = 0, time.perf_counter()
    while (elapsed := time.perf_counter() - begin) < seconds:
        env.step(actions[steps % len(actions)])
        steps += 1
    return steps * actions.shape[1] / elapsed


def compare(task: str, num_envs: int) -> dict[str, float]:
    """Returns the median rate of each side."""

    def make() -> Any:
        return gymnasium.make(task)

    envpool.register_python(f"python/{task}", make)
    space = make().action_space
    actions = np.array([[space.sample() for _ in range(num_envs)] for _ in range(64)])
    sides = {
        "ours": envpool.make_gymnasium(f"python/{task}", num_envs=num_envs),
        "one worker": envpool.make_gymnasium(f"python/{task}", num_envs=num_envs, num_workers=1),
        "one each": envpool.make_gymnasium(f"python/{task}", num_envs=num_envs, num_workers=num_envs),
        "gymnasium": gymnasium.vector.AsyncVectorEnv([make] * num_envs),
    }
    rates: dict[str, list[float]] = {name: [] for name in sides}
    try:
        for env in sides.values():
            env.reset()
        for turn in range(FLAGS.rounds + 1):
            for name, env in sides.items():
                one = rate(env, actions, FLAGS.window)
                if turn > 0:  # the first turn is a warm-up
                    rates[name].append(one)
    finally:
        for env in sides.values():
            env.close()
    return {name: statistics.median(values) for name, values in rates.items()}


def main(_: list[str]) -> None:
    results = {}
    print("Steps per second, and our rate divided by that of AsyncVectorEnv:\n")
    begin_table(["task", *SIDES, "gymnasium", *(f"{side} over" for side in SIDES)])
    for task in FLAGS.tasks:
        for num_envs in FLAGS.num_envs:
            rates = results[f"{task}, {num_envs} envs"] = compare(task, num_envs)
            over = [f"{rates[side] / rates['gymnasium']:.2f}" for side in SIDES]
            print(row([f"{task}, {num_envs} envs", *(f"{value:,.0f}" for value in rates.values()), *over]), flush=True)
    write_json(results=results)


if __name__ == "__main__":
    run(main)
