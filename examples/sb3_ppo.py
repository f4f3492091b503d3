# SPDX-License-Identifier: Apache-2.0
"""Stable-Baselines3's PPO on a pool, through an adapter of forty lines.

Stable-Baselines3 expects an environment that ends to restart within the same step, with the observation it ended on in
its info: that is `autoreset_mode="same_step"`.

    python examples/sb3_ppo.py --task=CartPole-v1 --total_timesteps=100000
"""

import time

import numpy as np
from absl import app, flags
from stable_baselines3 import PPO
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.vec_env import VecEnv, VecMonitor

import envpool

FLAGS = flags.FLAGS
flags.DEFINE_string("task", "CartPole-v1", "which environment")
flags.DEFINE_integer("num_envs", 8, "environments stepped together", lower_bound=1)
flags.DEFINE_integer("total_timesteps", 100_000, "environment steps to learn from")
flags.DEFINE_integer("seed", 1, "of everything")
flags.DEFINE_float("require_return", None, "fail if the trained policy's mean return is below")


class EnvPoolVecEnv(VecEnv):
    """A pool as Stable-Baselines3 sees it."""

    def __init__(self, task: str, num_envs: int, seed: int, **options):
        self.pool = envpool.make_gymnasium(task, num_envs=num_envs, seed=seed, autoreset_mode="same_step", **options)
        super().__init__(num_envs, self.pool.single_observation_space, self.pool.single_action_space)

    def reset(self):
        observation, _ = self.pool.reset()
        return observation

    def step_async(self, actions):
        self.pool.send(actions)

    def step_wait(self):
        observation, reward, terminated, truncated, info = self.pool.recv()
        done = terminated | truncated
        infos = [{} for _ in range(self.num_envs)]
        for i in np.flatnonzero(done):
            infos[i]["terminal_observation"] = info["final_obs"][i]
            infos[i]["TimeLimit.truncated"] = bool(truncated[i] and not terminated[i])
        return observation, reward, done, infos

    def close(self):
        self.pool.close()

    def get_attr(self, attr_name, indices=None):
        return [getattr(self.pool, attr_name)] * len(self._get_indices(indices))

    def set_attr(self, attr_name, value, indices=None):
        raise NotImplementedError("the environments of a pool have no Python attributes")

    def env_method(self, method_name, *args, indices=None, **kwargs):
        raise NotImplementedError("the environments of a pool have no Python methods")

    def env_is_wrapped(self, wrapper_class, indices=None):
        return [False] * len(self._get_indices(indices))


def main(_: list[str]) -> None:
    env = VecMonitor(EnvPoolVecEnv(FLAGS.task, FLAGS.num_envs, FLAGS.seed))
    model = PPO("MlpPolicy", env, seed=FLAGS.seed, n_steps=128, batch_size=256, learning_rate=1e-3, verbose=1)
    started = time.perf_counter()
    model.learn(FLAGS.total_timesteps, log_interval=10)
    elapsed = time.perf_counter() - started

    held_out = VecMonitor(EnvPoolVecEnv(FLAGS.task, FLAGS.num_envs, FLAGS.seed + 1))
    mean, spread = evaluate_policy(model, held_out, n_eval_episodes=20)
    print(
        f"{FLAGS.total_timesteps:,} steps in {elapsed:.0f} s; return of the trained policy {mean:.1f} +- {spread:.1f}"
    )
    if FLAGS.require_return is not None and mean < FLAGS.require_return:
        raise SystemExit(f"mean return {mean:.1f} is below {FLAGS.require_return}")


if __name__ == "__main__":
    app.run(main)
