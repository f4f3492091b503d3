# SPDX-License-Identifier: Apache-2.0
"""Measures Atari games of several players: steps per second of CPU time, on one thread.

Images are those that learners see, 84 x 84 pixels after four frames, beside the same game for one player. Frames are
the screens in colour, and memory is the console's, beside PettingZoo, which steps one game at a time. In each of --rounds rounds,
all of them run once, and the median counts.

    pip install pettingzoo multi-agent-ale-py ale-py
    python benchmark/multiplayer.py
"""

import importlib
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ale_py
import numpy as np
from absl import flags
from harness import begin_table, row, run, write_json

import envpool

FLAGS = flags.FLAGS
flags.DEFINE_string("task", "atari/pong-v3", "game of several players")
flags.DEFINE_string("one", "Pong-v5", "the same game for one player")
flags.DEFINE_integer("num_envs", 64, "environments of a pool", lower_bound=1)
flags.DEFINE_integer("steps", 60, "steps of each of them in a round", lower_bound=1)


def pool(task: str, **options: Any) -> Callable[[], float]:
    """Returns a function that measures the steps of a pool per second."""
    env: Any = envpool.make_gymnasium(task, num_envs=FLAGS.num_envs, num_threads=1, **options)
    env.reset()
    players = max(1, env.spec.config.max_num_players)
    rng = np.random.default_rng(0)

    def measure() -> float:
        actions = rng.integers(0, int(env.action_space.n), (FLAGS.steps, FLAGS.num_envs * players)).astype(np.int32)
        started = time.process_time()
        for action in actions:
            env.step(action)
        return float(FLAGS.num_envs * FLAGS.steps / (time.process_time() - started))

    measure()  # the first steps write memory for the first time
    return measure


def pettingzoo(task: str, obs_type: str) -> Callable[[], float]:
    """Returns a function that measures the steps of PettingZoo's environment per second."""
    module = importlib.import_module("pettingzoo." + task.replace("/", ".").replace("-", "_"))
    env = module.parallel_env(obs_type=obs_type, auto_rom_install_path=str(Path(ale_py.__file__).parent))
    env.reset()
    agents = env.possible_agents
    rng = np.random.default_rng(0)

    def measure() -> float:
        actions = rng.integers(0, env.action_space(agents[0]).n, (20 * FLAGS.steps, len(agents))).tolist()
        started = time.process_time()
        for action in actions:
            if not env.agents:
                env.reset()
            env.step({agent: act for agent, act in zip(agents, action, strict=True) if agent in env.agents})
        return len(actions) / (time.process_time() - started)

    return measure


def main(_: list[str]) -> None:
    task = FLAGS.task
    sides = {
        ("images", "one player"): pool(FLAGS.one),
        ("images", "this package"): pool(task, obs_type="screen", frame_skip=4),
        ("frames", "this package"): pool(task),
        ("frames", "PettingZoo"): pettingzoo(task, "rgb_image"),
        ("memory", "this package"): pool(task, obs_type="ram"),
        ("memory", "PettingZoo"): pettingzoo(task, "ram"),
    }
    rates: dict[tuple[str, str], list[float]] = {name: [] for name in sides}
    for _round in range(FLAGS.rounds):
        for name, measure in sides.items():
            rates[name].append(measure())
    begin_table(["observations", "side", "steps/s"])
    for (what, side), found in rates.items():
        print(row([what, side, f"{statistics.median(found):,.0f}"]))
    write_json(results=[{"observations": what, "side": side, "rates": r} for (what, side), r in rates.items()])


if __name__ == "__main__":
    run(main)
