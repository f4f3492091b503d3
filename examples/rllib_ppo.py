# SPDX-License-Identifier: Apache-2.0
"""Trains RLlib's PPO, with a pool in each EnvRunner.

RLlib makes vector environments through gymnasium's `vector_entry_point`. The prefix "envpool:" of the id makes
gymnasium import envpool in each runner's process, which registers our ids there. RLlib gives each runner its own seed.

    python examples/rllib_ppo.py --task=CartPole-v1 --num_env_runners=2 --num_envs=16
"""

import time

import numpy as np
import ray
import torch
from absl import app, flags
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module import RLModule
from tqdm import tqdm

import envpool

FLAGS = flags.FLAGS
flags.DEFINE_string("task", "CartPole-v1", "environment to learn")
flags.DEFINE_integer(
    "num_env_runners", 1, "processes that collect steps, each with a pool; 0: the learner itself", lower_bound=0
)
flags.DEFINE_integer("num_envs", 16, "environments per pool", lower_bound=1)
flags.DEFINE_integer("num_threads", 1, "threads per pool", lower_bound=1)
flags.DEFINE_integer("batch", 2048, "environment steps per update", lower_bound=1)
flags.DEFINE_integer("total_timesteps", 200_000, "maximum number of environment steps")
flags.DEFINE_float("target", None, "stop when the mean return that RLlib reports reaches this")
flags.DEFINE_integer("seed", 1, "random seed")
flags.DEFINE_string("address", None, "address of a running cluster, or auto (default: Ray starts on this machine)")
flags.DEFINE_float("require_return", None, "fail if the trained policy's mean return over 20 new episodes is lower")


def configured() -> PPOConfig:
    return (
        PPOConfig()
        .environment(f"envpool:envpool/{FLAGS.task}", env_config={"num_threads": FLAGS.num_threads})
        .env_runners(
            num_env_runners=FLAGS.num_env_runners,
            num_envs_per_env_runner=FLAGS.num_envs,
            gym_env_vectorize_mode="vector_entry_point",
            rollout_fragment_length="auto",
        )
        .rl_module(model_config={"fcnet_hiddens": [64, 64], "fcnet_activation": "tanh", "vf_share_layers": False})
        .training(
            train_batch_size_per_learner=FLAGS.batch,
            minibatch_size=256,
            num_epochs=6,
            lr=1e-3,
            gamma=0.99,
            lambda_=0.95,
            clip_param=0.2,
            use_kl_loss=False,
            vf_clip_param=float("inf"),
        )
        .debugging(seed=FLAGS.seed)
    )


def evaluated(module: RLModule) -> np.ndarray:
    """Returns the returns of 20 episodes with the most likely actions, with a seed that training has not used."""
    total, running = np.zeros(20), np.ones(20, bool)
    with envpool.make_gymnasium(FLAGS.task, num_envs=20, seed=FLAGS.seed + 2**32) as env, torch.no_grad():
        obs, _ = env.reset()
        while running.any():
            logits = module.forward_inference({"obs": torch.from_numpy(obs)})["action_dist_inputs"]
            likely = module.get_inference_action_dist_cls().from_logits(logits).to_deterministic()
            obs, reward, terminated, truncated, _ = env.step(likely.sample().numpy())
            total += reward * running
            running &= ~(terminated | truncated)
    return total


def main(_: list[str]) -> None:
    ray.init(address=FLAGS.address, num_cpus=None if FLAGS.address else FLAGS.num_env_runners + 1)
    algorithm = configured().build_algo()
    started, steps = time.perf_counter(), 0
    with tqdm(total=FLAGS.total_timesteps, unit=" steps", unit_scale=True) as bar:
        while steps < FLAGS.total_timesteps:
            collected = algorithm.train()["env_runners"]
            bar.update(int(collected["num_env_steps_sampled_lifetime"]) - steps)
            steps = int(collected["num_env_steps_sampled_lifetime"])
            mean = float(collected.get("episode_return_mean", float("nan")))
            bar.set_postfix_str(f"return {mean:.1f}")
            if FLAGS.target is not None and mean >= FLAGS.target:
                break
    elapsed = time.perf_counter() - started
    returns = evaluated(algorithm.get_module())
    algorithm.stop()
    ray.shutdown()
    mean = returns.mean()
    print(f"{steps:,} steps in {elapsed:.0f} s; return of the trained policy {mean:.1f} +- {returns.std():.1f}")
    if FLAGS.require_return is not None and mean < FLAGS.require_return:
        raise SystemExit(f"mean return {mean:.1f} is below {FLAGS.require_return}")


if __name__ == "__main__":
    app.run(main)
