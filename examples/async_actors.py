# SPDX-License-Identifier: Apache-2.0
"""Acts without waiting for the slowest environment.

A pool of `num_envs` environments returns the first `batch_size` of them that are ready. The actor sends their actions
and receives the next batch, while the others are still being stepped. The transitions of each environment stay in
order, so `info["env_id"]` assigns them to trajectories.

    python examples/async_actors.py --task=Breakout-v5 --num_envs=100 --batch_size=32
"""

import time

import numpy as np
from absl import app, flags
from gymnasium.spaces import Discrete

import envpool

FLAGS = flags.FLAGS
flags.DEFINE_string("task", "Pong-v5", "environment to step")
flags.DEFINE_integer("num_envs", 100, "environments in the pool", lower_bound=1)
flags.DEFINE_integer("batch_size", 32, "environments per batch", lower_bound=1)
flags.DEFINE_integer(
    "num_threads", 0, "threads of the pool; 0: as many as CPUs that this process may use", lower_bound=0
)
flags.DEFINE_integer("steps", 20_000, "environment steps to take")
flags.DEFINE_integer("seed", 0, "seed of the environments and of the actions")


class RandomPolicy:
    """A placeholder for a network."""

    def __init__(self, actions: int, seed: int):
        self.actions = actions
        self.rng = np.random.default_rng(seed)

    def __call__(self, observation: np.ndarray) -> np.ndarray:
        return self.rng.integers(self.actions, size=len(observation))


def main(_: list[str]) -> None:
    env = envpool.make_gymnasium(
        FLAGS.task,
        num_envs=FLAGS.num_envs,
        batch_size=FLAGS.batch_size,
        num_threads=FLAGS.num_threads,
        seed=FLAGS.seed,
    )
    players = env.spec.arrays.max_players
    if not isinstance(env.action_space, Discrete) or players > 1:
        what = f"{env.action_space} for each of up to {players} players" if players > 1 else env.action_space
        raise SystemExit(f"--task={FLAGS.task}: expected discrete actions of one player, got {what}")
    policy = RandomPolicy(int(env.action_space.n), FLAGS.seed)
    transitions = np.zeros(FLAGS.num_envs, np.int64)
    returns = np.zeros(FLAGS.num_envs)
    finished: list[float] = []

    env.async_reset()
    started = time.perf_counter()
    while transitions.sum() < FLAGS.steps:
        observation, reward, terminated, truncated, info = env.recv()
        env_id = info["env_id"]
        env.send(policy(observation), env_id)

        transitions[env_id] += 1
        returns[env_id] += reward
        done = env_id[terminated | truncated]
        finished.extend(returns[done])
        returns[done] = 0
    elapsed = time.perf_counter() - started
    env.close()

    if transitions.min() == 0:
        raise RuntimeError(f"environments {np.flatnonzero(transitions == 0)} were never ready")
    print(
        f"{transitions.sum() / elapsed:,.0f} steps/s; each environment took {transitions.min()} to {transitions.max()}"
    )
    if finished:
        print(f"{len(finished)} episodes, mean return {np.mean(finished):+.2f}")


if __name__ == "__main__":
    app.run(main)
