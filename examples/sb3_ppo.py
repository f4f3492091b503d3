# SPDX-License-Identifier: Apache-2.0
"""Trains Stable-Baselines3's PPO on a pool. The policy is a CNN if observations are images.

python examples/sb3_ppo.py --task=CartPole-v1 --total_timesteps=100000
"""

import time
from typing import Any

from absl import app, flags
from gymnasium import spaces
from stable_baselines3 import PPO
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.preprocessing import is_image_space
from stable_baselines3.common.vec_env import VecMonitor

import envpool

FLAGS = flags.FLAGS
flags.DEFINE_string("task", "CartPole-v1", "environment to learn")
flags.DEFINE_integer("num_envs", 8, "number of environments", lower_bound=1)
flags.DEFINE_integer("total_timesteps", 100_000, "environment steps to learn from")
flags.DEFINE_integer("seed", 1, "random seed")
flags.DEFINE_float("require_return", None, "fail if the trained policy's mean return is lower")


def policy_for(space: spaces.Space[Any]) -> str:
    """Returns Stable-Baselines3's name of the policy for observations of this space."""
    if isinstance(space, spaces.Dict):
        return "MultiInputPolicy"
    large = (
        is_image_space(space) and sorted(space.shape or ())[1] >= 36
    )  # the smallest height and width that the policy's convolutions accept
    return "CnnPolicy" if large else "MlpPolicy"


def main(_: list[str]) -> None:
    env = VecMonitor(envpool.make_sb3(FLAGS.task, FLAGS.num_envs, seed=FLAGS.seed))
    model = PPO(
        policy_for(env.observation_space),
        env,
        seed=FLAGS.seed,
        n_steps=128,
        batch_size=256,
        learning_rate=1e-3,
        verbose=1,
    )
    started = time.perf_counter()
    model.learn(FLAGS.total_timesteps, log_interval=10)
    elapsed = time.perf_counter() - started

    held_out = VecMonitor(envpool.make_sb3(FLAGS.task, FLAGS.num_envs, seed=FLAGS.seed + 1))
    mean, spread = evaluate_policy(model, held_out, n_eval_episodes=20)
    print(
        f"{FLAGS.total_timesteps:,} steps in {elapsed:.0f} s; return of the trained policy {mean:.1f} +- {spread:.1f}"
    )
    if FLAGS.require_return is not None and mean < FLAGS.require_return:
        raise SystemExit(f"mean return {mean:.1f} is below {FLAGS.require_return}")


if __name__ == "__main__":
    app.run(main)
